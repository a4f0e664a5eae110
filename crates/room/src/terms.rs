//! The terms of an online game: everything that is settled when it is created.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skirmish_play::player::{Level, Player};
use skirmish_play::{First, Proposal, ProposalError};
use skirmish_rules::{
    Both, Catalog, Entry, NoSuchGame, OptionValue, SettingError, Settings, Side, alternatives,
    quotable,
};

use crate::clock::TimeControl;

/// Maximum number of games in a match.
const MOST_GAMES: u32 = 99;

/// The terms requested for a new game. Everything except the game is optional.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // each is a field of the protocol
pub struct Terms {
    /// The game's id.
    pub game: String,
    /// A named set of rule options, which `rules` may modify further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Rule options with their values, as numbers or words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, RuleValue>,
    /// Who starts, if the rulebook lets the players choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<SideWish>,
    /// The creator's seat.
    #[serde(default)]
    pub seat: SideWish,
    /// The number of games in the match.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// The number of turns after which the game is a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// The time control.
    #[serde(default)]
    pub clock: TimeControl,
    /// The level of the computer opponent; omitted for a human opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Whether the result counts for ratings.
    #[serde(default)]
    pub rated: bool,
    /// Whether anybody can find the game in the lobby.
    #[serde(default)]
    pub public: bool,
    /// Whether spectators are allowed.
    #[serde(default = "yes")]
    pub spectators: bool,
    /// Whether hints and analysis are allowed. Joining implies consent.
    #[serde(default)]
    pub hints: bool,
}

const fn yes() -> bool {
    true
}

/// The value of a rule option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a rule option that is a whole number or a string")]
pub enum RuleValue {
    /// A whole number.
    Number(u32),
    /// A word, or a number as text.
    Word(String),
}

impl RuleValue {
    /// Returns the rule options that differ from their defaults.
    #[must_use]
    pub fn changes(settings: &Settings) -> BTreeMap<String, Self> {
        let changed = settings.iter().filter(|(option, value)| *value != option.default());
        let rules = changed.map(|(option, value)| {
            let value = match value {
                OptionValue::Number(number) => Self::Number(number.into()),
                OptionValue::Word(word) => Self::Word(word.to_owned()),
            };
            (option.name.to_owned(), value)
        });
        rules.collect()
    }
}

/// A side, or a coin toss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideWish {
    /// Player 1.
    P1,
    /// Player 2.
    P2,
    /// Decided by a coin toss.
    #[default]
    Toss,
}

impl SideWish {
    /// Returns the requested side; `None` for a toss.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::P1 => Some(Side::One),
            Self::P2 => Some(Side::Two),
            Self::Toss => None,
        }
    }
}

impl From<First> for SideWish {
    fn from(first: First) -> Self {
        match first {
            First::Side(Side::One) => Self::P1,
            First::Side(Side::Two) => Self::P2,
            First::Toss => Self::Toss,
        }
    }
}

/// Why a game cannot be created on these terms.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TermsError {
    /// The game is unknown.
    #[error("{0}: expected {1}")]
    Game(NoSuchGame, String),
    /// A rule option is invalid.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The preset is unknown.
    #[error("there is no preset \"{0}\" in this game: expected {1}")]
    Preset(String, String),
    /// The level is unknown.
    #[error("there is no level \"{0}\": expected novice, casual, skilled, expert or perfect")]
    Level(String),
    /// The match has no games or too many.
    #[error("a match has 1 to {MOST_GAMES} games")]
    Games,
    /// The turn limit is zero.
    #[error("max_turns is at least 1")]
    Turns,
    /// A rated game must be between people, by the default rules and without hints.
    #[error("only games between people, by the usual rules and without hints, can be rated")]
    Unrateable,
    /// The proposal is invalid, for example its starter.
    #[error(transparent)]
    Proposal(#[from] ProposalError),
}

impl Terms {
    /// Returns terms for a game between two people by the default rules, without a clock.
    #[must_use]
    pub fn new(entry: &Entry) -> Self {
        Self {
            game: entry.id.to_owned(),
            preset: None,
            rules: BTreeMap::new(),
            first: None,
            seat: SideWish::Toss,
            games: None,
            max_turns: None,
            clock: TimeControl::None,
            level: None,
            rated: false,
            public: false,
            spectators: true,
            hints: false,
        }
    }

    /// Returns the computer opponent's level, if the opponent is the computer.
    ///
    /// # Errors
    /// If the level is unknown.
    pub fn opponent(&self) -> Result<Option<Level>, TermsError> {
        let named =
            |name: &String| Level::named(name).ok_or_else(|| TermsError::Level(quotable(name)));
        self.level.as_ref().map(named).transpose()
    }

    /// Returns the creator's side: the requested one, or the result of the toss.
    pub(crate) fn creator_side(&self, toss: Side) -> Side {
        self.seat.side().unwrap_or(toss)
    }

    /// Converts the terms to a proposal for two unnamed players, with the creator as Player 1.
    ///
    /// # Errors
    /// If the game cannot be played on these terms.
    pub fn proposal(&self, games: Catalog) -> Result<Proposal, TermsError> {
        let entry = games.find(&self.game).map_err(|unknown| {
            TermsError::Game(unknown, alternatives(games.iter().map(|entry| entry.id)))
        })?;
        let settings = self.settings(entry)?;
        let level = self.opponent()?;
        if self.games.is_some_and(|games| !(1..=MOST_GAMES).contains(&games)) {
            return Err(TermsError::Games);
        }
        if self.max_turns == Some(0) {
            return Err(TermsError::Turns);
        }
        let is_usual =
            settings.changes().is_empty() && self.max_turns.is_none() && self.first.is_none();
        if self.rated && (level.is_some() || self.hints || !is_usual) {
            return Err(TermsError::Unrateable);
        }
        let proposal = Proposal {
            settings,
            players: Both::new(Player::Human, level.map_or(Player::Human, Player::Computer)),
            first: self.first.map(|wish| wish.side().map_or(First::Toss, First::Side)),
            games: self.games,
            turn_limit: self.max_turns,
            ..Proposal::new(entry)
        };
        // Only building a plan checks whether the rulebook lets this side start.
        proposal.clone().plan(None)?;
        Ok(proposal)
    }

    /// Returns the rule options for this game.
    fn settings(&self, entry: &Entry) -> Result<Settings, TermsError> {
        let mut settings = Settings::defaults(entry.options);
        if let Some(name) = &self.preset {
            let preset = entry.presets.iter().find(|preset| preset.name == name);
            let preset = preset.ok_or_else(|| {
                let possible = alternatives(entry.presets.iter().map(|preset| preset.name));
                TermsError::Preset(quotable(name), possible)
            })?;
            settings = Settings::parse(entry.options, preset.rules.split_whitespace())?;
        }
        for (name, value) in &self.rules {
            settings.set(&match value {
                RuleValue::Number(number) => format!("{name}={number}"),
                RuleValue::Word(word) => format!("{name}={word}"),
            })?;
        }
        Ok(settings)
    }

    /// Returns equivalent terms in canonical form: the game's id, and only the rule options that differ from their
    /// defaults.
    #[must_use]
    pub fn canonical(&self, proposal: &Proposal) -> Self {
        Self {
            game: proposal.entry.id.to_owned(),
            preset: None,
            rules: RuleValue::changes(&proposal.settings),
            level: proposal.players.two.level().map(|level| level.to_string()),
            ..self.clone()
        }
    }
}
