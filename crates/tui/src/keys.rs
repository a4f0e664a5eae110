//! Assigns a key to every choice, so that one press plays it.

use ratatui::crossterm::event::KeyCode;
use skirmish_rules::Choice;

use super::screen::{Help, Press};

/// Letters that are commands on the playing screen.
const TAKEN: &str = "uhanqjklgrm?: ";

/// A key for each choice: its notation if that is one digit, otherwise its number in the list.
///
/// A word can also be played by its first letter, if unique: see [`letter`].
pub(super) fn keys(choices: &[Choice]) -> Vec<char> {
    let digit = |choice: &Choice| {
        let mut letters = choice.notation.chars();
        let first = letters.next().filter(char::is_ascii_digit)?;
        letters.next().is_none().then_some(first)
    };
    let has_digits = choices.iter().any(|choice| digit(choice).is_some());
    let key = |(index, choice): (usize, &Choice)| {
        if has_digits {
            return digit(choice).or_else(|| letter(choice, choices)).unwrap_or('0');
        }
        u32::try_from(index + 1).ok().and_then(|number| char::from_digit(number, 10)).unwrap_or('0')
    };
    choices.iter().enumerate().map(key).collect()
}

/// The first letter of a choice, if unused and unique.
pub(super) fn letter(choice: &Choice, choices: &[Choice]) -> Option<char> {
    let first = |choice: &Choice| choice.words.chars().next().map(|it| it.to_ascii_lowercase());
    let own = first(choice).filter(char::is_ascii_alphabetic)?;
    let is_free = own == 'r' || !TAKEN.contains(own);
    let is_alone = choices.iter().filter(|other| first(other) == Some(own)).count() == 1;
    (is_free && is_alone).then_some(own)
}

/// What the help says about the keys that play a move, exactly as they work in this position.
pub(super) fn help(choices: &[Choice]) -> Vec<Help> {
    let mut help = vec![("1 2 3 …".into(), "play the move of that key at once")];
    let letters = choices.iter().filter_map(|choice| letter(choice, choices).map(String::from));
    let letters = letters.collect::<Vec<String>>().join(", ");
    if !letters.is_empty() {
        help.push((letters.into(), "the same, by its first letter"));
    }
    help.push(("←↑→↓ jkl".into(), "move the cursor"));
    help
}

/// The label of a choice in a list: a bare number says too little.
pub(super) fn caption(choice: &Choice) -> String {
    if choice.words.chars().all(|letter| letter.is_ascii_digit()) {
        return format!("move {}", choice.words);
    }
    choice.words.clone()
}

/// The number of the choice that a key plays.
pub(super) fn played(key: char, choices: &[Choice]) -> Option<usize> {
    let by_key = keys(choices).iter().position(|own| *own == key);
    by_key.or_else(|| {
        let key = key.to_ascii_lowercase();
        choices.iter().position(|choice| letter(choice, choices) == Some(key))
    })
}

/// What a key or a click means where a side is to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    /// The choice with this number.
    Choice(usize),
    /// A digit that is not the key of a choice.
    Digit(char),
    /// Nothing, or the cursor has moved.
    Nothing,
}

/// Interprets a key or a click, and moves the cursor.
pub(super) fn pick(press: Press, choices: &[Choice], chosen: &mut usize) -> Picked {
    let letter = match press {
        Press::Pick(number) => return Picked::Choice(number),
        Press::Key(KeyCode::Char(letter)) => Some(letter),
        Press::Key(_) | Press::Control(_) => None,
    };
    if let Some(number) = letter.and_then(|letter| played(letter, choices)) {
        return Picked::Choice(number);
    }
    match (press.way(), letter) {
        (Some(way), _) => *chosen = way.step(*chosen, choices.len()),
        (None, _) if press.is_enter() => return Picked::Choice(*chosen),
        (None, Some(digit)) if digit.is_ascii_digit() => return Picked::Digit(digit),
        (None, _) => {}
    }
    Picked::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(words: &[&str]) -> Vec<Choice> {
        let choice = |word: &&str| Choice {
            notation: word.to_lowercase().replace("move ", "m"),
            words: (*word).to_owned(),
            is_pass: *word == "pass",
        };
        words.iter().map(choice).collect()
    }

    #[test]
    fn digits_play_themselves() {
        let steps = choices(&["2", "3"]);
        assert_eq!(keys(&steps), ['2', '3']);
        assert_eq!((played('3', &steps), played('1', &steps)), (Some(1), None));
    }

    #[test]
    fn words_have_a_number_and_a_letter() {
        let units = choices(&["move 0", "move 3", "recruit"]);
        assert_eq!(keys(&units), ['1', '2', '3']);
        assert_eq!((played('r', &units), played('m', &units)), (Some(2), None));
        let duel = choices(&["Charge", "Attack", "Special Attack", "Shield"]);
        // `a` switches the analysis on, and two words begin with `s`.
        assert_eq!(
            (played('c', &duel), played('a', &duel), played('s', &duel)),
            (Some(0), None, None)
        );
    }

    #[test]
    fn a_forced_pass_has_a_letter() {
        let pass = choices(&["pass"]);
        assert_eq!(played('p', &pass), Some(0));
    }
}
