//! Solved boards: one thread solves them within one memory budget, for the computer players and for the page.

mod queue;

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::{Computer, Level};
use skirmish_play::{Analysis, Budget, Chance, Judgement, SolveError, Solved};
use skirmish_rules::{Entry, Settings, Side, Table, Unwatched};
use tokio::sync::oneshot;

use self::queue::Queue;
use crate::limits::{Reached, network};

/// The refusal if too many of a client's boards wait to be solved.
pub(crate) const BUSY: Reached = Reached { what: "boards to solve for your address", seconds: 10 };

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

/// Work for the solving thread.
type Job = Box<dyn FnOnce(&mut Shelf) + Send>;

/// The solving thread.
pub(crate) struct Computers {
    queue: Arc<Queue>,
}

impl Drop for Computers {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Computers {
    /// Starts the thread. It ends when nobody can ask any more.
    pub(crate) fn start(memory: u64) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::new());
        let jobs = Arc::clone(&queue);
        let run = move || {
            let library = Library::new(Budget { bytes: memory });
            let mut shelf = Shelf { library, most: Budget { bytes: MOST_PER_BOARD.min(memory) } };
            while let Some(job) = jobs.next(|subject| shelf.has_players(subject)) {
                // A bug in one game must not stop the others. The client is told that there is no answer.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut shelf)));
            }
        };
        thread::Builder::new().name("computers".to_owned()).spawn(run)?;
        Ok(Self { queue })
    }

    /// Checks for a client whether a board can be played against the computer; if not, says why.
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

    /// Requests a choice in a game of a client from this network, if known. If too many requests wait, the receiver's channel
    /// is closed at once.
    pub(crate) fn ask(
        &self,
        network: Option<IpAddr>,
        question: Question,
    ) -> oneshot::Receiver<Thought> {
        let subject = question.subject.clone();
        let question = Box::new(question);
        let (job, answer) = job(move |shelf| {
            let Question { subject, level, side, table, chance, draw } = *question;
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

/// A question as work for the thread, and where its answer arrives.
fn job<T: Send + 'static>(
    question: impl FnOnce(&mut Shelf) -> T + Send + 'static,
) -> (Job, oneshot::Receiver<T>) {
    let (sender, receiver) = oneshot::channel();
    let job = Box::new(move |shelf: &mut Shelf| {
        // Skip the work if the client has left.
        if !sender.is_closed() {
            let _ = sender.send(question(shelf));
        }
    });
    (job, receiver)
}

/// The solved boards.
pub(crate) struct Shelf {
    library: Library,
    most: Budget,
}

impl Shelf {
    /// Whether the computer can play on a board without delay.
    fn has_players(&self, subject: &Subject) -> bool {
        self.library.solved(subject).is_some_and(|solved| solved.has_players())
    }

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
