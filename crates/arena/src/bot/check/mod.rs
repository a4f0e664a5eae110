//! Is a bot correct? Numbered steps find out, each of them about one thing.

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

/// How many steps may end because an answer takes too long, before the others are not tried any more.
const MOST_TIMEOUTS: usize = 2;

/// A bot to be checked.
pub struct Check {
    /// What starts it.
    pub command: BotCommand,
    /// The games that there are.
    pub catalog: Catalog,
    /// The games it is said to play; none if that is to be found out.
    pub named: Vec<&'static Entry>,
    /// How long it may take.
    pub limits: CheckLimits,
}

/// How long a bot may take while it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// What it is told that it has for a move.
    pub told: Duration,
    /// What a tournament adds to that for the delays of the machine.
    pub margin: Duration,
    /// How long to wait for a move. Longer than `told` and `margin`, to tell a late move from none.
    pub granted: Duration,
    /// What it gets to start, and for the first move after that.
    pub start: Duration,
}

impl CheckLimits {
    /// With this time for a move, and otherwise those of a tournament.
    #[must_use]
    pub fn for_moves_of(told: Duration) -> Self {
        let Timing { margin, first_move, .. } = Timing::default();
        Self { told, margin, granted: told * 5 + margin, start: told.max(first_move) }
    }

    /// How long a move may take in a tournament without touching the bank, which does not last for many moves.
    fn in_tournament(self) -> Duration {
        self.told + self.margin
    }

    /// What it is told where it is asked often, so that one that uses all its time does not make the check long.
    fn hurried(self) -> Duration {
        (self.told / 10).max(Duration::from_millis(1))
    }
}

/// One thing that is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckTask {
    Handshake,
    Games,
    MoveInTime,
    OnlyWhenAsked,
    BothSeats,
    SecondGame,
    OddPositions,
    Queries,
    Ending,
}

impl CheckTask {
    const ALL: [Self; 9] = [
        Self::Handshake,
        Self::Games,
        Self::MoveInTime,
        Self::OnlyWhenAsked,
        Self::BothSeats,
        Self::SecondGame,
        Self::OddPositions,
        Self::Queries,
        Self::Ending,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Handshake => "Handshake",
            Self::Games => "Games",
            Self::MoveInTime => "Move in time",
            Self::OnlyWhenAsked => "Only when asked",
            Self::BothSeats => "Both seats",
            Self::SecondGame => "Second game",
            Self::OddPositions => "Odd positions",
            Self::Queries => "Queries",
            Self::Ending => "Ending",
        }
    }
}

/// A step that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckStep {
    /// From 1.
    pub number: usize,
    /// What it is about.
    pub name: &'static str,
    /// What came of it.
    pub verdict: CheckVerdict,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// All is well; what was seen.
    Pass(String),
    /// Something is wrong.
    Fail(Failure),
    /// It was not tried, and why.
    Skipped(&'static str),
}

/// What is wrong with a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// A sentence without its full stop: where it happened, and what.
    pub detail: String,
    /// What the bot said, if it was that.
    pub said: Option<String>,
    /// What would have been right.
    pub expected: String,
    /// The last lines of the dialogue: `>` was asked, `<` answered, `!` written to standard error.
    pub dialogue: Vec<String>,
    /// What it means for the other steps.
    pub kind: FailureKind,
}

/// What a failure means for the steps that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It took too long, and may do so again.
    Late,
    /// It spoke unasked, so that its answers cannot be told apart.
    Unasked,
    /// Nothing.
    Other,
}

/// What a check has found out.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The protocol, if the bot starts.
    pub dialect: Option<Dialect>,
    /// What the bot calls itself, if it says so.
    pub name: Option<String>,
    /// All steps.
    pub steps: Vec<CheckStep>,
    /// Where a step failed, no game was named, and the bot makes a legal first move in some games only: those games.
    pub plays_only: Option<Vec<&'static Entry>>,
}

impl CheckReport {
    /// How many steps failed.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.verdict, CheckVerdict::Fail(_))).count()
    }
}

impl Check {
    /// Goes through all steps, and tells each as soon as it is done. The bot is started anew for every step, so
    /// that none suffers from what came before.
    pub fn run(&self, mut tell: impl FnMut(&CheckStep)) -> CheckReport {
        let mut subject = Examinee::new(self);
        let mut steps: Vec<CheckStep> = Vec::new();
        for task in CheckTask::ALL {
            if task == CheckTask::Queries && subject.dialect() == Some(Dialect::Json) {
                continue; // JSON lines have no such questions.
            }
            let number = steps.len() + 1;
            let verdict = match hindrance(task, &steps) {
                Some(why) => CheckVerdict::Skipped(why),
                None => {
                    subject.go_through(task).map_or_else(CheckVerdict::Fail, CheckVerdict::Pass)
                }
            };
            let step = CheckStep { number, name: task.name(), verdict };
            tell(&step);
            steps.push(step);
        }
        let has_failed = steps.iter().any(|step| matches!(step.verdict, CheckVerdict::Fail(_)));
        let plays_only = if has_failed { subject.games_it_plays() } else { None };
        CheckReport { dialect: subject.dialect(), name: subject.name(), steps, plays_only }
    }
}

/// Why a step cannot tell anything, after those before it.
fn hindrance(task: CheckTask, done: &[CheckStep]) -> Option<&'static str> {
    let failures = || {
        done.iter().filter_map(|step| match &step.verdict {
            CheckVerdict::Fail(failure) => Some((step.name, failure.kind)),
            CheckVerdict::Pass(_) | CheckVerdict::Skipped(_) => None,
        })
    };
    let failed = |earlier: CheckTask| failures().any(|(name, _)| name == earlier.name());
    let count = |sought| failures().filter(|&(_, kind)| kind == sought).count();
    if failed(CheckTask::Handshake) {
        Some("there is nobody to talk to")
    } else if failed(CheckTask::Games) {
        Some("there is no game to try")
    } else if count(FailureKind::Late) >= MOST_TIMEOUTS {
        Some("it has been too slow twice")
    } else if count(FailureKind::Unasked) > 0 && task != CheckTask::Ending {
        Some("it could not be told which question an answer is for")
    } else {
        None
    }
}
