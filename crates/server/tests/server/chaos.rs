//! Three nodes in separate processes, with people who play across them, while one part after another fails: nodes are
//! killed, cut off and restarted, and NATS and `PostgreSQL` become unreachable. Their clocks differ. Nothing acknowledged is lost or applied
//! twice, all games end, and nobody loses on time because of a failure. `FAULTS` sets the number of faults;
//! `scripts/check-nodes` runs 60.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use skirmish_room::{Logged, RoomEvent};
use skirmish_rules::GAMES;
use skirmish_server::storage::Storage;
use skirmish_server::{Database, Shared};

use crate::cluster::{Ground, Line};
use crate::drain::door;
use crate::players::{Players, Stage};
use crate::process::{Process, serve};
use crate::support::eventually;

/// The environment variables from which a node process reads the addresses of its database and its bus.
const DATABASE: &str = "SKIRMISH_TEST_DATABASE";
const BUS: &str = "SKIRMISH_TEST_BUS";

/// The environment variable from which a node process reads how many milliseconds its clock is ahead.
const AHEAD: &str = "SKIRMISH_TEST_AHEAD";

const TEST: &str = "chaos::people_go_on_whatever_fails";

/// The time that a player has for a move, in games with a clock.
const CLOCK: Duration = Duration::from_secs(15);

/// A node under test, and its proxied connections to the database and the bus.
struct Node {
    process: Option<Process>,
    database: (Line, String),
    bus: (Line, String),
    /// How many milliseconds the node's clock is ahead of the database's.
    ahead: u64,
}

impl Node {
    fn new(ground: &Ground, ahead: u64) -> Self {
        let (database, bus) = (ground.database_line(), ground.bus_line());
        let mut node = Self { process: None, database, bus, ahead };
        node.start();
        node
    }

    fn start(&mut self) {
        let ahead = self.ahead.to_string();
        let (database, bus) = (self.database.1.as_str(), self.bus.1.as_str());
        let variables = [(DATABASE, database), (BUS, bus), (AHEAD, ahead.as_str())];
        self.process = Some(Process::start(TEST, &variables));
    }

    fn kill(&mut self) {
        self.process.take().expect("the node runs").kill();
    }

    fn stop(&mut self) {
        self.process.take().expect("the node runs").stop();
    }

    fn cut(&self) {
        self.database.0.cut();
        self.bus.0.cut();
    }

    fn mend(&self) {
        self.database.0.mend();
        self.bus.0.mend();
    }
}

/// A failure to inject.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// A node is killed, and started again.
    Kill,
    /// The nodes are restarted, one after another.
    RollingRestart,
    /// The nodes cannot hear each other.
    NoBus,
    /// A node hangs for longer than the time for a move.
    Hang,
    /// A node can reach neither the database nor the other nodes, but its players can reach it.
    CutOff,
    /// One node cannot reach the database.
    NoDatabaseThere,
    /// One node cannot hear the others.
    NoBusThere,
    /// No node can reach the database.
    NoDatabase,
    /// No node can reach the database for longer than the time for a move.
    NoDatabaseForLong,
}

const FAULTS: [Fault; 12] = [
    Fault::Kill,
    Fault::Hang,
    Fault::RollingRestart,
    Fault::NoBus,
    Fault::CutOff,
    Fault::NoDatabaseForLong,
    Fault::NoDatabaseThere,
    Fault::Kill,
    Fault::NoDatabase,
    Fault::NoBusThere,
    Fault::Hang,
    Fault::Kill,
];

/// The nodes and their players.
struct Trial {
    nodes: [Node; 3],
    stage: Arc<Stage>,
    players: Players,
    seed: u64,
}

impl Trial {
    fn new(ground: &Ground) -> Self {
        let nodes = [0, 450, 900].map(|ahead| Node::new(ground, ahead));
        let stage = Stage::new(addresses(&nodes), true);
        let mut players = Players::on(&stage);
        for (number, entry) in GAMES.iter().enumerate() {
            let addresses = addresses(&nodes);
            let (one, two) = (addresses[number % 3], addresses[(number + 1) % 3]);
            let clock =
                if number % 2 == 0 { format!("{}s", CLOCK.as_secs()) } else { "none".to_owned() };
            players.begin([one, two], &json!({"game": entry.id, "clock": clock}));
        }
        Self { nodes, stage, players, seed: 7 }
    }

    /// A random number below `most`.
    fn random(&mut self, most: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 33) % most
    }

    fn node(&mut self) -> usize {
        usize::try_from(self.random(3)).expect("a small number")
    }

    /// Makes disconnected players connect to the running nodes.
    fn redirect(&self) {
        self.stage.move_to(addresses(&self.nodes));
    }

    fn suffer(&mut self, fault: Fault) {
        let before = self.random(40);
        self.players.go_on(before);
        match fault {
            Fault::Kill => {
                let node = self.node();
                self.nodes[node].kill();
                self.redirect();
                self.players.go_on(30);
                self.nodes[node].start();
            }
            Fault::RollingRestart => {
                for node in 0..3 {
                    self.nodes[node].stop();
                    self.redirect();
                    self.players.go_on(10);
                    self.nodes[node].start();
                    self.redirect();
                }
            }
            Fault::NoBus => {
                self.nodes.iter().for_each(|node| node.bus.0.cut());
                self.players.go_on(10);
                self.nodes.iter().for_each(|node| node.bus.0.mend());
            }
            Fault::Hang => {
                #[cfg(unix)]
                {
                    let node = self.node();
                    let process = self.nodes[node].process.as_ref().expect("the node runs");
                    process.hang(true);
                    self.last(CLOCK + Duration::from_secs(2));
                    process.hang(false);
                }
            }
            Fault::CutOff => {
                let node = self.node();
                self.nodes[node].cut();
                self.until_closed(node);
                self.nodes[node].mend();
            }
            Fault::NoDatabaseThere => {
                let node = self.node();
                self.nodes[node].database.0.cut();
                self.until_closed(node);
                self.nodes[node].database.0.mend();
            }
            Fault::NoBusThere => {
                let node = self.node();
                self.nodes[node].bus.0.cut();
                self.players.go_on(10);
                self.nodes[node].bus.0.mend();
            }
            Fault::NoDatabase => self.lose_database(Duration::from_secs(3)),
            Fault::NoDatabaseForLong => self.lose_database(CLOCK + Duration::from_secs(3)),
        }
        self.redirect();
    }

    fn lose_database(&self, time: Duration) {
        self.nodes.iter().for_each(|node| node.database.0.cut());
        // Choices committed before the outage are still acknowledged.
        self.last(time / 2);
        let acknowledged = self.stage.acknowledged();
        self.last(time / 2);
        assert_eq!(
            self.stage.acknowledged(),
            acknowledged,
            "nothing is durable without a database"
        );
        self.nodes.iter().for_each(|node| node.database.0.mend());
    }

    /// Waits until a node has sent its clients away.
    fn until_closed(&self, node: usize) {
        let address = self.nodes[node].process.as_ref().expect("the node runs").address;
        eventually("the node refuses connections", || {
            self.players.are_well();
            door(address) == 503
        });
    }

    /// Lets a fault last for some time.
    fn last(&self, time: Duration) {
        let over = Instant::now() + time;
        eventually("the time is over", || {
            self.players.are_well();
            Instant::now() >= over
        });
    }
}

/// The addresses of the running nodes.
fn addresses(nodes: &[Node]) -> Vec<SocketAddr> {
    nodes.iter().filter_map(|node| Some(node.process.as_ref()?.address)).collect()
}

/// The logs of these rooms.
fn logs(url: &str, codes: &[&str]) -> Vec<Vec<Logged>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let storage = Storage::connect(url).expect("the database is there");
        let mut logs = Vec::new();
        for code in codes {
            logs.push(storage.log(code).await.expect("the log can be read"));
        }
        storage.close().await;
        logs
    })
}

#[test]
fn people_go_on_whatever_fails() {
    if let (Ok(database), Ok(bus)) = (std::env::var(DATABASE), std::env::var(BUS)) {
        let nats = Some(bus.parse().expect("an address"));
        let ahead = std::env::var(AHEAD).expect("a node's clock").parse().expect("a number");
        let ahead = Duration::from_millis(ahead);
        return serve(Database::Postgres(Shared { database, nats }), ahead);
    }
    let Some(ground) = Ground::new() else { return };
    let faults = std::env::var("FAULTS").map_or(5, |faults| faults.parse().expect("a number"));
    let mut trial = Trial::new(&ground);
    for number in 0..faults {
        let fault = FAULTS[number % FAULTS.len()];
        trial.suffer(fault);
        println!("{fault:?}: {} choices so far", trial.stage.acknowledged());
    }
    let Trial { nodes, stage, players, .. } = trial;
    let players = players.finish();
    let (_line, url) = ground.database_line();
    for mut node in nodes {
        node.stop();
    }
    let codes: Vec<&str> = players.iter().map(|(code, _)| code.as_str()).collect();
    let logs = logs(&url, &codes);
    let longest = logs.iter().map(Vec::len).max().unwrap_or_default();
    for ((_, player), log) in players.iter().zip(logs) {
        let lost_on_time = log.iter().position(|logged| {
            matches!(logged.event, RoomEvent::Flagged { .. } | RoomEvent::Aborted { .. })
        });
        if let Some(lost) = lost_on_time {
            let before = &log[lost.saturating_sub(4)..=lost];
            panic!("nobody's clock runs because something failed: {before:#?}");
        }
        player.check(&log);
    }
    println!(
        "{faults} faults: {} choices, at most {longest} events in a room, none lost, none applied twice",
        stage.acknowledged()
    );
}
