//! Inline Markdown: code, bold, emphasis, and links, which are shown as their text.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use skirmish_rules::columns::{cut, width};

use super::super::look::{Ink, Look};

/// A text as words, each in one or more styles.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Vec<Word>);

/// A word: styled pieces without a space between them.
type Word = Vec<(String, Style)>;

impl Words {
    pub(super) fn of(text: &str, look: Look) -> Self {
        let mut words = Self::default();
        words.add(text, look.ink(Ink::Plain), look);
        words
    }

    pub(super) fn plain(text: &str) -> Self {
        let mut words = Self::default();
        words.push(text, Style::new());
        words
    }

    /// The same words in one style.
    pub(super) fn restyled(mut self, style: Style) -> Self {
        for (_, own) in self.0.iter_mut().flatten() {
            *own = style;
        }
        self
    }

    /// Appends a colon and other words.
    pub(super) fn join(&mut self, other: &Self) {
        if let Some((text, _)) = self.0.last_mut().and_then(|word| word.last_mut()) {
            text.push(':');
        }
        self.0.extend(other.0.iter().cloned());
    }

    /// The width of all words on one line.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(width_of).sum::<usize>() + self.0.len().saturating_sub(1)
    }

    /// The width of the widest word.
    pub(super) fn widest(&self) -> usize {
        self.0.iter().map(width_of).max().unwrap_or(0)
    }

    fn add(&mut self, text: &str, style: Style, look: Look) {
        let mut rest = text;
        while let Some(found) = Found::first(rest) {
            self.push(&rest[..found.from], style);
            match found.kind {
                // Code is not parsed for further markup.
                Kind::Code => self.push(found.text, look.ink(Ink::Key)),
                Kind::Strong => self.add(found.text, style.add_modifier(Modifier::BOLD), look),
                Kind::Emphasis => self.add(found.text, style.add_modifier(Modifier::ITALIC), look),
                Kind::Link => self.add(found.text, style.add_modifier(Modifier::UNDERLINED), look),
            }
            rest = &rest[found.to..];
        }
        self.push(rest, style);
    }

    /// Adds plain text, which continues the last word unless it begins with a space.
    fn push(&mut self, text: &str, style: Style) {
        for (index, part) in text.split(' ').enumerate() {
            if index > 0 && self.0.last().is_some_and(|word| !word.is_empty()) {
                self.0.push(Vec::new());
            }
            if part.is_empty() {
                continue;
            }
            if self.0.is_empty() {
                self.0.push(Vec::new());
            }
            if let Some(word) = self.0.last_mut() {
                word.push((part.to_owned(), style));
            }
        }
    }
}

fn width_of(word: &Word) -> usize {
    word.iter().map(|(text, _)| width(text)).sum()
}

#[derive(Clone, Copy)]
enum Kind {
    Code,
    Strong,
    Emphasis,
    Link,
}

/// A span of inline markup within a text.
struct Found<'a> {
    kind: Kind,
    from: usize,
    to: usize,
    text: &'a str,
}

impl<'a> Found<'a> {
    /// Finds the first markup in a text.
    fn first(text: &'a str) -> Option<Self> {
        text.char_indices().find_map(|(at, letter)| match letter {
            '`' => Self::between(text, at, "`", Kind::Code),
            '*' if text[at..].starts_with("**") => Self::between(text, at, "**", Kind::Strong),
            '*' => Self::between(text, at, "*", Kind::Emphasis),
            '_' if !ends_in_word(&text[..at]) => {
                let found = Self::between(text, at, "_", Kind::Emphasis)?;
                (!begins_with_word(&text[found.to..])).then_some(found)
            }
            '[' => Self::link(text, at),
            _ => None,
        })
    }

    fn between(text: &'a str, from: usize, mark: &str, kind: Kind) -> Option<Self> {
        let begin = from + mark.len();
        let end = begin + text[begin..].find(mark)?;
        let inside = &text[begin..end];
        let is_code = matches!(kind, Kind::Code);
        let is_tight = inside.trim() == inside || is_code;
        let found = Self { kind, from, to: end + mark.len(), text: inside };
        (!inside.is_empty() && is_tight).then_some(found)
    }

    fn link(text: &'a str, from: usize) -> Option<Self> {
        let middle = from + text[from..].find("](")?;
        let to = middle + text[middle..].find(')')? + 1;
        let is_address = !text[middle..to].contains(' ');
        let words = &text[from + 1..middle];
        let is_link = is_address && !words.is_empty() && !words.contains(']');
        is_link.then_some(Self { kind: Kind::Link, from, to, text: words })
    }
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(char::is_alphanumeric)
}

fn begins_with_word(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
}

/// Wraps words to lines of at most `columns`, breaking words that are wider.
pub(super) fn wrapped(words: &Words, columns: usize) -> Vec<Line<'static>> {
    let columns = columns.max(1);
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::default();
    let mut used = 0;
    for word in words.0.iter().filter(|word| !word.is_empty()) {
        let own = width_of(word);
        if used > 0 && used + 1 + own > columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            // A space between two pieces of the same style takes that style, so that code looks continuous.
            let (last, next) = (line.spans.last().map(|span| span.style), word[0].1);
            let style = if last == Some(next) { next } else { Style::new() };
            line.push_span(Span::styled(" ", style));
            used += 1;
        }
        for (text, style) in word {
            let mut rest = text.as_str();
            while used + width(rest) > columns {
                let part = cut(rest, columns - used);
                let is_stuck = part.is_empty() && used == 0;
                let part = if is_stuck { &rest[..first_length(rest)] } else { part };
                line.push_span(Span::styled(part.to_owned(), *style));
                lines.push(std::mem::take(&mut line));
                used = 0;
                rest = &rest[part.len()..];
            }
            line.push_span(Span::styled(rest.to_owned(), *style));
            used += width(rest);
        }
    }
    if used > 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The length in bytes of the first character.
fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}
