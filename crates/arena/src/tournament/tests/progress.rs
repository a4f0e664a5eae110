//! Tests of watching and stopping a running tournament.

use std::sync::Mutex;

#[cfg(unix)]
use skirmish_play::player::Dialect;
#[cfg(unix)]
use skirmish_rules::GAMES;

#[cfg(unix)]
use super::super::{Folder, RunError};
use super::super::{Meeting, Progress, run};
use super::{cast, tournament};

#[test]
fn the_turns_of_a_game_in_progress_can_be_followed() {
    let tournament = tournament("base-battle", &["expert", "perfect"], 2);
    let seen = Mutex::new(Vec::new());
    let follow = |progress: &Progress| {
        for (id, turns) in progress.playing() {
            let record = progress.record(id).expect("it is being played");
            assert_eq!(record.turns.len(), turns);
            assert!(record.replay().is_ok(), "its turns are legal");
            seen.lock().expect("nobody panics").push((id.game, turns));
        }
    };
    let progress = Progress::new(&tournament).followed(follow);
    let played = run(&tournament, &cast(&tournament), None, 1, &progress);
    played.expect("nothing is written");
    let seen = seen.lock().expect("nobody panics").clone();
    assert!(seen.is_sorted(), "one game after the other, turn by turn: {seen:?}");
    let turns: Vec<usize> =
        progress.board().meetings().flat_map(Meeting::played).map(|(_, it)| it.turns).collect();
    for (game, turns) in turns.into_iter().enumerate() {
        assert!((4..=turns).all(|turn| seen.contains(&(game, turn))), "{seen:?}");
    }
    assert!(progress.playing().is_empty());
}

#[test]
#[cfg(unix)]
fn a_stopped_tournament_kills_its_bots_and_keeps_no_unfinished_game() {
    let tournament = tournament("base-battle", &["sh -c 'exec sleep 3600'", "novice"], 2);
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::at(place.path()).expect("the folder is empty");
    folder.begin(&tournament).expect("writing succeeds");
    let progress = Progress::new(&tournament);
    // Skip protocol detection, which would take a minute with this bot.
    let tournament = tournament.with_bots(|command| command.speaking(Dialect::Json));
    let cast = cast(&tournament);
    let ended = std::thread::scope(|scope| {
        let playing = scope.spawn(|| run(&tournament, &cast, Some((&folder, GAMES)), 1, &progress));
        while progress.playing().is_empty() {
            std::thread::yield_now();
        }
        progress.stop();
        playing.join().expect("it does not panic")
    });
    assert!(matches!(ended, Err(RunError::Stopped)), "{ended:?}");
    assert_eq!(progress.board().progress().0, 0);
    assert!(progress.playing().is_empty());
    assert!(std::fs::read_dir(place.path().join("games")).expect("it exists").next().is_none());
}
