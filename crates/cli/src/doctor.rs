//! `skirmish doctor`: a report on this installation, to include in problem reports.
//!
//! The report may be published, so it names neither the user nor the host.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use skirmish_arena::bot::check_sandbox;
use skirmish_play::player::Sandbox;
use skirmish_rules::{printable, quotable};
use skirmish_store::{StoreError, check_writable, data_folder, settings_folder};
use skirmish_system::{folders, machine, speaks_unicode, terminal};
use skirmish_tui::Depth;

use crate::args::ScreenArgs;
use crate::exit::Exit;
use crate::{arcade, output};

/// The environment variables that affect how the program uses the terminal.
const TERMINAL: [&str; 9] = [
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "ESCDELAY",
    "SKIRMISH_THEME",
    "SKIRMISH_ASCII",
    "SKIRMISH_NO_MOTION",
];

/// The environment variables that determine the locale.
const LOCALE: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

type Row = (&'static str, String);

pub(crate) fn run(screen: &ScreenArgs) -> Result<Exit> {
    let sections = [
        ("Program", program()),
        ("Terminal", terminal(screen)),
        ("Locale", locale()),
        ("Folders", vec![("data", folder(data_folder())), ("settings", folder(settings_folder()))]),
        ("Bots", vec![("sandbox", sandbox())]),
        ("Memory that can still be allocated", memory()),
    ];
    for (title, rows) in sections {
        let cells = rows.into_iter().map(|(name, value)| vec![format!("  {name}"), value]);
        let table = output::aligned(&cells.collect::<Vec<_>>(), 2);
        output::print(&format!("{title}\n{table}"))?;
    }
    Ok(Exit::Done)
}

fn program() -> Vec<Row> {
    let build = if cfg!(debug_assertions) { " (debug build)" } else { "" };
    vec![
        ("version", format!("{}{build}", env!("CARGO_PKG_VERSION"))),
        ("system", printable(&machine::kernel())),
        ("architecture", env::consts::ARCH.to_owned()),
        ("processors", available_parallelism().map_or("unknown".to_owned(), |it| it.to_string())),
    ]
}

fn terminal(screen: &ScreenArgs) -> Vec<Row> {
    let size = terminal::output_size();
    let lines = match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => "no",
        ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => "yes",
    };
    let arcade = match arcade::depth(screen.color) {
        Depth::None => "none",
        Depth::Sixteen => "16",
        Depth::Many => "256",
        Depth::True => "24-bit",
    };
    let mut rows = variables(&TERMINAL);
    rows.extend([
        ("input", terminal_or_not(&io::stdin())),
        ("output", terminal_or_not(&io::stdout())),
        ("errors", terminal_or_not(&io::stderr())),
        ("size", size.map_or("unknown".to_owned(), |(wide, high)| format!("{wide} x {high}"))),
        ("colours in lines", lines.to_owned()),
        ("colours in the arcade", arcade.to_owned()),
    ]);
    rows
}

fn terminal_or_not(stream: &impl IsTerminal) -> String {
    if stream.is_terminal() { "a terminal" } else { "not a terminal" }.to_owned()
}

fn locale() -> Vec<Row> {
    let mut rows = variables(&LOCALE);
    rows.push(("Unicode", if speaks_unicode() { "yes" } else { "no" }.to_owned()));
    rows
}

/// Rows for the environment variables that are set, with control characters escaped.
fn variables(names: &[&'static str]) -> Vec<Row> {
    let row = |&name| {
        let value = env::var_os(name)?;
        Some((name, format!("\"{}\"", quotable(&value.to_string_lossy()))))
    };
    names.iter().filter_map(row).collect()
}

/// The path of a folder, and whether files can be created in it.
fn folder(located: Result<PathBuf, StoreError>) -> String {
    let path = match located {
        Ok(path) => path,
        Err(error) => return error.to_string(),
    };
    let state = match check_writable(&path) {
        Ok(()) => "writable".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "does not exist yet".to_owned(),
        Err(error) => format!("not writable: {}", error.kind()),
    };
    format!("{}: {state}", anonymous(&path.to_string_lossy()))
}

fn sandbox() -> String {
    match check_sandbox(Sandbox::USUAL) {
        Ok(()) => "available".to_owned(),
        Err(error) => format!("not available: {}", anonymous(&error.to_string())),
    }
}

fn memory() -> Vec<Row> {
    let mebibytes = |bytes: u64| format!("{} MiB", bytes >> 20);
    let limits = machine::memory_limits().into_iter();
    let mut rows: Vec<Row> = limits.map(|(name, left)| (name, mebibytes(left))).collect();
    rows.push(("used to solve games", mebibytes(machine::spare_memory())));
    rows
}

/// Hides the names of the user and the host in a text, and makes it safe to print.
fn anonymous(text: &str) -> String {
    let home = folders::home().filter(|home| home.parent().is_some());
    let users = ["USER", "LOGNAME", "USERNAME"].map(|name| env::var(name).unwrap_or_default());
    let home_name = home.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let mut hidden = vec![(machine::host_name(), "HOST"), (home_name.into_owned(), "USER")];
    hidden.extend(users.map(|user| (user, "USER")));
    let home = home.unwrap_or_default().to_string_lossy().into_owned();
    printable(&without(text, &home, &hidden))
}

/// Replaces the path of the home folder with `~`, and each hidden name with its placeholder.
fn without(text: &str, home: &str, hidden: &[(String, &str)]) -> String {
    let text = if home.is_empty() { text.to_owned() } else { text.replace(home, "~") };
    let is_boundary = |letter: char| !letter.is_alphanumeric() && !"-_.".contains(letter);
    let words = text.split_inclusive(is_boundary).map(|word| {
        let name = word.trim_end_matches(is_boundary);
        let found = hidden.iter().find(|(secret, _)| !name.is_empty() && secret == name);
        found.map_or(word.to_owned(), |(_, label)| word.replacen(name, label, 1))
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_neither_user_nor_host() {
        let hidden = [("ann".to_owned(), "USER"), ("castle".to_owned(), "HOST")];
        for (text, expected) in [
            ("/home/ann/.local/share/skirmish", "~/.local/share/skirmish"),
            ("/data/ann/castle/skirmish", "/data/USER/HOST/skirmish"),
            ("/data/anna/sandcastle", "/data/anna/sandcastle"),
            ("cannot change to /home/ann, ann@castle", "cannot change to ~, USER@HOST"),
            ("", ""),
        ] {
            assert_eq!(without(text, "/home/ann", &hidden), expected);
        }
        assert_eq!(without("/data/x", "", &hidden), "/data/x", "the home folder is unknown");
    }
}
