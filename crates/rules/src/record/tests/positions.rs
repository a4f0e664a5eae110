//! Tests of records of games that start from a position.

use super::*;
use crate::table::Table;

/// A game from a position with Player 2 to move, although Player 1 starts by the rulebook (R-ALL-1).
const EXERCISE: &str = r#"[Game "capture-the-line"]
[Rules "positions=13"]
[Player1 "Player 1"]
[Player2 "Player 2"]
[First "p2"]
[Position "2/10/2"]
[Result "*"]
[Termination "unfinished"]

1. 2
2. 1
"#;

/// A record of Base Battle with these tags and turns.
fn battle(tags: &str, turns: &str) -> String {
    format!("[Game \"base-battle\"]\n{tags}\n\n{turns}\n")
}

#[test]
fn a_game_from_a_position_prints_and_replays_to_itself() {
    let record = parse(EXERCISE);
    assert_eq!((record.first, record.position.as_deref()), (Side::Two, Some("2/10/2")));
    assert_eq!(record.to_string(), EXERCISE);
    assert_eq!(record.table().position(), "2/10/2");
    assert_eq!(record.table().first(), Side::Two);
    let table = record.replay().unwrap();
    assert_eq!((table.position().as_str(), table.turns_played()), ("3/8/2", 2));
    assert_eq!(Record::of(&*table).to_string(), EXERCISE);
}

#[test]
fn a_position_says_who_moves_first() {
    let record = parse(&battle("[Position \"4/6/2\"]", "1. 3"));
    assert_eq!(record.first, Side::Two);
    assert_eq!(
        fault(&battle("[Position \"4/6/2\"]\n[First \"p1\"]", "")),
        "line 3: First is p1, but Player 2 moves in the position 4/6/2"
    );
    let clash = |first: &str| {
        format!("[Game \"command-clash\"]\n[Position \"2/3\"]\n{first}\n\n1. attack|charge\n")
    };
    assert_eq!(parse(&clash("")).first, Side::One);
    assert!(!parse(&clash("[First \"p1\"]")).to_string().contains("First"));
    assert_eq!(fault(&clash("[First \"p2\"]")), "line 3: in Command Clash nobody starts");
}

#[test]
fn the_rulebooks_start_is_not_recorded_as_a_position() {
    for (tags, first) in [
        ("[Position \"0/10/1\"]", Side::One),
        ("[Position \"0/10/2\"]", Side::Two),
        ("[First \"p2\"]\n[Position \"0/10/2\"]", Side::Two),
    ] {
        let record = parse(&battle(tags, "1. 3"));
        assert_eq!((record.first, record.position.as_deref()), (first, None), "{tags}");
        assert!(!record.to_string().contains("Position"), "{tags}");
    }
    // Player 1 starts by the rulebook, so the same board with Player 2 to move is a different position.
    let line = parse("[Game \"capture-the-line\"]\n[Position \"1/11/2\"]");
    assert_eq!((line.first, line.position.as_deref()), (Side::Two, Some("1/11/2")));
    assert_eq!(parse(&line.to_string()).to_string(), line.to_string());
}

#[test]
fn a_position_that_cannot_be_played_from_is_refused() {
    for (position, cause) in [
        ("", "\"\" is not a position: write P1/P2/MOVER, such as 0/10/1"),
        ("3/7", "\"3/7\" is not a position: write P1/P2/MOVER, such as 0/10/1"),
        ("3/11/1", "3/11/1 is not a legal position: the board goes from 0 to 10"),
        ("10/4/2", "10/4/2 is not a starting position: the game is over there"),
    ] {
        let text = battle(&format!("[Position \"{position}\"]"), "");
        assert_eq!(fault(&text), format!("line 2: {cause}"));
    }
}

#[test]
fn a_hint_at_other_rules_heeds_the_position() {
    // 3/9/1 exists on boards of 10 or more positions, and 4 steps are legal with steps=4.
    let error = fault(&battle("[Position \"3/9/1\"]", "1. 4"));
    assert_eq!(
        error,
        "line 4: turn 1: \"4\" is not a move here: enter 1, 2 or 3. \
         (it may have been played under other rules: it is valid with steps=4)"
    );
    // On a shorter board, the last move would win, but the position does not exist there.
    let won = battle("[Position \"3/9/1\"]\n[Result \"1-0\"]", "1. 3");
    assert!(fault(&won).starts_with("line 3: the turns do not end the game"), "{}", fault(&won));
}

#[test]
fn every_position_that_can_be_played_from_starts_a_record() {
    for entry in GAMES.iter() {
        let table = entry.open(entry.setup()).unwrap();
        let mut seen = vec![table.position()];
        let mut tables = vec![table];
        for _ in 0..4 {
            tables = tables.iter().flat_map(|table| followers(&**table)).collect();
            tables.retain(|table| {
                let is_new = table.outcome().is_none() && !seen.contains(&table.position());
                seen.extend(is_new.then(|| table.position()));
                is_new
            });
        }
        for position in &seen {
            let setup = Setup { position: Some(position.clone()), ..entry.setup() };
            let mut table = entry.open(setup).unwrap();
            let mut again = parse(&Record::of(&*table).to_string()).replay().unwrap();
            assert_eq!(again.position(), *position);
            let turn = turns_of(&*table).pop().expect("the game is not over");
            table.play(&turn).unwrap();
            again.play(&turn).unwrap();
            let text = Record::of(&*again).to_string();
            assert_eq!(parse(&text).to_string(), text);
            assert_eq!(parse(&text).replay().unwrap().position(), table.position(), "{text}");
        }
    }
}

/// The notations of all turns.
fn turns_of(table: &dyn Table) -> Vec<String> {
    let choices = |side| table.choices(side).into_iter().map(|choice| choice.notation);
    match *table.turn() {
        [side] => choices(side).collect(),
        _ => choices(Side::One)
            .flat_map(|one| choices(Side::Two).map(move |two| format!("{one}|{two}")))
            .collect(),
    }
}

fn followers(table: &dyn Table) -> Vec<Box<dyn Table>> {
    let after = |turn: String| {
        let mut next = table.fork();
        next.play(&turn).unwrap();
        next
    };
    turns_of(table).into_iter().map(after).collect()
}
