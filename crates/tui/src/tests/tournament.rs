//! Tournaments in the arcade: setting them up, watching them, and opening their games.

use std::fs;

use skirmish_arena::referee::Timing;
use skirmish_arena::tournament::{Entrant, Folder, Tournament};
use skirmish_play::tournament::schedule::Format;
use skirmish_rules::Settings;

use super::keys::are_listed_once;
use super::pictures::{SIX_SIZES, is_golden};
use super::themes::keeps_to_its_theme;
use super::{Arcade, PLAIN, USUAL};
use crate::sixth::SIX_GAMES;
use crate::{Look, Start, TournamentRun};

/// A reproducible tournament between levels.
fn tournament() -> Tournament {
    let entry = SIX_GAMES.find("base-battle").expect("the game exists");
    Tournament {
        entry,
        settings: Settings::defaults(entry.options),
        format: Format::RoundRobin,
        rounds: None,
        entrants: Entrant::parse_all(["novice", "skilled", "perfect"]).expect("levels play"),
        pairs: 2,
        seed: 7,
        timing: Timing::default(),
        max_turns: Tournament::USUAL_TURNS,
        opening: Tournament::USUAL_OPENING,
        sprt: None,
    }
}

/// An arcade that has played this tournament in its own folder.
fn played(tournament: Tournament, look: Look) -> (Arcade, tempfile::TempDir) {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::at(place.path()).expect("it is empty");
    folder.begin(&tournament).expect("it can be written");
    let run = TournamentRun { tournament, folder, is_logged: false, jobs: 1 };
    let mut arcade = Arcade::starting(look, Start::Tournament(Box::new(run)));
    arcade.take(super::ArcadeEvent::Resized);
    (arcade, place)
}

#[test]
fn a_tournament_is_set_up_and_its_games_can_be_opened() {
    let mut arcade = Arcade::open(USUAL);
    // Up wraps around: Quit, the settings, the statistics, the saved games, the tournament.
    arcade.press("Up Up Up Up Up Enter");
    assert!(arcade.picture(80, 24).contains("Start the tournament"));
    // Base Battle, two games per encounter, without the novice, casual and skilled levels.
    arcade.press("Down Right Right Down Down Left Left Left Down Left Down Left Down Left Enter");
    let picture = arcade.picture(100, 30);
    assert!(picture.contains("2 of 2 games  finished"), "{picture}");
    assert!(picture.contains("1.1.2") && picture.contains("1.1.1"), "{picture}");
    let folders = fs::read_dir(arcade.home.path().join("tournaments")).expect("it is stored");
    assert_eq!(folders.count(), 1);
    arcade.press("Down Enter");
    let picture = arcade.picture(100, 30);
    assert!(picture.contains("expert against perfect") && picture.contains("wins"), "{picture}");
    // The tournament chose the first turns, which are marked with and without the review.
    arcade.press("g Right");
    for _ in 0..2 {
        let picture = arcade.picture(100, 30);
        assert!(
            picture.contains("opening, chosen by the") && picture.contains("(opening) "),
            "{picture}"
        );
        arcade.press("a");
    }
    arcade.press("Esc Esc");
    assert!(arcade.picture(80, 24).contains("What shall we play?"), "nothing asks at the end");
}

#[test]
fn a_tournament_needs_two_entrants() {
    let mut arcade = Arcade::open(USUAL);
    arcade
        .press("Up Up Up Up Up Enter Down Down Down Down Left Down Left Down Left Down Left Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("needs at least 2 entrants, not 1"), "{picture}");
}

#[test]
fn a_board_too_large_to_solve_is_reported() {
    let entry = SIX_GAMES.find("command-line-conquer").expect("the game exists");
    let large = ["positions=255", "units=8"];
    let settings = Settings::parse(entry.options, large).expect("they are valid");
    let (mut arcade, _place) = played(Tournament { entry, settings, ..tournament() }, USUAL);
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("stopped") && picture.contains("cannot go on:"), "{picture}");
    arcade.press("Esc");
    assert!(arcade.picture(80, 24).contains("What shall we play?"), "nothing asks");
}

#[test]
#[cfg(unix)]
fn another_program_is_added_once_and_the_cursor_moves_to_it() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("Up Up Up Up Up Enter Down Down Down Down Down Down Down Down Down Enter");
    arcade.write("sh bot.sh");
    arcade.press("Enter");
    assert!(arcade.picture(80, 24).contains("▶ bot bot.sh    ‹ plays ›"));
    arcade.press("Left Down Enter");
    arcade.write("sh bot.sh");
    arcade.press("Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("▶ bot bot.sh    ‹ plays ›"), "{picture}");
    assert_eq!(picture.matches("bot bot.sh").count(), 1, "{picture}");
    arcade.press("Down Enter Enter");
    assert!(arcade.picture(80, 24).contains("▶ Another program…"), "nothing was typed");
}

#[test]
fn setting_up_a_tournament() {
    let pictures = SIX_SIZES.map(|(width, height)| {
        let mut arcade = Arcade::open(USUAL);
        arcade.press("Up Up Up Up Up Enter Down Down Right Down Right Down Left");
        format!("--- {width}x{height}\n{}\n", arcade.picture(width, height))
    });
    is_golden("tournament-setup", &pictures.concat());
}

#[test]
fn a_tournament_at_every_size() {
    let (mut arcade, _place) = played(tournament(), USUAL);
    arcade.press("Down Down");
    keeps_to_its_theme(&mut arcade, "a finished tournament");
    are_listed_once(&arcade, "a finished tournament");
    let mut pictures = SIX_SIZES
        .map(|(width, height)| format!("--- {width}x{height}\n{}\n", arcade.picture(width, height)))
        .to_vec();
    let (mut arcade, _place) = played(tournament(), PLAIN);
    pictures.push(format!("--- 80x24, plain\n{}\n", arcade.picture(80, 24)));
    is_golden("tournament", &pictures.concat());
}

/// Waits until `what` holds for the picture, which a background thread changes.
#[cfg(unix)]
fn wait(arcade: &mut Arcade, what: impl Fn(&str) -> bool) {
    loop {
        while let Ok(event) = arcade.heard.try_recv() {
            arcade.take(event);
        }
        if what(&arcade.picture(120, 40)) {
            return;
        }
        std::thread::yield_now();
    }
}

/// An arcade with a background tournament of a bot that waits for a file before it moves.
#[cfg(unix)]
fn running() -> (Arcade, tempfile::TempDir) {
    let place = tempfile::tempdir().expect("a folder for the test");
    let go = place.path().join("go");
    let script = format!(
        "while read -r line; do until [ -e {} ]; do sleep 0.02; done; echo 1; done",
        go.display()
    );
    let bot = format!("json: sh -c '{script}'");
    let minute = std::time::Duration::from_mins(1);
    let tournament = Tournament {
        entrants: Entrant::parse_all([&*bot, "novice"]).expect("both can play"),
        pairs: 1,
        timing: Timing { per_move: minute, first_move: minute, ..Timing::default() },
        ..tournament()
    };
    let folder = Folder::at(&place.path().join("tournament")).expect("it is empty");
    folder.begin(&tournament).expect("it can be written");
    let run = TournamentRun { tournament, folder, is_logged: false, jobs: 1 };
    let home = tempfile::tempdir().expect("a folder for the test");
    let (mut context, heard) = super::context(USUAL, home.path());
    let (news, told) = std::sync::mpsc::channel();
    context.jobs = super::Jobs::new(news, false, super::budget);
    drop(heard);
    let front = Start::Tournament(Box::new(run)).screens(&mut context);
    let app = crate::App::new(context, front);
    let now = std::time::Instant::now();
    (Arcade { app, heard: told, now, home }, place)
}

#[test]
#[cfg(unix)]
fn a_game_in_progress_is_followed_to_its_end() {
    let (mut arcade, place) = running();
    wait(&mut arcade, |picture| picture.contains("playing, turn"));
    assert_eq!(arcade.app.due(), None, "nothing is polled");
    arcade.press("Enter");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("being played"), "{picture}");
    fs::write(place.path().join("go"), "").expect("it can be written");
    wait(&mut arcade, |picture| picture.contains("wins"));
    arcade.press("Esc");
    wait(&mut arcade, |picture| picture.contains("2 of 2 games  finished"));
}

#[test]
#[cfg(unix)]
fn a_running_tournament_is_stopped_only_after_a_question() {
    let (mut arcade, _place) = running();
    wait(&mut arcade, |picture| picture.contains("playing, turn"));
    arcade.press("s");
    assert!(arcade.picture(80, 24).contains("Stop the tournament? y or n"));
    arcade.press("n q");
    assert!(arcade.picture(80, 24).contains("The tournament stops. Its finished"));
    arcade.press("Esc s y");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("To go on: skirmish tournament"), "{picture}");
    assert!(picture.contains("Base Battle"), "it is the home screen: {picture}");
    assert_eq!(arcade.app.context.options.exit_hook.message(), None);
    arcade.press("Up Down");
    assert!(!arcade.picture(80, 24).contains("0 of 2"), "it is not offered any more");
    assert_eq!(arcade.press("q"), Some(crate::Closed::Left), "nothing asks");
}

#[test]
#[cfg(unix)]
fn a_tournament_goes_on_in_the_background() {
    let (mut arcade, place) = running();
    wait(&mut arcade, |picture| picture.contains("playing, turn"));
    arcade.press("Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("The tournament goes on.") && picture.contains("0 of 2"), "{picture}");
    assert_eq!(arcade.app.due(), None, "nothing is polled");
    arcade.press("q");
    assert!(arcade.picture(80, 24).contains("The tournament stops. Its finished"));
    let message = arcade.app.context.options.exit_hook.message().expect("the way back");
    assert!(message.contains("skirmish tournament --resume"), "{message}");
    // The cursor is on the tournament, and `:tournament` opens it from every screen.
    arcade.press("Esc Enter");
    assert!(arcade.picture(80, 24).contains("playing, turn"));
    arcade.press("Esc 3 :");
    arcade.write("tournament");
    arcade.press("Enter");
    assert!(arcade.picture(80, 24).contains("playing, turn"));
    arcade.press("Esc");
    fs::write(place.path().join("go"), "").expect("it can be written");
    wait(&mut arcade, |picture| picture.contains("The tournament is finished"));
    assert_eq!(arcade.app.context.options.exit_hook.message(), None);
    arcade.press("Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Tournament finished"), "{picture}");
    arcade.press("Home Enter");
    assert!(arcade.picture(80, 24).contains("2 of 2 games  finished"));
    arcade.press("Esc");
    assert!(!arcade.picture(80, 24).contains("Tournament finished"), "it has been seen");
}

#[test]
#[cfg(unix)]
fn a_second_tournament_waits_for_the_first() {
    let (mut arcade, _place) = running();
    wait(&mut arcade, |picture| picture.contains("playing, turn"));
    arcade.press("Esc Up Up Up Up Up Enter");
    assert!(arcade.picture(80, 24).contains("playing, turn"), "it is shown");
}

#[test]
#[cfg(unix)]
fn a_running_tournament_a_game_in_progress_and_the_way_back_at_every_size() {
    let (mut arcade, _place) = running();
    // Four random turns and one by the level; then the bot waits.
    wait(&mut arcade, |picture| picture.contains("playing, turn 6"));
    let mut pictures = Vec::new();
    for keys in ["", "Enter", "Esc Esc Down Up"] {
        arcade.press(keys);
        keeps_to_its_theme(&mut arcade, keys);
        pictures.extend(SIX_SIZES.map(|(width, height)| {
            format!("--- {width}x{height}\n{}\n", arcade.picture(width, height))
        }));
    }
    is_golden("tournament-running", &pictures.concat());
}
