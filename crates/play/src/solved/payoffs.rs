//! The payoff matrix of a position in a simultaneous game: the value of every pair of choices.

use skirmish_rules::{Both, Side};
use skirmish_solver::dominance::{self, Dominated};
use skirmish_solver::recursive::{MixedSolution, Recursive, Stage, TOLERANCE};

use super::{Answer, Solved};

/// The payoff matrix of a position, with its dominated actions.
#[derive(Clone, Debug, PartialEq)]
pub struct Payoffs {
    /// The notation of each side's actions.
    pub actions: Both<Vec<String>>,
    /// The value for Player 1 of each pair of choices if both play perfectly afterwards: one row per action of Player
    /// 1, one column per action of Player 2.
    pub values: Vec<Vec<f64>>,
    /// The dominated actions of each side.
    pub dominated: Both<Vec<Dominated>>,
    /// Whether a side has only one mix that is optimal in this matrix.
    pub unique: Both<bool>,
}

impl Payoffs {
    /// Values count as equal up to this difference, which exceeds the combined error of any two.
    pub const EQUAL: f64 = TOLERANCE;

    /// Returns a side's payoff for its own choice and one of the other side.
    fn gets(&self, side: Side, own: usize, other: usize) -> f64 {
        match side {
            Side::One => self.values[own][other],
            Side::Two => -self.values[other][own],
        }
    }

    /// Returns the other side's choices against which a side's choice is worse than a mix, given as a share per choice.
    #[must_use]
    pub fn worse_against(&self, side: Side, choice: usize, mix: &[f64]) -> Vec<&str> {
        let is_worse = |other: usize| {
            let shares = mix.iter().enumerate();
            let gets: f64 = shares.map(|(own, share)| share * self.gets(side, own, other)).sum();
            gets - self.gets(side, choice, other) > Self::EQUAL
        };
        let others = self.actions[side.other()].iter().enumerate();
        others.filter(|(other, _)| is_worse(*other)).map(|(_, action)| action.as_str()).collect()
    }
}

/// Returns the value for Player 1 of each pair of choices in a position, one row per action of Player 1; empty if the
/// game is over.
pub(crate) fn payoffs(game: &Recursive, solution: &MixedSolution, node: usize) -> Vec<Vec<f64>> {
    let Stage::Open { columns, next } = &game.nodes[node] else { return Vec::new() };
    let value = |&node: &usize| solution.bounds.value(node).0;
    next.chunks(*columns).map(|row| row.iter().map(value).collect()).collect()
}

/// Converts the payoffs of Player 1 to those of a side, one row per action of that side.
pub(crate) fn seen_by(side: Side, payoffs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let columns = payoffs.first().map_or(0, Vec::len);
    match side {
        Side::One => payoffs.to_vec(),
        Side::Two => (0..columns)
            .map(|column| payoffs.iter().map(|row| seen_from(side, row[column])).collect())
            .collect(),
    }
}

/// Converts a value for Player 1 to a value for a side.
#[must_use]
pub fn seen_from(side: Side, value: f64) -> f64 {
    match side {
        Side::One => value,
        // Subtract from 0 to avoid -0.
        Side::Two => 0.0 - value,
    }
}

impl Solved {
    /// Returns the payoff matrix of a position; `None` in an alternating game, or if the game is over.
    #[must_use]
    pub fn payoffs(&self, node: u32) -> Option<Payoffs> {
        let Answer::Simultaneous { game, solution, .. } = &self.answer else { return None };
        let values = payoffs(game, solution, node as usize);
        let sizes = Both::new(values.len(), values.first()?.len());
        let actions = self.graph.actions(node);
        let payoffs =
            Payoffs { actions, values, dominated: Both::default(), unique: Both::default() };
        let (dominated, unique) = (
            Both::from_fn(|side| {
                let gets = |own, other| payoffs.gets(side, own, other);
                dominance::dominated(sizes[side], sizes[side.other()], Payoffs::EQUAL, gets)
            }),
            Both::from_fn(|side| {
                let gets = |own, other| payoffs.gets(side, own, other);
                dominance::is_unique(sizes[side], sizes[side.other()], Payoffs::EQUAL, gets)
            }),
        );
        Some(Payoffs { dominated, unique, ..payoffs })
    }
}
