//! Tests of Capture the Line: its rulebook's examples and each of its rulings.

use super::{CaptureTheLine, Event};
use crate::catalog::{Catalogued, Setup};
use crate::game::{Game, Outcome};
use crate::games::GAMES;
use crate::games::testing::{
    WIDE, assert_no_positions, assert_positions, enter, legal, narration, open, open_at, refused,
    replay, setup,
};
use crate::settings::Settings;
use crate::side::{Both, Side};
use crate::tokens::{Step, Tokens};

const GAME: &str = "capture-the-line";

/// Turns 1 to 3 of the sample game; R-CTL-3 explains why the rest is omitted.
const EXAMPLE: [(&str, &str); 3] = [("2", "3/11/2"), ("2", "3/9/1"), ("2", "5/9/2")];

#[test]
fn the_sample_game_replays_to_turn_3() {
    let mut table = open(GAME, &[]);
    assert_eq!(table.position(), "1/11/1");
    assert!(
        table
            .board(WIDE)
            .starts_with("Player Positions:\n- Player 1: Point 1\n- Player 2: Point 11\n")
    );
    replay(&mut *table, &EXAMPLE);
    assert!(
        table
            .board(WIDE)
            .starts_with("Player Positions:\n- Player 1: Point 5\n- Player 2: Point 9\n")
    );
}

#[test]
fn in_turn_4_player_2_goes_on_towards_the_centre() {
    // R-CTL-3: the sample walks from 9 back to 10, but markers only move forward.
    let mut table = open(GAME, &[]);
    replay(&mut *table, &EXAMPLE);
    replay(&mut *table, &[("2", "5/7/1"), ("1", "6/7/2")]);
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)), "turn 5");
    assert_eq!(
        table.report(WIDE),
        "\
Player 1 moves to Point 6.
Player 1 has reached the center point!
Player 1 wins the game!

Player Positions:
- Player 1: Point 6 (Victory)
- Player 2: Point 7

1 - 2 - 3 - 4 - 5 - [6] - [7] - 8 - 9 - 10 - 11"
    );
}

#[test]
fn the_path_is_drawn_as_in_the_rulebook() {
    let table = open(GAME, &[]);
    let path = "[1] - 2 - 3 - 4 - 5 - 6 - 7 - 8 - 9 - 10 - [11]";
    assert_eq!(table.board(WIDE).lines().last(), Some(path));
}

#[test]
fn the_first_sample_interaction_is_word_for_word() {
    let mut table = open_at(GAME, &[], "3/9/1");
    let prompt = table.prompt(Side::One);
    assert_eq!(
        prompt.lead,
        "It's Player 1's turn.\nCurrent Positions: Player 1 at Point 3, Player 2 at Point 9."
    );
    assert_eq!(prompt.ask, "Choose your move (enter 1 or 2 to move forward that many points): ");
    enter(&mut *table, "2");
    assert_eq!(narration(&*table), "Player 1 moves to Point 5.");
    let prompt = table.prompt(Side::Two);
    assert_eq!(
        prompt.lead,
        "It's Player 2's turn.\nCurrent Positions: Player 2 at Point 9, Player 1 at Point 5."
    );
}

#[test]
fn a_move_that_is_too_long_is_adjusted_with_a_message() {
    // R-CTL-1
    let mut table = open_at(GAME, &[], "5/9/1");
    assert_eq!(legal(&*table, Side::One), "1");
    enter(&mut *table, "2");
    assert_eq!(table.position(), "6/9/2");
    assert_eq!(table.history(), ["1"], "what was played, not what was typed");
    assert!(table.report(WIDE).starts_with(
        "\
Cannot move 2 points; this would go beyond Point 6.
Adjusted move to 1 point.

Player 1 moves to Point 6.
"
    ));
}

#[test]
fn an_adjusted_move_is_the_longest_possible() {
    // R-CTL-1
    for (typed, position) in [("1", "5/9/2"), ("2", "6/9/2"), ("3", "6/9/2")] {
        let mut table = open_at(GAME, &["steps=3"], "4/9/1");
        enter(&mut *table, typed);
        assert_eq!(table.position(), position, "entering {typed}");
    }
    let mut table = open_at(GAME, &["steps=3"], "4/9/1");
    enter(&mut *table, "3");
    assert!(narration(&*table).contains("Adjusted move to 2 points."));
}

#[test]
fn a_list_of_moves_is_not_adjusted() {
    // R-CTL-1 changes the typed move; a record contains the move that was played.
    let mut table = open_at(GAME, &[], "5/9/1");
    assert_eq!(
        table.play("2").unwrap_err().to_string(),
        "Cannot move 2 points; this would go beyond Point 6. Enter 1."
    );
    assert_eq!(table.position(), "5/9/1");
}

#[test]
fn a_move_that_would_reach_the_opponent_says_so() {
    // R-CTL-2, in the words of the second sample interaction. Landing on the opponent is enough.
    let mut table = open_at(GAME, &[], "5/7/2");
    enter(&mut *table, "2");
    assert_eq!(table.position(), "5/6/1");
    assert!(table.report(WIDE).starts_with(
        "\
Cannot move 2 points; this would pass Player 1's position.
Adjusted move to 1 point.

Player 2 moves to Point 6.
"
    ));
}

#[test]
fn a_marker_that_cannot_move_loses_its_turn() {
    // R-CTL-2: this cannot happen in a legal position, but the rule is implemented anyway.
    let game = CaptureTheLine::default();
    let facing = Tokens { at: Both::new(8, 9), to_move: Side::One };
    assert_eq!(game.actions(&facing, Side::One)[..], [Step::Pass]);
    let mut events = Vec::new();
    let turn = Both::new(Some(Step::Pass), None);
    let after = game.resolve(&facing, turn, |event| events.push(event));
    assert_eq!(after, Tokens { to_move: Side::Two, ..facing });
    assert_eq!(events, [Event::Passed { side: Side::One }]);
    assert_eq!(
        crate::text::sentences(&events, &crate::side::default_names()),
        "Player 1 cannot move and loses their turn."
    );
}

#[test]
fn somebody_can_always_move() {
    // R-CTL-2: "never possible in fact", from any position and with moves of any length.
    for steps in ["steps=1", "steps=2", "steps=9"] {
        for (one, two) in (1..6).flat_map(|one| (7..12).map(move |two| (one, two))) {
            for side in Side::ALL {
                let position = format!("{one}/{two}/{}", side.number());
                let table = open_at(GAME, &[steps], &position);
                assert!(!table.must_pass(side), "{position}");
            }
        }
    }
}

#[test]
fn player_1_starts_whatever_the_setup_says() {
    let entry = GAMES.find(GAME).unwrap();
    let table = entry.open(Setup { first: Side::Two, ..setup(GAME, &[]) }).unwrap();
    assert_eq!((table.position().as_str(), table.first()), ("1/11/1", Side::One), "R-ALL-1");
}

#[test]
fn the_line_is_odd_so_that_it_has_a_centre() {
    let error = Settings::parse(CaptureTheLine::OPTIONS, ["positions=10"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "positions=10 is not possible: expected an odd number from 3 to 255"
    );
    assert!(open(GAME, &["positions=255"]).welcome().contains("exactly on Point 128!"));
}

#[test]
fn on_the_shortest_line_the_first_move_wins() {
    let mut table = open(GAME, &["positions=3"]);
    enter(&mut *table, "2");
    assert_eq!((table.position().as_str(), table.history()), ("2/3/2", vec!["1".to_owned()]));
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
}

#[test]
fn bad_input_says_what_is_possible() {
    let mut table = open(GAME, &[]);
    for typed in ["3", "0", "-2", "", "two", "pass"] {
        let message = format!("\"{typed}\" is not a move here: enter 1 or 2.");
        assert_eq!(refused(&mut *table, typed), message, "R-ALL-4");
    }
    assert_eq!(table.position(), "1/11/1");
}

#[test]
fn positions_print_unchanged() {
    assert_positions(GAME, &[], &["1/11/1", "5/7/2", "6/7/2", "5/6/1"]);
    assert_positions(GAME, &["positions=255"], &["1/255/1", "127/129/2"]);
}

#[test]
fn illegal_positions_are_refused() {
    for text in ["", "1/11", "1/11/0", "1/11/1/1", "one/11/1", "01/11/1"] {
        let message = format!("\"{text}\" is not a position: write P1/P2/MOVER, such as 1/11/1");
        assert_no_positions(GAME, &[], &[(text, &message)]);
    }
    assert_no_positions(
        GAME,
        &[],
        &[
            ("0/11/1", "0/11/1 is not a legal position: the board goes from 1 to 11"),
            ("7/9/1", "7/9/1 is not a legal position: markers cannot pass the centre, Point 6"),
            ("3/5/1", "3/5/1 is not a legal position: markers cannot pass the centre, Point 6"),
            ("6/6/1", "6/6/1 is not a legal position: two markers cannot share a point"),
            ("6/9/1", "6/9/1 is not a legal position: Player 1 has won, so it is Player 2's turn"),
        ],
    );
}
