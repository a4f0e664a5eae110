//! Rule options: the parts of a game's rules that players can change, and the chosen values.

use std::fmt;

use crate::notation::plain_number;
use crate::printable::quotable;

/// A rule option of a game, as listed in the catalogue.
#[derive(Debug)]
pub struct RuleOption {
    /// The option's name, as in `--rule NAME=VALUE`.
    pub name: &'static str,
    /// The effect of the option, in one sentence.
    pub about: &'static str,
    /// The possible values.
    pub kind: OptionKind,
}

/// The possible values of a rule option.
#[derive(Debug)]
pub enum OptionKind {
    /// A whole number within bounds.
    Number {
        /// The smallest number.
        min: u8,
        /// The largest number.
        max: u8,
        /// The rulebook's value.
        default: u8,
        /// Whether the number must be odd.
        odd: bool,
    },
    /// One of a few words, each with its meaning. The first word is the default.
    Word(&'static [(&'static str, &'static str)]),
}

impl RuleOption {
    /// A whole number from `min` to `max`.
    #[must_use]
    pub const fn number(
        name: &'static str,
        about: &'static str,
        default: u8,
        min: u8,
        max: u8,
    ) -> Self {
        Self { name, about, kind: OptionKind::Number { min, max, default, odd: false } }
    }

    /// Restricts the option to odd numbers.
    #[must_use]
    pub const fn odd(mut self) -> Self {
        if let OptionKind::Number { odd, .. } = &mut self.kind {
            *odd = true;
        }
        self
    }

    /// One of a few words; the first word is the default.
    #[must_use]
    pub const fn word(
        name: &'static str,
        about: &'static str,
        words: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { name, about, kind: OptionKind::Word(words) }
    }

    /// The rulebook's value.
    #[must_use]
    pub const fn default(&self) -> OptionValue {
        match self.kind {
            OptionKind::Number { default, .. } => OptionValue::Number(default),
            OptionKind::Word(words) => OptionValue::Word(words[0].0),
        }
    }

    /// The allowed values in words: `an odd number from 3 to 255`, `facing, behind or onward`.
    #[must_use]
    pub fn possible(&self) -> String {
        match self.kind {
            OptionKind::Number { min, max, odd: true, .. } => {
                format!("an odd number from {min} to {max}")
            }
            OptionKind::Number { min, max, odd: false, .. } => {
                format!("a whole number from {min} to {max}")
            }
            OptionKind::Word(words) => alternatives(words.iter().map(|(word, _)| word)),
        }
    }

    fn parse(&self, text: &str) -> Option<OptionValue> {
        let value = match self.kind {
            OptionKind::Number { .. } => plain_number(text)?,
            OptionKind::Word(words) => {
                let index = words.iter().position(|(word, _)| word.eq_ignore_ascii_case(text))?;
                u8::try_from(index).ok()?
            }
        };
        self.value(value)
    }

    /// The option value for a number, or for the word with that index, if allowed.
    fn value(&self, value: u8) -> Option<OptionValue> {
        match self.kind {
            OptionKind::Number { min, max, odd, .. } => {
                let is_possible = (min..=max).contains(&value) && !(odd && value.is_multiple_of(2));
                is_possible.then_some(OptionValue::Number(value))
            }
            OptionKind::Word(words) => {
                words.get(usize::from(value)).map(|&(word, _)| OptionValue::Word(word))
            }
        }
    }

    fn out_of_range(&self, value: impl fmt::Display) -> SettingError {
        let (name, value, possible) = (self.name, value.to_string(), self.possible());
        SettingError::OutOfRange { name, value, possible }
    }
}

/// The value of a rule option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionValue {
    /// A number.
    Number(u8),
    /// One of the option's words.
    Word(&'static str),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Word(word) => word.fmt(formatter),
        }
    }
}

/// A game's rule options as a struct, without strings.
pub trait TypedOptions: Copy + Default {
    /// Reads the options from settings.
    fn read(settings: &Settings) -> Self;

    /// The values in catalogue order. A word is represented by its index in the list of words.
    fn values(&self) -> Vec<u8>;
}

/// Implements [`TypedOptions`] for a struct whose fields are the options: numbers, then a word as an enum with `ALL`.
/// With `of GAME`, the defaults come from the game's catalogue entry.
macro_rules! typed_options {
    ($options:ty $(, of $game:ty)?: $($number:ident),+ $(; $word:ident: $kind:ty)?) => {
        $(impl Default for $options {
            fn default() -> Self {
                let options = <$game as crate::catalog::Catalogued>::OPTIONS;
                crate::settings::TypedOptions::read(&crate::settings::Settings::defaults(options))
            }
        })?

        impl crate::settings::TypedOptions for $options {
            fn read(settings: &crate::settings::Settings) -> Self {
                Self {
                    $($number: settings.number(stringify!($number)),)+
                    $($word: settings.pick(stringify!($word), &<$kind>::ALL),)?
                }
            }

            fn values(&self) -> Vec<u8> {
                vec![$(self.$number,)+ $(self.$word as u8)?]
            }
        }
    };
}

pub(crate) use typed_options;

/// The reasons why a rule option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// The text does not have the form `NAME=VALUE`.
    #[error("\"{given}\" is not a rule option: write NAME=VALUE, such as {example}", given = quotable(.0), example = .1)]
    Malformed(String, String),
    /// The game has no option with that name.
    #[error("there is no rule option \"{}\" in this game: it has {possible}", quotable(.name))]
    Unknown {
        /// The given text.
        name: String,
        /// The game's options.
        possible: String,
    },
    /// The value is not allowed.
    #[error("{name}={} is not possible: expected {possible}", quotable(.value))]
    OutOfRange {
        /// The option.
        name: &'static str,
        /// The given text.
        value: String,
        /// The allowed values.
        possible: String,
    },
    /// The option is given twice.
    #[error("the rule option {0} is given twice")]
    Twice(&'static str),
}

/// One value for each rule option of a game.
#[derive(Clone, Debug)]
pub struct Settings {
    options: &'static [RuleOption],
    values: Vec<OptionValue>,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        self.iter()
            .map(|(option, value)| (option.name, value))
            .eq(other.iter().map(|(option, value)| (option.name, value)))
    }
}

impl Settings {
    /// The rulebook's values.
    #[must_use]
    pub fn defaults(options: &'static [RuleOption]) -> Self {
        Self { options, values: options.iter().map(RuleOption::default).collect() }
    }

    /// The rulebook's values, except for options given as `NAME=VALUE`.
    ///
    /// # Errors
    /// If an option is malformed, unknown, out of range or given twice.
    pub fn parse<'a>(
        options: &'static [RuleOption],
        given: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, SettingError> {
        let mut settings = Self::defaults(options);
        let mut seen = Vec::new();
        for text in given {
            let name = settings.set(text)?;
            if seen.contains(&name) {
                return Err(SettingError::Twice(name));
            }
            seen.push(name);
        }
        Ok(settings)
    }

    /// The settings equivalent to typed options.
    ///
    /// # Errors
    /// If an option is out of range.
    pub(crate) fn of(
        options: &'static [RuleOption],
        typed: &impl TypedOptions,
    ) -> Result<Self, SettingError> {
        let values = typed.values();
        assert_eq!(values.len(), options.len(), "a value for each option");
        let pairs = options.iter().zip(values);
        let read = pairs
            .map(|(option, value)| option.value(value).ok_or_else(|| option.out_of_range(value)));
        Ok(Self { options, values: read.collect::<Result<_, _>>()? })
    }

    /// Sets one option from `NAME=VALUE` and returns its name.
    ///
    /// # Errors
    /// If the option is malformed, unknown or out of range. The settings stay unchanged.
    pub fn set(&mut self, text: &str) -> Result<&'static str, SettingError> {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            let example = self
                .options
                .first()
                .map_or_else(String::new, |option| format!("{}={}", option.name, option.default()));
            SettingError::Malformed(text.to_owned(), example)
        })?;
        let (name, value) = (name.trim(), value.trim());
        let index = self
            .options
            .iter()
            .position(|option| option.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| SettingError::Unknown {
            name: name.to_owned(),
            possible: conjunction(self.options.iter().map(|option| option.name)),
        })?;
        let option = &self.options[index];
        self.values[index] = option.parse(value).ok_or_else(|| option.out_of_range(value))?;
        Ok(option.name)
    }

    /// Whether the settings are valid for `options`.
    #[must_use]
    pub fn fit(&self, options: &[RuleOption]) -> bool {
        self.values.len() == options.len()
            && self.iter().zip(options).all(|((mine, value), option)| {
                mine.name == option.name && option.parse(&value.to_string()) == Some(value)
            })
    }

    /// Every option with its value, in catalogue order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static RuleOption, OptionValue)> {
        self.options.iter().zip(self.values.iter().copied())
    }

    /// The value of a number option.
    ///
    /// # Panics
    /// If the game has no such option: a bug in the game.
    #[must_use]
    pub fn number(&self, name: &str) -> u8 {
        match self.value(name) {
            (_, OptionValue::Number(number)) => number,
            (_, OptionValue::Word(_)) => panic!("{name} is a word"),
        }
    }

    /// The value of a word option.
    ///
    /// # Panics
    /// If the game has no such option: a bug in the game.
    #[must_use]
    pub fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            (_, OptionValue::Word(word)) => word,
            (_, OptionValue::Number(_)) => panic!("{name} is a number"),
        }
    }

    /// The entry of `values` that corresponds to the value of a word option.
    ///
    /// # Panics
    /// If the game has no such option or `values` is too short: a bug in the game.
    #[must_use]
    pub fn pick<T: Copy>(&self, name: &str, values: &[T]) -> T {
        let (option, value) = self.value(name);
        let OptionKind::Word(words) = option.kind else { panic!("{name} is a number") };
        let index = words.iter().position(|&(word, _)| OptionValue::Word(word) == value);
        values[index.expect("the value is one of the words")]
    }

    fn value(&self, name: &str) -> (&'static RuleOption, OptionValue) {
        self.iter()
            .find(|(option, _)| option.name == name)
            .expect("a game asks only for options it lists")
    }

    /// The differences from the rulebook, in the notation of records: `positions=9 steps=3`.
    #[must_use]
    pub fn changes(&self) -> String {
        let changed: Vec<String> = self
            .iter()
            .filter(|(option, value)| *value != option.default())
            .map(|(option, value)| format!("{}={value}", option.name))
            .collect();
        changed.join(" ")
    }
}

/// Lists alternatives: `a`, `a or b`, `a, b or c`.
pub fn alternatives<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    listed(items, "or")
}

/// Lists items: `a`, `a and b`, `a, b and c`.
pub fn conjunction<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    listed(items, "and")
}

fn listed<T: fmt::Display>(items: impl IntoIterator<Item = T>, last: &str) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let Some(end) = items.pop() else { return "none".to_owned() };
    if items.is_empty() { end } else { format!("{} {last} {end}", items.join(", ")) }
}
