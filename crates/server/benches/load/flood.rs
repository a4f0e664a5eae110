//! Measures players during a flood of HTTP requests: quiet and flooded phases alternate, and their latencies are
//! compared.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::time::timeout;

use crate::client::Latencies;
use crate::servers::Servers;
use crate::{Failure, PATIENCE, cycle, round, share};

/// The floods: the requested paths, and the number of sockets from one address.
const FLOODS: [&str; 5] = ["/explore", "/", "/static/style.css", "/health", "/nowhere"];
const SOCKETS: [usize; 2] = [1, 64];

/// The number of matches in a phase, how many are played at once, and the thinking time in milliseconds.
const MATCHES: usize = 400;
const AT_ONCE: usize = 24;
const THINK: u64 = 50;

/// The number of requests written at once.
const PIPELINED: usize = 32;

/// The size of a flooding socket's send buffer, in bytes. By default the buffer grows to several MiB; filling it would
/// take CPU time from the players here, though not if the attacker used another machine.
const SEND_BUFFER: u32 = 16 << 10;

/// Maximum number of requests in a flooded phase.
const MOST: u64 = 200_000;

#[derive(Serialize)]
struct Figures<'a> {
    flood: &'a str,
    sockets: usize,
    moves: usize,
    quiet_p99_ms: f64,
    flooded_p99_ms: f64,
    ratio: f64,
    requests_per_s: f64,
    answered: u64,
    refused: u64,
    /// The number of connections closed without an answer.
    closed: u64,
    server_cpu_us_per_request: f64,
}

/// Measures all floods, or the one described by `words`: the path, the number of sockets and the number of
/// alternations. Prints one JSON line for each.
pub(crate) async fn measure(words: &[&str]) -> Result<(), Failure> {
    let (mut targets, mut sockets, mut alternations) = (FLOODS.to_vec(), SOCKETS.to_vec(), 3);
    if let [target, rest @ ..] = words {
        targets = vec![target];
        if let [count, rest @ ..] = rest {
            sockets = vec![count.parse()?];
            alternations = rest.first().map_or(Ok(alternations), |word| word.parse())?;
        }
    }
    for target in targets {
        for sockets in &sockets {
            let compared = timeout(PATIENCE, compare(target, *sockets, alternations)).await??;
            println!("{}", serde_json::to_string(&compared)?);
        }
    }
    Ok(())
}

/// Alternates quiet and flooded phases on one server with its default limits, and compares the p99 latency of all quiet
/// moves with that of all flooded moves.
#[allow(clippy::cast_precision_loss)]
async fn compare(
    target: &str,
    sockets: usize,
    alternations: usize,
) -> Result<Figures<'_>, Failure> {
    let servers = Servers::alone(true)?;
    let address = servers.addresses()[0];
    // Do not measure the first phase: the server is still warming up.
    phase(&servers).await?;
    let (mut quiet, mut flooded) = (Vec::new(), Vec::new());
    let (mut cpu, mut seconds) = (0.0, 0.0);
    let mut seen = [0; 3];
    for _ in 0..alternations {
        let alone = phase(&servers).await?;
        let flood = Flood::start(address, target, sockets)?;
        let beside = phase(&servers).await?;
        seen.iter_mut().zip(flood.stop()?).for_each(|(all, count)| *all += count);
        cpu += beside.cpu - alone.cpu;
        seconds += beside.seconds;
        quiet.extend(alone.latencies);
        flooded.extend(beside.latencies);
    }
    let moves = quiet.len() + flooded.len();
    let [quiet, flooded] = [quiet, flooded].map(p99);
    let [answered, refused, closed] = seen;
    let requests = (answered + refused + closed).max(1) as f64;
    Ok(Figures {
        flood: target,
        sockets,
        moves,
        quiet_p99_ms: round(quiet),
        flooded_p99_ms: round(flooded),
        ratio: round(flooded / quiet),
        requests_per_s: round(requests / seconds),
        answered,
        refused,
        closed,
        server_cpu_us_per_request: round(cpu * 1000.0 / requests),
    })
}

fn p99(mut latencies: Vec<f64>) -> f64 {
    latencies.sort_by(f64::total_cmp);
    share(&latencies, 0.99)
}

/// The measurements of a phase.
struct Phase {
    latencies: Vec<f64>,
    /// The server's CPU time in milliseconds.
    cpu: f64,
    seconds: f64,
}

async fn phase(servers: &Servers) -> Result<Phase, Failure> {
    let (begun, cpu) = (std::time::Instant::now(), servers.usage().cpu);
    let latencies = Latencies::default();
    cycle(&servers.addresses().into(), &latencies, (MATCHES, AT_ONCE, THINK)).await?;
    let latencies = std::mem::take(&mut *latencies.lock().await);
    Ok(Phase { latencies, cpu: servers.usage().cpu - cpu, seconds: begun.elapsed().as_secs_f64() })
}

/// The outcomes of the flood's requests.
#[derive(Default)]
struct Seen {
    answered: AtomicU64,
    refused: AtomicU64,
    closed: AtomicU64,
}

/// A flood, which runs in its own process.
struct Flood(Child);

impl Flood {
    fn start(address: SocketAddr, target: &str, sockets: usize) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["flooder", &address.to_string(), target, &sockets.to_string()]);
        Ok(Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?))
    }

    /// Stops the flood. Returns the numbers of answered requests, refused requests, and connections closed without an
    /// answer.
    fn stop(mut self) -> Result<[u64; 3], Failure> {
        drop(self.0.stdin.take());
        Ok(serde_json::from_slice(&self.0.wait_with_output()?.stdout)?)
    }
}

/// The main function of a flood process: sends requests until its input ends, and prints their outcomes.
pub(crate) fn run(words: &[&str]) -> Result<(), Failure> {
    let [address, target, sockets] = words else { return Err("expected three words".into()) };
    let (address, sockets): (SocketAddr, usize) = (address.parse()?, sockets.parse()?);
    let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n");
    let requests = request.repeat(PIPELINED);
    let has_stopped = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&has_stopped);
    thread::spawn(move || {
        let _ = std::io::stdin().lines().count();
        stops.store(true, Relaxed);
    });
    let seen = Arc::new(Seen::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut all = tokio::task::JoinSet::new();
        let left = Arc::new(AtomicU64::new(MOST));
        for _ in 0..sockets {
            let (requests, seen) = (requests.clone(), Arc::clone(&seen));
            let (has_stopped, left) = (Arc::clone(&has_stopped), Arc::clone(&left));
            all.spawn(async move {
                while !has_stopped.load(Relaxed) && left.load(Relaxed) > 0 {
                    // The connection may be refused or reset; both outcomes are measured.
                    let _ = pipeline(address, &requests, &seen, &left, &has_stopped).await;
                }
            });
        }
        all.join_all().await;
    });
    let counts = [&seen.answered, &seen.refused, &seen.closed].map(|count| count.load(Relaxed));
    println!("{}", serde_json::to_string(&counts)?);
    Ok(())
}

/// Writes requests to one connection, without waiting for responses, until the connection is closed.
async fn pipeline(
    address: SocketAddr,
    requests: &str,
    seen: &Seen,
    left: &AtomicU64,
    has_stopped: &AtomicBool,
) -> Result<(), std::io::Error> {
    let socket = TcpSocket::new_v4()?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    let (mut reader, mut writer) = socket.connect(address).await?.into_split();
    let write = async {
        while !has_stopped.load(Relaxed) && left.load(Relaxed) > 0 {
            if timeout(Duration::from_millis(100), writer.write_all(requests.as_bytes()))
                .await
                .is_ok_and(|written| written.is_err())
            {
                return;
            }
        }
    };
    let read = async {
        let (mut count, mut text) = (0, Vec::with_capacity(64 << 10));
        loop {
            let wait = Duration::from_millis(100);
            match timeout(wait, reader.read_buf(&mut text)).await {
                Err(_) if has_stopped.load(Relaxed) || left.load(Relaxed) == 0 => break,
                Err(_) => continue,
                Ok(Ok(0) | Err(_)) => break,
                Ok(Ok(_)) => {}
            }
            let mut rest = &text[..];
            while let Some(at) = rest.windows(12).position(|part| part.starts_with(b"HTTP/1.1 ")) {
                let is_refusal = &rest[at + 9..at + 12] == b"429";
                let counter = if is_refusal { &seen.refused } else { &seen.answered };
                counter.fetch_add(1, Relaxed);
                left.fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_sub(1))).ok();
                count += 1;
                rest = &rest[at + 12..];
            }
            // A status line may continue in the next chunk.
            let kept = rest.len().min(11);
            text.drain(..text.len() - kept);
        }
        if count == 0 {
            seen.closed.fetch_add(1, Relaxed);
        }
    };
    tokio::select! {
        () = async { write.await; std::future::pending().await } => {}
        () = read => {}
    }
    Ok(())
}
