//! Capture and Conquer: one unit each; landing on the other unit sends it home.

mod event;
mod text;

#[cfg(test)]
mod tests;

pub use event::{Event, SentHome};

use crate::catalog::{Catalogued, Preset, Starter};
use crate::game::Game;
use crate::line::Line;
use crate::settings::RuleOption;
use crate::side::{Names, Side};
pub use crate::tokens::Options;
use crate::tokens::{OneToken, Tokens, positions_option, steps_option};

/// Capture and Conquer with one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct CaptureAndConquer {
    line: Line,
    steps: u8,
}

impl Catalogued for CaptureAndConquer {
    type Options = Options;

    const ID: &'static str = "capture-and-conquer";
    const NAME: &'static str = "Capture and Conquer";
    const SUMMARY: &'static str = "Reach the enemy base; send its unit home on the way.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const DRAWINGS: Option<&'static str> = Some(include_str!("drawings.txt"));
    const DAILY_SINCE: Option<&'static str> = Some("1970-01-01");
    const STARTER: Starter = Starter::Toss;
    const OPTIONS: &'static [RuleOption] =
        &[positions_option("The number of positions on the board."), steps_option(2)];

    const PRESETS: &'static [Preset] = &[Preset {
        name: "fair",
        rules: "positions=10 steps=3",
        about: "Neither side wins by force, there is more to choose, and fewer positions are endless.",
    }];

    fn build(Options { positions, steps }: Options) -> Self {
        Self { line: Line::new(0, positions), steps }
    }
}

impl OneToken for CaptureAndConquer {
    type Own = SentHome;

    fn line(&self) -> Line {
        self.line
    }

    fn steps(&self) -> u8 {
        self.steps
    }

    fn landing(&self, state: &Tokens, steps: u8) -> Option<u8> {
        // R-CC-2: a move beyond the board is not legal. R-CC-1: passing the enemy unit is legal.
        self.line.ahead(state.to_move, state.mover(), steps)
    }

    /// The battle caused by landing on `to`, if any. R-CC-3: there is no battle on the enemy base; the defender stays
    /// there.
    fn impact(&self, state: &Tokens, to: u8) -> Option<(SentHome, u8)> {
        let side = state.to_move;
        let home = self.line.base(side.other());
        (to == state.waiter()).then_some((SentHome { side, at: to, home }, home))
    }

    fn obstruction(&self, state: &Tokens, side: Side, steps: u8, _names: &Names) -> String {
        let left = self.line.distance(side.other(), state.at[side]);
        format!("Cannot move {steps} positions; the enemy base is only {left} away.")
    }

    fn fault(&self, state: &Tokens) -> Option<String> {
        if state.at.one == state.at.two && self.outcome(state).is_none() {
            let why =
                "two units cannot share a position: the one that moved there sends the other home";
            return Some(why.to_owned());
        }
        state.overdue(self.line)
    }
}
