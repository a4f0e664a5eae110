//! Helpers for the tests of the games.

use crate::catalog::Setup;
use crate::games::GAMES;
use crate::settings::Settings;
use crate::side::Side;
use crate::table::Table;

/// A width that fits boards of any size.
pub(crate) const WIDE: usize = usize::MAX;

/// A table of a game with these rule options, at the start.
pub(crate) fn open(game: &str, rules: &[&str]) -> Box<dyn Table> {
    GAMES.find(game).unwrap().open(setup(game, rules)).unwrap()
}

/// A table of a game with these rule options, at this position.
pub(crate) fn open_at(game: &str, rules: &[&str], position: &str) -> Box<dyn Table> {
    let setup = Setup { position: Some(position.to_owned()), ..setup(game, rules) };
    GAMES.find(game).unwrap().open(setup).unwrap()
}

/// The setup of a game with these rule options.
pub(crate) fn setup(game: &str, rules: &[&str]) -> Setup {
    let entry = GAMES.find(game).unwrap();
    let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
    Setup { settings, ..entry.setup() }
}

/// The side to move, in alternating games.
pub(crate) fn mover(table: &dyn Table) -> Side {
    let [side] = table.turn()[..] else { panic!("one side moves in {}", table.position()) };
    side
}

/// Enters a line for the mover, and asserts that it is accepted.
pub(crate) fn enter(table: &mut dyn Table, text: &str) {
    table.submit(mover(table), text).unwrap();
}

/// Enters a line for the mover, asserts that it is refused, and returns the message.
pub(crate) fn refused(table: &mut dyn Table, text: &str) -> String {
    table.submit(mover(table), text).unwrap_err().to_string()
}

/// Plays turns in notation and checks the position after each.
pub(crate) fn replay(table: &mut dyn Table, turns: &[(&str, &str)]) {
    for (index, (turn, position)) in turns.iter().enumerate() {
        table.play(turn).unwrap_or_else(|refusal| panic!("turn {}: {refusal}", index + 1));
        assert_eq!(table.position(), *position, "after turn {}", index + 1);
    }
}

/// A side's legal choices, in notation.
pub(crate) fn legal(table: &dyn Table, side: Side) -> String {
    let choices: Vec<String> =
        table.choices(side).into_iter().map(|choice| choice.notation).collect();
    choices.join(" ")
}

/// The sentences of the last turn.
pub(crate) fn narration(table: &dyn Table) -> String {
    let sentences: Vec<String> =
        table.last_turn().into_iter().map(|telling| telling.sentence).collect();
    sentences.join("\n")
}

/// Checks that each of these positions can be opened and prints unchanged.
pub(crate) fn assert_positions(game: &str, rules: &[&str], positions: &[&str]) {
    for position in positions {
        assert_eq!(open_at(game, rules, position).position(), *position);
    }
}

/// Checks that each of these positions is refused with its message.
pub(crate) fn assert_no_positions(game: &str, rules: &[&str], positions: &[(&str, &str)]) {
    for (position, message) in positions {
        let setup = Setup { position: Some((*position).to_owned()), ..setup(game, rules) };
        match GAMES.find(game).unwrap().open(setup) {
            Ok(_) => panic!("{position} was accepted"),
            Err(error) => assert_eq!(error.to_string(), *message),
        }
    }
}
