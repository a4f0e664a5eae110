//! Finds the game and the options named on the command line, with suggestions for typing errors.

use std::path::{Path, PathBuf};

use skirmish_rules::{Catalog, Entry, Settings, Side, alternatives, conjunction, quotable};
use skirmish_store::{Store, command};

use crate::args::{BoardArgs, GameArgs};
use crate::exit::usage;

/// The Jaro-Winkler similarity above which a name is suggested.
const ALIKE: f64 = 0.75;

/// Finds a game by its name.
pub(crate) fn game(catalog: Catalog, name: &str) -> anyhow::Result<&'static Entry> {
    catalog.find(name).map_err(|error| {
        if !error.candidates.is_empty() {
            return usage(error);
        }
        let hint = match nearest(catalog, name) {
            Some(entry) => format!("; did you mean {}?", entry.id),
            None => ".".to_owned(),
        };
        let games = conjunction(catalog.iter().map(|entry| entry.id));
        usage(format!("{error}{hint} The games are {games}."))
    })
}

/// A tip with the games that a mistyped command may stand for.
pub(crate) fn tip(catalog: Catalog, name: &str) -> Option<String> {
    let error = catalog.find(name).err()?;
    if !error.candidates.is_empty() {
        return Some(error.to_string());
    }
    nearest(catalog, name).map(|entry| format!("did you mean {}?", entry.id))
}

/// The game whose name is most similar to a mistyped one, if any is similar enough.
fn nearest(catalog: Catalog, name: &str) -> Option<&'static Entry> {
    let typed = name.trim().replace([' ', '_'], "-").to_lowercase();
    let likeness = |entry: &&Entry| strsim::jaro_winkler(entry.id, &typed);
    let nearest = catalog.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    nearest.filter(|entry| likeness(entry) >= ALIKE)
}

/// The rule options: those of the preset, overridden by those given as `NAME=VALUE`.
pub(crate) fn settings(entry: &'static Entry, given: &GameArgs) -> anyhow::Result<Settings> {
    let rules = given.rules.iter().map(String::as_str);
    let Some(name) = &given.preset else {
        return Settings::parse(entry.options, rules).map_err(usage);
    };
    let preset = entry.presets.iter().find(|preset| preset.name.eq_ignore_ascii_case(name));
    let preset = preset.ok_or_else(|| {
        let name = quotable(name);
        let known = alternatives(entry.presets.iter().map(|preset| preset.name));
        usage(format!(
            "{} has no preset \"{name}\": expected {known} (see {})",
            entry.name,
            command(&format!("rules {}", entry.id))
        ))
    })?;
    let fixed = preset.rules.split_whitespace();
    let mut settings = Settings::parse(entry.options, fixed).map_err(usage)?;
    // A --rule may override the preset, but the same --rule twice is an error.
    Settings::parse(entry.options, rules.clone()).map_err(usage)?;
    for rule in rules {
        settings.set(rule).map_err(usage)?;
    }
    Ok(settings)
}

/// The file of a record: a path, or the name of a saved game as `skirmish saves` lists it.
pub(crate) fn record(file: &Path) -> PathBuf {
    let saved = || Store::locate().ok()?.named(file.to_str()?);
    if file.exists() { file.to_owned() } else { saved().unwrap_or_else(|| file.to_owned()) }
}

/// The game, its rule options and its starter.
pub(crate) fn board(
    catalog: Catalog,
    args: &BoardArgs,
) -> anyhow::Result<(&'static Entry, Settings, Side)> {
    let entry = game(catalog, &args.game)?;
    Ok((
        entry,
        settings(entry, &args.options)?,
        skirmish_play::starter(entry, args.first).map_err(usage)?,
    ))
}
