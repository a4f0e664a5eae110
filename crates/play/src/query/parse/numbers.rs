//! Parses the numbers of a query: `5`, `3..7`, `at least 2`, `two`.

use super::super::amount::Amount;
use super::super::error::QueryError;
use super::super::tokens::{Symbol, TokenKind};
use super::Parser;

/// The largest accepted number.
const LARGEST: f64 = 1e6;

/// Numbers in words.
const NUMBERS: [(&str, u8); 12] = [
    ("no", 0),
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
];

/// The meaning of the comparison symbols.
const COMPARISONS: [(Symbol, Condition); 5] = [
    (Symbol::AtLeast, Amount::AtLeast),
    (Symbol::AtMost, Amount::AtMost),
    (Symbol::More, Amount::MoreThan),
    (Symbol::Less, Amount::LessThan),
    (Symbol::Equal, Amount::Exactly),
];

/// Makes a condition from a number.
type Condition = fn(f64) -> Amount;

impl Parser<'_> {
    /// Whether the next token can begin an amount.
    pub(super) fn begins_amount(&self) -> bool {
        const WORDS: [&str; 7] = ["at", "more", "fewer", "less", "exactly", "only", "between"];
        match self.peek() {
            Some(TokenKind::Number(_)) => true,
            Some(TokenKind::Symbol(symbol)) => {
                !matches!(symbol, Symbol::Open | Symbol::Close | Symbol::To)
            }
            Some(TokenKind::Word(word)) => {
                WORDS.contains(&word.as_str()) || NUMBERS.iter().any(|(number, _)| number == word)
            }
            Some(TokenKind::Unknown) | None => false,
        }
    }

    /// Parses `5`, `3..7`, `at least 2`, `>= 2`, `2 or more` or `no`; only non-negative whole numbers if `is_count`.
    pub(super) fn amount(&mut self, is_count: bool) -> Result<Amount, QueryError> {
        let start = self.at;
        if self.accept(&["at"]) {
            let is_least = self.expect(&["least", "most"])? == "least";
            let number = self.number(is_count)?;
            return Ok(if is_least { Amount::AtLeast(number) } else { Amount::AtMost(number) });
        }
        if self.accept(&["more"]) {
            self.expect(&["than"])?;
            return Ok(Amount::MoreThan(self.number(is_count)?));
        }
        if self.accept(&["fewer", "less"]) {
            self.expect(&["than"])?;
            return Ok(Amount::LessThan(self.number(is_count)?));
        }
        if self.accept(&["between"]) {
            let least = self.number(is_count)?;
            self.expect(&["and"])?;
            return self.range(start, least, is_count);
        }
        for (symbol, amount) in COMPARISONS {
            if self.accept_symbol(symbol) {
                return Ok(amount(self.number(is_count)?));
            }
        }
        if self.accept(&["exactly", "only"]) {
            return Ok(Amount::Exactly(self.number(is_count)?));
        }
        let number = self.number(is_count)?;
        if self.accept_symbol(Symbol::To) || self.accept(&["to"]) {
            return self.range(start, number, is_count);
        }
        // "3 or less than 5 moves" has two parts.
        let is_bound = ["more", "fewer", "less"].iter().any(|word| self.is_word(self.at + 1, word));
        if is_bound && !self.is_word(self.at + 2, "than") && self.accept(&["or"]) {
            let is_least = self.expect(&["more", "fewer", "less"])? == "more";
            return Ok(if is_least { Amount::AtLeast(number) } else { Amount::AtMost(number) });
        }
        Ok(Amount::Exactly(number))
    }

    /// Parses the end of a range.
    fn range(&mut self, start: usize, least: f64, is_count: bool) -> Result<Amount, QueryError> {
        let most = self.number(is_count)?;
        if least > most {
            let why = format!("this range is empty: expected {most}..{least}");
            return Err(self.wrong_from(start, why));
        }
        Ok(Amount::Between(least, most))
    }

    fn number(&mut self, is_count: bool) -> Result<f64, QueryError> {
        let start = self.at;
        let Some(number) = self.plain_number() else {
            return Err(self.expected(if is_count {
                "a number, such as 5, 3..7 or at least 3"
            } else {
                "a number, such as 0.3 or -1"
            }));
        };
        if number.abs() > LARGEST {
            return Err(self.wrong(start, format!("expected a number up to {LARGEST}")));
        }
        if is_count && (number < 0.0 || number.fract() != 0.0) {
            return Err(self.wrong(start, "expected a whole number, 0 or more".to_owned()));
        }
        Ok(number)
    }

    /// Parses a number in digits or in words, if one comes next.
    pub(super) fn plain_number(&mut self) -> Option<f64> {
        let number = match self.peek()? {
            TokenKind::Number(number) => *number,
            TokenKind::Word(word) => {
                let known = NUMBERS.iter().find(|(number, _)| number == word);
                f64::from(known?.1)
            }
            TokenKind::Symbol(_) | TokenKind::Unknown => return None,
        };
        self.at += 1;
        Some(number)
    }
}
