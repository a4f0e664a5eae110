//! JSON objects for positions and variants.

use serde::Serialize;
use skirmish_play::Solved;
use skirmish_rules::{Entry, OptionValue, Outcome, Settings, Side, Table};

use super::object::objects;
use super::types::{Named, WordOr, typed};

objects! {
    /// A game with its rule options.
    pub struct VariantObject {
        game: &'static str = "the game's id",
        rules: Named<&'static str, WordOr<u8>> = "every rule option with its value, a number or a word",
    }

    /// The JSON output of `show`, to which other commands add fields.
    pub struct PositionObject {
        ..variant: VariantObject,
        position: String = "the position as one token, as for `--position`",
        turn: Vec<u8> =
            "whose turn it is: one player, `[1,2]` if both choose simultaneously, `[]` when the game is over",
        legal: Named<u8, Vec<String>> = "for each player in `turn`, the legal choices",
        outcome: Option<OutcomeObject> =
            "`null`, `{\"winner\":1}` or `{\"draw\":true}`, as decided by the rules of the game",
    }

    /// The question sent to a bot that speaks JSON lines.
    pub struct QuestionObject {
        ..position: PositionObject,
        player: u8 = "the player that the bot chooses for",
    }

    /// A variant and the player who starts.
    pub struct BoardObject {
        ..variant: VariantObject,
        first: Option<u8> = "who starts; null in simultaneous games",
    }
}

/// `{"winner":1}` or `{"draw":true}`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeObject {
    /// A player has won.
    Winner(u8),
    /// The game is a draw; always true.
    Draw(bool),
}

typed!("object": OutcomeObject);

impl VariantObject {
    /// Describes a game with these settings.
    #[must_use]
    pub fn of(entry: &Entry, settings: &Settings) -> Self {
        let value = |value| match value {
            OptionValue::Number(number) => WordOr::Number(number),
            OptionValue::Word(word) => WordOr::Word(word),
        };
        let rules = settings.iter().map(|(option, chosen)| (option.name, value(chosen))).collect();
        Self { game: entry.id, rules }
    }
}

impl PositionObject {
    /// Describes the position on a table.
    #[must_use]
    pub fn of(table: &dyn Table) -> Self {
        let turn = table.turn();
        Self {
            variant: VariantObject::of(table.entry(), table.settings()),
            position: table.position(),
            legal: turn.iter().map(|&side| (side.number(), legal(table, side))).collect(),
            turn: turn.into_iter().map(Side::number).collect(),
            outcome: table.outcome().map(OutcomeObject::from),
        }
    }
}

impl BoardObject {
    /// Describes the variant that was solved.
    #[must_use]
    pub fn of(solved: &Solved) -> Self {
        let first = solved.graph().mover(solved.graph().start());
        let variant = VariantObject::of(solved.entry(), solved.settings());
        Self { variant, first: first.map(Side::number) }
    }
}

impl From<Outcome> for OutcomeObject {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Won(side) => Self::Winner(side.number()),
            Outcome::Draw => Self::Draw(true),
        }
    }
}

/// The notation of a side's legal choices.
#[must_use]
pub fn legal(table: &dyn Table, side: Side) -> Vec<String> {
    table.choices(side).into_iter().map(|choice| choice.notation).collect()
}
