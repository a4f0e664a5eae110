//! Solves boards on one thread, within one memory budget, for the computer players and the page.

mod queue;

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::{Computer, Level};
use skirmish_play::{Analysis, Budget, Chance, SolveError, Solved};
use skirmish_rules::{Entry, Settings, Side, Table, Unwatched};
use tokio::sync::oneshot;

use self::queue::WorkQueue;
use crate::limits::{Reached, network};

/// The refusal for a client that has too many boards waiting to be solved.
pub(crate) const BUSY: Reached = Reached { what: "boards to solve for your address", seconds: 10 };

/// Maximum memory for one board. Boards of this size are solved in about a second.
const MOST_PER_BOARD: u64 = 32 << 20;

/// A question for a computer player at a table.
pub(crate) struct MoveRequest {
    pub(crate) subject: Subject,
    pub(crate) level: Level,
    pub(crate) side: Side,
    pub(crate) table: Box<dyn Table>,
    /// Selects the random numbers: the seed, the number of the game and how many turns were taken back.
    pub(crate) chance: (u64, u32, u32),
    /// Whether to answer a draw offer instead of making a choice.
    pub(crate) draw: bool,
}

/// A computer player's answer.
#[derive(Debug)]
pub(crate) enum Answer {
    Choice(String),
    Draw(bool),
}

/// An answer, or the reason why there is none.
pub(crate) type Thought = Result<Answer, Unplayable>;

/// Why the computer cannot play on a board.
#[derive(Debug)]
pub(crate) enum Unplayable {
    /// Too many questions are waiting.
    Busy,
    /// The board cannot be solved, for this reason.
    Unsolved(String),
}

/// Work for the solving thread.
type Work = Box<dyn FnOnce(&mut Shelf) + Send>;

/// A handle to the solving thread.
pub(crate) struct Computers {
    queue: Arc<WorkQueue>,
}

impl Drop for Computers {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Computers {
    /// Starts the thread, which ends after the returned handle is dropped.
    pub(crate) fn start(memory: u64) -> std::io::Result<Self> {
        let queue = Arc::new(WorkQueue::new());
        let jobs = Arc::clone(&queue);
        let run = move || {
            let library = Library::new(Budget { bytes: memory });
            let mut shelf = Shelf { library, most: Budget { bytes: MOST_PER_BOARD.min(memory) } };
            while let Some(job) = jobs.next(|subject| shelf.has_players(subject)) {
                // A panic in one game must not stop the others. The client is told that there is no answer.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut shelf)));
            }
        };
        thread::Builder::new().name("computers".to_owned()).spawn(run)?;
        Ok(Self { queue })
    }

    /// Checks whether the computer can play on a board, on behalf of a client. The error says why it cannot.
    pub(crate) async fn check(
        &self,
        client: IpAddr,
        entry: &'static Entry,
        settings: Settings,
    ) -> Result<(), Unplayable> {
        let subject = Subject::start(entry, settings, Side::One);
        let checked = self.study(client, |shelf| shelf.playable(subject).map(|_| ()));
        checked.await.unwrap_or(Err(Unplayable::Busy))
    }

    /// Requests a computer player's answer, on behalf of a client's network if known. If too many requests are waiting, the
    /// returned channel is closed at once.
    pub(crate) fn ask(
        &self,
        network: Option<IpAddr>,
        question: MoveRequest,
    ) -> oneshot::Receiver<Thought> {
        let subject = question.subject.clone();
        let question = Box::new(question);
        let (job, answer) = job(move |shelf| {
            let MoveRequest { subject, level, side, table, chance, draw } = *question;
            let (seed, number, undone) = chance;
            let computer = Computer::new(level, shelf.playable(subject)?, Chance::from_seed(seed));
            Ok(if draw {
                Answer::Draw(computer.accepts_draw(&*table, side))
            } else {
                Answer::Choice(computer.choose(&*table, side, number, undone))
            })
        });
        self.queue.push_move(network, subject, job);
        answer
    }

    /// Answers a client's question from solved boards.
    pub(crate) async fn study<T: Send + 'static>(
        &self,
        client: IpAddr,
        question: impl FnOnce(&mut Shelf) -> T + Send + 'static,
    ) -> Result<T, Reached> {
        let (job, answer) = job(question);
        self.queue.push_visit(Some(network(client)), job);
        answer.await.map_err(|_| BUSY)
    }
}

/// Turns a question into a job for the thread. Also returns the receiver of the answer.
fn job<T: Send + 'static>(
    question: impl FnOnce(&mut Shelf) -> T + Send + 'static,
) -> (Work, oneshot::Receiver<T>) {
    let (sender, receiver) = oneshot::channel();
    let job = Box::new(move |shelf: &mut Shelf| {
        // Skip the work if the client has left.
        if !sender.is_closed() {
            let _ = sender.send(question(shelf));
        }
    });
    (job, receiver)
}

/// A library of solved boards.
pub(crate) struct Shelf {
    library: Library,
    most: Budget,
}

impl Shelf {
    /// Whether the computer can play on a board without solving it first.
    fn has_players(&self, subject: &Subject) -> bool {
        self.library.solved(subject).is_some_and(|solved| solved.has_players())
    }

    fn playable(&mut self, subject: Subject) -> Result<Arc<Solved>, Unplayable> {
        let solved = self.obtain(Wish::players(subject));
        solved.map_err(|error| Unplayable::Unsolved(error.to_string()))
    }

    /// Returns a solved board, solving it first if necessary.
    pub(crate) fn obtain(&mut self, wish: Wish) -> Result<Arc<Solved>, SolveError> {
        self.library.obtain(wish, |order| order.run(self.most, &Unwatched))
    }

    /// Returns a solved board, with its pressures if `wanted`.
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

    /// Analyses the position on a table. A position that cannot arise in play is solved separately.
    pub(crate) fn analyse(&mut self, table: &dyn Table) -> Result<Analysis, SolveError> {
        let position = table.position();
        let mut subject = Subject::start(table.entry(), table.settings().clone(), table.first());
        let solved = self.obtain(Wish::values(subject.clone()))?;
        let is_reachable = solved.find(&position)?.is_some();
        drop(solved);
        while !is_reachable && self.library.find(table).is_none() {
            // Solve the game from its other start, and then everything reachable from the position.
            let next = self.library.subject_of(table, None);
            self.obtain(Wish::values(next))?;
        }
        if !is_reachable {
            subject = self.library.subject_of(table, None);
        }
        let find = |solved: &Solved| solved.find(&position).ok().flatten();
        let is_even = |solved: &Solved| find(solved).is_some_and(|node| solved.is_even(node));
        let solved = self.with_pressures(subject, is_even)?;
        let node = find(&solved).ok_or(SolveError::Failed)?;
        Ok(Analysis { is_reachable, ..solved.analyse(node) })
    }
}
