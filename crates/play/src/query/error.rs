//! Errors in the text of a query, with the wrong word underlined.

use std::fmt;
use std::ops::Range;

use skirmish_rules::{columns, printable};

/// An error in the text of a query: the reason, and where it occurred.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct QueryError {
    pub(super) text: String,
    /// The byte range of the error; empty at the end of the text.
    pub(super) span: Range<usize>,
    pub(super) why: String,
}

impl QueryError {
    /// Returns the reason for the error.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Returns the wrong part of the text; empty if something is missing at the end.
    #[must_use]
    pub fn wrong(&self) -> &str {
        &self.text[self.span.clone()]
    }
}

/// Texts longer than this, in characters, are shortened to an excerpt around the error.
const LINE: usize = 76;
const BEFORE: usize = 30;
const WRONG: usize = 24;
const AFTER: usize = 19;

/// Prints the reason, the text or its relevant part, and a mark below the wrong word.
impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.text[..self.span.start], self.wrong(), &self.text[self.span.end..]];
        let mut parts = parts.map(|text| printable(&text.replace(char::is_whitespace, " ")));
        if parts.iter().map(|part| part.chars().count()).sum::<usize>() > LINE {
            let [before, wrong, after] = &parts;
            parts = [end(before, BEFORE), start(wrong, WRONG), start(after, AFTER)];
        }
        let [before, wrong, after] = parts;
        let indent = " ".repeat(columns::width(&before));
        let mark = "^".repeat(columns::width(&wrong).max(1));
        write!(formatter, "{}\n  {before}{wrong}{after}\n  {indent}{mark}", self.why)
    }
}

/// Returns at most the first `most` characters of a text, with an ellipsis if it is cut.
fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((index, _)) => format!("{}…", &text[..index]),
        None => text.to_owned(),
    }
}

/// Returns at most the last `most` characters of a text, with an ellipsis if it is cut.
fn end(text: &str, most: usize) -> String {
    match text.char_indices().nth_back(most) {
        Some((index, before)) => format!("…{}", &text[index + before.len_utf8()..]),
        None => text.to_owned(),
    }
}
