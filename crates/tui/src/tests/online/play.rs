//! People on different computers play every game.

use std::time::Duration;

use skirmish_room::{HostInput, Terms, TimeControl};
use skirmish_rules::{Entry, GAMES};

use super::super::laws::{Dice, press_any};
use super::super::{ArcadeEvent, Press, USUAL};
use super::club::{Club, account, goal};
use super::{CODE, play_out, terms};
use crate::Look;
use crate::online::OnlineGoal;

#[test]
fn two_arcades_play_every_game_and_agree_with_the_server() {
    for entry in GAMES.iter() {
        for motion in [false, true] {
            let mut club = Club::sit_down(Look { motion, ..USUAL }, terms(entry.id));
            club.sees(0, &format!("{}: Ann (you) against Bob", entry.name));
            club.sees(1, &format!("{}: Ann against Bob (you)", entry.name));
            play_out(&mut club);
            let record = club.room(CODE).record().expect("a game").to_string();
            for guest in [0, 1] {
                club.pass(Duration::from_secs(30));
                club.sees(guest, "The end");
                club.word(guest, "save game.skr");
                let home = club.guests[guest].arcade.home.path();
                let saved = std::fs::read_to_string(home.join("game.skr")).expect("it is saved");
                let turns = |text: &str| text.split("\n\n").nth(1).map(str::to_owned);
                assert_eq!(turns(&saved), turns(&record), "{}", entry.id);
                assert!(saved.contains("[Player1 \"Ann\"]"), "{saved}");
            }
        }
    }
}

#[test]
fn keys_clicks_and_digits_play_as_in_a_local_game() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.sees(0, "Your move");
    club.sees(1, "Waiting for Ann");
    club.press(1, "2");
    assert!(club.acts.is_empty(), "it is not Bob's turn");
    club.press(0, "7");
    club.sees(0, "\"7\" is not a move here");
    club.press(0, "2");
    club.press(1, "Down Enter");
    assert_eq!(club.acts, ["2", "2"]);
    let picture = club.see(0);
    let row = picture.lines().position(|line| line.contains("3 3 steps")).expect("a choice");
    let row = u16::try_from(row).expect("a small number");
    club.guests[0].arcade.take(ArcadeEvent::Click { column: 5, row });
    club.settle();
    assert_eq!(club.acts, ["2", "2", "3"]);
    club.sees(0, "turn 4");
}

#[test]
fn a_secret_choice_shows_nothing_until_both_have_chosen() {
    let mut seen = Vec::new();
    for choice in ["1", "2", "3", "4"] {
        let mut club = Club::sit_down(USUAL, terms("command-clash"));
        club.press(0, choice);
        if club.acts.is_empty() {
            continue;
        }
        club.sees(0, "You have chosen. Waiting for Bob.");
        club.sees(1, "Ann has chosen.");
        club.sees(1, "Your move");
        seen.push((club.see(0), club.see(1)));
        club.press(0, "2");
        club.sees(0, "You have chosen already, and cannot change it.");
        club.word(0, "shield");
        club.sees(0, "You have chosen already, and cannot change it.");
        assert_eq!(club.acts.len(), 1);
        club.press(1, "1");
        for guest in [0, 1] {
            club.sees(guest, "turn 2");
            club.misses(guest, "chosen");
        }
    }
    assert!(seen.len() > 1 && seen.iter().all(|pictures| *pictures == seen[0]));
}

#[test]
fn takebacks_and_draws_take_consent() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.press(0, "2 u");
    club.sees(0, "You ask to take back your last turn. Bob has not answered yet.");
    club.sees(1, "Ann asks to take back their last turn. Do you accept? y or n");
    club.press(1, "n");
    club.sees(0, "Bob declines the takeback.");
    club.press(0, "u");
    club.sees(0, "Your offer was declined.");
    club.press(1, "2");
    club.press(0, "u");
    club.press(1, "y");
    club.sees(0, "The last 2 turns have been taken back.");
    club.sees(0, "turn 1");
    club.word(1, "draw");
    club.sees(0, "Bob offers a draw. Do you accept? y or n");
    club.word(0, "yes");
    club.sees(0, "The players agree on a draw.");
    club.sees(1, "The players agree on a draw.");
}

#[test]
fn an_offer_does_not_keep_anybody_from_playing() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.press(0, "2");
    club.word(0, "draw");
    club.press(1, "2");
    club.sees(1, "turn 3");
    club.misses(1, "Do you accept?");
}

#[test]
fn resigning_asks_first() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.press(0, "2");
    club.press(1, "2");
    club.word(0, "resign");
    club.sees(0, "Do you resign? y or n");
    club.press(0, "n");
    club.sees(0, "Your move");
    club.word(0, "resign");
    club.press(0, "y");
    club.sees(0, "You resign. Bob wins the game!");
    club.sees(1, "Ann resigns. You win the game!");
}

#[test]
fn an_aborted_game_is_nobodys_loss() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.word(1, "resign");
    club.press(1, "y");
    for guest in [0, 1] {
        club.sees(guest, "The game was aborted");
        club.press(guest, "Enter");
        club.sees(guest, "The game was aborted. Nobody has lost it.");
    }
}

#[test]
fn a_rematch_is_offered_and_answered_wherever_one_is() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    // Ann is on the screen after the game, and Bob is still looking at the board.
    club.press(0, "Enter");
    club.sees(0, "Rematch, seats swapped");
    club.press(0, "r");
    club.sees(0, "Ann offers a rematch.");
    club.sees(1, "Ann offers a rematch. Do you accept? y or n");
    club.press(1, "n");
    club.sees(0, "Bob declines the rematch.");
    club.press(1, "Enter r");
    club.sees(0, "Bob offers a rematch. Do you accept? y or n");
    club.press(0, "y");
    for guest in [0, 1] {
        club.sees(guest, "turn 1");
    }
    club.sees(0, "Bob against Ann (you)");
    club.sees(0, "The seats are swapped: you are Player 2 now.");
    play_out(&mut club);
    club.sees(0, "The end");
}

#[test]
fn a_review_above_the_game_does_not_miss_the_next_one() {
    let mut club = Club::sit_down(USUAL, Terms { games: Some(3), ..terms("capture-the-line") });
    play_out(&mut club);
    club.sees(0, "Match: ");
    club.press(0, "Enter v");
    club.sees(0, "Turn 0 of");
    club.pass(Duration::from_secs(5));
    club.sees(0, "The next game begins: Esc takes you back to it.");
    club.sees(1, "game 2 of 3");
    club.sees(1, "You lose!");
    club.press(0, "Esc");
    club.sees(0, "game 2 of 3");
    club.sees(0, "turn 1");
}

#[test]
fn hints_need_agreement() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    for word in ["hint", "analyze"] {
        club.word(0, word);
        club.sees(0, "Hints and analysis are not allowed in this game.");
    }
    club.press(0, "h");
    club.sees(0, "Hints and analysis are not allowed in this game.");
    let mut club = Club::sit_down(USUAL, Terms { hints: true, ..terms("base-battle") });
    club.press(0, "h");
    club.sees(0, "Best: ");
    club.press(0, "a");
    club.sees(0, "win in");
}

#[test]
fn phrases_are_said_and_others_are_not() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.word(0, "say luck");
    club.sees(1, "Ann: Good luck!");
    club.word(0, "say something else");
    club.sees(0, "You can say hello, luck, nice");
}

#[test]
fn help_lists_what_one_can_do_each_word_on_its_line() {
    let lists = |club: &mut Club, guest: usize, words: &[&str], others: &[&str]| {
        club.word(guest, "help");
        let picture = club.see(guest);
        let begins = |word: &&str| {
            let line = format!("│   {word} ");
            picture.lines().any(|row| row.starts_with(&line))
        };
        assert!(words.iter().all(begins), "{picture}");
        assert!(!others.iter().any(begins), "{picture}");
        club.press(guest, "Esc");
    };
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let carol = club.enter("Carol", USUAL, goal(CODE));
    let common = ["help", "rules", "history", "save", "lobby"];
    lists(&mut club, 0, &common, &["hint", "analyze", "close"]);
    lists(&mut club, 0, &["undo", "yes, no", "claim"], &[]);
    lists(&mut club, carol, &common, &["hint", "moves", "undo", "resign", "yes, no", "close"]);
    let mut club = Club::sit_down(USUAL, Terms { hints: true, ..terms("base-battle") });
    lists(&mut club, 0, &["hint", "analyze"], &["close"]);
}

#[test]
fn a_page_above_the_game_misses_nothing() {
    let mut club = Club::sit_down(Look { motion: true, ..USUAL }, terms("base-battle"));
    club.press(0, "2");
    club.pass(Duration::from_secs(1));
    club.word(0, "rules");
    club.sees(0, "Base Battle: the rules");
    club.press(1, "2");
    club.press(0, "Esc");
    club.sees(0, "turn 3");
    club.sees(0, "Your move");
}

#[test]
fn the_opponents_turn_is_animated() {
    let mut club = Club::sit_down(Look { motion: true, ..USUAL }, terms("base-battle"));
    club.press(0, "3");
    club.misses(1, "Your move");
    club.pass(Duration::from_secs(1));
    club.sees(1, "Your move");
    assert!(club.guests[1].arcade.app.due().is_none(), "a game without a clock rests");
}

#[test]
fn a_spectator_sees_the_game_and_changes_nothing() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let carol = club.enter("Carol", USUAL, OnlineGoal::Lobby);
    club.sees(carol, "Live games");
    club.press(carol, "Enter");
    club.sees(carol, "You watch: Ann to move");
    club.sees(0, "1 watching");
    club.press(carol, "2 u y h");
    club.word(carol, "resign");
    club.sees(carol, "You are watching Ann and Bob.");
    club.press(0, "2");
    club.sees(carol, "turn 2");
    assert_eq!(club.room(CODE).side_of(account(carol)), None);
    play_out(&mut club);
    club.press(carol, "Enter r");
    club.sees(carol, "Review move by move");
    club.misses(carol, "ematch");
    club.press(carol, "Esc");
    club.misses(0, "watching");
}

#[test]
fn nothing_panics_whatever_two_players_press() {
    for seed in 1..=6 {
        let mut dice = Dice(seed);
        let games: Vec<&Entry> = GAMES.iter().collect();
        let index = usize::try_from(dice.below(5)).expect("a small number");
        let clock = TimeControl::Game { seconds: 60, increment: 1 };
        let terms = Terms { clock, hints: seed % 2 == 0, ..terms(games[index].id) };
        let mut club = Club::sit_down(Look { motion: seed % 2 == 1, ..USUAL }, terms);
        for _ in 0..600 {
            let guest = usize::try_from(dice.below(2)).expect("a small number");
            match dice.below(40) {
                0 => club.disconnect(guest),
                1 => club.connect(guest),
                _ => {
                    // Keep using the arcade even if it has closed.
                    press_any(&mut club.guests[guest].arcade, &mut dice);
                }
            }
            club.settle();
            club.pass(Duration::from_millis(dice.below(400)));
            let (width, height) =
                if dice.below(3) == 0 { (dice.size(140), dice.size(50)) } else { (80, 24) };
            club.guests[guest].arcade.draw(width, height);
        }
    }
}

#[test]
fn a_choice_is_not_made_while_the_board_still_moves() {
    let mut club = Club::sit_down(Look { motion: true, ..USUAL }, terms("base-battle"));
    club.press(0, "3");
    // Enter only skips the animation.
    club.press(1, "Enter");
    assert_eq!(club.acts, ["3"]);
    club.guests[1].arcade.take(ArcadeEvent::Press(Press::letter(' ')));
    club.settle();
    assert_eq!(club.acts.len(), 2);
}

#[test]
fn the_analysis_after_a_game_does_not_help_in_the_next_one() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    club.press(0, "a");
    club.sees(0, "The end");
    club.sees(0, "╭ The game is over");
    club.press(1, "r");
    club.press(0, "y");
    club.sees(0, "turn 1");
    club.misses(0, "╭ The game is over");
}

#[test]
fn the_computer_plays_on_the_server() {
    let terms = Terms { level: Some("casual".to_owned()), ..terms("base-battle") };
    let mut club = Club::new();
    club.open(CODE, terms, 0);
    let ann = club.enter("Ann", USUAL, goal(CODE));
    club.sees(ann, "Ann (you) against casual computer");
    club.misses(ann, "away");
    club.press(ann, "2");
    club.sees(ann, "turn 3");
    club.press(ann, "u");
    club.sees(ann, "turn 1");
}

#[test]
fn a_question_about_a_file_comes_before_an_offer() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    let diary = club.guests[0].arcade.home.path().join("diary.txt");
    std::fs::write(&diary, "Dear diary").expect("the home can be written");
    club.press(0, "Enter s");
    club.guests[0].arcade.take(ArcadeEvent::Press(Press::Control('u')));
    club.guests[0].arcade.write("diary.txt");
    club.press(0, "Enter");
    club.press(1, "r");
    club.press(0, "n");
    assert_eq!(std::fs::read_to_string(&diary).ok().as_deref(), Some("Dear diary"));
    club.misses(1, "declines");
    club.press(0, "y");
    club.sees(1, "turn 1");
}

#[test]
fn no_rematch_is_offered_after_the_operator_has_closed_the_game() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    club.press(0, "2");
    club.input(CODE, HostInput::Shut);
    let closed = "The operator of this server has closed this game: there is no rematch.";
    for guest in [0, 1] {
        club.misses(guest, "rematch  ");
        club.press(guest, "t");
        club.sees(guest, closed);
        club.press(guest, "Esc Enter");
        club.sees(guest, "What next?");
        club.sees(guest, closed);
        club.sees(guest, "The game was aborted. Nobody has lost it.");
        club.misses(guest, "Rematch, seats swapped");
        let small = club.guests[guest].arcade.picture(40, 12);
        assert!(small.contains("The operator of this server"), "{small}");
    }
    // A player is on the screen after a game when the operator closes the room.
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    club.press(0, "Enter");
    club.sees(0, "Rematch, seats swapped");
    club.input(CODE, HostInput::Shut);
    club.sees(0, "The operator of this server has closed");
    club.misses(0, "Rematch, seats swapped");
    club.press(1, "r");
    club.sees(1, "there is no rematch.");
    club.misses(0, "Do you accept");
}

/// Regression: pressing Enter twice in haste offered a rematch.
#[test]
fn enter_in_haste_offers_nothing_after_a_game() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    for _ in 0..4 {
        club.press(0, "Enter");
    }
    club.sees(0, "What next?");
    club.misses(1, "rematch. Do you accept");
    club.press(0, "r");
    club.sees(1, "Do you accept? y or n");
}

#[test]
fn what_happens_besides_the_turns_stays_in_the_log() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.word(1, "say hello");
    club.press(0, "2");
    club.press(1, "2");
    club.press(0, "2");
    club.sees(0, "Bob: Hello!");
    club.press(0, "t");
    club.sees(0, "You move 2 positions to position 2.");
    club.press(0, "Esc");
    club.sees(0, "Waiting for Bob");
}

#[test]
fn ones_own_turn_can_be_read_before_the_computers_appears() {
    for motion in [true, false] {
        let terms = Terms { level: Some("casual".to_owned()), ..terms("base-battle") };
        let mut club = Club::new();
        club.open(CODE, terms, 0);
        let ann = club.enter("Ann", Look { motion, ..USUAL }, goal(CODE));
        club.guests[ann].arcade.press("2");
        club.settle();
        club.guests[ann].arcade.pass(Duration::from_millis(300));
        club.sees(ann, "You move 2");
        club.misses(ann, "casual computer moves");
        club.guests[ann].arcade.pass(Duration::from_secs(2));
        club.sees(ann, "casual computer moves");
        assert!(club.guests[ann].arcade.app.due().is_none(), "nothing moves at rest");
    }
}
