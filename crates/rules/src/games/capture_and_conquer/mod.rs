//! Capture and Conquer: one unit each; whoever lands on the other sends it home.

mod event;
mod text;

#[cfg(test)]
mod tests;

pub use event::Event;

use crate::catalog::{Catalogued, Preset, Starter};
use crate::game::{Actions, Game, Outcome};
use crate::graph::Index;
use crate::line::Line;
use crate::notation::{Notation, PositionError};
use crate::scene::Scene;
use crate::settings::{RuleOption, Settings};
use crate::side::{Both, Names, Side};
use crate::tokens::{Step, TokenIndex, Tokens, positions_option, steps_option};

/// The game under one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct CaptureAndConquer {
    line: Line,
    steps: u8,
}

impl Default for CaptureAndConquer {
    fn default() -> Self {
        Self::with(&Settings::defaults(Self::OPTIONS))
    }
}

impl Catalogued for CaptureAndConquer {
    const ID: &'static str = "capture-and-conquer";
    const NAME: &'static str = "Capture and Conquer";
    const SUMMARY: &'static str = "Reach the enemy base; send its unit home on the way.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const STARTER: Starter = Starter::Toss;
    const OPTIONS: &'static [RuleOption] =
        &[positions_option("The number of positions on the board."), steps_option(2)];

    const PRESETS: &'static [Preset] = &[Preset {
        name: "fair",
        rules: "positions=10 steps=3",
        about: "Neither side wins by force, there is more to choose, and fewer positions are endless.",
    }];

    fn with(settings: &Settings) -> Self {
        Self { line: Line::new(0, settings.number("positions")), steps: settings.number("steps") }
    }
}

impl Game for CaptureAndConquer {
    type State = Tokens;
    type Action = Step;
    type Event = Event;

    fn start(&self, first: Side) -> Tokens {
        Tokens::start(self.line, first)
    }

    fn outcome(&self, state: &Tokens) -> Option<Outcome> {
        // Only the side that has just moved can have reached a base: being sent home is not a win.
        let moved = state.to_move.other();
        (state.at[moved] == self.line.base(state.to_move)).then_some(Outcome::Won(moved))
    }

    fn actions(&self, state: &Tokens, side: Side) -> Actions<Step> {
        if side != state.to_move || self.outcome(state).is_some() {
            return Actions::new();
        }
        // R-CC-2: a move beyond the board is not legal. R-CC-1: passing the enemy unit is.
        Step::legal(self.steps, |steps| self.line.ahead(side, state.mover(), steps).is_some())
    }

    fn resolve(
        &self,
        state: &Tokens,
        turn: Both<Option<Step>>,
        mut tell: impl FnMut(Event),
    ) -> Tokens {
        let side = state.to_move;
        let enemy = side.other();
        let Some(Step::Forward(steps)) = turn[side] else {
            unreachable!("the mover always has a move");
        };
        let to =
            self.line.ahead(side, state.mover(), steps).expect("a legal move stays on the board");
        tell(Event::Moved { side, from: state.mover(), to });
        if to == self.line.base(enemy) {
            // R-CC-3: also when its owner stands there, who remains there.
            tell(Event::Won { side });
            return state.after(to, state.waiter());
        }
        if to != state.waiter() {
            return state.after(to, state.waiter());
        }
        let home = self.line.base(enemy);
        tell(Event::Battle { side, at: to, home });
        state.after(to, home)
    }

    fn mover(&self, state: &Tokens) -> Option<Side> {
        Some(state.to_move)
    }

    fn index(&self) -> Option<impl Index<Tokens> + 'static> {
        let game = *self;
        Some(TokenIndex::new(self.line, move |state| game.fault(state).is_none()))
    }

    fn scene(&self, state: &Tokens) -> Scene {
        state.scene(self.line.track())
    }

    fn mirror(&self, state: &Tokens) -> Tokens {
        state.mirror(self.line)
    }

    fn mirror_action(&self, action: Step) -> Step {
        action
    }
}

impl CaptureAndConquer {
    /// Why a position on this board makes no sense, if it does not.
    fn fault(&self, state: &Tokens) -> Option<String> {
        if state.at.one == state.at.two && self.outcome(state).is_none() {
            let why = "two units never stand on one position: the one that moved there sends the other home";
            return Some(why.to_owned());
        }
        state.overdue(self.line)
    }
}

impl Notation for CaptureAndConquer {
    fn vocabulary(&self) -> Vec<Step> {
        Step::vocabulary(self.steps)
    }

    fn objection(&self, state: &Tokens, side: Side, action: Step, _names: &Names) -> String {
        let left = self.line.distance(side.other(), state.at[side]);
        format!("Cannot move {action} positions; the enemy base is only {left} away.")
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
