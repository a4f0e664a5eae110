//! Games that others have taken, and games that nobody serves.

use std::collections::HashMap;
use std::sync::Arc;

use skirmish_room::NodeId;
use tokio::sync::oneshot;

use crate::game::ToRoom;
use crate::hub::Hub;
use crate::storage::{ORPHANS, OWNED};

/// How many games that nobody serves a node wakes at a time.
const MOST_WOKEN: usize = 200;

/// After how many walks at most a game that cannot be read is tried again: some ten minutes, unless there are many.
const LONGEST_PAUSE: u64 = 256;

impl Hub {
    /// Goes on without the games that others have taken.
    pub(super) async fn let_go(&self, node: NodeId) {
        let told = async {
            loop {
                let lost = self.storage.lost(node).await?;
                if lost.is_empty() {
                    return Ok(());
                }
                for code in lost.iter().filter_map(|(_, code)| code.as_ref()) {
                    self.tell_live(code, ToRoom::Lost);
                }
                // Afterwards: if this fails, they are told again.
                self.storage.note_told(node, lost).await?;
            }
        };
        if let Err(error) = told.await {
            self.note_failure(&error);
        }
    }

    /// Takes games that nobody owns, so that their clocks run on. Not just after an outage: the first node that is back would
    /// take the games of all others. A game that somebody asks for is taken at once.
    pub(super) async fn adopt(self: &Arc<Self>, orphans: &mut Unserved) {
        if !self.is_settled() {
            return;
        }
        match self.storage.orphans(orphans.after).await {
            Ok(listed) => {
                let listed = listed.into_iter().map(|(room, code)| (room, code, None));
                self.wake_unserved(orphans, listed.collect(), ORPHANS, |_| true);
            }
            Err(error) => self.note_failure(&error),
        }
    }

    /// Goes on with games that this node owns but does not serve, because it could not read them when it got the lease.
    pub(super) async fn take_up(self: &Arc<Self>, node: NodeId, own: &mut Unserved) {
        match self.storage.owned(node, own.after).await {
            Ok(listed) => {
                let listed =
                    listed.into_iter().map(|(room, code, epoch)| (room, code, Some(epoch)));
                self.wake_unserved(own, listed.collect(), OWNED, |code| {
                    !self.is_looked_after(code)
                });
            }
            Err(error) => self.note_failure(&error),
        }
    }

    /// Wakes some of the games of a list that has at most so many at a time.
    fn wake_unserved(
        self: &Arc<Self>,
        unserved: &mut Unserved,
        listed: Vec<(i64, String, Option<i64>)>,
        most_listed: u32,
        is_unserved: impl Fn(&str) -> bool,
    ) {
        let is_last = listed.len() < most_listed as usize;
        let (mut woken, mut last) = (0, None);
        for (room, code, epoch) in listed {
            if self.is_pausing() {
                return;
            }
            if woken == MOST_WOKEN {
                return unserved.go_on(last);
            }
            if is_unserved(&code) && unserved.needs_a_try(&code, epoch) {
                unserved.tried(&code, self.nudge(&code));
                woken += 1;
            }
            last = Some(room);
        }
        unserved.go_on(last.filter(|_| !is_last));
    }
}

/// Games that nobody serves, which a node looks through again and again, some at a time: those without an owner, or its own
/// that it neither has in memory nor wakes at a deadline. One that cannot be read is tried less and less often: its log may
/// be damaged, or the database may have failed. One of its own that could be read has no clock, and is left alone.
#[derive(Default)]
pub(super) struct Unserved {
    /// The last room that was looked at.
    after: i64,
    /// Counts the times when all were looked at.
    walk: u64,
    rooms: HashMap<String, Tries>,
}

/// When a room is tried, since somebody else asked for it.
struct Tries {
    /// The epoch of one's own room when it was last looked at. Every attempt to read it that gets as far as the lease begins
    /// another one.
    epoch: Option<i64>,
    /// The walk in which it was last looked at.
    walk: u64,
    /// How many walks there are between the last try and the next one.
    pause: u64,
    /// The walk of the next try; none if it has been read.
    again: Option<u64>,
    /// Hears whether the last try succeeded.
    woken: Option<oneshot::Receiver<()>>,
}

impl Unserved {
    /// Whether to try to read a room that is not served. If so, [`Unserved::tried`] follows.
    fn needs_a_try(&mut self, code: &str, epoch: Option<i64>) -> bool {
        let walk = self.walk;
        let new = || Tries { epoch, walk, pause: 0, again: Some(walk), woken: None };
        let room = self.rooms.entry(code.to_owned()).or_insert_with(new);
        let woken = room.woken.take();
        let expected = room.epoch.map(|epoch| epoch + i64::from(woken.is_some()));
        let is_read = woken.is_some_and(|mut woken| woken.try_recv().is_ok());
        // A room that was adopted, and has no owner any more, is a new one too.
        if epoch > expected || (is_read && epoch.is_none()) {
            *room = new();
        } else if is_read {
            room.again = None;
        }
        (room.epoch, room.walk) = (epoch, walk);
        let needs = room.again.is_some_and(|again| again <= walk);
        if needs {
            room.pause = (2 * room.pause).clamp(1, LONGEST_PAUSE);
            room.again = Some(walk + room.pause);
        }
        needs
    }

    /// Notes that a room is being woken.
    fn tried(&mut self, code: &str, woken: oneshot::Receiver<()>) {
        if let Some(room) = self.rooms.get_mut(code) {
            room.woken = Some(woken);
        }
    }

    /// Goes on after this room, or from the start.
    fn go_on(&mut self, after: Option<i64>) {
        self.after = after.unwrap_or(0);
        if after.is_none() {
            let walk = self.walk;
            self.rooms.retain(|_, room| room.walk == walk);
            self.walk += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use skirmish_room::LEASE;

    use super::*;
    use crate::bus::Bus;
    use crate::hub::trial;
    use crate::lock::lock;
    use crate::log::{Entry, Level, Log};
    use crate::nodes::Nodes;
    use crate::storage::Storage;

    /// Looks at a room, and tries it if need be, with this success. Returns whether it was tried.
    fn look(unserved: &mut Unserved, epoch: Option<i64>, succeeds: bool) -> bool {
        let needs = unserved.needs_a_try("ABCDEF", epoch);
        if needs {
            let (reply, woken) = oneshot::channel();
            if succeeds {
                reply.send(()).expect("somebody listens");
            }
            unserved.tried("ABCDEF", woken);
        }
        unserved.go_on(None);
        needs
    }

    #[test]
    fn a_game_that_cannot_be_read_is_tried_less_and_less_often() {
        let mut unserved = Unserved::default();
        // The database may be away before the lease is granted, or after that.
        let tries: Vec<u64> = (0..2000)
            .filter(|walk| look(&mut unserved, Some(1 + i64::from(*walk > 0)), false))
            .collect();
        assert_eq!(tries, [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 767, 1023, 1279, 1535, 1791]);
    }

    #[test]
    fn a_game_that_has_lost_its_owner_again_is_tried_at_once() {
        let mut unserved = Unserved::default();
        for _ in 0..4 {
            assert!(look(&mut unserved, None, true));
        }
        assert!(look(&mut unserved, None, false));
        assert!(look(&mut unserved, None, false));
        assert!(!look(&mut unserved, None, false));
    }

    #[test]
    fn a_game_without_a_clock_is_left_alone_once_it_has_been_read() {
        let mut unserved = Unserved::default();
        assert!(look(&mut unserved, Some(1), true));
        assert!(!look(&mut unserved, Some(2), true));
        assert!(!look(&mut unserved, Some(2), true));
    }

    #[test]
    fn a_game_that_somebody_else_has_asked_for_is_tried_again() {
        let mut unserved = Unserved::default();
        assert!(look(&mut unserved, Some(1), true));
        assert!(!look(&mut unserved, Some(2), true));
        assert!(look(&mut unserved, Some(3), false));
        assert!(look(&mut unserved, Some(5), false));
    }

    #[test]
    fn games_that_others_own_by_now_are_forgotten() {
        let mut unserved = Unserved::default();
        assert!(look(&mut unserved, Some(1), true));
        unserved.go_on(Some(7));
        assert_eq!((unserved.after, unserved.rooms.len()), (7, 1));
        unserved.go_on(None);
        assert_eq!((unserved.after, unserved.rooms.len()), (0, 0));
    }

    /// A node whose database has a game without an owner, and what it logs.
    async fn node_with_an_orphan(folder: &Path) -> (Arc<Hub>, Arc<Mutex<Vec<Entry>>>) {
        let storage = Storage::open(folder).expect("the database opens");
        let id = storage.join("one").await.expect("a node");
        storage.append(trial::left_over("ABC234")).await.expect("a room");
        let entries = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&entries);
        let log = Log::new(Level::Info, move |entry| lock(&sink).push(entry.clone()));
        let nodes = Nodes::new(id, "one".to_owned(), Bus::none());
        (trial::hub(storage, log, Some(nodes)), entries)
    }

    #[tokio::test]
    async fn no_game_is_adopted_just_after_an_outage() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (hub, _) = node_with_an_orphan(folder.path()).await;
        let mut orphans = Unserved::default();
        // Later than now, however slow this is.
        hub.reach.note_outage(1, 2, hub.now() + 3_600_000);
        hub.adopt(&mut orphans).await;
        assert_eq!(hub.live_rooms(), 0);
        hub.reach.note_outage(1, 2, hub.now() - LEASE - 1);
        hub.adopt(&mut orphans).await;
        assert_eq!(hub.live_rooms(), 1);
    }

    #[tokio::test]
    async fn a_damaged_game_is_logged_once_and_tried_less_and_less_often() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (hub, entries) = node_with_an_orphan(folder.path()).await;
        let database = rusqlite::Connection::open(folder.path().join("skirmish.db"));
        let damage = "UPDATE event SET body = 'x'";
        database.expect("a database").execute_batch(damage).expect("valid SQL");
        let mut orphans = Unserved::default();
        for _ in 0..32 {
            hub.adopt(&mut orphans).await;
            while hub.live_rooms() > 0 {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(hub.storage.meter().acquired.get(), 6, "in walks 0, 1, 3, 7, 15 and 31");
        let entries = lock(&entries).clone();
        assert_eq!(entries.len(), 1, "{entries:?}");
    }
}
