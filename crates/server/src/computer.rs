//! Solved boards: one thread solves them within one memory budget, for the computer players and for the page.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::{Computer, Level};
use skirmish_play::{Analysis, Budget, Chance, Judgement, SolveError, Solved};
use skirmish_rules::{Entry, Settings, Side, Table, Unwatched};
use tokio::sync::oneshot;

use crate::lock::lock;

/// How many questions of players can wait.
const MOST_WAITING: usize = 1024;

/// How many questions of the page can wait.
const MOST_STUDIES: usize = 32;

/// The most memory for one board. Boards of that size are solved in about a second.
const MOST_PER_BOARD: u64 = 32 << 20;

/// What a level is asked at a table.
pub(crate) struct Question {
    pub(crate) subject: Subject,
    pub(crate) level: Level,
    pub(crate) side: Side,
    pub(crate) table: Box<dyn Table>,
    /// The seed, the number of the game and how many turns were taken back.
    pub(crate) chance: (u64, u32, u32),
    /// Whether it is asked to accept a draw, and not for a choice.
    pub(crate) draw: bool,
}

/// What it answers.
#[derive(Debug)]
pub(crate) enum Answer {
    Choice(String),
    Draw(bool),
}

/// An answer, or why there is none.
pub(crate) type Thought = Result<Answer, Unplayable>;

/// Why the computer cannot play on a board.
#[derive(Debug)]
pub(crate) enum Unplayable {
    /// Too many wait.
    Busy,
    /// The board cannot be solved, for this reason.
    Unsolved(String),
}

/// Somebody asked too much at once, and is not answered.
#[derive(Debug)]
pub(crate) struct Busy;

/// A question, asked in the thread.
type Job = Box<dyn FnOnce(&mut Shelf) + Send>;

/// For whom a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// A game in which the computer plays. It goes first, because a clock may run.
    Players,
    /// Somebody who studies.
    Study,
}

/// What waits for the thread.
#[derive(Default)]
struct Waiting {
    players: VecDeque<Job>,
    studies: VecDeque<Job>,
    /// Whether nobody can ask any more.
    is_closed: bool,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Queue {
    fn next(&self) -> Option<Job> {
        let mut waiting = lock(&self.waiting);
        loop {
            let job = waiting.players.pop_front();
            if let Some(job) = job.or_else(|| waiting.studies.pop_front()) {
                return Some(job);
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }
}

/// The thread that solves boards.
pub(crate) struct Computers {
    queue: Arc<Queue>,
}

impl Drop for Computers {
    fn drop(&mut self) {
        lock(&self.queue.waiting).is_closed = true;
        self.queue.changed.notify_all();
    }
}

impl Computers {
    /// Starts the thread. It ends when nobody can ask any more.
    pub(crate) fn start(memory: u64) -> std::io::Result<Self> {
        let queue = Arc::<Queue>::default();
        let jobs = Arc::clone(&queue);
        let run = move || {
            let library = Library::new(Budget { bytes: memory });
            let mut shelf = Shelf { library, most: Budget { bytes: MOST_PER_BOARD.min(memory) } };
            while let Some(job) = jobs.next() {
                // A bug in one game must not stop the others. Whoever asked is told that nobody answers.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut shelf)));
            }
        };
        thread::Builder::new().name("computers".to_owned()).spawn(run)?;
        Ok(Self { queue })
    }

    /// Asks a question. If too many wait, the receiver is told at once that nobody will answer.
    fn put<T: Send + 'static>(
        &self,
        who: For,
        question: impl FnOnce(&mut Shelf) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |shelf| {
            // Whoever has left needs no answer.
            if !sender.is_closed() {
                let _ = sender.send(question(shelf));
            }
        });
        let mut waiting = lock(&self.queue.waiting);
        let (jobs, most) = match who {
            For::Players => (&mut waiting.players, MOST_WAITING),
            For::Study => (&mut waiting.studies, MOST_STUDIES),
        };
        if jobs.len() < most {
            jobs.push_back(job);
            self.queue.changed.notify_one();
        }
        receiver
    }

    /// Whether a board can be played against the computer; if not, why.
    pub(crate) async fn check(
        &self,
        entry: &'static Entry,
        settings: Settings,
    ) -> Result<(), Unplayable> {
        let subject = Subject::start(entry, settings, Side::One);
        let checked = self.put(For::Players, |shelf| shelf.playable(subject).map(|_| ()));
        checked.await.unwrap_or(Err(Unplayable::Busy))
    }

    /// Asks for a choice. If too many wait, the receiver is told at once that nobody will answer.
    pub(crate) fn ask(&self, question: Question) -> oneshot::Receiver<Thought> {
        let question = Box::new(question);
        self.put(For::Players, move |shelf| {
            let Question { subject, level, side, table, chance, draw } = *question;
            let (seed, number, undone) = chance;
            let computer = Computer::new(level, shelf.playable(subject)?, Chance::from_seed(seed));
            Ok(if draw {
                Answer::Draw(computer.accepts_draw(&*table, side))
            } else {
                Answer::Choice(computer.choose(&*table, side, number, undone))
            })
        })
    }

    /// Asks a question that solved boards answer.
    pub(crate) async fn study<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Shelf) -> T + Send + 'static,
    ) -> Result<T, Busy> {
        self.put(For::Study, question).await.map_err(|_| Busy)
    }
}

/// The solved boards.
pub(crate) struct Shelf {
    library: Library,
    most: Budget,
}

impl Shelf {
    fn playable(&mut self, subject: Subject) -> Result<Arc<Solved>, Unplayable> {
        let solved = self.obtain(Wish::players(subject));
        solved.map_err(|error| Unplayable::Unsolved(error.to_string()))
    }

    /// A solved board.
    pub(crate) fn obtain(&mut self, wish: Wish) -> Result<Arc<Solved>, SolveError> {
        self.library.obtain(wish, |order| order.run(self.most, &Unwatched))
    }

    /// A solved board, with the pressures if `wanted`.
    pub(crate) fn with_pressures(
        &mut self,
        subject: Subject,
        wanted: impl FnOnce(&Solved) -> bool,
    ) -> Result<Arc<Solved>, SolveError> {
        let wish = Wish::values(subject);
        let solved = self.obtain(wish.clone())?;
        if !wanted(&solved) {
            return Ok(solved);
        }
        drop(solved);
        self.obtain(Wish { pressures: true, ..wish })
    }

    /// Analyses the position on a table. A position that cannot arise in play is solved on its own.
    pub(crate) fn analyse(&mut self, table: &dyn Table) -> Result<Analysis, SolveError> {
        let position = table.position();
        let mut subject = Subject::start(table.entry(), table.settings().clone(), table.first());
        let solved = self.obtain(Wish::values(subject.clone()))?;
        let is_reachable = solved.judge_position(&position)?.is_some();
        drop(solved);
        while !is_reachable && self.library.find(table).is_none() {
            // The game from its other start, and then all that follows from the position.
            let next = self.library.subject_of(table, None);
            self.obtain(Wish::values(next))?;
        }
        if !is_reachable {
            subject = self.library.subject_of(table, None);
        }
        // Only positions that nobody can win by force have a pressure.
        let is_even = |solved: &Solved| {
            let judged = solved.judge_position(&position);
            matches!(judged, Ok(Some(Judgement::Alternating { value, .. })) if value.is_even())
        };
        let solved = self.with_pressures(subject, is_even)?;
        let analysis = solved.analyse(&position)?.ok_or(SolveError::Failed)?;
        Ok(Analysis { is_reachable, ..analysis })
    }
}
