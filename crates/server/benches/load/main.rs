//! Load tests of a real server in its own process, or of several nodes, with a single-threaded client on the same
//! machine.
//!
//! `cargo bench -p skirmish-server --bench load -- MODE` prints one JSON line. Modes: `cycle N C` (N matches, C at a
//! time, by guests who come back for one match after another: connect, create, join, play, leave), `play N` (sets up N
//! matches first, then plays all at once), `pace N MS` (players think for MS before each move), `open N` (memory used
//! by N open matches with two connections each), `idle N` (memory used by N connections without a match), `junk N` (a
//! paced game with and without a connection that sends N junk frames), `flood TARGET SOCKETS TIMES` (players with and
//! without a flood of pipelined HTTP requests, alternating; without a target, all floods), `start` (time until the
//! server listens). Without a mode, runs a short version of each. Every move is durable before it is answered.
//!
//! `faults [FAULT]` measures players on three nodes while one node is killed, hangs, or is cut off from the database,
//! the bus or both, and while no node can reach the database. It needs `scripts/with-databases`, like the next mode.
//!
//! `nodes K MODE` measures K nodes that share one `PostgreSQL` and NATS server; the players of a match are on different
//! nodes. `scripts/compare-nodes` compares different numbers of nodes.

mod client;
mod faults;
mod flood;
mod ground;
#[path = "../../tests/server/line.rs"]
#[allow(dead_code)] // only the tests query whether a connection is cut
mod line;
mod servers;
mod usage;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::SinkExt;
use serde::Serialize;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use client::{Client, Latencies, Match, Tokens, play, set_up};
use ground::{Ground, Work};
use servers::{Servers, serve};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The time limit of every run.
const PATIENCE: Duration = Duration::from_mins(4);

/// Short runs of every mode.
const ALL: [&str; 7] = [
    "start",
    "cycle 200 50",
    "play 100",
    "open 200",
    "idle 200",
    "junk 20000",
    "flood /explore 64 1",
];

/// The number of matches used to count the messages between nodes.
const TALK: usize = 20;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        ["server", place @ ..] => return serve(place),
        ["flooder", rest @ ..] => return flood::run(rest),
        _ => {}
    }
    let modes: Vec<Vec<&str>> = if words.is_empty() {
        ALL.into_iter().map(|mode| mode.split(' ').collect()).collect()
    } else {
        vec![words]
    };
    for mode in modes {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        match &mode[..] {
            ["flood", rest @ ..] => runtime.block_on(flood::measure(rest))?,
            ["faults", rest @ ..] => runtime.block_on(faults::measure(rest))?,
            mode => {
                let run = async { timeout(PATIENCE, measure(mode)).await };
                println!("{}", serde_json::to_string(&runtime.block_on(run)??)?);
            }
        }
    }
    Ok(())
}

#[derive(Default, Serialize)]
struct Figures {
    mode: String,
    matches: usize,
    moves: usize,
    wall_s: f64,
    matches_per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    /// The CPU time of all nodes together.
    server_cpu_ms_per_match: f64,
    rss_mib_per_1000: f64,
    stored_bytes_per_match: f64,
    start_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    p99_ms_alone: Option<f64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    shared: Option<SharedFigures>,
}

/// Figures for the database and the bus that nodes share.
#[derive(Serialize)]
struct SharedFigures {
    postgres_cpu_ms_per_match: f64,
    nats_cpu_ms_per_match: f64,
    commits_per_match: f64,
    wal_bytes_per_match: f64,
    nats_messages_per_move: f64,
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn share(sorted: &[f64], share: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().map_or(0.0, round)
}

/// Runs `count` jobs, up to `at_once` at a time.
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

/// Plays `count` matches, up to `at_once` at a time: connect, create, join, play, leave. Players think for about
/// `think` milliseconds before each move.
async fn cycle(
    addresses: &Arc<[SocketAddr]>,
    latencies: &Latencies,
    (count, at_once, think): (usize, usize, u64),
) -> Result<(), Failure> {
    let (addresses, latencies) = (Arc::clone(addresses), Arc::clone(latencies));
    let job = move |mut tokens: Tokens| {
        let (addresses, latencies) = (Arc::clone(&addresses), Arc::clone(&latencies));
        async move {
            let game = set_up(&addresses, &mut tokens).await?;
            let game = play(game, think, &latencies).await?;
            for mut player in game.players {
                let _ = player.socket.close(None).await;
            }
            Ok(((), tokens))
        }
    };
    pool(count, at_once, job).await?;
    Ok(())
}

async fn measure(words: &[&str]) -> Result<Figures, Failure> {
    let (servers, words) = match words {
        ["nodes", count, rest @ ..] => (Servers::nodes(count.parse()?).await?, rest),
        words => (Servers::alone(words.first() == Some(&"junk"))?, words),
    };
    let mut run = Run {
        addresses: servers.addresses().into(),
        latencies: Latencies::default(),
        begun: Instant::now(),
        before: Before::of(&servers).await?,
        p99_alone: None,
        matches: Vec::new(),
        idle: Vec::new(),
        servers,
    };
    run.load(words).await?;
    run.figures(words).await
}

/// The resources used before the measured part began.
struct Before {
    usage: usage::Usage,
    work: Work,
    stored: u64,
}

impl Before {
    async fn of(servers: &Servers) -> Result<Self, Failure> {
        let work = match servers.ground() {
            Some(ground) => ground.work().await?,
            None => Work::default(),
        };
        Ok(Self { usage: servers.usage(), work, stored: servers.stored().await? })
    }
}

/// A measurement.
struct Run {
    servers: Servers,
    addresses: Arc<[SocketAddr]>,
    latencies: Latencies,
    begun: Instant,
    before: Before,
    p99_alone: Option<f64>,
    /// Matches and connections that are kept open until the end.
    matches: Vec<Match>,
    idle: Vec<Client>,
}

fn number(words: &[&str], index: usize, default: usize) -> Result<usize, Failure> {
    Ok(words.get(index).map_or(Ok(default), |word| word.parse())?)
}

impl Run {
    async fn load(&mut self, words: &[&str]) -> Result<(), Failure> {
        let count = number(words, 1, 100)?;
        match words.first().copied().unwrap_or("cycle") {
            "start" => {}
            "cycle" => {
                let at_once = number(words, 2, 50)?;
                cycle(&self.addresses, &self.latencies, (count, at_once, 0)).await?;
            }
            "open" => self.open(count).await?,
            "play" => self.play(count, 0).await?,
            "pace" => self.play(count, number(words, 2, 200)? as u64).await?,
            "idle" => {
                for index in 0..count {
                    let address = self.addresses[index % self.addresses.len()];
                    self.idle.push(Client::connect(address, None).await?);
                }
            }
            "junk" => self.junk(count).await?,
            other => {
                return Err(format!(
                    "{other} is not a mode: expected cycle, play, pace, open, idle, junk, flood, faults or start"
                )
                .into());
            }
        }
        Ok(())
    }

    async fn open(&mut self, count: usize) -> Result<(), Failure> {
        let addresses = Arc::clone(&self.addresses);
        let job = move |mut tokens: Tokens| {
            let addresses = Arc::clone(&addresses);
            // Use new guests for every match.
            async move { Ok((set_up(&addresses, &mut tokens).await?, Tokens::default())) }
        };
        self.matches = pool(count, 32, job).await?;
        Ok(())
    }

    /// Sets up all matches, and then measures how they are played.
    async fn play(&mut self, count: usize, think: u64) -> Result<(), Failure> {
        let memory = self.before.usage.memory;
        self.open(count).await?;
        (self.before, self.begun) = (Before::of(&self.servers).await?, Instant::now());
        self.before.usage.memory = memory;
        let games = std::mem::take(&mut self.matches).into_iter().map(|game| {
            let latencies = Arc::clone(&self.latencies);
            tokio::spawn(async move { play(game, think, &latencies).await })
        });
        for game in games.collect::<Vec<_>>() {
            self.matches.push(game.await??);
        }
        Ok(())
    }

    async fn junk(&mut self, count: usize) -> Result<(), Failure> {
        let address = self.addresses[0];
        let alone = paced(address, 20).await?;
        let junk = tokio::spawn(flood(address, count));
        let beside = paced(address, 20).await?;
        let closed = junk.await??;
        eprintln!("the junk connection: {closed}");
        self.p99_alone = Some(share(&alone, 0.99));
        *self.latencies.lock().await = beside;
        Ok(())
    }

    #[allow(clippy::cast_precision_loss)]
    async fn figures(self, words: &[&str]) -> Result<Figures, Failure> {
        let seconds = self.begun.elapsed().as_secs_f64();
        let (mode, count) = (words.first().copied().unwrap_or("cycle"), number(words, 1, 100)?);
        let per_match = |value: f64| round(value / count.max(1) as f64);
        let (usage, nodes) = (self.servers.usage(), self.addresses.len());
        let shared = match self.servers.ground() {
            Some(ground) => Some(self.shared(ground, per_match).await?),
            None => None,
        };
        drop((self.matches, self.idle));
        let (start, before) = (self.servers.start, self.before);
        let stored = self.servers.stop().await?.saturating_sub(before.stored);
        let stored_by = count.max(1) + if shared.is_some() { TALK } else { 0 };
        let mut latencies = self.latencies.lock().await;
        latencies.sort_by(f64::total_cmp);
        let is_counted = !["start", "junk", "idle"].contains(&mode);
        let words = words.join(" ");
        Ok(Figures {
            mode: if shared.is_some() { format!("nodes {nodes} {words}") } else { words },
            matches: if is_counted { count } else { 0 },
            moves: latencies.len(),
            wall_s: round(seconds),
            matches_per_s: if is_counted { round(count as f64 / seconds) } else { 0.0 },
            p50_ms: share(&latencies, 0.5),
            p99_ms: share(&latencies, 0.99),
            max_ms: share(&latencies, 1.0),
            server_cpu_ms_per_match: per_match(usage.cpu - before.usage.cpu),
            rss_mib_per_1000: per_match((usage.memory - before.usage.memory) / 1024.0 * 1000.0),
            stored_bytes_per_match: round(stored as f64 / stored_by as f64),
            start_ms: round(start.as_secs_f64() * 1000.0),
            p99_ms_alone: self.p99_alone,
            shared,
        })
    }

    /// The work of the database and the bus. Messages between nodes are counted in additional matches, because counting
    /// burdens the bus.
    #[allow(clippy::cast_precision_loss)]
    async fn shared(
        &self,
        ground: &Ground,
        per_match: impl Fn(f64) -> f64,
    ) -> Result<SharedFigures, Failure> {
        let (work, before) = (ground.work().await?, self.before.work);
        let messages = ground.count().await?;
        let moves = Latencies::default();
        for _ in 0..TALK {
            play(set_up(&self.addresses, &mut Tokens::default()).await?, 0, &moves).await?;
        }
        let moves = moves.lock().await.len();
        Ok(SharedFigures {
            postgres_cpu_ms_per_match: per_match(work.postgres - before.postgres),
            nats_cpu_ms_per_match: per_match(work.nats - before.nats),
            commits_per_match: per_match((work.commits - before.commits) as f64),
            wal_bytes_per_match: per_match((work.wal - before.wal) as f64),
            nats_messages_per_move: round(messages.load(Relaxed) as f64 / moves as f64),
        })
    }
}

/// Plays some games in which players think for about 20 ms before each move.
async fn paced(address: SocketAddr, games: usize) -> Result<Vec<f64>, Failure> {
    let latencies = Latencies::default();
    for _ in 0..games {
        play(set_up(&[address], &mut Tokens::default()).await?, 20, &latencies).await?;
    }
    let mut measured = std::mem::take(&mut *latencies.lock().await);
    measured.sort_by(f64::total_cmp);
    Ok(measured)
}

/// Sends junk until the server closes the connection, then reconnects, until all junk is sent. Returns how the last
/// connection ended.
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
