//! The games that are solved, kept for as long as they may be needed, and the work of solving more.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_play::player::{Computer, Level};
use skirmish_play::{Budget, Chance, SolveError, Solved};
use skirmish_rules::{Entry, Settings, Side};

use super::spot::Spot;

/// What is solved: a game, its rule options, and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    entry: &'static Entry,
    settings: Settings,
    root: Root,
}

/// Where a solution begins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Root {
    /// At the start, with this side first.
    Start(Side),
    /// In a position that cannot arise from there.
    Position(String),
}

impl Subject {
    fn is_about(&self, entry: &Entry, settings: &Settings) -> bool {
        self.entry.id == entry.id && self.settings == *settings
    }
}

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        self.is_about(other.entry, &other.settings) && self.root == other.root
    }
}

/// A solved game, and who plays it.
struct Known {
    subject: Subject,
    solved: Arc<Solved>,
    /// Making one can take as long as solving the game, so they are kept.
    computers: Vec<Computer>,
}

/// What there is to say of a position.
pub(super) enum Standing {
    /// It can be played, by this player and with this knowledge.
    Ready(Computer, Arc<Solved>, u32),
    /// Work has to be done first.
    Open,
    /// It will not be solved, and why.
    Refused(String),
}

/// All that is solved, and the work in progress.
#[derive(Default)]
pub(super) struct Library {
    /// Those worked for last at the end.
    known: Vec<Known>,
    /// The subject that could not be solved last, and why.
    refused: Option<(Subject, String)>,
    work: Option<Work>,
    tickets: u64,
}

/// Work in progress.
struct Work {
    ticket: u64,
    subject: Subject,
    level: Level,
    cancel: Arc<AtomicBool>,
}

/// The most games that are kept: each can take much memory.
const MOST_KNOWN: usize = 4;

/// A solution of more positions makes room when another game is played.
const MOST_POSITIONS: usize = 1 << 18;

impl Library {
    /// What there is to say of a position to a player of this level.
    pub(super) fn standing(&self, spot: &Spot, level: Level) -> Standing {
        let table = spot.table();
        let Some((known, node)) = self.find(spot) else {
            let refusal = self.refusal(table.entry(), table.settings());
            return refusal.map_or(Standing::Open, |reason| Standing::Refused(reason.to_owned()));
        };
        let computer = known.computers.iter().find(|computer| computer.level() == level);
        computer.map_or(Standing::Open, |computer| {
            Standing::Ready(computer.clone(), Arc::clone(&known.solved), node)
        })
    }

    /// The solution that has a position, whoever plays it.
    pub(super) fn solved(&self, spot: &Spot) -> Option<(&Solved, u32)> {
        self.find(spot).map(|(known, node)| (&*known.solved, node))
    }

    /// Why a game cannot be solved. What does not fit from its start is not tried from anywhere else.
    pub(super) fn refusal(&self, entry: &Entry, settings: &Settings) -> Option<&str> {
        let (subject, reason) = self.refused.as_ref()?;
        subject.is_about(entry, settings).then_some(reason)
    }

    fn find(&self, spot: &Spot) -> Option<(&Known, u32)> {
        let table = spot.table();
        let position = table.position();
        self.known.iter().rev().find_map(|known| {
            if !known.subject.is_about(table.entry(), table.settings()) {
                return None;
            }
            let node = known.solved.graph().find(&position).ok().flatten()?;
            known.solved.reached().contains(node).then_some((known, node))
        })
    }

    /// The next work to be done for a position; nothing if there is none, or if it is under way.
    pub(super) fn order(&mut self, spot: &Spot, level: Level) -> Option<Order> {
        self.make_room(spot);
        if !matches!(self.standing(spot, level), Standing::Open) {
            return None;
        }
        let (subject, solved) = match self.find(spot) {
            Some((known, _)) => (known.subject.clone(), Some(Arc::clone(&known.solved))),
            None => (self.untried(spot), None),
        };
        if self.work.as_ref().is_some_and(|work| work.subject == subject && work.level == level) {
            return None;
        }
        self.give_up();
        self.tickets += 1;
        let (ticket, cancel) = (self.tickets, Arc::<AtomicBool>::default());
        let work = Work { ticket, subject: subject.clone(), level, cancel: Arc::clone(&cancel) };
        self.work = Some(work);
        Some(Order { ticket, subject, solved, level, cancel })
    }

    /// Drops the large solutions of games that are not played any more.
    fn make_room(&mut self, spot: &Spot) {
        let table = spot.table();
        self.known.retain(|known| {
            known.subject.is_about(table.entry(), table.settings())
                || known.solved.graph().size() <= MOST_POSITIONS
        });
    }

    /// Where a position has not been looked for yet: from both starts, and at last from where it began.
    fn untried(&self, spot: &Spot) -> Subject {
        let table = spot.table();
        let (entry, settings) = (table.entry(), table.settings().clone());
        let roots = entry.starter.sides().iter().map(|&side| Root::Start(side));
        let subject = |root| Subject { entry, settings: settings.clone(), root };
        let is_new = |subject: &Subject| self.known.iter().all(|known| known.subject != *subject);
        roots.map(subject).find(is_new).unwrap_or_else(|| {
            let base = spot.base().map_or_else(|| table.position(), str::to_owned);
            subject(Root::Position(base))
        })
    }

    /// Gives up the work in progress.
    pub(super) fn give_up(&mut self) {
        if let Some(work) = self.work.take() {
            work.cancel.store(true, Relaxed);
        }
    }

    /// Takes in what was worked for, unless it has been given up.
    pub(super) fn take(&mut self, finished: Finished) {
        if self.work.as_ref().is_none_or(|work| work.ticket != finished.ticket) {
            return;
        }
        self.work = None;
        let Finished { subject, result, .. } = finished;
        match result {
            Err(reason) => self.refused = Some((subject, reason)),
            Ok((solved, computer)) => {
                let at = self.known.iter().position(|known| known.subject == subject);
                let mut computers = at.map_or_else(Vec::new, |at| self.known.remove(at).computers);
                computers.push(computer);
                if self.known.len() == MOST_KNOWN {
                    // What begins at a start serves more positions.
                    let is_odd = |known: &Known| matches!(known.subject.root, Root::Position(_));
                    self.known.remove(self.known.iter().position(is_odd).unwrap_or_default());
                }
                self.known.push(Known { subject, solved, computers });
            }
        }
    }
}

/// Work to be done in a thread of its own.
pub(super) struct Order {
    ticket: u64,
    subject: Subject,
    /// The game, if only a player is missing.
    solved: Option<Arc<Solved>>,
    level: Level,
    cancel: Arc<AtomicBool>,
}

/// Work that is done.
pub(super) struct Finished {
    ticket: u64,
    subject: Subject,
    result: Result<(Arc<Solved>, Computer), String>,
}

/// What work that has been given up ends with.
struct GivenUp;

impl Order {
    /// Does the work; nothing comes of it if it is given up.
    pub(super) fn fulfil(self) -> Option<Finished> {
        let result = match catch_unwind(AssertUnwindSafe(|| self.work())) {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(cause) if cause.is::<GivenUp>() => return None,
            Err(_) => Err("solving it has failed".to_owned()),
        };
        Some(Finished { ticket: self.ticket, subject: self.subject, result })
    }

    fn work(&self) -> Result<(Arc<Solved>, Computer), SolveError> {
        let Subject { entry, settings, root } = &self.subject;
        let watch = |_positions: u64| {
            if self.cancel.load(Relaxed) {
                resume_unwind(Box::new(GivenUp));
            }
        };
        let budget = Budget::of_this_machine();
        let solved = match (&self.solved, root) {
            (Some(solved), _) => Arc::clone(solved),
            (None, Root::Start(first)) => {
                Arc::new(Solved::of(entry, settings, *first, budget, &watch)?)
            }
            (None, Root::Position(position)) => {
                Arc::new(Solved::from(entry, settings, position, budget)?)
            }
        };
        // Whoever plays brings luck; this is only who knows how.
        let computer = Computer::new(self.level, Arc::clone(&solved), Chance::from_seed(0));
        computer.prepare(&watch);
        Ok((solved, computer))
    }
}
