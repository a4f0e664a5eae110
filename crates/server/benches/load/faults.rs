//! Measures players on three nodes while one fails: how long moves wait, and how much time the players' clocks lose.

mod player;

use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::player::{Delay, Player, Stage};
use crate::client::{Tokens, begin};
use crate::ground::Ground;
use crate::line::Line;
use crate::servers::Process;
use crate::{Failure, round, share};

/// The number of nodes, and of matches between players on two different nodes.
const NODES: usize = 3;
const MATCHES: usize = 12;

/// The terms of the matches. No game is long enough for anybody to run out of time by thinking.
const TERMS: &str = r#""game":"capture-and-conquer","seat":"p1","clock":"5+0","max_turns":40"#;

/// The quiet time before a fault, and the time after it that is still measured.
const QUIET: Duration = Duration::from_secs(10);
const AFTER: Duration = Duration::from_secs(8);

/// A failure, affecting the first node unless it says otherwise.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// The node is killed.
    Kill,
    /// The node hangs.
    Hang,
    /// The node cannot reach the database.
    NoDatabase,
    /// The node cannot reach the bus.
    NoBus,
    /// The node can reach neither the database nor the bus.
    CutOff,
    /// No node can reach the database.
    Outage,
}

const FAULTS: [(&str, Fault); 6] = [
    ("kill", Fault::Kill),
    ("hang", Fault::Hang),
    ("no-database", Fault::NoDatabase),
    ("no-bus", Fault::NoBus),
    ("cut-off", Fault::CutOff),
    ("outage", Fault::Outage),
];

impl Fault {
    /// The duration of the fault.
    const fn lasts(self) -> Duration {
        match self {
            Self::Hang | Self::NoDatabase | Self::NoBus | Self::CutOff => Duration::from_secs(15),
            Self::Kill | Self::Outage => Duration::from_secs(10),
        }
    }
}

#[derive(Serialize)]
struct Figures<'a> {
    fault: &'a str,
    moves: usize,
    quiet_p99_ms: f64,
    /// The latency of moves between players who were both on nodes that did not fail.
    others_p99_ms: f64,
    ratio: f64,
    others_longest_ms: f64,
    /// The longest latency of all other moves.
    own_longest_ms: f64,
    /// The longest time from connecting to a node until a player had the position again.
    rejoined_longest_ms: f64,
    /// The most time that a player's clock lost in a turn beyond the player's own thinking.
    charged_longest_ms: u64,
    flags: usize,
    /// The longest time from the end of the fault until every match had seen a move.
    resumed_longest_ms: f64,
}

/// Measures all faults, or the named one. Prints one JSON line for each.
pub(crate) async fn measure(words: &[&str]) -> Result<(), Failure> {
    let chosen = words.first();
    let faults = FAULTS.iter().filter(|(name, _)| chosen.is_none_or(|chosen| chosen == name));
    for (name, fault) in faults {
        println!("{}", serde_json::to_string(&suffer(name, *fault).await?)?);
    }
    Ok(())
}

/// A node, and its proxied connections to the database and the bus.
struct Node {
    process: Process,
    database: Line,
    bus: Line,
}

impl Node {
    fn start(ground: &Ground) -> Result<Self, Failure> {
        let (database, database_url) = through_line(&ground.database)?;
        let (bus, bus_url) = through_line(&ground.bus)?;
        Ok(Self { process: Process::start(&[&database_url, &bus_url], false)?, database, bus })
    }

    fn signal(&self, signal: &str) -> Result<(), Failure> {
        let id = self.process.child.id().to_string();
        Command::new("kill").args([signal, &id]).status()?;
        Ok(())
    }
}

/// A proxied connection to the server in `url`, and the URL that leads through the proxy.
fn through_line(url: &str) -> Result<(Line, String), Failure> {
    let start = url.rfind('@').or_else(|| url.rfind("//").map(|at| at + 1)).ok_or("no host")? + 1;
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    let line = Line::to(url[start..end].parse()?);
    let through = format!("{}{}{}", &url[..start], line.address(), &url[end..]);
    Ok((line, through))
}

#[allow(clippy::cast_precision_loss)]
async fn suffer(name: &str, fault: Fault) -> Result<Figures<'_>, Failure> {
    let ground = Ground::new().await?;
    let nodes = (0..NODES).map(|_| Node::start(&ground)).collect::<Result<Vec<_>, _>>()?;
    let addresses: Vec<_> = nodes.iter().map(|node| node.process.address).collect();
    let mut rooms = Vec::new();
    for _ in 0..MATCHES {
        let mut tokens = Tokens::default();
        let game = begin(TERMS, &addresses, &mut tokens).await?;
        rooms.push((game.code, tokens));
    }
    let places = (0..MATCHES).flat_map(|game| [game % NODES, (game + 1) % NODES]);
    let stage = Arc::new(Stage::new(addresses, places));
    let mut players = JoinSet::new();
    for (game, (code, tokens)) in rooms.into_iter().enumerate() {
        for (seat, token) in tokens.into_iter().enumerate() {
            let token = token.ok_or("a player has a token")?;
            let player = Player::new(Arc::clone(&stage), 2 * game + seat, token, &code);
            players.spawn(player.play());
        }
    }
    let before = Instant::now();
    sleep(QUIET).await;
    let homes: Vec<_> = stage.places.iter().map(|place| place.load(Relaxed)).collect();
    let began = Instant::now();
    let failed = fail(fault, &nodes)?;
    sleep(fault.lasts()).await;
    mend(fault, &nodes)?;
    let mended = Instant::now();
    sleep(AFTER).await;
    let ended = Instant::now();
    stage.stop();
    while let Some(player) = players.join_next().await {
        player?;
    }

    let noted = stage.notes();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let delay = |delay: &Delay| ms(delay.seen - delay.sent);
    // Discard the first seconds as a warm-up.
    let (quiet, rest): (Vec<_>, Vec<_>) = noted.delays.iter().partition(|delay| delay.seen < began);
    let quiet = quiet.into_iter().filter(|delay| delay.sent > before + QUIET / 5);
    let is_own = |player: usize| failed == Some(homes[player]);
    let (own, others): (Vec<&Delay>, Vec<&Delay>) =
        rest.into_iter().partition(|delay| is_own(delay.sender) || is_own(delay.receiver));
    let [quiet, others, own] =
        [quiet.map(delay).collect(), waits(&others), waits(&own)].map(|mut all: Vec<f64>| {
            all.sort_by(f64::total_cmp);
            all
        });
    let rejoined = noted.rejoined.iter().filter(|(at, _)| (began..ended).contains(at));
    let charged = noted.charged.iter().filter(|(at, _)| (began..ended).contains(at));
    let mut resumed = HashMap::new();
    for delay in noted.delays.iter().filter(|delay| delay.seen >= mended) {
        let first = resumed.entry(&delay.code).or_insert(delay.seen);
        *first = delay.seen.min(*first);
    }
    if resumed.len() < MATCHES {
        return Err("a game stands still after the fault".into());
    }
    let (quiet_p99, others_p99) = (share(&quiet, 0.99), share(&others, 0.99));
    Ok(Figures {
        fault: name,
        moves: quiet.len() + others.len() + own.len(),
        quiet_p99_ms: quiet_p99,
        others_p99_ms: others_p99,
        ratio: round(others_p99 / quiet_p99),
        others_longest_ms: share(&others, 1.0),
        own_longest_ms: share(&own, 1.0),
        rejoined_longest_ms: round(rejoined.map(|(_, took)| ms(*took)).fold(0.0, f64::max)),
        charged_longest_ms: charged.map(|(_, lost)| *lost).max().unwrap_or(0),
        flags: noted.flags,
        resumed_longest_ms: round(resumed.values().map(|at| ms(*at - mended)).fold(0.0, f64::max)),
    })
}

fn waits(delays: &[&Delay]) -> Vec<f64> {
    delays.iter().map(|delay| (delay.seen - delay.sent).as_secs_f64() * 1000.0).collect()
}

/// Begins a fault. Returns the failing node, if only one node fails.
fn fail(fault: Fault, nodes: &[Node]) -> Result<Option<usize>, Failure> {
    let node = &nodes[0];
    match fault {
        Fault::Kill => node.signal("-KILL")?,
        Fault::Hang => node.signal("-STOP")?,
        Fault::NoDatabase => node.database.cut(),
        Fault::NoBus => node.bus.cut(),
        Fault::CutOff => {
            node.database.cut();
            node.bus.cut();
        }
        Fault::Outage => {
            for node in nodes {
                node.database.cut();
            }
            return Ok(None);
        }
    }
    Ok(Some(0))
}

fn mend(fault: Fault, nodes: &[Node]) -> Result<(), Failure> {
    if matches!(fault, Fault::Hang) {
        nodes[0].signal("-CONT")?;
    }
    for node in nodes {
        node.database.mend();
        node.bus.mend();
    }
    Ok(())
}
