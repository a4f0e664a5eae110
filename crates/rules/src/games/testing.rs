//! What the tests of the games share: a table to play at, and a way to play at it step by step.

use crate::catalog::Setup;
use crate::games::GAMES;
use crate::settings::Settings;
use crate::side::Side;
use crate::table::Table;

/// A page wide enough for every board.
pub(crate) const WIDE: usize = usize::MAX;

/// A table of a game under some rule options, at its start.
pub(crate) fn open(game: &str, rules: &[&str]) -> Box<dyn Table> {
    GAMES.find(game).unwrap().open(setup(game, rules)).unwrap()
}

/// The same, in the middle of a game.
pub(crate) fn open_at(game: &str, rules: &[&str], position: &str) -> Box<dyn Table> {
    let setup = Setup { position: Some(position.to_owned()), ..setup(game, rules) };
    GAMES.find(game).unwrap().open(setup).unwrap()
}

/// How such a table is laid.
pub(crate) fn setup(game: &str, rules: &[&str]) -> Setup {
    let entry = GAMES.find(game).unwrap();
    let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
    Setup { settings, ..entry.setup() }
}

/// The side whose turn it is, in the games where it is one side's.
pub(crate) fn mover(table: &dyn Table) -> Side {
    let [side] = table.turn()[..] else { panic!("one side moves in {}", table.position()) };
    side
}

/// The mover types a line, and it is taken.
pub(crate) fn enter(table: &mut dyn Table, text: &str) {
    table.submit(mover(table), text).unwrap();
}

/// The mover types a line, and it is refused with this message.
pub(crate) fn refused(table: &mut dyn Table, text: &str) -> String {
    table.submit(mover(table), text).unwrap_err().to_string()
}

/// Plays turns in notation and compares the position after each.
pub(crate) fn replay(table: &mut dyn Table, turns: &[(&str, &str)]) {
    for (index, (turn, position)) in turns.iter().enumerate() {
        table.play(turn).unwrap_or_else(|refusal| panic!("turn {}: {refusal}", index + 1));
        assert_eq!(table.position(), *position, "after turn {}", index + 1);
    }
}

/// What a side may choose, in notation.
pub(crate) fn legal(table: &dyn Table, side: Side) -> String {
    let choices: Vec<String> =
        table.choices(side).into_iter().map(|choice| choice.notation).collect();
    choices.join(" ")
}

/// The sentences of the last turn.
pub(crate) fn told(table: &dyn Table) -> String {
    let sentences: Vec<String> =
        table.last_turn().into_iter().map(|telling| telling.sentence).collect();
    sentences.join("\n")
}

/// Each of these positions can be opened and prints as it was written.
pub(crate) fn assert_positions(game: &str, rules: &[&str], positions: &[&str]) {
    for position in positions {
        assert_eq!(open_at(game, rules, position).position(), *position);
    }
}

/// None of these positions can be opened; each is refused with its message.
pub(crate) fn assert_no_positions(game: &str, rules: &[&str], positions: &[(&str, &str)]) {
    for (position, message) in positions {
        let setup = Setup { position: Some((*position).to_owned()), ..setup(game, rules) };
        match GAMES.find(game).unwrap().open(setup) {
            Ok(_) => panic!("{position} was accepted"),
            Err(error) => assert_eq!(error.to_string(), *message),
        }
    }
}
