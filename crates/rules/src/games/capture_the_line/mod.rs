//! Capture the Line: two markers walk towards the centre; whoever lands on it first wins.

mod event;
mod text;

#[cfg(test)]
mod tests;

pub use event::{Event, Obstacle};

use crate::catalog::{Catalogued, Starter};
use crate::game::{Actions, Game, Outcome};
use crate::graph::Index;
use crate::line::Line;
use crate::notation::{Notation, PositionError};
use crate::scene::{Scene, Track};
use crate::settings::{RuleOption, Settings};
use crate::side::{Both, Names, Side};
use crate::tokens::{Step, TokenIndex, Tokens, positions_option, steps_option};

/// The game under one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct CaptureTheLine {
    line: Line,
    centre: u8,
    steps: u8,
}

impl Default for CaptureTheLine {
    fn default() -> Self {
        Self::with(&Settings::defaults(Self::OPTIONS))
    }
}

impl Catalogued for CaptureTheLine {
    const ID: &'static str = "capture-the-line";
    const NAME: &'static str = "Capture the Line";
    const SUMMARY: &'static str = "Be the first to land on the centre of the line.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const STARTER: Starter = Starter::PlayerOne;
    const OPTIONS: &'static [RuleOption] = &[
        positions_option("The number of points on the line; odd, so that there is a centre.").odd(),
        steps_option(2),
    ];

    fn with(settings: &Settings) -> Self {
        let positions = settings.number("positions");
        Self {
            line: Line::new(1, positions),
            centre: positions.div_ceil(2),
            steps: settings.number("steps"),
        }
    }
}

impl CaptureTheLine {
    /// What forbids a move of that many steps.
    fn obstacle(&self, state: &Tokens, side: Side, steps: u8) -> Option<Obstacle> {
        let gap = state.at.one.abs_diff(state.at.two);
        if steps >= gap {
            // R-CTL-2: such a move would go beyond the centre too, which always lies between the two.
            return Some(Obstacle::Opponent);
        }
        (steps > state.at[side].abs_diff(self.centre)).then_some(Obstacle::Centre(self.centre))
    }
}

impl Game for CaptureTheLine {
    type State = Tokens;
    type Action = Step;
    type Event = Event;

    /// R-ALL-1: Player 1 always starts.
    fn start(&self, _first: Side) -> Tokens {
        Tokens::start(self.line, Side::One)
    }

    fn outcome(&self, state: &Tokens) -> Option<Outcome> {
        let moved = state.to_move.other();
        (state.at[moved] == self.centre).then_some(Outcome::Won(moved))
    }

    fn actions(&self, state: &Tokens, side: Side) -> Actions<Step> {
        if side != state.to_move || self.outcome(state).is_some() {
            return Actions::new();
        }
        Step::legal(self.steps, |steps| self.obstacle(state, side, steps).is_none())
    }

    fn resolve(
        &self,
        state: &Tokens,
        turn: Both<Option<Step>>,
        mut tell: impl FnMut(Event),
    ) -> Tokens {
        let side = state.to_move;
        let steps = match turn[side].expect("the mover has chosen") {
            Step::Forward(steps) => steps,
            Step::Pass => {
                tell(Event::Passed { side });
                return state.after(state.mover(), state.waiter());
            }
        };
        let to =
            self.line.ahead(side, state.mover(), steps).expect("a legal move stays on the line");
        tell(Event::Moved { side, from: state.mover(), to });
        if to == self.centre {
            tell(Event::Won { side });
        }
        state.after(to, state.waiter())
    }

    fn mover(&self, state: &Tokens) -> Option<Side> {
        Some(state.to_move)
    }

    fn index(&self) -> Option<impl Index<Tokens> + 'static> {
        let game = *self;
        Some(TokenIndex::new(self.line, move |state| game.fault(state).is_none()))
    }

    fn scene(&self, state: &Tokens) -> Scene {
        state.scene(Track { goal: Both::new(self.centre, self.centre), ..self.line.track() })
    }

    fn mirror(&self, state: &Tokens) -> Tokens {
        state.mirror(self.line)
    }

    fn mirror_action(&self, action: Step) -> Step {
        action
    }
}

impl CaptureTheLine {
    /// Why a position on this line makes no sense, if it does not.
    fn fault(&self, state: &Tokens) -> Option<String> {
        let Both { one, two } = state.at;
        if one > self.centre || two < self.centre {
            return Some(format!("nobody goes beyond the centre, Point {}", self.centre));
        }
        if one == two {
            return Some("two markers never share a point".to_owned());
        }
        let side = state.to_move;
        (state.mover() == self.centre)
            .then(|| format!("{side} has won, so it is {}'s turn", side.other()))
    }
}

impl Notation for CaptureTheLine {
    fn vocabulary(&self) -> Vec<Step> {
        Step::vocabulary(self.steps)
    }

    fn objection(&self, state: &Tokens, side: Side, action: Step, names: &Names) -> String {
        let Step::Forward(steps) = action else { unreachable!("a pass is not in the vocabulary") };
        let obstacle =
            self.obstacle(state, side, steps).expect("only illegal moves meet objections");
        obstacle.sentence(side, steps, names)
    }

    /// R-CTL-1: too long a move is played as the longest that is possible, and the player is told.
    fn adjust(&self, state: &Tokens, side: Side, action: Step) -> Option<(Step, Event)> {
        let Step::Forward(wanted) = action else { return None };
        let obstacle = self.obstacle(state, side, wanted)?;
        let played =
            (1..wanted).rev().find(|&steps| self.obstacle(state, side, steps).is_none())?;
        Some((Step::Forward(played), Event::Adjusted { side, wanted, played, obstacle }))
    }

    fn position(&self, state: &Tokens) -> String {
        state.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Tokens, PositionError> {
        let state = Tokens::parse(text, self.line)?;
        match self.fault(&state) {
            Some(why) => Err(PositionError::impossible(text, why)),
            None => Ok(state),
        }
    }
}
