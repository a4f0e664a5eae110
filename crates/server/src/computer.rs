//! The computer's choices: one thread solves boards, shared between games within one memory budget.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::{Computer, Level};
use skirmish_play::{Budget, Chance};
use skirmish_rules::{Entry, Settings, Side, Table, Unwatched};
use tokio::sync::oneshot;

/// How many questions can wait.
const MOST_WAITING: usize = 1024;

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

enum Job {
    /// Can this board be played against the computer?
    Check(Subject, oneshot::Sender<Result<(), Unplayable>>),
    Ask(Box<Question>, oneshot::Sender<Thought>),
}

/// The thread of the computer players.
#[derive(Clone)]
pub(crate) struct Computers {
    jobs: SyncSender<Job>,
}

impl Computers {
    /// Starts the thread. It ends when nobody can ask any more.
    pub(crate) fn start(memory: u64) -> std::io::Result<Self> {
        let (jobs, waiting) = sync_channel(MOST_WAITING);
        thread::Builder::new().name("computers".to_owned()).spawn(move || run(memory, &waiting))?;
        Ok(Self { jobs })
    }

    /// Whether a board can be played against the computer; if not, why.
    pub(crate) async fn check(
        &self,
        entry: &'static Entry,
        settings: Settings,
    ) -> Result<(), Unplayable> {
        let (sender, receiver) = oneshot::channel();
        let subject = Subject::start(entry, settings, Side::One);
        self.jobs.try_send(Job::Check(subject, sender)).map_err(|_| Unplayable::Busy)?;
        receiver.await.unwrap_or(Err(Unplayable::Busy))
    }

    /// Asks for a choice. If too many wait, the receiver is told at once that nobody will answer.
    pub(crate) fn ask(&self, question: Question) -> oneshot::Receiver<Thought> {
        let (sender, receiver) = oneshot::channel();
        let _ = self.jobs.try_send(Job::Ask(Box::new(question), sender));
        receiver
    }
}

fn run(memory: u64, waiting: &Receiver<Job>) {
    let mut library = Library::new(Budget { bytes: memory });
    let most = Budget { bytes: MOST_PER_BOARD.min(memory) };
    let mut obtain = |subject: Subject| {
        let solved = library.obtain(Wish::players(subject), |order| order.run(most, &Unwatched));
        solved.map_err(|error| Unplayable::Unsolved(error.to_string()))
    };
    while let Ok(job) = waiting.recv() {
        match job {
            Job::Check(subject, reply) => {
                let _ = reply.send(obtain(subject).map(|_| ()));
            }
            Job::Ask(question, reply) => {
                let Question { subject, level, side, table, chance, draw } = *question;
                let answer = |solved| {
                    let (seed, number, undone) = chance;
                    let computer = Computer::new(level, solved, Chance::from_seed(seed));
                    if draw {
                        Answer::Draw(computer.accepts_draw(&*table, side))
                    } else {
                        Answer::Choice(computer.choose(&*table, side, number, undone))
                    }
                };
                let _ = reply.send(obtain(subject).map(answer));
            }
        }
    }
}
