//! JSON objects for the results of `lab`.

use super::VariantObject;
use super::object::objects;
use super::types::{Named, WordOr};

/// A score for each computer level.
pub type LevelScores = Named<&'static str, f64>;

objects! {
    /// The JSON output of `lab` for one variant.
    pub struct FindingObject {
        ..variant: VariantObject,
        solved: bool = "false if the board is too large; the fields below are then missing",
        ; ..facts: Option<FactsObject>,
    }

    /// The facts about a solved variant.
    pub struct FactsObject {
        states: usize = "the number of reachable positions",
        value: WordOr<f64> =
            "the value of the start for whoever starts, as in `analyze`; in Command Clash for Player 1",
        fair: bool = "whether neither player wins by force",
        plies: Option<u16> = "the plies of best play",
        won: f64 = "the share of positions that are won, from 0 to 1; in Command Clash sure wins of Player 1",
        lost: f64 = "the share that are lost; in Command Clash sure losses of Player 1",
        drawn: f64 = "the share that are drawn",
        endless: f64 = "the share that are endless; in Command Clash all others",
        choices: f64 = "the mean number of choices of a player who has to choose",
        edge: Option<f64> =
            "what moving first, or in Command Clash being Player 1, adds to the score between two skilled players; null \
            beyond 300,000 positions",
        draws: Option<f64> =
            "the share of their games that are drawn, at the latest after 200 turns; null beyond 300,000 \
            positions",
    }

    /// The JSON output of `lab --levels` for one game.
    pub struct LevelsObject {
        game: &'static str = "the game's id",
        scores: Named<&'static str, LevelScores> =
            "for each level, an object with its average score against each level",
        best: LevelScores = "for each level, the highest possible score against it",
    }
}
