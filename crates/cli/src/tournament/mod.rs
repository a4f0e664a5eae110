//! `skirmish tournament GAME PLAYER PLAYER …`: tournaments between programs.

mod live;
mod object;
mod table;
mod trust;

use std::path::Path;
use std::thread;

use anyhow::{Context, Result};
use skirmish_arena::tournament::{
    Cast, Entrant, Folder, Progress, RunError, Standings, Tournament, run, usual_jobs,
};
use skirmish_play::library::Library;
use skirmish_present::json;
use skirmish_rules::{Catalog, printable};
use skirmish_store::shell::quoted;
use skirmish_store::{ExitHook, command};
use skirmish_system::machine;
use skirmish_tui::{Start, TournamentRun};

use self::live::Live;
use crate::arcade;
use crate::args::{ScreenArgs, TournamentArgs};
use crate::exit::{Exit, usage};
use crate::{lookup, output, signals, solving};

pub(crate) fn play(args: &TournamentArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let (tournament, folder) = match &args.resume {
        Some(folder) => resume(args, folder.as_deref(), catalog)?,
        None => begin(args, catalog)?,
    };
    let tournament = tournament.marked(&folder);
    if args.tui {
        return show(args, screen, catalog, tournament, folder);
    }
    let exit_hook = ExitHook::default();
    let path = quoted(&folder.path().to_string_lossy());
    let go_on = command(&format!("tournament --resume {path}"));
    exit_hook.set(Some(format!("The finished games are kept. To go on: {go_on}")));
    signals::watch(exit_hook.clone())?;
    // Every bot needs three pipes, so parallel games can exceed the usual limit on open files.
    machine::raise_open_files();
    let mut library = Library::new(solving::free_memory());
    let logs = args.log.then_some(&folder);
    let cast = Cast::prepare::<anyhow::Error>(&tournament, logs, &mut library, solving::run)?;
    let live = Live::new(&tournament);
    let progress = Progress::new(&tournament).watched(|board| live.show(board));
    let jobs = args.jobs.unwrap_or_else(usual_jobs);
    let played = run(&tournament, &cast, Some((&folder, catalog)), jobs, &progress);
    if matches!(played, Err(RunError::Stopped)) {
        // After a signal, the signal thread ends the program.
        loop {
            thread::park();
        }
    }
    live.end();
    played?;
    let board = progress.into_board();
    if folder.unusable() > 0 {
        output::eprint_line(format_args!(
            "Unusable records, whose games were played again: {}",
            folder.unusable()
        ));
    }
    exit_hook.set(None);
    let standings = Standings::of(&tournament, &board);
    if args.json {
        let object = object::of(&tournament, &board, &standings, folder.path());
        output::print_data_line(json::text(&object))?;
    } else if args.csv {
        output::print_data(&table::csv(&tournament, &standings))?;
    } else {
        output::print(&table::page(&tournament, &board, &standings))?;
        let folder = printable(&folder.path().to_string_lossy());
        output::eprint_line(format_args!("Records: {folder}"));
    }
    Ok(Exit::Done)
}

/// Plays a tournament on the full screen.
fn show(
    args: &TournamentArgs,
    screen: &ScreenArgs,
    catalog: Catalog,
    tournament: Tournament,
    folder: Folder,
) -> Result<Exit> {
    machine::raise_open_files();
    let jobs = args.jobs.unwrap_or_else(usual_jobs);
    let run = TournamentRun { tournament, folder, is_logged: args.log, jobs };
    let start = Start::Tournament(Box::new(run));
    arcade::run(screen, start, &ExitHook::default(), true, catalog)
}

/// Resumes a tournament, if the user trusts its folder and its commands.
fn resume(
    args: &TournamentArgs,
    folder: Option<&Path>,
    catalog: Catalog,
) -> Result<(Tournament, Folder)> {
    let folder = Folder::begun(folder)?;
    // Relative paths in the tournament's commands refer to this directory.
    let directory = folder.directory()?;
    std::env::set_current_dir(&directory).with_context(|| {
        format!("cannot enter {}, where the tournament was started", directory.display())
    })?;
    let tournament = folder.read(catalog)?;
    let sandbox = args.sandbox.sandbox()?;
    let tournament = if sandbox.is_some() { tournament.within(sandbox) } else { tournament };
    if let Some(sandbox) = tournament.sandbox() {
        skirmish_arena::bot::check_sandbox(sandbox)?;
    }
    trust::confirm(&tournament, &folder, &directory, args.trust)?;
    let ended = match folder.sweep()? {
        0 => return Ok((tournament, folder)),
        1 => "a process".to_owned(),
        many => format!("{many} processes"),
    };
    output::eprint_line(format_args!("Ended {ended} left over from the last run."));
    Ok((tournament, folder))
}

/// The tournament that the arguments describe, and its folder.
fn begin(args: &TournamentArgs, catalog: Catalog) -> Result<(Tournament, Folder)> {
    let name = args.game.as_deref().expect("clap requires a game without --resume");
    let entry = lookup::game(catalog, name)?;
    let settings = lookup::settings(entry, &args.options)?;
    let entrants = Entrant::parse_all(args.players.iter().map(String::as_str)).map_err(usage)?;
    let pairs = args.games.div_ceil(2);
    if pairs * 2 != args.games {
        let games = pairs * 2;
        output::eprint_line(format_args!("Games are played in pairs: {games} in each encounter."));
    }
    let seed = match args.seed {
        Some(seed) => seed,
        None => skirmish_store::fresh_chance()?.seed(),
    };
    let tournament = Tournament {
        entry,
        settings,
        format: args.format,
        rounds: args.rounds,
        entrants,
        pairs,
        seed,
        timing: args.timing(),
        max_turns: args.max_turns,
        opening: args.opening,
        sprt: args.sprt().map_err(usage)?,
    };
    tournament.check().map_err(usage)?;
    let tournament = tournament.within(args.sandbox.sandbox()?);
    let folder = match &args.folder {
        Some(path) => Folder::at(path)?,
        None => Folder::create(entry)?,
    };
    folder.begin(&tournament)?;
    if let Ok(directory) = std::env::current_dir() {
        trust::remember(&tournament, &folder, &directory);
    }
    Ok((tournament, folder))
}
