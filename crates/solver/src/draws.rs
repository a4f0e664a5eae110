//! Endless positions, told apart: who can lead whom to where an error is possible, and how soon.
//!
//! In an endless position every move either keeps the game endless or loses. A position in which a losing
//! move exists is a trap for whoever has to move there. Among the endless positions, reached only by moves
//! that keep them endless, one side may be able to force the other into a trap; that is again a question of
//! retrograde analysis. Positions that it does not settle get their turn at the next level, where moving
//! into a position of an earlier level that favours the opponent is what counts as an error.

use skirmish_rules::graph::{Expansion, Graph, Node};

use crate::retrograde::Solution;
use crate::value::Value;

/// What there is to know of an endless position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// How many kinds of error lie between this position and a loss: 0 where a plain losing move can be
    /// forced upon somebody as a possibility.
    pub level: u8,
    /// Who is under pressure.
    pub pressure: Pressure,
    /// How many plies it takes to get there.
    pub plies: u16,
}

/// Who is under pressure in an endless position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// The side to move can lead the other into a trap.
    Mine,
    /// The side to move is in a trap, or cannot avoid being led into one.
    Theirs,
}

/// Tells the endless positions among those in `nodes` apart. Positions that nobody can lead anywhere are
/// left out.
#[must_use]
pub fn analyse(graph: &dyn Graph, solution: &Solution) -> Vec<(u32, Draw)> {
    let nodes: Vec<u32> =
        solution.reached().iter().filter(|&node| is_endless(graph, solution, node)).collect();
    let index = |node: u32| nodes.binary_search(&node).ok();
    let mut found: Vec<Option<Draw>> = vec![None; nodes.len()];
    let mut expansion = Expansion::default();
    let mut keeping: Vec<Vec<usize>> = Vec::with_capacity(nodes.len());
    let mut is_fringe: Vec<bool> = Vec::with_capacity(nodes.len());
    for &node in &nodes {
        graph.expand(node, &mut expansion);
        let kept = expansion.next.iter().filter_map(|&next| index(next)).collect::<Vec<usize>>();
        is_fringe
            .push(expansion.next.iter().any(|&next| matches!(solution.value(next), Value::Win(_))));
        keeping.push(kept);
    }
    for level in 0..=u8::MAX {
        let before = found.iter().flatten().count();
        settle_level(level, &keeping, &is_fringe, &mut found);
        if found.iter().flatten().count() == before {
            break;
        }
        // At the next level an error is a move into what already favours the opponent.
        for (at, fringe) in is_fringe.iter_mut().enumerate() {
            *fringe = found[at].is_none()
                && keeping[at]
                    .iter()
                    .any(|&next| found[next].is_some_and(|draw| draw.pressure == Pressure::Mine));
        }
    }
    nodes.into_iter().zip(found).filter_map(|(node, draw)| Some((node, draw?))).collect()
}

fn is_endless(graph: &dyn Graph, solution: &Solution, node: u32) -> bool {
    solution.value(node) == Value::Endless
        && graph.expand(node, &mut Expansion::default()) == Node::Open
}

/// Retrograde analysis among the positions not settled yet; the fringe are those in a trap.
fn settle_level(level: u8, keeping: &[Vec<usize>], fringe: &[bool], found: &mut [Option<Draw>]) {
    let undecided: Vec<bool> = found.iter().map(Option::is_none).collect();
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); keeping.len()];
    let mut open: Vec<usize> = vec![0; keeping.len()];
    for (at, kept) in keeping.iter().enumerate().filter(|&(at, _)| undecided[at]) {
        for &next in kept.iter().filter(|&&next| undecided[next]) {
            back[next].push(at);
            open[at] += 1;
        }
    }
    let trapped = |plies| Draw { level, pressure: Pressure::Theirs, plies };
    let mut frontier: Vec<usize> =
        (0..keeping.len()).filter(|&at| undecided[at] && fringe[at]).collect();
    for &at in &frontier {
        found[at] = Some(trapped(0));
    }
    let mut plies = 0;
    while !frontier.is_empty() {
        plies += 1;
        let mut next_frontier = Vec::new();
        for at in frontier {
            let is_trap = found[at].is_some_and(|draw| draw.pressure == Pressure::Theirs);
            for &before in &back[at] {
                open[before] -= 1;
                if found[before].is_some() {
                    continue;
                }
                if is_trap {
                    found[before] = Some(Draw { level, pressure: Pressure::Mine, plies });
                } else if open[before] == 0 {
                    found[before] = Some(trapped(plies));
                } else {
                    continue;
                }
                next_frontier.push(before);
            }
        }
        frontier = next_frontier;
    }
}
