//! The text of Command Line Conquer on the command line, in the rulebook's words.

use super::{CommandLineConquer, Field};
use crate::game::Game;
use crate::notation::Notation;
use crate::settings::alternatives;
use crate::side::Side;
use crate::text::{Columns, Page, Prompt, Text};

impl Text for CommandLineConquer {
    fn welcome(&self, state: &Field, page: &Page) -> String {
        format!(
            "Welcome to Command Line Conquer!\n\n\
             {}\n\n{} takes the first turn.",
            page.bases(self.line),
            page.names[state.to_move],
        )
    }

    /// Units stand under their position; units on the same position stand below each other.
    fn board(&self, state: &Field, page: &Page) -> String {
        let units_on = |place| -> Vec<String> {
            Side::ALL
                .into_iter()
                .flat_map(|side| {
                    let gone = self.line.distance(side, place);
                    let shown = format!("{}({})", side.token(), self.strength(gone));
                    let here = state.units[side].steps().filter(|&at| at == gone).count();
                    std::iter::repeat_n(shown, here)
                })
                .collect()
        };
        let columns: Vec<Vec<String>> = (self.line.first..=self.line.last).map(units_on).collect();
        let height = columns.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let width = format!("P1({}) ", self.strength(self.line.last)).len();
        let cells = (self.line.first..=self.line.last).zip(&columns).map(|(place, units)| {
            let mut rows = vec![format!("{place:<width$}")];
            rows.extend(units.iter().map(|unit| format!("{unit:<width$}")));
            rows.resize(height + 1, " ".repeat(width));
            rows
        });
        let mut labels = vec!["Positions: ".to_owned(), "Units:     ".to_owned()];
        labels.resize(height + 1, String::new());
        Columns { labels, cells: cells.collect() }.lay_out(page.width)
    }

    fn prompt(&self, state: &Field, side: Side, page: &Page) -> Prompt {
        let actions = self.actions(state, side);
        let offered = alternatives(actions.iter().map(|&action| self.words(action)));
        Prompt {
            lead: format!("{} turn.", page.names.possessive(side)),
            ask: format!("Enter your action ({offered}): "),
        }
    }

    fn report(&self, after: &Field, events: &[super::Event], page: &Page) -> String {
        format!("{}\n\n{}", crate::text::sentences(events, page.names), self.board(after, page))
    }
}
