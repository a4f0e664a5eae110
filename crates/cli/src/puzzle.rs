//! `skirmish puzzle [GAME]`: puzzles from solved games, in lines, as JSON or on the full screen.

mod lines;

use std::sync::Arc;

use anyhow::{Result, bail};
use skirmish_play::player::Level;
use skirmish_play::puzzle::{PuzzleDeck, PuzzleRequest, daily_game, daily_seed, game_of_seed};
use skirmish_play::{Chance, Day, Solved};
use skirmish_present::json::{self, PuzzleObject};
use skirmish_present::words;
use skirmish_rules::{Catalog, Side, Tempo, conjunction, counted};
use skirmish_store::{ExitHook, command, current_day};
use skirmish_tui::Start;

use crate::arcade;
use crate::args::{PuzzleArgs, ScreenArgs};
use crate::exit::{Exit, usage};
use crate::{lookup, output, signals, solving};

pub(crate) fn run(args: &PuzzleArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let today = current_day();
    let request = request(args, today, catalog)?;
    if args.tui {
        let start = Start::Puzzle(Box::new(request));
        return arcade::run(screen, start, &ExitHook::default(), true, catalog);
    }
    let exit_hook = ExitHook::default();
    if !args.json {
        signals::watch(exit_hook.clone())?;
    }
    let solved = Arc::new(solving::solve(request.entry, &request.settings, request.first)?);
    let deck = shuffle(&solved, request.seed)?;
    if args.json {
        return print_objects(args.count, deck, &request);
    }
    let daily = request.is_daily(catalog, today).then_some(today);
    lines::solve(args.count, deck, &request, daily, exit_hook)
}

/// The puzzles that the arguments request.
fn request(args: &PuzzleArgs, today: Day, catalog: Catalog) -> Result<PuzzleRequest> {
    let named = command("puzzle GAME");
    if args.game.is_none() && (args.options.preset.is_some() || !args.options.rules.is_empty()) {
        return Err(usage(format!("rule options belong to a game: name one, as in {named}")));
    }
    if args.game.is_none() && args.first.is_some() {
        return Err(usage(format!("--first belongs to a game: name one, as in {named}")));
    }
    let day = args.date.unwrap_or(today);
    let entry = match (&args.game, args.seed) {
        (Some(name), _) => lookup::game(catalog, name)?,
        (None, Some(seed)) => game_of_seed(catalog, seed),
        (None, None) => daily_game(catalog, day),
    };
    let settings = lookup::settings(entry, &args.options)?;
    let seed = args.seed.unwrap_or_else(|| daily_seed(day));
    let first = args.first.unwrap_or(Side::One);
    let first = skirmish_play::starter(entry, first).map_err(usage)?;
    Ok(PuzzleRequest { entry, settings, first, seed, level: args.level })
}

fn shuffle(solved: &Arc<Solved>, seed: u64) -> Result<PuzzleDeck> {
    let chance = Chance::from_seed(seed);
    let deck = solving::watched(|watch| PuzzleDeck::of(Arc::clone(solved), chance, watch))?;
    Ok(deck)
}

fn print_objects(count: u32, mut deck: PuzzleDeck, request: &PuzzleRequest) -> Result<Exit> {
    for number in 0..count {
        let Some(puzzle) = deck.draw(request.level) else {
            if number == 0 {
                return no_puzzle(deck.solved(), request);
            }
            output::eprint_line(no_more(number, deck.solved(), request));
            break;
        };
        let object = PuzzleObject::of(deck.solved(), &puzzle);
        output::print_data_line(json::text(&object))?;
    }
    Ok(Exit::Done)
}

/// The message that all puzzles were shown: `There are no more: Base Battle has 6 puzzles of the level skilled.`
fn no_more(count: u32, solved: &Solved, request: &PuzzleRequest) -> String {
    let game = words::game(solved.entry(), solved.settings());
    let level = request.level.map_or(String::new(), |level| format!(" of the level {level}"));
    format!("There are no more: {game} has {}{level}.", counted(count, "puzzle"))
}

/// Fails with the reason why there is no puzzle.
fn no_puzzle(solved: &Arc<Solved>, request: &PuzzleRequest) -> Result<Exit> {
    let game = words::game(solved.entry(), solved.settings());
    let mut deck = shuffle(solved, request.seed)?;
    let levels: Vec<Level> = std::iter::from_fn(|| deck.draw(None)).map(|it| it.level).collect();
    let there: Vec<Level> = Level::ALL.into_iter().filter(|level| levels.contains(level)).collect();
    match request.level {
        Some(level) if !there.is_empty() => {
            bail!("{game} has no puzzle of the level {level}, only of {}", conjunction(there))
        }
        _ => match solved.graph().tempo() {
            Tempo::Alternating => bail!(
                "{game} has no puzzles: in no position does only one of several moves win, in 3 plies or more"
            ),
            Tempo::Simultaneous => {
                bail!("{game} has no puzzles: every best mix is a single action")
            }
        },
    }
}
