//! State shared by all connections: the rooms, the storage, the lists and the limits.

mod clock;
mod creation;
#[cfg(test)]
pub(crate) mod trial;

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use futures_util::future::join_all;
use skirmish_present::json::DemoObject;
use skirmish_room::wire::LobbyGame;
use skirmish_room::{AccountId, Cluster, ConnectionId, HostInput, Millis, Origin, Room};
use skirmish_rules::Catalog;
use tokio::sync::{OnceCell, mpsc, oneshot, watch};

pub(crate) use clock::{Clock, millis};
pub(crate) use creation::Creation;

use crate::computer::Computers;
use crate::game::{self, Mailbox, MailboxSender, ToRoom};
use crate::health::Probe;
use crate::limits::Ledger;
use crate::lobby::Board;
use crate::lock::lock;
use crate::log::{Entry, Log};
use crate::metrics::Metrics;
use crate::nodes::{NodeMessage, Nodes};
use crate::outbox::CloseReason;
use crate::people::People;
use crate::storage::{Storage, StorageError};
use crate::tasks::spawn;

/// Returns the reply to a request that failed because of a storage error.
pub(crate) const fn apology(error: &StorageError) -> &'static str {
    if error.is_unavailable() {
        UNAVAILABLE
    } else {
        "The server cannot read this game. Try again later."
    }
}

/// Logged if the newest event is later than the system's date.
const SET_BACK: &str = "The system's date is earlier than the newest event in the database: this server goes on from that \
                        event's time, so that no game has to wait. If the date is wrong, correct it.";

/// Reply to a request for a game while the database cannot be reached.
const UNAVAILABLE: &str = "The server cannot reach its database: no move is accepted at the moment. Nothing is lost, and \
                               the game goes on by itself.";

/// A handle to a live room.
#[derive(Clone)]
pub(crate) struct RoomHandle {
    mailbox: MailboxSender,
    pub(crate) version: Arc<AtomicU64>,
    /// Number of turns played in the current game.
    pub(crate) turns: Arc<AtomicUsize>,
    /// The network of the first player to connect since the room was loaded. Boards are solved on behalf of this network.
    network: Arc<OnceLock<IpAddr>>,
}

impl RoomHandle {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.version, &other.version)
    }

    /// Whether the room has been loaded or created.
    fn is_live(&self) -> bool {
        self.version.load(Relaxed) > 0
    }

    /// Returns the network on whose behalf boards are solved, if a player has connected to this node.
    pub(crate) fn network(&self) -> Option<IpAddr> {
        self.network.get().copied()
    }

    /// Records the network of a player, unless one is known.
    pub(crate) fn note_network(&self, network: IpAddr) {
        let _ = self.network.set(network);
    }
}

/// State shared by all connections.
pub(crate) struct Hub {
    /// The games available on this server.
    pub(crate) games: Catalog,
    pub(crate) storage: Storage,
    pub(crate) computers: Computers,
    /// Games that play themselves, once played.
    pub(crate) demos: OnceCell<Vec<DemoObject>>,
    pub(crate) board: Board,
    pub(crate) ledger: Ledger,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) people: People,
    pub(crate) clock: Clock,
    pub(crate) log: Log,
    pub(crate) url: String,
    /// Becomes true when the server stops.
    pub(crate) stopping: watch::Sender<bool>,
    /// This node, and its links to the others.
    pub(crate) nodes: Nodes,
    /// This node's view of the database and the other nodes.
    pub(crate) cluster: Mutex<Arc<Cluster>>,
    pub(crate) probe: Probe,
    /// Whether games are being paused, during which no room may resume.
    pausing: AtomicBool,
    /// The number of games resumed here since this was last logged.
    pub(crate) resumed: AtomicU64,
    rooms: Mutex<HashMap<String, RoomHandle>>,
    creations: Mutex<VecDeque<(Origin, String)>>,
    connections: AtomicU64,
}

impl Hub {
    pub(crate) fn new(
        games: Catalog,
        storage: Storage,
        computers: Computers,
        ledger: Ledger,
        log: Log,
        url: String,
        (nodes, clock): (Nodes, Clock),
    ) -> Self {
        let now = clock.now();
        if let Some(ahead) = clock.ahead() {
            log.write(&Entry::warn("clock_differs", SET_BACK).with("milliseconds", ahead));
        }
        Self {
            cluster: Mutex::new(Arc::new(Cluster { node: nodes.id, ..Cluster::alone(now) })),
            nodes,
            probe: Probe::default(),
            games,
            storage,
            computers,
            demos: OnceCell::new(),
            board: Board::default(),
            ledger,
            metrics: Arc::default(),
            people: People::default(),
            clock,
            log,
            url,
            stopping: watch::Sender::new(false),
            pausing: AtomicBool::new(false),
            resumed: AtomicU64::new(0),
            rooms: Mutex::default(),
            creations: Mutex::default(),
            connections: AtomicU64::new(1),
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Returns a unique number for a new connection.
    pub(crate) fn next_connection(&self) -> ConnectionId {
        self.connections.fetch_add(1, Relaxed)
    }

    /// Sends a message to a room, if the room is in memory and its mailbox is not full.
    pub(crate) fn tell_live(&self, code: &str, message: ToRoom) {
        let handle = lock(&self.rooms).get(code).cloned();
        if let Some(handle) = handle {
            let _ = handle.mailbox.try_send(Box::new(message));
        }
    }

    /// Sends a message to all rooms in memory.
    pub(crate) fn tell_all_rooms(&self, message: impl Fn() -> ToRoom) {
        let rooms: Vec<RoomHandle> = lock(&self.rooms).values().cloned().collect();
        for room in rooms {
            let _ = room.mailbox.try_send(Box::new(message()));
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Whether games are being paused because the server stops.
    pub(crate) fn is_pausing(&self) -> bool {
        self.pausing.load(Relaxed)
    }

    /// The number of rooms in memory.
    pub(crate) fn live_rooms(&self) -> usize {
        lock(&self.rooms).values().filter(|handle| handle.is_live()).count()
    }

    /// Whether a room is in memory.
    pub(crate) fn is_live(&self, code: &str) -> bool {
        lock(&self.rooms).get(code).is_some_and(RoomHandle::is_live)
    }

    /// Returns the room with this code. The room's task loads the room if necessary, and refuses requests if there is no such
    /// room.
    pub(crate) fn room(self: &Arc<Self>, code: &str) -> RoomHandle {
        let mut rooms = lock(&self.rooms);
        if let Some(handle) = rooms.get(code) {
            return handle.clone();
        }
        let (handle, mailbox) = new_handle();
        rooms.insert(code.to_owned(), handle.clone());
        drop(rooms);
        spawn(game::load(Arc::clone(self), code.to_owned(), handle.clone(), mailbox));
        handle
    }

    /// Sends a message to a room. Waits while its mailbox is full.
    pub(crate) async fn send(self: &Arc<Self>, code: &str, message: ToRoom) -> RoomHandle {
        let mut message = Box::new(message);
        loop {
            let handle = self.room(code);
            match handle.mailbox.send(message).await {
                Ok(()) => return handle,
                // The room has just left memory: load it again.
                Err(mpsc::error::SendError(returned)) => {
                    message = returned;
                    self.forget(code, &handle);
                }
            }
        }
    }

    /// Removes the handle of a room whose task is ending.
    pub(crate) fn forget(&self, code: &str, handle: &RoomHandle) {
        let mut rooms = lock(&self.rooms);
        if rooms.get(code).is_some_and(|other| other.is_same(handle)) {
            rooms.remove(code);
        }
    }

    /// Removes a room's handle if no messages are waiting. Returns whether the room's task can end.
    pub(crate) fn retire(&self, code: &str, handle: &RoomHandle, mailbox: &Mailbox) -> bool {
        let mut rooms = lock(&self.rooms);
        if !mailbox.is_empty() {
            return false;
        }
        if rooms.get(code).is_some_and(|other| other.is_same(handle)) {
            rooms.remove(code);
        }
        true
    }

    /// Returns an account's unfinished rooms as lines of the lobby.
    pub(crate) async fn rooms_of(
        self: &Arc<Self>,
        account: AccountId,
    ) -> Result<Vec<LobbyGame>, StorageError> {
        let mut games = Vec::new();
        for code in self.storage.rooms_of(account).await? {
            if self.is_live(&code) {
                games.extend(self.describe(&code, account).await);
                continue;
            }
            let log = self.storage.log(&code).await?;
            games.extend(Room::fold(self.games, &log).ok().map(|room| room.lobby_game(account)));
        }
        Ok(games)
    }

    /// Returns a room as a line of the lobby, if the room exists.
    pub(crate) async fn describe(
        self: &Arc<Self>,
        code: &str,
        account: AccountId,
    ) -> Option<LobbyGame> {
        let (reply, answer) = oneshot::channel();
        self.send(code, ToRoom::Describe { account, reply }).await;
        answer.await.ok()
    }

    /// Returns a room as a line of the lobby, if the room is in memory.
    pub(crate) async fn describe_live(self: &Arc<Self>, code: &str) -> Option<LobbyGame> {
        if self.is_live(code) { self.describe(code, 0).await } else { None }
    }

    /// Handles the possible merge of a guest into an account: closes the guest's connections so that they return as the
    /// account's, and reloads the guest's rooms that are in memory. Returns the guest, if merged, and all the rooms.
    pub(crate) async fn merge(
        self: &Arc<Self>,
        guest: AccountId,
    ) -> Result<(Option<AccountId>, Vec<String>), StorageError> {
        let now = self.storage.account(guest).await?;
        let codes = self.storage.rooms_of(guest).await?;
        let merged = now.is_some_and(|now| now.id != guest).then_some(guest);
        // Close connections first, so that the rooms do not tell them that they are only watching.
        if let Some(guest) = merged {
            self.people.close(guest, None, &CloseReason::signed_in());
        }
        for code in &codes {
            // Reload even a room that is still loading: it may have read the guest's name.
            let is_in_memory = lock(&self.rooms).contains_key(code);
            if is_in_memory {
                self.send(code, ToRoom::Input(HostInput::Reload)).await;
            }
        }
        Ok((merged, codes))
    }

    /// Does the same as [`Hub::merge`] on all nodes.
    pub(crate) async fn merge_everywhere(
        self: &Arc<Self>,
        guest: AccountId,
    ) -> Result<(), StorageError> {
        let (guest, codes) = self.merge(guest).await?;
        self.nodes.bus.tell_all(&NodeMessage::Reload { guest, codes });
        Ok(())
    }

    /// Logs the number of resumed games.
    pub(crate) fn log_resumed(&self) {
        let games = self.resumed.swap(0, Relaxed);
        if games > 0 {
            let text = "Games that were paused or had no server continue here.";
            self.log.write(&Entry::info("games_resumed", text).with("games", games));
        }
    }

    /// Tells a room that time may have passed. The receiver is notified once the room has handled this.
    pub(crate) async fn wake(self: &Arc<Self>, code: &str) -> oneshot::Receiver<()> {
        let (reply, woken) = oneshot::channel();
        self.send(code, ToRoom::Wake { reply }).await;
        woken
    }

    /// Stops all games: pauses them or, if other nodes take over, holds the clocks of players who have to reconnect. Sends
    /// them the farewell, if any.
    pub(crate) async fn pause(&self, farewell: Option<&'static str>) {
        self.pausing.store(true, Relaxed);
        let rooms: Vec<RoomHandle> = lock(&self.rooms).values().cloned().collect();
        // Stop all rooms concurrently, so that a busy room does not delay the others.
        join_all(rooms.into_iter().map(async |room| {
            let (reply, answer) = oneshot::channel();
            if room.mailbox.send(Box::new(ToRoom::Stop { farewell, reply })).await.is_ok() {
                let _ = answer.await;
            }
        }))
        .await;
    }
}

pub(crate) fn new_handle() -> (RoomHandle, Mailbox) {
    let (mailbox, receiver) = game::mailbox();
    let (version, turns, network) = (Arc::default(), Arc::default(), Arc::default());
    (RoomHandle { mailbox, version, turns, network }, receiver)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use skirmish_room::RoomEvent;

    use super::*;
    use crate::codes;
    use crate::log::{Level, LogFormat};

    /// Waits until a room has been resumed.
    async fn is_resumed(storage: &Storage, code: &str) {
        while storage.version(code).await.expect("the log can be read") < 4 {
            tokio::task::yield_now().await;
        }
        let log = storage.log(code).await.expect("the log can be read");
        assert_eq!(log.last().map(|last| &last.event), Some(&RoomEvent::Resumed));
    }

    #[tokio::test]
    async fn a_due_game_that_nobody_follows_is_woken_by_any_node() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        storage.join("before", 1).await.expect("a node");
        storage.append(trial::left_over("BEFORE"), None).await.expect("a room");
        let hub = trial::hub(storage.clone(), Log::new(Level::Error, |_| {})).await;
        tokio::spawn(Arc::clone(&hub).keep_nodes());
        // From now on, only due rooms are woken.
        is_resumed(&storage, "BEFORE").await;
        storage.append(trial::left_over("LATER"), None).await.expect("a room");
        storage.append(trial::left_over("NOTDUE"), None).await.expect("a room");
        storage.note_due("LATER", Some(1)).await.expect("a time");
        let woken = is_resumed(&storage, "LATER");
        tokio::time::timeout(Duration::from_mins(1), woken).await.expect("it is woken");
        assert!(!hub.is_live("NOTDUE"));
    }

    #[tokio::test]
    async fn the_list_of_somebodys_games_loads_none_of_them() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        storage.append(trial::left_over("ABCDEF"), None).await.expect("a room");
        let hub = trial::hub(storage, Log::new(Level::Error, |_| {})).await;
        let games = hub.rooms_of(1).await.expect("the log can be read");
        assert_eq!(games.iter().map(|game| &*game.code).collect::<Vec<_>>(), ["ABCDEF"]);
        assert_eq!(hub.live_rooms(), 0);
        // A request for the room itself loads it.
        assert!(hub.describe("ABCDEF", 1).await.is_some());
        assert_eq!(hub.live_rooms(), 1);
    }

    #[test]
    fn every_unfinished_game_goes_on_after_a_restart() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let storage = Storage::open(folder.path()).expect("the database opens");
            // Simulate a server that has crashed.
            storage.join("before", 1).await.expect("a node");
            let codes: Vec<String> = (0..100).map(|_| codes::new_code()).collect();
            for code in &codes {
                storage.append(trial::left_over(code), None).await.expect("a room");
            }
            let entries = Arc::new(Mutex::new(Vec::new()));
            let sink = Arc::clone(&entries);
            let log = Log::new(Level::Info, move |entry| {
                lock(&sink).push(entry.line(LogFormat::Text, UNIX_EPOCH));
            });
            let hub = trial::hub(storage.clone(), log).await;
            tokio::spawn(Arc::clone(&hub).keep_nodes());
            for code in &codes {
                is_resumed(&storage, code).await;
            }
            let resumed = |line: &String| -> Option<usize> {
                let (_, games) = line.split_once(" games_resumed ")?.1.split_once("games=")?;
                games.parse().ok()
            };
            let counted = || lock(&entries).iter().filter_map(resumed).sum::<usize>();
            while counted() < codes.len() {
                tokio::task::yield_now().await;
            }
            // If this computer is so busy that heartbeats are late, the games are resumed again.
            let (counted, mut resumptions) = (counted(), 0);
            for code in &codes {
                let log = storage.log(code).await.expect("the log can be read");
                resumptions += log.iter().filter(|logged| logged.is_resumption()).count();
            }
            assert!(counted <= resumptions, "{counted} of {resumptions}: {:?}", lock(&entries));
        });
    }
}
