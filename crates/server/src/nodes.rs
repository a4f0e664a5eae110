//! What the nodes of a server say to each other, and what each does at regular times: it notes that it is alive, and looks
//! after games that nobody serves.

mod adopting;
mod others;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skirmish_room::wire::LobbyGame;
use skirmish_room::{AccountId, BEAT, Bell, Forward, Lease, Logged, Millis, NodeId, Reply, Report};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use self::adopting::Unserved;
use self::others::{Others, OwnLine};
use crate::bus::Bus;
use crate::game::ToRoom;
use crate::hub::Hub;
use crate::limits::Spending;
use crate::log::{self, Entry};
use crate::outbox::CloseReason;
use crate::storage::StorageError;

/// What players are told when nodes cannot hear each other, and when they can again.
pub(crate) const fn hearing(is_deaf: bool) -> &'static str {
    if is_deaf {
        "The servers cannot hear each other at the moment: moves may arrive a few seconds late. Nothing is lost."
    } else {
        "The servers hear each other again: moves arrive at once."
    }
}

/// What the operator is told when the database is away.
const AWAY_TEXT: &str = "The database cannot be reached: no move is accepted until it is back.";

/// What the operator is told when it is away for this node only.
const CUT_OFF_TEXT: &str =
    "Other nodes reach the database, and this one does not: its clients are sent to them.";

/// What the operator is told when this node's clock and the database's differ by much.
const CLOCK_TEXT: &str = "The clocks of this server and of its database differ: no player's clock is changed. Set both to \
                          the right time, and restart this server.";

/// How many questions of other nodes are answered at the same time. More are dropped, and whoever asks does without.
const MOST_ASKED: usize = 4096;

/// What the operator is told if there are several nodes, but no bus.
const NO_BUS: &str = "Another node uses this database, but this one was started without --nats: moves on other nodes are seen every two seconds, and nobody can claim a game from an opponent who has left.";

/// This node among the others.
pub(crate) struct Nodes {
    pub(crate) id: NodeId,
    pub(crate) bus: Bus,
    name: String,
    /// Whether the last heartbeat could not reach the database.
    is_away: AtomicBool,
    /// Whether others reach it, so that clients are better off there.
    is_cut_off: AtomicBool,
    pub(crate) others: Others,
    /// One for each question that can be answered now.
    answers: Arc<Semaphore>,
}

impl Nodes {
    pub(crate) fn new(id: NodeId, name: String, bus: Bus) -> Self {
        Self {
            id,
            bus,
            name,
            is_away: AtomicBool::new(false),
            is_cut_off: AtomicBool::new(false),
            others: Others::default(),
            answers: Arc::new(Semaphore::new(MOST_ASKED)),
        }
    }

    /// What the operator is told when a node that is alive is not heard any more, or all are heard again.
    fn entry(&self, is_deaf: bool) -> Entry {
        match (is_deaf, self.bus.is_connected()) {
            (true, None) => Entry::warn("bus_missing", NO_BUS),
            (true, Some(_)) => {
                let text =
                    "A node that is alive is not heard: moves there are seen when the log is read.";
                Entry::warn("nodes_unheard", text)
            }
            (false, _) => Entry::info("nodes_heard", "All nodes that are alive are heard."),
        }
    }
}

/// What a node is told. None of it may get into a log: it contains choices.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Letter {
    /// A request for a room that the receiver owns, with the lease of this epoch. The answer is a [`Reply`].
    Forward { code: String, epoch: i64, forward: Forward },
    /// A node that cannot reach the database wants what the log of a room has beyond a version. The answer is the events, or
    /// none if the receiver cannot read them either.
    Read { code: String, after: u64 },
    /// Who follows a room on a node. The answer is a [`Reply`].
    Report { node: NodeId, code: String, report: Report },
    /// A room that the receiver follows has changed.
    Bell(Bell),
    /// The owner of a room that the receiver follows, with this lease, cannot reach the database: no clock has run since that time.
    Away { code: String, lease: Lease, since: Millis },
    /// A node stops on which somebody plays in a room that the receiver owns.
    Leaving { code: String },
    /// The rooms that others can see, on one node, and how long ago it has reached the database.
    Lists { node: NodeId, open: Vec<LobbyGame>, live: Vec<LobbyGame>, reached: Option<Millis> },
    /// What was used of the limits on a node.
    Spent { node: NodeId, spending: Spending },
    /// A guest has become part of an account: their connections come back, and the logs of these rooms name the account now.
    Reload { node: NodeId, guest: Option<AccountId>, codes: Vec<String> },
}

impl Hub {
    /// Takes in what other nodes say, until the bus is closed.
    pub(crate) async fn hear(self: Arc<Self>) {
        let Some(nodes) = &self.nodes else { return };
        let Some(mut letters) = nodes.bus.listen(nodes.id).await else { return };
        while let Some(letter) = letters.next().await {
            let Some(said) = letter.read::<Letter>() else { continue };
            let own = nodes.id;
            match said {
                Letter::Forward { code, epoch, forward } => {
                    let message = |reply| ToRoom::Forwarded { epoch, forward, reply };
                    self.ask_room(letter, code, message);
                }
                Letter::Read { code, after } => {
                    let hub = Arc::clone(&self);
                    self.answer(letter, async move { hub.read_for_another(&code, after).await });
                }
                Letter::Report { node, code, report } => {
                    self.ask_room(letter, code, |reply| ToRoom::Report { node, report, reply });
                }
                Letter::Bell(bell) => {
                    let code = bell.code.clone();
                    self.tell_live(&code, ToRoom::Bell(bell));
                }
                Letter::Away { code, lease, since } => {
                    self.tell_live(&code, ToRoom::OwnerAway(lease, since));
                }
                Letter::Leaving { code } => self.tell_live(&code, ToRoom::Leaving),
                Letter::Lists { node, .. }
                | Letter::Spent { node, .. }
                | Letter::Reload { node, .. }
                    if node == own => {}
                Letter::Spent { node, spending } => {
                    self.ledger.note_elsewhere(node, spending, self.now());
                }
                Letter::Lists { node, open, live, reached } => {
                    nodes.others.hear(node, reached, self.now());
                    self.board.note_elsewhere(node, open, live, self.now());
                }
                Letter::Reload { guest, codes, .. } => {
                    if let Some(guest) = guest {
                        self.people.close(guest, None, &CloseReason::signed_in());
                    }
                    for code in codes {
                        self.tell_live(&code, ToRoom::Reload);
                    }
                }
            }
        }
    }

    /// Asks a room, and passes its answer on.
    fn ask_room(
        self: &Arc<Self>,
        letter: crate::bus::Letter,
        code: String,
        message: impl FnOnce(oneshot::Sender<Reply>) -> ToRoom,
    ) {
        let (reply, answer) = oneshot::channel();
        let (hub, message) = (Arc::clone(self), message(reply));
        self.answer(letter, async move {
            hub.send(&code, message).await;
            // A room that does not answer has stopped, or does not exist.
            answer.await.unwrap_or(Reply::NotOwner)
        });
    }

    /// Answers another node as soon as the answer is known.
    fn answer<T: Serialize + Send>(
        self: &Arc<Self>,
        letter: crate::bus::Letter,
        answer: impl Future<Output = T> + Send + 'static,
    ) {
        let Some(nodes) = &self.nodes else { return };
        let Ok(permit) = Arc::clone(&nodes.answers).try_acquire_owned() else {
            return nodes.bus.metrics().dropped.increase();
        };
        let bus = nodes.bus.clone();
        tokio::spawn(async move {
            let _permit = permit;
            bus.answer(&letter, &answer.await);
        });
    }

    /// What the log of a room has beyond a version, for a node that cannot read it. None if this one cannot either.
    async fn read_for_another(&self, code: &str, after: u64) -> Option<Vec<Logged>> {
        if self.is_away() {
            return None;
        }
        self.storage.log_after(code, after).await.ok()
    }

    /// Does what is to be done at regular times, until the server stops.
    pub(crate) async fn keep_nodes(self: Arc<Self>) {
        let Some(nodes) = &self.nodes else { return };
        // Each on its own: whatever takes long, the heartbeat and the lists are in time.
        tokio::join!(self.keep_alive(nodes), self.look_after_games(nodes), self.tell_others(nodes));
    }

    /// Notes that this node is alive, and finds out when the database is away and when it is back.
    async fn keep_alive(&self, nodes: &Nodes) {
        let mut beats = Beats::of(self);
        let (mut was_away, mut failed, mut line) = (false, 0, OwnLine::default());
        while beats.next().await {
            let reached = self.reach.last();
            let (began, asked) = (self.now(), self.clock.asks());
            // After an outage a node notes that it is alive when its clocks run again, lest others take it for served. If it
            // is about to stop, they do not.
            let beat = if was_away && (self.reach.has_waiting() || self.is_pausing()) {
                self.storage.now().await
            } else {
                self.storage.renew(nodes.id, &nodes.name).await
            };
            let is_away = beat.as_ref().is_err_and(StorageError::is_away);
            match beat {
                Ok(time) => {
                    self.reach.note(self.now());
                    self.set_clock(asked, time);
                }
                // The server stops, and has given its games up.
                Err(StorageError::Fenced) => return,
                Err(error) => self.note_failure(&error),
            }
            if was_away && !is_away {
                self.reach.note_outage(reached, failed, self.now());
            }
            // Whoever reads that the database is back knows of the outage, and rooms that are told of it read this.
            nodes.is_away.store(is_away, Relaxed);
            if is_away && !was_away {
                failed = self.now();
                self.log.write(&Entry::warn(log::AWAY, AWAY_TEXT));
                self.tell_all_rooms(|| ToRoom::Away);
            } else if was_away && !is_away {
                self.log.write(&Entry::info("database_back", "The database is back."));
            }
            was_away = is_away;
            if is_away {
                self.send_away(nodes, line.fails(began, nodes.others.reached()));
            } else {
                line.works();
                nodes.is_cut_off.store(false, Relaxed);
            }
            self.metrics.database_away.set(is_away.into());
        }
    }

    /// Sends all clients to other nodes if only this one cannot reach the database: others take its games, and clocks run.
    fn send_away(&self, nodes: &Nodes, is_cut_off: bool) {
        let was_cut_off = nodes.is_cut_off.swap(is_cut_off, Relaxed);
        if is_cut_off {
            if !was_cut_off {
                self.log.write(&Entry::warn("database_cut_off", CUT_OFF_TEXT));
                self.tell_all_rooms(|| ToRoom::SendAway);
            }
            self.people.close_all(|connection| CloseReason::restart(connection, true));
        }
    }

    /// Lets this node's clock follow the database's.
    fn set_clock(&self, asked: Millis, time: Millis) {
        if let Some(behind) = self.clock.follow(asked, time) {
            let entry = Entry::warn("clock_differs", CLOCK_TEXT);
            self.log.write(&entry.with("milliseconds", behind.unsigned_abs()));
        }
    }

    /// Hears which nodes are alive, and looks after games that others have taken or given up.
    async fn look_after_games(self: &Arc<Self>, nodes: &Nodes) {
        let mut beats = Beats::of(self);
        let (mut was_deaf, mut known) = (false, BTreeMap::new());
        let (mut orphans, mut own) = (Unserved::default(), Unserved::default());
        while beats.next().await {
            let is_deaf = self.listen_for_others(nodes, &mut known).await;
            if is_deaf != was_deaf {
                self.log.write(&nodes.entry(is_deaf));
                self.tell_all_rooms(|| ToRoom::Deaf(is_deaf));
            }
            was_deaf = is_deaf;
            if !nodes.is_away.load(Relaxed) {
                self.let_go(nodes.id).await;
                self.adopt(&mut orphans).await;
                self.take_up(nodes.id, &mut own).await;
            }
            self.log_resumed();
        }
    }

    /// Tells the other nodes what their lists and limits need.
    async fn tell_others(&self, nodes: &Nodes) {
        let mut beats = Beats::of(self);
        while beats.next().await {
            let (open, live) = self.board.own_lists();
            let reached = Some(self.now().saturating_sub(self.reach.last()));
            nodes.bus.tell_all(&Letter::Lists { node: nodes.id, open, live, reached });
            let spending = self.ledger.spending();
            nodes.bus.tell_all(&Letter::Spent { node: nodes.id, spending });
        }
    }

    /// Whether a living node has been silent for too long. Logs the nodes in `known` that are gone, and updates `known`.
    async fn listen_for_others(&self, nodes: &Nodes, known: &mut BTreeMap<NodeId, String>) -> bool {
        let now = self.now();
        if let Ok(living) = self.storage.nodes().await {
            let living: BTreeMap<NodeId, String> =
                living.into_iter().filter(|(id, _)| *id != nodes.id).collect();
            nodes.others.expect(living.keys().copied().collect(), now);
            for (id, name) in std::mem::replace(known, living) {
                if !known.contains_key(&id) {
                    let text = "Another node has stopped or died: its games are taken over.";
                    let entry = Entry::info("node_gone", text).with("node", id.to_string());
                    self.log.write(&entry.with("address", name));
                }
            }
        }
        nodes.others.is_one_silent(now)
    }

    /// Whether there may be nodes that do not get through.
    pub(crate) fn is_deaf(&self) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| nodes.others.is_one_silent(self.now()))
    }

    /// Whether the database has been there for so long that all living nodes have noted that they are alive.
    pub(crate) fn is_settled(&self) -> bool {
        !self.is_away() && self.reach.is_settled(self.now())
    }

    /// Whether this node could not reach the database at its last heartbeat.
    pub(crate) fn is_away(&self) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| nodes.is_away.load(Relaxed))
    }

    /// An error if this node could not reach the database at its last heartbeat.
    pub(crate) fn check_reached(&self) -> Result<(), StorageError> {
        let why = "a heartbeat has found that out".to_owned();
        if self.is_away() { Err(StorageError::Away { why }) } else { Ok(()) }
    }

    /// Whether other nodes reach the database, and this one does not.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| nodes.is_cut_off.load(Relaxed))
    }

    /// Logs that the database failed. That it is away, or closed because the server stops, is known.
    fn note_failure(&self, error: &StorageError) {
        if !error.is_away() && !self.is_stopping() {
            self.log.storage_failed(error);
        }
    }
}

/// The times at which a node does something, until the server stops.
struct Beats {
    interval: Interval,
    stopping: watch::Receiver<bool>,
}

impl Beats {
    /// The first one is now.
    fn of(hub: &Hub) -> Self {
        let mut interval = interval(Duration::from_millis(BEAT));
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { interval, stopping: hub.stopping.subscribe() }
    }

    /// Waits for the next one. False if the server stops.
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
    use super::*;
    use crate::hub::trial;
    use crate::log::Log;
    use crate::storage::Storage;

    #[test]
    fn more_questions_than_can_be_answered_are_dropped_and_counted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let storage = Storage::open(folder.path()).expect("the database opens");
            let nodes = Nodes {
                answers: Arc::new(Semaphore::new(1)),
                ..Nodes::new(1, String::new(), Bus::none())
            };
            let hub = trial::hub(storage, Log::none(), Some(nodes));
            let nodes = hub.nodes.as_ref().expect("a node");
            let ask = || {
                let report = |reply| ToRoom::Report { node: 2, report: Report::default(), reply };
                hub.ask_room(crate::bus::Letter::empty(), "ABC234".to_owned(), report);
            };
            let dropped = || nodes.bus.metrics().dropped.get();
            ask();
            assert_eq!(dropped(), 0);
            ask();
            assert_eq!(dropped(), 1);
            // The first one has been answered: there is no such game.
            while nodes.answers.available_permits() == 0 {
                tokio::task::yield_now().await;
            }
            ask();
            assert_eq!(dropped(), 1);
        });
    }
}
