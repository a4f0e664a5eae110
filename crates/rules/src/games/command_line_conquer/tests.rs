//! Tests of Command Line Conquer: its rulebook's examples and each of its rulings.

use crate::catalog::Setup;
use crate::game::Outcome;
use crate::games::GAMES;
use crate::games::testing::{
    WIDE, assert_no_positions, assert_positions, enter, legal, narration, open, open_at, refused,
    replay, setup,
};
use crate::side::Side;
use crate::table::Table;

const GAME: &str = "command-line-conquer";

/// The worked example: the input, the position after it, and the units drawn in the rulebook.
/// Step 28 is the forced recruit of R-CLC-5.
const EXAMPLE: [(&str, &str, &str); 29] = [
    ("move 0", "1/10/2", "P1(2) P2(1)"),
    ("recruit", "1/10,10/1", "P1(2) P2(1) P2(1)"),
    ("move 1", "2/10,10/2", "P1(3) P2(1) P2(1)"),
    ("move 10", "2/9,10/1", "P1(3) P2(2) P2(1)"),
    ("recruit", "0,2/9,10/2", "P1(1) P1(3) P2(2) P2(1)"),
    ("move 9", "0,2/8,10/1", "P1(1) P1(3) P2(3) P2(1)"),
    ("move 0", "1,2/8,10/2", "P1(2) P1(3) P2(3) P2(1)"),
    ("move 8", "1,2/7,10/1", "P1(2) P1(3) P2(4) P2(1)"),
    ("move 1", "2,2/7,10/2", "P1(3) P1(3) P2(4) P2(1)"),
    ("move 7", "2,2/6,10/1", "P1(3) P1(3) P2(5) P2(1)"),
    ("move 2", "2,3/6,10/2", "P1(3) P1(4) P2(5) P2(1)"),
    ("move 6", "2,3/5,10/1", "P1(3) P1(4) P2(5) P2(1)"),
    ("move 3", "2,4/5,10/2", "P1(3) P1(5) P2(5) P2(1)"),
    ("move 5", "2/10/1", "P1(3) P2(1)"),
    ("move 2", "3/10/2", "P1(4) P2(1)"),
    ("move 10", "3/9/1", "P1(4) P2(2)"),
    ("move 3", "4/9/2", "P1(5) P2(2)"),
    ("move 9", "4/8/1", "P1(5) P2(3)"),
    ("move 4", "5/8/2", "P1(5) P2(3)"),
    ("move 8", "5/7/1", "P1(5) P2(4)"),
    ("move 5", "6/7/2", "P1(5) P2(4)"),
    ("move 7", "6/-/1", "P1(5)"),
    ("move 6", "7/-/2", "P1(5)"),
    ("recruit", "7/10/1", "P1(5) P2(1)"),
    ("move 7", "8/10/2", "P1(5) P2(1)"),
    ("move 10", "8/9/1", "P1(5) P2(2)"),
    ("move 8", "9/-/2", "P1(5)"),
    ("recruit", "9/10/1", "P1(5) P2(1)"),
    ("move 9", "10/-/2", "P1(5)"),
];

/// The units on the board from left to right, in the rulebook's notation.
fn units(table: &dyn Table) -> String {
    let scene = table.scene();
    let shown = |piece: &crate::scene::Piece| {
        format!("{}({})", piece.side.token(), piece.strength.unwrap())
    };
    scene.pieces.iter().map(shown).collect::<Vec<String>>().join(" ")
}

#[test]
fn the_worked_example_replays_to_its_last_step() {
    let mut table = open(GAME, &[]);
    assert_eq!((table.position().as_str(), units(&*table).as_str()), ("0/10/1", "P1(1) P2(1)"));
    for (index, (typed, position, drawn)) in EXAMPLE.into_iter().enumerate() {
        let step = index + 1;
        assert_eq!(table.outcome(), None, "before step {step}");
        enter(&mut *table, typed);
        assert_eq!(table.position(), position, "after step {step}");
        assert_eq!(units(&*table), drawn, "after step {step}");
    }
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
}

#[test]
fn the_battles_of_the_example_are_reported_in_its_words() {
    let mut table = open(GAME, &[]);
    let mut battles = Vec::new();
    for (typed, ..) in EXAMPLE {
        enter(&mut *table, typed);
        let fought = table.last_turn().into_iter().filter(|telling| telling.kind == "battle");
        battles.extend(fought.map(|telling| telling.sentence));
    }
    assert_eq!(
        battles,
        [
            // Step 14, step 22, step 27; then the recruit of step 28 falls with its base.
            "Battle: P2's unit (strength 5) vs. P1's unit at position 4 (strength 5).\n\
             Both units have equal strength. Both units are destroyed.",
            "Battle: P2's unit (strength 4) vs. P1's unit at position 6 (strength 5).\n\
             P1's unit wins; P2's unit is removed.",
            "Battle: P1's unit (strength 5) vs. P2's unit at position 9 (strength 2).\n\
             P1's unit wins; P2's unit is removed.",
            "Battle: P1's unit (strength 5) vs. P2's unit at position 10 (strength 1).\n\
             P1's unit wins; P2's unit is removed.",
        ]
    );
    assert!(
        narration(&*table).ends_with("Player 1 has captured Player 2's base and wins the game!")
    );
}

#[test]
fn a_strength_update_says_whether_the_unit_grew() {
    let mut table = open_at(GAME, &[], "3/10/1");
    enter(&mut *table, "move 3");
    assert_eq!(
        narration(&*table),
        "Player 1 moves a unit from position 3 to 4.\nThe unit's strength increases to 5."
    );
    replay(&mut *table, &[("r", "4/10,10/1"), ("m4", "5/10,10/2")]);
    assert_eq!(
        narration(&*table),
        "Player 1 moves a unit from position 4 to 5.\nThe unit's strength remains at 5."
    );
}

#[test]
fn the_first_screen_shows_bases_and_units() {
    let table = open(GAME, &[]);
    assert_eq!(
        table.welcome(),
        "Welcome to Command Line Conquer!\n\n\
         Player 1's base is at position 0.\nPlayer 2's base is at position 10.\n\n\
         Player 1 takes the first turn."
    );
    let board = "\
Positions: 0     1     2     3     4     5     6     7     8     9     10
Units:     P1(1)                                                       P2(1)";
    assert_eq!(table.board(WIDE), board);
    let prompt = table.prompt(Side::One);
    assert_eq!(prompt.lead, "Player 1's turn.");
    assert_eq!(prompt.ask, "Enter your action (move 0 or recruit): ");
}

#[test]
fn units_that_share_a_position_are_stacked() {
    // R-CLC-2, step 9 of the example.
    let table = open_at(GAME, &[], "2,2/7,10/2");
    let board = "\
Positions: 0     1     2     3     4     5     6     7     8     9     10
Units:                 P1(3)                         P2(4)             P2(1)
                       P1(3)";
    assert_eq!(table.board(WIDE), board);
}

#[test]
fn a_moving_unit_fights_with_the_strength_it_had_before() {
    // R-CLC-1, step 22: a moving unit of strength 4 loses to a 5; with the +1, both would fall.
    replay(&mut *open_at(GAME, &[], "6/7/2"), &[("m7", "6/-/1")]);
    replay(&mut *open_at(GAME, &["battle=arrival"], "6/7/2"), &[("m7", "-/-/1")]);
    // In an equal battle of 3 against 3, the +1 wins.
    replay(&mut *open_at(GAME, &["positions=6"], "2/3/1"), &[("m2", "-/-/2")]);
    replay(&mut *open_at(GAME, &["positions=6", "battle=arrival"], "2/3/1"), &[("m2", "3/-/2")]);
}

#[test]
fn a_survivor_has_the_strength_of_its_new_position() {
    // R-CLC-1: the move's +1 comes after the battle, and winning adds nothing.
    let mut table = open_at(GAME, &["positions=7"], "3/4/1");
    enter(&mut *table, "m3");
    assert_eq!((table.position().as_str(), units(&*table).as_str()), ("4/-/2", "P1(5)"));
    assert_eq!(
        narration(&*table).lines().last(),
        Some("The unit's strength increases to 5."),
        "a 4 beats a 3 and is a 5"
    );
}

#[test]
fn a_stronger_attacker_clears_the_position() {
    let mut table = open_at(GAME, &[], "8/9,9,10/1");
    enter(&mut *table, "move 8");
    assert_eq!(table.position(), "9/10/2", "R-CLC-3");
    let battles = table.last_turn().iter().filter(|telling| telling.kind == "battle").count();
    assert_eq!(battles, 2, "it fights them one at a time");
}

#[test]
fn an_equal_attacker_falls_with_one_defender() {
    replay(&mut *open_at(GAME, &[], "4/5,5/1"), &[("m4", "-/5/2")]); // R-CLC-3
}

#[test]
fn a_weaker_attacker_falls_alone() {
    replay(&mut *open_at(GAME, &[], "2,2/3,3/1"), &[("m2", "2/3,3/2")]); // R-CLC-3
}

#[test]
fn a_defended_base_is_captured_after_the_battle() {
    let mut table = open_at(GAME, &[], "9/10,10,10/1");
    enter(&mut *table, "move 9");
    assert_eq!(table.position(), "10/-/2", "R-CLC-4");
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
    let kinds: Vec<&str> = table.last_turn().iter().map(|telling| telling.kind).collect();
    assert_eq!(kinds, ["move", "battle", "battle", "battle", "strengthen", "win"]);
}

#[test]
fn under_strength_1_a_defender_holds_its_base() {
    // R-CLC-4: the battle comes first, and here it is a tie.
    for battle in ["battle=departure", "battle=arrival"] {
        let mut table = open_at(GAME, &["strength=1", battle], "9/10,10/1");
        replay(&mut *table, &[("m9", "-/10/2")]);
        assert_eq!(table.outcome(), None);
        let mut table = open_at(GAME, &["strength=1", battle], "9/4/1");
        replay(&mut *table, &[("m9", "10/4/2")]);
        assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)), "the base was empty");
    }
}

#[test]
fn a_player_without_units_must_recruit() {
    let mut table = open_at(GAME, &[], "7/-/2");
    assert_eq!(legal(&*table, Side::Two), "r", "R-CLC-5, step 24");
    assert_eq!(table.prompt(Side::Two).ask, "Enter your action (recruit): ");
    assert_eq!(refused(&mut *table, "move 10"), "You have no unit on position 10. Enter recruit.");
    assert!(!table.must_pass(Side::Two), "nobody passes in this game");
}

#[test]
fn strength_is_the_distance_from_home_plus_one_up_to_the_cap() {
    // R-CLC-6, for both sides and another cap.
    let strengths = |rules: &[&str], position: &str| units(&*open_at(GAME, rules, position));
    assert_eq!(strengths(&["units=6"], "0,1,2,3,4,9/-/1"), "P1(1) P1(2) P1(3) P1(4) P1(5) P1(5)");
    assert_eq!(strengths(&[], "-/6,7,10/1"), "P2(5) P2(4) P2(1)");
    assert_eq!(strengths(&["strength=99"], "0/1/1"), "P1(1) P2(10)");
}

#[test]
fn units_on_one_position_are_one_choice() {
    let table = open_at(GAME, &[], "2,2/10/1");
    assert_eq!(legal(&*table, Side::One), "m2 r", "R-CLC-6");
    assert_eq!(legal(&*open_at(GAME, &[], "0,2,2/10/1"), Side::One), "m0 m2", "three are enough");
}

#[test]
fn nobody_recruits_beyond_the_maximum() {
    let mut table = open_at(GAME, &[], "0,2,3/10/1");
    assert_eq!(
        refused(&mut *table, "recruit"),
        "You have 3 units on the battlefield, the maximum. Enter move 0, move 2 or move 3."
    );
    assert_eq!(table.prompt(Side::One).ask, "Enter your action (move 0, move 2 or move 3): ");
    let mut table = open(GAME, &["units=1"]);
    assert_eq!(
        refused(&mut *table, "r"),
        "You have 1 unit on the battlefield, the maximum. Enter move 0."
    );
}

#[test]
fn player_1_starts_whatever_the_setup_says() {
    let entry = GAMES.find(GAME).unwrap();
    let table = entry.open(Setup { first: Side::Two, ..setup(GAME, &[]) }).unwrap();
    assert_eq!((table.position().as_str(), table.first()), ("0/10/1", Side::One), "R-ALL-1");
}

#[test]
fn bad_input_says_what_is_possible() {
    let mut table = open_at(GAME, &[], "0,2/10/1");
    let cases = [
        ("attack", "\"attack\" is not a move here: enter move 0, move 2 or recruit."),
        ("move", "\"move\" could be move 0 or move 2."),
        ("move 11", "\"move 11\" is not a move here: enter move 0, move 2 or recruit."),
        ("pass", "\"pass\" is not a move here: enter move 0, move 2 or recruit."),
        ("m3", "You have no unit on position 3. Enter move 0, move 2 or recruit."),
    ];
    for (typed, message) in cases {
        assert_eq!(refused(&mut *table, typed), message);
    }
    assert_eq!(table.position(), "0,2/10/1", "R-ALL-4: nothing has changed");
}

#[test]
fn positions_print_unchanged() {
    assert_positions(GAME, &[], &["0/10/1", "0,2,2/7,10/2", "-/-/1", "10/-/2", "-/0,3/1"]);
    assert_positions(GAME, &["positions=255"], &["0,253/254/1", "254/1/2"]);
}

#[test]
fn units_are_sorted_whatever_order_they_are_given_in() {
    assert_eq!(open_at(GAME, &[], "5,0,2/10,8/1").position(), "0,2,5/8,10/1");
}

#[test]
fn illegal_positions_are_refused() {
    let form = "P1's units/P2's units/MOVER, such as 0,2/10/1, with - for no units";
    for text in ["", "0/10", "0/10/3", "0/10/1/", "0,/10/1", "x/10/1", "00/10/1", "/10/1", "-1/9/1"]
    {
        let message = format!("\"{text}\" is not a position: write {form}");
        assert_no_positions(GAME, &[], &[(text, &message)]);
    }
    assert_no_positions(
        GAME,
        &[],
        &[
            ("0,0,0,0/10/1", "0,0,0,0/10/1 is not a legal position: a player has at most 3 units"),
            ("0/11/1", "0/11/1 is not a legal position: the battlefield goes from 0 to 10"),
            (
                "5/5/1",
                "5/5/1 is not a legal position: enemy units cannot share a position, but both have one on 5",
            ),
            (
                "10/4/1",
                "10/4/1 is not a legal position: the game is over when one unit of Player 1 reaches 10, \
                 and it is Player 2's turn",
            ),
            (
                "4/0,0/1",
                "4/0,0/1 is not a legal position: the game is over when one unit of Player 2 reaches 0, \
                 and it is Player 1's turn",
            ),
        ],
    );
}
