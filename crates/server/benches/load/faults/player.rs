//! A player in one room, who switches to another node if the server disconnects or falls silent, and records how long
//! moves take.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use skirmish_room::wire::{ClientMessage, Offer, ServerMessage, StageName};
use skirmish_room::{Mirror, Notice};
use skirmish_rules::{Both, GAMES, Side};
use tokio::time::{sleep, sleep_until, timeout, timeout_at};

use crate::Failure;
use crate::client::Client;

/// The shortest and the longest time for which a player thinks, in milliseconds.
const THINK: (u64, u64) = (50, 150);

/// How long the server may be silent before a client pings it, and before the client gives up on it.
const ASK: Duration = Duration::from_secs(3);
const LEAVE: Duration = Duration::from_secs(6);

/// Identifies a turn: the room, the game in it, and the turn's index.
type Turn = (String, u32, usize);

/// The delivery of a turn from one player to another.
pub(super) struct Delay {
    pub(super) sent: Instant,
    pub(super) seen: Instant,
    pub(super) sender: usize,
    pub(super) receiver: usize,
    pub(super) code: String,
}

/// Everything that the players have recorded.
#[derive(Default)]
pub(super) struct Notes {
    sent: HashMap<Turn, (Instant, usize)>,
    pub(super) delays: Vec<Delay>,
    /// The times at which a player had the position again, and how long each recovery took.
    pub(super) rejoined: Vec<(Instant, Duration)>,
    /// The times at which a turn ended, and how much the clock lost beyond thinking.
    pub(super) charged: Vec<(Instant, u64)>,
    pub(super) flags: usize,
}

/// The state that the players share.
pub(super) struct Stage {
    addresses: Vec<SocketAddr>,
    has_stopped: AtomicBool,
    /// The node that each player is connected to.
    pub(super) places: Vec<AtomicUsize>,
    notes: Mutex<Notes>,
}

impl Stage {
    pub(super) fn new(addresses: Vec<SocketAddr>, places: impl Iterator<Item = usize>) -> Self {
        let places = places.map(AtomicUsize::new).collect();
        Self { addresses, has_stopped: AtomicBool::new(false), places, notes: Mutex::default() }
    }

    /// Tells the players to stop.
    pub(super) fn stop(&self) {
        self.has_stopped.store(true, Relaxed);
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A player in one room.
pub(super) struct Player {
    stage: Arc<Stage>,
    number: usize,
    token: String,
    mirror: Mirror,
    chance: u64,
    /// The time at which the player's current turn began.
    asked: Option<Instant>,
    /// The turn for which a choice was sent, until that turn is seen, and how long the player thought.
    sent: Option<(Turn, Duration)>,
    /// The time left on the clock after the player's last turn in this game.
    left: Option<u64>,
    /// The first turn that the player has not seen yet.
    next: (u32, usize),
}

impl Player {
    pub(super) fn new(stage: Arc<Stage>, number: usize, token: String, code: &str) -> Self {
        let mirror = Mirror::new(GAMES, code, &token[..8]);
        let chance = number as u64;
        let (asked, sent, left, next) = (None, None, None, (1, 0));
        Self { stage, number, token, mirror, chance, asked, sent, left, next }
    }

    pub(super) async fn play(mut self) {
        while !self.stage.has_stopped.load(Relaxed) {
            // The server has disconnected or is silent: move on to the next server.
            if self.talk().await.is_err() {
                let place = &self.stage.places[self.number];
                place.store((place.load(Relaxed) + 1) % self.stage.addresses.len(), Relaxed);
                sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Plays over one connection until it fails.
    async fn talk(&mut self) -> Result<(), Failure> {
        let connecting = Instant::now();
        let place = self.stage.places[self.number].load(Relaxed);
        let connected = Client::connect(self.stage.addresses[place], Some(&self.token));
        let mut client = timeout(LEAVE, connected).await??;
        for message in self.mirror.connected(false) {
            send(&mut client, &message).await?;
        }
        send(&mut client, &ClientMessage::Ping).await?;
        let (mut is_joining, mut heard, mut is_asking) = (true, Instant::now(), false);
        while !self.stage.has_stopped.load(Relaxed) {
            let wait = heard + if is_asking { LEAVE } else { ASK };
            let act = self.asked.map(|asked| asked + self.thinking());
            let text = tokio::select! {
                text = timeout_at(wait.into(), client.text()) => text,
                () = sleep_until(act.unwrap_or(wait).into()), if act.is_some() => {
                    let message = self.act();
                    send(&mut client, &message).await?;
                    continue;
                }
            };
            let Ok(text) = text else {
                if is_asking {
                    return Err("the server is silent".into());
                }
                is_asking = true;
                send(&mut client, &ClientMessage::Ping).await?;
                continue;
            };
            (heard, is_asking) = (Instant::now(), false);
            let message: ServerMessage = serde_json::from_str(&text?)?;
            if let ServerMessage::Pong { versions } = &message
                && is_joining
                && versions.get(self.mirror.code()) == Some(&self.mirror.version())
            {
                is_joining = false;
                self.stage.notes().rejoined.push((connecting, connecting.elapsed()));
            }
            self.receive(message);
            if let Some(message) = self.mirror.catch_up() {
                send(&mut client, &message).await?;
            }
            if let Some(message) = self.rematch() {
                send(&mut client, &message).await?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, message: ServerMessage) {
        self.mirror.receive(message);
        while let Some(notice) = self.mirror.advance() {
            if let Notice::Ended(end) = notice
                && end.termination() == "time"
                && self.mirror.you() == Some(Side::One)
            {
                self.stage.notes().flags += 1;
            }
        }
        self.note_turns();
        if self.mirror.asked().is_none() {
            self.asked = None;
        } else if self.asked.is_none() {
            self.asked = Some(Instant::now());
            self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        }
    }

    /// Records the turns that are new to this player, and how much time the player's own turns cost.
    fn note_turns(&mut self) {
        let Some(session) = self.mirror.session() else { return };
        let (number, turns) = (self.mirror.number(), session.table().turns_played());
        if self.next.0 != number {
            (self.next, self.left, self.sent) = ((number, 0), None, None);
        }
        let stage = Arc::clone(&self.stage);
        let (mut notes, seen) = (stage.notes(), Instant::now());
        for turn in self.next.1..turns {
            let turn = (self.mirror.code().to_owned(), number, turn);
            if let Some(&(sent, sender)) = notes.sent.get(&turn) {
                let (receiver, code) = (self.number, turn.0.clone());
                notes.delays.push(Delay { sent, seen, sender, receiver, code });
            }
            if self.sent.as_ref().is_some_and(|(own, _)| *own == turn) {
                let (_, thought) = self.sent.take().expect("checked above");
                let thought = u64::try_from(thought.as_millis()).unwrap_or(u64::MAX);
                let before = self.left;
                self.left = self.time_left();
                if let (Some(before), Some(left)) = (before, self.left) {
                    let lost = before.saturating_sub(left);
                    notes.charged.push((seen, lost.saturating_sub(thought)));
                }
            }
        }
        self.next.1 = turns;
    }

    /// The time left on the player's clock.
    fn time_left(&self) -> Option<u64> {
        let left: Both<u64> = self.mirror.clock()?.left.into();
        Some(left[self.mirror.you()?])
    }

    fn thinking(&self) -> Duration {
        let (least, most) = THINK;
        Duration::from_millis(least + (self.chance >> 33) % (most - least))
    }

    /// Makes a random choice.
    fn act(&mut self) -> ClientMessage {
        let asked = self.asked.take().expect("only a player who has the turn acts");
        let session = self.mirror.session().expect("a game is played");
        let you = self.mirror.you().expect("a player has a side");
        let choices = session.table().choices(you);
        let choice = usize::try_from(self.chance >> 40).unwrap_or(0) % choices.len();
        let turn =
            (self.mirror.code().to_owned(), self.mirror.number(), session.table().turns_played());
        let text = choices[choice].notation.clone();
        self.stage.notes().sent.insert(turn.clone(), (Instant::now(), self.number));
        self.sent = Some((turn, asked.elapsed()));
        self.mirror.act(&text)
    }

    /// The offer of a rematch, if a game is over.
    fn rematch(&mut self) -> Option<ClientMessage> {
        let you = self.mirror.you()?;
        let wants_more = self.mirror.stage() == StageName::Over
            && self.mirror.offers()[you].is_none()
            && !self.mirror.is_waiting_for_answer();
        wants_more.then(|| self.mirror.offer(Offer::Rematch))
    }
}

async fn send(client: &mut Client, message: &ClientMessage) -> Result<(), Failure> {
    client.send(serde_json::to_string(message)?).await
}
