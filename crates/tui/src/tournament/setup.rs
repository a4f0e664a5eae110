//! The setup of a tournament: the game, the format, the number of games, the rules, and the entrants.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_arena::referee::Timing;
use skirmish_arena::tournament::{Board, Entrant, Folder, Program, Tournament, usual_jobs};
use skirmish_play::player::{BotCommand, Level};
use skirmish_play::tournament::schedule::Format;
use skirmish_rules::Setup;
use skirmish_store::fresh_chance;

use super::TournamentScreen;
use super::live::TournamentRun;
use crate::context::Context;
use crate::facts::Fact;
use crate::form::{self, Form, FormRow, Preview, about_bot, about_level, command_field, draw_rows};
use crate::options::GameOptions;
use crate::parts::{Canvas, TextField};
use crate::screen::{Go, Help, Hint, Press, Screen, Way};

/// The selectable numbers of games per encounter.
const GAMES: [u32; 10] = [2, 4, 6, 10, 20, 50, 100, 200, 500, 1000];

/// The index of the first program's row.
const PROGRAMS: usize = 4;

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

impl TournamentSetup {
    pub(crate) fn new(context: &Context) -> Self {
        let entry = context.catalog().iter().next().expect("there is a game");
        let levels = Level::ALL.map(|level| (Program::Level(level), true));
        let bots = context.bots.known(&context.options.folder);
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

    /// Creates the tournament with a folder of its own.
    fn begin(&self, context: &mut Context) -> Result<TournamentRun, String> {
        let tournament = self.tournament()?;
        context.bots.start(tournament.bots(), &context.options.folder);
        let made = Folder::create_in(&context.options.tournaments, tournament.entry);
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

    /// The board, and the programs that play.
    fn preview(&self) -> Option<Preview> {
        let entry = self.options.entry;
        let setup = Setup { settings: self.options.settings.clone(), ..entry.setup() };
        let playing = self.programs.iter().filter(|(_, plays)| *plays);
        let facts = playing.map(|(program, _)| match program {
            Program::Level(level) => Fact::texts(level.to_string(), [about_level(*level)]),
            Program::Bot(bot) => Fact::texts(bot.name.clone(), [about_bot(bot)]),
        });
        Some(Preview { table: entry.open(setup).ok()?, title: "Who plays", facts: facts.collect() })
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
        self.chosen = PROGRAMS + number;
    }

    fn change_games(&mut self, way: Way) {
        let at = GAMES.iter().position(|games| *games == self.games).unwrap_or(0);
        let next = match way {
            Way::Left | Way::Up => at.saturating_sub(1),
            Way::Right | Way::Down => (at + 1).min(GAMES.len() - 1),
        };
        self.games = GAMES[next];
    }

    fn start_row(&self) -> FormRow<Self> {
        let about = self.tournament().map(|tournament| {
            let games = Board::new(&tournament).progress().1;
            format!("{} entrants, {games} games.", tournament.entrants.len())
        });
        FormRow::start("Start the tournament", about.unwrap_or_else(|why| why))
    }

    fn format_row(&self) -> FormRow<Self> {
        let about = match self.format {
            Format::RoundRobin => "Everybody plays everybody.",
            Format::Gauntlet => "The first entrant plays all others.",
            Format::Knockout => "The loser of an encounter is out.",
            Format::Swiss => "Entrants with similar points play each other.",
        };
        let format = self.format.to_string();
        FormRow::choice("Format", format, about, Format::ALL, |form: &mut Self| &mut form.format)
    }

    fn program_row(&self, number: usize) -> FormRow<Self> {
        let (program, plays) = &self.programs[number];
        let (name, about) = match program {
            Program::Level(level) => (level.to_string(), about_level(*level)),
            Program::Bot(bot) => (format!("bot {}", bot.name), about_bot(bot)),
        };
        let plays = if *plays { "plays" } else { "does not play" };
        FormRow::new(name, plays, about, move |form: &mut Self, _, _, _| {
            form.programs[number].1 ^= true;
        })
    }

    /// Whether the row that asks for a bot's command is selected.
    const fn is_another_chosen(&self) -> bool {
        self.chosen == PROGRAMS + self.programs.len()
    }
}

impl Form for TournamentSetup {
    fn rows(&self) -> Vec<FormRow<Self>> {
        let options: fn(&mut Self) -> &mut GameOptions = |form| &mut form.options;
        let about = "Games in each encounter, in pairs with the seats swapped.";
        let mut rows = vec![
            self.start_row(),
            self.options.game_row().within(options),
            self.format_row(),
            FormRow::new("Games", self.games.to_string(), about, |form: &mut Self, way, _, _| {
                form.change_games(way);
            }),
        ];
        rows.extend((0..self.programs.len()).map(|number| self.program_row(number)));
        let about = "A bot: Enter asks for its command.";
        rows.push(FormRow::new("Another program…", "", about, |form: &mut Self, _, _, _| {
            form.typed = Some(command_field());
        }));
        rows.extend(self.options.rule_rows().map(|row| row.within(options)));
        rows
    }

    fn chosen(&mut self) -> &mut usize {
        &mut self.chosen
    }

    fn start(&mut self, context: &mut Context) -> Go {
        if context.is_tournament_running() {
            let why = "Another tournament is running: :tournament leads to it.";
            return Go::refused(why, context);
        }
        match self.begin(context) {
            Ok(played) => Go::replace(TournamentScreen::new(played, context)),
            Err(why) => Go::refused(why, context),
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
        let enter = if self.is_another_chosen() { "type a command" } else { "start" };
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
        self.edit(press, context)
    }

    fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let preview = self.preview();
        let area = preview.map_or(area, |preview| preview.draw(canvas, area));
        let typed = self.typed.as_ref();
        draw_rows(canvas, area, "Set up a tournament", &self.rows(), self.chosen, typed);
    }
}
