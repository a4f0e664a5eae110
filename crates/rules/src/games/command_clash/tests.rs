//! Tests of Command Clash: its rulebook's examples and each of its rulings.

use crate::game::Outcome;
use crate::games::testing::{
    WIDE, assert_no_positions, assert_positions, legal, narration, open, open_at, replay,
};
use crate::side::Side;
use crate::table::{Submitted, Table};

const GAME: &str = "command-clash";
const DAMAGE: &[&str] = &["defeat=damage"];

const ONE_WON: Option<Outcome> = Some(Outcome::Won(Side::One));
const TWO_WON: Option<Outcome> = Some(Outcome::Won(Side::Two));

/// Turns 1 to 7 of the example; R-CL-3 explains why the rest is omitted.
const EXAMPLE: [(&str, &str); 7] = [
    ("charge|attack", "4/4"),
    ("special|shield", "1/3"),
    ("charge|attack", "1/2"),
    ("attack|attack", "0/0"),
    ("charge|charge", "1/1"),
    ("attack|shield", "0/0"),
    ("charge|charge", "1/1"),
];

/// Enters a line for each player, which plays the turn.
fn clash(table: &mut dyn Table, one: &str, two: &str) {
    assert_eq!(table.submit(Side::One, one), Ok(Submitted::Waiting));
    assert_eq!(table.submit(Side::Two, two), Ok(Submitted::Turn));
}

#[test]
fn the_example_replays_to_turn_7() {
    let mut table = open(GAME, &[]);
    assert_eq!(table.position(), "5/5");
    replay(&mut *table, &EXAMPLE);
    assert_eq!(table.outcome(), None);
}

#[test]
fn in_turn_8_both_stand_at_0_and_the_game_goes_on() {
    // R-CL-3: the example lets Player 1 win here, contradicting its own turn 4.
    let mut table = open(GAME, &[]);
    replay(&mut *table, &EXAMPLE);
    replay(&mut *table, &[("attack|attack", "0/0")]);
    assert_eq!(table.outcome(), None);
    assert_eq!(
        narration(&*table).lines().last(),
        Some("Both players reach 0 CP, but the game continues until one player wins.")
    );
}

#[test]
fn the_sample_interaction_is_word_for_word() {
    let mut table = open(GAME, &[]);
    assert_eq!(
        table.welcome(),
        "Welcome to Command Clash!\nPlayer 1 and Player 2 both start with 5 CP."
    );
    for (side, name) in [(Side::One, "Player 1"), (Side::Two, "Player 2")] {
        let ask = format!("{name}, enter your action (Charge, Attack, Special Attack, Shield): ");
        assert_eq!(table.prompt(side).ask, ask);
    }
    clash(&mut *table, "Charge", "Attack");
    assert_eq!(
        table.report(WIDE),
        "\
Actions resolving...
Player 1 charges and gains +1 CP! (Player 1 CP: 5)
Player 2 attacks! (Cost: 1 CP; Player 2 CP: 4)
Player 1 takes 1 damage. (Player 1 CP: 4)

Player 1  [####.] 4 CP
Player 2  [####.] 4 CP"
    );
    clash(&mut *table, "Special Attack", "Shield");
    assert_eq!(
        table.report(WIDE),
        "\
Actions resolving...
Player 1 uses Special Attack! (Cost: 3 CP; Player 1 CP: 1)
Player 2 shields! (Cost: 1 CP; Player 2 CP: 3)
Player 2 blocks the Special Attack!

Player 1  [#....] 1 CP
Player 2  [###..] 3 CP"
    );
}

#[test]
fn the_end_of_the_sample_is_word_for_word() {
    let mut table = open_at(GAME, &[], "5/1");
    clash(&mut *table, "special", "charge");
    assert_eq!(
        table.report(WIDE),
        "\
Actions resolving...
Player 1 uses Special Attack! (Cost: 3 CP; Player 1 CP: 2)
Player 2 charges and gains +1 CP! (Player 2 CP: 2)
Player 2 takes 3 damage. (Player 2 CP: 0)

Player 1 has reduced Player 2's CP to zero!
Player 1 wins the game!

Player 1  [##...] 2 CP
Player 2  [.....] 0 CP"
    );
    assert_eq!(table.outcome(), ONE_WON);
}

#[test]
fn costs_and_gains_come_before_damage() {
    // R-CL-1: a charge at the maximum is lost before the hit, so it does not compensate for the hit.
    replay(&mut *open(GAME, &[]), &[("charge|attack", "4/4")]);
    // A charge does not save a side from a hit that would take it below 0.
    let mut table = open_at(GAME, &[], "1/5");
    replay(&mut *table, &[("charge|special", "0/2")]);
    assert_eq!(table.outcome(), TWO_WON);
}

#[test]
fn spending_the_last_point_loses_to_a_player_who_has_some() {
    let mut table = open_at(GAME, &[], "1/5");
    replay(&mut *table, &[("attack|shield", "0/4")]);
    assert_eq!(table.outcome(), TWO_WON, "R-CL-2");
    assert!(
        narration(&*table).ends_with("Player 1 has spent their last CP!\nPlayer 2 wins the game!")
    );
    assert!(table.turn().is_empty());
    assert_eq!(table.submit(Side::One, "charge").unwrap_err().to_string(), "The game is over.");
}

#[test]
fn points_never_go_below_0() {
    let mut table = open_at(GAME, &[], "4/1");
    replay(&mut *table, &[("special|attack", "0/0")]); // R-CL-3
    assert_eq!(table.outcome(), None);
    for side in Side::ALL {
        assert_eq!(legal(&*table, side), "charge", "turns 4 to 6");
    }
}

#[test]
fn only_affordable_actions_are_legal() {
    let at = |position| legal(&*open_at(GAME, &[], position), Side::One);
    assert_eq!(at("3/5"), "charge attack special shield", "R-CL-4");
    assert_eq!(at("2/5"), "charge attack shield");
    assert_eq!(at("1/5"), "charge attack shield");
    let mut table = open_at(GAME, &[], "2/5");
    assert_eq!(
        table.submit(Side::One, "special attack").unwrap_err().to_string(),
        "Special Attack costs 3 CP and you have 2. Enter Charge, Attack or Shield."
    );
    assert_eq!(table.to_act(), Side::ALL, "R-ALL-4: nothing has changed");
}

#[test]
fn a_charge_at_the_maximum_is_legal_and_without_effect() {
    replay(&mut *open(GAME, &[]), &[("charge|charge", "5/5")]); // R-CL-5
    replay(&mut *open(GAME, &["points=30"]), &[("charge|charge", "30/30")]);
}

#[test]
fn a_shield_without_an_attack_is_spent_all_the_same() {
    replay(&mut *open(GAME, &[]), &[("shield|charge", "4/5"), ("shield|shield", "3/4")]);
}

#[test]
fn nothing_reveals_a_choice_before_both_have_chosen() {
    // R-CL-6: whatever Player 1 chooses, the table looks the same to Player 2.
    let look = |choice: &str| {
        let mut table = open(GAME, &[]);
        assert_eq!(table.submit(Side::One, choice), Ok(Submitted::Waiting));
        let seen = (table.position(), table.scene(), table.history(), table.last_turn());
        (seen, table.board(WIDE), table.report(WIDE), table.choices(Side::One), table.to_act())
    };
    let charge = look("charge");
    for choice in ["attack", "special", "shield"] {
        assert_eq!(look(choice), charge);
    }
    assert_eq!(charge.4, [Side::Two]);
}

#[test]
fn a_choice_is_made_once_and_can_be_withdrawn() {
    let mut table = open(GAME, &[]);
    table.submit(Side::Two, "shield").unwrap();
    assert_eq!(
        table.submit(Side::Two, "attack").unwrap_err().to_string(),
        "Player 2 has chosen already."
    );
    assert!(table.withdraw(Side::Two));
    assert!(!table.withdraw(Side::Two), "the choice is already withdrawn");
    table.submit(Side::Two, "attack").unwrap();
    table.submit(Side::One, "charge").unwrap();
    assert_eq!(table.position(), "4/4", "the attack counted, not the shield");
}

#[test]
fn undo_takes_back_the_last_turn_and_a_waiting_choice() {
    let mut table = open(GAME, &[]);
    replay(&mut *table, &EXAMPLE[..2]);
    table.submit(Side::One, "shield").unwrap();
    assert!(table.undo());
    assert_eq!((table.position().as_str(), table.to_act()), ("4/4", Side::ALL.to_vec()));
}

#[test]
fn bad_input_says_what_is_possible() {
    let mut table = open_at(GAME, &[], "2/5");
    let cases = [
        ("block", "\"block\" is not a move here: enter Charge, Attack or Shield."),
        ("pass", "\"pass\" is not a move here: enter Charge, Attack or Shield."),
    ];
    for (typed, message) in cases {
        assert_eq!(table.submit(Side::One, typed).unwrap_err().to_string(), message);
    }
    assert_eq!(
        table.submit(Side::Two, "S").unwrap_err().to_string(),
        "\"S\" could be Special Attack or Shield."
    );
}

#[test]
fn under_defeat_damage_a_spent_point_is_no_defeat() {
    // R-CL-2: Player 1 has 0 points without having been hit, and can only charge.
    let mut table = open_at(GAME, DAMAGE, "1/5");
    replay(&mut *table, &[("attack|charge", "0/4")]);
    assert_eq!(table.outcome(), None);
    assert_eq!(legal(&*table, Side::One), "charge");
    replay(&mut *table, &[("charge|special", "0/1/2")]);
    assert_eq!(table.outcome(), TWO_WON);
    assert!(
        narration(&*table)
            .ends_with("Player 2 has reduced Player 1's CP to zero!\nPlayer 2 wins the game!")
    );
}

#[test]
fn under_defeat_damage_a_blocked_hit_is_no_defeat() {
    let mut table = open_at(GAME, DAMAGE, "1/5");
    replay(&mut *table, &[("shield|special", "0/2")]);
    assert_eq!(table.outcome(), None);
}

#[test]
fn under_defeat_damage_two_hits_to_0_decide_nothing() {
    let mut table = open_at(GAME, DAMAGE, "1/1");
    replay(&mut *table, &[("attack|attack", "0/0")]);
    assert_eq!(table.outcome(), None);
}

#[test]
fn under_defeat_damage_a_hit_to_0_decides_against_a_player_who_only_spent() {
    // Both end at 0, but only Player 1 suffered damage.
    let mut table = open_at(GAME, DAMAGE, "0/1");
    replay(&mut *table, &[("charge|attack", "0/0/2")]);
    assert_eq!(table.outcome(), TWO_WON);
}

#[test]
fn under_defeat_damage_of_two_hit_players_the_one_at_0_is_defeated() {
    let mut table = open_at(GAME, DAMAGE, "1/5");
    replay(&mut *table, &[("attack|attack", "0/3/2")]);
    assert_eq!(table.outcome(), TWO_WON);
}

#[test]
fn points_are_the_start_and_the_maximum() {
    let table = open(GAME, &["points=2"]);
    assert_eq!(legal(&*table, Side::One), "charge attack shield", "no special attack below 3");
    assert_eq!(table.board(WIDE), "Player 1  [##] 2 CP\nPlayer 2  [##] 2 CP");
    assert_eq!(
        open(GAME, &["points=30"]).welcome().lines().last(),
        Some("Player 1 and Player 2 both start with 30 CP.")
    );
}

#[test]
fn a_turn_in_notation_has_both_choices() {
    let mut table = open(GAME, &[]);
    for turn in ["charge", "charge|attack|shield", "|charge", "Charge|attack", "charge |attack"] {
        assert!(table.play(turn).is_err(), "{turn}");
    }
    assert_eq!(table.position(), "5/5");
}

#[test]
fn positions_print_unchanged() {
    assert_positions(GAME, &[], &["5/5", "0/0", "0/3", "3/0"]);
    assert_positions(GAME, DAMAGE, &["5/5", "0/3", "0/3/2", "0/0/1", "0/0"]);
    assert_positions(GAME, &["points=30"], &["30/29"]);
    assert_eq!(open_at(GAME, &[], "0/3").outcome(), TWO_WON);
    assert_eq!(open_at(GAME, DAMAGE, "0/3").outcome(), None);
    assert_eq!(open_at(GAME, DAMAGE, "0/3/2").outcome(), TWO_WON);
}

#[test]
fn illegal_positions_are_refused() {
    for text in ["", "5", "5/5/1", "5/-", "5/05", "5/5/", "256/5"] {
        let message =
            format!("\"{text}\" is not a position: write P1/P2, each side's points, such as 5/4");
        assert_no_positions(GAME, &[], &[(text, &message)]);
    }
    assert_no_positions(
        GAME,
        &[],
        &[("6/5", "6/5 is not a legal position: a player has at most 5 points")],
    );
    let form = "P1/P2, each side's points, such as 5/4, and /WINNER if the game is over";
    assert_no_positions(
        GAME,
        DAMAGE,
        &[
            ("0/3/1", "0/3/1 is not a legal position: only a player at 0 points can have lost"),
            ("0/3/3", &format!("\"0/3/3\" is not a position: write {form}")),
        ],
    );
}

#[test]
fn the_prompt_offers_only_what_one_can_afford() {
    let mut table = open(GAME, &[]);
    table.play("special|shield").expect("it is legal");
    assert_eq!(table.position(), "2/4");
    let some = "Player 1, enter your action (Charge, Attack, Shield): ";
    assert_eq!(table.prompt(Side::One).ask, some);
    let all = "Player 2, enter your action (Charge, Attack, Special Attack, Shield): ";
    assert_eq!(table.prompt(Side::Two).ask, all);
}
