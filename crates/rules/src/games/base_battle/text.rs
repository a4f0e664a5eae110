//! The text of Base Battle on the command line, in the rulebook's words.

use super::BaseBattle;
use crate::game::Game;
use crate::settings::alternatives;
use crate::side::Side;
use crate::text::{Columns, Page, Prompt, Text};
use crate::tokens::{Step, Tokens};

impl Text for BaseBattle {
    fn welcome(&self, state: &Tokens, page: &Page) -> String {
        format!(
            "Welcome to Base Battle!\n\n\
             {}\nBe the first player to reach your opponent's base!\n\n{} takes the first turn.",
            page.lines(|name, side| {
                format!("{name} starts at position {}, their own base.", self.line.base(side))
            }),
            page.names[state.to_move],
        )
    }

    fn board(&self, state: &Tokens, page: &Page) -> String {
        let cell = |place| {
            let here = Side::ALL.into_iter().filter(|&side| state.at[side] == place);
            let token = match here.collect::<Vec<Side>>().as_slice() {
                [] => "[  _ ]".to_owned(),
                [side] => format!("[ {} ]", side.token()),
                // Only push=behind lets two tokens share a position (R-BB-1).
                _ => "[P1P2]".to_owned(),
            };
            vec![token, format!("  {place}")]
        };
        let cells = (self.line.first..=self.line.last).map(cell).collect();
        Columns { labels: vec![String::new(); 2], cells }.lay_out(page.width)
    }

    fn prompt(&self, state: &Tokens, side: Side, page: &Page) -> Prompt {
        let other = side.other();
        let legal = self.actions(state, side);
        let range = match &*legal {
            [_, .., Step::Forward(last)] if usize::from(*last) == legal.len() => {
                format!("1-{last}")
            }
            _ => alternatives(&legal),
        };
        Prompt {
            lead: format!(
                "{}, you are at position {}.\n{} is at position {}.",
                page.names[side], state.at[side], page.names[other], state.at[other]
            ),
            ask: format!("Enter your move ({range}): "),
        }
    }
}
