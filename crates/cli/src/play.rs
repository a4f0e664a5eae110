//! `skirmish play GAME`: from arguments to a game.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use skirmish_play::player::Player;
use skirmish_play::{Chance, MatchState, Plan, Session};
use skirmish_present::shell::quoted;
use skirmish_rules::{Catalog, Entry, Names, Side, Starter};
use skirmish_store::{
    ExitHook, Keeper, Kind, Latest, PreferencesFile, Save, Statistics, Store, StoreError,
    read_record, readable, same_file, today,
};

use crate::advisor::Advisor;
use crate::args::{First, PlayArgs, ScreenArgs};
use crate::destination::{Destination, forceable};
use crate::exit::{Exit, usage};
use crate::line::{self, Beginning, Front, Input, Objects, Opening, Transcript};
use crate::tui::{self, Mode, Opened, Start};
use crate::{is_conversation, lookup, output, seats, signals};

/// R-ALL-2: the turn limit where only programs play.
const PROGRAMS_TURN_LIMIT: u32 = 200;

pub(crate) fn run(args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    match &args.resume {
        Some(Some(file)) => resume(file, args, screen, catalog),
        Some(None) => match latest(catalog)? {
            Ok(file) => resume(&file, args, screen, catalog),
            Err(exit) => Ok(exit),
        },
        None => begin(args, screen, catalog),
    }
}

/// The unfinished game that was saved last. What is skipped to find it is reported, and an older game is never opened
/// silently in place of a damaged one.
fn latest(catalog: Catalog) -> Result<std::result::Result<PathBuf, Exit>> {
    let store = Store::locate()?;
    let Latest { game, damaged, playing } = store.latest(catalog);
    for (file, holder) in &playing {
        let file = readable(file);
        output::complain(format_args!("{file} is being played by {holder}: it is passed over."));
    }
    for error in &damaged {
        output::complain(format_args!("A saved game is damaged: {error}"));
    }
    let Some((file, record)) = game else {
        return Err(StoreError::NothingSaved(store.folder().to_owned()).into());
    };
    if damaged.is_empty() {
        return Ok(Ok(file));
    }
    let (name, turns) = (record.entry.name, record.turns.len());
    if !is_conversation() {
        bail!(
            "a saved game is damaged; to go on with the one before it, {name} after turn {turns}: \
             skirmish play --resume {}",
            quoted(&file.to_string_lossy())
        );
    }
    let question = format!("Go on with {name} after turn {turns} instead (yes or no)? ");
    Ok(match line::confirm(&question)? {
        Ok(true) => Ok(file),
        Ok(false) => Err(Exit::Done),
        Err(exit) => Err(exit),
    })
}

fn begin(args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let (mut plan, beginning) = plan(args, catalog)?;
    if args.names.is_none() && args.tui && screen.mode() == Mode::Full {
        plan.names = settled_names(&plan)?;
    }
    let exit_hook = ExitHook::default();
    let keeper = keeper(args, &exit_hook);
    let session = plan.begin();
    let opening = Opening { seed: plan.seed, beginning, ..Opening::default() };
    converse(plan, session, opening, keeper, exit_hook, (args, screen, catalog))
}

/// The game that the arguments ask for, and how it begins.
pub(crate) fn plan(args: &PlayArgs, catalog: Catalog) -> Result<(Plan, Beginning)> {
    let name = args.game.as_deref().expect("clap asks for a game unless one is resumed");
    let entry = lookup::game(catalog, name)?;
    let settings = lookup::settings(entry, &args.options)?;
    let tossed = is_tossed(entry, args.first)?;
    let players = seats::players(args)?;
    let has = |sort: fn(&Player) -> bool| Side::ALL.into_iter().any(|side| sort(&players[side]));
    let chance = match args.seed {
        Some(seed) => Some(Chance::from_seed(seed)),
        None if tossed || has(|player| player.level().is_some()) => {
            Some(skirmish_store::fresh_chance()?)
        }
        None => None,
    };
    let first = match (args.first, chance) {
        (_, Some(chance)) if tossed => chance.toss(),
        (Some(First::P2), _) => lookup::starter(entry, Side::Two)?,
        _ => Side::One,
    };
    let seed = chance.map(Chance::seed);
    let plan = Plan {
        entry,
        settings,
        names: seats::names(args.names.as_deref(), entry, args.games, &players)?,
        first,
        standing: args.games.map(Plan::first_of),
        date: Some(today()),
        seed,
        // R-ALL-2: no limit where a person plays.
        turn_limit: args.max_turns.or((!has(Player::is_human)).then_some(PROGRAMS_TURN_LIMIT)),
        players,
    };
    Ok((plan, if tossed { Beginning::Tossed } else { Beginning::Plain }))
}

/// Goes on with a saved game, or with the next game of its match if it is over.
fn resume(file: &Path, args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let exit_hook = ExitHook::default();
    let keeper = keeper(args, &exit_hook);
    // First the lock and then the file: until it is locked another program may play on.
    let save = match take(file, args)? {
        Ok(save) => save,
        Err(exit) => return Ok(exit),
    };
    let record = read_record(file, catalog)?;
    let mut plan = Plan::of(&record);
    let Some(ending) = record.ending else {
        seats::summon(&mut plan, args, file)?;
        let session = plan.resume(record)?;
        let opening = Opening { beginning: Beginning::Resumed, ..Opening::default() };
        let keeper = match save {
            Some(save) => keeper.resuming(save),
            None => keeper,
        };
        return converse(plan, session, opening, keeper, exit_hook, (args, screen, catalog));
    };
    drop(save);
    let Some(MatchState::Next(_, mut next)) = plan.after(ending.outcome) else {
        bail!(
            "{}: this game is over ({}); skirmish replay shows it again",
            file.display(),
            ending.termination
        );
    };
    seats::summon(&mut next, args, file)?;
    let session = next.begin();
    let opening = Opening { beginning: Beginning::after(&plan, &next), ..Opening::default() };
    converse(*next, session, opening, keeper, exit_hook, (args, screen, catalog))
}

/// Takes the file of a game that goes on, so that nobody else plays it. Nothing where the game is not to be saved there:
/// a copy is played, or the record comes from a pipe. If somebody else plays it, a copy can be played instead.
fn take(file: &Path, args: &PlayArgs) -> Result<std::result::Result<Option<Save>, Exit>> {
    let is_file = Kind::of(file).is_ok_and(|kind| kind == Kind::File);
    if args.no_save || args.copy || !is_file {
        return Ok(Ok(None));
    }
    let error = match Save::resume(file) {
        Ok(save) => return Ok(Ok(Some(save))),
        Err(error) => error,
    };
    let StoreError::Playing { .. } = error else { return Err(error.into()) };
    if !is_conversation() {
        let file = quoted(&file.to_string_lossy());
        bail!(
            "{error}. Watch it: skirmish replay {file}. Play a copy: skirmish play --resume {file} --copy"
        );
    }
    output::complain(format_args!("{error}."));
    Ok(match line::confirm("Play a copy of it (yes or no)? ")? {
        Ok(true) => Ok(None),
        Ok(false) => Err(Exit::Done),
        Err(exit) => Err(exit),
    })
}

fn converse(
    plan: Plan,
    session: Session,
    opening: Opening,
    mut keeper: Keeper,
    exit_hook: ExitHook,
    (args, screen, catalog): (&PlayArgs, &ScreenArgs, Catalog),
) -> Result<Exit> {
    let is_full_screen = args.tui && screen.mode() == Mode::Full;
    if let Some(path) = &args.record {
        record_in(path, &mut keeper, &session, opening.beginning, args, is_full_screen)?;
    }
    if is_full_screen {
        let is_kept = !args.no_save;
        let table = Start::Play(Box::new(Opened { plan, session, keeper, exit_hook, is_kept }));
        return tui::run(screen, table, catalog);
    }
    signals::watch(exit_hook)?;
    let mut advisor = Advisor::new(&plan);
    if plan.has_computer() {
        advisor.solved()?;
    }
    let input = Input::open();
    let mut front: Box<dyn Front> =
        if args.json { Box::new(Objects::new(input)) } else { Box::new(Transcript::new(input)) };
    line::play(plan, session, opening, &mut *front, &mut keeper, &mut advisor)
}

/// Sees to it that the record goes where the arguments say. It must not get between what else is written there.
fn record_in(
    path: &Path,
    keeper: &mut Keeper,
    session: &Session,
    beginning: Beginning,
    args: &PlayArgs,
    is_full_screen: bool,
) -> Result<()> {
    let to = Destination::of("--record", path, args.force, args.json)?;
    if is_full_screen {
        let is_shown = matches!(Kind::of(path), Ok(Kind::StandardOutput | Kind::Terminal));
        if is_shown {
            return Err(usage(
                "the full screen has the terminal to itself: name a file for --record",
            ));
        }
    }
    // Not where the file holds a finished game, and the next one of its match is played.
    let is_source = !args.copy
        && beginning == Beginning::Resumed
        && matches!(&args.resume, Some(Some(file)) if same_file(file, path));
    keeper.record_in(path, is_source, to.overwrite, session).map_err(forceable)
}

/// Whether a coin decides who starts (R-ALL-1).
fn is_tossed(entry: &Entry, first: Option<First>) -> Result<bool> {
    match (entry.starter, first) {
        (Starter::Toss, Some(First::Toss) | None) => Ok(true),
        (Starter::PlayerOne | Starter::Nobody, Some(First::Toss)) => {
            Err(usage(format!("in {} there is nothing to toss for (R-ALL-1)", entry.name)))
        }
        (_, Some(First::P1 | First::P2) | None) => Ok(false),
    }
}

/// Where the games are kept and counted; nowhere with `--no-save`.
fn keeper(args: &PlayArgs, exit_hook: &ExitHook) -> Keeper {
    if args.no_save {
        return Keeper::new(None, exit_hook.clone());
    }
    let keeper = match Store::locate() {
        Ok(store) => Keeper::new(Some(store), exit_hook.clone()),
        Err(_) => Keeper::homeless(exit_hook.clone()),
    };
    keeper.counting(Statistics::locate().ok())
}

/// The names of a game on the full screen, for which the settings count.
fn settled_names(plan: &Plan) -> Result<Names> {
    let Ok(file) = PreferencesFile::locate() else { return Ok(plan.names.clone()) };
    let (preferences, _) = file.read();
    let Some(given) = seats::given_names(&preferences.names, &plan.players) else {
        return Ok(plan.names.clone());
    };
    seats::names(Some(&given), plan.entry, plan.standing.map(|standing| standing.of), &plan.players)
}

/// Plays a game that a menu has put together.
pub(crate) fn from_menu(
    game: &str,
    opponent: &Player,
    first: Option<First>,
    screen: &ScreenArgs,
    catalog: Catalog,
) -> Result<Exit> {
    let args = PlayArgs {
        game: Some(game.to_owned()),
        p2: Some(opponent.to_string()),
        first,
        ..PlayArgs::default()
    };
    begin(&args, screen, catalog)
}

/// Goes on with the game saved in this file.
pub(crate) fn from_save(file: PathBuf, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    run(&PlayArgs { resume: Some(Some(file)), ..PlayArgs::default() }, screen, catalog)
}
