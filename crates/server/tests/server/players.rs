//! Simulated players who keep playing whatever happens to the servers: they reconnect as often as necessary, count
//! acknowledgements, and finally compare their knowledge with the log.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use skirmish_room::wire::{ClientMessage, MessageId, Offer, Rej, ServerMessage, StageName};
use skirmish_room::{Logged, Mirror, Notice, RejectionCode, Request, Room, RoomEvent};
use skirmish_rules::{GAMES, Table};
use tungstenite::{Error as WsError, Message, WebSocket};

use crate::support::{PATIENCE, with};

/// The pause between a pong and a player's next ping.
const PAUSE: Duration = Duration::from_millis(2);

/// How long a player waits before resending a message that was temporarily refused.
const REFUSED: Duration = Duration::from_millis(100);

/// The number of pongs without progress after which a game counts as stuck. A machine that is merely slow answers fewer
/// pings.
const MOST_IDLE: u32 = 20_000;

/// The number of turns after which a game is a draw. A room takes 10,000 events: with games this short, one or two
/// games for each of 200 faults stay far below that limit.
const MOST_TURNS: u32 = 10;

/// The state that all players share.
pub(crate) struct Stage {
    /// The addresses of the running servers.
    addresses: Mutex<Vec<SocketAddr>>,
    /// Whether a server may refuse messages because its database is unreachable, or because it is stopping.
    outages: bool,
    /// The number of acknowledgements that all players have received.
    acknowledged: AtomicU64,
    /// The number of games that may have been played in each room so far, on any machine; 0 if no more may begin.
    allowed: AtomicU32,
    /// The largest number of games begun in any room.
    begun: AtomicU32,
    /// The number of players, and the number of those who have nothing to do.
    players: AtomicUsize,
    resting: AtomicUsize,
}

impl Stage {
    pub(crate) fn new(addresses: Vec<SocketAddr>, outages: bool) -> Arc<Self> {
        Arc::new(Self {
            addresses: Mutex::new(addresses),
            outages,
            acknowledged: AtomicU64::new(0),
            allowed: AtomicU32::new(1),
            begun: AtomicU32::new(0),
            players: AtomicUsize::new(0),
            resting: AtomicUsize::new(0),
        })
    }

    /// Replaces the addresses of the running servers.
    pub(crate) fn move_to(&self, addresses: Vec<SocketAddr>) {
        *self.addresses.lock().expect("no panic") = addresses;
    }

    /// The number of choices acknowledged so far.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(SeqCst)
    }

    fn is_idle(&self) -> bool {
        self.resting.load(SeqCst) == self.players.load(SeqCst)
    }

    fn is_finished(&self) -> bool {
        self.allowed.load(SeqCst) == 0 && self.is_idle()
    }
}

/// All players, each in its own thread.
pub(crate) struct Players {
    stage: Arc<Stage>,
    threads: Vec<(String, JoinHandle<Player>)>,
}

impl Players {
    pub(crate) fn on(stage: &Arc<Stage>) -> Self {
        Self { stage: Arc::clone(stage), threads: Vec::new() }
    }

    /// Adds two people who play on these terms, each starting at one of the addresses.
    pub(crate) fn begin(&mut self, addresses: [SocketAddr; 2], terms: &Value) {
        let Ok((tokens, code)) = set_up(addresses, terms) else { panic!("the server runs") };
        for token in tokens {
            let number = self.stage.players.fetch_add(1, SeqCst);
            let player = Player::new(&self.stage, number, token, &code);
            self.threads.push((code.clone(), thread::spawn(move || player.play())));
        }
    }

    /// Allows another game in every room, and waits for `acknowledgements` more acknowledgements.
    pub(crate) fn go_on(&self, acknowledgements: u64) {
        let expected = self.stage.acknowledged() + acknowledgements;
        let mut allowed = self.stage.allowed.fetch_add(1, SeqCst) + 1;
        while self.stage.acknowledged() < expected {
            self.are_well();
            if self.stage.is_idle() && self.stage.begun.load(SeqCst) >= allowed {
                allowed = self.stage.allowed.fetch_add(1, SeqCst) + 1;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    pub(crate) fn are_well(&self) {
        let has_failed = self.threads.iter().any(|(_, player)| player.is_finished());
        assert!(!has_failed, "a player has failed");
    }

    /// Waits until all games are over. Returns the players with their room codes.
    pub(crate) fn finish(self) -> Vec<(String, Player)> {
        self.stage.allowed.store(0, SeqCst);
        // Players finish together unless one fails, in which case the others would wait forever.
        while self.threads.iter().all(|(_, player)| !player.is_finished()) {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(self.stage.is_finished(), "a player has failed");
        let join = |player: JoinHandle<Player>| player.join().expect("a player who lost nothing");
        self.threads.into_iter().map(|(code, player)| (code, join(player))).collect()
    }
}

/// A player in one room, who reconnects as often as necessary.
#[allow(clippy::struct_excessive_bools)] // four independent flags
pub(crate) struct Player {
    stage: Arc<Stage>,
    token: String,
    mirror: Mirror,
    /// The index of the address to use.
    server: usize,
    /// Whether to try another server if this one cannot reach its database.
    wanders: bool,
    /// The texts of the choices sent, and the versions of those acknowledged.
    sent: BTreeMap<MessageId, String>,
    acknowledged: BTreeMap<MessageId, u64>,
    /// Refusals of choices; there should be none.
    refused: Vec<Rej>,
    /// Whether a message was temporarily refused and must be sent again.
    again: bool,
    /// The number of pongs since something last happened in the game.
    idle: u32,
    /// Whether a pong has confirmed that the player is up to date.
    is_current: bool,
    is_resting: bool,
}

type Socket = WebSocket<TcpStream>;

/// A lost connection; the player reconnects.
#[derive(Debug)]
struct Lost;

fn connect(address: SocketAddr) -> Result<Socket, Lost> {
    let stream = TcpStream::connect(address).map_err(|_| Lost)?;
    stream.set_nodelay(true).map_err(|_| Lost)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(|_| Lost)?;
    let upgraded = tungstenite::client(format!("ws://{address}/ws"), stream);
    upgraded.map(|(socket, _)| socket).map_err(|_| Lost)
}

fn send(socket: &mut Socket, message: &impl serde::Serialize) -> Result<(), Lost> {
    let text = serde_json::to_string(message).expect("a message is JSON");
    socket.send(Message::text(text)).map_err(|_| Lost)
}

fn receive(socket: &mut Socket) -> Result<String, Lost> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return Ok(text.as_str().to_owned()),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Err(WsError::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(WsError::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                panic!("the server has said nothing for {PATIENCE:?}");
            }
            Ok(_) | Err(_) => return Err(Lost),
        }
    }
}

/// The next message of this type.
fn until(socket: &mut Socket, kind: &str) -> Result<Value, Lost> {
    loop {
        let message: Value = serde_json::from_str(&receive(socket)?).expect("a message is JSON");
        if message["type"] == kind {
            return Ok(message);
        }
        if message["type"] == "rej" || message["type"] == "bye" {
            assert!(["storage", "paused"].iter().any(|code| message["code"] == *code), "{message}");
            return Err(Lost);
        }
    }
}

impl Player {
    fn new(stage: &Arc<Stage>, number: usize, token: String, code: &str) -> Self {
        // The token's first characters make the players' message IDs differ.
        let mirror = Mirror::new(GAMES, code, &token[..8]);
        Self {
            stage: Arc::clone(stage),
            token,
            mirror,
            server: number,
            wanders: number.is_multiple_of(3),
            sent: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            refused: Vec::new(),
            again: false,
            idle: 0,
            is_current: false,
            is_resting: false,
        }
    }

    /// Plays until all games are over.
    fn play(mut self) -> Self {
        while !self.stage.is_finished() {
            let address = {
                let addresses = self.stage.addresses.lock().expect("no panic");
                addresses[self.server % addresses.len()]
            };
            if self.talk(address).is_err() {
                // The connection is lost: try another server.
                self.server += 1;
                thread::sleep(PAUSE);
            }
        }
        self
    }

    fn talk(&mut self, address: SocketAddr) -> Result<(), Lost> {
        let mut socket = connect(address)?;
        let hello = json!({"type": "hello", "proto": 2, "client": "tests", "token": self.token});
        send(&mut socket, &hello)?;
        until(&mut socket, "welcome")?;
        self.join(&mut socket)?;
        // A player who has nothing to do learns from pongs that the test is over.
        send(&mut socket, &ClientMessage::Ping)?;
        while !self.stage.is_finished() {
            self.take(&receive(&mut socket)?, &mut socket)?;
            if let Some(message) = self.mirror.catch_up() {
                send(&mut socket, &message)?;
            }
            if let Some(message) = self.next_message() {
                if let ClientMessage::Request(sent) = &message
                    && let Request::Act { text, .. } = &sent.request
                {
                    self.sent.insert(sent.id.clone(), text.clone());
                }
                send(&mut socket, &message)?;
            }
            self.rest();
        }
        Ok(())
    }

    /// Joins the game, and resends messages that were not answered.
    fn join(&mut self, socket: &mut Socket) -> Result<(), Lost> {
        self.again = false;
        self.mirror.connected(false).iter().try_for_each(|message| send(socket, message))
    }

    fn take(&mut self, text: &str, socket: &mut Socket) -> Result<(), Lost> {
        let message: ServerMessage = serde_json::from_str(text).expect("a message parses");
        match &message {
            ServerMessage::Ack { id, v: Some(v), .. } if self.sent.contains_key(id) => {
                self.stage.acknowledged.fetch_add(1, SeqCst);
                let before = self.acknowledged.insert(id.clone(), *v);
                assert!(before.is_none_or(|before| before == *v), "{text}: first {before:?}");
            }
            ServerMessage::Snap(snap) => {
                self.has_seen(snap.v, text);
                self.is_current = false;
            }
            ServerMessage::Ev(_) => (self.idle, self.is_current) = (0, false),
            ServerMessage::Pong { versions } => self.take_pong(versions, text, socket)?,
            ServerMessage::Rej(rej) if self.stage.outages && is_for_now(rej) => {
                return self.put_off(rej);
            }
            ServerMessage::Bye { code, .. } => {
                assert!(self.stage.outages && *code == RejectionCode::Storage, "{text}");
                return Err(Lost);
            }
            _ => {}
        }
        self.mirror.receive(message);
        while let Some(notice) = self.mirror.advance() {
            // Both players may offer a rematch at once, or the game may have gone on; choices are never refused.
            if let Notice::Refused(rej) = notice {
                let is_choice = rej.id.as_ref().is_some_and(|id| self.sent.contains_key(id));
                self.refused.extend(Some(rej).filter(|_| is_choice));
            }
        }
        Ok(())
    }

    fn take_pong(
        &mut self,
        versions: &BTreeMap<String, u64>,
        text: &str,
        socket: &mut Socket,
    ) -> Result<(), Lost> {
        if let Some(v) = versions.get(self.mirror.code()) {
            self.has_seen(*v, text);
            self.is_current = *v == self.mirror.version();
        }
        self.idle = if self.is_resting { 0 } else { self.idle + 1 };
        assert!(self.idle < MOST_IDLE, "the game stands still: {text}");
        thread::sleep(PAUSE);
        if self.again {
            thread::sleep(REFUSED);
            self.join(socket)?;
        }
        send(socket, &ClientMessage::Ping)
    }

    /// Handles a temporary refusal, or a notice that the server cannot continue for now.
    fn put_off(&mut self, rej: &Rej) -> Result<(), Lost> {
        if self.wanders && rej.text.contains("database") {
            thread::sleep(REFUSED);
            return Err(Lost);
        }
        // A notice does not refuse a message.
        self.again |= rej.notice.is_none();
        Ok(())
    }

    /// Asserts that the server knows at least as much as the player.
    fn has_seen(&self, v: u64, text: &str) {
        let seen = self.mirror.version();
        assert!(v >= seen, "version {seen} was seen and is lost: {text}");
    }

    /// The player's next message: the last legal choice, or a rematch offer.
    fn next_message(&mut self) -> Option<ClientMessage> {
        if self.mirror.is_waiting_for_answer() {
            return None;
        }
        if let Some(side) = self.mirror.asked() {
            let choices = self.mirror.session()?.table().choices(side);
            let choice = choices.last()?.notation.clone();
            return Some(self.mirror.act(&choice));
        }
        let (you, offers) = (self.mirror.you()?, self.mirror.offers());
        let wants_more = self.is_between_games() && !self.has_had_enough() && offers[you].is_none();
        wants_more.then(|| self.mirror.offer(Offer::Rematch))
    }

    fn is_between_games(&self) -> bool {
        self.mirror.stage() == StageName::Over
    }

    fn has_had_enough(&self) -> bool {
        self.mirror.number() >= self.stage.allowed.load(SeqCst)
    }

    /// Records whether the player has nothing to do.
    fn rest(&mut self) {
        self.stage.begun.fetch_max(self.mirror.number(), SeqCst);
        let rests = self.is_between_games()
            && self.has_had_enough()
            && self.is_current
            && !self.mirror.is_waiting_for_answer();
        if rests && !self.is_resting {
            self.stage.resting.fetch_add(1, SeqCst);
        } else if !rests && self.is_resting {
            self.stage.resting.fetch_sub(1, SeqCst);
        }
        self.is_resting = rests;
    }

    /// Compares the player's knowledge with the log: every choice was acknowledged and appears once, at its version,
    /// and the game has ended as the player saw it.
    pub(crate) fn check(&self, log: &[Logged]) {
        assert_eq!(self.refused, [], "no choice is refused");
        let mut found: BTreeMap<MessageId, u64> = BTreeMap::new();
        for (v, logged) in (1..).zip(log) {
            let RoomEvent::Chose { text, .. } = &logged.event else { continue };
            let id = &logged.by.as_ref().expect("people choose here").id;
            let Some(sent) = self.sent.get(id) else { continue };
            assert_eq!(text, sent, "version {v}");
            assert_eq!(found.insert(id.clone(), v), None, "{id:?} was applied twice");
        }
        assert_eq!(self.acknowledged, found, "acknowledged choices must match the log");
        assert_eq!(found.len(), self.sent.len(), "every choice was answered in the end");
        let room = Room::fold(GAMES, log).expect("the log folds");
        assert!(room.is_over(), "the game has ended");
        assert_eq!((self.mirror.version(), self.mirror.number()), (room.version(), room.number()));
        assert_eq!(self.mirror.end(), room.end().as_ref());
        let shown = self.mirror.session().map(|session| session.table().scene());
        assert_eq!(shown, room.table().map(Table::scene));
    }
}

/// Whether a refusal is temporary: the database is unreachable, or the server is stopping.
fn is_for_now(rej: &Rej) -> bool {
    let is_over = rej.notice.as_ref().is_some_and(|notice| notice.over);
    matches!(rej.code, RejectionCode::Storage | RejectionCode::Paused) && !is_over
}

/// Puts two people in a room with these terms. Returns their tokens and the room's code.
fn set_up(addresses: [SocketAddr; 2], terms: &Value) -> Result<([String; 2], String), Lost> {
    let [mut one, mut two] = [connect(addresses[0])?, connect(addresses[1])?];
    for socket in [&mut one, &mut two] {
        send(socket, &json!({"type": "hello", "proto": 2, "client": "tests"}))?;
        until(socket, "welcome")?;
    }
    let token = |welcome: &Value| welcome["token"].as_str().expect("a token").to_owned();
    let create = json!({"type": "create", "id": "create", "max_turns": MOST_TURNS});
    send(&mut one, &with(&create, terms))?;
    let first = token(&until(&mut one, "welcome")?);
    let code = until(&mut one, "snap")?["code"].as_str().expect("a code").to_owned();
    send(&mut two, &json!({"type": "join", "code": code}))?;
    let second = token(&until(&mut two, "welcome")?);
    until(&mut two, "snap")?;
    Ok(([first, second], code))
}
