//! The notation of actions and positions, for people and programs.

use std::fmt::Display;

use crate::game::Game;
use crate::printable::quotable;
use crate::side::{Names, Side};

/// The notation of one game's actions and positions.
pub trait Notation: Game {
    /// Every action of the game on this board, except passes.
    fn vocabulary(&self) -> Vec<Self::Action>;

    /// An action as typed in full by a player: `move 3`, `Special Attack`.
    fn words(&self, action: Self::Action) -> String {
        action.to_string()
    }

    /// Other ways in which a player may type an action in full: `forward 2`, `move 10 to 9`.
    fn synonyms(&self, _state: &Self::State, _side: Side, _action: Self::Action) -> Vec<String> {
        Vec::new()
    }

    /// Explains to the player, in a sentence, why a known action is not legal in this position.
    fn objection(
        &self,
        state: &Self::State,
        side: Side,
        action: Self::Action,
        names: &Names,
    ) -> String;

    /// The legal action to play instead of an illegal one, with the event that reports the change. Only Capture the
    /// Line does this (R-CTL-1).
    fn adjust(
        &self,
        _state: &Self::State,
        _side: Side,
        _action: Self::Action,
    ) -> Option<(Self::Action, Self::Event)> {
        None
    }

    /// A position as one token.
    fn position(&self, state: &Self::State) -> String;

    /// Parses a position. Any legal position is accepted, reachable or not.
    ///
    /// # Errors
    /// If `text` is malformed or describes an impossible position.
    fn parse_position(&self, text: &str) -> Result<Self::State, PositionError>;
}

/// The reasons why a text is not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The text cannot be parsed.
    #[error("\"{text}\" is not a position: write {form}")]
    Malformed {
        /// The given text.
        text: String,
        /// The expected form.
        form: String,
    },
    /// The text can be parsed, but the rules do not allow the position.
    #[error("{text} is not a legal position: {why}")]
    Impossible {
        /// The given text.
        text: String,
        /// The reason.
        why: String,
    },
}

impl PositionError {
    /// The error for a text that does not have the given form.
    pub fn malformed(text: &str, form: impl Into<String>) -> Self {
        Self::Malformed { text: quotable(text), form: form.into() }
    }

    /// The error for a position that the rules do not allow, with the reason.
    pub fn impossible(text: &str, why: impl Into<String>) -> Self {
        Self::Impossible { text: quotable(text), why: why.into() }
    }
}

/// The actions that a line of input may refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Understood {
    /// The action with this index.
    One(usize),
    /// One of several actions, all of which start with the input.
    Many(Vec<usize>),
    /// No action.
    Nothing,
}

/// Whether two texts have the same words, ignoring case and spaces.
pub(crate) fn is_same(text: &str, other: &str) -> bool {
    split(text).is_some_and(|words| Some(words) == split(other))
}

/// Finds the action that `text` refers to. Each action has a notation and words; `text` must be either of them in full,
/// or abbreviate each word of exactly one action. Case and spaces do not matter. Numbers cannot be abbreviated.
pub fn understand<N: Display, W: Display>(text: &str, actions: &[(N, W)]) -> Understood {
    let Some(typed) = split(text) else { return Understood::Nothing };
    let written = |(notation, words): &(N, W)| [notation.to_string(), words.to_string()];
    let exact = actions
        .iter()
        .position(|action| written(action).iter().any(|form| split(form).as_ref() == Some(&typed)));
    if let Some(index) = exact {
        return Understood::One(index);
    }
    let matching: Vec<usize> = (0..actions.len())
        .filter(|&index| {
            split(&written(&actions[index])[1]).is_some_and(|words| is_prefix(&typed, &words))
        })
        .collect();
    match matching.as_slice() {
        [] => Understood::Nothing,
        [one] => Understood::One(*one),
        _ => Understood::Many(matching),
    }
}

fn is_prefix(typed: &[String], words: &[String]) -> bool {
    typed.len() <= words.len()
        && typed.iter().zip(words).all(|(part, word)| {
            part == word || (!is_number(word) && word.starts_with(part.as_str()))
        })
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// Splits `text` into lower-case runs of letters and of digits. `None` if it contains any other character.
fn split(text: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    let mut joins = false;
    for letter in text.trim().chars() {
        if letter == ' ' || letter == '\t' {
            joins = false;
            continue;
        }
        if !letter.is_ascii_alphanumeric() {
            return None;
        }
        let lower = letter.to_ascii_lowercase();
        match parts.last_mut() {
            Some(last) if joins && is_number(last) == lower.is_ascii_digit() => last.push(lower),
            _ => parts.push(lower.to_string()),
        }
        joins = true;
    }
    if parts.is_empty() { None } else { Some(parts) }
}

/// Parses a small number of plain digits, without a sign or leading zeros.
#[must_use]
pub fn plain_number(text: &str) -> Option<u8> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASH: [(&str, &str); 4] = [
        ("charge", "Charge"),
        ("attack", "Attack"),
        ("special", "Special Attack"),
        ("shield", "Shield"),
    ];
    const CONQUER: [(&str, &str); 3] = [("m1", "move 1"), ("m10", "move 10"), ("r", "recruit")];

    #[test]
    fn unique_prefixes_are_understood() {
        assert_eq!(understand(" SP ", &CLASH), Understood::One(2));
        assert_eq!(understand("special att", &CLASH), Understood::One(2));
        assert_eq!(understand("c", &CLASH), Understood::One(0));
        assert_eq!(understand("rec", &CONQUER), Understood::One(2));
    }

    #[test]
    fn notation_is_always_understood() {
        assert_eq!(understand("m1", &CONQUER), Understood::One(0));
        assert_eq!(understand("m 1", &CONQUER), Understood::One(0));
        assert_eq!(understand("Move   10", &CONQUER), Understood::One(1));
        assert_eq!(understand("r", &CONQUER), Understood::One(2));
    }

    #[test]
    fn a_prefix_of_several_is_ambiguous() {
        assert_eq!(understand("s", &CLASH), Understood::Many(vec![2, 3]));
        assert_eq!(understand("m", &CONQUER), Understood::Many(vec![0, 1]));
    }

    #[test]
    fn signs_fractions_and_extra_words_mean_nothing() {
        for text in ["-1", "+1", "1.0", "m-1", "m1 m1", "", " ", "m1!", "ｍ1", "01"] {
            assert_eq!(understand(text, &CONQUER), Understood::Nothing, "{text:?}");
        }
    }
}
