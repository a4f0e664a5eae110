//! Checks in numbered steps that a bot behaves correctly; each step tests one thing.

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

/// After this many steps with a timeout, the remaining steps are skipped.
const MOST_TIMEOUTS: usize = 2;

/// A check of a bot, not yet run.
pub struct Check {
    /// The bot's command.
    pub command: BotCommand,
    /// The catalogue of all games.
    pub catalog: Catalog,
    /// The games to test; if empty, the check finds out which games the bot plays.
    pub named: Vec<&'static Entry>,
    /// The bot's time limits.
    pub limits: CheckLimits,
}

/// The time limits of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// The thinking time announced for a move.
    pub told: Duration,
    /// The allowance that a tournament adds for delays of the machine.
    pub margin: Duration,
    /// How long to wait for a move: longer than `told` plus `margin`, to tell a late move from a missing one.
    pub granted: Duration,
    /// The time limit for starting, and for the first move after a start.
    pub start: Duration,
}

impl CheckLimits {
    /// The limits that a tournament with this thinking time would apply.
    #[must_use]
    pub fn for_moves_of(told: Duration) -> Self {
        let Timing { margin, first_move, .. } = Timing::default();
        Self { told, margin, granted: told * 5 + margin, start: told.max(first_move) }
    }

    /// How long a move may take in a tournament without drawing on the bank, which does not last for many moves.
    fn in_tournament(self) -> Duration {
        self.told + self.margin
    }

    /// The thinking time announced in steps with many questions: short, so that a bot that uses all of it does not slow
    /// down the check.
    fn hurried(self) -> Duration {
        (self.told / 10).max(Duration::from_millis(1))
    }
}

/// The names of the steps on which other steps depend.
const HANDSHAKE: &str = "Handshake";
const GAMES: &str = "Games";
const QUERIES: &str = "Queries";
const ENDING: &str = "Ending";

/// A completed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckStep {
    /// The step's number, counted from 1.
    pub number: usize,
    /// The name of the test.
    pub name: &'static str,
    /// The outcome of the test.
    pub verdict: CheckVerdict,
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// The bot behaved correctly, with an observation.
    Pass(String),
    /// The bot misbehaved.
    Fail(CheckFailure),
    /// The step was not run, with the reason.
    Skipped(&'static str),
}

/// A fault in a bot's behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// A sentence without its full stop: where in the check, and what happened.
    pub detail: String,
    /// The bot's wrong answer, if any.
    pub said: Option<String>,
    /// The correct behaviour.
    pub expected: String,
    /// The last lines of the dialogue: `>` sent, `<` received, `!` standard error.
    pub dialogue: Vec<String>,
    /// The failure's effect on later steps.
    pub kind: FailureKind,
}

/// The effect of a failure on later steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The bot timed out, and may do so again.
    Late,
    /// The bot sent unrequested output, so its answers cannot be matched to questions.
    Unasked,
    /// The failure does not affect later steps.
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
    /// The games in which the bot makes a legal first move, if a step failed, no game was named, and the bot does not
    /// play all games.
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
    /// Runs all steps, and calls `report` after each. Restarts the bot for every step, so that no step affects another.
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

/// The reason to skip a step, if earlier results make it meaningless.
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
