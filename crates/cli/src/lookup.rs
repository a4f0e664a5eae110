//! From what was typed on the command line to a game and its options, with help for typing errors.

use skirmish_rules::{Catalog, Entry, Settings, Side, conjunction, quotable};

use crate::args::{BoardArgs, GameArgs};
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

/// The rule options: those of a preset, and on top of it those given as `NAME=VALUE`.
pub(crate) fn settings(entry: &'static Entry, given: &GameArgs) -> anyhow::Result<Settings> {
    let rules = given.rules.iter().map(String::as_str);
    let Some(name) = &given.preset else {
        return Settings::parse(entry.options, rules).map_err(usage);
    };
    let preset = entry.presets.iter().find(|preset| preset.name.eq_ignore_ascii_case(name));
    let preset = preset.ok_or_else(|| {
        let name = quotable(name);
        let known = conjunction(entry.presets.iter().map(|preset| preset.name));
        usage(format!(
            "{} has no preset \"{name}\": it has {known} (see skirmish rules {})",
            entry.name, entry.id
        ))
    })?;
    let fixed = preset.rules.split_whitespace();
    let chosen = Settings::parse(entry.options, fixed).map_err(usage)?;
    // Named again by a --rule, an option of the preset gives way; a --rule given twice is still an error.
    Settings::parse(entry.options, rules.clone()).map_err(usage)?;
    let mut settings = chosen;
    for rule in rules {
        settings.set(rule).map_err(usage)?;
    }
    Ok(settings)
}

/// The game, its rule options and its starter.
pub(crate) fn board(
    catalog: Catalog,
    args: &BoardArgs,
) -> anyhow::Result<(&'static Entry, Settings, Side)> {
    let entry = game(catalog, &args.game)?;
    let first = if args.first == "p2" { Side::Two } else { Side::One };
    Ok((
        entry,
        settings(entry, &args.options)?,
        skirmish_play::starter(entry, first).map_err(usage)?,
    ))
}
