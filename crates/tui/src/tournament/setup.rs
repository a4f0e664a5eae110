//! The setup of a tournament: the game, the format, the number of games, the rules, and the entrants.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_arena::referee::Timing;
use skirmish_arena::tournament::{Board, Entrant, Folder, Program, Tournament, usual_jobs};
use skirmish_play::player::{BotCommand, Level};
use skirmish_play::tournament::schedule::Format;
use skirmish_rules::Entry;
use skirmish_store::fresh_chance;

use super::TournamentScreen;
use super::live::TournamentRun;
use crate::context::Context;
use crate::form::{self, Edit, FormRow, about_bot, about_level, command_field, draw_rows};
use crate::options::{GameOptions, OptionRow};
use crate::parts::{Canvas, TextField, beside};
use crate::screen::{Go, Help, Hint, Press, Screen, Way};

/// The selectable numbers of games per encounter.
const GAMES: [u32; 10] = [2, 4, 6, 10, 20, 50, 100, 200, 500, 1000];

pub(crate) struct TournamentSetup {
    options: GameOptions,
    format: Format,
    games: u32,
    /// The available programs, and whether each plays.
    programs: Vec<(Program, bool)>,
    chosen: usize,
    /// The command of a bot, while it is being typed.
    typed: Option<TextField>,
}

#[derive(Clone, Copy)]
enum TournamentRow {
    Start,
    Game,
    Format,
    Games,
    Program(usize),
    Another,
    Option(OptionRow),
}

impl TournamentSetup {
    pub(crate) fn new(context: &Context) -> Self {
        let entry = context.catalog.iter().next().expect("there is a game");
        let levels = Level::ALL.map(|level| (Program::Level(level), true));
        let bots = context.bots.known(&context.folder);
        let bots = bots.into_iter().map(|bot| (Program::Bot(bot), false));
        Self {
            options: GameOptions::new(entry),
            format: Format::RoundRobin,
            games: Tournament::USUAL_GAMES,
            programs: levels.into_iter().chain(bots).collect(),
            chosen: 0,
            typed: None,
        }
    }

    fn rows(&self) -> Vec<TournamentRow> {
        let mut rows = vec![
            TournamentRow::Start,
            TournamentRow::Game,
            TournamentRow::Format,
            TournamentRow::Games,
        ];
        rows.extend((0..self.programs.len()).map(TournamentRow::Program));
        rows.push(TournamentRow::Another);
        let is_a_rule = |row: &OptionRow| matches!(row, OptionRow::Preset | OptionRow::Rule(_));
        rows.extend(self.options.rows().into_iter().filter(is_a_rule).map(TournamentRow::Option));
        rows
    }

    fn row(&self) -> TournamentRow {
        self.rows()[self.chosen]
    }

    fn start(&self, context: &mut Context) -> Go {
        if context.is_tournament_running() {
            let why = "Another tournament is running: :tournament leads to it.";
            return Go::refused(why, context);
        }
        match self.begin(context) {
            Ok(played) => Go::replace(TournamentScreen::new(played, context)),
            Err(why) => Go::refused(why, context),
        }
    }

    /// Creates the tournament with a folder of its own.
    fn begin(&self, context: &mut Context) -> Result<TournamentRun, String> {
        let tournament = self.tournament()?;
        context.bots.start(tournament.bots(), &context.folder);
        let made = Folder::create_in(&context.tournaments, tournament.entry);
        let folder = made.map_err(|error| error.to_string())?;
        folder.begin(&tournament).map_err(|error| error.to_string())?;
        context.bots.own(&folder);
        let tournament = tournament.marked(&folder);
        Ok(TournamentRun { tournament, folder, is_logged: false, jobs: usual_jobs() })
    }

    fn tournament(&self) -> Result<Tournament, String> {
        let playing = self.programs.iter().filter(|(_, plays)| *plays);
        let programs: Vec<&Program> = playing.map(|(program, _)| program).collect();
        let tournament = Tournament {
            entry: self.options.entry,
            settings: self.options.settings.clone(),
            format: self.format,
            rounds: None,
            entrants: Entrant::all(programs.into_iter().cloned()),
            pairs: self.games / 2,
            seed: fresh_chance().map_err(|error| error.to_string())?.seed(),
            timing: Timing::default(),
            max_turns: Tournament::USUAL_TURNS,
            opening: Tournament::USUAL_OPENING,
            sprt: None,
        };
        tournament.check().map_err(|error| format!("This cannot be played: {error}."))?;
        Ok(tournament)
    }

    /// Enters a bot and moves the cursor to it. A bot that already plays is entered again.
    fn add(&mut self, bot: BotCommand) {
        let is_it = |(program, plays): &(Program, bool)| match program {
            Program::Level(_) => false,
            Program::Bot(known) => !plays && known.text == bot.text,
        };
        let number = self.programs.iter().position(is_it).unwrap_or(self.programs.len());
        self.programs
            .splice(number..self.programs.len().min(number + 1), [(Program::Bot(bot), true)]);
        let is_row =
            |row: &TournamentRow| matches!(row, TournamentRow::Program(of) if *of == number);
        self.chosen = self.rows().iter().position(is_row).unwrap_or(0);
    }

    fn change(&mut self, way: Way, leap: u8, context: &Context) {
        match self.row() {
            TournamentRow::Start => {}
            TournamentRow::Game => {
                let all: Vec<&'static Entry> = context.catalog.iter().collect();
                let now = all.iter().position(|entry| entry.id == self.options.entry.id);
                let next = way.step(now.unwrap_or(0), all.len());
                self.options = GameOptions::new(all[next]);
            }
            TournamentRow::Format => self.format = beside(&Format::ALL, &self.format, way),
            TournamentRow::Games => {
                let at = GAMES.iter().position(|games| *games == self.games).unwrap_or(0);
                let next = match way {
                    Way::Left | Way::Up => at.saturating_sub(1),
                    Way::Right | Way::Down => (at + 1).min(GAMES.len() - 1),
                };
                self.games = GAMES[next];
            }
            TournamentRow::Program(number) => self.programs[number].1 ^= true,
            TournamentRow::Another => self.typed = Some(command_field()),
            TournamentRow::Option(row) => self.options.change(row, way, leap),
        }
    }

    fn describe(&self, row: TournamentRow) -> FormRow {
        match row {
            TournamentRow::Start => {
                let about = self.tournament().map(|tournament| {
                    let games = Board::new(&tournament).progress().1;
                    format!("{} entrants, {games} games.", tournament.entrants.len())
                });
                FormRow::new("Start the tournament", "", about.unwrap_or_else(|why| why))
            }
            TournamentRow::Game => {
                FormRow::new("Game", self.options.entry.name, self.options.entry.summary)
            }
            TournamentRow::Format => {
                let about = match self.format {
                    Format::RoundRobin => "Everybody plays everybody.",
                    Format::Gauntlet => "The first entrant plays all others.",
                    Format::Knockout => "The loser of an encounter is out.",
                    Format::Swiss => "Entrants with similar points play each other.",
                };
                FormRow::new("Format", self.format.to_string(), about)
            }
            TournamentRow::Games => {
                let about = "Games in each encounter, in pairs with the seats swapped.";
                FormRow::new("Games", self.games.to_string(), about)
            }
            TournamentRow::Program(number) => {
                let (program, plays) = &self.programs[number];
                let (name, about) = match program {
                    Program::Level(level) => (level.to_string(), about_level(*level)),
                    Program::Bot(bot) => (format!("bot {}", bot.name), about_bot(bot)),
                };
                FormRow::new(name, if *plays { "plays" } else { "does not play" }, about)
            }
            TournamentRow::Another => {
                FormRow::new("Another program…", "", "A bot: Enter asks for its command.")
            }
            TournamentRow::Option(row) => self.options.describe(row),
        }
    }
}

impl Screen for TournamentSetup {
    fn title(&self) -> String {
        "Tournament".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.typed.is_some() {
            return vec![("Enter", "add it"), ("Esc", "cancel")];
        }
        let enter = match self.row() {
            TournamentRow::Another => "type a command",
            _ => "start",
        };
        vec![("Enter", enter), ("↑↓", "move"), ("←→", "change"), ("Esc", "back")]
    }

    fn more_help(&self) -> Vec<Help> {
        if self.typed.is_some() {
            return Vec::new();
        }
        form::help()
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.typed.is_some() {
            if let Some(bot) = form::type_command(&mut self.typed, press, context) {
                self.add(bot);
            }
            return Go::Stay;
        }
        if press == Press::Key(KeyCode::Esc) {
            return Go::Back;
        }
        let count = self.rows().len();
        match (Edit::of(press, &mut self.chosen, count), self.row()) {
            (Edit::Start, TournamentRow::Another) => self.change(Way::Right, 1, context),
            (Edit::Start, _) => return self.start(context),
            (Edit::Change(way, leap), _) => self.change(way, leap, context),
            (Edit::Nothing, _) => {}
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let rows: Vec<FormRow> = self.rows().into_iter().map(|row| self.describe(row)).collect();
        draw_rows(canvas, area, "Set up a tournament", &rows, self.chosen, self.typed.as_ref());
    }
}
