//! Tests that a backup taken during play contains everything that was acknowledged before the backup began.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;
use skirmish_room::Room;
use skirmish_rules::GAMES;
use skirmish_server::Limits;
use skirmish_server::storage::{back_up, restore};
use tempfile::TempDir;

use crate::restart::log;
use crate::support::{Pair, TestServer};

/// The number of concurrent games, and the numbers of moves after which backups are taken.
const GAMES_AT_ONCE: usize = 8;
const BACKUPS_AFTER: [u64; 3] = [20, 80, 160];

/// A game in progress, and the last version acknowledged to its players.
struct Going {
    code: String,
    acknowledged: AtomicU64,
}

#[test]
fn a_backup_under_load_has_all_that_was_acknowledged() {
    let server = TestServer::with(Limits::none());
    let (is_over, moves) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let going = Arc::new(Mutex::new(Vec::<Arc<Going>>::new()));
    let players: Vec<_> = (0..GAMES_AT_ONCE)
        .map(|_| {
            let terms = json!({"game": "capture-the-line", "rules": {"positions": 101}});
            let mut pair = server.pair(&terms);
            let game = Going { code: pair.code.clone(), acknowledged: AtomicU64::new(0) };
            let game = Arc::new(game);
            going.lock().expect("no panic").push(Arc::clone(&game));
            let (is_over, moves) = (Arc::clone(&is_over), Arc::clone(&moves));
            thread::spawn(move || play(&mut pair, &game, &is_over, &moves))
        })
        .collect();
    let folder = TempDir::new().expect("a temporary folder");
    for (number, after) in BACKUPS_AFTER.into_iter().enumerate() {
        while moves.load(SeqCst) < after {
            assert!(players.iter().any(|player| !player.is_finished()), "all games have ended");
            thread::sleep(Duration::from_micros(200));
        }
        let going: Vec<_> = going.lock().expect("no panic").iter().map(Arc::clone).collect();
        let before: Vec<_> = going.iter().map(|game| game.acknowledged.load(SeqCst)).collect();
        let file = folder.path().join(format!("{number}.db"));
        back_up(server.folder(), &file).expect("a backup");
        let restored = folder.path().join(format!("restored-{number}"));
        restore(&file, &restored, GAMES).expect("a good backup");
        for (game, acknowledged) in going.iter().zip(before) {
            let log = log(&restored, &game.code);
            assert!(log.len() as u64 >= acknowledged, "{} of {acknowledged}", log.len());
            Room::fold(GAMES, &log).expect("the log folds");
        }
    }
    is_over.store(true, SeqCst);
    for player in players {
        player.join().expect("a game that goes on");
    }
}

/// Plays a game, and records the acknowledged versions.
fn play(pair: &mut Pair, game: &Going, is_over: &AtomicBool, moves: &AtomicU64) {
    // The game is longer than this number of moves.
    for number in [1, 2].into_iter().cycle().take(90) {
        if is_over.load(SeqCst) {
            return;
        }
        let ack = pair.act(number, "1");
        game.acknowledged.store(ack["v"].as_u64().expect("a version"), SeqCst);
        moves.fetch_add(1, SeqCst);
    }
}
