//! The solved games that a program keeps, within one budget of memory, and the work of solving more.
//!
//! The library has no threads and no clock. It hands out an [`Order`], whoever has a thread fulfils it and brings back
//! what came of it as [`Finished`]. There is one order at a time, because each may take all the memory that is left;
//! what else is wanted waits. Solutions that nobody uses are dropped when a new one needs their room, the least
//! recently wanted first.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use skirmish_rules::{Entry, Settings, Side, Table, Watch};

use crate::budget::Budget;
use crate::matches::Plan;
use crate::solved::{SolveError, Solved};

/// What is solved: a game, its rule options, and where play begins.
#[derive(Clone, Debug)]
pub struct Subject {
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
    /// A game from its start.
    #[must_use]
    pub const fn start(entry: &'static Entry, settings: Settings, first: Side) -> Self {
        Self { entry, settings, root: Root::Start(first) }
    }

    /// The game that a plan says is to be played.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self::start(plan.entry, plan.settings.clone(), plan.first)
    }

    fn is_about(&self, entry: &Entry, settings: &Settings) -> bool {
        self.entry.id == entry.id && self.settings == *settings
    }
}

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        self.is_about(other.entry, &other.settings) && self.root == other.root
    }
}

/// What somebody wants to know of a game; at least what every position is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// The game.
    pub subject: Subject,
    /// Whether it should be known who is under pressure in endless positions.
    pub pressures: bool,
    /// Whether computer players should be ready to choose at once.
    pub players: bool,
    /// How much may be spent.
    pub effort: Effort,
}

/// How much may be spent on solving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// What nobody notices: nobody has asked for it yet.
    Slight,
    /// Whatever the budget has.
    Full,
}

impl Effort {
    /// The most memory that it takes.
    const fn most(self) -> u64 {
        match self {
            Self::Slight => 8 << 20,
            Self::Full => u64::MAX,
        }
    }
}

impl Wish {
    /// What every position of a game is worth, at any expense.
    #[must_use]
    pub const fn values(subject: Subject) -> Self {
        Self { subject, pressures: false, players: false, effort: Effort::Full }
    }

    /// The same, with computer players ready.
    #[must_use]
    pub fn players(subject: Subject) -> Self {
        Self { players: true, ..Self::values(subject) }
    }
}

/// How far the knowledge of a game goes.
#[derive(Clone)]
pub enum Knowledge {
    /// It is solved.
    Known(Arc<Solved>),
    /// Somebody works on it, or will.
    Working(Effort),
    /// It could not be solved with this effort.
    Refused(Effort, SolveError),
    /// Nobody has asked.
    Nothing,
}

/// A position in a solved game.
pub struct Found {
    /// The game.
    pub solved: Arc<Solved>,
    /// The position's number in it.
    pub node: u32,
    /// Whether computer players are ready to choose.
    pub has_players: bool,
}

/// What is kept of a game.
struct Book {
    /// With all that was asked for of it; its effort means nothing here.
    wish: Wish,
    solved: Arc<Solved>,
}

impl Book {
    /// Whether only the library knows of it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.solved) == 1
    }

    fn meets(&self, wish: &Wish) -> bool {
        self.wish.subject == wish.subject
            && (self.wish.pressures || !wish.pressures)
            && (self.wish.players || !wish.players)
    }
}

/// Work that somebody does at this time.
struct Work {
    ticket: u64,
    wish: Wish,
    cancel: Arc<AtomicBool>,
}

impl Work {
    fn is_wanted(&self) -> bool {
        !self.cancel.load(Relaxed)
    }
}

/// All that is solved, and the work in progress.
pub struct Library {
    budget: Budget,
    /// The least recently wanted first.
    books: Vec<Book>,
    /// What could not be solved, and why; the latest last.
    refused: VecDeque<(Wish, SolveError)>,
    /// What is to be worked for next.
    waiting: VecDeque<Wish>,
    work: Option<Work>,
    tickets: u64,
}

/// How many refusals are remembered.
const MOST_REFUSED: usize = 16;

impl Library {
    /// An empty library, for solved games that take so much memory together.
    #[must_use]
    pub const fn new(budget: Budget) -> Self {
        Self {
            budget,
            books: Vec::new(),
            refused: VecDeque::new(),
            waiting: VecDeque::new(),
            work: None,
            tickets: 0,
        }
    }

    /// The memory that all solved games take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.books.iter().map(|book| book.solved.bytes()).sum()
    }

    /// What is known of a game.
    #[must_use]
    pub fn knowledge(&self, subject: &Subject) -> Knowledge {
        let effort = self.wanted().filter(|wish| wish.subject == *subject).map(|wish| wish.effort);
        if let Some(effort) = effort.max() {
            return Knowledge::Working(effort);
        }
        if let Some(solved) = self.solved(subject) {
            return Knowledge::Known(solved);
        }
        let refused = self.refused.iter().rev().find(|(wish, _)| wish.subject == *subject);
        refused.map_or(Knowledge::Nothing, |(wish, error)| {
            Knowledge::Refused(wish.effort, error.clone())
        })
    }

    /// The game solved, if it is.
    #[must_use]
    pub fn solved(&self, subject: &Subject) -> Option<Arc<Solved>> {
        let book = self.books.iter().find(|book| book.wish.subject == *subject)?;
        Some(Arc::clone(&book.solved))
    }

    /// A solution that has the position on a table.
    #[must_use]
    pub fn find(&self, table: &dyn Table) -> Option<Found> {
        let (book, node) = self.find_book(table)?;
        let (solved, has_players) = (Arc::clone(&book.solved), book.wish.players);
        Some(Found { solved, node, has_players })
    }

    fn find_book(&self, table: &dyn Table) -> Option<(&Book, u32)> {
        let position = table.position();
        self.books.iter().rev().find_map(|book| {
            if !book.wish.subject.is_about(table.entry(), table.settings()) {
                return None;
            }
            let node = book.solved.graph().find(&position).ok().flatten()?;
            book.solved.reached().contains(node).then_some((book, node))
        })
    }

    /// Why a game cannot be solved. What does not fit from its start is not tried from anywhere else.
    #[must_use]
    pub fn refusal(&self, entry: &Entry, settings: &Settings) -> Option<&SolveError> {
        let is_about = |(wish, _): &&(Wish, SolveError)| wish.subject.is_about(entry, settings);
        self.refused.iter().rev().find(is_about).map(|(_, error)| error)
    }

    /// What has to be solved for the position on a table, which play has reached from `base`: the solution that has
    /// it; or else the game from a start that has not been tried; or at last, all that follows from `base`.
    #[must_use]
    pub fn subject_of(&self, table: &dyn Table, base: Option<&str>) -> Subject {
        if let Some((book, _)) = self.find_book(table) {
            return book.wish.subject.clone();
        }
        let (entry, settings) = (table.entry(), table.settings());
        let starts = entry.starter.sides().iter();
        let mut starts = starts.map(|&first| Subject::start(entry, settings.clone(), first));
        starts.find(|start| self.solved(start).is_none()).unwrap_or_else(|| {
            let base = base.map_or_else(|| table.position(), str::to_owned);
            Subject { entry, settings: settings.clone(), root: Root::Position(base) }
        })
    }

    /// Sees to it that a wish is met. Gives the work to be begun now; nothing if the wish is met, refused or being
    /// worked for, or has to wait for other work.
    #[must_use = "an order is to be fulfilled"]
    pub fn want(&mut self, wish: Wish) -> Option<Order> {
        if let Some(at) = self.books.iter().position(|book| book.meets(&wish)) {
            self.books[at..].rotate_left(1);
        }
        if !self.is_wanted(&wish) && !self.is_settled(&wish) {
            self.waiting.push_back(wish);
        }
        self.next_order()
    }

    /// Whether a wish is met, or cannot be.
    fn is_settled(&self, wish: &Wish) -> bool {
        let is_refused = |(refused, _): &(Wish, SolveError)| {
            refused.subject == wish.subject && refused.effort >= wish.effort
        };
        self.books.iter().any(|book| book.meets(wish)) || self.refused.iter().any(is_refused)
    }

    /// Whether a wish is being worked for, or will be.
    #[must_use]
    pub fn is_wanted(&self, wish: &Wish) -> bool {
        self.wanted().any(|wanted| wanted == wish)
    }

    fn wanted(&self) -> impl Iterator<Item = &Wish> {
        let work = self.work.iter().filter(|work| work.is_wanted()).map(|work| &work.wish);
        work.chain(&self.waiting)
    }

    /// Gives up all work, done or waiting.
    pub fn give_up(&mut self) {
        self.waiting.clear();
        if let Some(work) = &self.work {
            work.cancel.store(true, Relaxed);
        }
    }

    /// Takes in what came of an order, and gives the work to be begun next.
    #[must_use = "an order is to be fulfilled"]
    pub fn take(&mut self, finished: Finished) -> Option<Order> {
        let work = self.work.take_if(|work| work.ticket == finished.ticket)?;
        match finished.result {
            // What is made is kept, even if it was given up at the last moment.
            Ok(solved) => self.keep(work.wish, solved),
            Err(SolveError::Cancelled(_)) => {}
            Err(error) if work.is_wanted() => {
                if self.makes_room(&work.wish, &error) {
                    self.waiting.push_front(work.wish);
                } else {
                    self.refused.push_back((work.wish, error));
                    let too_many = self.refused.len().saturating_sub(MOST_REFUSED);
                    self.refused.drain(..too_many);
                }
            }
            Err(_) => {}
        }
        self.next_order()
    }

    /// Solves a game now: `fulfil` does the work.
    ///
    /// # Errors
    /// If the game cannot be solved, or `fulfil` cancels it.
    pub fn obtain(
        &mut self,
        wish: Wish,
        fulfil: impl Fn(Order) -> Finished,
    ) -> Result<Arc<Solved>, SolveError> {
        let subject = wish.subject.clone();
        let mut order = self.want(wish);
        while let Some(next) = order {
            order = self.take(fulfil(next));
        }
        match self.knowledge(&subject) {
            Knowledge::Known(solved) => Ok(solved),
            Knowledge::Refused(_, error) => Err(error),
            Knowledge::Working(_) | Knowledge::Nothing => Err(skirmish_rules::Cancelled.into()),
        }
    }

    fn keep(&mut self, mut wish: Wish, solved: Arc<Solved>) {
        if let Some(at) = self.books.iter().position(|book| book.wish.subject == wish.subject) {
            let before = self.books.remove(at).wish;
            wish.pressures |= before.pressures;
            wish.players |= before.players;
        }
        self.books.push(Book { wish, solved });
    }

    fn next_order(&mut self) -> Option<Order> {
        if self.work.is_some() {
            return None;
        }
        let first = self.waiting.iter().position(|wish| !self.is_settled(wish));
        self.waiting.drain(..first.unwrap_or(self.waiting.len()));
        let wish = self.waiting.pop_front()?;
        self.tickets += 1;
        let (ticket, cancel) = (self.tickets, Arc::<AtomicBool>::default());
        let solved = self.solved(&wish.subject);
        let others = self.bytes() - solved.as_ref().map_or(0, |solved| solved.bytes());
        let room = Budget { bytes: self.budget.bytes.saturating_sub(others) };
        self.work = Some(Work { ticket, wish: wish.clone(), cancel: Arc::clone(&cancel) });
        Some(Order { ticket, wish, solved, room, cancel })
    }

    /// Drops solutions that nobody uses if a game that was too large fits without them, the least recently wanted
    /// first. Tells whether it is worth another try.
    fn makes_room(&mut self, wish: &Wish, error: &SolveError) -> bool {
        let &SolveError::TooLarge { bytes, free, .. } = error else { return false };
        let idle = || self.books.iter().filter(|book| book.is_idle());
        let most: u64 = idle().map(|book| book.solved.bytes()).sum();
        if most == 0 || wish.effort == Effort::Slight {
            return false;
        }
        let mut missing = match wish.subject.root {
            Root::Start(_) => bytes.saturating_sub(free),
            // How much follows from a position is not known before; it is tried once more with all there is.
            Root::Position(_) => most,
        };
        if missing > most {
            return false;
        }
        self.books.retain(|book| {
            let is_kept = missing == 0 || !book.is_idle();
            if !is_kept {
                missing = missing.saturating_sub(book.solved.bytes());
            }
            is_kept
        });
        true
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// Work to be done, in a thread that may take its time.
pub struct Order {
    ticket: u64,
    wish: Wish,
    /// The game, if it is solved and more is wanted of it.
    solved: Option<Arc<Solved>>,
    room: Budget,
    cancel: Arc<AtomicBool>,
}

/// What came of an order.
pub struct Finished {
    ticket: u64,
    result: Result<Arc<Solved>, SolveError>,
}

impl Order {
    /// Does the work, within what is left of the library's budget and within `free`, the memory that there is now.
    /// It ends early if the library gives it up or `watch` cancels it.
    #[must_use = "the library is to take it in"]
    pub fn fulfil(self, free: Budget, watch: &dyn Watch) -> Finished {
        let ticket = self.ticket;
        // A defect in one game must not stop the work on others.
        let result = catch_unwind(AssertUnwindSafe(|| self.work(free, watch)));
        Finished { ticket, result: result.unwrap_or(Err(SolveError::Failed)) }
    }

    fn work(self, free: Budget, watch: &dyn Watch) -> Result<Arc<Solved>, SolveError> {
        let Subject { entry, settings, root } = &self.wish.subject;
        let watch = |positions: u64| {
            if self.cancel.load(Relaxed) {
                return ControlFlow::Break(());
            }
            watch.advance(positions)
        };
        watch.check(0)?;
        let free = Budget { bytes: self.room.min(free).bytes.min(self.wish.effort.most()) };
        let solved = match (self.solved, root) {
            (Some(solved), _) => {
                solved.allow(Budget { bytes: free.bytes.saturating_add(solved.bytes()) });
                solved
            }
            (None, Root::Start(first)) => {
                Arc::new(Solved::of(entry, settings, *first, free, &watch)?)
            }
            (None, Root::Position(position)) => {
                Arc::new(Solved::from(entry, settings, position, free, &watch)?)
            }
        };
        if self.wish.pressures {
            solved.tell_apart(&watch)?;
        }
        if self.wish.players {
            solved.prepare_players(&watch)?;
        }
        Ok(solved)
    }
}

impl Finished {
    /// The game solved, unless that has failed.
    #[must_use]
    pub fn solved(&self) -> Option<&Arc<Solved>> {
        self.result.as_ref().ok()
    }
}

#[cfg(test)]
mod tests;
