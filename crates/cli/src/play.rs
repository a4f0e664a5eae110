//! `skirmish play GAME`: starts or resumes the game that the arguments describe.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use skirmish_play::player::Player;
use skirmish_play::{MatchState, Plan, Proposal, ProposalError, Session};
use skirmish_rules::{Both, Catalog, conjunction};
use skirmish_store::{
    ExitHook, Keeper, Latest, PathKind, PreferencesFile, Save, Statistics, Store, StoreError,
    command, read_record, readable, same_file, shell, today,
};
use skirmish_tui::{Opened, Start};

use crate::advisor::Advisor;
use crate::arcade;
use crate::args::{PlayArgs, ScreenArgs};
use crate::destination::{Destination, forceable};
use crate::exit::{Exit, usage};
use crate::line::{self, Beginning, Console, LocalTurns};
use crate::{is_interactive, lookup, menu, output, seats, signals};

pub(crate) fn run(args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    match &args.resume {
        Some(Some(file)) => resume(&lookup::record(file), args, screen, catalog),
        Some(None) => resume(&latest(catalog)?, args, screen, catalog),
        None if args.tui && is_empty(args) => arcade::home(screen, catalog),
        None if is_interactive() && is_empty(args) => menu::run(screen, catalog),
        None => begin(args, screen, catalog),
    }
}

/// Whether the arguments contain neither a game nor options for one.
fn is_empty(args: &PlayArgs) -> bool {
    *args == PlayArgs { tui: args.tui, ..PlayArgs::default() }
}

/// The last saved unfinished game. Reports the games it skips, and never opens an older game silently in place of a
/// damaged one.
fn latest(catalog: Catalog) -> Result<PathBuf> {
    let store = Store::locate()?;
    let Latest { game, damaged, playing } = store.latest(catalog);
    for (file, holder) in &playing {
        let file = readable(file);
        output::eprint_line(format_args!("Skipping {file}: it is being played by {holder}."));
    }
    for error in &damaged {
        output::eprint_line(format_args!("A saved game is damaged: {error}"));
    }
    let Some((file, record)) = game else {
        return Err(StoreError::NothingSaved(store.folder().to_owned()).into());
    };
    if damaged.is_empty() {
        return Ok(file);
    }
    let (name, turns) = (record.entry.name, record.turns.len());
    if !is_interactive() {
        bail!(
            "a saved game is damaged; to resume the previous one, {name} after turn {turns}: \
             {}",
            shell::resume(&file, "")
        );
    }
    let question = format!("Go on with {name} after turn {turns} instead (yes or no)? ");
    line::confirm(&question)?;
    Ok(file)
}

fn begin(args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let mut proposal = proposal(args, catalog)?;
    if args.names.is_none() && args.tui {
        proposal.names = preferred_names(&proposal.players);
    }
    propose(proposal, args, screen, catalog)
}

/// Plays a proposed game.
pub(crate) fn propose(
    proposal: Proposal,
    args: &PlayArgs,
    screen: &ScreenArgs,
    catalog: Catalog,
) -> Result<Exit> {
    let plan = plan(proposal)?;
    let exit_hook = ExitHook::default();
    let keeper = keeper(args, &exit_hook);
    let session = plan.begin();
    let beginning = Beginning::New { seed: plan.seed, is_tossed: plan.is_tossed };
    play_session(plan, session, beginning, keeper, exit_hook, (args, screen, catalog))
}

/// Turns a proposal into the plan of a game.
fn plan(mut proposal: Proposal) -> Result<Plan> {
    if proposal.needs_seed() {
        proposal.seed = Some(skirmish_store::fresh_chance()?.seed());
    }
    proposal.plan(Some(today())).map_err(|error| match error {
        ProposalError::Names(error) => seats::wrong_names(&error.to_string()),
        error => usage(error),
    })
}

/// The game that the arguments propose.
fn proposal(args: &PlayArgs, catalog: Catalog) -> Result<Proposal> {
    let Some(name) = args.game.as_deref() else {
        let games = conjunction(catalog.iter().map(|entry| entry.id));
        let example = command("play base-battle");
        return Err(usage(format!("name a game, as in {example}. The games are {games}.")));
    };
    let entry = lookup::game(catalog, name)?;
    Ok(Proposal {
        settings: lookup::settings(entry, &args.options)?,
        players: seats::players(args)?,
        names: args.names.as_deref().map_or(Ok(Both::default()), seats::names)?,
        first: args.first,
        position: args.position.clone(),
        games: args.games,
        turn_limit: args.max_turns,
        seed: args.seed,
        ..Proposal::new(entry)
    })
}

/// Resumes a saved game, or starts the next game of its match if it is over.
fn resume(file: &Path, args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let exit_hook = ExitHook::default();
    let keeper = keeper(args, &exit_hook);
    // Lock before reading: until then another program may change the file.
    let save = take(file, args)?;
    let record = read_record(file, catalog)?;
    let mut plan = Plan::of(&record);
    let Some(ending) = record.ending else {
        seats::seat_bots(&mut plan, args, file)?;
        let session = plan.resume(record)?;
        let beginning = Beginning::Resumed;
        let keeper = match save {
            Some(save) => keeper.resuming(save),
            None => keeper,
        };
        return play_session(plan, session, beginning, keeper, exit_hook, (args, screen, catalog));
    };
    drop(save);
    let Some(MatchState::Next(_, mut next)) = plan.after(ending.outcome) else {
        bail!(
            "{}: this game is over ({}); to see it again: {}",
            file.display(),
            ending.termination,
            shell::replay(file)
        );
    };
    seats::seat_bots(&mut next, args, file)?;
    let session = next.begin();
    let beginning = Beginning::after(&plan, &next);
    play_session(*next, session, beginning, keeper, exit_hook, (args, screen, catalog))
}

/// Locks the file of a resumed game. `None` if the game is not saved there: with `--copy` or `--no-save`, or if the record
/// comes from a pipe. If another program holds the lock, offers to play a copy.
fn take(file: &Path, args: &PlayArgs) -> Result<Option<Save>> {
    let is_file = PathKind::of(file).is_ok_and(|kind| kind == PathKind::File);
    if args.no_save || args.copy || !is_file {
        return Ok(None);
    }
    let error = match Save::resume(file) {
        Ok(save) => return Ok(Some(save)),
        Err(error) => error,
    };
    let StoreError::Playing(..) = error else { return Err(error.into()) };
    if !is_interactive() {
        let (watch, copy) = (shell::replay(file), shell::resume(file, " --copy"));
        bail!("{error}. Watch it: {watch}. Play a copy: {copy}");
    }
    output::eprint_line(format_args!("{error}."));
    line::confirm("Play a copy of it (yes or no)? ")?;
    Ok(None)
}

fn play_session(
    plan: Plan,
    session: Session,
    beginning: Beginning,
    mut keeper: Keeper,
    exit_hook: ExitHook,
    (args, screen, catalog): (&PlayArgs, &ScreenArgs, Catalog),
) -> Result<Exit> {
    if !args.no_save {
        seats::remember(&plan.players);
    }
    if let Some(path) = &args.record {
        record_in(path, &mut keeper, &session, beginning, args)?;
    }
    if args.tui {
        let is_kept = !args.no_save;
        let start = Start::Play(Box::new(Opened { plan, session, keeper }));
        return arcade::run(screen, start, &exit_hook, is_kept, catalog);
    }
    signals::watch(exit_hook)?;
    let mut advisor = Advisor::new(&plan);
    if plan.has_computer() {
        advisor.players()?;
    }
    let mut console = Console::new(args.json, false);
    let mut game =
        LocalTurns::begin(plan, session, beginning, &mut console, &mut keeper, &mut advisor)?;
    line::play(&mut game)
}

/// Directs the record to the file that `--record` names, where it must not mix with other output.
fn record_in(
    path: &Path,
    keeper: &mut Keeper,
    session: &Session,
    beginning: Beginning,
    args: &PlayArgs,
) -> Result<()> {
    let to = Destination::of("--record", path, args.force, args.json)?;
    let kind = PathKind::of(path);
    if args.tui && matches!(kind, Ok(PathKind::StandardOutput | PathKind::Terminal)) {
        let why = "--record cannot write to the terminal in full-screen mode: name a file";
        return Err(usage(why));
    }
    // False if the file holds a finished game of the match and the next one is played.
    let is_source = !args.copy
        && beginning == Beginning::Resumed
        && matches!(&args.resume, Some(Some(file)) if same_file(&lookup::record(file), path));
    keeper.record_in(path, is_source, to.overwrite, session).map_err(forceable)
}

/// The keeper that saves and counts games; with `--no-save`, it does neither.
fn keeper(args: &PlayArgs, exit_hook: &ExitHook) -> Keeper {
    let keeper = match Store::locate() {
        _ if args.no_save => Keeper::new(None, exit_hook.clone()),
        Ok(store) => Keeper::new(Some(store), exit_hook.clone()),
        Err(_) => Keeper::without_home(exit_hook.clone()),
    };
    let keeper = if args.tui { keeper.on_full_screen() } else { keeper };
    if args.no_save { keeper } else { keeper.counting(Statistics::locate().ok()) }
}

/// The human players' names from the settings.
fn preferred_names(players: &Both<Player>) -> Both<Option<String>> {
    let Ok(file) = PreferencesFile::locate() else { return Both::default() };
    let (preferences, _) = file.read();
    Both::from_fn(|side| preferences.names[side].clone().filter(|_| players[side].is_human()))
}

/// Resumes the game saved in this file.
pub(crate) fn from_save(file: PathBuf, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    run(&PlayArgs { resume: Some(Some(file)), ..PlayArgs::default() }, screen, catalog)
}
