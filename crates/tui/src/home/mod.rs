//! The home screen: the game to continue, the games with a demo, facts about the player, and everything else.

mod demo;
mod logo;
mod view;

use std::path::{Path, PathBuf};
use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::puzzle::daily_game;
use skirmish_play::{Day, MatchState, Plan};
use skirmish_present::puzzle as say;
use skirmish_rules::{Entry, Record};
use skirmish_store::{PuzzleScore, SavedGame, shell};

use self::demo::Demo;
use super::context::Context;
use super::facts::{self, Fact};
use super::jobs::JobReport;
use super::look::Ink;
use super::online::{ConnectScreen, LobbyScreen};
use super::pages::rules_page;
use super::palette::Place;
use super::parts::Canvas;
use super::play::LocalPlay;
use super::puzzle::PuzzleScreen;
use super::screen::{Go, Help, Hint, Press, Screen};
use super::setup::SetupScreen;
use super::tournament::TournamentScreen;
use super::tutorial::TutorialScreen;

/// Maximum number of saved games to read.
const RECENT: usize = 24;

pub(super) struct Home {
    items: Vec<HomeItem>,
    chosen: usize,
    /// The board of the selected game, or of the one selected before.
    demo: Demo,
    /// The number of damaged saves that are newer than the game to continue.
    damaged: usize,
    facts: Vec<Fact>,
}

enum HomeItem {
    /// The arcade's tournament: its progress and its description.
    Current(String, String),
    /// The next game of an undecided match, if the record has one.
    Next(PathBuf, Box<Plan>),
    Resume(PathBuf, Box<Record>),
    /// The lobby of the server.
    Online,
    /// A server whose address is still to be entered; the last one is suggested.
    Connect(String),
    Game(&'static Entry),
    /// The puzzle of the day, with its description.
    Puzzle(String),
    Place(&'static HomePlace),
}

/// A menu entry: name, description and destination.
type HomePlace = (&'static str, &'static str, Place);

/// The entries at the end of the list.
const PLACES: [HomePlace; 5] = [
    ("Tournament", "Levels and bots play each other; watch any game.", Place::Tournament),
    (REPLAY, "Watch a saved game again, move by move.", Place::SavedGames),
    ("Statistics", "Won, lost and drawn, against everybody.", Place::Statistics),
    ("Settings", "Colours, glyphs, motion and names.", Place::Settings),
    ("Quit", "Until next time.", Place::Quit),
];

/// The name of the entry for saved games, including damaged ones.
const REPLAY: &str = "Replay a game";

const HOST: HomePlace =
    ("Host a game", "Be the server, for somebody on your network.", Place::Host);

const ELSEWHERE: &str = "Games with people who are elsewhere.";

impl Home {
    pub(super) fn new(context: &mut Context) -> Self {
        let first = context.catalog().iter().next().expect("there is a game");
        let demo = Demo::of(first, context);
        let mut home = Self { items: Vec::new(), chosen: 0, demo, damaged: 0, facts: Vec::new() };
        home.refresh(context);
        home
    }

    /// Rebuilds the list of items. Keeps the selection, unless there is a new game to continue.
    fn refresh(&mut self, context: &Context) {
        let store = context.options.store.as_ref();
        let recent: Vec<SavedGame> = store
            .map_or_else(Vec::new, |store| store.games(context.catalog()).take(RECENT).collect());
        let today = (context.options.today)();
        let solved = context.options.puzzles.as_ref().map(|file| file.read().0).unwrap_or_default();
        let puzzle = todays_puzzle(context, &solved, today);
        let week = facts::puzzles(&solved, today, puzzle.clone());
        self.facts = vec![facts::record(context), week, facts::last_games(&recent)];
        let is_new = self.facts[0].parts.len() == 1
            && recent.iter().all(|game| game.record.as_ref().is_ok_and(|it| it.ending.is_none()));
        self.facts.extend(is_new.then(facts::first_steps));
        let newest = recent.iter().find_map(|game| Some((&game.path, game.record.as_ref().ok()?)));
        let next = newest.and_then(|(file, record)| Some((file.clone(), next_game(record)?)));
        let latest = store.map(|store| store.latest(context.catalog())).unwrap_or_default();
        self.damaged = latest.damaged.len();
        let resume = latest.game.map(|(file, record)| HomeItem::Resume(file, Box::new(record)));
        let next = next.map(|(file, plan)| HomeItem::Next(file, Box::new(plan)));
        let online = context.online.as_ref().map(|_| HomeItem::Online);
        let current = current_tournament(context);
        let items = current.into_iter().chain(online).chain(next).chain(resume).collect();
        let before = std::mem::replace(&mut self.items, items);
        self.items.extend(context.catalog().iter().map(HomeItem::Game));
        let server = || HomeItem::Connect(context.options.last_server.clone());
        self.items.extend(context.online.is_none().then(server));
        self.items.push(HomeItem::Place(&HOST));
        self.items.push(HomeItem::Puzzle(puzzle));
        self.items.extend(PLACES.iter().map(HomeItem::Place));
        self.chosen = self.found(&before).unwrap_or(self.chosen).min(self.items.len() - 1);
        self.show(context);
    }

    /// The item to select after the list has changed: the game just left, or the same item as before.
    fn found(&self, before: &[HomeItem]) -> Option<usize> {
        let selected = before.get(self.chosen)?;
        let is_left = |item: &HomeItem| match (item, item.progress()) {
            (HomeItem::Current(..), _) => !before.iter().any(|old| old.is_like(item)),
            (_, progress @ Some(_)) => !before.iter().any(|old| old.progress() == progress),
            (_, None) => false,
        };
        let left = self.items.iter().position(is_left);
        left.or_else(|| self.items.iter().position(|item| item.is_like(selected)))
    }

    /// The description of the selected item.
    fn about(&self) -> String {
        let item = &self.items[self.chosen];
        let about = item.about();
        match (item, self.damaged) {
            (_, 0) => about,
            (HomeItem::Resume(..) | HomeItem::Place((REPLAY, ..)), 1) => {
                format!("{about} (A newer saved game is damaged: see {REPLAY}.)")
            }
            (HomeItem::Resume(..) | HomeItem::Place((REPLAY, ..)), _) => {
                format!("{about} (Newer saved games are damaged: see {REPLAY}.)")
            }
            _ => about,
        }
    }

    /// Shows the board of the selected item's game. Without one, the board stays.
    fn show(&mut self, context: &Context) {
        let shown = match &self.items[self.chosen] {
            HomeItem::Next(_, plan) => Some(Demo::of(plan.entry, context)),
            HomeItem::Resume(_, record) => record.replay().ok().map(Demo::still),
            HomeItem::Game(entry) => Some(Demo::of(entry, context)),
            HomeItem::Puzzle(_) => {
                let today = (context.options.today)();
                Some(Demo::of(daily_game(context.catalog(), today), context))
            }
            HomeItem::Current(..)
            | HomeItem::Online
            | HomeItem::Connect(_)
            | HomeItem::Place(_) => None,
        };
        if let Some(shown) = shown {
            self.demo = shown;
        }
    }

    /// The index of the first game in the list, which key 1 opens.
    fn first_game(&self) -> usize {
        self.items.iter().position(|item| matches!(item, HomeItem::Game(_))).unwrap_or(0)
    }

    fn open(&mut self, context: &mut Context) -> Go {
        match &self.items[self.chosen] {
            HomeItem::Next(file, plan) => {
                let mut plan = (**plan).clone();
                context.bots.reseat(&mut plan);
                match shell::absence(&plan, file, shell::Screen::Full) {
                    None => Go::to(LocalPlay::begin(plan, context)),
                    Some(why) => Go::refused(why, context),
                }
            }
            HomeItem::Resume(file, _) => match LocalPlay::resume_file(file, context) {
                Ok(play) => Go::to(play),
                Err(why) => {
                    // Another program may now be playing this game, so another may be offered.
                    self.refresh(context);
                    Go::refused(why, context)
                }
            },
            HomeItem::Online => Go::to(LobbyScreen::new(context)),
            HomeItem::Connect(_) => Go::to(ConnectScreen::new(context)),
            HomeItem::Game(entry) => Go::to(SetupScreen::new(entry, context)),
            HomeItem::Puzzle(_) => PuzzleScreen::go_to_daily(context),
            HomeItem::Current(..) => TournamentScreen::go_to_current(context).unwrap_or(Go::Stay),
            HomeItem::Place((.., place)) => place.go(context),
        }
    }
}

impl HomeItem {
    /// The file of the game that this item continues, and the number of turns played.
    fn progress(&self) -> Option<(&Path, usize)> {
        match self {
            Self::Next(file, _) => Some((file, 0)),
            Self::Resume(file, record) => Some((file, record.turns.len())),
            Self::Current(..)
            | Self::Online
            | Self::Connect(_)
            | Self::Game(_)
            | Self::Puzzle(_)
            | Self::Place(_) => None,
        }
    }

    /// Whether both are the same list item, possibly with different contents.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Game(one), Self::Game(two)) => one.id == two.id,
            (Self::Place((one, ..)), Self::Place((two, ..))) => one == two,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// The item as a line of the menu, after the digit key `key`, if it has one.
    fn line(&self, key: Option<usize>, canvas: &Canvas) -> Line<'static> {
        let key = key.map_or_else(|| "  ".to_owned(), |key| format!("{key} "));
        let mut line = self.name(canvas);
        line.spans.insert(0, canvas.span(Ink::Key, key));
        line
    }

    fn name(&self, canvas: &Canvas) -> Line<'static> {
        match self {
            Self::Next(_, plan) => {
                let game = plan.standing.map_or(1, |standing| standing.game);
                canvas.led(Ink::Good, "Continue", format!(" with game {game}"))
            }
            Self::Resume(_, record) => {
                let turn = record.turns.len() + 1;
                canvas.led(Ink::Good, "Continue", format!(" at turn {turn}"))
            }
            Self::Current(summary, _) => canvas.led(Ink::Good, "Tournament", format!(" {summary}")),
            Self::Online => canvas.led(Ink::Good, "Lobby", " of the server"),
            Self::Game(entry) => Line::styled(entry.name, canvas.look.ink(Ink::Title)),
            Self::Connect(_) | Self::Puzzle(_) | Self::Place(_) => Line::raw(self.title()),
        }
    }

    /// The title of the demo.
    const fn title(&self) -> &'static str {
        match self {
            Self::Next(_, plan) => plan.entry.name,
            Self::Resume(_, record) => record.entry.name,
            Self::Game(entry) => entry.name,
            Self::Current(..) => "Tournament",
            Self::Online | Self::Connect(_) => "Play online",
            Self::Puzzle(_) => "Today's puzzle",
            Self::Place((name, ..)) => name,
        }
    }

    fn about(&self) -> String {
        match self {
            Self::Next(_, plan) => {
                let standing = plan.standing;
                let points = standing.map(|it| it.half_points.map(|half| f64::from(half) / 2.0));
                let score =
                    points.map_or(String::new(), |it| format!(", {} to {}", it.one, it.two));
                let names = &plan.names;
                format!("{}, a match: {} against {}{score}.", plan.entry.name, names.one, names.two)
            }
            Self::Resume(_, record) => {
                let names = &record.names;
                format!("{}: {} against {}.", record.entry.name, names.one, names.two)
            }
            Self::Connect(server) if !server.is_empty() => {
                format!("{ELSEWHERE} The last server: {server}.")
            }
            Self::Online | Self::Connect(_) => ELSEWHERE.to_owned(),
            Self::Game(entry) => entry.summary.to_owned(),
            Self::Current(_, about) | Self::Puzzle(about) => about.clone(),
            Self::Place((_, about, _)) => (*about).to_owned(),
        }
    }
}

impl Screen for Home {
    fn title(&self) -> String {
        "games for two".to_owned()
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.demo.entry())
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = vec![("Enter", "choose"), ("↑↓", "move"), ("r", "rules")];
        hints.extend(self.demo.entry().tutorial.map(|_| ("t", "tutorial")));
        hints.extend([("m", "map"), ("q", "quit")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        vec![
            ("1 2 3 …".into(), "set up that game"),
            ("n".into(), "the same as Enter"),
            ("mouse".into(), "click an item twice, or a key"),
        ]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        let before = self.chosen;
        match press {
            Press::Key(KeyCode::Char(digit @ '1'..='9')) => {
                let wanted = digit as usize - '1' as usize;
                let first = self.first_game();
                if wanted < context.catalog().iter().count() {
                    self.chosen = first + wanted;
                    self.show(context);
                    return self.open(context);
                }
                Go::Stay
            }
            Press::Key(KeyCode::Char('r')) => Go::to(rules_page(self.demo.entry())),
            Press::Key(KeyCode::Char('m')) => Place::Map(self.demo.entry()).go(context),
            Press::Key(KeyCode::Char('n')) => self.open(context),
            Press::Key(KeyCode::Char('t')) => TutorialScreen::go(self.demo.entry()),
            _ if press.opens(&mut self.chosen, self.items.len()) => self.open(context),
            _ => {
                if self.chosen != before {
                    self.show(context);
                }
                Go::Stay
            }
        }
    }

    fn resume(&mut self, context: &mut Context) -> Go {
        self.refresh(context);
        Go::Stay
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if let (JobReport::Tournament, Some(item @ HomeItem::Current(..)), Some(now)) =
            (report, self.items.first_mut(), current_tournament(context))
        {
            *item = now;
        }
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        self.demo.wake(context.now);
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        self.demo.due()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        view::draw(self, canvas, area, context);
    }
}

fn current_tournament(context: &Context) -> Option<HomeItem> {
    let current = context.tournament.as_ref()?;
    Some(HomeItem::Current(current.summary(), current.about()))
}

/// Describes the puzzle of the day: its game, and the streak.
fn todays_puzzle(context: &Context, score: &PuzzleScore, today: Day) -> String {
    let solved = if score.has_solved(today) { ", solved" } else { "" };
    let streak = say::streak(score.streak(today), score.best());
    format!("{}{solved}. {streak}", daily_game(context.catalog(), today).name)
}

/// The next game of an undecided match, if the record has one.
fn next_game(record: &Record) -> Option<Plan> {
    match Plan::of(record).after(record.ending?.outcome)? {
        MatchState::Next(_, plan) => Some(*plan),
        MatchState::Over(_) => None,
    }
}
