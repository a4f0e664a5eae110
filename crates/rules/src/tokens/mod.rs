//! The rules shared by the three games in which each side has one token.

mod event;
mod state;

pub(crate) use event::moves;
pub use event::{Event, Wording, token};
use state::TokenIndex;
pub use state::{Step, Tokens};

use crate::game::{Actions, Game, Outcome};
use crate::graph::Index;
use crate::line::{Line, Shift};
use crate::notation::{Notation, PositionError};
use crate::scene::{Scene, Track};
use crate::settings::{RuleOption, typed_options};
use crate::side::{Both, Names, Side};

/// The parts of a one-token game that differ from the shared rules. Implementing this trait also implements [`Game`]
/// and [`Notation`].
pub trait OneToken: Copy + Send + Sync + 'static {
    /// The game's own events, and its wording for the shared events.
    type Own: Wording;

    /// The line that the tokens cross.
    fn line(&self) -> Line;

    /// The longest move.
    fn steps(&self) -> u8;

    /// Who starts if the players chose `first`.
    fn starter(&self, first: Side) -> Side {
        first
    }

    /// The place that a side must reach to win.
    fn goal(&self, side: Side) -> u8 {
        self.line().base(side.other())
    }

    /// The place where a move of `steps` by the side to move ends, if the move is legal.
    fn landing(&self, state: &Tokens, steps: u8) -> Option<u8>;

    /// The effect on the opponent of a move that ends on `to`, short of the goal: the event, and the opponent's new
    /// place.
    fn impact(&self, _state: &Tokens, _to: u8) -> Option<(Self::Own, u8)> {
        None
    }

    /// Explains to the player, in a sentence, why a move of `steps` is not legal.
    fn obstruction(&self, state: &Tokens, side: Side, steps: u8, names: &Names) -> String;

    /// The length of the legal move that replaces an illegal one, with the event that reports the change.
    fn shortened(&self, _state: &Tokens, _side: Side, _steps: u8) -> Option<(u8, Self::Own)> {
        None
    }

    /// The reason why a position on this line is not legal; `None` if it is legal.
    fn fault(&self, state: &Tokens) -> Option<String>;
}

impl<T: OneToken> Game for T {
    type State = Tokens;
    type Action = Step;
    type Event = Event<T::Own>;

    const PASS: Option<Step> = Some(Step::Pass);

    fn start(&self, first: Side) -> Tokens {
        Tokens::start(self.line(), self.starter(first))
    }

    fn outcome(&self, state: &Tokens) -> Option<Outcome> {
        // R-BB-6: only the side that has just moved can have won; being sent home is not a win.
        let moved = state.to_move.other();
        (state.at[moved] == self.goal(moved)).then_some(Outcome::Won(moved))
    }

    fn actions(&self, state: &Tokens, side: Side) -> Actions<Step> {
        if side != state.to_move || self.outcome(state).is_some() {
            return Actions::new();
        }
        Step::legal(self.steps(), |steps| self.landing(state, steps).is_some())
    }

    fn resolve(
        &self,
        state: &Tokens,
        turn: Both<Option<Step>>,
        mut tell: impl FnMut(Event<T::Own>),
    ) -> Tokens {
        let side = state.to_move;
        let Step::Forward(steps) = turn[side].expect("the mover has chosen") else {
            tell(Event::Passed { side });
            return state.after(state.mover(), state.waiter());
        };
        let to = self.landing(state, steps).expect("a legal move has a landing");
        tell(Event::Moved(Shift { side, from: state.mover(), to }));
        if to == self.goal(side) {
            tell(Event::Won { side });
            return state.after(to, state.waiter());
        }
        let Some((own, waiter)) = self.impact(state, to) else {
            return state.after(to, state.waiter());
        };
        tell(Event::Own(own));
        state.after(to, waiter)
    }

    fn mover(&self, state: &Tokens) -> Option<Side> {
        Some(state.to_move)
    }

    fn index(&self) -> Option<impl Index<Tokens> + 'static> {
        Some(TokenIndex(*self))
    }

    fn scene(&self, state: &Tokens) -> Scene {
        let goal = Some(Both::from_fn(|side| self.goal(side)));
        let track = Track { goal, ..self.line().track() };
        Scene::on_track(track, Side::ALL.map(|side| token(side, state.at[side])).to_vec())
    }

    fn mirror(&self, state: &Tokens) -> Tokens {
        state.mirror(self.line())
    }

    fn mirror_action(&self, action: Step) -> Step {
        action
    }
}

impl<T: OneToken> Notation for T {
    fn vocabulary(&self) -> Vec<Step> {
        (1..=self.steps()).map(Step::Forward).collect()
    }

    fn synonyms(&self, state: &Tokens, side: Side, action: Step) -> Vec<String> {
        let Step::Forward(steps) = action else { return Vec::new() };
        let from = state.at[side];
        let places =
            self.line().ahead(side, from, steps).map(|place| format!("move {from} to {place}"));
        let counts = ["move", "forward", "move forward"].map(|verb| format!("{verb} {steps}"));
        counts.into_iter().chain(places).collect()
    }

    fn objection(&self, state: &Tokens, side: Side, action: Step, names: &Names) -> String {
        let Step::Forward(steps) = action else { unreachable!("a pass is not in the vocabulary") };
        self.obstruction(state, side, steps, names)
    }

    fn adjust(&self, state: &Tokens, side: Side, action: Step) -> Option<(Step, Self::Event)> {
        let Step::Forward(steps) = action else { return None };
        let (steps, own) = self.shortened(state, side, steps)?;
        Some((Step::Forward(steps), Event::Own(own)))
    }

    fn position(&self, state: &Tokens) -> String {
        state.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Tokens, PositionError> {
        let state = Tokens::parse(text, self.line())?;
        self.fault(&state).map_or(Ok(state), |why| Err(PositionError::impossible(text, why)))
    }
}

/// The longest line.
pub const MAX_POSITIONS: u8 = 255;

/// The length of the rulebooks' line.
const USUAL_POSITIONS: u8 = 11;

/// The maximum value of the longest move, so that a move is a single digit.
pub const MAX_STEPS: u8 = 9;

/// The option for the length of the line.
#[must_use]
pub const fn positions_option(about: &'static str) -> RuleOption {
    RuleOption::number("positions", about, USUAL_POSITIONS, 3, MAX_POSITIONS)
}

/// The option for the longest move.
#[must_use]
pub const fn steps_option(default: u8) -> RuleOption {
    RuleOption::number("steps", "The length of the longest move.", default, 1, MAX_STEPS)
}

/// The rule options of a game that has no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The length of the line.
    pub positions: u8,
    /// The longest move.
    pub steps: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { positions: USUAL_POSITIONS, steps: 2 }
    }
}

typed_options!(Options: positions, steps);
