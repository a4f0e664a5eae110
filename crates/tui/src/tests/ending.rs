//! The end of a game: who won and how, the score of the match, and the ways to continue.

use std::time::Duration;

use skirmish_play::{First, Proposal};
use skirmish_rules::{Both, Side};

use super::super::event::ArcadeEvent;
use super::super::look::Look;
use super::pictures::SIX_SIZES as SIZES;
use super::playing::{choose, entry, pictures, playing, words};
use super::{Arcade, USUAL};
use crate::sixth::SIX_GAMES;

/// A game of Base Battle that Player 1 has just won.
fn won(look: Look) -> Arcade {
    let mut arcade = Arcade::open(look);
    arcade.sit_down(3);
    arcade.press("3 3 1 1 3 3 3 Wait");
    arcade
}

#[test]
fn enter_in_haste_starts_nothing_after_a_game() {
    for (width, height) in SIZES {
        let mut arcade = won(USUAL);
        for _ in 0..6 {
            arcade.press("Enter Space");
        }
        let picture = arcade.picture(width, height);
        assert!(picture.contains("Base Battle: the game is over"), "{picture}");
        assert!(words(&picture).contains("Press a listed key, or use ↑ and ↓."), "{picture}");
    }
    let mut arcade = won(USUAL);
    arcade.press("Enter Enter Down Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 1"), "a selected rematch begins\n{picture}");
}

/// Regression: the curtain hid the question in every window.
#[test]
fn a_question_is_asked_in_front_of_the_curtain() {
    let mut arcade = Arcade::open(USUAL);
    arcade.hang_curtain();
    arcade.sit_down(4);
    arcade.press(": r e s i g n Enter");
    for (width, height) in SIZES {
        let picture = arcade.picture(width, height);
        assert!(picture.contains("Player 1, do you resign?"), "{picture}");
        assert!(!picture.contains("1 Charge"), "{picture}");
    }
    arcade.press("n");
    assert!(arcade.picture(80, 24).contains("Enter lifts the curtain."));
}

/// Regression: pressing Enter twice played the first choice unseen.
#[test]
fn the_enter_that_lifts_the_curtain_plays_nothing_however_often_it_is_pressed() {
    let mut arcade = Arcade::open(USUAL);
    arcade.hang_curtain();
    arcade.sit_down(4);
    arcade.press("Enter Enter Space Enter");
    for (width, height) in SIZES {
        let picture = arcade.picture(width, height);
        assert!(picture.contains("1 Charge"), "Player 1 still chooses\n{picture}");
    }
    assert!(words(&arcade.picture(80, 24)).contains("Pick a choice first"));
    arcade.press("Down Enter");
    assert!(arcade.picture(80, 24).contains("Enter lifts the curtain."), "Player 2 is next");
    arcade.press("Enter Up Enter");
    let picture = words(&arcade.picture(120, 40));
    assert!(picture.contains("Player 1 chose Charge") || picture.contains("turn 2"), "{picture}");
}

/// Regression: every letter of pasted text could play a turn.
#[test]
fn pasted_text_goes_into_a_text_field_and_nowhere_else() {
    let paste = |arcade: &mut Arcade, text: &str| {
        arcade.take(ArcadeEvent::Paste(text.to_owned()));
    };
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    let before = arcade.picture(80, 24);
    paste(&mut arcade, "3 2\nq y\n");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Text can be pasted only where you type."), "{picture}");
    let rows = |text: &str| text.lines().take(23).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&picture), rows(&before), "nothing else has changed");
    arcade.press(":");
    paste(&mut arcade, " mo\r\nves\u{1b}[A\n");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("mo ves[A"), "as one line, which is not entered\n{picture}");
}

/// Regression: the number of the game displaced the score and touched the player's name.
#[test]
fn the_score_of_a_match_is_always_on_top() {
    let proposal = Proposal {
        games: Some(3),
        first: Some(First::Side(Side::One)),
        ..Proposal::new(entry("base-battle"))
    };
    let mut arcade = playing(USUAL, proposal.plan(None).expect("two people can play"));
    for (width, height) in SIZES {
        let picture = arcade.picture(width, height);
        let top = picture.lines().nth(1).expect("a second row");
        let seen = ["game 1/3 · 0-0", "game 1 of 3 · score 0-0", "Player 1 0 - 0 Player 2"];
        assert!(seen.iter().any(|text| top.contains(text)), "{picture}");
        assert!(top.contains("▶ Player 1 to move "), "{picture}");
    }
}

#[test]
fn the_ending_names_the_winner_the_score_and_the_ways_on() {
    let proposal = Proposal {
        names: Both::new(Some("Ann".to_owned()), Some("Bob".to_owned())),
        games: Some(3),
        ..Proposal::new(entry("capture-the-line"))
    };
    let mut arcade = playing(USUAL, proposal.plan(None).expect("two people can play"));
    arcade.press(":");
    arcade.write("resign");
    arcade.press("Enter y");
    for (width, height) in SIZES {
        let picture = arcade.picture(width, height);
        assert!(picture.contains("Game over") && picture.contains("game 1 of 3"), "{picture}");
        assert!(picture.contains("0-1") || picture.contains("Ann 0 - 1 Bob"), "{picture}");
        assert_eq!(height >= 24, picture.contains("▶ 0 · ◀ ●"), "a mark for a point\n{picture}");
    }
    arcade.press("Enter");
    for (width, height) in SIZES {
        let picture = arcade.picture(width, height);
        for text in [
            "Bob wins the game!",
            "Match: Ann 0 - 1 Bob",
            "Next game of the match",
            "Review",
            "Home",
        ] {
            assert!(picture.contains(text), "{text}\n{picture}");
        }
    }
}

/// Plays a game of two people to its end and opens the next screen. Returns the last sentence of the game.
fn play_out(arcade: &mut Arcade, proposal: Proposal) -> String {
    let plan = proposal.plan(None).expect("two people can play");
    let mut session = plan.begin();
    *arcade = playing(USUAL, plan);
    arcade.press("Wait");
    let mut number = 3_usize;
    while session.ending().is_none() {
        for side in session.table().turn() {
            let choices = session.table().choices(side);
            number = number.wrapping_mul(7).wrapping_add(5) % 1009;
            let number = number % choices.len();
            choose(arcade, session.table(), side, number);
            session.submit(side, &choices[number].notation).expect("it is legal");
        }
    }
    arcade.press("Wait");
    let last = session.table().last_turn().pop().expect("a last event");
    last.sentence.replace('\n', " ")
}

/// Regression: in a small window, the ending did not say how the game was won, and the response to Enter was invisible.
#[test]
fn the_ending_says_who_won_and_how_and_what_enter_does_at_every_size() {
    for entry in SIX_GAMES.iter() {
        for games in [None, Some(3)] {
            let proposal = Proposal { games, seed: Some(5), ..Proposal::new(entry) };
            let mut arcade = Arcade::open(USUAL);
            let how = play_out(&mut arcade, proposal);
            for (width, height) in SIZES {
                let picture = arcade.picture(width, height);
                assert!(picture.contains("Game over") && picture.contains("Enter continue"));
            }
            for keys in ["Enter", "Enter Enter"] {
                arcade.press(keys);
                for (width, height) in SIZES {
                    let picture = arcade.picture(width, height);
                    let seen = words(&picture);
                    assert!(seen.contains(&how) && how.contains("wins"), "{how}\n{picture}");
                    assert!(games.is_none() || seen.contains("Match: Player"), "{picture}");
                    let is_answered = seen.contains("Press a listed key, or use ↑ and ↓.");
                    assert_eq!(is_answered, keys.len() > 5, "{picture}");
                }
            }
            arcade.press("Down");
            for (width, height) in SIZES {
                let picture = arcade.picture(width, height);
                assert!(picture.contains("Enter choose"), "{picture}");
            }
        }
    }
}

/// Regression: a key meant for the last turn left the end of the game at once.
#[test]
fn the_end_of_a_game_ignores_hasty_keys_and_then_offers_the_next_step() {
    for motion in [false, true] {
        let mut arcade = Arcade::open(Look { motion, ..USUAL });
        arcade.sit_down(3);
        for key in ["3", "3", "1", "1", "3", "3"] {
            arcade.press(&format!("{key} Wait"));
        }
        arcade.press("3");
        // A key may also skip the animation.
        arcade.press("Enter Enter r v n");
        arcade.pass(Duration::from_millis(600));
        arcade.press("r Enter");
        let picture = arcade.picture(80, 24);
        assert!(picture.contains("r Rematch, seats swapped"), "{picture}");
        assert!(!picture.contains("Enter continue"), "{picture}");
        arcade.pass(Duration::from_millis(200));
        assert!(arcade.picture(80, 24).contains("Enter continue"));
        arcade.press("r");
        assert!(arcade.picture(80, 24).contains("turn 1"), "the rematch begins");
    }
}

#[test]
fn the_end_of_a_game() {
    pictures("over", won);
}

#[test]
fn the_ending() {
    pictures("ending", |look| {
        let mut arcade = won(look);
        arcade.press("Enter");
        arcade
    });
}

#[test]
fn the_ending_of_a_game_of_a_match() {
    pictures("ending-match", |look| {
        let proposal = Proposal {
            names: Both::new(Some("Ann".to_owned()), Some("Bob".to_owned())),
            games: Some(2),
            ..Proposal::new(entry("command-clash"))
        };
        let mut arcade = playing(look, proposal.plan(None).expect("two people can play"));
        arcade.press("1 7 :");
        arcade.write("draw");
        arcade.press("Enter y Wait Enter");
        arcade
    });
}
