//! The text of Capture the Line on the command line, in the rulebook's words.

use super::{CaptureTheLine, Event};
use crate::game::{Game, Outcome};
use crate::settings::alternatives;
use crate::side::Side;
use crate::text::{Columns, Page, Prompt, Text, sentences};
use crate::tokens::Tokens;

impl Text for CaptureTheLine {
    fn welcome(&self, state: &Tokens, page: &Page) -> String {
        format!(
            "Welcome to Capture the Line!\n\n\
             {}\nBe the first player to land exactly on Point {}!\n\n{} starts.",
            page.lines(|name, side| format!("{name} starts on Point {}.", self.line.base(side))),
            self.centre,
            page.names[state.to_move],
        )
    }

    fn board(&self, state: &Tokens, page: &Page) -> String {
        let positions = page.lines(|name, side| {
            let won = self.outcome(state) == Some(Outcome::Won(side));
            let mark = if won { " (Victory)" } else { "" };
            format!("- {name}: Point {}{mark}", state.at[side])
        });
        format!("Player Positions:\n{positions}\n\n{}", self.path(state, page.width))
    }

    fn prompt(&self, state: &Tokens, side: Side, page: &Page) -> Prompt {
        let other = side.other();
        Prompt {
            lead: format!(
                "It's {} turn.\nCurrent Positions: {} at Point {}, {} at Point {}.",
                page.names.possessive(side),
                page.names[side],
                state.at[side],
                page.names[other],
                state.at[other]
            ),
            // R-CTL-1: players can also enter moves that are too long; these are adjusted.
            ask: format!(
                "Choose your move (enter {} to move forward that many points): ",
                alternatives(1..=self.steps)
            ),
        }
    }

    fn report(&self, after: &Tokens, events: &[Event], page: &Page) -> String {
        // The rulebook has a blank line between an adjustment and the move.
        let adjusted = events.iter().take_while(|event| matches!(event, Event::Own(_))).count();
        let (before, rest) = events.split_at(adjusted);
        let lead =
            if before.is_empty() { String::new() } else { sentences(before, page.names) + "\n\n" };
        format!("{lead}{}\n\n{}", sentences(rest, page.names), self.board(after, page))
    }
}

impl CaptureTheLine {
    /// The path, with the two markers in brackets: `1 - [2] - 3 - …`.
    fn path(&self, state: &Tokens, width: usize) -> String {
        let cell = |place| {
            let marked = state.at.one == place || state.at.two == place;
            let shown = if marked { format!("[{place}]") } else { place.to_string() };
            let link = if place == self.line.last { "" } else { " - " };
            vec![shown + link]
        };
        let cells = (self.line.first..=self.line.last).map(cell).collect();
        Columns { labels: vec![String::new()], cells }.lay_out(width)
    }
}
