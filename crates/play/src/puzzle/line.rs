//! The best play from a position, turn by turn: the shortest win against the longest resistance.

use skirmish_rules::Side;
use skirmish_rules::graph::{Expansion, Node};
use skirmish_solver::Value;
use skirmish_solver::retrograde::Solution;

use crate::player::Policy;
use crate::solved::{Answer, Solved};

/// A move of the best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BestMove {
    /// Its number among the moves.
    pub(super) index: usize,
    /// Where it leads.
    pub(super) next: u32,
}

/// The solution of a game of turns.
pub(super) fn solution(solved: &Solved) -> &Solution {
    match solved.answer() {
        Answer::Alternating(solution) => solution,
        Answer::Simultaneous { .. } => unreachable!("only games of turns have lines"),
    }
}

/// The best move: the shortest win, or the longest resistance. Among equals, the one after which the other side has the
/// fewest winning moves, then the first. `None` if the game is over.
pub(super) fn best(solved: &Solved, node: u32) -> Option<BestMove> {
    let solution = solution(solved);
    let next = successors(solved, node);
    let rank = |next: u32| solution.value(next).before().rank();
    let winning = |next: u32| std::cmp::Reverse(winning_moves(solved, next));
    let moves = next.into_iter().enumerate().map(|(index, next)| BestMove { index, next });
    // Of several maxima, `max_by_key` returns the last.
    moves.rev().max_by_key(|best| (rank(best.next), winning(best.next)))
}

/// The positions that the moves lead to; none if the game is over.
pub(super) fn successors(solved: &Solved, node: u32) -> Vec<u32> {
    let mut expansion = Expansion::default();
    match solved.graph().expand(node, &mut expansion) {
        Node::Open => expansion.next.iter().copied().collect(),
        Node::Over(_) | Node::Hole => Vec::new(),
    }
}

/// Whether a move to this position wins.
pub(super) fn wins(solved: &Solved, next: u32) -> bool {
    matches!(solution(solved).value(next), Value::Loss(_))
}

/// How many moves keep a win.
pub(super) fn winning_moves(solved: &Solved, node: u32) -> usize {
    successors(solved, node).into_iter().filter(|&next| wins(solved, next)).count()
}

/// The positions of the best play, from this one to the end. Only for positions that are won or lost, which end.
pub(super) fn positions(solved: &Solved, node: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(node), |&node| best(solved, node).map(|best| best.next))
}

/// The probability that a policy plays a winning move in every turn of a side along the best play.
pub(super) fn odds(policy: &Policy, node: u32, side: Side) -> f64 {
    let solved = policy.solved();
    let own = positions(solved, node).filter(|&node| solved.graph().mover(node) == Some(side));
    let kept = |node: u32| -> f64 {
        let next = successors(solved, node);
        if next.is_empty() {
            return 1.0;
        }
        let shares = policy.shares(node, side);
        let winning = shares.iter().zip(next).filter(|&(_, next)| wins(solved, next));
        winning.map(|(share, _)| share).sum()
    };
    own.map(kept).product()
}
