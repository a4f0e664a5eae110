//! Kills the server's process under load, again and again. Nothing acknowledged is lost or applied twice. `KILLS` sets
//! the number of kills; `scripts/check-kill` runs 200.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use skirmish_room::Room;
use skirmish_rules::GAMES;
use skirmish_server::Database;
use tempfile::TempDir;

use crate::players::{Players, Stage};
use crate::process::{Process, serve};
use crate::restart::log;

/// The environment variable from which a server process reads the path of its data folder.
const FOLDER: &str = "SKIRMISH_TEST_SERVER";

const TEST: &str = "kill::what_was_acknowledged_survives_when_the_server_is_killed";

fn start(folder: &Path) -> Process {
    Process::start(TEST, &[(FOLDER, folder.to_str().expect("a path in UTF-8"))])
}

#[test]
fn what_was_acknowledged_survives_when_the_server_is_killed() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return serve(Database::Folder(folder.into()), Duration::ZERO);
    }
    let kills = std::env::var("KILLS").map_or(5, |kills| kills.parse().expect("a number of kills"));
    let folder = TempDir::new().expect("a temporary folder");
    let mut process = start(folder.path());
    let stage = Stage::new(vec![process.address], false);
    let mut players = Players::on(&stage);
    for entry in GAMES.iter() {
        players.begin([process.address; 2], &json!({"game": entry.id}));
    }
    let mut seed = 7_u64;
    for _ in 0..kills {
        // Kill the server while it is working, after some more acknowledgements.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        players.go_on((seed >> 33) % 40);
        process.kill();
        process = start(folder.path());
        stage.move_to(vec![process.address]);
    }
    let players = players.finish();
    process.kill();
    let mut games = BTreeMap::new();
    for (code, player) in &players {
        let log = log(folder.path(), code);
        player.check(&log);
        games.insert(code, Room::fold(GAMES, &log).expect("the log folds").number());
    }
    println!(
        "{kills} kills: {} choices in {} games, none lost, none applied twice",
        stage.acknowledged(),
        games.values().sum::<u32>()
    );
}
