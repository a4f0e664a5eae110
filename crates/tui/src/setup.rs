//! The setup screen: the players, who starts, the number of games, and the rules.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::player::{BotCommand, Level, Player};
use skirmish_play::{Plan, Proposal};
use skirmish_rules::{Both, Entry, Record, Setup, Side, counted};
use skirmish_store::{Finish, GameResult, Opponent, fresh_chance, today};

use super::context::Context;
use super::facts::{Fact, own_finish};
use super::form::{self, Form, FormRow, Preview, about_bot, about_level, command_field, draw_rows};
use super::map::MapScreen;
use super::options::GameOptions;
use super::pages::rules_page;
use super::parts::{Canvas, TextField, beside};
use super::play::LocalPlay;
use super::screen::{Go, Help, Hint, Press, Screen};
use super::tutorial::TutorialScreen;

/// Maximum number of saved games to search for the last opponent.
const RECENT: usize = 24;

pub(super) struct SetupScreen {
    entry: &'static Entry,
    chosen: usize,
    seats: Both<SeatChoice>,
    options: GameOptions,
    /// The results in this game, oldest first.
    results: Vec<GameResult>,
    /// The command of a bot for the selected seat, while it is being typed.
    typed: Option<TextField>,
}

/// The selection for a seat.
#[derive(Clone, PartialEq)]
enum SeatChoice {
    Player(Player),
    /// A bot whose command is still to be typed.
    Another,
}

impl SetupScreen {
    /// Suggests the opponent of the last saved game.
    pub(super) fn new(entry: &'static Entry, context: &Context) -> Self {
        let opponent = last_opponent(entry, context).unwrap_or(Player::Computer(Level::Casual));
        let seats = Both::new(Player::Human, opponent).map(SeatChoice::Player);
        let results = context.options.statistics.as_ref().and_then(|it| it.results().ok());
        let mut results = results.unwrap_or_default();
        results.retain(|result| result.game == entry.id);
        Self { entry, chosen: 0, seats, options: GameOptions::new(entry), results, typed: None }
    }

    /// The result of the last game against the same kind of opponent.
    fn last_time(&self, context: &Context) -> Option<String> {
        let person = Side::ALL
            .into_iter()
            .find(|side| self.seats[*side].player() == Some(&Player::Human))?;
        let opponent = Opponent::from(self.seats[person.other()].player()?);
        let mut same = self.results.iter().rev().filter(|result| result.opponent == opponent);
        let last = |result: &GameResult| {
            let how = match own_finish(result, context)? {
                Finish::Won => "you won",
                Finish::Lost => "you lost",
                Finish::Drawn => "a draw",
            };
            let date = result.date.as_ref().map_or_else(String::new, |date| format!(", on {date}"));
            Some(format!("{how} after {}{date}", counted(result.turns as u64, "turn")))
        };
        same.find_map(last)
    }

    /// The board, the opponents, and the last game between them.
    fn preview(&self, context: &Context) -> Option<Preview> {
        let setup = Setup { settings: self.options.settings.clone(), ..self.entry.setup() };
        let table = self.entry.open(setup).ok()?;
        let seats = Side::ALL.map(|side| {
            let (value, about) = self.seats[side].describe();
            let is_level = self.seats[side].player().is_some_and(|player| player.level().is_some());
            let texts =
                if is_level { vec![format!("{value} {about}")] } else { vec![value, about] };
            Fact::texts(side.to_string(), texts)
        });
        let last = self.last_time(context).unwrap_or_else(|| "no game counted yet".to_owned());
        let facts = seats.into_iter().chain([Fact::texts("Last time", [last])]).collect();
        Some(Preview { table, title: "The players", facts })
    }

    /// The row of a seat; its index is the number of the side.
    fn seat_row(&self, side: Side) -> FormRow<Self> {
        let (value, about) = self.seats[side].describe();
        FormRow::new(side.to_string(), value, about, move |form: &mut Self, way, _, context| {
            let all = form.seat_choices(context);
            form.seats[side] = beside(&all, &form.seats[side], way);
        })
    }

    fn seat_choices(&self, context: &Context) -> Vec<SeatChoice> {
        let mut known = context.bots.known(&context.options.folder);
        // Include commands that have been typed here but not started yet.
        for bot in Side::ALL.into_iter().filter_map(|side| self.seats[side].bot()) {
            if !known.iter().any(|it| it.text == bot.text) {
                known.push(bot.clone());
            }
        }
        let players = std::iter::once(Player::Human).chain(Level::ALL.map(Player::Computer));
        let players = players.chain(known.into_iter().map(Player::Bot));
        players.map(SeatChoice::Player).chain([SeatChoice::Another]).collect()
    }
}

impl Form for SetupScreen {
    fn rows(&self) -> Vec<FormRow<Self>> {
        let mut rows = vec![FormRow::start("Start the game", self.entry.summary)];
        rows.extend(Side::ALL.map(|side| self.seat_row(side)));
        let options = self.options.rows().into_iter();
        rows.extend(options.map(|row| row.within(|form: &mut Self| &mut form.options)));
        rows
    }

    fn chosen(&mut self) -> &mut usize {
        &mut self.chosen
    }

    fn start(&mut self, context: &mut Context) -> Go {
        let another = Side::ALL.into_iter().find(|&side| self.seats[side] == SeatChoice::Another);
        if let Some(side) = another {
            self.chosen = usize::from(side.number());
            self.typed = Some(command_field());
            return Go::Stay;
        }
        let players = self.seats.as_ref().map(|seat| match seat {
            SeatChoice::Player(player) => player.clone(),
            SeatChoice::Another => unreachable!("its command has been typed"),
        });
        let names = &context.options.preferences.names;
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
}

impl SeatChoice {
    const fn player(&self) -> Option<&Player> {
        match self {
            Self::Player(player) => Some(player),
            Self::Another => None,
        }
    }

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

/// The opponent in the last saved game of this kind, unless it was a bot that the user has not started here before.
fn last_opponent(entry: &Entry, context: &Context) -> Option<Player> {
    let saved = context.options.store.as_ref()?.games(context.catalog()).take(RECENT);
    let mut records = saved.filter_map(|game| game.record.ok());
    let plan = Plan::of(&records.find(|record| record.entry.id == entry.id)?);
    let person = Side::ALL.into_iter().find(|side| plan.players[*side].is_human())?;
    match &plan.players[person.other()] {
        Player::Absent(text) => {
            let known = context.bots.known(&context.options.folder).into_iter();
            let mut known = known.filter(|bot| Record::tag_value(&bot.text) == *text);
            known.next().map(Player::Bot)
        }
        player @ (Player::Human | Player::Computer(_) | Player::Bot(_)) => Some(player.clone()),
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
            let side = Side::ALL.into_iter().find(|side| usize::from(side.number()) == self.chosen);
            if let (Some(bot), Some(side)) = (bot, side) {
                self.seats[side] = SeatChoice::Player(Player::Bot(bot));
            }
            return Go::Stay;
        }
        match press {
            Press::Key(KeyCode::Esc) => Go::Back,
            Press::Key(KeyCode::Char('r')) => Go::to(rules_page(self.entry)),
            Press::Key(KeyCode::Char('m')) => {
                MapScreen::of(self.entry, &self.options.settings, context)
            }
            Press::Key(KeyCode::Char('t')) => TutorialScreen::go(self.entry),
            _ => self.edit(press, context),
        }
    }

    fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let preview = self.preview(context);
        let area = preview.map_or(area, |preview| preview.draw(canvas, area));
        let typed = self.typed.as_ref();
        draw_rows(canvas, area, "Set up the game", &self.rows(), self.chosen, typed);
    }
}
