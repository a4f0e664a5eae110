//! Checks the laws in every reachable position of the variants in `counts.txt`, and counts the positions.

use skirmish_rules::graph::reachable;
use skirmish_rules::{Catalogued, OptionKind, Settings, Side, TypedOptions};

use crate::position;
use crate::sixth::SIX_GAMES;

/// A variant of a game, with the number of its positions.
pub(crate) struct Row {
    pub(crate) game: &'static str,
    /// The number of reachable positions, including finished ones.
    states: usize,
    /// The number of unfinished positions.
    undecided: usize,
    /// The rule options that differ from the default.
    pub(crate) rules: Vec<&'static str>,
}

/// The rows of the data file: game, states, undecided, options; `#` begins a comment.
pub(crate) fn rows() -> Vec<Row> {
    let lines = include_str!("counts.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter(|line| !line.is_empty()).map(row).collect()
}

fn row(line: &'static str) -> Row {
    let mut words = line.split_whitespace();
    let mut next = || words.next().unwrap_or_else(|| panic!("a word is missing: {line}"));
    let game = next();
    let states = next().parse().expect("a number of states");
    let undecided = next().parse().expect("a number of undecided states");
    Row { game, states, undecided, rules: words.collect() }
}

/// Checks every position of every variant of one game.
pub(crate) fn check<G: Catalogued>() {
    let mut wrong = Vec::new();
    let usual = G::setup(G::Options::default()).unwrap().settings;
    assert_eq!(usual, Settings::defaults(G::OPTIONS), "both defaults are the rulebook's");
    for row in rows().iter().filter(|row| row.game == G::ID) {
        let settings = Settings::parse(G::OPTIONS, row.rules.iter().copied()).unwrap();
        let typed = G::Options::read(&settings);
        assert_eq!(G::setup(typed).unwrap().settings, settings, "typed options mean the same");
        let game = G::with(&settings);
        let states = reachable(&game, Side::One);
        for state in &states {
            position::check(&game, state);
        }
        let undecided = states.iter().filter(|state| game.outcome(state).is_none()).count();
        if (states.len(), undecided) != (row.states, row.undecided) {
            wrong.push(format!("{} {} {undecided} {:?}", G::ID, states.len(), row.rules));
        }
    }
    assert!(wrong.is_empty(), "the counts differ from counts.txt:\n{}", wrong.join("\n"));
}

#[test]
fn every_option_of_every_game_is_counted() {
    let rows = rows();
    let counted = |game: &str, rule: &str| {
        rows.iter().any(|row| row.game == game && row.rules.contains(&rule))
    };
    for entry in SIX_GAMES.iter() {
        assert!(rows.iter().any(|row| row.game == entry.id && row.rules.is_empty()));
        for option in entry.options {
            let values: Vec<String> = match option.kind {
                OptionKind::Number { min, .. } => vec![min.to_string()],
                OptionKind::Word(words) => {
                    words[1..].iter().map(|(word, _)| (*word).into()).collect()
                }
            };
            for value in values {
                let rule = format!("{}={value}", option.name);
                assert!(counted(entry.id, &rule), "{} {rule} is not counted", entry.id);
            }
        }
    }
}
