//! Splits a query into words, numbers and symbols, with their positions in the text.

use std::ops::Range;

/// A token of a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// The byte range in the text.
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A word in lower case.
    Word(String),
    Number(f64),
    Symbol(Symbol),
    /// A character that is not allowed in a query.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Open,
    Close,
    To,
    AtLeast,
    AtMost,
    More,
    Less,
    Equal,
}

/// The symbols. A symbol that is a prefix of another one comes after it.
const SYMBOLS: [(&str, Symbol); 13] = [
    ("(", Symbol::Open),
    (")", Symbol::Close),
    ("..=", Symbol::To),
    ("..", Symbol::To),
    (">=", Symbol::AtLeast),
    ("≥", Symbol::AtLeast),
    ("<=", Symbol::AtMost),
    ("≤", Symbol::AtMost),
    (">", Symbol::More),
    ("<", Symbol::Less),
    ("==", Symbol::Equal),
    ("=", Symbol::Equal),
    ("…", Symbol::To),
];

/// Splits a text into tokens. Cannot fail: unknown characters become tokens too.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(letter) = text[start..].chars().next() {
        if letter.is_whitespace() {
            start += letter.len_utf8();
            continue;
        }
        let (kind, length) = first(&text[start..], letter);
        found.push(Token { kind, span: start..start + length });
        start += length;
    }
    found
}

/// Returns the first token of a text, and its length.
fn first(text: &str, letter: char) -> (TokenKind, usize) {
    if let Some(length) = number(text) {
        let number = text[..length].replace('−', "-").parse();
        return (TokenKind::Number(number.expect("digits are a number")), length);
    }
    if letter.is_alphabetic() {
        let length = text.find(|it: char| !it.is_alphanumeric()).unwrap_or(text.len());
        return (TokenKind::Word(text[..length].to_lowercase()), length);
    }
    match SYMBOLS.iter().find(|(symbol, _)| text.starts_with(symbol)) {
        Some((text, symbol)) => (TokenKind::Symbol(*symbol), text.len()),
        None => (TokenKind::Unknown, letter.len_utf8()),
    }
}

/// Returns the length of the number at the start of a text: `5`, `-0.3`. In `3..7`, the number is 3.
fn number(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = ["-", "+", "−"].into_iter().find(|sign| text.starts_with(sign)).map_or(0, str::len);
    let whole = digits(&text[sign..]);
    let end = sign + whole;
    let fraction = text[end..].strip_prefix('.').map_or(0, digits);
    let length = if fraction > 0 { end + 1 + fraction } else { end };
    (whole > 0).then_some(length)
}
