//! A single-threaded client, and a match between two clients.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Mutex;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::Failure;

/// A client's connection to the server.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<TcpStream>,
    /// The token, if the server has just issued one.
    token: Option<String>,
}

/// The number of clients that have connected so far.
static CONNECTED: AtomicU8 = AtomicU8::new(0);

/// The number of addresses that clients connect from, because some limits apply per address.
const PLACES: u8 = 16;

/// The fields of a server message that a client needs.
#[derive(Deserialize)]
pub(crate) struct Seen {
    pub(crate) r#type: String,
    code: Option<String>,
    v: Option<u64>,
    pub(crate) text: Option<String>,
    event: Option<String>,
    end: Option<serde_json::Value>,
    token: Option<String>,
}

impl Client {
    /// Connects as the guest with this token, or as a new guest.
    pub(crate) async fn connect(address: SocketAddr, token: Option<&str>) -> Result<Self, Failure> {
        let socket = TcpSocket::new_v4()?;
        let number = CONNECTED.fetch_add(1, Relaxed) % PLACES;
        socket.bind((Ipv4Addr::new(127, 0, 1, number), 0).into())?;
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        let mut config = WebSocketConfig::default();
        config.read_buffer_size = 4096;
        config.write_buffer_size = 0;
        let (socket, _) =
            client_async_with_config(format!("ws://{address}/ws"), stream, Some(config)).await?;
        let mut client = Self { socket, token: None };
        let token = token.map_or_else(String::new, |token| format!(r#","token":"{token}""#));
        client.send(format!(r#"{{"type":"hello","proto":2,"client":"load"{token}}}"#)).await?;
        client.until("welcome").await?;
        Ok(client)
    }

    /// The token that the server has just issued, or else the previous one.
    pub(crate) fn token(&mut self, before: Option<String>) -> Option<String> {
        self.token.take().or(before)
    }

    pub(crate) async fn send(&mut self, text: String) -> Result<(), Failure> {
        Ok(self.socket.send(Message::Text(text.into())).await?)
    }

    pub(crate) async fn next(&mut self) -> Result<Seen, Failure> {
        Ok(serde_json::from_str(&self.text().await?)?)
    }

    /// The text of the next message.
    pub(crate) async fn text(&mut self) -> Result<String, Failure> {
        loop {
            match self.socket.next().await.ok_or("the connection was closed")?? {
                Message::Text(text) => return Ok(text.as_str().to_owned()),
                Message::Close(_) => return Err("the server closed the connection".into()),
                _ => {}
            }
        }
    }

    async fn until(&mut self, kind: &str) -> Result<Seen, Failure> {
        loop {
            let mut seen = self.next().await?;
            if seen.token.is_some() {
                self.token = seen.token.take();
            }
            if seen.r#type == kind {
                return Ok(seen);
            }
            if seen.r#type == "rej" || seen.r#type == "bye" {
                return Err(seen.text.unwrap_or_default().into());
            }
        }
    }

    /// The next turn event.
    async fn turn(&mut self) -> Result<Seen, Failure> {
        loop {
            let seen = self.until("ev").await?;
            if seen.event.as_deref() == Some("turn") {
                return Ok(seen);
            }
        }
    }
}

/// A match of Capture the Line.
pub(crate) struct Match {
    pub(crate) code: String,
    v: u64,
    pub(crate) players: [Client; 2],
}

const NO_CLOCK: &str = r#""game":"capture-the-line","seat":"p1""#;

/// The number of matches created so far.
static CREATED: AtomicUsize = AtomicUsize::new(0);

/// The tokens of two players who come back for one match after another.
pub(crate) type Tokens = [Option<String>; 2];

/// Sets up a match between two guests, on different nodes if there are several.
pub(crate) async fn set_up(
    addresses: &[SocketAddr],
    tokens: &mut Tokens,
) -> Result<Match, Failure> {
    begin(NO_CLOCK, addresses, tokens).await
}

/// Sets up a match with the given terms.
pub(crate) async fn begin(
    terms: &str,
    addresses: &[SocketAddr],
    tokens: &mut Tokens,
) -> Result<Match, Failure> {
    // Use a new ID: a repeated ID would get the answer to the first request.
    let id = CREATED.fetch_add(1, Relaxed);
    let address = |player: usize| addresses[(id + player) % addresses.len()];
    let mut one = Client::connect(address(0), tokens[0].as_deref()).await?;
    let mut two = Client::connect(address(1), tokens[1].as_deref()).await?;
    one.send(format!(r#"{{"type":"create","id":"create {id}",{terms}}}"#)).await?;
    let code = one.until("snap").await?.code.ok_or("a snapshot has a code")?;
    two.send(format!(r#"{{"type":"join","code":"{code}"}}"#)).await?;
    let v = two.until("snap").await?.v.ok_or("a snapshot has a version")?;
    one.until("snap").await?;
    for (token, client) in tokens.iter_mut().zip([&mut one, &mut two]) {
        *token = client.token(token.take());
    }
    Ok(Match { code, v, players: [one, two] })
}

/// The measured latencies of moves in milliseconds, each from sending a move until both players have it.
pub(crate) type Latencies = Arc<Mutex<Vec<f64>>>;

/// Plays a match to its end. Players think for the given number of milliseconds before each move.
pub(crate) async fn play(
    mut game: Match,
    think: u64,
    latencies: &Latencies,
) -> Result<Match, Failure> {
    let mut mover = 0;
    let code = game.code.bytes().fold(0, |sum: u64, byte| (sum << 8) | u64::from(byte));
    let mut seed = code.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut measured = Vec::new();
    for id in 2.. {
        if think > 0 {
            tokio::time::sleep(Duration::from_millis(think / 2 + (seed >> 33) % think)).await;
        }
        // Choose one or two steps at random, as on the other servers.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let step = 1 + (seed >> 60) % 2;
        let Match { code, v, players } = &mut game;
        let begun = Instant::now();
        players[mover]
            .send(format!(r#"{{"type":"act","id":{id},"code":"{code}","v":{v},"move":"{step}"}}"#))
            .await?;
        let [one, two] = players;
        let (one, two) = tokio::try_join!(one.turn(), two.turn())?;
        measured.push(begun.elapsed().as_secs_f64() * 1000.0);
        game.v = one.v.ok_or("an event has a version")?;
        mover = 1 - mover;
        if two.end.is_some() {
            break;
        }
    }
    latencies.lock().await.append(&mut measured);
    Ok(game)
}
