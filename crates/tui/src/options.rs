//! The setup options that every game has: who starts, the number of games, and the rules.

use skirmish_play::First;
use skirmish_rules::{Entry, OptionKind, OptionValue, RuleOption, Settings, Side, Starter};

use super::form::FormRow;
use super::parts::beside;
use super::screen::Way;

pub(super) struct GameOptions {
    pub(super) entry: &'static Entry,
    first: First,
    games: u32,
    pub(super) settings: Settings,
}

/// Maximum number of games in a match.
const MOST_GAMES: u32 = 99;

impl GameOptions {
    pub(super) fn new(entry: &'static Entry) -> Self {
        let settings = Settings::defaults(entry.options);
        Self { entry, first: First::Toss, games: 1, settings }
    }

    /// The setting for who starts; `None` unless the rulebook lets the players choose.
    pub(super) fn first(&self) -> Option<First> {
        (self.entry.starter == Starter::Toss).then_some(self.first)
    }

    /// The number of games of a match; `None` for a single game.
    pub(super) fn games(&self) -> Option<u32> {
        (self.games > 1).then_some(self.games)
    }

    /// The index of the preset with the current rules.
    fn preset(&self) -> Option<usize> {
        let presets = self.entry.presets.iter();
        let settings =
            |rules: &str| Settings::parse(self.entry.options, rules.split_whitespace()).ok();
        presets
            .map(|preset| settings(preset.rules))
            .position(|rules| rules.is_some_and(|rules| rules.changes() == self.settings.changes()))
    }

    /// The row that selects the game, with the default options of each.
    pub(super) fn game_row(&self) -> FormRow<Self> {
        let Entry { name, summary, .. } = *self.entry;
        FormRow::new("Game", name, summary, |options: &mut Self, way, _, context| {
            let all: Vec<&'static Entry> = context.catalog().iter().collect();
            let now = all.iter().position(|entry| entry.id == options.entry.id);
            *options = Self::new(all[way.step(now.unwrap_or(0), all.len())]);
        })
    }

    /// The rows for all options.
    pub(super) fn rows(&self) -> Vec<FormRow<Self>> {
        let first = (self.entry.starter == Starter::Toss).then(|| self.first_row());
        first.into_iter().chain([self.games_row()]).chain(self.rule_rows()).collect()
    }

    fn first_row(&self) -> FormRow<Self> {
        let who = match self.first {
            First::Toss => "a coin toss decides".to_owned(),
            First::Side(side) => side.to_string(),
        };
        let about = "The rulebook lets the players choose.";
        let all = [First::Toss, First::Side(Side::One), First::Side(Side::Two)];
        FormRow::choice("Who starts", who, about, all, |options: &mut Self| &mut options.first)
    }

    fn games_row(&self) -> FormRow<Self> {
        let games = match self.games {
            1 => "one game".to_owned(),
            many => format!("best of {many}"),
        };
        let about = "In a match, the players take turns to start.";
        FormRow::new("Match", games, about, |options: &mut Self, way, leap, _| {
            let by = u32::from(leap);
            options.games = match way {
                Way::Right | Way::Down => (options.games + by).min(MOST_GAMES),
                Way::Left | Way::Up => options.games.saturating_sub(by).max(1),
            };
        })
    }

    /// The rows for the rules.
    pub(super) fn rule_rows(&self) -> impl Iterator<Item = FormRow<Self>> {
        let preset = (!self.entry.presets.is_empty()).then(|| self.preset_row());
        preset.into_iter().chain(self.entry.options.iter().map(|option| self.rule_row(option)))
    }

    fn preset_row(&self) -> FormRow<Self> {
        let presets = self.entry.presets;
        let printed = || {
            let names: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
            format!("The rules as printed in the rulebook. Presets: {}.", names.join(", "))
        };
        let (name, about) = match self.preset().map(|index| &presets[index]) {
            _ if self.settings.changes().is_empty() => ("the rulebook's", printed()),
            Some(preset) => (preset.name, format!("{} ({})", preset.about, preset.rules)),
            None => ("your own", printed()),
        };
        FormRow::new("Rules", name, about, |options: &mut Self, way, _, _| {
            options.change_preset(way);
        })
    }

    fn change_preset(&mut self, way: Way) {
        // The rulebook's rules come before the presets.
        let is_printed = self.settings.changes().is_empty();
        let now = self.preset().filter(|_| !is_printed).map_or(0, |index| index + 1);
        let next = way.step(now, self.entry.presets.len() + 1);
        let rules = next.checked_sub(1).map_or("", |index| self.entry.presets[index].rules);
        if let Ok(settings) = Settings::parse(self.entry.options, rules.split_whitespace()) {
            self.settings = settings;
        }
    }

    fn rule_row(&self, option: &'static RuleOption) -> FormRow<Self> {
        let (value, about) = match option.kind {
            OptionKind::Number { .. } => {
                let value = self.settings.number(option.name).to_string();
                (value, format!("It can be {}.", option.possible()))
            }
            OptionKind::Word(words) => {
                let now = self.settings.word(option.name);
                let meaning = words.iter().find(|(word, _)| *word == now);
                let meaning = meaning.map_or("", |(_, meaning)| meaning);
                (now.to_owned(), format!("Now: {meaning}."))
            }
        };
        let (name, about) = (format!("  {}", option.name), format!("{} {about}", option.about));
        FormRow::new(name, value, about, |options: &mut Self, way, leap, _| {
            options.change_rule(option, way, leap);
        })
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
                // The limit itself may be even, and thus invalid for an odd option.
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
}
