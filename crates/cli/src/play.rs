//! `skirmish play GAME`: from arguments to a game.

use std::path::{Path, PathBuf};

use anyhow::Result;
use skirmish_play::player::{Level, Player};
use skirmish_play::{
    Chance, MatchState, Plan, PreferencesFile, Session, Statistics, Store, check_names,
    read_record, today,
};
use skirmish_rules::{Both, Catalog, Entry, Names, Record, Side, Starter, default_names};

use crate::advisor::Advisor;
use crate::args::{Color, First, PlayArgs};
use crate::exit::{Exit, usage};
use crate::line::{self, Beginning, Front, Input, Keeper, Objects, Opening, Transcript};
use crate::lookup;
use crate::signals::{self, Farewell};
use crate::tui::{self, Mode, Opened, Start};

/// R-ALL-2: the turn limit where only programs play.
const PROGRAMS_TURN_LIMIT: u32 = 200;

pub(crate) fn run(args: &PlayArgs, color: Color, catalog: Catalog) -> Result<Exit> {
    match &args.resume {
        Some(Some(file)) => {
            let record = read_record(file, catalog)?;
            resume(file, record, args, color, catalog)
        }
        Some(None) => {
            let (file, record) = Store::locate()?.latest(catalog)?;
            resume(&file, record, args, color, catalog)
        }
        None => begin(args, color, catalog),
    }
}

fn begin(args: &PlayArgs, color: Color, catalog: Catalog) -> Result<Exit> {
    let (mut plan, beginning) = plan(args, catalog)?;
    if args.tui && args.names.is_none() && args.screen.mode() == Mode::Full {
        plan.names = settled_names(&plan)?;
    }
    let farewell = Farewell::default();
    let keeper = keeper(args, &farewell)?;
    let session = plan.begin();
    let opening = Opening { seed: plan.seed, beginning, ..Opening::default() };
    converse(plan, session, opening, keeper, farewell, (args, color, catalog))
}

/// The game that the arguments ask for, and how it begins.
pub(crate) fn plan(args: &PlayArgs, catalog: Catalog) -> Result<(Plan, Beginning)> {
    let name = args.game.as_deref().expect("clap asks for a game unless one is resumed");
    let entry = lookup::game(catalog, name)?;
    let settings = lookup::settings(entry, &args.options)?;
    let tossed = is_tossed(entry, args.first)?;
    let players = Both::new(player("--p1", &args.p1)?, player("--p2", &args.p2)?);
    let humans = Side::ALL.into_iter().filter(|&side| players[side] == Player::Human).count();
    let chance = match args.seed {
        Some(seed) => Some(Chance::from_seed(seed)),
        None if tossed || humans < 2 => Some(Chance::fresh()?),
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
        names: names(args.names.as_deref(), entry, args.games, players)?,
        players,
        first,
        standing: args.games.map(Plan::first_of),
        date: Some(today()),
        seed,
        // R-ALL-2: no limit where a person plays.
        turn_limit: args.max_turns.or((humans == 0).then_some(PROGRAMS_TURN_LIMIT)),
    };
    Ok((plan, if tossed { Beginning::Tossed } else { Beginning::Plain }))
}

/// Goes on with a saved game, or with the next game of its match if it is over.
fn resume(
    file: &Path,
    record: Record,
    args: &PlayArgs,
    color: Color,
    catalog: Catalog,
) -> Result<Exit> {
    let farewell = Farewell::default();
    let keeper = keeper(args, &farewell)?;
    let plan = Plan::of(&record);
    let Some(ending) = record.ending else {
        let session = Session::resume(record)?;
        let opening = Opening { beginning: Beginning::Resumed, ..Opening::default() };
        let keeper = if args.no_save { keeper } else { keeper.resuming(file) };
        return converse(plan, session, opening, keeper, farewell, (args, color, catalog));
    };
    let Some(MatchState::Next(_, next)) = plan.after(ending.outcome) else {
        anyhow::bail!(
            "{}: this game is over ({}); skirmish replay shows it again",
            file.display(),
            ending.termination
        );
    };
    let session = next.begin();
    let opening = Opening { beginning: Beginning::after(&plan, &next), ..Opening::default() };
    converse(*next, session, opening, keeper, farewell, (args, color, catalog))
}

fn converse(
    plan: Plan,
    session: Session,
    opening: Opening,
    mut keeper: Keeper,
    farewell: Farewell,
    (args, color, catalog): (&PlayArgs, Color, Catalog),
) -> Result<Exit> {
    if args.tui && args.screen.mode() == Mode::Full {
        let is_kept = !args.no_save;
        let table = Start::Play(Box::new(Opened { plan, session, keeper, farewell, is_kept }));
        return tui::run(&args.screen, color, table, catalog);
    }
    signals::watch(farewell)?;
    let mut advisor = Advisor::new(&plan);
    if plan.players != Both::default() {
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

fn player(option: &str, name: &str) -> Result<Player> {
    Player::named(name).ok_or_else(|| {
        let levels = Level::ALL.map(|level| level.to_string()).join(", ");
        let given = skirmish_rules::quotable(name);
        usage(format!("{option} takes human, {levels}, not \"{given}\""))
    })
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

/// The players' names. In a match in which people swap seats (R-ALL-5), "Player 1" would be somebody
/// else in every game, so there they have letters unless they have names.
fn names(
    given: Option<&str>,
    entry: &Entry,
    games: Option<u32>,
    players: Both<Player>,
) -> Result<Names> {
    let Some(given) = given else {
        let swapping = entry.starter == Starter::PlayerOne && games.is_some_and(|games| games > 1);
        let lettered = || Both::new("Player A".to_owned(), "Player B".to_owned());
        let names = if swapping { lettered() } else { default_names() };
        return Ok(Both::from_fn(|side| match players[side].level() {
            Some(level) => format!("{} ({level})", names[side]),
            None => names[side].clone(),
        }));
    };
    let wrong = |why: &str| Err(usage(format!("--names takes two names, such as Ann,Bob: {why}")));
    let parts: Vec<&str> = given.split(',').collect();
    let [one, two] = *parts else { return wrong("put one comma between them") };
    check_names(Both::new(one, two)).or_else(|error| wrong(&error.to_string()))
}

/// The names of a game on the full screen, for which the settings count.
fn settled_names(plan: &Plan) -> Result<Names> {
    let Ok(file) = PreferencesFile::locate() else { return Ok(plan.names.clone()) };
    let (preferences, _) = file.read();
    let Some(given) = given_names(&preferences.names, plan.players) else {
        return Ok(plan.names.clone());
    };
    names(Some(&given), plan.entry, plan.standing.map(|standing| standing.of), plan.players)
}

/// The names that the settings give to people, as `--names` takes them; nothing if nobody has one.
pub(crate) fn given_names(names: &Both<Option<String>>, players: Both<Player>) -> Option<String> {
    let is_named = Side::ALL.into_iter().any(|side| names[side].is_some());
    let name = |side: Side| match (players[side].level(), &names[side]) {
        (Some(level), _) => format!("{side} ({level})"),
        (None, Some(name)) => name.clone(),
        (None, None) => side.to_string(),
    };
    is_named.then(|| format!("{},{}", name(Side::One), name(Side::Two)))
}

/// Plays a game that a menu has put together.
pub(crate) fn from_menu(
    game: &str,
    opponent: Player,
    first: Option<First>,
    catalog: Catalog,
) -> Result<Exit> {
    let args = PlayArgs {
        game: Some(game.to_owned()),
        p1: Player::Human.to_string(),
        p2: opponent.to_string(),
        first,
        ..PlayArgs::default()
    };
    begin(&args, Color::Auto, catalog)
}

/// Goes on with the game saved in this file.
pub(crate) fn from_save(file: PathBuf, catalog: Catalog) -> Result<Exit> {
    run(&PlayArgs { resume: Some(Some(file)), ..PlayArgs::default() }, Color::Auto, catalog)
}
