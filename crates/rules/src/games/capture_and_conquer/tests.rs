//! Tests of Capture and Conquer: its rulebook's examples and each of its rulings.

use crate::catalog::Setup;
use crate::game::Outcome;
use crate::games::GAMES;
use crate::games::testing::{
    WIDE, assert_no_positions, assert_positions, enter, legal, open, open_at, refused, replay,
    setup,
};
use crate::side::{Both, Side};

const GAME: &str = "capture-and-conquer";

/// Turns 1 to 7 of the worked example; R-CC-4 explains why the rest is omitted.
const EXAMPLE: [(&str, &str); 7] = [
    ("2", "2/10/2"),
    ("2", "2/8/1"),
    ("1", "3/8/2"),
    ("1", "3/7/1"),
    ("2", "5/7/2"),
    ("2", "0/5/1"),
    ("2", "2/5/2"),
];

#[test]
fn the_worked_example_replays_to_turn_7() {
    let mut table = open(GAME, &[]);
    assert_eq!(table.position(), "0/10/1");
    replay(&mut *table, &EXAMPLE);
    assert_eq!(table.history(), ["2", "2", "1", "1", "2", "2", "2"]);
}

#[test]
fn in_turn_8_player_2_goes_on_towards_player_1() {
    // R-CC-4: the example walks from 5 back to 7, but units only move forward.
    let mut table = open(GAME, &[]);
    replay(&mut *table, &EXAMPLE);
    replay(&mut *table, &[("2", "2/3/1")]);
}

#[test]
fn the_sample_interaction_starts_word_for_word() {
    let mut table = open(GAME, &[]);
    assert_eq!(
        table.welcome() + "\n\n" + &table.board(WIDE),
        "\
Welcome to Capture and Conquer!

Player 1's base is at position 0.
Player 2's base is at position 10.

Player 1 starts first.

Positions: [0 P1][1][2][3][4][5][6][7][8][9][10 P2]"
    );
    let prompt = table.prompt(Side::One);
    assert_eq!(prompt.lead, "Player 1's turn.");
    assert_eq!(prompt.ask, "Enter your move (1 or 2 positions forward): ");
    enter(&mut *table, "2");
    assert_eq!(
        table.report(WIDE),
        "Player 1 moves to position 2.\n\
         Positions: [0][1][2 P1][3][4][5][6][7][8][9][10 P2]"
    );
    assert_eq!(table.prompt(Side::Two).lead, "Player 2's turn.");
    enter(&mut *table, "2");
    assert_eq!(
        table.report(WIDE),
        "Player 2 moves to position 8.\n\
         Positions: [0][1][2 P1][3][4][5][6][7][8 P2][9][10]"
    );
}

#[test]
fn the_battle_of_turn_6_is_reported_word_for_word() {
    let mut table = open(GAME, &[]);
    replay(&mut *table, &EXAMPLE[..6]);
    assert_eq!(
        table.report(WIDE),
        "\
Player 2 moves to position 5.
Battle occurs at position 5!
Player 2 wins the battle.
Player 1's unit is sent back to base.

Positions: [0 P1][1][2][3][4][5 P2][6][7][8][9][10]"
    );
    assert_eq!(table.outcome(), None, "being sent home to 0 is not a win");
}

#[test]
fn player_2_wins_on_position_0() {
    // R-CC-4: the sample "Winning the Game", with position 0 for position 10.
    let mut table = open_at(GAME, &[], "6/1/2");
    enter(&mut *table, "1");
    assert_eq!(
        table.report(WIDE),
        "\
Player 2 moves to position 0.
Player 2 has reached Player 1's base!
Player 2 wins the game!

Final Positions: [0 P2][1][2][3][4][5][6 P1][7][8][9][10]"
    );
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::Two)));
    assert_eq!(table.position(), "6/0/1", "the player to move changes after the winning move too");
    assert_eq!(table.submit(Side::One, "1").unwrap_err().to_string(), "The game is over.");
}

#[test]
fn units_pass_each_other_freely() {
    let mut table = open_at(GAME, &[], "4/5/1");
    replay(&mut *table, &[("2", "6/5/2"), ("2", "6/3/1")]); // R-CC-1
    assert_eq!(table.last_turn().len(), 1, "no battle");
}

#[test]
fn too_long_a_move_is_not_legal() {
    let mut table = open_at(GAME, &[], "9/5/1");
    assert_eq!(legal(&*table, Side::One), "1", "R-CC-2");
    assert_eq!(
        refused(&mut *table, "2"),
        "Cannot move 2 positions; the enemy base is only 1 away. Enter 1."
    );
    assert_eq!(table.position(), "9/5/1", "R-ALL-4");
    let mut table = open_at(GAME, &["steps=9"], "4/7/2");
    assert_eq!(legal(&*table, Side::Two), "1 2 3 4 5 6 7");
    assert_eq!(
        refused(&mut *table, "8"),
        "Cannot move 8 positions; the enemy base is only 7 away. \
         Enter 1, 2, 3, 4, 5, 6 or 7."
    );
}

#[test]
fn moving_onto_a_defended_base_wins() {
    let mut table = open_at(GAME, &[], "9/10/1");
    enter(&mut *table, "1");
    assert_eq!(table.position(), "10/10/2", "R-CC-3: the defender remains there");
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
    assert!(table.board(WIDE).ends_with("[9][10 P1 P2]"));
    let kinds: Vec<&str> = table.last_turn().iter().map(|telling| telling.kind).collect();
    assert_eq!(kinds, ["move", "win"], "no battle is fought");
}

#[test]
fn the_players_choose_who_starts() {
    let entry = GAMES.find(GAME).unwrap();
    let setup = Setup {
        first: Side::Two,
        names: Both::new("Ada".to_owned(), "Bob".to_owned()),
        ..setup(GAME, &[])
    };
    let mut table = entry.open(setup).unwrap();
    assert_eq!((table.position().as_str(), table.first()), ("0/10/2", Side::Two), "R-ALL-1");
    assert!(table.welcome().ends_with("Bob starts first."));
    let refusal = table.submit(Side::One, "1").unwrap_err();
    assert_eq!(refusal.to_string(), "It is not Ada's turn.");
    enter(&mut *table, "2");
    assert!(table.report(WIDE).starts_with("Bob moves to position 8.\n"));
}

#[test]
fn the_prompt_names_the_steps_there_are() {
    let ask = |rule| open(GAME, &[rule]).prompt(Side::One).ask;
    assert_eq!(ask("steps=1"), "Enter your move (1 position forward): ");
    assert_eq!(ask("steps=4"), "Enter your move (1, 2, 3 or 4 positions forward): ");
}

#[test]
fn on_the_shortest_board_the_first_long_move_wins() {
    let mut table = open(GAME, &["positions=3"]);
    replay(&mut *table, &[("2", "2/2/2")]);
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
}

#[test]
fn a_wide_board_is_broken_into_lines() {
    let table = open(GAME, &["positions=30"]);
    let board = table.board(40);
    assert!(board.lines().count() > 1);
    assert!(board.lines().all(|line| line.chars().count() <= 40), "{board}");
}

#[test]
fn bad_input_says_what_is_possible() {
    let mut table = open(GAME, &[]);
    for typed in ["0", "3", "-1", "1.5", "two", "", "pass", "1 1"] {
        let message = format!("\"{typed}\" is not a move here: enter 1 or 2.");
        assert_eq!(refused(&mut *table, typed), message);
    }
    assert_eq!(table.position(), "0/10/1", "R-ALL-4: nothing has changed");
}

#[test]
fn positions_print_unchanged() {
    assert_positions(GAME, &[], &["0/10/1", "0/10/2", "7/3/1", "10/10/2", "0/0/1", "6/0/1"]);
    assert_positions(GAME, &["positions=255"], &["0/254/1", "253/1/2"]);
}

#[test]
fn illegal_positions_are_refused() {
    let form = "P1/P2/MOVER, such as 0/10/1";
    for text in
        ["", "0/10", "0/10/0", "0/10/3", "0/10/1/1", "a/10/1", "+0/10/1", "00/10/1", "0/10/"]
    {
        let message = format!("\"{text}\" is not a position: write {form}");
        assert_no_positions(GAME, &[], &[(text, &message)]);
    }
    assert_no_positions(
        GAME,
        &[],
        &[
            ("0/11/1", "0/11/1 is not a legal position: the board goes from 0 to 10"),
            (
                "5/5/1",
                "5/5/1 is not a legal position: two units cannot share a position: \
                 the one that moved there sends the other home",
            ),
            (
                "10/4/1",
                "10/4/1 is not a legal position: Player 1 has reached the opponent's base, so it is Player 2's turn",
            ),
            (
                "4/0/2",
                "4/0/2 is not a legal position: Player 2 has reached the opponent's base, so it is Player 1's turn",
            ),
        ],
    );
}

#[test]
fn from_a_position_the_prompt_offers_only_legal_moves() {
    // R-CC-2: nobody may go beyond the base.
    let table = open_at(GAME, &[], "9/5/1");
    assert_eq!(table.prompt(Side::One).ask, "Enter your move (1 position forward): ");
    let table = open_at(GAME, &[], "8/5/1");
    assert_eq!(table.prompt(Side::One).ask, "Enter your move (1 or 2 positions forward): ");
}
