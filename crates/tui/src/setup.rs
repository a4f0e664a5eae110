//! The setup screen: the players, who starts, the number of games, and the rules.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::player::{BotCommand, Level, Player};
use skirmish_play::{Plan, Proposal};
use skirmish_rules::{Both, Entry, Side};
use skirmish_store::{fresh_chance, today};

use super::context::Context;
use super::form::{self, Edit, FormRow, about_bot, about_level, command_field, draw_rows};
use super::map::MapScreen;
use super::options::{GameOptions, OptionRow};
use super::pages::rules_page;
use super::parts::{Canvas, TextField, beside};
use super::play::LocalPlay;
use super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::tutorial::TutorialScreen;

pub(super) struct SetupScreen {
    entry: &'static Entry,
    rows: Vec<SetupRow>,
    chosen: usize,
    seats: Both<SeatChoice>,
    options: GameOptions,
    /// The command of a bot for the selected seat, while it is being typed.
    typed: Option<TextField>,
}

#[derive(Clone, Copy)]
enum SetupRow {
    Start,
    Player(Side),
    Option(OptionRow),
}

/// The selection for a seat.
#[derive(Clone, PartialEq)]
enum SeatChoice {
    Player(Player),
    /// A bot whose command is still to be typed.
    Another,
}

impl SetupScreen {
    pub(super) fn new(entry: &'static Entry) -> Self {
        let options = GameOptions::new(entry);
        let mut rows =
            vec![SetupRow::Start, SetupRow::Player(Side::One), SetupRow::Player(Side::Two)];
        rows.extend(options.rows().into_iter().map(SetupRow::Option));
        let players = Both::new(Player::Human, Player::Computer(Level::Casual));
        let seats = players.map(SeatChoice::Player);
        Self { entry, rows, chosen: 0, seats, options, typed: None }
    }

    fn start(&mut self, context: &mut Context) -> Go {
        let another = Side::ALL.into_iter().find(|&side| self.seats[side] == SeatChoice::Another);
        if let Some(side) = another {
            self.ask_command(side);
            return Go::Stay;
        }
        let players = self.seats.as_ref().map(|seat| match seat {
            SeatChoice::Player(player) => player.clone(),
            SeatChoice::Another => unreachable!("its command has been typed"),
        });
        let names = &context.preferences.names;
        let proposal = Proposal {
            settings: self.options.settings.clone(),
            names: Both::from_fn(|side| names[side].clone().filter(|_| players[side].is_human())),
            players,
            first: self.options.first(),
            games: self.options.games(),
            ..Proposal::new(self.entry)
        };
        match plan(proposal) {
            Ok(plan) => Go::Anew(Box::new(LocalPlay::begin(plan, context))),
            Err(why) => Go::refused(why, context),
        }
    }

    /// Asks for the command of a bot.
    fn ask_command(&mut self, side: Side) {
        let row = |row: &SetupRow| matches!(row, SetupRow::Player(of) if *of == side);
        self.chosen = self.rows.iter().position(row).unwrap_or(self.chosen);
        self.typed = Some(command_field());
    }

    /// Changes the value of the selected row.
    fn change(&mut self, way: Way, leap: u8, context: &Context) {
        match self.rows[self.chosen] {
            SetupRow::Start => {}
            SetupRow::Player(side) => {
                let mut known = context.bots.known(&context.folder);
                // Include commands that have been typed here but not started yet.
                let typed = self.seats.as_ref().map(SeatChoice::bot);
                for bot in [typed.one, typed.two].into_iter().flatten() {
                    if !known.iter().any(|it| it.text == bot.text) {
                        known.push(bot.clone());
                    }
                }
                let levels = Level::ALL.map(Player::Computer);
                let players = std::iter::once(Player::Human).chain(levels);
                let players = players.chain(known.into_iter().map(Player::Bot));
                let mut all: Vec<SeatChoice> = players.map(SeatChoice::Player).collect();
                all.push(SeatChoice::Another);
                self.seats[side] = beside(&all, &self.seats[side], way);
            }
            SetupRow::Option(row) => self.options.change(row, way, leap),
        }
    }

    fn describe(&self, row: SetupRow) -> FormRow {
        match row {
            SetupRow::Start => FormRow::new("Start the game", "", self.entry.summary),
            SetupRow::Player(side) => {
                let (value, about) = self.seats[side].describe();
                FormRow::new(side.to_string(), value, about)
            }
            SetupRow::Option(row) => self.options.describe(row),
        }
    }
}

impl SeatChoice {
    const fn bot(&self) -> Option<&BotCommand> {
        match self {
            Self::Player(Player::Bot(bot)) => Some(bot),
            Self::Player(_) | Self::Another => None,
        }
    }

    /// The choice, and an explanation.
    fn describe(&self) -> (String, String) {
        let player = match self {
            Self::Player(player) => player,
            Self::Another => {
                return ("another program…".into(), "A bot: Enter asks for its command.".into());
            }
        };
        match player {
            Player::Human => (player.to_string(), "A person at this terminal.".to_owned()),
            Player::Computer(level) => (player.to_string(), about_level(*level)),
            Player::Bot(bot) => (format!("bot {}", bot.name), about_bot(bot)),
            Player::Absent(_) => unreachable!("only records have such players"),
        }
    }
}

/// Turns a proposal into a plan, or returns why it cannot be played.
pub(super) fn plan(mut proposal: Proposal) -> Result<Plan, String> {
    if proposal.needs_seed() {
        let chance = fresh_chance().map_err(|error| error.to_string())?;
        proposal.seed = Some(chance.seed());
    }
    proposal.plan(Some(today())).map_err(|error| error.to_string())
}

impl Screen for SetupScreen {
    fn title(&self) -> String {
        self.entry.name.to_owned()
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.typed.is_some() {
            return vec![("Enter", "choose it"), ("Esc", "cancel")];
        }
        let mut hints = vec![("Enter", "start"), ("↑↓", "move"), ("←→", "change"), ("r", "rules")];
        if self.entry.tutorial.is_some() {
            hints.push(("t", "tutorial"));
        }
        hints.push(("m", "map"));
        hints.push(("Esc", "back"));
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        form::help()
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.typed.is_some() {
            let bot = form::type_command(&mut self.typed, press, context);
            if let (Some(bot), SetupRow::Player(side)) = (bot, self.rows[self.chosen]) {
                self.seats[side] = SeatChoice::Player(Player::Bot(bot));
            }
            return Go::Stay;
        }
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('r')) => return Go::to(rules_page(self.entry)),
            Press::Key(KeyCode::Char('m')) => {
                return MapScreen::of(self.entry, &self.options.settings, context);
            }
            Press::Key(KeyCode::Char('t')) => return TutorialScreen::go(self.entry),
            _ => match Edit::of(press, &mut self.chosen, self.rows.len()) {
                Edit::Start => return self.start(context),
                Edit::Change(way, leap) => self.change(way, leap, context),
                Edit::Nothing => {}
            },
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let rows: Vec<FormRow> = self.rows.iter().map(|row| self.describe(*row)).collect();
        let typed = self.typed.as_ref();
        draw_rows(canvas, area, "Set up the game", &rows, self.chosen, typed);
    }
}
