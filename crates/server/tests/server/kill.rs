//! The server's process is killed under load, again and again. Nothing that was acknowledged is lost, and nothing is applied
//! twice. `KILLS` says how often; `scripts/check-kill` does it 200 times.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use skirmish_room::wire::{ClientMessage, MessageId, Offer, ServerMessage, StageName};
use skirmish_room::{Logged, Mirror, Notice, Room, RoomEvent};
use skirmish_rules::GAMES;
use skirmish_server::{Config, Database, Limits, Server};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

use crate::restart::log;
use crate::support::PATIENCE;

/// In this variable the process that is to be the server finds its data folder.
const FOLDER: &str = "SKIRMISH_TEST_SERVER";

/// What the server prints before its address.
const LISTENING: &str = "listening on ";

const TEST: &str = "kill::what_was_acknowledged_survives_when_the_server_is_killed";

/// After so many pongs, two milliseconds apart, a game in which nothing happens is stuck. A machine that is merely slow answers
/// fewer pings.
const MOST_IDLE: u32 = 20_000;

/// The process of the server.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", TEST, "--nocapture"]).env(FOLDER, folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server's process");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let address = output.lines().map_while(Result::ok).find_map(|line| {
            line.split_once(LISTENING).and_then(|(_, address)| address.parse().ok())
        });
        Self { child, address: address.expect("the server listens") }
    }

    fn kill(mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("it has ended");
    }
}

/// The server, in a process of its own, until its input ends.
fn serve(folder: &str) {
    let config = Config {
        games: GAMES,
        listen: "127.0.0.1:0".parse().expect("an address"),
        database: Database::Folder(folder.into()),
        url: None,
        tls: None,
        memory: 16 << 20,
        metrics: None,
        limits: Limits::none(),
        log: skirmish_server::Log::none(),
    };
    let server = Server::start(config).expect("the server starts");
    println!("{LISTENING}{}", server.address());
    let _ = std::io::stdin().lines().count();
    server.stop();
}

/// What the players share.
struct Stage {
    address: Mutex<SocketAddr>,
    /// How many acknowledgements all have got.
    acknowledged: AtomicU64,
    is_over: AtomicBool,
}

/// Somebody who plays in one room, and reconnects as often as necessary.
struct Player {
    stage: Arc<Stage>,
    token: String,
    mirror: Mirror,
    /// The texts of the choices that were sent, and the versions of those that were acknowledged.
    sent: BTreeMap<MessageId, String>,
    acknowledged: BTreeMap<MessageId, u64>,
    /// How many pongs have come since something happened in the game.
    idle: u32,
}

type Socket = WebSocket<TcpStream>;

/// Why a connection ended; the player connects again.
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
        assert!(message["type"] != "rej" && message["type"] != "bye", "{message}");
    }
}

impl Player {
    fn new(stage: &Arc<Stage>, token: String, code: &str) -> Self {
        // The token's first letters make the ids of the players differ.
        let mirror = Mirror::new(GAMES, code, &token[..8]);
        let (sent, acknowledged) = (BTreeMap::new(), BTreeMap::new());
        Self { stage: Arc::clone(stage), token, mirror, sent, acknowledged, idle: 0 }
    }

    /// Plays until the test is over and every message is answered.
    fn play(mut self) -> Self {
        while !self.is_done() {
            let address = *self.stage.address.lock().expect("no panic");
            // The server was killed, and another one starts.
            if self.talk(address).is_err() {
                thread::sleep(Duration::from_millis(2));
            }
        }
        self
    }

    fn is_done(&self) -> bool {
        self.stage.is_over.load(SeqCst) && !self.mirror.is_waiting_for_answer()
    }

    fn talk(&mut self, address: SocketAddr) -> Result<(), Lost> {
        let mut socket = connect(address)?;
        let hello = json!({"type": "hello", "proto": 1, "client": "tests", "token": self.token});
        send(&mut socket, &hello)?;
        until(&mut socket, "welcome")?;
        for message in self.mirror.connected(false) {
            send(&mut socket, &message)?;
        }
        // Whoever has nothing to do learns from pongs that the test is over.
        send(&mut socket, &ClientMessage::Ping)?;
        while !self.is_done() {
            self.take(&receive(&mut socket)?, &mut socket)?;
            if let Some(message) = self.mirror.catch_up() {
                send(&mut socket, &message)?;
            }
            if let Some(message) = self.next_message() {
                if let ClientMessage::Act { id, choice, .. } = &message {
                    self.sent.insert(id.clone(), choice.clone());
                }
                send(&mut socket, &message)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, text: &str, socket: &mut Socket) -> Result<(), Lost> {
        let message: ServerMessage = serde_json::from_str(text).expect("a message parses");
        match &message {
            ServerMessage::Ack { id, v: Some(v), .. } if self.sent.contains_key(id) => {
                self.stage.acknowledged.fetch_add(1, SeqCst);
                let before = self.acknowledged.insert(id.clone(), *v);
                assert!(before.is_none_or(|before| before == *v), "{text}: first {before:?}");
            }
            ServerMessage::Snap(snap) => self.has_seen(snap.v, text),
            ServerMessage::Ev(_) => self.idle = 0,
            ServerMessage::Pong { versions } => {
                if let Some(v) = versions.get(self.mirror.code()) {
                    self.has_seen(*v, text);
                }
                self.idle += 1;
                assert!(self.idle < MOST_IDLE, "the game stands still: {text}");
                thread::sleep(Duration::from_millis(2));
                send(socket, &ClientMessage::Ping)?;
            }
            ServerMessage::Bye { .. } => panic!("{text}"),
            _ => {}
        }
        self.mirror.receive(message);
        while let Some(notice) = self.mirror.advance() {
            // Both may offer a rematch at once, or the game may have gone on; no choice is refused.
            if let Notice::Refused(rej) = notice {
                let is_choice = rej.id.as_ref().is_some_and(|id| self.sent.contains_key(id));
                assert!(!is_choice, "{rej:?}");
            }
        }
        Ok(())
    }

    /// The server may know more than the player, never less.
    fn has_seen(&self, v: u64, text: &str) {
        let seen = self.mirror.version();
        assert!(v >= seen, "version {seen} was seen and is lost: {text}");
    }

    /// What to do now: the last legal choice, or a rematch.
    fn next_message(&mut self) -> Option<ClientMessage> {
        if self.mirror.is_waiting_for_answer() || self.stage.is_over.load(SeqCst) {
            return None;
        }
        if let Some(side) = self.mirror.asked() {
            let choices = self.mirror.session()?.table().choices(side);
            let choice = choices.last()?.notation.clone();
            return Some(self.mirror.act(&choice));
        }
        let (you, offers) = (self.mirror.you()?, self.mirror.offers());
        let wants_more = self.mirror.stage() == StageName::Over && offers[you].is_none();
        wants_more.then(|| self.mirror.offer(Offer::Rematch))
    }
}

/// Two people in a room of this game: their tokens and the code.
fn set_up(address: SocketAddr, game: &str) -> Result<([String; 2], String), Lost> {
    let mut sockets = [connect(address)?, connect(address)?];
    for socket in &mut sockets {
        send(socket, &json!({"type": "hello", "proto": 1, "client": "tests"}))?;
        until(socket, "welcome")?;
    }
    let [one, two] = &mut sockets;
    let token = |welcome: &Value| welcome["token"].as_str().expect("a token").to_owned();
    send(one, &json!({"type": "create", "id": "create", "game": game, "max_turns": 40}))?;
    let first = token(&until(one, "welcome")?);
    let code = until(one, "snap")?["code"].as_str().expect("a code").to_owned();
    send(two, &json!({"type": "join", "code": code}))?;
    let second = token(&until(two, "welcome")?);
    until(two, "snap")?;
    Ok(([first, second], code))
}

/// Checks what a player knows against the log: every acknowledged choice is there once, at its version, and no choice twice.
fn check(player: &Player, log: &[Logged]) {
    let mut found: BTreeMap<MessageId, u64> = BTreeMap::new();
    for (v, logged) in (1..).zip(log) {
        let RoomEvent::Chose { text, .. } = &logged.event else { continue };
        let id = &logged.by.as_ref().expect("people choose here").id;
        let Some(sent) = player.sent.get(id) else { continue };
        assert_eq!(text, sent, "version {v}");
        assert_eq!(found.insert(id.clone(), v), None, "{id:?} was applied twice");
    }
    assert_eq!(player.acknowledged, found, "what was acknowledged and what is in the log");
    assert_eq!(found.len(), player.sent.len(), "every choice was answered in the end");
}

#[test]
fn what_was_acknowledged_survives_when_the_server_is_killed() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return serve(&folder);
    }
    let kills = std::env::var("KILLS").map_or(5, |kills| kills.parse().expect("a number of kills"));
    let folder = TempDir::new().expect("a temporary folder");
    let mut process = Process::start(folder.path());
    let stage = Arc::new(Stage {
        address: Mutex::new(process.address),
        acknowledged: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    });
    let mut players = Vec::new();
    for entry in GAMES.iter() {
        let (tokens, code) = set_up(process.address, entry.id).expect("the server runs");
        for token in tokens {
            let player = Player::new(&stage, token, &code);
            players.push((code.clone(), thread::spawn(move || player.play())));
        }
    }
    let mut seed = 7_u64;
    for _ in 0..kills {
        // The server dies in the middle of its work, after some more acknowledgements.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let enough = stage.acknowledged.load(SeqCst) + (seed >> 33) % 40;
        while stage.acknowledged.load(SeqCst) < enough {
            assert!(players.iter().all(|(_, player)| !player.is_finished()), "a player has failed");
            thread::sleep(Duration::from_micros(200));
        }
        process.kill();
        process = Process::start(folder.path());
        *stage.address.lock().expect("no panic") = process.address;
    }
    stage.is_over.store(true, SeqCst);
    let players: Vec<(String, Player)> = players
        .into_iter()
        .map(|(code, player)| (code, player.join().expect("a player who noticed nothing")))
        .collect();
    process.kill();
    let mut games = BTreeMap::new();
    for (code, player) in &players {
        let log = log(folder.path(), code);
        check(player, &log);
        games.insert(code, Room::fold(GAMES, &log).expect("the log folds").number());
    }
    println!(
        "{kills} kills: {} choices in {} games, none lost, none applied twice",
        stage.acknowledged.load(SeqCst),
        games.values().sum::<u32>()
    );
}
