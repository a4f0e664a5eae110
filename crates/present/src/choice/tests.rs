//! Examples of labels, and laws that the labels of every game obey.

use skirmish_rules::{Both, Settings, Setup};

use super::*;
use crate::sixth::SIX_GAMES;
use crate::tests::random_positions;

fn at(game: &str, rules: &[&str], position: &str) -> Box<dyn Table> {
    let entry = SIX_GAMES.find(game).unwrap();
    let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
    let names = Both::new("Ann".to_owned(), "Bob".to_owned());
    let position = Some(position.to_owned());
    entry.open(Setup { settings, first: Side::One, names, position }).unwrap()
}

fn labels(game: &str, rules: &[&str], position: &str) -> Vec<String> {
    let table = at(game, rules, position);
    let all = consequences(&*table, table.turn()[0]);
    all.iter().map(|consequence| consequence.forms()[0].clone()).collect()
}

#[test]
fn a_choice_names_the_steps_the_destination_and_what_happens_there() {
    assert_eq!(labels("base-battle", &[], "3/6/1"), ["1 step → 4", "2 steps → 5, pushes Bob to 7"]);
    assert_eq!(labels("base-battle", &[], "3/2/2")[1], "2 steps → 0, you win");
    assert_eq!(labels("capture-and-conquer", &[], "3/5/1")[1], "2 steps → 5, sends Bob to 10");
    assert_eq!(labels("capture-the-line", &[], "4/9/1"), ["1 step → 5", "2 steps → 6, you win"]);
    assert_eq!(labels("base-battle", &[], "9/10/1"), ["Pass"]);
}

#[test]
fn a_unit_is_named_by_its_place() {
    assert_eq!(
        labels("command-line-conquer", &[], "0,3,6/7,7,9/1"),
        ["Unit on 0 → 1", "Unit on 3 → 4", "Unit on 6 → 7, removes 2 of Bob's units"]
    );
    assert_eq!(
        labels("command-line-conquer", &[], "4/5,9/1"),
        ["Unit on 4 falls on 5, removes Bob's unit", "Recruit at 0"]
    );
}

#[test]
fn an_action_names_its_cost_its_effect_and_what_is_left() {
    assert_eq!(
        labels("command-clash", &[], "4/4"),
        [
            "Charge +1: makes 5",
            "Attack −1: leaves 3, hits for 1",
            "Special Attack −3: leaves 1, hits for 3",
            "Shield −1: leaves 3, blocks"
        ]
    );
    assert_eq!(labels("command-clash", &[], "5/5")[0], "Charge: stays at 5");
    assert_eq!(
        labels("command-clash", &[], "1/1")[2],
        "Shield −1: leaves 0, you lose if Bob plays Charge"
    );
    assert_eq!(
        labels("command-clash", &[], "1/3")[1],
        "Attack −1: leaves 0, hits for 1, you lose unless Bob plays Special Attack"
    );
    assert_eq!(labels("command-clash", &[], "1/5")[2], "Shield −1: leaves 0, you lose");
    assert_eq!(
        labels("last-stone", &[], "2/3/1"),
        ["Take 1 +1: makes 3, you lose", "Take 2 +2: makes 4, you win"]
    );
}

/// The tables after a choice: after the same turn or, in an alternating game, after the reply as well.
fn futures(table: &dyn Table, side: Side, choice: &Choice) -> Vec<Box<dyn Table>> {
    let other = side.other();
    let played = |turn: &str, before: &dyn Table| {
        let mut after = before.fork();
        after.play(turn).unwrap();
        after
    };
    let mine = &choice.notation;
    if !table.choices(other).is_empty() {
        let pair = |theirs: Choice| match side {
            Side::One => format!("{mine}|{}", theirs.notation),
            Side::Two => format!("{}|{mine}", theirs.notation),
        };
        return table.choices(other).into_iter().map(|it| played(&pair(it), table)).collect();
    }
    let after = played(mine, table);
    let replies = after.choices(other);
    if replies.is_empty() {
        return vec![after];
    }
    replies.iter().map(|reply| played(&reply.notation, &*after)).collect()
}

/// The places of a side's pieces.
fn places(table: &dyn Table, side: Side) -> Vec<u8> {
    let pieces = table.scene().pieces;
    pieces.into_iter().filter(|piece| piece.side == side).map(|piece| piece.at).collect()
}

/// Where the label must say that the player's piece ends: the place that has gained a piece.
fn check_place(table: &dyn Table, side: Side, choice: &Choice, label: &str) {
    let mut after = table.fork();
    after.play(&choice.notation).unwrap();
    let mut gained = places(&*after, side);
    let before = places(table, side);
    for place in &before {
        if let Some(index) = gained.iter().position(|at| at == place) {
            gained.remove(index);
        }
    }
    let own = label.split(',').next().unwrap();
    match *gained.as_slice() {
        [at] => assert!(
            own.ends_with(&format!("→ {at}")) || own.ends_with(&format!("at {at}")),
            "{label}: ends at {at}"
        ),
        _ if places(&*after, side).len() < before.len() => {
            assert!(own.contains("falls on"), "{label}");
        }
        _ => assert!(choice.is_pass || table.scene().track.is_none(), "{label}"),
    }
}

/// What the label must say is left: the gauge after the player's own cost or gain, before any damage.
fn check_points(table: &dyn Table, side: Side, choice: &Choice, label: &str) {
    let Some(gauges) = table.scene().gauges else { return };
    let (before, max) = (gauges[side].value, gauges[side].max);
    let after = futures(table, side, choice);
    let left = after.iter().map(|after| after.scene().gauges.unwrap()[side].value).max().unwrap();
    assert!(left <= max);
    let says = ["leaves", "makes", "stays at"].map(|verb| format!("{verb} {left}"));
    let own = label.split(',').next().unwrap();
    assert!(says.iter().any(|says| own.ends_with(says)), "{label}: {before} becomes {left}");
}

#[test]
fn every_label_tells_the_truth_in_random_positions_of_all_games_and_options() {
    let mut lost = 0;
    random_positions(|table| {
        for side in table.turn() {
            let choices = table.choices(side);
            let all = consequences(table, side);
            let labels: Vec<&str> = all.iter().map(|it| it.label.as_str()).collect();
            for (number, choice) in choices.iter().enumerate() {
                let Consequence { label, fate, loses, .. } = &all[number];
                assert!(!labels[..number].contains(&label.as_str()), "{labels:?}");
                let futures = futures(table, side, choice);
                let is_lost =
                    futures.iter().all(|it| it.outcome() == Some(Outcome::Won(side.other())));
                assert_eq!(*loses, is_lost, "{} {label}", table.position());
                assert_eq!(*loses, fate.as_deref() == Some("you lose"), "{label}");
                lost += u32::from(is_lost);
                if table.choices(side.other()).is_empty() {
                    check_place(table, side, choice, label);
                }
                check_points(table, side, choice, label);
            }
        }
    });
    assert!(lost > 100, "only {lost} choices lose");
}
