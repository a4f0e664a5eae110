//! Checks whether a bot is correct, in numbered steps that each test one thing.

mod positions;
mod queries;
mod steps;

#[cfg(all(test, unix))]
mod tests;

use std::time::Duration;

use skirmish_play::player::{BotCommand, Dialect};
use skirmish_rules::{Catalog, Entry};

use self::steps::Examinee;
use crate::referee::Timing;

/// After this many steps with a timeout, the other steps are skipped.
const MOST_TIMEOUTS: usize = 2;

/// A check of a bot.
pub struct Check {
    /// The bot's command.
    pub command: BotCommand,
    /// All games.
    pub catalog: Catalog,
    /// The games to test; empty to find out which it plays.
    pub named: Vec<&'static Entry>,
    /// Its time limits.
    pub limits: CheckLimits,
}

/// The time limits of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// The thinking time announced for a move.
    pub told: Duration,
    /// What a tournament adds for delays of the machine.
    pub margin: Duration,
    /// How long to wait for a move: longer than `told` and `margin`, to distinguish a late move from none.
    pub granted: Duration,
    /// The time limit for starting, and for the first move after that.
    pub start: Duration,
}

impl CheckLimits {
    /// The limits of a tournament with this thinking time.
    #[must_use]
    pub fn for_moves_of(told: Duration) -> Self {
        let Timing { margin, first_move, .. } = Timing::default();
        Self { told, margin, granted: told * 5 + margin, start: told.max(first_move) }
    }

    /// How long a move may take in a tournament without using the bank, which does not last for many moves.
    fn in_tournament(self) -> Duration {
        self.told + self.margin
    }

    /// The thinking time announced in steps with many questions, so that a bot that uses all of it does not make the check
    /// slow.
    fn hurried(self) -> Duration {
        (self.told / 10).max(Duration::from_millis(1))
    }
}

/// The names of the steps on which others depend.
const HANDSHAKE: &str = "Handshake";
const GAMES: &str = "Games";
const QUERIES: &str = "Queries";
const ENDING: &str = "Ending";

/// A completed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckStep {
    /// Counted from 1.
    pub number: usize,
    /// What it tests.
    pub name: &'static str,
    /// Its outcome.
    pub verdict: CheckVerdict,
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// Correct, with an observation.
    Pass(String),
    /// Incorrect.
    Fail(Failure),
    /// Not run, with the reason.
    Skipped(&'static str),
}

/// What is wrong with a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// A sentence without its full stop: where, and what happened.
    pub detail: String,
    /// The bot's wrong answer, if any.
    pub said: Option<String>,
    /// What would have been correct.
    pub expected: String,
    /// The last lines of the dialogue: `>` sent, `<` received, `!` standard error.
    pub dialogue: Vec<String>,
    /// Its effect on the other steps.
    pub kind: FailureKind,
}

/// The effect of a failure on later steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The bot timed out, and may do so again.
    Late,
    /// The bot sent unrequested output, so its answers cannot be matched to questions.
    Unasked,
    /// None.
    Other,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The protocol, if detected.
    pub dialect: Option<Dialect>,
    /// The bot's name, if it gives one.
    pub name: Option<String>,
    /// All steps.
    pub steps: Vec<CheckStep>,
    /// The games in which the bot makes a legal first move, if a step failed, no game was named, and these are not all.
    pub plays_only: Option<Vec<&'static Entry>>,
}

impl CheckReport {
    /// The number of failed steps.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.verdict, CheckVerdict::Fail(_))).count()
    }
}

impl Check {
    /// Runs all steps, and calls `report` after each. The bot is restarted for every step, so that no step affects another.
    pub fn run(&self, mut report: impl FnMut(&CheckStep)) -> CheckReport {
        let mut subject = Examinee::new(self);
        let mut steps: Vec<CheckStep> = Vec::new();
        for (name, task) in Examinee::STEPS {
            if name == QUERIES && subject.dialect() == Some(Dialect::Json) {
                continue; // JSON lines have no queries.
            }
            let number = steps.len() + 1;
            let verdict = match skip_reason(name, &steps) {
                Some(why) => CheckVerdict::Skipped(why),
                None => subject.run(task).map_or_else(CheckVerdict::Fail, CheckVerdict::Pass),
            };
            let step = CheckStep { number, name, verdict };
            report(&step);
            steps.push(step);
        }
        let has_failed = steps.iter().any(|step| matches!(step.verdict, CheckVerdict::Fail(_)));
        let plays_only = if has_failed { subject.games_it_plays() } else { None };
        CheckReport { dialect: subject.dialect(), name: subject.name(), steps, plays_only }
    }
}

/// Why a step would be meaningless after the earlier ones.
fn skip_reason(step: &str, done: &[CheckStep]) -> Option<&'static str> {
    let failures = || {
        done.iter().filter_map(|step| match &step.verdict {
            CheckVerdict::Fail(failure) => Some((step.name, failure.kind)),
            CheckVerdict::Pass(_) | CheckVerdict::Skipped(_) => None,
        })
    };
    let failed = |earlier: &str| failures().any(|(name, _)| name == earlier);
    let count = |sought| failures().filter(|&(_, kind)| kind == sought).count();
    if failed(HANDSHAKE) {
        Some("the handshake failed")
    } else if failed(GAMES) {
        Some("there is no game to test")
    } else if count(FailureKind::Late) >= MOST_TIMEOUTS {
        Some("it timed out in two steps")
    } else if count(FailureKind::Unasked) > 0 && step != ENDING {
        Some("its answers cannot be matched to questions")
    } else {
        None
    }
}
