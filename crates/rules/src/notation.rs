//! Actions and positions as people and programs write them.

use std::fmt::Display;

use crate::game::Game;
use crate::printable::quotable;
use crate::side::{Names, Side};

/// How one game's actions and positions are written and read.
pub trait Notation: Game {
    /// Every action that the game knows on this board, passes left out.
    fn vocabulary(&self) -> Vec<Self::Action>;

    /// An action as a player types it in full: `move 3`, `Special Attack`.
    fn words(&self, action: Self::Action) -> String {
        action.to_string()
    }

    /// Why an action of the vocabulary is not legal here, as a sentence for the player.
    fn objection(
        &self,
        state: &Self::State,
        side: Side,
        action: Self::Action,
        names: &Names,
    ) -> String;

    /// The legal action to play in place of an illegal one, with the event that says so. Only Capture
    /// the Line does this (R-CTL-1).
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

    /// Reads a position: anything that makes sense on this board, reachable or not.
    ///
    /// # Errors
    /// When the text has not the form of a position, or the position makes no sense.
    fn parse_position(&self, text: &str) -> Result<Self::State, PositionError>;
}

/// Why a text is not a position of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// It cannot be read.
    #[error("\"{text}\" is not a position: write {form}")]
    Malformed {
        /// What was given.
        text: String,
        /// What a position looks like.
        form: String,
    },
    /// It can be read but cannot be.
    #[error("{text} cannot be: {why}")]
    Impossible {
        /// What was given.
        text: String,
        /// The reason.
        why: String,
    },
}

impl PositionError {
    /// The text has not this form.
    pub fn malformed(text: &str, form: impl Into<String>) -> Self {
        Self::Malformed { text: quotable(text), form: form.into() }
    }

    /// The position has this fault.
    pub fn impossible(text: &str, why: impl Into<String>) -> Self {
        Self::Impossible { text: quotable(text), why: why.into() }
    }
}

/// What a line of input can mean among some actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Exactly this one, by its index.
    One(usize),
    /// The beginning of several.
    Many(Vec<usize>),
    /// None of them.
    Nothing,
}

/// Finds what `text` means among actions given by notation and words: either of them in full, or the
/// beginning of just one, word by word. Case and space do not matter, but a number must be whole.
pub fn understand<N: Display, W: Display>(text: &str, actions: &[(N, W)]) -> Meaning {
    let Some(typed) = split(text) else { return Meaning::Nothing };
    let written = |(notation, words): &(N, W)| [notation.to_string(), words.to_string()];
    let exact = actions
        .iter()
        .position(|action| written(action).iter().any(|form| split(form).as_ref() == Some(&typed)));
    if let Some(index) = exact {
        return Meaning::One(index);
    }
    let begun: Vec<usize> = (0..actions.len())
        .filter(|&index| {
            split(&written(&actions[index])[1]).is_some_and(|words| begins(&typed, &words))
        })
        .collect();
    match begun.as_slice() {
        [] => Meaning::Nothing,
        [one] => Meaning::One(*one),
        _ => Meaning::Many(begun),
    }
}

fn begins(typed: &[String], words: &[String]) -> bool {
    typed.len() <= words.len()
        && typed.iter().zip(words).all(|(part, word)| {
            part == word || (!is_number(word) && word.starts_with(part.as_str()))
        })
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// Lower-case runs of letters and of digits; nothing if there is any other character.
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

/// A small number written in digits alone, without a sign or leading zeros.
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
    fn unique_beginnings_are_understood() {
        assert_eq!(understand(" SP ", &CLASH), Meaning::One(2));
        assert_eq!(understand("special att", &CLASH), Meaning::One(2));
        assert_eq!(understand("c", &CLASH), Meaning::One(0));
        assert_eq!(understand("rec", &CONQUER), Meaning::One(2));
    }

    #[test]
    fn notation_is_always_understood() {
        assert_eq!(understand("m1", &CONQUER), Meaning::One(0));
        assert_eq!(understand("m 1", &CONQUER), Meaning::One(0));
        assert_eq!(understand("Move   10", &CONQUER), Meaning::One(1));
        assert_eq!(understand("r", &CONQUER), Meaning::One(2));
    }

    #[test]
    fn a_beginning_of_several_is_ambiguous() {
        assert_eq!(understand("s", &CLASH), Meaning::Many(vec![2, 3]));
        assert_eq!(understand("m", &CONQUER), Meaning::Many(vec![0, 1]));
    }

    #[test]
    fn signs_fractions_and_extra_words_mean_nothing() {
        for text in ["-1", "+1", "1.0", "m-1", "m1 m1", "", " ", "m1!", "ｍ1", "01"] {
            assert_eq!(understand(text, &CONQUER), Meaning::Nothing, "{text:?}");
        }
    }
}
