//! Base Battle: one token each, no shared positions, and a push if tokens come too close.

mod event;
mod text;

#[cfg(test)]
mod tests;

pub use event::{Event, Pushed};

use crate::catalog::{Catalogued, Preset, Starter};
use crate::line::{Line, Shift};
use crate::settings::{RuleOption, typed_options};
use crate::side::{Names, Side};
use crate::tokens::{OneToken, Tokens, positions_option, steps_option};

/// Base Battle with one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct BaseBattle {
    line: Line,
    steps: u8,
    push: Push,
}

/// R-BB-1: which landings push the opponent, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Landing right in front of the opponent pushes it back towards its own base.
    Facing,
    /// Landing one position past the opponent pushes it towards its own base, onto the mover's position.
    Behind,
    /// Landing one position past the opponent pushes it one position away from the mover.
    Onward,
}

impl Push {
    /// All variants, the rulebook's first.
    pub const ALL: [Self; 3] = [Self::Facing, Self::Behind, Self::Onward];
}

/// The rule options of Base Battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The length of the path.
    pub positions: u8,
    /// The longest move.
    pub steps: u8,
    /// Which landings push.
    pub push: Push,
}

typed_options!(Options, of BaseBattle: positions, steps; push: Push);

impl Catalogued for BaseBattle {
    type Options = Options;

    const ID: &'static str = "base-battle";
    const NAME: &'static str = "Base Battle";
    const SUMMARY: &'static str = "Race to the other base; push back whoever you face.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const DRAWINGS: Option<&'static str> = Some(include_str!("drawings.txt"));
    const DAILY_SINCE: Option<&'static str> = Some("1970-01-01");
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
        about: "Neither side wins by force, and games still end.",
    }];

    fn build(Options { positions, steps, push }: Options) -> Self {
        Self { line: Line::new(0, positions), steps, push }
    }
}

impl BaseBattle {
    /// The new place of an opponent that stands on `place` when `mover` lands on `landing`; `None` if there is no push.
    fn pushed(&self, mover: Side, landing: u8, place: u8) -> Option<u8> {
        let opponent = mover.other();
        match self.push {
            Push::Facing if self.line.ahead(opponent, place, 1) == Some(landing) => {
                // R-BB-2: an opponent on its own base has nowhere to be pushed.
                self.line.behind(opponent, place)
            }
            Push::Behind if self.line.ahead(mover, place, 1) == Some(landing) => Some(landing),
            Push::Onward if self.line.ahead(mover, place, 1) == Some(landing) => {
                // R-BB-6: a token is never pushed onto the base it is heading for.
                self.line
                    .ahead(opponent, place, 1)
                    .filter(|&beyond| beyond != self.line.base(mover))
            }
            Push::Facing | Push::Behind | Push::Onward => None,
        }
    }
}

impl OneToken for BaseBattle {
    type Own = Pushed;

    fn line(&self) -> Line {
        self.line
    }

    fn steps(&self) -> u8 {
        self.steps
    }

    fn landing(&self, state: &Tokens, steps: u8) -> Option<u8> {
        let place = self.line.ahead(state.to_move, state.mover(), steps)?;
        // R-BB-4: no landing on an occupied position, even a base. R-BB-3: passing the opponent is legal. R-BB-5: a
        // token right in front of an occupied base waits.
        (place != state.waiter()).then_some(place)
    }

    fn impact(&self, state: &Tokens, to: u8) -> Option<(Pushed, u8)> {
        let pushed = self.pushed(state.to_move, to, state.waiter())?;
        let shift = Shift { side: state.to_move.other(), from: state.waiter(), to: pushed };
        Some((Pushed(shift), pushed))
    }

    fn obstruction(&self, state: &Tokens, side: Side, steps: u8, names: &Names) -> String {
        match self.line.ahead(side, state.at[side], steps) {
            Some(place) => format!("Position {place} is occupied by {}.", names[side.other()]),
            None => format!("Cannot move {steps} positions; the path ends at the opponent's base."),
        }
    }

    fn fault(&self, state: &Tokens) -> Option<String> {
        // Only push=behind can put two tokens on one position (R-BB-1).
        if state.at.one == state.at.two && self.push != Push::Behind {
            return Some("two tokens cannot share a position".to_owned());
        }
        state.overdue(self.line)
    }
}
