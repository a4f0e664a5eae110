//! JSON objects for puzzles.

use serde::Serialize;
use skirmish_play::Solved;
use skirmish_play::puzzle::{Goal, Puzzle};

use super::VariantObject;
use super::object::objects;

objects! {
    /// A puzzle of an alternating game.
    pub struct WinPuzzleObject {
        ..variant: VariantObject,
        position: String = "the position; exactly one move keeps the win",
        player: u8 = "the player to move, who wins",
        goal: &'static str = "`win`",
        plies: u16 = "the number of single moves to the win",
        level: &'static str = "the difficulty: the weakest level that usually solves the puzzle",
    }

    /// A puzzle of a simultaneous game.
    pub struct MixPuzzleObject {
        ..variant: VariantObject,
        position: String = "the position",
        player: u8 = "the player whose best mix is to be found",
        goal: &'static str = "`mix`",
        value: f64 = "the value of the position for Player 1, as in an analysis: 1 is a sure win, −1 a sure loss",
        error: f64 = "an upper bound on the error of `value`; a mix that gives away no more gets full marks",
        level: &'static str = "the difficulty: the weakest level whose own mix is good enough",
    }
}

/// A puzzle; `goal` determines which fields it has.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum PuzzleObject {
    /// The goal is to find a winning move.
    Win(WinPuzzleObject),
    /// The goal is to find a mix.
    Mix(MixPuzzleObject),
}

impl super::JsonType for PuzzleObject {
    fn kind() -> String {
        "object".to_owned()
    }
}

impl PuzzleObject {
    /// Describes a puzzle of a solved game.
    #[must_use]
    pub fn of(solved: &Solved, puzzle: &Puzzle) -> Self {
        let variant = VariantObject::of(solved.entry(), solved.settings());
        let (position, player) = (puzzle.position.clone(), puzzle.player.number());
        let level = puzzle.level.name();
        match puzzle.goal {
            Goal::Win { plies } => {
                Self::Win(WinPuzzleObject { variant, position, player, goal: "win", plies, level })
            }
            Goal::Mix { value, error } => Self::Mix(MixPuzzleObject {
                variant,
                position,
                player,
                goal: "mix",
                value,
                error,
                level,
            }),
        }
    }
}
