//! Unusual positions in which to test a bot, each reached by legal turns from the start of a game.

use std::fmt;

use skirmish_play::Chance;
use skirmish_rules::{Both, Entry, OptionKind, RuleOption, Settings, Setup, Side, Table};

/// Fixed, so that every bot gets the same positions.
const CHANCE: Chance = Chance::from_seed(2025);

/// The number of random games played under the default rules, and the number of these that contribute a position deep
/// in the game. The others only serve to find positions with a single legal move.
const WALKS: u32 = 20;
const DEEP_WALKS: u32 = 4;

/// Maximum number of turns in a random game.
const DEPTH: usize = 40;

/// The largest board to test, as a multiple of the default size: a bot may enumerate all positions.
const LARGEST: u8 = 2;

/// A position and the side to move.
pub(super) struct CheckQuestion {
    pub(super) table: Box<dyn Table>,
    pub(super) side: Side,
}

impl fmt::Display for CheckQuestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        let changes = table.settings().changes();
        let rules = if changes.is_empty() { String::new() } else { format!(" with {changes}") };
        let (position, game) = (table.position(), table.entry().id);
        write!(formatter, "in {position} of {game}{rules} as {}", self.side)
    }
}

/// Opens a table. `first` matters only in games that let the players choose who starts.
pub(super) fn open(entry: &'static Entry, settings: &Settings, first: Side) -> Box<dyn Table> {
    let setup = Setup { settings: settings.clone(), first, ..entry.setup() };
    entry.open(setup).expect("no position is set")
}

/// The question for a side's first choice in a game.
pub(super) fn first_choice(entry: &'static Entry, side: Side) -> CheckQuestion {
    let mut table = open(entry, &entry.setup().settings, side);
    while !table.turn().contains(&side) {
        play_any(&mut *table, 0);
    }
    CheckQuestion { table, side }
}

/// The positions of a game to test, including those under other rule options if the bot supports them.
pub(super) fn odd(entry: &'static Entry, with_options: bool) -> Vec<CheckQuestion> {
    let usual = entry.setup().settings;
    let mut questions = walks(entry, &usual, WALKS);
    if with_options {
        for settings in variants(entry) {
            questions.extend(walks(entry, &settings, 1));
        }
    }
    questions
}

/// A random choice for a side.
pub(super) fn any_choice(table: &dyn Table, side: Side, walk: u32) -> String {
    let mut choices = table.choices(side);
    let picked = CHANCE.pick(choices.len(), walk, table.turns_played(), side);
    choices.swap_remove(picked).notation
}

pub(super) fn play_any(table: &mut dyn Table, walk: u32) {
    for side in table.to_act() {
        let choice = any_choice(table, side, walk);
        table.submit(side, &choice).expect("it is one of the choices");
    }
}

/// Settings that differ from the default in one option: each number at its minimum and maximum, each word at all its
/// other values.
fn variants(entry: &'static Entry) -> Vec<Settings> {
    let usual = entry.setup().settings;
    let with = |option: &RuleOption, value: &dyn fmt::Display| {
        let mut settings = usual.clone();
        settings.set(&format!("{}={value}", option.name)).ok().map(|_| settings)
    };
    let mut variants = Vec::new();
    for option in entry.options {
        match option.kind {
            OptionKind::Number { min, max, default, .. } => {
                let most = max.min(default.saturating_mul(LARGEST));
                // Some numbers in the range are invalid, such as even ones.
                variants.extend((min..default).find_map(|value| with(option, &value)));
                variants.extend((default + 1..=most).rev().find_map(|value| with(option, &value)));
            }
            OptionKind::Word(words) => {
                variants.extend(words[1..].iter().filter_map(|(word, _)| with(option, word)));
            }
        }
    }
    variants
}

/// The questions found by playing random games, for both sides.
fn walks(entry: &'static Entry, settings: &Settings, count: u32) -> Vec<CheckQuestion> {
    let mut questions: Vec<CheckQuestion> = Vec::new();
    for walk in 0..count {
        let first = Side::ALL[usize::from(!walk.is_multiple_of(2))];
        let (deep, single) = explore(open(entry, settings, first), walk);
        let deep = if walk < DEEP_WALKS { deep } else { FoundTables::default() };
        let found = [deep, single].map(|Both { one, two }| [(Side::One, one), (Side::Two, two)]);
        for (side, table) in found.into_iter().flatten() {
            let Some(table) = table else { continue };
            let question = CheckQuestion { table, side };
            if !questions.iter().any(|known| known.to_string() == question.to_string()) {
                questions.push(question);
            }
        }
    }
    questions
}

/// A position for each side, if there is one.
type FoundTables = Both<Option<Box<dyn Table>>>;

/// Plays a random game, and returns each side's last choice and its first position with a single legal move.
fn explore(mut table: Box<dyn Table>, walk: u32) -> (FoundTables, FoundTables) {
    let (mut deep, mut single) = (FoundTables::default(), FoundTables::default());
    while table.outcome().is_none() && table.turns_played() < DEPTH {
        for side in table.turn() {
            // R-ALL-3: nobody is asked for a forced pass.
            if table.must_pass(side) {
                continue;
            }
            if table.choices(side).len() == 1 {
                single[side].get_or_insert_with(|| table.fork());
            }
            deep[side] = Some(table.fork());
        }
        play_any(&mut *table, walk);
    }
    (deep, single)
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;

    #[test]
    fn every_game_is_tested_for_both_sides_and_with_every_option() {
        for entry in GAMES.iter() {
            let questions = odd(entry, true);
            for side in Side::ALL {
                assert!(questions.iter().any(|question| question.side == side), "{}", entry.id);
                assert_eq!(first_choice(entry, side).side, side);
            }
            let rules: Vec<String> =
                questions.iter().map(|question| question.table.settings().changes()).collect();
            for option in entry.options {
                let is_tried = rules.iter().any(|changes| changes.contains(option.name));
                assert!(is_tried, "{} of {}", option.name, entry.id);
            }
            assert!(questions.len() < 60, "{} has {}", entry.id, questions.len());
        }
    }

    #[test]
    fn nobody_is_asked_without_a_choice() {
        for question in GAMES.iter().flat_map(|entry| odd(entry, true)) {
            assert!(question.table.turn().contains(&question.side), "{question}");
            assert!(!question.table.must_pass(question.side), "{question}");
        }
    }

    #[test]
    fn there_are_positions_with_a_single_legal_move() {
        let questions: Vec<CheckQuestion> =
            GAMES.iter().flat_map(|entry| odd(entry, false)).collect();
        let is_single =
            |question: &&CheckQuestion| question.table.choices(question.side).len() == 1;
        assert!(questions.iter().filter(is_single).count() > 2);
    }
}
