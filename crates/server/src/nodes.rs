//! What the nodes of a server say to each other, and what each does at regular times: it notes that it is alive, and looks
//! after games that nobody owns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skirmish_room::wire::LobbyGame;
use skirmish_room::{BEAT, Bell, Forward, Millis, NodeId, Reply, Report};
use tokio::sync::oneshot;

use crate::bus::Bus;
use crate::game::ToRoom;
use crate::hub::Hub;
use crate::limits::Spending;
use crate::lock::lock;
use crate::log::Entry;
use crate::storage::StorageError;

/// What players are told when nodes cannot hear each other.
pub(crate) const DEAF: &str = "The servers cannot hear each other at the moment: moves may arrive a few seconds late. Nothing is lost.";

/// What the operator is told when the database is away.
const AWAY_TEXT: &str = "The database cannot be reached: no move is accepted until it is back.";

/// After how long a node that is alive should have been heard.
const SILENCE: Millis = 3 * BEAT;

/// How many games without an owner a node takes at a time.
const MOST_ADOPTED: usize = 200;

/// This node among the others.
pub(crate) struct Nodes {
    pub(crate) id: NodeId,
    pub(crate) bus: Bus,
    /// When the others that are alive were last heard, or first expected.
    heard: Mutex<HashMap<NodeId, Millis>>,
}

impl Nodes {
    pub(crate) fn new(id: NodeId, bus: Bus) -> Self {
        Self { id, bus, heard: Mutex::default() }
    }

    /// These nodes are alive, and no others.
    fn expect(&self, living: Vec<NodeId>, now: Millis) {
        let mut heard = lock(&self.heard);
        heard.retain(|node, _| living.contains(node));
        for node in living {
            heard.entry(node).or_insert(now);
        }
    }

    /// A node was heard.
    fn hear(&self, node: NodeId, now: Millis) {
        if let Some(at) = lock(&self.heard).get_mut(&node) {
            *at = now;
        }
    }

    /// Whether a node that is alive has not been heard for long.
    fn is_deaf(&self, now: Millis) -> bool {
        lock(&self.heard).values().any(|at| now.saturating_sub(*at) > SILENCE)
    }
}

/// What a node is told. None of it may get into a log: it contains choices.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Letter {
    /// A request for a room that the receiver owns. The answer is a [`Reply`].
    Forward { code: String, forward: Forward },
    /// Who follows a room on a node. The answer is a [`Reply`].
    Report { node: NodeId, code: String, report: Report },
    /// A room that the receiver follows has changed.
    Bell(Bell),
    /// The rooms that others can see, on one node.
    Lists { node: NodeId, open: Vec<LobbyGame>, live: Vec<LobbyGame> },
    /// What was used of the limits on a node.
    Spent { node: NodeId, spending: Spending },
    /// Accounts have been merged: the logs of these rooms name others now.
    Reload { node: NodeId, codes: Vec<String> },
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
                Letter::Forward { code, forward } => {
                    self.ask_room(letter, code, |reply| ToRoom::Forwarded { forward, reply });
                }
                Letter::Report { node, code, report } => {
                    self.ask_room(letter, code, |reply| ToRoom::Report { node, report, reply });
                }
                Letter::Bell(bell) => {
                    let code = bell.code.clone();
                    self.tell_live(&code, ToRoom::Bell(bell));
                }
                Letter::Lists { node, .. }
                | Letter::Spent { node, .. }
                | Letter::Reload { node, .. }
                    if node == own => {}
                Letter::Spent { node, spending } => {
                    self.ledger.note_elsewhere(node, spending, self.now());
                }
                Letter::Lists { node, open, live } => {
                    nodes.hear(node, self.now());
                    self.board.note_elsewhere(node, open, live, self.now());
                }
                Letter::Reload { codes, .. } => {
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
        tokio::spawn(async move {
            hub.send(&code, message).await;
            // A room that does not answer has stopped, or does not exist.
            let answer = answer.await.unwrap_or(Reply::NotOwner);
            if let Some(nodes) = &hub.nodes {
                nodes.bus.answer(&letter, &answer);
            }
        });
    }

    /// Does what is to be done at regular times, until the server stops.
    pub(crate) async fn keep_nodes(self: Arc<Self>) {
        let Some(nodes) = &self.nodes else { return };
        let mut stopping = self.stopping.subscribe();
        let (mut was_away, mut was_deaf, mut failed) = (false, false, 0);
        loop {
            let reached = self.reach.last();
            // After an outage a node notes that it is alive when its clocks run again, lest others take it for served.
            let beat = if was_away && self.reach.has_waiting() {
                self.storage.now().await
            } else {
                self.storage.renew(nodes.id).await
            };
            let is_away = beat.as_ref().is_err_and(StorageError::is_away);
            match beat {
                Ok(_) => self.reach.note(self.now()),
                Err(error) if !is_away => self.log.storage_failed(&error),
                Err(_) => {}
            }
            if is_away && !was_away {
                failed = self.now();
                self.log.write(&Entry::warn("database_away", AWAY_TEXT));
                self.tell_all_rooms(|| ToRoom::Away);
            } else if was_away && !is_away {
                self.reach.note_outage(reached, failed, self.now());
                self.log.write(&Entry::info("database_back", "The database is back."));
            }
            was_away = is_away;
            self.metrics.database_away.set(is_away.into());
            let is_deaf = self.listen_for_others(nodes).await;
            if is_deaf != was_deaf {
                self.tell_all_rooms(|| ToRoom::Deaf(is_deaf));
            }
            was_deaf = is_deaf;
            if !is_away {
                self.let_go(nodes.id).await;
                self.adopt().await;
            }
            let (open, live) = self.board.own_lists();
            nodes.bus.tell_all(&Letter::Lists { node: nodes.id, open, live });
            let spending = self.ledger.spending();
            nodes.bus.tell_all(&Letter::Spent { node: nodes.id, spending });
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(BEAT)) => {}
                _ = stopping.wait_for(|&stops| stops) => return,
            }
        }
    }

    /// Whether a node that is alive has not been heard for long.
    async fn listen_for_others(&self, nodes: &Nodes) -> bool {
        let now = self.now();
        if let Ok(living) = self.storage.nodes().await {
            let others = living.into_iter().map(|(id, _)| id).filter(|&id| id != nodes.id);
            nodes.expect(others.collect(), now);
        }
        nodes.is_deaf(now)
    }

    /// Whether there may be nodes that do not get through.
    pub(crate) fn is_deaf(&self) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| nodes.is_deaf(self.now()))
    }

    /// Goes on without the games that others have taken.
    async fn let_go(&self, node: NodeId) {
        match self.storage.lost(node).await {
            Ok(lost) => lost.iter().for_each(|code| self.tell_live(code, ToRoom::Lost)),
            Err(error) if error.is_away() => {}
            Err(error) => self.log.storage_failed(&error),
        }
    }

    /// Takes games that nobody owns, so that their clocks run on.
    async fn adopt(self: &Arc<Self>) {
        match self.storage.orphans().await {
            Ok(orphans) => {
                for code in orphans.into_iter().take(MOST_ADOPTED) {
                    if self.is_pausing() {
                        return;
                    }
                    drop(self.wake(&code).await);
                }
            }
            Err(error) if error.is_away() => {}
            Err(error) => self.log.storage_failed(&error),
        }
    }
}
