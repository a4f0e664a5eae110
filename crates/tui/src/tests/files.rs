//! The arcade's use of files: damaged saves, games being played, existing files, unwritable folders.

use std::fs;
use std::path::Path;

use skirmish_store::Save;

use super::{Arcade, USUAL};

const RECORD: &str = "[Game \"base-battle\"]\n[Date \"2026.11.15\"]\n\n3 2\n";

fn write(home: &Path, name: &str, text: &str) {
    fs::create_dir_all(home.join("games")).expect("the home can be written");
    fs::write(home.join(name), text).expect("the home can be written");
}

#[cfg(unix)]
fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
}

impl Arcade {
    #[track_caller]
    fn see(&mut self, text: &str) {
        // Wide enough that messages do not wrap.
        let picture = self.picture(180, 30);
        // Remove the frames and join wrapped lines.
        let words = picture.replace('│', " ");
        let words: Vec<&str> = words.split_whitespace().collect();
        assert!(words.join(" ").contains(text), "missing: {text}\n{picture}");
    }

    /// Opens the list of saved games.
    fn browse(&mut self) {
        while !self.picture(100, 30).contains("▶   Replay a game") {
            self.press("Down");
        }
        self.press("Enter");
    }
}

/// Regression: a pipe in the folder blocked the arcade, and damaged saves were ignored.
#[test]
#[cfg(unix)]
fn damaged_saves_are_listed_with_the_reason() {
    let mut arcade = Arcade::furnished(USUAL, |home| {
        write(home, "games/bad.skr", "[Game \"base-battle\"]\n\n9\n");
        pipe(&home.join("games/pipe.skr"));
    });
    arcade.browse();
    arcade.see("bad.skr: damaged, line 3: turn 1: ");
    arcade.see("pipe.skr: damaged, it is not a regular file");
    arcade.press("c p Enter Down Enter");
    arcade.see("Saved games");
}

#[test]
fn the_game_to_continue_says_that_a_newer_one_is_damaged() {
    let mut arcade = Arcade::furnished(USUAL, |home| write(home, "games/bad.skr", "no record"));
    arcade.sit_down(3);
    arcade.press("2 Esc");
    arcade.see("Continue at turn 2");
    assert!(!arcade.picture(100, 30).contains("is damaged"), "that one is older");
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    let bad = fs::File::options().write(true).open(arcade.home.path().join("games/bad.skr"));
    bad.and_then(|bad| bad.set_modified(later)).expect("it is ours");
    arcade.sit_down(1);
    arcade.press("Esc");
    while !arcade.picture(100, 30).contains("▶   Continue") {
        arcade.press("Up");
    }
    arcade.see("(A newer saved game is");
}

#[test]
fn a_game_that_is_being_played_can_be_watched_or_copied_but_not_continued() {
    let mut arcade = Arcade::furnished(USUAL, |home| write(home, "games/x.skr", RECORD));
    arcade.see("Continue at turn 3");
    let file = arcade.home.path().join("games/x.skr");
    let playing = Save::resume(&file).expect("nobody plays it");
    // The game was free when listed; now another program holds it.
    arcade.press("Enter");
    arcade.see("is being played by process");
    assert!(!arcade.picture(100, 30).contains("Continue"), "{}", arcade.picture(100, 30));
    arcade.browse();
    arcade.see("2 turns, being played");
    arcade.see("p play a copy");
    arcade.press("c");
    arcade.see("Enter watches it, p plays a copy.");
    arcade.press("Enter");
    arcade.see("Base Battle: Player 1 against Player 2");
    arcade.press("Esc p");
    arcade.see("turn 3");
    arcade.press("1 Esc");
    arcade.see("Continue at turn 4");
    assert_eq!(fs::read_to_string(file).ok().as_deref(), Some(RECORD));
    drop(playing);
}

#[test]
fn the_same_game_is_not_opened_twice_in_one_program() {
    let mut arcade = Arcade::furnished(USUAL, |home| write(home, "games/x.skr", RECORD));
    arcade.press("Enter");
    let file = arcade.home.path().join("games/x.skr");
    assert!(Save::resume(&file).is_err(), "it is being played here");
    arcade.press("Esc");
    drop(Save::resume(&file).expect("it has been left"));
}

#[test]
fn a_record_gets_an_unused_name_and_overwrites_nothing_unasked() {
    let mut arcade = Arcade::open(USUAL);
    for name in ["base-battle.skr", "diary.txt"] {
        fs::write(arcade.home.path().join(name), "Dear diary").expect("the home can be written");
    }
    arcade.sit_down(3);
    arcade.press(":");
    arcade.write("resign");
    arcade.press("Enter y Enter s");
    arcade.see("File: base-battle-2.skr");
    arcade.press("Enter");
    arcade.see("Saved in ");
    let saved = |name: &str| fs::read_to_string(arcade.home.path().join(name)).unwrap_or_default();
    assert!(saved("base-battle-2.skr").contains("resigned"));
    for (answer, told, is_replaced) in
        [("n", "Not saved.", false), ("Esc", "Not saved.", false), ("y", "Saved in", true)]
    {
        arcade.press("s");
        arcade.take(super::ArcadeEvent::Press(super::Press::Control('u')));
        arcade.write("diary.txt");
        arcade.press("Enter");
        arcade.see("exists already. Replace it? (y or n)");
        arcade.press("j");
        arcade.press(answer);
        arcade.see(told);
        let diary = fs::read_to_string(arcade.home.path().join("diary.txt")).unwrap_or_default();
        assert_eq!(diary != "Dear diary", is_replaced, "{answer}");
    }
}

/// Regression: only the first line of a message was shown, without the question.
#[test]
fn in_a_small_window_the_whole_message_about_a_record_is_shown() {
    let mut arcade = Arcade::open(USUAL);
    let name = "a-name-as-long-as-names-of-records-may-well-be-in-a-club.skr";
    fs::write(arcade.home.path().join(name), "Dear diary").expect("the home can be written");
    arcade.sit_down(3);
    arcade.press(":");
    arcade.write("resign");
    arcade.press("Enter y Enter s");
    arcade.take(super::ArcadeEvent::Press(super::Press::Control('u')));
    arcade.write(name);
    arcade.press("Enter");
    let picture = arcade.picture(40, 12);
    let joined: String = picture.split_whitespace().collect();
    assert!(joined.contains(&format!("{name}existsalready.Replaceit?(yorn)")), "{picture}");
}

#[test]
fn saving_in_the_middle_of_a_game_asks_before_it_replaces() {
    let mut arcade = Arcade::open(USUAL);
    let diary = arcade.home.path().join("diary.txt");
    fs::write(&diary, "Dear diary").expect("the home can be written");
    arcade.sit_down(3);
    for (answer, is_replaced) in [("n", false), ("y", true)] {
        arcade.press(":");
        arcade.write("save diary.txt");
        arcade.press("Enter");
        arcade.see("y replace the file");
        arcade.press(answer);
        let text = fs::read_to_string(&diary).unwrap_or_default();
        assert_eq!(text.starts_with("[Game "), is_replaced, "{answer}");
    }
    arcade.press(":");
    arcade.write("save -");
    arcade.press("Enter");
    arcade.see("a record cannot be saved to the screen");
}

/// Regression: the arcade continued without a warning, and Esc lost the game.
#[test]
fn a_game_that_cannot_be_saved_is_not_left_without_a_question() {
    let mut arcade = Arcade::furnished(USUAL, |home| {
        fs::write(home.join("games"), "a file, not a folder").expect("the home can be written");
    });
    arcade.sit_down(3);
    arcade.see("the game goes on without being saved");
    arcade.press("2");
    for leaving in ["Esc", "n Enter"] {
        arcade.press(leaving);
        arcade.see("The game is not saved.");
        arcade.press("Esc");
        if leaving.starts_with('n') {
            // The question appeared before the new game began.
            arcade.see("Set up the game");
            arcade.press("Esc");
        }
        arcade.see("Player 2, your move");
    }
    arcade.press("Esc y");
    arcade.see("What shall we play?");

    // A game without turns can be left without a question.
    arcade.sit_down(3);
    arcade.press("Esc");
    arcade.see("What shall we play?");
}

#[test]
fn a_game_in_which_nothing_was_played_leaves_nothing_behind() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    let games = arcade.home.path().join("games");
    assert_eq!(fs::read_dir(&games).expect("it is there").count(), 2, "a save and its lock file");
    arcade.press("Esc");
    assert_eq!(fs::read_dir(&games).expect("it is there").count(), 0);
    assert!(!arcade.picture(100, 30).contains("Continue"));
}
