//! The text of Command Clash on the command line, in the rulebook's words.

use super::{CommandClash, Event, Points};
use crate::columns::{pad, width};
use crate::game::Game;
use crate::side::Side;
use crate::text::{Page, Prompt, Text, sentences};

impl Text for CommandClash {
    fn welcome(&self, _state: &Points, page: &Page) -> String {
        format!(
            "Welcome to Command Clash!\n{} and {} both start with {} CP.",
            page.names.one, page.names.two, self.max
        )
    }

    fn board(&self, state: &Points, page: &Page) -> String {
        let indent = Side::ALL.map(|side| width(&page.names[side])).into_iter().max();
        let indent = indent.unwrap_or(0);
        let row = |side: Side| {
            let filled = usize::from(state.points[side]);
            let empty = usize::from(self.max) - filled;
            let (bar, rest) = ("#".repeat(filled), ".".repeat(empty));
            format!("{}  [{bar}{rest}] {filled} CP", pad(&page.names[side], indent))
        };
        Side::ALL.map(row).join("\n")
    }

    fn prompt(&self, state: &Points, side: Side, page: &Page) -> Prompt {
        let legal = self.actions(state, side);
        let actions = legal.iter().map(|action| action.name()).collect::<Vec<&str>>().join(", ");
        Prompt {
            lead: String::new(),
            ask: format!("{}, enter your action ({actions}): ", page.names[side]),
        }
    }

    fn report(&self, after: &Points, events: &[Event], page: &Page) -> String {
        let ending = events.iter().position(|event| matches!(event, Event::Won { .. }));
        let (turn, end) = events.split_at(ending.unwrap_or(events.len()));
        let end = if end.is_empty() {
            String::new()
        } else {
            format!("\n\n{}", sentences(end, page.names))
        };
        format!(
            "Actions resolving...\n{}{end}\n\n{}",
            sentences(turn, page.names),
            self.board(after, page)
        )
    }
}
