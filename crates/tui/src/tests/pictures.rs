//! Every screen as text pictures in `golden/`, at several sizes and themes. `UPDATE_GOLDEN=1 cargo test -p skirmish-tui`
//! rewrites them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use skirmish_store::read_record;

use super::{Arcade, NOW, PLAIN, USUAL};
use crate::sixth::SIX_GAMES;

/// The full layout, the compact one, and a large window.
pub(super) const SIZES: [(u16, u16); 3] = [(80, 24), (40, 12), (120, 36)];

/// Window sizes of every kind, from the smallest to a very large one.
pub(super) const SIX_SIZES: [(u16, u16); 6] =
    [(40, 12), (60, 16), (80, 24), (100, 30), (120, 40), (200, 60)];

/// The record of a finished game. `opponent` contains the tags of Player 2.
fn record(opponent: &str) -> String {
    let tags = "[First \"p1\"]\n[Date \"2026.01.02\"]\n[Result \"1-0\"]\n[Termination \"rules\"]\n";
    let turns = "1. 3\n2. 3\n3. 1\n4. 1\n5. 3\n6. 3\n7. 3\n";
    format!("[Game \"base-battle\"]\n[Player1 \"Ann\"]\n{opponent}{tags}\n{turns}")
}

#[track_caller]
pub(super) fn is_golden(name: &str, actual: &str) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "src/golden", &format!("{name}.txt")].iter().collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        fs::write(&path, actual).expect("the repository can be written");
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == actual, "{name} (UPDATE_GOLDEN=1 rewrites it)\n{actual}");
}

/// Compares golden pictures after the same steps at every size, and once with ASCII glyphs.
#[track_caller]
fn shows(name: &str, way: impl Fn(&mut Arcade)) {
    shows_at(&SIZES, name, way);
}

#[track_caller]
pub(super) fn shows_at(sizes: &[(u16, u16)], name: &str, way: impl Fn(&mut Arcade)) {
    shows_in(furnish, sizes, name, way);
}

/// Like [`shows`], with a prepared home directory.
#[track_caller]
pub(super) fn shows_in(
    furnish: impl Fn(&Path),
    sizes: &[(u16, u16)],
    name: &str,
    way: impl Fn(&mut Arcade),
) {
    let mut pictures = Vec::new();
    for &(width, height) in sizes {
        let mut arcade = Arcade::furnished(USUAL, &furnish);
        way(&mut arcade);
        pictures.push(format!("--- {width}x{height}\n{}\n", arcade.picture(width, height)));
    }
    let mut arcade = Arcade::furnished(PLAIN, &furnish);
    way(&mut arcade);
    pictures.push(format!("--- 80x24, plain\n{}\n", arcade.picture(80, 24)));
    is_golden(name, &pictures.concat());
}

/// Sets the age of a file relative to the clock of the tests.
pub(super) fn saved_hours_ago(path: &Path, hours: u64) {
    let file = fs::File::options().write(true).open(path).expect("the file is there");
    let then = SystemTime::UNIX_EPOCH + NOW - Duration::from_hours(hours);
    file.set_modified(then).expect("the time of a file can be set");
}

/// Saves a finished game against the player with the tags `opponent`. Returns the file.
pub(super) fn save_game(home: &Path, opponent: &str) -> PathBuf {
    let games = home.join("games");
    fs::create_dir_all(&games).expect("the test's own folder");
    let path = games.join("2026-01-02-base-battle-1.skr");
    fs::write(&path, record(opponent)).expect("the test's own folder");
    path
}

pub(super) fn furnish(home: &Path) {
    let path = save_game(home, "[Player2 \"Bob\"]\n");
    saved_hours_ago(&path, 2);
    read_record(&path, SIX_GAMES).expect("a legal game");
    let results = "date,game,rules,opponent,turns,accuracy,result\n\
                   2026.01.02,base-battle,,skilled,7,88.9,won\n\
                   2026.01.03,base-battle,,skilled,9,50.0,lost\n\
                   2026.01.04,command-clash,,human,12,,drawn\n2026.11.12,base-battle,,Ann,human,Bob,9,,,won\n\
        2026.11.13,base-battle,,李雷,human,Ann,9,,,lost\n";
    fs::write(home.join("results.csv"), results).expect("the test's own folder");
}

#[test]
fn home() {
    shows("home", |_| {});
}

#[test]
fn every_game_on_the_home_screen() {
    let mut arcade = Arcade::open(USUAL);
    let pictures = SIX_GAMES.iter().map(|_| {
        let picture = arcade.picture(80, 24);
        arcade.press("Down");
        format!("{picture}\n")
    });
    is_golden("home-games", &pictures.collect::<String>());
}

#[test]
fn setting_up_a_game() {
    shows("setup", |arcade| {
        arcade.press("3 Down Down Right Down Down Right Down Right Down Down Down Right");
    });
}

#[test]
fn playing_command_line_conquer() {
    shows("command-line-conquer", |arcade| {
        arcade.sit_down(1);
        arcade.press("0 0 r r 1");
    });
}

#[test]
fn playing_capture_and_conquer() {
    shows("capture-and-conquer", |arcade| {
        arcade.sit_down(2);
        arcade.press("2 2 2 2 1");
    });
}

#[test]
fn playing_base_battle() {
    shows("base-battle", |arcade| {
        arcade.sit_down(3);
        arcade.press("3 3 3 h");
    });
}

#[test]
fn playing_command_clash() {
    shows("command-clash", |arcade| {
        arcade.sit_down(4);
        arcade.press("1 8 9");
    });
}

#[test]
fn the_curtain() {
    shows("curtain", |arcade| {
        arcade.hang_curtain();
        arcade.sit_down(4);
        arcade.press("Enter 1 Enter 2");
    });
}

#[test]
fn playing_capture_the_line() {
    shows("capture-the-line", |arcade| {
        arcade.sit_down(5);
        arcade.press("2 1");
    });
}

#[test]
fn playing_the_sixth_game() {
    shows("sixth", |arcade| {
        arcade.sit_down(u8::try_from(SIX_GAMES.iter().count()).unwrap());
        arcade.press("1 2");
    });
}

#[test]
fn the_analysis_with_a_map() {
    shows("analysis-map", |arcade| {
        arcade.sit_down(2);
        arcade.press("2 2 2 2 1 a");
    });
}

#[test]
fn the_analysis_of_a_simultaneous_game() {
    shows("analysis-mixes", |arcade| {
        arcade.sit_down(4);
        arcade.press("1 8 4 8 a");
    });
}

#[test]
fn the_analysis_without_a_map() {
    shows("analysis-graph", |arcade| {
        arcade.sit_down(1);
        arcade.press("0 0 1 9 2 a");
    });
}

#[test]
fn typing_words() {
    shows("words", |arcade| {
        arcade.sit_down(1);
        arcade.press(":");
        arcade.write("move 7");
        arcade.press("Enter :");
        arcade.write("rec");
    });
}

#[test]
fn after_a_game() {
    shows("after", |arcade| {
        arcade.sit_down(3);
        arcade.press("3 3 1 1 3 3 3 Wait Enter");
    });
}

#[test]
fn the_saved_games() {
    shows_at(&SIX_SIZES, "library", |arcade| {
        arcade.press("Up Up Up Up Enter");
    });
}

#[test]
fn a_replay() {
    shows_at(&SIX_SIZES, "replay", |arcade| {
        arcade.press("Up Up Up Up Enter Enter Right Right Right");
    });
}

#[test]
fn a_replay_with_its_review() {
    shows_at(&SIX_SIZES, "review", |arcade| {
        arcade.press("Up Up Up Up Enter Enter a End Left Left Left Left");
    });
}

#[test]
fn the_rules() {
    shows("rules", |arcade| {
        arcade.press("Down r Down");
    });
}

#[test]
fn a_tutorial() {
    shows("tutorial", |arcade| {
        arcade.press("Down t Enter");
    });
}

#[test]
fn statistics() {
    shows("statistics", |arcade| {
        arcade.press("Up Up Up Enter");
    });
}

#[test]
fn settings() {
    shows_at(&SIX_SIZES, "settings", |arcade| {
        arcade.press("Up Up Enter Right Down Down Down Down Down Enter");
        arcade.write("Ann");
        arcade.press("Enter");
    });
}

#[test]
fn help() {
    shows("help", |arcade| {
        arcade.sit_down(3);
        arcade.press("?");
    });
}

#[test]
fn the_question_before_leaving() {
    shows("leaving", |arcade| {
        arcade.sit_down(3);
        arcade.press("2 q");
    });
}

#[test]
fn a_window_that_is_too_small() {
    let mut arcade = Arcade::open(USUAL);
    let pictures = [(39, 12), (40, 11), (20, 4), (1, 1)].map(|(width, height)| {
        format!("--- {width}x{height}\n{}\n", arcade.picture(width, height))
    });
    is_golden("too-small", &pictures.concat());
}

#[test]
fn keys_do_nothing_that_cannot_be_seen() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    let before = arcade.picture(80, 24);
    arcade.picture(39, 12);
    arcade.press("2 q");
    assert_eq!(arcade.picture(80, 24), before);
    arcade.press("2");
    assert_ne!(arcade.picture(80, 24), before);
}
