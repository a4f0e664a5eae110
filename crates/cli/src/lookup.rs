//! From what was typed on the command line to a game and its options, with help for typing errors.

use skirmish_rules::{Catalog, Entry, Settings, Side, Starter, conjunction};

use crate::exit::usage;

/// How alike two names must be for one to be taken for a slip of the other.
const ALIKE: f64 = 0.75;

/// The game of that name.
pub(crate) fn game(catalog: Catalog, name: &str) -> anyhow::Result<&'static Entry> {
    catalog.find(name).map_err(|error| {
        if !error.candidates.is_empty() {
            return usage(error);
        }
        let typed = name.trim().replace([' ', '_'], "-").to_lowercase();
        let likeness = |entry: &&Entry| strsim::jaro_winkler(entry.id, &typed);
        let nearest = catalog.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let hint = match nearest.filter(|entry| likeness(entry) >= ALIKE) {
            Some(entry) => format!("; did you mean {}?", entry.id),
            None => ".".to_owned(),
        };
        let games = conjunction(catalog.iter().map(|entry| entry.id));
        usage(format!("{error}{hint} The games are {games}."))
    })
}

/// The rule options given as `NAME=VALUE`.
pub(crate) fn settings(entry: &'static Entry, given: &[String]) -> anyhow::Result<Settings> {
    Settings::parse(entry.options, given.iter().map(String::as_str)).map_err(usage)
}

/// Checks that a side may start a game (R-ALL-1).
pub(crate) fn starter(entry: &Entry, first: Side) -> anyhow::Result<Side> {
    match (entry.starter, first) {
        (Starter::Toss, _) | (_, Side::One) => Ok(first),
        (Starter::PlayerOne, Side::Two) => {
            Err(usage(format!("in {} Player 1 always starts (R-ALL-1)", entry.name)))
        }
        (Starter::Nobody, Side::Two) => {
            Err(usage(format!("in {} nobody starts, both act at once (R-ALL-1)", entry.name)))
        }
    }
}
