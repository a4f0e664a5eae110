//! Base Battle: one token each, no sharing of positions, and a push for whoever gets too close.

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
pub struct BaseBattle {
    line: Line,
    steps: u8,
    push: Push,
}

/// R-BB-1: which landing pushes the opponent, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Landing right in front of the opponent's face pushes it back towards its own base.
    Facing,
    /// Landing one position past the opponent pushes it towards its own base, onto the mover's position.
    Behind,
    /// The same landing pushes it one position away from the mover.
    Onward,
}

impl Default for BaseBattle {
    fn default() -> Self {
        Self::with(&Settings::defaults(Self::OPTIONS))
    }
}

impl Catalogued for BaseBattle {
    const ID: &'static str = "base-battle";
    const NAME: &'static str = "Base Battle";
    const SUMMARY: &'static str = "Race to the other base; push back whoever you face.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const STARTER: Starter = Starter::Toss;
    const OPTIONS: &'static [RuleOption] = &[
        positions_option("The number of positions on the path."),
        steps_option(3),
        RuleOption::word(
            "push",
            "Which landing pushes the opponent, and which way (R-BB-1).",
            &[
                (
                    "facing",
                    "landing right in front of the opponent pushes it back towards its base",
                ),
                (
                    "behind",
                    "landing one past the opponent pushes it towards its base, onto your position",
                ),
                ("onward", "landing one past the opponent pushes it one position away from you"),
            ],
        ),
    ];

    const PRESETS: &'static [Preset] = &[Preset {
        name: "fair",
        rules: "positions=10 steps=2 push=behind",
        about: "The usual game is won by whoever starts; here neither side wins by force, and games still end.",
    }];

    fn with(settings: &Settings) -> Self {
        let push = match settings.word("push") {
            "behind" => Push::Behind,
            "onward" => Push::Onward,
            _ => Push::Facing,
        };
        Self {
            line: Line::new(0, settings.number("positions")),
            steps: settings.number("steps"),
            push,
        }
    }
}

impl BaseBattle {
    /// Where a move of that many steps lands, if it is legal.
    fn landing(&self, state: &Tokens, steps: u8) -> Option<u8> {
        let place = self.line.ahead(state.to_move, state.mover(), steps)?;
        // R-BB-4: nobody may land on an occupied position, the base included. R-BB-3: passing is free.
        (place != state.waiter()).then_some(place)
    }

    /// Where the opponent, standing on `place`, is pushed by a token of `mover` that landed on `landing`.
    fn pushed(&self, mover: Side, landing: u8, place: u8) -> Option<u8> {
        let opponent = mover.other();
        match self.push {
            Push::Facing if self.line.ahead(opponent, place, 1) == Some(landing) => {
                // R-BB-2: an opponent on its own base has nowhere to be pushed.
                self.line.behind(opponent, place)
            }
            Push::Behind if self.line.ahead(mover, place, 1) == Some(landing) => Some(landing),
            Push::Onward if self.line.ahead(mover, place, 1) == Some(landing) => {
                // R-BB-6: nobody is pushed onto the base it is heading for.
                self.line
                    .ahead(opponent, place, 1)
                    .filter(|&beyond| beyond != self.line.base(mover))
            }
            Push::Facing | Push::Behind | Push::Onward => None,
        }
    }
}

impl Game for BaseBattle {
    type State = Tokens;
    type Action = Step;
    type Event = Event;

    fn start(&self, first: Side) -> Tokens {
        Tokens::start(self.line, first)
    }

    fn outcome(&self, state: &Tokens) -> Option<Outcome> {
        // R-BB-6: only the side that has just moved can have won.
        let moved = state.to_move.other();
        (state.at[moved] == self.line.base(state.to_move)).then_some(Outcome::Won(moved))
    }

    fn actions(&self, state: &Tokens, side: Side) -> Actions<Step> {
        if side != state.to_move || self.outcome(state).is_some() {
            return Actions::new();
        }
        Step::legal(self.steps, |steps| self.landing(state, steps).is_some())
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
                // R-BB-5: a token right before an occupied base waits.
                tell(Event::Passed { side });
                return state.after(state.mover(), state.waiter());
            }
        };
        let to = self.landing(state, steps).expect("a legal move has a landing");
        tell(Event::Moved { side, from: state.mover(), to });
        if to == self.line.base(side.other()) {
            tell(Event::Won { side });
            return state.after(to, state.waiter());
        }
        let Some(pushed) = self.pushed(side, to, state.waiter()) else {
            return state.after(to, state.waiter());
        };
        tell(Event::Pushed { side: side.other(), from: state.waiter(), to: pushed });
        state.after(to, pushed)
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

impl BaseBattle {
    /// Why a position on this path makes no sense, if it does not.
    fn fault(&self, state: &Tokens) -> Option<String> {
        // Only push=behind puts two tokens on one position (R-BB-1).
        if state.at.one == state.at.two && self.push != Push::Behind {
            return Some("two tokens never share a position".to_owned());
        }
        state.overdue(self.line)
    }
}

impl Notation for BaseBattle {
    fn vocabulary(&self) -> Vec<Step> {
        Step::vocabulary(self.steps)
    }

    fn objection(&self, state: &Tokens, side: Side, action: Step, names: &Names) -> String {
        let Step::Forward(steps) = action else { unreachable!("a pass is not in the vocabulary") };
        match self.line.ahead(side, state.at[side], steps) {
            Some(place) => format!("Position {place} is occupied by {}.", names[side.other()]),
            None => {
                format!("Cannot move {action} positions; the path ends at the opponent's base.")
            }
        }
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
