//! A game's text on the command line, as in the rulebook: welcome, board, prompt, report.

use crate::columns::{pad, width as width_of};
use crate::event::Narrate;
use crate::game::Game;
use crate::line::Line;
use crate::side::{Names, Side};

/// The players that a text addresses, and its maximum width.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The players' names.
    pub names: &'a Names,
    /// The maximum width of a board in columns; wider boards are broken into bands.
    pub width: usize,
}

impl Page<'_> {
    /// One line per side, Player 1's first.
    pub fn lines(&self, line: impl Fn(&str, Side) -> String) -> String {
        Side::ALL.map(|side| line(&self.names[side], side)).join("\n")
    }

    /// One line per side that states the position of its base.
    pub(crate) fn bases(&self, track: Line) -> String {
        self.lines(|_, side| {
            format!("{} base is at position {}.", self.names.possessive(side), track.base(side))
        })
    }
}

/// The text that a player sees before choosing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The lines above the question; empty if the rulebook shows none.
    pub lead: String,
    /// The question, answered on the same line.
    pub ask: String,
}

/// One game's text on the command line.
pub trait Text: Game {
    /// The greeting at the start of a game, without the board.
    fn welcome(&self, state: &Self::State, page: &Page) -> String;

    /// The board picture.
    fn board(&self, state: &Self::State, page: &Page) -> String;

    /// The prompt for `side`. Lists the legal actions, or uses the rulebook's own words if every action is legal.
    fn prompt(&self, state: &Self::State, side: Side, page: &Page) -> Prompt;

    /// The report on a turn, and the board after it.
    fn report(&self, after: &Self::State, events: &[Self::Event], page: &Page) -> String {
        format!("{}\n{}", sentences(events, page.names), self.board(after, page))
    }
}

/// The sentences of the events, one per line.
pub fn sentences<E: Narrate>(events: &[E], names: &Names) -> String {
    let lines: Vec<String> = events.iter().map(|event| event.sentence(names)).collect();
    lines.join("\n")
}

/// A number with its noun: `1 position`, `2 positions`.
#[must_use]
pub fn counted(number: impl Into<u64>, noun: &str) -> String {
    match number.into() {
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}

/// A text picture made of columns side by side, each with the same number of rows.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The label to the left of each row.
    pub labels: Vec<String>,
    /// The columns, each from top to bottom.
    pub cells: Vec<Vec<String>>,
}

impl Columns {
    /// The picture as text, broken into bands of at most `width` columns.
    #[must_use]
    pub fn lay_out(&self, width: usize) -> String {
        let margin = widest(&self.labels);
        let mut bands = Vec::new();
        let mut band = self.labels.clone();
        let mut used = margin;
        for cell in &self.cells {
            let occupied = cell.iter().map(|row| width_of(row.trim_end())).max();
            if used > margin && used + occupied.unwrap_or(0) > width {
                let next = vec![String::new(); self.labels.len()];
                bands.push(std::mem::replace(&mut band, next));
                used = margin;
            }
            for (row, text) in band.iter_mut().zip(cell) {
                *row = pad(row, used) + text;
            }
            used += widest(cell);
        }
        bands.push(band);
        let band = |rows: &Vec<String>| {
            let lines: Vec<&str> = rows.iter().map(|line| line.trim_end()).collect();
            lines.join("\n")
        };
        // A blank line separates bands of several rows.
        let gap = if self.labels.len() > 1 { "\n\n" } else { "\n" };
        bands.iter().map(band).collect::<Vec<String>>().join(gap)
    }
}

fn widest(rows: &[String]) -> usize {
    rows.iter().map(|row| width_of(row)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns {
        Columns {
            labels: vec!["At: ".to_owned(), String::new()],
            cells: (8..12).map(|at| vec![format!("[{at}]"), format!(" {at}")]).collect(),
        }
    }

    #[test]
    fn rows_stay_aligned() {
        let picture = "At: [8][9][10][11]\n     8  9  10  11";
        assert_eq!(columns().lay_out(usize::MAX), picture);
    }

    #[test]
    fn a_wide_picture_is_broken_into_bands() {
        let picture = "At: [8][9]\n     8  9\n\n    [10]\n     10\n\n    [11]\n     11";
        assert_eq!(columns().lay_out(11), picture);
    }

    #[test]
    fn a_column_is_shown_however_narrow_the_page() {
        assert_eq!(columns().lay_out(0).matches('[').count(), 4);
    }
}
