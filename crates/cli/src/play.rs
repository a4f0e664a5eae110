//! `skirmish play GAME`: from arguments to a game.

use std::path::{Path, PathBuf};

use anyhow::Result;
use skirmish_play::player::Player;
use skirmish_play::{
    Chance, MatchState, Plan, PreferencesFile, Session, Statistics, Store, read_record, today,
};
use skirmish_rules::{Catalog, Entry, Names, Record, Side, Starter};

use crate::advisor::Advisor;
use crate::args::{First, PlayArgs, ScreenArgs};
use crate::exit::{Exit, usage};
use crate::line::{self, Beginning, Front, Input, Keeper, Objects, Opening, Transcript};
use crate::signals::{self, Farewell};
use crate::tui::{self, Mode, Opened, Start};
use crate::{lookup, seats};

/// R-ALL-2: the turn limit where only programs play.
const PROGRAMS_TURN_LIMIT: u32 = 200;

pub(crate) fn run(args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    match &args.resume {
        Some(Some(file)) => {
            let record = read_record(file, catalog)?;
            resume(file, record, args, screen, catalog)
        }
        Some(None) => {
            let (file, record) = Store::locate()?.latest(catalog)?;
            resume(&file, record, args, screen, catalog)
        }
        None => begin(args, screen, catalog),
    }
}

fn begin(args: &PlayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let (mut plan, beginning) = plan(args, catalog)?;
    if args.names.is_none() && args.tui && screen.mode() == Mode::Full {
        plan.names = settled_names(&plan)?;
    }
    let farewell = Farewell::default();
    let keeper = keeper(args, &farewell)?;
    let session = plan.begin();
    let opening = Opening { seed: plan.seed, beginning, ..Opening::default() };
    converse(plan, session, opening, keeper, farewell, (args, screen, catalog))
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
        None if tossed || has(|player| player.level().is_some()) => Some(Chance::fresh()?),
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
fn resume(
    file: &Path,
    record: Record,
    args: &PlayArgs,
    screen: &ScreenArgs,
    catalog: Catalog,
) -> Result<Exit> {
    let farewell = Farewell::default();
    let keeper = keeper(args, &farewell)?;
    let mut plan = Plan::of(&record);
    let Some(ending) = record.ending else {
        seats::summon(&mut plan, args, file)?;
        let session = plan.resume(record)?;
        let opening = Opening { beginning: Beginning::Resumed, ..Opening::default() };
        let keeper = if args.no_save { keeper } else { keeper.resuming(file) };
        return converse(plan, session, opening, keeper, farewell, (args, screen, catalog));
    };
    let Some(MatchState::Next(_, mut next)) = plan.after(ending.outcome) else {
        anyhow::bail!(
            "{}: this game is over ({}); skirmish replay shows it again",
            file.display(),
            ending.termination
        );
    };
    seats::summon(&mut next, args, file)?;
    let session = next.begin();
    let opening = Opening { beginning: Beginning::after(&plan, &next), ..Opening::default() };
    converse(*next, session, opening, keeper, farewell, (args, screen, catalog))
}

fn converse(
    plan: Plan,
    session: Session,
    opening: Opening,
    mut keeper: Keeper,
    farewell: Farewell,
    (args, screen, catalog): (&PlayArgs, &ScreenArgs, Catalog),
) -> Result<Exit> {
    if args.tui && screen.mode() == Mode::Full {
        let is_kept = !args.no_save;
        let table = Start::Play(Box::new(Opened { plan, session, keeper, farewell, is_kept }));
        return tui::run(screen, table, catalog);
    }
    signals::watch(farewell)?;
    let mut advisor = Advisor::new(&plan);
    if plan.has_computer() {
        advisor.solved()?;
    }
    let input = Input::open();
    let mut front: Box<dyn Front> =
        if args.json { Box::new(Objects::new(input)) } else { Box::new(Transcript::new(input)) };
    line::play(plan, session, opening, &mut *front, &mut keeper, &mut advisor)
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

/// Where the games are kept and counted; nowhere but in the file asked for with `--no-save`.
fn keeper(args: &PlayArgs, farewell: &Farewell) -> Result<Keeper> {
    let (store, statistics) = if args.no_save {
        (None, None)
    } else {
        (Some(Store::locate()?), Some(Statistics::locate()?))
    };
    Ok(Keeper::new(store, args.record.clone(), farewell.clone()).counting(statistics))
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
