//! The text of Capture and Conquer on the command line, in the rulebook's words.

use super::{CaptureAndConquer, Event};
use crate::game::Game;
use crate::settings::alternatives;
use crate::side::Side;
use crate::text::{Columns, Page, Prompt, Text, sentences};
use crate::tokens::{Step, Tokens};

impl Text for CaptureAndConquer {
    fn welcome(&self, state: &Tokens, page: &Page) -> String {
        format!(
            "Welcome to Capture and Conquer!\n\n\
             {}\n\n{} starts first.",
            page.bases(self.line),
            page.names[state.to_move],
        )
    }

    fn board(&self, state: &Tokens, page: &Page) -> String {
        let label = if self.outcome(state).is_some() { "Final Positions: " } else { "Positions: " };
        let cell = |place| {
            let here = Side::ALL.into_iter().filter(|&side| state.at[side] == place);
            let units: Vec<&str> = here.flat_map(|side| [" ", side.token()]).collect();
            vec![format!("[{place}{}]", units.concat())]
        };
        let cells = (self.line.first..=self.line.last).map(cell).collect();
        Columns { labels: vec![label.to_owned()], cells }.lay_out(page.width)
    }

    fn prompt(&self, state: &Tokens, side: Side, page: &Page) -> Prompt {
        let legal = self.actions(state, side);
        let noun = if *legal == [Step::Forward(1)] { "position" } else { "positions" };
        Prompt {
            lead: format!("{} turn.", page.names.possessive(side)),
            ask: format!("Enter your move ({} {noun} forward): ", alternatives(&legal)),
        }
    }

    fn report(&self, after: &Tokens, events: &[Event], page: &Page) -> String {
        // The rulebook has a blank line after a battle and at the end, but not after a plain move.
        let gap = if events.len() > 1 { "\n\n" } else { "\n" };
        format!("{}{gap}{}", sentences(events, page.names), self.board(after, page))
    }
}
