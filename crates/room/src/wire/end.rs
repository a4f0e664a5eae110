//! The result of a game, in the terms used in records.

use serde::{Deserialize, Serialize};
use skirmish_rules::{Ending, Outcome, Termination};

/// How a game ended; `None` if it was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Words", try_from = "Words")]
pub struct End(pub Option<Ending>);

#[derive(Serialize, Deserialize)]
struct Words {
    result: String,
    termination: String,
}

impl End {
    /// The game was aborted and has no result.
    pub const ABORTED: Self = Self(None);

    /// Returns the outcome, unless the game was aborted.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        self.0.map(|ending| ending.outcome)
    }

    /// Returns the result: `1-0`, `0-1`, `1/2-1/2`, or `*` for an aborted game.
    #[must_use]
    pub fn result(self) -> &'static str {
        self.outcome().map_or("*", Outcome::score)
    }

    /// Returns why the game ended, as in records.
    #[must_use]
    pub fn termination(self) -> &'static str {
        self.0.map_or(Termination::UNFINISHED, |ending| ending.termination.name())
    }

    /// Parses a result and a termination.
    ///
    /// # Errors
    /// If no game can end with this result and termination.
    pub fn read(result: &str, termination: &str) -> Result<Self, String> {
        if result == "*" {
            return Ok(Self::ABORTED);
        }
        match (Outcome::from_score(result), Termination::named(termination)) {
            (Some(outcome), Some(termination)) => Ok(Self(Some(Ending { outcome, termination }))),
            _ => Err(format!("no game can end with {result:?} and {termination:?}")),
        }
    }
}

impl From<End> for Words {
    fn from(end: End) -> Self {
        Self { result: end.result().to_owned(), termination: end.termination().to_owned() }
    }
}

impl TryFrom<Words> for End {
    type Error = String;

    fn try_from(words: Words) -> Result<Self, String> {
        Self::read(&words.result, &words.termination)
    }
}
