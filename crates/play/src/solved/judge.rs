//! Analyses single positions of a solved game.

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, PositionError, Side};
use skirmish_solver::Value;
use skirmish_solver::pressure::Pressure;
use skirmish_solver::recursive::{self, Recursive};
use skirmish_solver::retrograde;

use super::payoffs::{payoffs, seen_by};
use super::{Answer, NoRoom, Payoffs, Solved, mixes_of};

/// The complete analysis of a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Whether the position is reachable from the start.
    pub is_reachable: bool,
    /// The value of the position and of its choices.
    pub verdict: Judgement,
    /// The side under pressure if nobody can force a win, or why it could not be computed.
    pub pressure: Result<Option<Pressure>, NoRoom>,
    /// The payoff matrix, if both sides choose simultaneously.
    pub payoffs: Option<Payoffs>,
}

/// The value of a position and of its choices.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// In an alternating game.
    Alternating {
        /// The value for the side to move.
        value: Value,
        /// Every legal move, in the game's order.
        moves: Vec<RatedMove>,
        /// The number of plies in which the side to move can force a draw, and the same for the other side.
        forced_draw: (Option<u16>, Option<u16>),
    },
    /// In a simultaneous game.
    Simultaneous {
        /// The value for Player 1.
        value: f64,
        /// A bound on the error of the value.
        error: f64,
        /// An optimal mix for each side: the notation of each action and its share.
        strategy: Both<Vec<(String, f64)>>,
        /// The value of each action for its own side, against the other side's optimal mix.
        worth: Both<Vec<f64>>,
    },
}

/// A legal move and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedMove {
    /// The notation of the move.
    pub notation: String,
    /// The resulting position.
    pub position: String,
    /// The value for the side that moves, with plies counted from the position before the move.
    pub value: Value,
}

impl Solved {
    /// Analyses a reachable node.
    #[must_use]
    pub fn analyse(&self, node: u32) -> Analysis {
        Analysis {
            is_reachable: true,
            verdict: self.judge(node),
            pressure: self.pressure(node),
            payoffs: self.payoffs(node),
        }
    }

    /// Returns the value of a position and of its choices; `None` if it is not reachable.
    ///
    /// # Errors
    /// If `position` does not belong to the game.
    pub fn judge_position(&self, position: &str) -> Result<Option<Judgement>, PositionError> {
        Ok(self.find(position)?.map(|node| self.judge(node)))
    }

    /// Returns the side under pressure, like [`Solved::pressure`]; `None` if the position is not reachable.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn pressure_at(&self, position: &str) -> Result<Option<Pressure>, NoRoom> {
        self.find(position).ok().flatten().map_or(Ok(None), |node| self.pressure(node))
    }

    /// Returns the node of a position; `None` if it is not reachable.
    ///
    /// # Errors
    /// If `position` does not belong to the game.
    pub fn find(&self, position: &str) -> Result<Option<u32>, PositionError> {
        Ok(self.graph.find(position)?.filter(|&node| self.reached().contains(node)))
    }

    /// Returns the value of a node and of its choices.
    #[must_use]
    pub fn judge(&self, node: u32) -> Judgement {
        match &self.answer {
            Answer::Alternating(solution) => Judgement::Alternating {
                value: solution.value(node),
                moves: self.moves(solution, node),
                forced_draw: solution.forced_draw(node),
            },
            Answer::Simultaneous { game, solution, .. } => self.mixed(game, solution, node),
        }
    }

    fn moves(&self, solution: &retrograde::Solution, node: u32) -> Vec<RatedMove> {
        let Some(side) = self.graph.mover(node) else { return Vec::new() };
        let mut expansion = Expansion::default();
        if self.graph.expand(node, &mut expansion) != Node::Open {
            return Vec::new();
        }
        let actions = &self.graph.actions(node)[side];
        let moves = actions.iter().zip(&expansion.next).map(|(notation, &next)| RatedMove {
            notation: notation.clone(),
            position: self.graph.position(next),
            value: solution.value(next).before(),
        });
        moves.collect()
    }

    fn mixed(&self, game: &Recursive, solution: &recursive::MixedSolution, node: u32) -> Judgement {
        let index = node as usize;
        let (value, error) = solution.bounds.value(index);
        let actions = self.graph.actions(node);
        let mixes = Both::from_fn(|side| &mixes_of(&solution.mixes, side)[index]);
        let payoffs = payoffs(game, solution, index);
        let named = |side: Side| actions[side].iter().cloned().zip(mixes[side].iter().copied());
        Judgement::Simultaneous {
            value,
            error,
            strategy: Both::from_fn(|side| named(side).filter(|(_, share)| *share > 0.0).collect()),
            worth: Both::from_fn(|side| {
                let payoffs = seen_by(side, &payoffs);
                let worth = |row: &Vec<f64>| {
                    row.iter().zip(mixes[side.other()]).map(|(value, share)| share * value).sum()
                };
                payoffs.iter().map(worth).collect()
            }),
        }
    }
}
