//! The nodes of a server. Each node writes heartbeats, greets the others over the bus, and looks after games that nobody
//! follows. A server alone is a single node.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use skirmish_room::wire::LobbyGame;
use skirmish_room::{AccountId, BEAT, Beat, Cluster, HostInput, Millis, NodeId, Others};
use tokio::sync::{Mutex, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::bus::{Bus, Heard};
use crate::game::ToRoom;
use crate::hub::{Hub, millis};
use crate::limits::Spending;
use crate::lock::lock;
use crate::log::Entry;
use crate::outbox::CloseReason;
use crate::storage::{Guard, StorageError};

/// How often a node judges its links to the database and the other nodes.
const CHECK: Duration = Duration::from_millis(250);

/// A node greets the others at every second check, to show that its messages arrive.
const CHECKS_PER_GREETING: u32 = 2;

/// How soon a failed heartbeat is repeated.
const RETRY: Duration = Duration::from_millis(250);

/// How often a node reports its lists and the use of its limits to the others.
const LISTS: Duration = Duration::from_secs(2);

/// How often a node looks for due games that nobody follows.
const LOOK: Duration = Duration::from_secs(2);

/// A longer pause between two checks means that this node has hung.
const HUNG: Duration = Duration::from_secs(2);

/// Logged when only this node cannot reach the database.
const CUT_OFF_TEXT: &str =
    "This node alone cannot reach the database: its clients are sent to other nodes.";

/// Logged when the clocks of this node and the database differ by much.
const CLOCK_TEXT: &str = "The clocks of this server and of its database differ: no player's clock is changed. Set both to \
                          the right time, and restart this server.";

/// Logged if there are several nodes but no bus.
const NO_BUS: &str = "Another node uses this database, but this one was started without --nats: moves on other nodes are seen every second, and nobody can claim a game from an opponent who has left.";

/// This node, and its links to the others.
pub(crate) struct Nodes {
    pub(crate) id: NodeId,
    pub(crate) bus: Bus,
    name: String,
    others: std::sync::Mutex<Others>,
    /// Whether only this node cannot reach the database, so that clients are better served elsewhere.
    pub(crate) is_cut_off: watch::Sender<bool>,
    /// The result of the last heartbeat.
    written: std::sync::Mutex<Result<(), StorageError>>,
    /// Held while a heartbeat is written.
    heartbeat: Mutex<Heartbeat>,
}

/// The last attempt to write a heartbeat.
struct Heartbeat {
    began: Instant,
    /// The other living nodes, with their names.
    living: BTreeMap<NodeId, String>,
}

impl Nodes {
    pub(crate) fn new(id: NodeId, name: String, bus: Bus) -> Self {
        let heartbeat = Heartbeat { began: Instant::now(), living: BTreeMap::new() };
        Self {
            id,
            bus,
            name,
            others: std::sync::Mutex::default(),
            is_cut_off: watch::Sender::new(false),
            written: std::sync::Mutex::new(Ok(())),
            heartbeat: Mutex::new(heartbeat),
        }
    }

    /// Returns the other nodes that are alive.
    pub(crate) fn others(&self) -> MutexGuard<'_, Others> {
        lock(&self.others)
    }

    /// Returns the log entry for when a living node is no longer heard, or all living nodes are heard again.
    fn entry(&self, is_partitioned: bool) -> Entry {
        match (is_partitioned, self.bus.is_connected()) {
            (true, None) => Entry::warn("bus_missing", NO_BUS),
            (true, Some(_)) => {
                let text = "A node that is alive is not heard: moves made there arrive up to a second late.";
                Entry::warn("nodes_unheard", text)
            }
            (false, _) => Entry::info("nodes_heard", "All nodes that are alive are heard."),
        }
    }
}

/// A message between nodes, except for announcements about rooms.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeMessage {
    /// Shows that a node's messages arrive. `reached` is how long ago the node last reached the database. When the number of
    /// its connection changes, messages may have been lost.
    Greeting {
        node: NodeId,
        reached: Millis,
        #[serde(default)]
        connection: u64,
    },
    /// The rooms in the lists of one node.
    Lists { node: NodeId, open: Vec<LobbyGame>, live: Vec<LobbyGame> },
    /// Use of the limits on one node.
    Spent { node: NodeId, spending: Spending },
    /// A guest was merged into an account: close the guest's connections, and reload these rooms, whose logs name the account
    /// now.
    Reload { guest: Option<AccountId>, codes: Vec<String> },
}

impl Hub {
    /// Returns this node's view of the database and the other nodes.
    pub(crate) fn cluster(&self) -> Arc<Cluster> {
        Arc::clone(&lock(&self.cluster))
    }

    /// Returns the guard for an append: this node must be alive and know the newest outage.
    pub(crate) fn guard(&self, outage: u64) -> Guard {
        Guard { node: self.nodes.id, outage, now: self.clock.asks() }
    }

    /// Updates this node's view. If the change matters to rooms, tells all of them.
    fn note_cluster(&self, change: impl FnOnce(&mut Cluster)) {
        let mut known = lock(&self.cluster);
        let mut cluster = Cluster::clone(&known);
        change(&mut cluster);
        let is_news = Cluster { reached: known.reached, ..cluster.clone() } != **known;
        *known = Arc::new(cluster);
        drop(known);
        if is_news {
            self.tell_all_rooms(|| ToRoom::Input(HostInput::Tick));
        }
    }

    /// Handles messages from other nodes until the bus is closed.
    pub(crate) async fn hear(self: Arc<Self>) {
        let Some(mut messages) = self.nodes.bus.listen() else { return };
        while let Some(heard) = messages.next().await {
            match heard {
                // Announcements only matter to rooms that are in memory.
                Heard::Announcement(code, payload) if self.is_live(&code) => {
                    let announcement = serde_json::from_slice(&payload);
                    self.tell_live(&code, announcement.map_or(ToRoom::Behind, ToRoom::Announced));
                }
                Heard::Announcement(..) => {}
                Heard::Message(payload) => {
                    if let Ok(message) = serde_json::from_slice(&payload) {
                        self.note_message(message);
                    }
                }
            }
        }
    }

    fn note_message(&self, message: NodeMessage) {
        let now = self.now();
        match message {
            NodeMessage::Greeting { node, reached, connection } => {
                let has_reconnected = self.nodes.others().hear(node, reached, connection, now);
                if has_reconnected || self.cluster().is_alone {
                    self.note_cluster(|cluster| {
                        self.note_others(cluster);
                        cluster.gaps += u64::from(has_reconnected);
                    });
                }
            }
            NodeMessage::Spent { node, spending } => {
                self.ledger.note_elsewhere(node, spending, now);
            }
            NodeMessage::Lists { node, open, live } => {
                self.board.note_elsewhere(node, open, live, now);
            }
            NodeMessage::Reload { guest, codes } => {
                if let Some(guest) = guest {
                    self.people.close(guest, None, &CloseReason::signed_in());
                }
                for code in codes {
                    self.tell_live(&code, ToRoom::Input(HostInput::Reload));
                }
            }
        }
    }

    /// Runs this node's periodic tasks until the server stops.
    pub(crate) async fn keep_nodes(self: Arc<Self>) {
        // The tasks are independent, so that slow ones do not delay the heartbeat.
        tokio::join!(
            self.keep_alive(),
            self.greet_others(),
            self.tell_others(),
            self.look_after_games()
        );
    }

    /// Writes heartbeats until the server stops.
    async fn keep_alive(&self) {
        let mut beats = Times::every(Duration::from_millis(BEAT), self);
        while beats.next().await {
            match self.beat().await {
                // `Stale` and `Closed` mean that the server is stopping.
                Ok(()) | Err(StorageError::Stale | StorageError::Closed) => {}
                Err(_) => beats.interval.reset_after(RETRY),
            }
        }
    }

    /// Writes a heartbeat, unless another caller has tried since this call began: after an outage, all rooms request one.
    pub(crate) async fn beat(&self) -> Result<(), StorageError> {
        let called = Instant::now();
        let mut heartbeat = self.nodes.heartbeat.lock().await;
        if heartbeat.began < called {
            heartbeat.began = Instant::now();
            let written = self.write_heartbeat(&mut heartbeat.living).await;
            *lock(&self.nodes.written) = written;
        }
        lock(&self.nodes.written).clone()
    }

    /// Writes a heartbeat, and updates the view from the database's answer about outages and other nodes.
    async fn write_heartbeat(
        &self,
        known: &mut BTreeMap<NodeId, String>,
    ) -> Result<(), StorageError> {
        // The process may be suspended before it handles the answer, so the time of sending counts.
        let (asked, sent) = (self.clock.asks(), self.now());
        let beat = self.storage.beat(self.nodes.id, &self.nodes.name, asked).await?;
        if let Some(behind) = self.clock.follow(asked, beat.now) {
            let entry = Entry::warn("clock_differs", CLOCK_TEXT);
            self.log.write(&entry.with("milliseconds", behind.unsigned_abs()));
        }
        let others: Vec<NodeId> = beat.others(self.nodes.id).map(|node| node.id).collect();
        self.nodes.others().expect(&others, self.now());
        let before = self.cluster();
        let earlier = if before.outage.id == beat.outage.id {
            before.earlier.clone()
        } else {
            self.storage.outages_before(beat.outage.id).await?
        };
        let was_unavailable = !before.is_available;
        self.note_cluster(|cluster| {
            cluster.note_beat(sent, &beat, earlier);
            self.note_others(cluster);
        });
        if was_unavailable {
            self.nodes.is_cut_off.send_replace(false);
            self.log.write(&Entry::info("database_back", "The database is back."));
        }
        self.log_nodes(known, &beat);
        Ok(())
    }

    /// Records whether there are other nodes, and whether they are heard.
    fn note_others(&self, cluster: &mut Cluster) {
        let is_connected = self.nodes.bus.is_connected();
        cluster.note_others(self.now(), &self.nodes.others(), is_connected);
    }

    /// Greets the other nodes, and monitors their silence and the database's.
    async fn greet_others(&self) {
        let mut times = Times::every(CHECK, self);
        let (mut was_partitioned, mut last) = (false, Instant::now());
        let (mut checks, mut connection) = (0_u32, self.nodes.bus.connections());
        while times.next().await {
            let pause = last.elapsed();
            if pause > 2 * CHECK {
                self.nodes.others().note_pause(millis(pause.saturating_sub(CHECK)));
            }
            if pause > HUNG {
                let text = "This node did not run for a while: its players may be on other nodes.";
                let entry = Entry::warn("node_hung", text);
                self.log.write(&entry.with("milliseconds", millis(pause)));
                // This node's view is outdated, but that does not mean that the database was unavailable.
                let _ = self.beat().await;
            }
            last = Instant::now();
            let before = self.cluster();
            let silence = self.now().saturating_sub(before.reached);
            let known = std::mem::replace(&mut connection, self.nodes.bus.connections());
            if !before.is_alone && checks.is_multiple_of(CHECKS_PER_GREETING) {
                let (node, reached) = (self.nodes.id, silence);
                self.nodes.bus.tell_all(&NodeMessage::Greeting { node, reached, connection });
            }
            checks = checks.wrapping_add(1);
            self.note_cluster(|cluster| {
                cluster.note_time(self.now());
                self.note_others(cluster);
                cluster.gaps += u64::from(connection != known);
            });
            let is_available = self.cluster().is_available;
            if before.is_available && !is_available {
                let written = lock(&self.nodes.written).clone();
                self.log.write(&Entry::unavailable(written.err().as_ref()));
            }
            self.metrics.database_unavailable.set((!is_available).into());
            let is_partitioned = self.cluster().is_partitioned;
            if std::mem::replace(&mut was_partitioned, is_partitioned) != is_partitioned {
                self.log.write(&self.nodes.entry(is_partitioned));
            }
            self.send_away(silence);
            self.log_resumed();
        }
    }

    /// Sends all clients to other nodes if this node alone cannot reach the database, as far as it can tell.
    fn send_away(&self, silence: Millis) {
        let is_cut_off = self.nodes.others().are_better_off(silence, self.now());
        let is_news = self.nodes.is_cut_off.send_if_modified(|was_cut_off| {
            std::mem::replace(was_cut_off, is_cut_off) != is_cut_off
        });
        if is_news && is_cut_off {
            self.log.write(&Entry::warn("database_cut_off", CUT_OFF_TEXT));
        }
    }

    /// Reports this node's lists and use of limits to the other nodes.
    async fn tell_others(&self) {
        let mut times = Times::every(LISTS, self);
        while times.next().await {
            if self.cluster().is_alone {
                continue;
            }
            let node = self.nodes.id;
            let (open, live) = self.board.own_lists();
            self.nodes.bus.tell_all(&NodeMessage::Lists { node, open, live });
            let spending = self.ledger.spending();
            self.nodes.bus.tell_all(&NodeMessage::Spent { node, spending });
        }
    }

    /// Wakes due games that nobody follows. If a node may have died with games in memory, wakes all unfinished ones.
    async fn look_after_games(self: &Arc<Self>) {
        let mut times = Times::every(LOOK, self);
        // A server that starts alone follows a stop or a crash; servers that start together follow an outage.
        let mut after = self.cluster().is_alone.then_some(0);
        let (mut known, mut outage) = (self.nodes.others().ids(), 0);
        while times.next().await {
            let cluster = self.cluster();
            if !cluster.is_available || self.is_pausing() {
                continue;
            }
            let living = self.nodes.others().ids();
            let is_news = !known.is_subset(&living) || outage != cluster.outage.id;
            if is_news && self.nodes.others().is_first(self.nodes.id) {
                after = Some(0);
            }
            (known, outage) = (living, cluster.outage.id);
            if let Err(error) = self.wake_due(&mut after).await
                && !error.is_unavailable()
            {
                self.log.storage_failed(&error);
            }
        }
    }

    /// Wakes due games, and the unfinished ones whose number is greater than `after`.
    async fn wake_due(self: &Arc<Self>, after: &mut Option<i64>) -> Result<(), StorageError> {
        while let Some(last) = *after {
            let rooms = self.storage.unfinished_after(last).await?;
            *after = rooms.last().map(|(room, _)| *room);
            let mut woken = Vec::with_capacity(rooms.len());
            for (_, code) in rooms {
                if self.is_pausing() {
                    return Ok(());
                }
                woken.push(self.wake(&code).await);
            }
            for woken in woken {
                // The sender is dropped if the room cannot be read. Such a room has no clock.
                let _ = woken.await;
            }
        }
        for code in self.storage.due(self.now()).await? {
            self.wake(&code).await;
        }
        Ok(())
    }

    /// Logs nodes that have disappeared.
    fn log_nodes(&self, known: &mut BTreeMap<NodeId, String>, beat: &Beat) {
        let living = beat.others(self.nodes.id);
        let living: BTreeMap<_, _> = living.map(|node| (node.id, node.name.clone())).collect();
        for (id, name) in std::mem::replace(known, living) {
            if !known.contains_key(&id) {
                let text = "Another node has stopped or does not answer: its players continue on other nodes.";
                let entry = Entry::info("node_gone", text).with("node", id.to_string());
                self.log.write(&entry.with("address", name));
            }
        }
    }

    /// Whether this node alone cannot reach the database, as far as it can tell.
    pub(crate) fn is_cut_off(&self) -> bool {
        *self.nodes.is_cut_off.borrow()
    }
}

/// A periodic timer that ends when the server stops.
struct Times {
    interval: Interval,
    stopping: watch::Receiver<bool>,
}

impl Times {
    /// Creates a timer whose first tick is immediate.
    fn every(period: Duration, hub: &Hub) -> Self {
        let mut interval = interval(period);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { interval, stopping: hub.stopping.subscribe() }
    }

    /// Waits for the next tick. Returns false if the server stops.
    async fn next(&mut self) -> bool {
        tokio::select! {
            biased;
            _ = self.stopping.wait_for(|&stops| stops) => false,
            _ = self.interval.tick() => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::hub::trial;
    use crate::log::{Level, Log, LogFormat};
    use crate::storage::Storage;

    #[tokio::test]
    async fn a_database_that_cannot_be_written_to_is_logged_as_unavailable_with_the_reason() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        let (sender, mut lines) = mpsc::unbounded_channel();
        let log = Log::new(Level::Info, move |entry| {
            let _ = sender.send(entry.line(LogFormat::Text, std::time::UNIX_EPOCH));
        });
        let hub = trial::hub(storage.clone(), log).await;
        storage.forbid_writing().await;
        // A heartbeat fails before the silence is noticed.
        hub.beat().await.expect_err("it cannot be written");
        hub.clock.skip(Duration::from_millis(skirmish_room::GAP + 1));
        let keeping = tokio::spawn(hub.keep_nodes());
        let line = lines.recv().await.expect("a line");
        assert!(line.contains(" warn  database_unavailable "), "{line}");
        assert!(line.ends_with("error=\"the database is read-only\""), "{line}");
        keeping.abort();
    }
}
