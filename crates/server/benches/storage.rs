//! Measures durable appends per second by one client and by several, and logs read per second. Run with
//! `scripts/with-databases cargo bench -p skirmish-server --bench storage`, or without the script for `SQLite` alone.
//! The appends are guarded, like those of nodes.

use std::env;
use std::time::{Duration, Instant};

use skirmish_room::wire::MessageId;
use skirmish_room::{AccountId, BEAT, Logged, Origin, RoomEvent};
use skirmish_rules::Side;
use skirmish_server::storage::{Append, Guard, Storage};

/// The duration of each measurement.
const TIME: Duration = Duration::from_secs(3);

/// The number of moves per room before a client starts the next room.
const MOVES: u64 = 20;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("a runtime").block_on(measure());
}

async fn measure() {
    println!("SQLite");
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    measure_one(Storage::open(folder.path()).expect("a data folder")).await;
    match env::var("SKIRMISH_POSTGRES") {
        Ok(url) => {
            println!("PostgreSQL");
            measure_one(Storage::connect(&url).expect("an empty database")).await;
        }
        Err(_) => println!("PostgreSQL is not measured: SKIRMISH_POSTGRES is not set"),
    }
}

async fn measure_one(storage: Storage) {
    let now = storage.now().await.expect("a time");
    let node = storage.join("bench", now).await.expect("a node");
    let outage = storage.beat(node, "bench", now).await.expect("a heartbeat").outage.id;
    // With SQLite, the server's time stands still, so the heartbeats never become stale.
    let guard = Guard { node, outage, now };
    let heartbeats = tokio::spawn({
        let storage = storage.clone();
        async move {
            loop {
                tokio::time::sleep(Duration::from_millis(BEAT)).await;
                storage.beat(node, "bench", now).await.expect("a heartbeat");
            }
        }
    });
    for clients in [1, 8, 64, 256] {
        let mut slowest = Duration::ZERO;
        let mut appends = 0;
        let start = Instant::now();
        let tasks: Vec<_> = (0..clients)
            .map(|client| tokio::spawn(play(storage.clone(), guard, clients, client)))
            .collect();
        for task in tasks {
            let (count, latency) = task.await.expect("a client that succeeds");
            appends += count;
            slowest = slowest.max(latency);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{clients:>4} clients {:>8.0} appends/s, slowest {:.1} ms",
            f64::from(appends) / seconds,
            slowest.as_secs_f64() * 1000.0
        );
    }
    let start = Instant::now();
    let mut logs = 0;
    while start.elapsed() < TIME {
        let log = storage.log(&code(64, logs % 64, 0)).await.expect("a log");
        assert!(!log.is_empty(), "every client has played");
        logs += 1;
    }
    let rate = f64::from(logs) / start.elapsed().as_secs_f64();
    println!("{:>12} {rate:>8.0} logs of {MOVES} events/s", "1 reader");
    heartbeats.abort();
    storage.close().await;
}

/// Appends moves one after another. Returns their number and the longest latency.
async fn play(storage: Storage, guard: Guard, clients: u32, client: u32) -> (u32, Duration) {
    let start = Instant::now();
    let (mut count, mut slowest) = (0, Duration::ZERO);
    for room in 0.. {
        for after in 0..MOVES {
            let code = code(clients, client, room);
            let events = vec![event(client, after)];
            let append = Append { code, after, events, finished: None };
            let before = Instant::now();
            storage.append(append, Some(guard)).await.expect("appended");
            slowest = slowest.max(before.elapsed());
            count += 1;
        }
        if start.elapsed() >= TIME {
            break;
        }
    }
    (count, slowest)
}

fn code(clients: u32, client: u32, room: u32) -> String {
    format!("{clients}-{client}-{room}")
}

fn event(client: u32, id: u64) -> Logged {
    let by = Origin { account: AccountId::from(client), id: MessageId::Number(id) };
    let event = RoomEvent::Chose { side: Side::One, text: "2".to_owned(), lag: 0 };
    Logged { at: 1_700_000_000_000, by: Some(by), left: None, event }
}
