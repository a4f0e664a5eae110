//! The setup screen: who plays, who starts, how many games, and which rules.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::player::{Level, Player};
use skirmish_play::{Plan, Proposal};
use skirmish_rules::{Both, Entry, Side};
use skirmish_store::{fresh_chance, today};

use super::context::Context;
use super::map::MapScreen;
use super::options::{GameOptions, OptionRow, draw_rows};
use super::pages::rules_page;
use super::parts::{Canvas, beside};
use super::play::Play;
use super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::tutorial::TutorialScreen;

pub(super) struct SetupScreen {
    entry: &'static Entry,
    rows: Vec<SetupRow>,
    chosen: usize,
    players: Both<Player>,
    options: GameOptions,
}

#[derive(Clone, Copy)]
enum SetupRow {
    Start,
    Player(Side),
    Option(OptionRow),
}

impl SetupScreen {
    pub(super) fn new(entry: &'static Entry) -> Self {
        let options = GameOptions::new(entry);
        let mut rows =
            vec![SetupRow::Start, SetupRow::Player(Side::One), SetupRow::Player(Side::Two)];
        rows.extend(options.rows().into_iter().map(SetupRow::Option));
        let players = Both::new(Player::Human, Player::Computer(Level::Casual));
        Self { entry, rows, chosen: 0, players, options }
    }

    fn start(&self, context: &mut Context) -> Go {
        let names = &context.preferences.names;
        let proposal = Proposal {
            settings: self.options.settings.clone(),
            players: self.players.clone(),
            names: Both::from_fn(|side| {
                names[side].clone().filter(|_| self.players[side].is_human())
            }),
            first: self.options.first(),
            games: self.options.games(),
            ..Proposal::new(self.entry)
        };
        match plan(proposal) {
            Ok(plan) => Go::Anew(Box::new(Play::begin(plan, context))),
            Err(why) => Go::refused(why, context),
        }
    }

    /// Changes the value of the selected row.
    fn change(&mut self, way: Way, leap: u8) {
        match self.rows[self.chosen] {
            SetupRow::Start => {}
            SetupRow::Player(side) => {
                let all: Vec<Player> = std::iter::once(Player::Human)
                    .chain(Level::ALL.map(Player::Computer))
                    .collect();
                self.players[side] = beside(&all, &self.players[side], way);
            }
            SetupRow::Option(row) => self.options.change(row, way, leap),
        }
    }

    fn label(&self, row: SetupRow) -> (String, String) {
        match row {
            SetupRow::Start => ("Start the game".to_owned(), String::new()),
            SetupRow::Player(side) => (side.to_string(), self.players[side].to_string()),
            SetupRow::Option(row) => self.options.label(row),
        }
    }

    fn about(&self, row: SetupRow) -> String {
        match row {
            SetupRow::Start => self.entry.summary.to_owned(),
            SetupRow::Player(side) => match &self.players[side] {
                Player::Human => "A person at this terminal.".to_owned(),
                Player::Computer(level) => format!("The computer: it {}.", level.about()),
                Player::Bot(bot) => format!("The bot {bot}."),
                Player::Absent(_) => unreachable!("only records have such players"),
            },
            SetupRow::Option(row) => self.options.about(row),
        }
    }
}

/// The plan for a proposal, or why it cannot be played.
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

    fn hints(&self) -> Vec<Hint> {
        let mut hints = vec![("Enter", "start"), ("↑↓", "move"), ("←→", "change"), ("r", "rules")];
        if self.entry.tutorial.is_some() {
            hints.push(("t", "tutorial"));
        }
        hints.push(("m", "map"));
        hints.push(("Esc", "back"));
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        vec![
            ("Space".into(), "the next value"),
            ("PgUp PgDn".into(), "change a number by ten"),
            ("mouse".into(), "click a row, or ‹ and ›"),
        ]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Enter) => return self.start(context),
            Press::Key(KeyCode::Char(' ')) => self.change(Way::Right, 1),
            Press::Key(KeyCode::PageUp) => self.change(Way::Left, 10),
            Press::Key(KeyCode::PageDown) => self.change(Way::Right, 10),
            Press::Key(KeyCode::Char('r')) => return Go::To(Box::new(rules_page(self.entry))),
            Press::Key(KeyCode::Char('m')) => {
                return MapScreen::of(self.entry, &self.options.settings, context);
            }
            Press::Key(KeyCode::Char('t')) => {
                if let Some(tutorial) = TutorialScreen::of(self.entry) {
                    return Go::To(Box::new(tutorial));
                }
            }
            Press::Pick(number) if number < self.rows.len() => {
                let again = number == self.chosen;
                self.chosen = number;
                match self.rows[number] {
                    SetupRow::Start => return self.start(context),
                    _ if again => self.change(Way::Right, 1),
                    _ => {}
                }
            }
            _ => match press.way() {
                Some(way @ (Way::Left | Way::Right)) => self.change(way, 1),
                Some(Way::Up | Way::Down) | None => press.moves(&mut self.chosen, self.rows.len()),
            },
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let rows: Vec<(String, String)> = self.rows.iter().map(|row| self.label(*row)).collect();
        let about = self.about(self.rows[self.chosen]);
        draw_rows(canvas, area, "Set up the game", &rows, self.chosen, &about);
    }
}
