//! Why a text is not a query, with a mark below the wrong word.

use std::fmt;
use std::ops::Range;

use skirmish_rules::{columns, printable};

/// Why a text is not a query: what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct QueryError {
    pub(super) text: String,
    /// The bytes that are wrong; empty at the end of the text.
    pub(super) span: Range<usize>,
    pub(super) why: String,
}

impl QueryError {
    /// What is wrong.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The wrong part of the text; empty if something is missing at its end.
    #[must_use]
    pub fn wrong(&self) -> &str {
        &self.text[self.span.clone()]
    }
}

/// The reason, the text, and a mark below the wrong word.
impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| printable(&text.replace(char::is_whitespace, " "));
        let (before, wrong) = (shown(&self.text[..self.span.start]), shown(self.wrong()));
        let indent = " ".repeat(columns::width(&before));
        let mark = "^".repeat(columns::width(&wrong).max(1));
        let after = shown(&self.text[self.span.end..]);
        write!(formatter, "{}\n  {before}{wrong}{after}\n  {indent}{mark}", self.why)
    }
}
