//! People who are apart play every game, and everything that can come between.

use std::time::Duration;

use skirmish_room::wire::{ServerMessage, StageName};
use skirmish_room::{SideWish, Terms, TimeControl};
use skirmish_rules::{Entry, GAMES};

use super::super::laws::{Dice, any_press};
use super::super::{ArcadeEvent, Press, USUAL};
use super::club::{Club, account, goal};
use crate::online::{LinkEvent, OnlineGoal};
use crate::{Closed, Look};

const CODE: &str = "K7PQ2M";

fn entry(id: &str) -> &'static Entry {
    GAMES.find(id).expect("the game exists")
}

/// The creator sits on side 1 and starts.
fn terms(id: &str) -> Terms {
    let entry = entry(id);
    let is_free = entry.starter == skirmish_rules::Starter::Toss;
    Terms {
        seat: SideWish::P1,
        first: is_free.then_some(SideWish::P1),
        max_turns: Some(60),
        ..Terms::new(entry)
    }
}

/// Plays on with the key of the first choice or the last, until nobody is asked.
fn play_out(club: &mut Club) {
    for turn in 0..200 {
        let Some((guest, side)) = club.asked(CODE) else { return };
        let choices = club.room(CODE).table().expect("a game").choices(side);
        let choice = &choices[if turn % 3 == 0 { 0 } else { choices.len() - 1 }];
        club.word(guest, &choice.words.clone());
    }
    panic!("the game has a turn limit");
}

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
    club.sees(0, "Ann, your move");
    club.sees(1, "Waiting for Ann");
    club.press(1, "2");
    assert!(club.acts.is_empty(), "it is not Bob's turn");
    club.press(0, "7");
    club.sees(0, "\"7\" is not a move here");
    club.press(0, "2");
    club.press(1, "Down Enter");
    assert_eq!(club.acts, ["2", "2"]);
    let picture = club.see(0);
    let row = picture.lines().position(|line| line.contains("3 move 3")).expect("a choice");
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
        club.sees(1, "Bob, your move");
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
    club.sees(0, "A draw. (agreed)");
    club.sees(1, "A draw. (agreed)");
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
    club.sees(0, "Ann, do you resign? y or n");
    club.press(0, "n");
    club.sees(0, "Ann, your move");
    club.word(0, "resign");
    club.press(0, "y");
    club.sees(0, "Bob wins! (resigned)");
    club.sees(1, "Bob wins! (resigned)");
}

#[test]
fn an_aborted_game_is_nobodys_loss() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.word(1, "resign");
    club.press(1, "y");
    for guest in [0, 1] {
        club.sees(guest, "The game was aborted");
        club.press(guest, "Enter");
        club.sees(guest, "The game was not finished.");
    }
}

#[test]
fn a_rematch_is_offered_and_answered_wherever_one_is() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    // Ann is on the screen after the game, Bob still looks at the board.
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
    club.sees(1, "wins");
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
fn a_move_during_a_pause_is_to_be_entered_again() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.input(CODE, skirmish_room::DeskInput::Stop);
    club.sees(0, "Paused");
    for guest in [0, 1] {
        club.word(guest, "2");
        club.sees(guest, "The game is paused; enter it again when the server is back.");
    }
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.input(CODE, skirmish_room::DeskInput::Stop);
    club.press(0, "2");
    club.sees(0, "The game is paused; enter it again");
    assert!(club.acts.is_empty());
}

#[test]
fn a_lost_connection_keeps_the_screen_and_sends_the_move_once() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.disconnect(0);
    club.sees(0, "connection lost, trying again");
    club.sees(0, "Ann, your move");
    club.sees(1, "Ann is not connected. After 10 minutes of absence you can enter :claim.");
    club.press(0, "2");
    club.sees(0, "What you entered is sent as soon as the connection is back.");
    club.misses(0, "your move");
    assert!(club.acts.is_empty());
    club.connect(0);
    assert_eq!(club.acts, ["2"]);
    club.sees(0, "connected");
    club.sees(0, "turn 2");
    club.sees(1, "Ann is connected.");
    // What is told while one is away comes with the connection.
    club.disconnect(0);
    club.press(1, "3");
    club.connect(0);
    club.sees(0, "turn 3");
    assert_eq!(club.room(CODE).table().expect("a game").turns_played(), 2);
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
    club.sees(0, "Ann, your move");
}

#[test]
fn the_opponents_turn_is_animated() {
    let mut club = Club::sit_down(Look { motion: true, ..USUAL }, terms("base-battle"));
    club.press(0, "3");
    club.misses(1, "Bob, your move");
    club.pass(Duration::from_secs(1));
    club.sees(1, "Bob, your move");
    assert!(club.guests[1].arcade.app.due().is_none(), "a game without a clock rests");
}

#[test]
fn clocks_count_down_every_second_and_only_while_they_run() {
    let clock = TimeControl::Game { seconds: 300, increment: 3 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("base-battle") });
    club.sees(0, "▶ 5:00 ◀ 5:00");
    club.sees(0, "first move in 0:30");
    club.pass(Duration::from_millis(1500));
    club.sees(0, "first move in 0:29");
    club.sees(0, "Make your first move in 0:29, or the game is aborted.");
    club.misses(1, "Make your first move");
    club.press(0, "2");
    club.misses(0, "Make your first move");
    club.sees(1, "Make your first move in 0:30, or the game is aborted.");
    club.press(1, "2");
    club.misses(0, "first move");
    club.sees(0, "▶ 5:03 ◀ 5:03");
    club.pass(Duration::from_millis(61_500));
    for guest in [0, 1] {
        club.sees(guest, "▶ 4:02 ◀ 5:03");
    }
    club.press(0, "2");
    club.sees(1, "▶ 4:05 ◀ 5:03");
    club.pass(Duration::from_secs(310));
    club.sees(0, "Bob's time is up. Ann wins!");
    club.sees(0, "turn 3");
    assert!(club.guests[0].arcade.app.due().is_none(), "no clock runs after the end");
}

#[test]
fn two_players_can_run_out_of_time_together() {
    let clock = TimeControl::Game { seconds: 60, increment: 0 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("command-clash") });
    for _ in 0..2 {
        club.press(0, "1");
        club.press(1, "1");
    }
    club.pass(Duration::from_secs(100));
    for guest in [0, 1] {
        club.sees(guest, "The time of both players is up. A draw.");
        club.sees(guest, "turn 2");
    }
}

#[test]
fn a_claim_is_refused_with_the_time_that_is_left() {
    let clock = TimeControl::Game { seconds: 300, increment: 0 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("base-battle") });
    club.press(0, "2");
    club.press(1, "2");
    club.press(0, "2");
    club.disconnect(1);
    club.pass(Duration::from_secs(20));
    club.word(0, "claim");
    club.sees(0, "You can claim the game in 40 seconds.");
    club.pass(Duration::from_secs(41));
    club.word(0, "claim");
    club.sees(0, "Ann wins!");
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
fn a_game_is_created_joined_left_and_taken_up_again() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    let bob = club.enter("Bob", USUAL, OnlineGoal::Lobby);
    club.sees(ann, "Nobody waits. Press c or s.");
    // Base Battle, in public, Ann in seat 1 and first.
    club.press(ann, "c Down Right Right Down Down Down Right Down Down Right");
    club.press(ann, "Down Down Down Right Enter");
    club.sees(ann, "Waiting for the second player.");
    club.sees(ann, "https://play.example.org/g/NEW22A");
    club.press(ann, "Esc");
    club.sees(ann, "Your games");
    club.pass(Duration::from_secs(5));
    club.sees(bob, "Ann waits for an opponent: Enter joins.");
    club.press(bob, "Enter");
    club.sees(bob, "Ann against Bob (you)");
    // Ann waited in the lobby, and is taken to the game.
    club.sees(ann, "Ann (you) against Bob");
    club.press(ann, "2 Esc");
    club.sees(bob, "Ann is not connected.");
    club.press(bob, "2");
    club.pass(Duration::from_secs(5));
    club.sees(ann, "your turn");
    club.press(ann, "Enter");
    club.sees(ann, "turn 3");
    club.press(ann, "2");
    let turns = club.room("NEW22A").table().expect("a game").turns_played();
    assert_eq!(turns, 3, "an id that is used twice gets the first answer again");
}

#[test]
fn a_game_that_nobody_has_joined_can_be_closed() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "c Enter x");
    club.sees(ann, "Lobby");
    club.misses(ann, "Your games");
    assert!(!club.room("NEW22A").is_open());
}

#[test]
fn quick_pairing_brings_two_together() {
    let mut club = Club::new();
    for name in ["Ann", "Bob"] {
        let guest = club.enter(name, USUAL, OnlineGoal::Lobby);
        club.press(guest, "s Enter");
    }
    assert_eq!(club.room("NEW22A").snap(0, club.now).stage, StageName::Playing);
    club.sees(0, "Command Line Conquer: ");
    club.sees(1, "Command Line Conquer: ");
}

#[test]
fn impossible_terms_are_refused_with_the_reason() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    // Against the computer, and rated.
    club.press(ann, "c Down Down Right Down Down Down Right Enter");
    club.sees(
        ann,
        "Only games between people, by the usual rules and without hints, can be rated.",
    );
}

#[test]
fn a_game_that_does_not_exist_says_so_and_leads_back() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "o");
    club.guests[ann].arcade.write("nonsense");
    club.press(ann, "Enter");
    club.sees(ann, "That is not a code");
    club.press(ann, "o");
    club.guests[ann].arcade.write("https://play.example.org/g/zzzzzz");
    club.press(ann, "Enter");
    club.sees(ann, "There is no game ZZZZZZ: check the code.");
    club.press(ann, "Esc");
    club.sees(ann, "Nobody waits");
}

#[test]
fn the_server_has_the_last_word_on_the_connection() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.tell(0, LinkEvent::Message(ServerMessage::Restart { seconds: 5 }));
    club.sees(0, "The server restarts. It should be back in 5 seconds.");
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.tell(ann, LinkEvent::Failed { text: "The server speaks another protocol.".to_owned() });
    club.sees(ann, "not connected");
    club.sees(ann, "The server speaks another protocol.");
}

#[test]
fn leaving_asks_only_while_one_plays() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    assert_eq!(club.guests[0].arcade.press("q"), None);
    club.sees(0, "The game goes on without you.");
    assert_eq!(club.guests[0].arcade.press("y"), Some(Closed::Left));
    let carol = club.enter("Carol", USUAL, goal(CODE));
    assert_eq!(club.guests[carol].arcade.press("q"), Some(Closed::Left));
}

#[test]
fn the_home_screen_leads_back_to_the_lobby() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "Esc");
    club.sees(ann, "▶ Lobby of the server");
    club.press(ann, "Enter");
    club.sees(ann, "Nobody waits");
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
                    // A closed arcade is simply used on.
                    club.guests[guest].arcade.take(any_press(&mut dice));
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
    // Enter skips the motion, and only that.
    club.press(1, "Enter");
    assert_eq!(club.acts, ["3"]);
    club.guests[1].arcade.take(ArcadeEvent::Press(Press::letter(' ')));
    club.settle();
    assert_eq!(club.acts.len(), 2);
}

#[test]
fn who_waits_elsewhere_is_told_that_the_game_begins() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "c Enter Esc b");
    let bob = club.enter("Bob", USUAL, goal("NEW22A"));
    club.sees(bob, "against");
    club.sees(ann, "Somebody has joined your game NEW22A: go to the lobby.");
    club.press(ann, "Esc Enter");
    club.sees(ann, "Ann (you)");
}

#[test]
fn a_refusal_is_forgotten_once_the_server_lets_the_player_in() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, goal("K7PQ2M"));
    club.sees(ann, "There is no game K7PQ2M: check the code.");
    club.open(CODE, terms("base-battle"), ann);
    club.disconnect(ann);
    club.connect(ann);
    club.sees(ann, "Waiting for the second player.");
}

#[test]
fn the_analysis_after_a_game_does_not_help_in_the_next_one() {
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    play_out(&mut club);
    club.press(0, "a");
    club.sees(0, "The end");
    club.misses(0, "╭ Turns");
    club.press(1, "r");
    club.press(0, "y");
    club.sees(0, "turn 1");
    club.sees(0, "╭ Turns");
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
fn a_click_selects_and_a_second_one_opens() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let carol = club.enter("Carol", USUAL, OnlineGoal::Lobby);
    club.open("AAAAAA", Terms { public: true, ..terms("command-clash") }, 0);
    club.pass(Duration::from_secs(5));
    let picture = club.see(carol);
    let row = picture.lines().position(|line| line.contains("AAAAAA")).expect("it is listed");
    for sight in ["Command Clash", "Ann against Carol (you)"] {
        let row = u16::try_from(row).expect("a small number");
        club.guests[carol].arcade.take(ArcadeEvent::Click { column: 5, row });
        club.settle();
        club.sees(carol, sight);
    }
}

#[test]
fn a_game_that_this_program_does_not_know_says_so() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let mut snap = club.room(CODE).snap(account(0), club.now);
    snap.terms.game = "ludo".to_owned();
    snap.code = "LUDO22".to_owned();
    let carol = club.enter("Carol", USUAL, OnlineGoal::Lobby);
    club.press(carol, "o");
    club.guests[carol].arcade.write("ludo22");
    club.press(carol, "Enter");
    club.tell(carol, LinkEvent::Message(ServerMessage::Snap(Box::new(snap))));
    club.sees(carol, "This program cannot show the game ludo");
}

#[test]
fn a_guest_registers_a_name_and_links_a_device() {
    let mut club = Club::new();
    let ann = club.enter("guest-7", USUAL, OnlineGoal::Lobby);
    for (name, answer) in [("Bob", "The name Bob is taken."), ("Ann", "recovery code brings")] {
        club.press(ann, "a Enter");
        club.guests[ann].arcade.write(name);
        club.press(ann, "Enter");
        club.sees(ann, answer);
        club.press(ann, "Esc");
    }
    club.sees(ann, "https://play.example.org: Ann");
    club.misses(ann, "guest");
    club.press(ann, "a Down Enter");
    club.sees(ann, "skirmish join https://play.example.org --link QRST2345");
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
