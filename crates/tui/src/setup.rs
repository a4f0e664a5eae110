//! The setup screen: who plays, who starts, how many games, and which rules.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::player::{Level, Player};
use skirmish_play::{First, Plan, Proposal};
use skirmish_rules::{Both, Entry, OptionKind, OptionValue, RuleOption, Settings, Side, Starter};
use skirmish_store::{fresh_chance, today};

use super::app::is_roomy;
use super::context::Context;
use super::look::Ink;
use super::pages::rules_page;
use super::parts::{Canvas, below, beside, inset};
use super::play::Play;
use super::screen::{Go, Hint, Press, Screen, Way};
use super::tutorial::TutorialScreen;

pub(super) struct SetupScreen {
    entry: &'static Entry,
    rows: Vec<SetupRow>,
    chosen: usize,
    players: Both<Player>,
    first: First,
    games: u32,
    settings: Settings,
}

#[derive(Clone, Copy)]
enum SetupRow {
    Start,
    Player(Side),
    First,
    Games,
    Preset,
    Rule(&'static RuleOption),
}

/// The longest match that can be selected.
const MOST_GAMES: u32 = 99;

impl SetupScreen {
    pub(super) fn new(entry: &'static Entry) -> Self {
        let mut rows =
            vec![SetupRow::Start, SetupRow::Player(Side::One), SetupRow::Player(Side::Two)];
        if entry.starter == Starter::Toss {
            rows.push(SetupRow::First);
        }
        rows.push(SetupRow::Games);
        if !entry.presets.is_empty() {
            rows.push(SetupRow::Preset);
        }
        rows.extend(entry.options.iter().map(SetupRow::Rule));
        Self {
            entry,
            rows,
            chosen: 0,
            players: Both::new(Player::Human, Player::Computer(Level::Casual)),
            first: First::Toss,
            games: 1,
            settings: Settings::defaults(entry.options),
        }
    }

    fn start(&self, context: &mut Context) -> Go {
        let names = &context.preferences.names;
        let proposal = Proposal {
            settings: self.settings.clone(),
            players: self.players.clone(),
            names: Both::from_fn(|side| {
                names[side].clone().filter(|_| self.players[side].is_human())
            }),
            first: (self.entry.starter == Starter::Toss).then_some(self.first),
            games: (self.games > 1).then_some(self.games),
            ..Proposal::new(self.entry)
        };
        match plan(proposal) {
            Ok(plan) => Go::Replace(Box::new(Play::begin(plan, context))),
            Err(why) => Go::refused(why, context),
        }
    }

    /// The preset with the current rules.
    fn preset(&self) -> Option<usize> {
        let presets = self.entry.presets.iter();
        let settings =
            |rules: &str| Settings::parse(self.entry.options, rules.split_whitespace()).ok();
        presets
            .map(|preset| settings(preset.rules))
            .position(|rules| rules.is_some_and(|rules| rules.changes() == self.settings.changes()))
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
            SetupRow::First => {
                let all = [First::Toss, First::Side(Side::One), First::Side(Side::Two)];
                self.first = beside(&all, &self.first, way);
            }
            SetupRow::Games => {
                let by = 2 * u32::from(leap);
                self.games = match way {
                    Way::Right | Way::Down => (self.games + by).min(MOST_GAMES),
                    Way::Left | Way::Up => self.games.saturating_sub(by).max(1),
                };
            }
            SetupRow::Preset => {
                // The rulebook's rules come before the presets.
                let now = if self.settings.changes().is_empty() {
                    0
                } else {
                    self.preset().map_or(0, |index| index + 1)
                };
                let next = way.step(now, self.entry.presets.len() + 1);
                let rules = next.checked_sub(1).map_or("", |index| self.entry.presets[index].rules);
                if let Ok(settings) = Settings::parse(self.entry.options, rules.split_whitespace())
                {
                    self.settings = settings;
                }
            }
            SetupRow::Rule(option) => self.change_rule(option, way, leap),
        }
    }

    fn change_rule(&mut self, option: &RuleOption, way: Way, leap: u8) {
        let value = match option.kind {
            OptionKind::Number { min, max, odd, .. } => {
                let now = self.settings.number(option.name);
                let by = leap.saturating_mul(if odd { 2 } else { 1 });
                let next = match way {
                    Way::Right | Way::Down => now.saturating_add(by).min(max),
                    Way::Left | Way::Up => now.saturating_sub(by).max(min),
                };
                // An even bound is not a valid odd number.
                let next = if odd && next.is_multiple_of(2) { now } else { next };
                OptionValue::Number(next)
            }
            OptionKind::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                OptionValue::Word(beside(&words, &self.settings.word(option.name), way))
            }
        };
        if let Err(error) = self.settings.set(&format!("{}={value}", option.name)) {
            unreachable!("the value is within its bounds: {error}");
        }
    }

    fn label(&self, row: SetupRow) -> (String, String) {
        match row {
            SetupRow::Start => ("Start the game".to_owned(), String::new()),
            SetupRow::Player(side) => (side.to_string(), self.players[side].to_string()),
            SetupRow::First => {
                let who = match self.first {
                    First::Toss => "a coin toss decides".to_owned(),
                    First::Side(side) => side.to_string(),
                };
                ("Who starts".to_owned(), who)
            }
            SetupRow::Games => {
                let games = match self.games {
                    1 => "one game".to_owned(),
                    many => format!("best of {many}"),
                };
                ("Match".to_owned(), games)
            }
            SetupRow::Preset => {
                let name = match self.preset() {
                    _ if self.settings.changes().is_empty() => "the rulebook's",
                    Some(index) => self.entry.presets[index].name,
                    None => "your own",
                };
                ("Rules".to_owned(), name.to_owned())
            }
            SetupRow::Rule(option) => {
                let value = match option.kind {
                    OptionKind::Number { .. } => self.settings.number(option.name).to_string(),
                    OptionKind::Word(_) => self.settings.word(option.name).to_owned(),
                };
                (format!("  {}", option.name), value)
            }
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
            SetupRow::First => "The rulebook lets the players choose.".to_owned(),
            SetupRow::Games => "In a match, the players take turns to start.".to_owned(),
            SetupRow::Preset => match self.preset() {
                Some(index) if !self.settings.changes().is_empty() => {
                    let preset = &self.entry.presets[index];
                    format!("{} ({})", preset.about, preset.rules)
                }
                _ => {
                    let names: Vec<&str> =
                        self.entry.presets.iter().map(|preset| preset.name).collect();
                    format!("The rules as printed in the rulebook. Presets: {}.", names.join(", "))
                }
            },
            SetupRow::Rule(option) => match option.kind {
                OptionKind::Number { .. } => {
                    format!("{} It can be {}.", option.about, option.possible())
                }
                OptionKind::Word(words) => {
                    let now = self.settings.word(option.name);
                    let meaning = words.iter().find(|(word, _)| *word == now);
                    format!("{} Now: {}.", option.about, meaning.map_or("", |(_, meaning)| meaning))
                }
            },
        }
    }
}

/// The plan for a proposal, or why it cannot be played.
fn plan(mut proposal: Proposal) -> Result<Plan, String> {
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
        hints.push(("Esc", "back"));
        hints
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Enter) => return self.start(context),
            Press::Key(KeyCode::Char(' ')) => self.change(Way::Right, 1),
            Press::Key(KeyCode::PageUp) => self.change(Way::Left, 10),
            Press::Key(KeyCode::PageDown) => self.change(Way::Right, 10),
            Press::Key(KeyCode::Char('r')) => return Go::To(Box::new(rules_page(self.entry))),
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
                Some(way @ (Way::Up | Way::Down)) => {
                    self.chosen = way.step(self.chosen, self.rows.len());
                }
                Some(way @ (Way::Left | Way::Right)) => self.change(way, 1),
                None => {}
            },
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let inside = canvas.panel(area, "Set up the game");
        let line = |row: &SetupRow| {
            let (name, value) = self.label(*row);
            if value.is_empty() {
                return Line::styled(name, canvas.look.ink(Ink::Title));
            }
            canvas.setting(&name, &value)
        };
        let lines: Vec<Line> = self.rows.iter().map(line).collect();
        let explained = if is_roomy(area) { 4 } else { 3 };
        let list = Rect { height: inside.height.saturating_sub(explained), ..inside };
        canvas.menu(list, lines, self.chosen);
        let below = inset(below(inside, list.height));
        canvas.prose(below, &self.about(self.rows[self.chosen]), canvas.look.ink(Ink::Faint));
    }
}
