//! `skirmish saves`: lists and deletes saved games.

use std::path::Path;

use anyhow::{Result, bail};
use skirmish_play::Plan;
use skirmish_present::json::{self, SavedGameObject, SavedRecordObject};
use skirmish_rules::{Catalog, Record, columns, counted, printable, quotable};
use skirmish_store::{
    SavedGame, Store, command, date_of, holder, read_record_file, readable, saved_at, shell,
};

use crate::args::SavesArgs;
use crate::exit::{Exit, usage};
use crate::{is_interactive, line, lookup, output};

pub(crate) fn run(args: &SavesArgs, catalog: Catalog) -> Result<Exit> {
    let store = Store::locate()?;
    if !args.delete.is_empty() {
        return delete(&store, args, catalog);
    }
    let entry = args.game.as_deref().map(|game| lookup::game(catalog, game)).transpose()?;
    let is_wanted = |game: &SavedGame| match &game.record {
        Ok(record) => entry.is_none_or(|entry| entry.id == record.entry.id),
        Err(_) => entry.is_none(),
    };
    store.check()?;
    let all = store.games(catalog).filter(SavedGame::is_listed);
    let games: Vec<SavedGame> = all.filter(is_wanted).collect();
    if args.json {
        let objects: Vec<SavedGameObject> = games.iter().map(object).collect();
        output::print_data_line(json::text(&objects))?;
        return Ok(Exit::Done);
    }
    for game in &games {
        output::print(&describe(game))?;
    }
    let folder = readable(store.folder());
    let kind = entry.map_or(String::new(), |entry| format!(" of {}", entry.name));
    output::print_line(match games.len() {
        0 => format!("There are no saved games{kind} in {folder}."),
        1 => format!("\n1 saved game{kind} in {folder}."),
        many => format!("\n{many} saved games{kind} in {folder}, the newest first."),
    })?;
    Ok(Exit::Done)
}

/// Whether a saved game can be resumed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SaveState {
    Unfinished,
    /// Being played by another program.
    Playing,
    Over,
    Damaged,
}

impl SaveState {
    fn of(game: &SavedGame) -> Self {
        match &game.record {
            Err(_) => Self::Damaged,
            Ok(record) if record.ending.is_some() => Self::Over,
            Ok(_) if holder(&game.path).is_some() => Self::Playing,
            Ok(_) => Self::Unfinished,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Unfinished => "unfinished",
            Self::Playing => "playing",
            Self::Over => "over",
            Self::Damaged => "damaged",
        }
    }
}

fn object(game: &SavedGame) -> SavedGameObject {
    let state = SaveState::of(game);
    let record = game.record.as_ref();
    let command = |record: &Record| resume_command(record, &game.path);
    SavedGameObject {
        file: game.path.to_string_lossy().into_owned(),
        state: state.word(),
        resume: record.ok().filter(|_| state == SaveState::Unfinished).map(command),
        error: record.err().map(skirmish_store::StoreError::reason),
        game: record.ok().map(SavedRecordObject::of),
    }
}

/// The command that resumes a game, including its bots.
fn resume_command(record: &Record, file: &Path) -> String {
    shell::resume(file, &shell::options(&Plan::of(record), shell::Screen::Lines))
}

/// The width of the column with a game's date.
const MARGIN: usize = 12;

/// Describes a game in a few lines: its date, a summary, and the command to use next.
fn describe(game: &SavedGame) -> String {
    let name = file_name(&game.path);
    let (date, command) = match &game.record {
        Ok(record) => {
            let command = match SaveState::of(game) {
                SaveState::Unfinished => resume_command(record, Path::new(&name)),
                SaveState::Playing | SaveState::Over | SaveState::Damaged => {
                    shell::replay(Path::new(&name))
                }
            };
            (record.date.clone(), command)
        }
        Err(_) => (None, command(&format!("saves --delete {}", shell::quoted(&name)))),
    };
    // The record has no date, or cannot be read.
    let date = date.or_else(|| saved_at(&game.path).map(date_of)).unwrap_or_default();
    let width = output::width().min(80).saturating_sub(MARGIN).max(20);
    let about = columns::wrap(&summary(game), width).join(&format!("\n{:MARGIN$}", ""));
    format!("{:MARGIN$}{about}\n{:MARGIN$}{}\n", printable(&date), "", printable(&command))
}

/// A summary of a saved game: the game, its starting position, the players and the progress.
fn summary(game: &SavedGame) -> String {
    let record = match &game.record {
        Ok(record) => record,
        Err(error) => return printable(&format!("damaged: {}", error.reason())),
    };
    let state = match (record.ending, holder(&game.path)) {
        (None, None) => "unfinished".to_owned(),
        (None, Some(holder)) => format!("being played by {holder}"),
        (Some(ending), _) => match ending.outcome.winner() {
            Some(side) => format!("{} won", record.names[side]),
            None => "a draw".to_owned(),
        },
    };
    let from = record.position.as_ref().map_or(String::new(), |it| format!(" from {it}"));
    let turns = counted(record.turns.len() as u64, "turn");
    let (one, two) = (&record.names.one, &record.names.two);
    printable(&format!("{}{from}, {one} against {two}, {turns}, {state}", record.entry.name))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Deletes the named games, each after asking.
fn delete(store: &Store, args: &SavesArgs, catalog: Catalog) -> Result<Exit> {
    let mut games = Vec::new();
    for name in &args.delete {
        let Some(path) = store.named(name) else {
            let (name, folder) = (quotable(name), readable(store.folder()));
            let list = command("saves");
            bail!("there is no saved game \"{name}\" in {folder}: {list} lists them");
        };
        let record = read_record_file(&path, catalog);
        games.push(SavedGame { path, record });
    }
    if !args.force && (args.json || !is_interactive()) {
        let why = if args.json { "with --json" } else { "without a terminal to ask on" };
        return Err(usage(format!("{why}, --delete needs --force")));
    }
    let mut deleted = Vec::new();
    for game in games {
        let name = printable(&file_name(&game.path));
        if !args.force {
            output::print_line(summary(&game))?;
            line::confirm(&format!("Delete {name} (yes or no)? "))?;
        }
        let object = SavedGameObject { resume: None, ..object(&game) };
        if let Err(error) = store.delete(&game.path) {
            if args.json {
                output::print_data_line(json::text(&deleted))?;
            }
            return Err(error.into());
        }
        if !args.json {
            output::eprint_line(format_args!("{name} is deleted."));
        }
        deleted.push(object);
    }
    if args.json {
        output::print_data_line(json::text(&deleted))?;
    }
    Ok(Exit::Done)
}
