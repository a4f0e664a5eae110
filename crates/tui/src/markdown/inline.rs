//! Text in several styles, wrapped at words. Links are shown as their text.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use skirmish_present::json::{SpanMark, SpanObject};
use skirmish_rules::columns::{cut, width};

use super::super::look::{Ink, Look};

/// A text as words, each in one or more styles.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Vec<Word>);

/// A word: styled pieces without a space between them.
type Word = Vec<(String, Style)>;

impl Words {
    pub(super) fn of(spans: &[SpanObject], look: Look) -> Self {
        let mut words = Self::default();
        for span in spans {
            let mut style = look.ink(Ink::Plain);
            if span.link.0.is_some() {
                style = style.add_modifier(Modifier::UNDERLINED);
            }
            for mark in &span.marks {
                style = match mark {
                    SpanMark::Strong => style.add_modifier(Modifier::BOLD),
                    SpanMark::Em => style.add_modifier(Modifier::ITALIC),
                    SpanMark::Code => look.ink(Ink::Key),
                };
            }
            words.push(&span.text, style);
        }
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
