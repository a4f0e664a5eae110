//! Capture the Line: two markers move towards the centre, and the first to land on it wins.

mod event;
mod text;

#[cfg(test)]
mod tests;

pub use event::{Adjusted, Event, Obstacle};

use crate::catalog::{Catalogued, Starter};
use crate::line::Line;
use crate::settings::RuleOption;
use crate::side::{Both, Names, Side};
pub use crate::tokens::Options;
use crate::tokens::{OneToken, Tokens, positions_option, steps_option};

/// Capture the Line with one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct CaptureTheLine {
    line: Line,
    centre: u8,
    steps: u8,
}

impl Catalogued for CaptureTheLine {
    type Options = Options;

    const ID: &'static str = "capture-the-line";
    const NAME: &'static str = "Capture the Line";
    const SUMMARY: &'static str = "Be the first to land on the centre of the line.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const DRAWINGS: Option<&'static str> = Some(include_str!("drawings.txt"));
    const DAILY_SINCE: Option<&'static str> = Some("1970-01-01");
    const STARTER: Starter = Starter::PlayerOne;
    const OPTIONS: &'static [RuleOption] = &[
        positions_option("The number of points on the line; odd, so that there is a centre.").odd(),
        steps_option(2),
    ];

    fn build(Options { positions, steps }: Options) -> Self {
        Self { line: Line::new(1, positions), centre: positions.div_ceil(2), steps }
    }
}

impl CaptureTheLine {
    /// The obstacle to a move of `steps`, if any.
    fn obstacle(&self, state: &Tokens, side: Side, steps: u8) -> Option<Obstacle> {
        let gap = state.at.one.abs_diff(state.at.two);
        if steps >= gap {
            // R-CTL-2: such a move would also pass the centre, which always lies between the two markers.
            return Some(Obstacle::Opponent);
        }
        (steps > state.at[side].abs_diff(self.centre)).then_some(Obstacle::Centre(self.centre))
    }
}

impl OneToken for CaptureTheLine {
    type Own = Adjusted;

    fn line(&self) -> Line {
        self.line
    }

    fn steps(&self) -> u8 {
        self.steps
    }

    /// R-ALL-1: Player 1 always starts.
    fn starter(&self, _first: Side) -> Side {
        Side::One
    }

    fn goal(&self, _side: Side) -> u8 {
        self.centre
    }

    fn landing(&self, state: &Tokens, steps: u8) -> Option<u8> {
        match self.obstacle(state, state.to_move, steps) {
            Some(_) => None,
            None => self.line.ahead(state.to_move, state.mover(), steps),
        }
    }

    fn obstruction(&self, state: &Tokens, side: Side, steps: u8, names: &Names) -> String {
        let obstacle = self.obstacle(state, side, steps).expect("the move is not legal");
        obstacle.sentence(side, steps, names)
    }

    /// R-CTL-1: a move that is too long is shortened to the longest legal one, with a message.
    fn shortened(&self, state: &Tokens, side: Side, wanted: u8) -> Option<(u8, Adjusted)> {
        let obstacle = self.obstacle(state, side, wanted)?;
        let played =
            (1..wanted).rev().find(|&steps| self.obstacle(state, side, steps).is_none())?;
        Some((played, Adjusted { side, wanted, played, obstacle }))
    }

    fn fault(&self, state: &Tokens) -> Option<String> {
        let Both { one, two } = state.at;
        if one > self.centre || two < self.centre {
            return Some(format!("markers cannot pass the centre, Point {}", self.centre));
        }
        if one == two {
            return Some("two markers cannot share a point".to_owned());
        }
        let side = state.to_move;
        (state.mover() == self.centre)
            .then(|| format!("{side} has won, so it is {}'s turn", side.other()))
    }
}
