//! A cache of solved games within one memory budget, and the queue of games to solve.
//!
//! The library has no threads and no clock. It hands out an [`Order`]; the caller runs it in any thread and returns the
//! result as [`Finished`]. Only one order runs at a time, because it may use all the remaining memory; other wishes are
//! queued. When a new solution needs memory, unused ones are evicted, least recently used first.

mod order;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use order::{Finished, Order};
use skirmish_rules::{Entry, Settings, Side, Table};

use crate::budget::Budget;
use crate::matches::Plan;
use crate::solved::{SolveError, Solved};

/// A game to solve, with its rule options and starting position.
#[derive(Clone, Debug)]
pub struct Subject {
    entry: &'static Entry,
    settings: Settings,
    root: Root,
}

/// The starting position of a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Root {
    /// The game's own start, with this side to move first.
    Start(Side),
    /// Any other position. Every solution that contains the position covers it.
    Position(String),
}

impl Subject {
    /// Names a game with the rulebook's start.
    #[must_use]
    pub const fn start(entry: &'static Entry, settings: Settings, first: Side) -> Self {
        Self { entry, settings, root: Root::Start(first) }
    }

    /// Names the game of a plan, with the plan's starting position.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let start = Self::start(plan.entry, plan.settings.clone(), plan.first);
        match &plan.position {
            Some(position) => Self { root: Root::Position(position.clone()), ..start },
            None => start,
        }
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

/// A request to solve a game, which yields at least the value of every position.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// The game.
    pub subject: Subject,
    /// Whether to compute who is under pressure in endless positions.
    pub pressures: bool,
    /// Whether to prepare computer players so that they choose without delay.
    pub players: bool,
    /// How much memory to use.
    pub effort: Effort,
}

/// How much memory to use for solving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Very little, for games that nobody has requested yet.
    Slight,
    /// As much as the budget allows.
    Full,
}

impl Effort {
    /// Returns the memory limit in bytes.
    const fn most(self) -> u64 {
        match self {
            Self::Slight => 8 << 20,
            Self::Full => u64::MAX,
        }
    }
}

impl Wish {
    /// Requests the value of every position, with full effort.
    #[must_use]
    pub const fn values(subject: Subject) -> Self {
        Self { subject, pressures: false, players: false, effort: Effort::Full }
    }

    /// Requests the value of every position and prepared computer players.
    #[must_use]
    pub fn players(subject: Subject) -> Self {
        Self { players: true, ..Self::values(subject) }
    }
}

/// The state of a game in the library.
#[derive(Clone)]
pub enum Knowledge {
    /// The game is solved; further analysis may be in progress.
    Known(Arc<Solved>),
    /// The game is being solved or queued, with this effort.
    Working(Effort),
    /// The game could not be solved with this effort.
    Refused(Effort, SolveError),
    /// Nobody has requested the game.
    Nothing,
}

/// A position found in a solved game.
pub struct Found {
    /// The subject of the solution.
    pub subject: Subject,
    /// The solved game.
    pub solved: Arc<Solved>,
    /// The position's node in the game's graph.
    pub node: u32,
}

/// A solved game in the cache.
struct Cached {
    subject: Subject,
    solved: Arc<Solved>,
}

impl Cached {
    /// Whether the cached solution covers a subject. A solution from another starting position covers every position it
    /// contains.
    fn answers(&self, subject: &Subject) -> bool {
        self.subject == *subject
            || matches!(&subject.root, Root::Position(position)
                if self.subject.is_about(subject.entry, &subject.settings)
                    && self.node(position).is_some())
    }

    /// Returns the node of a position, if it is reachable in this solution.
    fn node(&self, position: &str) -> Option<u32> {
        self.solved.find(position).ok().flatten()
    }

    /// Whether a caller still holds the solution.
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.solved) > 1
    }
}

/// The order in progress.
struct Work {
    wish: Wish,
    /// Cancels the order, and identifies it.
    cancel: Arc<AtomicBool>,
}

impl Work {
    fn is_wanted(&self) -> bool {
        !self.cancel.load(Relaxed)
    }
}

/// A cache of solved games, with a queue of games to solve.
pub struct Library {
    budget: Budget,
    /// Solved games, least recently used first.
    cache: Vec<Cached>,
    /// Refused wishes with the reason and the available memory in bytes, oldest first.
    refused: VecDeque<(Wish, SolveError, u64)>,
    /// The current search for a position, and the solutions that do not contain it, including evicted ones.
    search: Vec<Subject>,
    queue: VecDeque<Wish>,
    work: Option<Work>,
}

/// Maximum number of remembered refusals.
const MOST_REFUSED: usize = 16;

impl Library {
    /// Creates an empty library whose solved games share this budget.
    #[must_use]
    pub const fn new(budget: Budget) -> Self {
        Self {
            budget,
            cache: Vec::new(),
            refused: VecDeque::new(),
            search: Vec::new(),
            queue: VecDeque::new(),
            work: None,
        }
    }

    /// Returns the state of a game in the library.
    #[must_use]
    pub fn knowledge(&self, subject: &Subject) -> Knowledge {
        if let Some(solved) = self.solved(subject) {
            return Knowledge::Known(solved);
        }
        let wanted = self.wanted().filter(|wish| wish.subject == *subject);
        if let Some(effort) = wanted.map(|wish| wish.effort).max() {
            return Knowledge::Working(effort);
        }
        let refused = self.refused.iter().rev().find(|(wish, ..)| wish.subject == *subject);
        refused.map_or(Knowledge::Nothing, |(wish, error, _)| {
            Knowledge::Refused(wish.effort, error.clone())
        })
    }

    /// Returns the solved game, if it is cached.
    #[must_use]
    pub fn solved(&self, subject: &Subject) -> Option<Arc<Solved>> {
        Some(Arc::clone(&self.cached(subject)?.solved))
    }

    /// Returns the cached solution that covers a subject: its own, or another one that contains it.
    fn cached(&self, subject: &Subject) -> Option<&Cached> {
        let own = self.cache.iter().find(|cached| cached.subject == *subject);
        own.or_else(|| self.cache.iter().find(|cached| cached.answers(subject)))
    }

    /// Redirects a wish to the cached solution that covers its subject, if there is one.
    fn addressed(&self, wish: Wish) -> Wish {
        match self.cached(&wish.subject) {
            Some(cached) => Wish { subject: cached.subject.clone(), ..wish },
            None => wish,
        }
    }

    /// Finds a solution that contains the position on a table.
    #[must_use]
    pub fn find(&self, table: &dyn Table) -> Option<Found> {
        let position = table.position();
        self.cache.iter().rev().find_map(|cached| {
            let Cached { subject, solved } = cached;
            if !subject.is_about(table.entry(), table.settings()) {
                return None;
            }
            let node = cached.node(&position)?;
            Some(Found { subject: subject.clone(), solved: Arc::clone(solved), node })
        })
    }

    /// Returns why a game cannot be solved. If a game does not fit from its start, other positions are not tried.
    #[must_use]
    pub fn refusal(&self, entry: &Entry, settings: &Settings) -> Option<&SolveError> {
        let mut refused = self.refused.iter().rev();
        let refused = refused.find(|(wish, ..)| wish.subject.is_about(entry, settings));
        refused.map(|(_, error, _)| error)
    }

    /// Returns the subject to solve for the position on a table that was reached from `base`: a cached solution that
    /// contains the position; otherwise the game from a start that this search has not tried yet; otherwise the game
    /// from `base`.
    #[must_use]
    pub fn subject_of(&mut self, table: &dyn Table, base: Option<&str>) -> Subject {
        if let Some(found) = self.find(table) {
            self.search.clear();
            return found.subject;
        }
        let (entry, settings) = (table.entry(), table.settings());
        let root = |root| Subject { entry, settings: settings.clone(), root };
        let position = root(Root::Position(table.position()));
        if self.search.first() != Some(&position) {
            let in_vain = self.cache.iter().map(|cached| cached.subject.clone());
            self.search = std::iter::once(position.clone()).chain(in_vain).collect();
        }
        let mut starts = entry.starter.sides().iter().map(|&first| root(Root::Start(first)));
        starts
            .find(|start| !self.search.contains(start))
            .unwrap_or_else(|| base.map_or(position, |base| root(Root::Position(base.to_owned()))))
    }

    /// Queues a wish and returns the order to run now. `None` if the wish is already fulfilled, refused, in progress or
    /// queued behind others.
    #[must_use = "an order must be run"]
    pub fn want(&mut self, wish: Wish) -> Option<Order> {
        let wish = self.addressed(wish);
        if let Some(at) = self.meeting(&wish) {
            self.cache[at..].rotate_left(1);
        }
        if !self.is_wanted(&wish) && !self.is_settled(&wish) {
            self.queue.push_back(wish);
        }
        self.next_order()
    }

    /// Returns the index of the solution that fulfils a wish, as far as memory allows.
    fn meeting(&self, wish: &Wish) -> Option<usize> {
        self.cache.iter().position(|Cached { subject, solved }| {
            *subject == wish.subject
                && (solved.has_players() || !wish.players)
                && !(wish.pressures && solved.lacks_pressures(self.room(wish, |_| true)))
        })
    }

    /// Whether a wish is fulfilled or refused.
    fn is_settled(&self, wish: &Wish) -> bool {
        let room = self.room(wish, Cached::is_in_use);
        let is_refused = |(refused, _, tried): &(Wish, SolveError, u64)| {
            refused.subject == wish.subject && refused.effort >= wish.effort && *tried >= room
        };
        self.meeting(wish).is_some() || self.refused.iter().any(is_refused)
    }

    /// Returns the bytes available for a wish if the other solutions selected by `stays` remain cached.
    fn room(&self, wish: &Wish, stays: fn(&Cached) -> bool) -> u64 {
        let others = self.cache.iter().filter(|it| it.subject != wish.subject && stays(it));
        let others = others.map(|cached| cached.solved.bytes()).sum();
        self.budget.bytes.saturating_sub(others).min(wish.effort.most())
    }

    /// Whether a wish is in progress or queued.
    #[must_use]
    pub fn is_wanted(&self, wish: &Wish) -> bool {
        self.wanted().any(|wanted| wanted == wish)
    }

    fn wanted(&self) -> impl Iterator<Item = &Wish> {
        let work = self.work.iter().filter(|work| work.is_wanted()).map(|work| &work.wish);
        work.chain(&self.queue)
    }

    /// Cancels all work, in progress and queued.
    pub fn give_up(&mut self) {
        self.queue.clear();
        if let Some(work) = &self.work {
            work.cancel.store(true, Relaxed);
        }
    }

    /// Stores the result of an order and returns the next order to run.
    #[must_use = "an order must be run"]
    pub fn take(&mut self, finished: Finished) -> Option<Order> {
        let work = self.work.take_if(|work| Arc::ptr_eq(&work.cancel, &finished.cancel))?;
        match finished.result {
            // Keep the solution even if the order was cancelled just before it finished.
            Ok(solved) => self.keep(work.wish.subject, solved),
            Err(SolveError::Cancelled(_)) => {}
            Err(error) if work.is_wanted() => {
                if self.makes_room(&work.wish, &error) {
                    self.queue.push_front(work.wish);
                } else {
                    let room = self.room(&work.wish, Cached::is_in_use);
                    self.refused.push_back((work.wish, error, room));
                    let too_many = self.refused.len().saturating_sub(MOST_REFUSED);
                    self.refused.drain(..too_many);
                }
            }
            Err(_) => {}
        }
        self.next_order()
    }

    /// Solves a game now, using `run` to execute the orders.
    ///
    /// # Errors
    /// If the game cannot be solved, or `run` cancels the work.
    pub fn obtain(
        &mut self,
        wish: Wish,
        run: impl Fn(Order) -> Finished,
    ) -> Result<Arc<Solved>, SolveError> {
        let (subject, players) = (wish.subject.clone(), wish.players);
        let mut order = self.want(wish);
        while let Some(next) = order {
            order = self.take(run(next));
        }
        match self.knowledge(&subject) {
            Knowledge::Known(solved) if solved.has_players() || !players => Ok(solved),
            Knowledge::Refused(_, error) => Err(error),
            Knowledge::Known(_) | Knowledge::Working(_) | Knowledge::Nothing => {
                Err(skirmish_rules::Cancelled.into())
            }
        }
    }

    fn keep(&mut self, subject: Subject, solved: Arc<Solved>) {
        self.cache.retain(|cached| cached.subject != subject);
        if !self.search.is_empty() {
            self.search.push(subject.clone());
        }
        self.cache.push(Cached { subject, solved });
    }

    fn next_order(&mut self) -> Option<Order> {
        if self.work.is_some() {
            return None;
        }
        let wish = loop {
            // A solution stored in the meantime may already cover the wish's subject.
            let wish = self.queue.pop_front().map(|wish| self.addressed(wish))?;
            if !self.is_settled(&wish) {
                break wish;
            }
        };
        let cancel = Arc::<AtomicBool>::default();
        let (solved, room) = (self.solved(&wish.subject), self.room(&wish, |_| true));
        self.work = Some(Work { wish: wish.clone(), cancel: Arc::clone(&cancel) });
        Some(Order { wish, solved, room, cancel })
    }

    /// Evicts unused solutions, least recently used first, for a game that did not fit, unless it exceeds the whole
    /// budget. Returns whether to try again.
    fn makes_room(&mut self, wish: &Wish, error: &SolveError) -> bool {
        let &SolveError::TooLarge { bytes, free, .. } = error else { return false };
        let mut missing = match wish.subject.root {
            Root::Start(_) if bytes > self.room(wish, Cached::is_in_use) => return false,
            // The system may have less free memory than the budget; then evict all unused solutions.
            Root::Start(_) => bytes.saturating_sub(free),
            // The number of reachable positions is unknown, so retry with all the memory.
            Root::Position(_) => u64::MAX,
        };
        if wish.effort == Effort::Slight || self.cache.iter().all(Cached::is_in_use) {
            return false;
        }
        self.cache.retain(|cached| {
            let is_kept = missing == 0 || cached.is_in_use();
            if !is_kept {
                missing = missing.saturating_sub(cached.solved.bytes());
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
