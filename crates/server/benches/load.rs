//! Load on a real server in a process of its own, from a client of one thread on the same machine.
//!
//! `cargo bench -p skirmish-server --bench load -- MODE` prints one JSON line. Modes: `cycle N C` (N matches, C at a time,
//! by guests who come back for match after match: connect, create, join, play, leave), `play N` (N matches set up first, then all played at once), `pace N MS` (players think
//! about MS before each move), `open N` (N open matches with two connections each: memory), `junk N` (a paced game beside
//! a connection that sends N junk frames, and without it), `start` (time until it listens). Without a mode, short runs of
//! each. Every move is durable before it is answered.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde::{Deserialize, Serialize};
use skirmish_server::{Config, Database, Limits, Server};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// No run takes longer.
const PATIENCE: Duration = Duration::from_mins(4);

/// Short runs of all modes.
const ALL: [&str; 5] = ["start", "cycle 200 50", "play 100", "open 200", "junk 20000"];

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first() == Some(&"server") {
        return serve(words[1]);
    }
    let modes: Vec<Vec<&str>> = if words.is_empty() {
        ALL.into_iter().map(|mode| mode.split(' ').collect()).collect()
    } else {
        vec![words]
    };
    for mode in modes {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(async { timeout(PATIENCE, measure(&mode)).await })??;
        println!("{}", serde_json::to_string(&result)?);
    }
    Ok(())
}

/// The server's process: prints its address, and stops when its input ends.
fn serve(folder: &str) -> Result<(), Failure> {
    let server = Server::start(Config {
        games: skirmish_rules::GAMES,
        listen: "127.0.0.1:0".parse()?,
        database: Database::Folder(folder.into()),
        url: None,
        tls: None,
        memory: 64 << 20,
        metrics: None,
        limits: if std::env::var_os("LIMITS").is_some() {
            Limits::default()
        } else {
            Limits::none()
        },
        log: skirmish_server::Log::none(),
    })?;
    println!("{}", server.address());
    std::io::stdout().flush()?;
    let _ = std::io::stdin().lock().lines().count();
    server.stop();
    Ok(())
}

/// A server in a process of its own.
struct Process {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
    /// How long it took until it listened.
    start: Duration,
}

impl Process {
    fn start(limited: bool) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("server").arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        if limited {
            command.env("LIMITS", "1");
        }
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let address = line.trim().parse()?;
        Ok(Self { child, address, _folder: folder, start: begun.elapsed() })
    }

    /// The CPU time used, in milliseconds, and the resident memory, in KiB.
    fn usage(&self) -> (f64, f64) {
        let pid = self.child.id();
        let read =
            |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let stat = read("stat");
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks = |index: usize| {
            fields.get(index).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0)
        };
        let status = read("status");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident =
            resident.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        // A tick is 10 ms.
        ((ticks(11) + ticks(12)) * 10.0, resident.unwrap_or(0.0))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A client's connection.
struct Client {
    socket: WebSocketStream<TcpStream>,
    /// The token, if the server has just given one.
    token: Option<String>,
}

/// What a client needs of a message.
#[derive(Deserialize)]
struct Seen {
    r#type: String,
    code: Option<String>,
    v: Option<u64>,
    text: Option<String>,
    event: Option<String>,
    end: Option<serde_json::Value>,
    token: Option<String>,
}

impl Client {
    /// Connects as the guest with this token, or as a new one.
    async fn connect(address: SocketAddr, token: Option<&str>) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut config = WebSocketConfig::default();
        config.read_buffer_size = 4096;
        config.write_buffer_size = 0;
        let (socket, _) =
            client_async_with_config(format!("ws://{address}/ws"), stream, Some(config)).await?;
        let mut client = Self { socket, token: None };
        let token = token.map_or_else(String::new, |token| format!(r#","token":"{token}""#));
        client.send(format!(r#"{{"type":"hello","proto":1,"client":"load"{token}}}"#)).await?;
        client.until("welcome").await?;
        Ok(client)
    }

    async fn send(&mut self, text: String) -> Result<(), Failure> {
        Ok(self.socket.send(Message::Text(text.into())).await?)
    }

    async fn next(&mut self) -> Result<Seen, Failure> {
        loop {
            match self.socket.next().await.ok_or("the connection was closed")?? {
                Message::Text(text) => return Ok(serde_json::from_str(&text)?),
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

    /// The next turn.
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
struct Match {
    code: String,
    v: u64,
    players: [Client; 2],
}

const NO_CLOCK: &str = r#""game":"capture-the-line","seat":"p1""#;

/// How many matches have been created.
static CREATED: AtomicUsize = AtomicUsize::new(0);

/// Tokens of two players who come back for match after match.
type Tokens = [Option<String>; 2];

async fn set_up(address: SocketAddr, tokens: &mut Tokens) -> Result<Match, Failure> {
    let mut one = Client::connect(address, tokens[0].as_deref()).await?;
    let mut two = Client::connect(address, tokens[1].as_deref()).await?;
    // An id that is sent again would get its first answer.
    let id = CREATED.fetch_add(1, Relaxed);
    one.send(format!(r#"{{"type":"create","id":"create {id}",{NO_CLOCK}}}"#)).await?;
    let code = one.until("snap").await?.code.ok_or("a snapshot has a code")?;
    two.send(format!(r#"{{"type":"join","code":"{code}"}}"#)).await?;
    let v = two.until("snap").await?.v.ok_or("a snapshot has a version")?;
    one.until("snap").await?;
    for (token, client) in tokens.iter_mut().zip([&mut one, &mut two]) {
        *token = client.token.take().or_else(|| token.take());
    }
    Ok(Match { code, v, players: [one, two] })
}

/// What was measured of moves: from sending until both players have it, in milliseconds.
type Latencies = Arc<Mutex<Vec<f64>>>;

async fn play(mut game: Match, think: u64, latencies: &Latencies) -> Result<Match, Failure> {
    let mut mover = 0;
    let code = game.code.bytes().fold(0, |sum: u64, byte| (sum << 8) | u64::from(byte));
    let mut seed = code.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut measured = Vec::new();
    for id in 2.. {
        if think > 0 {
            tokio::time::sleep(Duration::from_millis(think / 2 + (seed >> 33) % think)).await;
        }
        // One or two steps by chance, as on the other servers.
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

#[derive(Default, Serialize)]
struct Figures {
    mode: String,
    matches: usize,
    moves: usize,
    wall_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    server_cpu_ms_per_match: f64,
    rss_mib_per_1000: f64,
    start_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    p99_ms_alone: Option<f64>,
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn share(sorted: &[f64], share: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().map_or(0.0, round)
}

/// Runs `count` jobs, `at_once` at a time.
async fn pool<T: Send + 'static, F>(
    count: usize,
    at_once: usize,
    job: impl Fn(Tokens) -> F + Clone + Send + 'static,
) -> Result<Vec<T>, Failure>
where
    F: Future<Output = Result<(T, Tokens), Failure>> + Send,
{
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = Vec::new();
    for _ in 0..at_once.min(count) {
        let (next, job) = (Arc::clone(&next), job.clone());
        workers.push(tokio::spawn(async move {
            let (mut done, mut tokens) = (Vec::new(), Tokens::default());
            while next.fetch_add(1, Relaxed) < count {
                let result;
                (result, tokens) = job(tokens).await?;
                done.push(result);
            }
            Ok::<Vec<T>, Failure>(done)
        }));
    }
    let mut all = Vec::new();
    for worker in workers {
        all.append(&mut worker.await??);
    }
    Ok(all)
}

async fn measure(words: &[&str]) -> Result<Figures, Failure> {
    let number =
        |index: usize, default: usize| words.get(index).map_or(Ok(default), |word| word.parse());
    let mode = words.first().copied().unwrap_or("cycle");
    let count: usize = number(1, 100)?;
    let process = Process::start(mode == "junk")?;
    let address = process.address;
    let latencies = Latencies::default();
    let mut figures = Figures { mode: words.join(" "), ..Figures::default() };
    figures.start_ms = round(process.start.as_secs_f64() * 1000.0);
    let (mut cpu, memory) = process.usage();
    let mut begun = Instant::now();
    let mut matches = Vec::new();
    match mode {
        "start" => {}
        "cycle" => {
            let latencies = Arc::clone(&latencies);
            let job = move |mut tokens: Tokens| {
                let latencies = Arc::clone(&latencies);
                async move {
                    let game = set_up(address, &mut tokens).await?;
                    let game = play(game, 0, &latencies).await?;
                    for mut player in game.players {
                        let _ = player.socket.close(None).await;
                    }
                    Ok(((), tokens))
                }
            };
            pool(count, number(2, 50)?, job).await?;
        }
        "play" | "pace" | "open" => {
            let job = move |mut tokens: Tokens| async move {
                let game = set_up(address, &mut tokens).await?;
                // Everybody plays one match.
                Ok((game, Tokens::default()))
            };
            matches = pool(count, 32, job).await?;
            (cpu, begun) = (process.usage().0, Instant::now());
            if mode != "open" {
                let think = if mode == "pace" { number(2, 200)? as u64 } else { 0 };
                let games = std::mem::take(&mut matches).into_iter().map(|game| {
                    let latencies = Arc::clone(&latencies);
                    tokio::spawn(async move { play(game, think, &latencies).await })
                });
                for game in games.collect::<Vec<_>>() {
                    matches.push(game.await??);
                }
            }
        }
        "junk" => {
            let alone = paced(address, 20).await?;
            let junk = tokio::spawn(flood(address, count));
            let beside = paced(address, 20).await?;
            let closed = junk.await??;
            eprintln!("the junk connection: {closed}");
            figures.p99_ms_alone = Some(share(&alone, 0.99));
            *latencies.lock().await = beside;
        }
        other => {
            return Err(format!(
                "{other} is not a mode: expected cycle, play, pace, open, junk or start"
            )
            .into());
        }
    }
    figures.wall_s = round(begun.elapsed().as_secs_f64());
    let (cpu_after, memory_after) = process.usage();
    let mut latencies = latencies.lock().await;
    latencies.sort_by(f64::total_cmp);
    figures.matches = if mode == "start" || mode == "junk" { 0 } else { count };
    figures.moves = latencies.len();
    (figures.p50_ms, figures.p99_ms, figures.max_ms) =
        (share(&latencies, 0.5), share(&latencies, 0.99), share(&latencies, 1.0));
    #[allow(clippy::cast_precision_loss)]
    let per_match = |value: f64| round(value / count.max(1) as f64);
    figures.server_cpu_ms_per_match = per_match(cpu_after - cpu);
    figures.rss_mib_per_1000 = per_match((memory_after - memory) / 1024.0 * 1000.0);
    drop(matches);
    Ok(figures)
}

/// Some games in which players think about 20 ms before a move.
async fn paced(address: SocketAddr, games: usize) -> Result<Vec<f64>, Failure> {
    let latencies = Latencies::default();
    for _ in 0..games {
        play(set_up(address, &mut Tokens::default()).await?, 20, &latencies).await?;
    }
    let mut measured = std::mem::take(&mut *latencies.lock().await);
    measured.sort_by(f64::total_cmp);
    Ok(measured)
}

/// Sends junk until it is all sent or the server closes the connection, and says how it ended; then again.
async fn flood(address: SocketAddr, frames: usize) -> Result<String, Failure> {
    let mut sent = 0;
    let mut closed = 0;
    let mut last = String::new();
    while sent < frames {
        let Ok(mut client) = Client::connect(address, None).await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            sent += 1;
            continue;
        };
        while sent < frames {
            sent += 1;
            if client.socket.feed(Message::Text("{\"type\":\"junk\",".into())).await.is_err() {
                break;
            }
        }
        let _ = client.socket.flush().await;
        closed += 1;
        while let Ok(seen) = client.next().await {
            if seen.r#type == "bye" {
                last = seen.text.unwrap_or_default();
            }
        }
    }
    Ok(format!("{sent} frames, closed {closed} times, last: {last}"))
}
