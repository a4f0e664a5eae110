//! Assigns a key to every action of a game, so that one press plays the action. Keys do not depend on which actions are
//! currently legal.

use ratatui::crossterm::event::KeyCode;
use ratatui::text::Line;
use skirmish_present::choice::{Consequence, consequences};
use skirmish_rules::{Choice, Side, Table};

use super::look::Ink;
use super::parts::Canvas;
use super::screen::{Help, Press};

/// Letters that are commands during a game.
const TAKEN: &str = "uhantqjklgrm?: ";

/// All digits, as the help names them.
pub(super) const DIGITS: &str = "1 2 3 … 0";

/// The keys of a game's actions.
pub(super) struct Keys {
    /// Every action, with its key if it has one.
    actions: Vec<(Choice, Option<char>)>,
}

impl Keys {
    pub(super) fn of(table: &dyn Table) -> Self {
        Self::new(table.vocabulary())
    }

    /// Assigns keys: an action that ends in a number gets its last digit, and any other action of such a game its first
    /// letter. In games without numbers, the actions are numbered from 1.
    fn new(vocabulary: Vec<Choice>) -> Self {
        let is_numbered = vocabulary.iter().any(|action| last_digit(action).is_some());
        let key = |(index, action): (usize, &Choice)| {
            if is_numbered {
                return last_digit(action).or_else(|| initial(action, &vocabulary));
            }
            let number = u32::try_from(index + 1).ok().filter(|number| *number <= 10)?;
            char::from_digit(number % 10, 10)
        };
        let keys: Vec<Option<char>> = vocabulary.iter().enumerate().map(key).collect();
        Self { actions: vocabulary.into_iter().zip(keys).collect() }
    }

    /// The key of a choice; a space if it has none.
    pub(super) fn key(&self, choice: &Choice) -> char {
        let own = self.actions.iter().find(|(action, _)| action.notation == choice.notation);
        let key = match own {
            Some((_, key)) => *key,
            // Every choice except a pass is in the vocabulary.
            None => self.letter(choice),
        };
        key.unwrap_or(' ')
    }

    /// The first letter of a choice, if it is neither a command nor the first letter of another action.
    fn letter(&self, choice: &Choice) -> Option<char> {
        initial(choice, self.actions.iter().map(|(action, _)| action))
    }

    /// Whether a key plays a choice.
    pub(super) fn is_played(&self, key: char, choice: &Choice) -> bool {
        self.key(choice) == key || self.letter(choice) == Some(key)
    }

    /// Help on the keys that play a move.
    pub(super) fn help(&self, choices: &[Choice]) -> Vec<Help> {
        let mut help = vec![(DIGITS.into(), "play the move of that key at once")];
        let letters = choices.iter().filter_map(|choice| self.letter(choice).map(String::from));
        let letters = letters.collect::<Vec<String>>().join(" ");
        if !letters.is_empty() {
            help.push((letters.into(), "the same, by its first letter"));
        }
        help.push(("←↑→↓".into(), "move the cursor"));
        help
    }

    /// Interprets a key or a click, and moves the cursor.
    pub(super) fn pick(&self, press: Press, choices: &[Choice], chosen: &mut usize) -> Picked {
        let letter = match press {
            Press::Pick(number) => return Picked::Choice(number),
            Press::Key(KeyCode::Char(letter)) => Some(letter),
            Press::Key(_) | Press::Control(_) | Press::Wheel(_) => None,
        };
        if let Some(picked) = letter.and_then(|letter| self.played(letter, choices, chosen)) {
            return picked;
        }
        match press.step(*chosen, choices.len()) {
            Some(next) => *chosen = next,
            None if press.is_enter() => return Picked::Choice(*chosen),
            None => {}
        }
        Picked::Nothing
    }

    /// The effect of a letter or a digit.
    fn played(&self, key: char, choices: &[Choice], chosen: &mut usize) -> Option<Picked> {
        let key = key.to_ascii_lowercase();
        let with_key = |choice: &Choice| self.key(choice) == key && key != ' ';
        let numbers: Vec<usize> = (0..choices.len()).filter(|&at| with_key(&choices[at])).collect();
        match *numbers.as_slice() {
            [] => {}
            [only] => return Some(Picked::Choice(only)),
            // On a long board, several units may share a last digit: the key selects each in turn.
            [first, ..] => {
                *chosen = numbers.iter().copied().find(|at| at > chosen).unwrap_or(first);
                return Some(Picked::Nothing);
            }
        }
        if let Some(number) = choices.iter().position(|choice| self.letter(choice) == Some(key)) {
            return Some(Picked::Choice(number));
        }
        let is_digit = key.is_ascii_digit();
        let illegal = self.actions.iter().find(|(_, own)| is_digit && *own == Some(key));
        let text = illegal.map(|(action, _)| action.notation.clone());
        text.or_else(|| is_digit.then(|| key.to_string())).map(Picked::Line)
    }
}

/// The keys of some choices.
pub(super) fn keys(table: &dyn Table, choices: &[Choice]) -> Vec<char> {
    let keys = Keys::of(table);
    choices.iter().map(|choice| keys.key(choice)).collect()
}

/// A side's choices with their keys and what they do, as the lines of a list. Who wins is for the player to find out.
pub(super) fn lines(
    table: &dyn Table,
    side: Side,
    choices: &[Choice],
    canvas: &Canvas,
) -> Vec<Line<'static>> {
    let line = |(key, Consequence { label, .. }): (char, Consequence)| {
        canvas.led(Ink::Key, format!("{key} "), format!("{label} "))
    };
    keys(table, choices).into_iter().zip(consequences(table, side)).map(line).collect()
}

fn last_digit(action: &Choice) -> Option<char> {
    action.notation.chars().last().filter(char::is_ascii_digit)
}

/// The first letter of an action, if it is neither a command nor the first letter of another action.
fn initial<'a>(action: &Choice, all: impl IntoIterator<Item = &'a Choice>) -> Option<char> {
    let first = |action: &Choice| action.words.chars().next().map(|it| it.to_ascii_lowercase());
    let own = first(action).filter(char::is_ascii_alphabetic)?;
    let is_free = own == 'r' || !TAKEN.contains(own);
    let is_other = |other: &&Choice| other.notation != action.notation && first(other) == Some(own);
    (is_free && !all.into_iter().any(|other| is_other(&other))).then_some(own)
}

/// The meaning of a key or a click in a list of choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    /// The choice with this number.
    Choice(usize),
    /// Text to enter for a digit that is not the key of a legal choice. It is either an abbreviation, or rejected with a
    /// reason.
    Line(String),
    /// No choice; the cursor may have moved.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sixth::SIX_GAMES;

    fn choices(words: &[&str]) -> Vec<Choice> {
        let choice = |&word: &&str| Choice {
            notation: match word {
                "Special Attack" => "special".to_owned(),
                "recruit" => "r".to_owned(),
                _ => word.to_lowercase().replace("move ", "m"),
            },
            words: word.to_owned(),
            is_pass: word == "pass",
        };
        words.iter().map(choice).collect()
    }

    fn pressed(keys: &Keys, key: char, choices: &[Choice]) -> Picked {
        keys.pick(Press::letter(key), choices, &mut 0)
    }

    fn keys(game: &str) -> Keys {
        let entry = SIX_GAMES.find(game).expect("the game exists");
        Keys::of(&*entry.open(entry.setup()).expect("the default start is valid"))
    }

    #[test]
    fn digits_play_themselves() {
        let keys = keys("base-battle");
        let steps = choices(&["2", "3"]);
        assert_eq!(steps.iter().map(|step| keys.key(step)).collect::<String>(), "23");
        assert_eq!(pressed(&keys, '3', &steps), Picked::Choice(1));
        assert_eq!(pressed(&keys, '1', &steps), Picked::Line("1".to_owned()));
        assert_eq!(pressed(&keys, '9', &steps), Picked::Line("9".to_owned()));
    }

    /// Regression: keys used to be positions in the list, and shifted when a choice was missing.
    #[test]
    fn an_action_keeps_its_key() {
        let keys = keys("command-clash");
        let poor = choices(&["Charge", "Attack", "Shield"]);
        assert_eq!(pressed(&keys, '4', &poor), Picked::Choice(2));
        assert_eq!(pressed(&keys, '3', &poor), Picked::Line("special".to_owned()));
        assert_eq!(pressed(&keys, 'c', &poor), Picked::Choice(0));
        // `a` switches the analysis on, and two actions begin with `s`, even where only one of them is legal.
        assert_eq!(pressed(&keys, 'a', &poor), Picked::Nothing);
        assert_eq!(pressed(&keys, 's', &poor), Picked::Nothing);
    }

    #[test]
    fn a_unit_has_the_last_digit_of_its_position() {
        let keys = keys("command-line-conquer");
        let units = choices(&["move 3", "move 10", "recruit"]);
        assert_eq!(units.iter().map(|unit| keys.key(unit)).collect::<String>(), "30r");
        assert_eq!(pressed(&keys, '0', &units), Picked::Choice(1));
        assert_eq!(pressed(&keys, 'R', &units), Picked::Choice(2));
        assert_eq!(pressed(&keys, '5', &units), Picked::Line("m5".to_owned()));
        assert_eq!(pressed(&keys, 'm', &units), Picked::Nothing);
    }

    #[test]
    fn a_key_of_two_units_selects_them_in_turn() {
        let keys = Keys::new(choices(&["move 2", "move 3", "move 12", "recruit"]));
        let units = choices(&["move 2", "move 3", "move 12"]);
        let mut chosen = 0;
        for expected in [2, 0, 2] {
            let picked = keys.pick(Press::letter('2'), &units, &mut chosen);
            assert_eq!((picked, chosen), (Picked::Nothing, expected));
        }
    }

    #[test]
    fn a_forced_pass_has_a_letter() {
        let pass = choices(&["pass"]);
        let keys = keys("base-battle");
        assert_eq!((keys.key(&pass[0]), pressed(&keys, 'p', &pass)), ('p', Picked::Choice(0)));
    }
}
