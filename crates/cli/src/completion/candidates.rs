//! The completion candidates for each argument.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate as Candidate, PathCompleter, ValueCompleter,
};
use skirmish_play::player::{Level, Player};
use skirmish_rules::{Entry, GAMES, OptionKind, RuleOption};
use skirmish_store::data_folder;
use skirmish_system::files::is_program;

use super::TYPED;

/// The maximum number of numbers offered for an empty word.
const MOST_NUMBERS: usize = 30;

/// The maximum number of programs offered.
const MOST_PROGRAMS: usize = 100;

fn completer(complete: fn(&str) -> Vec<Candidate>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        current.to_str().map(complete).unwrap_or_default()
    })
}

/// Completes the names of games.
pub(crate) fn games() -> ArgValueCompleter {
    completer(|current| {
        let begun = |entry: &&Entry| begins(entry.id, current);
        GAMES.iter().filter(begun).map(|entry| candidate(entry.id, entry.summary)).collect()
    })
}

/// Completes a rule option as `NAME=VALUE`.
pub(crate) fn rules() -> ArgValueCompleter {
    completer(|current| settings(current, |_, value| Some((String::new(), value))))
}

/// Completes a rule option as `NAME=VALUES`, with values separated by commas.
pub(crate) fn varied() -> ArgValueCompleter {
    completer(|current| {
        settings(current, |option, values| match values.rsplit_once(',') {
            Some((before, last)) => Some((format!("{before},"), last)),
            // Ranges are not completed.
            None if values.contains("..") && matches!(option.kind, OptionKind::Number { .. }) => {
                None
            }
            None => Some((String::new(), values)),
        })
    })
}

/// Completes the names of presets.
pub(crate) fn presets() -> ArgValueCompleter {
    completer(|current| {
        let presets = typed_games().into_iter().flat_map(|entry| entry.presets);
        let names: BTreeSet<&str> =
            presets.map(|preset| preset.name).filter(|name| begins(name, current)).collect();
        names.into_iter().map(Candidate::new).collect()
    })
}

/// Completes a player: a person, a level or a bot.
pub(crate) fn players() -> ArgValueCompleter {
    completer(|current| {
        let human = Player::Human.to_string();
        let person = begins(&human, current).then(|| candidate(&human, "a person"));
        or_bots(person.into_iter().chain(levels(current)).collect(), current)
    })
}

/// Completes a computer level.
pub(crate) fn level() -> ArgValueCompleter {
    completer(levels)
}

/// Completes a tournament entrant: a level or a bot, optionally with a name before it.
pub(crate) fn entrants() -> ArgValueCompleter {
    completer(|current| {
        let is_name = |name: &str| !name.contains(['/', ' ']);
        let (name, rest) = match current.split_once('=') {
            Some((name, rest)) if is_name(name) => (format!("{name}="), rest),
            _ => (String::new(), current),
        };
        let all = or_bots(levels(rest), rest).into_iter();
        all.map(|candidate| candidate.add_prefix(name.clone())).collect()
    })
}

/// Completes the command of a bot.
pub(crate) fn commands() -> ArgValueCompleter {
    completer(bots)
}

/// Completes a record: a file or a saved game.
pub(crate) fn records() -> ArgValueCompleter {
    completer(|current| {
        let is_record = |path: &Path| path.extension().is_some_and(|it| it == "skr");
        let mut all = PathCompleter::any().filter(is_record).complete(OsStr::new(current));
        all.extend(stored("games", current, is_record));
        all
    })
}

/// Completes the names of saved games, newest first.
pub(crate) fn saves() -> ArgValueCompleter {
    completer(|current| {
        let is_record = |path: &Path| path.extension().is_some_and(|it| it == "skr");
        let all = stored_files("games", is_record).into_iter();
        let names = all.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        names.filter(|name| name.starts_with(current)).map(Candidate::new).collect()
    })
}

/// Completes the folder of a tournament: any folder, or a stored one.
pub(crate) fn tournaments() -> ArgValueCompleter {
    completer(|current| {
        let mut all = PathCompleter::dir().complete(OsStr::new(current));
        all.extend(stored("tournaments", current, Path::is_dir));
        all
    })
}

/// The paths of files in one of the program's own folders, newest first.
fn stored(folder: &str, current: &str, is_wanted: impl Fn(&Path) -> bool) -> Vec<Candidate> {
    let Ok(path) = data_folder().map(|data| data.join(folder)) else { return Vec::new() };
    // The path completer already covers this folder.
    if current.starts_with(&*path.to_string_lossy()) {
        return Vec::new();
    }
    let is_begun = |path: &Path| path.to_string_lossy().starts_with(current) && is_wanted(path);
    stored_files(folder, is_begun).into_iter().map(Candidate::new).collect()
}

/// The files in one of the program's own folders, newest first.
fn stored_files(folder: &str, is_wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(folder) = data_folder().map(|data| data.join(folder)) else { return Vec::new() };
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = files.flatten().map(|file| file.path()).collect();
    paths.retain(|path| is_wanted(path));
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    paths.sort_by_cached_key(|path| std::cmp::Reverse(modified(path)));
    paths
}

/// The rule options, or the values of the named one. `part` splits the typed value into the part to keep and the part
/// to complete.
fn settings<'a>(
    current: &'a str,
    part: impl Fn(&RuleOption, &'a str) -> Option<(String, &'a str)>,
) -> Vec<Candidate> {
    let options = || typed_games().into_iter().flat_map(|entry| entry.options);
    let mut candidates: Vec<(String, &str)> = Vec::new();
    match current.split_once('=') {
        None => {
            let begun = options().filter(|option| begins(option.name, current));
            candidates.extend(begun.map(|option| (format!("{}=", option.name), option.about)));
        }
        Some((name, typed)) => {
            for option in options().filter(|option| option.name.eq_ignore_ascii_case(name)) {
                let Some((before, value)) = part(option, typed) else { continue };
                let all = values(option, value).into_iter();
                candidates
                    .extend(all.map(|(value, about)| (format!("{name}={before}{value}"), about)));
            }
        }
    }
    let mut seen = HashSet::new();
    candidates.retain(|(value, _)| seen.insert(value.clone()));
    candidates.iter().map(|(value, about)| candidate(value, about)).collect()
}

/// The values of a rule option that start with `begun`, and their meanings.
fn values(option: &RuleOption, begun: &str) -> Vec<(String, &'static str)> {
    match option.kind {
        OptionKind::Word(words) => words
            .iter()
            .filter(|(word, _)| begins(word, begun))
            .map(|(word, about)| ((*word).to_owned(), *about))
            .collect(),
        OptionKind::Number { min, max, odd, .. } => {
            let numbers = (min..=max).filter(|number| !odd || number % 2 == 1);
            let texts = numbers.map(|number| number.to_string());
            let most = if begun.is_empty() { MOST_NUMBERS } else { usize::MAX };
            let begun = texts.filter(|text| text.starts_with(begun));
            begun.take(most).map(|text| (text, "")).collect()
        }
    }
}

fn levels(current: &str) -> Vec<Candidate> {
    let names = Level::ALL.map(|level| (level.to_string(), level.about()));
    let begun = names.into_iter().filter(|(name, _)| begins(name, current));
    begun.map(|(name, about)| candidate(&name, about)).collect()
}

/// Offers bots only if none of our own candidates matches: some program on the `PATH` always does.
fn or_bots(own: Vec<Candidate>, current: &str) -> Vec<Candidate> {
    if own.is_empty() { bots(current) } else { own }
}

/// Candidates for a bot's command: a program, then files.
fn bots(current: &str) -> Vec<Candidate> {
    let protocol = ["ugi:", "json:"].into_iter().find(|protocol| current.starts_with(protocol));
    let protocol = protocol.unwrap_or_default();
    let command = &current[protocol.len()..];
    let (before, found) = match command.rsplit_once(' ') {
        Some((before, last)) => {
            (format!("{before} "), PathCompleter::any().complete(OsStr::new(last)))
        }
        None if command.is_empty() => return Vec::new(),
        None if command.contains('/') => {
            let runs = PathCompleter::any().filter(is_program);
            (String::new(), runs.complete(OsStr::new(command)))
        }
        None => {
            let mut found = programs(command);
            found.extend(PathCompleter::dir().complete(OsStr::new(command)));
            (String::new(), found)
        }
    };
    let prefix = format!("{protocol}{before}");
    found.into_iter().map(|candidate| candidate.add_prefix(prefix.clone())).collect()
}

/// The programs on the `PATH` that start with `begun`.
fn programs(begun: &str) -> Vec<Candidate> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok());
    let files = folders.flat_map(Iterator::flatten);
    let names: BTreeSet<String> = files
        .filter(|file| file.file_name().to_string_lossy().starts_with(begun))
        .filter(|file| is_program(&file.path()))
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    names.into_iter().take(MOST_PROGRAMS).map(Candidate::new).collect()
}

/// The game typed so far, or all games.
fn typed_games() -> Vec<&'static Entry> {
    let words = TYPED.get().map(Vec::as_slice).unwrap_or_default();
    let mut named = words.iter().filter(|word| !word.is_empty());
    match named.find_map(|word| GAMES.find(word).ok()) {
        Some(entry) => vec![entry],
        None => GAMES.iter().collect(),
    }
}

fn begins(name: &str, current: &str) -> bool {
    name.get(..current.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(current))
}

fn candidate(value: &str, about: &str) -> Candidate {
    let help = (!about.is_empty()).then(|| about.to_owned().into());
    Candidate::new(value).help(help)
}
