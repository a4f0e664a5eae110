//! Questions about games without an opponent: games that play themselves, and puzzles.

use axum::response::Response;
use skirmish_play::library::{Subject, Wish};
use skirmish_play::player::{Computer, Level};
use skirmish_play::puzzle::{PuzzleDeck, daily_game, daily_seed};
use skirmish_play::{Chance, Day, SolveError};
use skirmish_present::json::{DemoObject, PagePuzzleObject, PuzzleObject};
use skirmish_present::puzzle::task;
use skirmish_rules::{Entry, Outcome, Settings, Side, Unwatched, default_names};

use super::{DEAR, Question, Refused, answer};
use crate::computer::Shelf;

/// The levels that play against each other: good enough for a sensible game, weak enough for it to turn.
const LEVELS: [Level; 2] = [Level::Skilled, Level::Casual];

/// Maximum number of turns shown of a game that plays itself.
const MOST_TURNS: usize = 40;

/// The seed of these games: with the usual rules, all of them end, and either side wins some.
const SEED: u64 = 14;

/// The largest number of a puzzle, because the deck draws all puzzles before it.
const MOST_PUZZLES: usize = 1000;

/// Returns a game of each kind, played once per server with the usual rules.
pub(super) async fn demos(question: Question) -> Result<Response, Refused> {
    let hub = &question.hub;
    let play = async || {
        let games: Vec<&'static Entry> = hub.games.iter().collect();
        let played = hub.computers.study(question.address, move |shelf| {
            let played = games.into_iter().map(|entry| demo(shelf, entry));
            played.collect::<Result<Vec<_>, SolveError>>()
        });
        Ok::<_, Refused>(played.await??)
    };
    Ok(answer(hub.demos.get_or_try_init(play).await?))
}

fn demo(shelf: &mut Shelf, entry: &'static Entry) -> Result<DemoObject, SolveError> {
    let setup = entry.setup();
    let subject = Subject::start(entry, setup.settings.clone(), setup.first);
    let solved = shelf.obtain(Wish::players(subject))?;
    let chance = Chance::from_seed(SEED);
    let players = LEVELS.map(|level| Computer::new(level, solved.clone(), chance));
    let mut table = entry.open(setup).expect("the usual rules are valid");
    let mut scenes = vec![table.scene()];
    while table.outcome().is_none() && scenes.len() <= MOST_TURNS {
        for side in table.turn() {
            let choice = players[usize::from(side == Side::Two)].choose(&*table, side, 1, 0);
            table.submit(side, &choice).expect("the computer's choice is legal");
        }
        scenes.push(table.scene());
    }
    let winner = match table.outcome() {
        Some(Outcome::Won(side)) => Some(side),
        Some(_) | None => None,
    };
    Ok(DemoObject::of(entry, scenes, winner))
}

/// Returns a puzzle: of a game, or of the day.
pub(super) async fn puzzle(question: Question) -> Result<Response, Refused> {
    question.pay(DEAR)?;
    let asked = &question.asked;
    let day = asked.date.parse::<Day>();
    let entry = match (asked.game.is_empty(), &day) {
        (true, Ok(day)) => daily_game(question.hub.games, *day),
        _ => question.entry()?,
    };
    let seed = match (asked.seed.is_empty(), day) {
        (false, _) => {
            asked.seed.parse().map_err(|_| Refused::bad(&"the seed must be a whole number"))?
        }
        (true, Ok(day)) => daily_seed(day),
        (true, Err(error)) => return Err(Refused::bad(&error)),
    };
    let level = Some(&asked.level).filter(|level| !level.is_empty());
    let named = |level: &String| {
        Level::named(level).ok_or_else(|| Refused::bad(&format!("there is no level {level}")))
    };
    let level = level.map(named).transpose()?;
    let number = match asked.number.as_str() {
        "" => 1,
        number => {
            number.parse().ok().filter(|number| (1..=MOST_PUZZLES).contains(number)).ok_or_else(
                || Refused::bad(&format!("the number must be from 1 to {MOST_PUZZLES}")),
            )?
        }
    };
    let settings = Settings::defaults(entry.options);
    let found = question.hub.computers.study(question.address, move |shelf| {
        let solved = shelf.obtain(Wish::players(Subject::start(entry, settings, Side::One)))?;
        let deck = PuzzleDeck::of(solved, Chance::from_seed(seed), &Unwatched);
        let mut deck = deck.expect("nobody cancels it");
        let puzzle = (1..=number).map_while(|_| deck.draw(level)).nth(number - 1);
        Ok::<_, SolveError>(puzzle.map(|puzzle| PagePuzzleObject {
            puzzle: PuzzleObject::of(deck.solved(), &puzzle),
            task: task(&puzzle, &default_names()),
            number,
            total: deck.count(),
        }))
    });
    let found = found.await??;
    let missing = || {
        let at = level.map_or(String::new(), |level| format!(" at the {level} level"));
        let why = format!("{} has no puzzle {number}{at}.", entry.name);
        Refused::new(axum::http::StatusCode::NOT_FOUND, why)
    };
    Ok(answer(&found.ok_or_else(missing)?))
}
