//! JSON objects for the games and their rule options.

use skirmish_rules::{Entry, OptionKind, Preset, RuleOption, Starter};

use super::markdown::{BlockObject, blocks};
use super::object::objects;
use super::types::{Named, Optional, WordOr};

objects! {
    /// A game in the catalogue.
    pub struct GameObject {
        game: &'static str = "the game's id",
        name: &'static str = "the name for people",
        summary: &'static str = "a description in one sentence",
        starts: &'static str =
            "`p1`: Player 1 always starts; `toss`: the players choose or toss; `nobody`: both choose simultaneously",
        options: Vec<OptionObject> = "the rule options",
        presets: Vec<PresetObject> = "named sets of rule options",
    }

    /// The JSON output of `rules`.
    pub struct RulesObject {
        ..game: GameObject,
        text: String = "the rules page in Markdown",
        blocks: Vec<BlockObject> = "the same text, parsed into blocks",
    }

    /// A rule option.
    pub struct OptionObject {
        name: &'static str = "its name, as in `--rule NAME=VALUE`",
        about: &'static str = "a description in one sentence",
        default: WordOr<u8> = "the default value",
        min: Optional<u8> = "the smallest value; only if values are numbers",
        max: Optional<u8> = "the largest value; only if values are numbers",
        odd: Optional<bool> = "whether the value must be odd; only if values are numbers",
        values: Optional<Vec<&'static str>> = "the possible values; only if they are words",
        meanings: Optional<Named<&'static str, &'static str>> = "the meaning of each value; only if values are words",
    }

    /// A named set of rule options.
    pub struct PresetObject {
        name: &'static str = "its name, as in `--preset NAME`",
        rules: &'static str = "the options that the preset changes, such as `positions=9 steps=3`",
        about: &'static str = "a description in one sentence",
    }
}

impl From<&Entry> for GameObject {
    fn from(entry: &Entry) -> Self {
        let preset = |&Preset { name, rules, about }: &Preset| PresetObject { name, rules, about };
        Self {
            game: entry.id,
            name: entry.name,
            summary: entry.summary,
            starts: match entry.starter {
                Starter::PlayerOne => "p1",
                Starter::Toss => "toss",
                Starter::Nobody => "nobody",
            },
            options: entry.options.iter().map(OptionObject::from).collect(),
            presets: entry.presets.iter().map(preset).collect(),
        }
    }
}

impl From<&Entry> for RulesObject {
    fn from(entry: &Entry) -> Self {
        let text = entry.rules_page();
        Self { game: entry.into(), blocks: blocks(&text), text }
    }
}

impl From<&RuleOption> for OptionObject {
    fn from(option: &RuleOption) -> Self {
        let (default, range, words) = match option.kind {
            OptionKind::Number { min, max, default, odd } => {
                (WordOr::Number(default), Some((min, max, odd)), None)
            }
            OptionKind::Word(words) => (WordOr::Word(words[0].0), None, Some(words)),
        };
        Self {
            name: option.name,
            about: option.about,
            default,
            min: Optional(range.map(|(min, _, _)| min)),
            max: Optional(range.map(|(_, max, _)| max)),
            odd: Optional(range.map(|(_, _, odd)| odd)),
            values: Optional(words.map(|words| words.iter().map(|&(word, _)| word).collect())),
            meanings: Optional(words.map(|words| words.iter().copied().collect())),
        }
    }
}
