//! Tests of Base Battle: its rulebook's examples for each reading of the push, and each of its rulings.

use crate::catalog::Setup;
use crate::game::Outcome;
use crate::games::GAMES;
use crate::games::testing::{
    WIDE, assert_no_positions, assert_positions, enter, legal, narration, open, open_at, refused,
    replay, setup,
};
use crate::side::Side;

const GAME: &str = "base-battle";
const BEHIND: &[&str] = &["push=behind"];
const ONWARD: &[&str] = &["push=onward"];

/// Turns 1 to 3 of the playthrough, which are the same for every reading of the push.
const OPENING: [(&str, &str); 3] = [("3", "3/10/2"), ("2", "3/8/1"), ("2", "5/8/2")];

#[test]
fn the_playthrough_replays_to_turn_3() {
    let mut table = open(GAME, &[]);
    let pictures = [
        "[  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][  _ ][  _ ][  _ ][  _ ][ P2 ]",
        "[  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][  _ ][  _ ][ P2 ][  _ ][  _ ]",
        "[  _ ][  _ ][  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][ P2 ][  _ ][  _ ]",
    ];
    for (turn, picture) in OPENING.into_iter().zip(pictures) {
        replay(&mut *table, &[turn]);
        let numbers = "  0     1     2     3     4     5     6     7     8     9     10";
        assert_eq!(table.board(WIDE), format!("{picture}\n{numbers}"));
    }
}

#[test]
fn in_turn_4_landing_in_front_of_player_1_pushes_it_back() {
    // R-BB-7: from here on, the playthrough contradicts the default rules.
    let mut table = open(GAME, &[]);
    replay(&mut *table, &OPENING);
    assert_eq!(
        refused(&mut *table, "3"),
        "Position 5 is occupied by Player 1. Enter 1 or 2.",
        "the issue of turn 4"
    );
    enter(&mut *table, "2");
    assert_eq!(table.position(), "4/6/1");
    assert_eq!(
        narration(&*table),
        "Player 2 moves 2 positions to position 6.\nPlayer 1 is pushed back to position 4."
    );
}

#[test]
fn under_push_onward_the_playthrough_replays_to_turn_5() {
    let mut table = open(GAME, ONWARD);
    replay(&mut *table, &OPENING);
    assert!(table.submit(Side::Two, "3").is_err(), "the issue of turn 4");
    replay(&mut *table, &[("2", "5/6/1")]);
    assert_eq!(
        refused(&mut *table, "1"),
        "Position 6 is occupied by Player 2. Enter 2 or 3.",
        "the issue of turn 5"
    );
    enter(&mut *table, "2");
    assert_eq!(table.position(), "7/5/2");
    assert_eq!(
        table.report(WIDE),
        "\
Player 1 moves 2 positions to position 7.
Player 2 is pushed back to position 5.
[  _ ][  _ ][  _ ][  _ ][  _ ][ P2 ][  _ ][ P1 ][  _ ][  _ ][  _ ]
  0     1     2     3     4     5     6     7     8     9     10"
    );
}

#[test]
fn in_turn_6_player_2_goes_on_towards_player_1() {
    // R-BB-7: the playthrough walks from 5 back to 8, but tokens only move forward.
    let mut table = open_at(GAME, ONWARD, "7/5/2");
    replay(&mut *table, &[("3", "7/2/1"), ("3", "10/2/2")]);
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)), "turn 7");
    assert!(
        narration(&*table).ends_with("Player 1 reaches the opponent's base and wins the game.")
    );
}

#[test]
fn the_example_under_rule_3_is_push_behind() {
    // R-BB-1: Player 1 moves to 5 while Player 2 is at 4; Player 2 is pushed back to 5.
    let mut table = open_at(GAME, BEHIND, "3/4/1");
    enter(&mut *table, "2");
    assert_eq!(table.position(), "5/5/2");
    assert_eq!(
        table.report(WIDE),
        "\
Player 1 moves 2 positions to position 5.
Player 2 is pushed back to position 5.
[  _ ][  _ ][  _ ][  _ ][  _ ][P1P2][  _ ][  _ ][  _ ][  _ ][  _ ]
  0     1     2     3     4     5     6     7     8     9     10"
    );
    replay(&mut *table, &[("1", "4/4/1"), ("3", "7/4/2")]);
}

#[test]
fn the_examples_under_rules_1_and_2_hold() {
    assert_eq!(legal(&*open_at(GAME, &[], "3/9/1"), Side::One), "1 2 3");
    assert_eq!(legal(&*open_at(GAME, &[], "5/7/1"), Side::One), "1 3", "Player 2 is on 7");
}

#[test]
fn the_sample_turn_is_word_for_word() {
    let mut table = open(GAME, &[]);
    replay(&mut *table, &[("3", "3/10/2"), ("2", "3/8/1")]);
    let prompt = table.prompt(Side::One);
    assert_eq!(prompt.lead, "Player 1, you are at position 3.\nPlayer 2 is at position 8.");
    assert_eq!(prompt.ask, "Enter your move (1-3): ");
    enter(&mut *table, "2");
    assert_eq!(narration(&*table), "Player 1 moves 2 positions to position 5.");
    let prompt = table.prompt(Side::Two);
    assert_eq!(prompt.lead, "Player 2, you are at position 8.\nPlayer 1 is at position 5.");
    assert_eq!(prompt.ask, "Enter your move (1-2): ", "the rulebook offers 3, which is not legal");
}

#[test]
fn the_prompt_offers_only_legal_moves() {
    for (position, offered) in [("5/7/1", "1 or 3"), ("5/6/1", "2 or 3"), ("9/3/1", "1")] {
        let table = open_at(GAME, &[], position);
        let ask = table.prompt(table.turn()[0]).ask;
        assert_eq!(ask, format!("Enter your move ({offered}): "), "{position}");
    }
}

#[test]
fn a_push_needs_the_exact_landing() {
    // R-BB-1: in each reading, only one landing pushes; neighbouring landings do not.
    replay(&mut *open_at(GAME, &[], "3/7/1"), &[("3", "6/8/2")]);
    replay(&mut *open_at(GAME, &[], "3/7/1"), &[("2", "5/7/2")]);
    replay(&mut *open_at(GAME, &[], "5/6/1"), &[("2", "7/6/2")]);
    for (rules, after) in [(BEHIND, "5/5/2"), (ONWARD, "5/3/2")] {
        replay(&mut *open_at(GAME, rules, "3/4/1"), &[("2", after)]);
        replay(&mut *open_at(GAME, rules, "3/4/1"), &[("3", "6/4/2")]);
        replay(&mut *open_at(GAME, rules, "2/4/1"), &[("1", "3/4/2")]);
    }
}

#[test]
fn an_opponent_on_its_own_base_stays_there() {
    let mut table = open_at(GAME, &[], "7/10/1");
    replay(&mut *table, &[("2", "9/10/2")]); // R-BB-2
    assert_eq!(
        narration(&*table),
        "Player 1 moves 2 positions to position 9.",
        "no push is reported"
    );
    replay(&mut *open_at(GAME, &[], "0/3/2"), &[("2", "0/1/1")]);
}

#[test]
fn a_push_can_end_on_ones_own_base() {
    replay(&mut *open_at(GAME, &[], "6/9/1"), &[("2", "8/10/2")]);
}

#[test]
fn tokens_pass_each_other() {
    let mut table = open_at(GAME, &[], "5/6/1");
    replay(&mut *table, &[("3", "8/6/2"), ("3", "8/3/1")]); // R-BB-3
}

#[test]
fn an_owner_on_its_base_blocks_it() {
    let mut table = open_at(GAME, &[], "8/10/1");
    assert_eq!(legal(&*table, Side::One), "1", "R-BB-4");
    assert_eq!(refused(&mut *table, "2"), "Position 10 is occupied by Player 2. Enter 1.");
    assert_eq!(
        refused(&mut *table, "3"),
        "Cannot move 3 positions; the path ends at the opponent's base. Enter 1."
    );
}

#[test]
fn a_token_in_front_of_an_occupied_base_passes() {
    let mut table = open_at(GAME, &[], "9/10/1");
    assert_eq!(legal(&*table, Side::One), "pass", "R-BB-5");
    assert!(table.must_pass(Side::One));
    assert_eq!(refused(&mut *table, "1"), "Position 10 is occupied by Player 2. Enter pass.");
    enter(&mut *table, "pass");
    assert_eq!(table.position(), "9/10/2");
    assert_eq!(narration(&*table), "Player 1 has no valid move: the turn passes to Player 2.");
    assert_eq!(legal(&*table, Side::Two), "2 3", "and Player 2 must leave its base");
    replay(&mut *table, &[("2", "9/8/1"), ("1", "10/8/2")]);
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
}

#[test]
fn a_side_that_can_move_cannot_pass() {
    let mut table = open(GAME, &[]);
    let message = "\"pass\" is not a move here: enter 1, 2 or 3.";
    assert_eq!(refused(&mut *table, "pass"), message, "R-ALL-3");
    assert_eq!(table.play("pass").unwrap_err().to_string(), message);
}

#[test]
fn a_pushed_token_never_wins() {
    // R-BB-6: Player 2 on 1 would be pushed onto the base it is heading for; it stays.
    let mut table = open_at(GAME, ONWARD, "0/1/1");
    replay(&mut *table, &[("2", "2/1/2")]);
    assert_eq!(table.outcome(), None);
    let mut table = open_at(GAME, ONWARD, "9/10/2");
    replay(&mut *table, &[("2", "9/8/1")]);
    assert_eq!(table.outcome(), None);
    replay(&mut *open_at(GAME, ONWARD, "0/2/1"), &[("3", "3/1/2")]);
}

#[test]
fn a_winning_move_pushes_nobody() {
    for rules in [&[][..], BEHIND, ONWARD] {
        let mut table = open_at(GAME, rules, "8/9/1");
        replay(&mut *table, &[("2", "10/9/2")]);
        assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
    }
}

#[test]
fn a_push_never_follows_from_a_push() {
    // R-BB-6: the pushed token ends one place past the mover's old place, or next to its new one.
    for (rules, from, turn) in
        [(&[][..], "4/6/1", "1"), (BEHIND, "5/5/2", "1"), (ONWARD, "5/6/1", "2")]
    {
        let mut table = open_at(GAME, rules, from);
        table.play(turn).unwrap();
        let pushes = table.last_turn().iter().filter(|telling| telling.kind == "push").count();
        assert_eq!(pushes, 1, "from {from}");
    }
}

#[test]
fn a_base_is_reached_exactly() {
    assert_eq!(legal(&*open_at(GAME, &[], "9/4/1"), Side::One), "1");
    assert_eq!(legal(&*open_at(GAME, &[], "9/2/2"), Side::Two), "1 2");
}

#[test]
fn the_players_choose_who_starts() {
    let entry = GAMES.find(GAME).unwrap();
    let table = entry.open(Setup { first: Side::Two, ..setup(GAME, &[]) }).unwrap();
    assert_eq!(table.position(), "0/10/2", "R-ALL-1");
    assert!(table.welcome().ends_with("Player 2 takes the first turn."));
}

#[test]
fn the_prompt_names_the_steps_there_are() {
    let ask = |rule| open(GAME, &[rule]).prompt(Side::One).ask;
    assert_eq!(ask("steps=1"), "Enter your move (1): ");
    assert_eq!(ask("steps=9"), "Enter your move (1-9): ");
}

#[test]
fn positions_print_unchanged() {
    assert_positions(GAME, &[], &["0/10/1", "7/5/2", "9/10/1", "10/4/2", "3/0/1"]);
    assert_positions(GAME, BEHIND, &["5/5/1", "5/5/2"]);
    assert_positions(GAME, &["positions=255"], &["0/254/2"]);
}

#[test]
fn illegal_positions_are_refused() {
    for text in ["", "0/10", "0/10/0", "0/10/1/2", "P1/10/1", "0/-1/1", "0/10/01"] {
        let message = format!("\"{text}\" is not a position: write P1/P2/MOVER, such as 0/10/1");
        assert_no_positions(GAME, &[], &[(text, &message)]);
    }
    assert_no_positions(
        GAME,
        &[],
        &[
            ("0/11/1", "0/11/1 is not a legal position: the board goes from 0 to 10"),
            ("5/5/1", "5/5/1 is not a legal position: two tokens cannot share a position"),
            (
                "10/4/1",
                "10/4/1 is not a legal position: Player 1 has reached the opponent's base, so it is Player 2's turn",
            ),
        ],
    );
    assert_no_positions(
        GAME,
        ONWARD,
        &[("5/5/1", "5/5/1 is not a legal position: two tokens cannot share a position")],
    );
}
