//! Jobs waiting for the solving thread: moves in running games come first, and clients take turns.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Condvar, Mutex, PoisonError};

use skirmish_play::library::Subject;

use super::Work;
use crate::lock::lock;

/// The network on whose behalf a job runs. Networks of players on other nodes are unknown, and all count as one client.
pub(super) type Customer = Option<IpAddr>;

/// Maximum numbers of waiting moves: per client, and in total.
const MOST_MOVES: (usize, usize) = (256, 1024);

/// Maximum numbers of waiting board checks and questions from the page: per client, and in total.
const MOST_VISITS: (usize, usize) = (16, 256);

/// Jobs of clients that take turns, so that a client with many jobs delays only itself.
struct RoundRobin<T> {
    jobs: HashMap<Customer, VecDeque<T>>,
    /// The clients that have jobs, next one first.
    clients: VecDeque<Customer>,
    len: usize,
    /// Maximum numbers of waiting jobs: per client, and in total. A full queue still accepts the first job of a client.
    most: (usize, usize),
}

impl<T> RoundRobin<T> {
    fn new(most: (usize, usize)) -> Self {
        Self { jobs: HashMap::new(), clients: VecDeque::new(), len: 0, most }
    }

    /// Adds a job, or drops the job if too many are waiting.
    fn push(&mut self, client: Customer, job: T) {
        let (most_each, most) = self.most;
        let own = self.jobs.entry(client).or_default();
        if own.is_empty() {
            self.clients.push_back(client);
        } else if own.len() >= most_each || self.len >= most {
            return;
        }
        own.push_back(job);
        self.len += 1;
    }

    /// Removes the next job of the client whose turn it is.
    fn pop(&mut self) -> Option<(Customer, T)> {
        let client = self.clients.pop_front()?;
        let own = self.jobs.get_mut(&client)?;
        let job = own.pop_front()?;
        self.len -= 1;
        if own.is_empty() {
            self.jobs.remove(&client);
        } else {
            self.clients.push_back(client);
        }
        Some((client, job))
    }
}

/// The jobs waiting for the solving thread.
pub(super) struct WorkQueue {
    waiting: Mutex<WaitingWork>,
    changed: Condvar,
}

struct WaitingWork {
    /// Moves in running games, each with its board.
    moves: RoundRobin<(Subject, Work)>,
    /// Moves on boards that must be solved first.
    unsolved: RoundRobin<Work>,
    /// Board checks for new games, and questions from the page.
    visits: RoundRobin<Work>,
    is_closed: bool,
}

impl WorkQueue {
    pub(super) fn new() -> Self {
        let waiting = WaitingWork {
            moves: RoundRobin::new(MOST_MOVES),
            unsolved: RoundRobin::new(MOST_MOVES),
            visits: RoundRobin::new(MOST_VISITS),
            is_closed: false,
        };
        Self { waiting: Mutex::new(waiting), changed: Condvar::new() }
    }

    /// Adds a move in a running game on this board.
    pub(super) fn push_move(&self, client: Customer, subject: Subject, job: Work) {
        lock(&self.waiting).moves.push(client, (subject, job));
        self.changed.notify_one();
    }

    /// Adds a board check or a question from the page.
    pub(super) fn push_visit(&self, client: Customer, job: Work) {
        lock(&self.waiting).visits.push(client, job);
        self.changed.notify_one();
    }

    /// Lets the thread end once no jobs are left.
    pub(super) fn close(&self) {
        lock(&self.waiting).is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for the next job: a move on a solved board first, then any other move, then a visit. `None` once the queue is
    /// closed.
    pub(super) fn next(&self, is_solved: impl Fn(&Subject) -> bool) -> Option<Work> {
        let mut waiting = lock(&self.waiting);
        loop {
            while let Some((client, (subject, job))) = waiting.moves.pop() {
                if is_solved(&subject) {
                    return Some(job);
                }
                waiting.unsolved.push(client, job);
            }
            let WaitingWork { unsolved, visits, is_closed, .. } = &mut *waiting;
            if let Some((_, job)) = unsolved.pop().or_else(|| visits.pop()) {
                return Some(job);
            }
            if *is_closed {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::{Arc, Mutex};

    use skirmish_play::Budget;
    use skirmish_play::library::Library;
    use skirmish_rules::{GAMES, Settings, Side};

    use super::*;
    use crate::computer::Shelf;

    fn address(number: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, number).into()
    }

    #[test]
    fn moves_come_before_board_checks_and_addresses_take_turns() {
        let done = Arc::new(Mutex::new(Vec::new()));
        let job = |name: String| -> Work {
            let done = Arc::clone(&done);
            Box::new(move |_| lock(&done).push(name))
        };
        let subject = |game: &str| {
            let entry = GAMES.find(game).expect("the game exists");
            Subject::start(entry, Settings::defaults(entry.options), Side::One)
        };
        let (solved, unsolved) = (subject("base-battle"), subject("command-clash"));
        let queue = WorkQueue::new();
        // One client asks for many boards before the others arrive.
        for number in 1..=3 {
            queue.push_visit(Some(address(1)), job(format!("check {number} of client 1")));
        }
        queue.push_visit(Some(address(2)), job("check of client 2".to_owned()));
        for number in 1..=2 {
            let job = job(format!("unsolved move {number} of client 1"));
            queue.push_move(Some(address(1)), unsolved.clone(), job);
        }
        queue.push_move(
            Some(address(3)),
            unsolved.clone(),
            job("unsolved move of client 3".to_owned()),
        );
        queue.push_move(
            Some(address(4)),
            solved.clone(),
            job("solved move of client 4".to_owned()),
        );
        queue.close();
        let budget = Budget { bytes: 0 };
        let mut shelf = Shelf { library: Library::new(budget), most: budget };
        while let Some(job) = queue.next(|subject| *subject == solved) {
            job(&mut shelf);
        }
        let expected = [
            "solved move of client 4",
            "unsolved move 1 of client 1",
            "unsolved move of client 3",
            "unsolved move 2 of client 1",
            "check 1 of client 1",
            "check of client 2",
            "check 2 of client 1",
            "check 3 of client 1",
        ];
        assert_eq!(*lock(&done), expected);
    }

    #[test]
    fn a_full_queue_has_room_for_the_first_job_of_a_client() {
        let mut turns = RoundRobin::new((3, 4));
        for number in [1, 1, 1, 1, 2, 2, 3] {
            turns.push(Some(address(number)), ());
        }
        let popped: Vec<Customer> =
            std::iter::from_fn(|| turns.pop()).map(|(who, ())| who).collect();
        assert_eq!(popped, [1, 2, 3, 1, 1].map(|number| Some(address(number))));
        assert_eq!(turns.len, 0);
    }
}
