//! Treats arbitrary bytes as input typed at a table: nothing panics, a refusal changes nothing, and replaying the
//! history reproduces the position.
//!
//! The first byte selects the game and the side that starts. The first line holds rule options, the second a position,
//! and every other line is a choice of the next side to choose. Three prefixes change this: `!` marks a choice of the
//! other side, `=` a whole turn in notation, and `<` takes back a turn.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skirmish_rules::{Choice, Entry, GAMES, Record, Settings, Setup, Side, Submitted, Table};

/// Maximum number of lines: further lines reveal nothing new and take long.
const MOST_LINES: usize = 60;

fuzz_target!(|bytes: &[u8]| {
    let Some((&head, typed)) = bytes.split_first() else { return };
    let typed = String::from_utf8_lossy(typed);
    let mut lines = typed.split('\n');
    let entry = GAMES.0[usize::from(head >> 1) % GAMES.0.len()];
    let first = if head & 1 == 0 { Side::One } else { Side::Two };
    let setup = lay(entry, first, lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let mut table = entry.open(setup.clone()).expect("the position has been tried");
    for line in lines.take(MOST_LINES) {
        enter(&mut *table, line);
    }
    replays(entry, setup, &*table);
});

/// Builds a table's setup from two lines; invalid lines are replaced by the rulebook's defaults.
fn lay(entry: &'static Entry, first: Side, rules: &str, position: &str) -> Setup {
    let settings = Settings::parse(entry.options, rules.split_whitespace())
        .unwrap_or_else(|_| Settings::defaults(entry.options));
    let setup = Setup { settings, first, ..entry.setup() };
    let with = |position: &str| Setup { position: Some(position.to_owned()), ..setup.clone() };
    match entry.open(with(position)) {
        Ok(table) => {
            let token = table.position();
            let again = entry.open(with(&token)).expect("a position's own token is one");
            assert_eq!(again.position(), token);
            with(position)
        }
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control), "{error:?}");
            setup
        }
    }
}

/// The part of the state that a refusal must not change.
fn look(table: &dyn Table) -> (String, Vec<String>, Vec<Side>, [Vec<Choice>; 2]) {
    let choices = Side::ALL.map(|side| table.choices(side));
    (table.position(), table.history(), table.to_act(), choices)
}

fn enter(table: &mut dyn Table, line: &str) {
    let before = look(table);
    let (_, history, to_act, _) = &before;
    let side = to_act.first().copied().unwrap_or(Side::One);
    let result = match line.split_at_checked(1) {
        Some(("<", _)) => {
            assert_eq!(table.undo(), !history.is_empty());
            assert_eq!(table.history().len(), history.len().saturating_sub(1));
            return;
        }
        Some(("=", turn)) => table.play(turn).map(|()| Submitted::Turn),
        Some(("!", text)) => table.submit(side.other(), text),
        _ => table.submit(side, line),
    };
    match result {
        Ok(Submitted::Turn) => {
            assert_eq!(table.history().len(), history.len() + 1);
            draw(table);
        }
        Ok(Submitted::Waiting) => {
            assert_eq!((table.position(), table.history()), (before.0.clone(), history.clone()));
            assert_eq!(table.to_act().len() + 1, to_act.len());
        }
        Err(refusal) => {
            let told = refusal.to_string();
            assert!(!told.contains(char::is_control), "{refusal:?} repeats control characters");
            assert_eq!(look(table), before, "{line:?} was refused: {told}");
        }
    }
}

/// Calls everything that a front end uses after a turn.
fn draw(table: &dyn Table) {
    table.scene();
    table.last_turn();
    table.report(40);
    for side in table.to_act() {
        table.prompt(side);
    }
}

fn replays(entry: &'static Entry, setup: Setup, table: &dyn Table) {
    let from_start = setup.position.is_none();
    let mut again = entry.open(setup).expect("it has been opened before");
    for turn in table.history() {
        again.play(&turn).unwrap_or_else(|refusal| panic!("{turn}: {refusal}"));
    }
    assert_eq!((again.position(), again.history()), (table.position(), table.history()));
    assert_eq!(again.outcome(), table.outcome());
    if from_start {
        let text = Record::of(table).to_string();
        let record = Record::parse(&text, GAMES).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(record.to_string(), text);
    }
}
