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
    /// The index of the move.
    pub(super) index: usize,
    /// The position after the move.
    pub(super) next: u32,
}

/// Returns the solution of an alternating game.
pub(super) fn solution(solved: &Solved) -> &Solution {
    match solved.answer() {
        Answer::Alternating(solution) => solution,
        Answer::Simultaneous { .. } => unreachable!("only alternating games have lines"),
    }
}

/// Returns the best move: the quickest win, or the longest resistance. Ties go to the move that leaves the other side
/// the fewest winning moves, then to the first. `None` if the game is over.
pub(super) fn best(solved: &Solved, node: u32) -> Option<BestMove> {
    let solution = solution(solved);
    let next = successors(solved, node);
    let rank = |next: u32| solution.value(next).before().rank();
    let winning = |next: u32| std::cmp::Reverse(winning_moves(solved, next));
    let moves = next.into_iter().enumerate().map(|(index, next)| BestMove { index, next });
    // Reversed, because `max_by_key` returns the last of several maxima.
    moves.rev().max_by_key(|best| (rank(best.next), winning(best.next)))
}

/// Returns the successors of a position; none if the game is over.
pub(super) fn successors(solved: &Solved, node: u32) -> Vec<u32> {
    let mut expansion = Expansion::default();
    match solved.graph().expand(node, &mut expansion) {
        Node::Open => expansion.next.iter().copied().collect(),
        Node::Over(_) | Node::Hole => Vec::new(),
    }
}

/// Whether moving to this position keeps a win.
pub(super) fn wins(solved: &Solved, next: u32) -> bool {
    matches!(solution(solved).value(next), Value::Loss(_))
}

/// Returns the number of moves that keep a win.
pub(super) fn winning_moves(solved: &Solved, node: u32) -> usize {
    successors(solved, node).into_iter().filter(|&next| wins(solved, next)).count()
}

/// Returns the positions of the best play from a position to the end. The position must be won or lost, or there may be
/// no end.
pub(super) fn positions(solved: &Solved, node: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(node), |&node| best(solved, node).map(|best| best.next))
}

/// Returns the probability that a policy plays a winning move in each of a side's turns along the best play.
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
