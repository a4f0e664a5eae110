//! Command Clash: both sides choose simultaneously, and points serve both to pay for actions and to survive.

mod event;
mod text;

#[cfg(test)]
mod tests;

use std::fmt;

pub use event::Event;

use crate::catalog::{Catalogued, Preset, Starter};
use crate::game::{Actions, Game, Outcome};
use crate::notation::{Notation, PositionError, plain_number};
use crate::scene::{Gauge, Scene};
use crate::settings::{RuleOption, typed_options};
use crate::side::{Both, Names, Side};

/// The costs of an attack and a shield, and the damage of an attack.
const ATTACK_COST: u8 = 1;
const SHIELD_COST: u8 = 1;
const ATTACK_DAMAGE: u8 = 1;
/// The cost and the damage of a special attack.
const SPECIAL_COST: u8 = 3;
const SPECIAL_DAMAGE: u8 = 3;
/// The points gained by a charge.
const CHARGE_GAIN: u8 = 1;

/// Command Clash with one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct CommandClash {
    max: u8,
    defeat: Defeat,
}

/// R-CL-2: the condition under which a side with 0 points at the end of a turn has lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defeat {
    /// Always, if the opponent has more than 0 points.
    Zero,
    /// Only if that side suffered unblocked damage in the same turn. If both sides fall to 0 this way, neither has
    /// lost.
    Damage,
}

/// A position: each side's points, and the winner once there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Points {
    /// Each side's points.
    pub points: Both<u8>,
    /// The winner.
    pub winner: Option<Side>,
}

/// One side's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Gain a point.
    Charge,
    /// A small hit.
    Attack,
    /// A heavy hit.
    Special,
    /// Block every hit in this turn.
    Shield,
}

impl Action {
    /// All four actions, in the order of the prompt.
    pub const ALL: [Self; 4] = [Self::Charge, Self::Attack, Self::Special, Self::Shield];

    /// The cost in points.
    #[must_use]
    pub const fn cost(self) -> u8 {
        match self {
            Self::Charge => 0,
            Self::Attack => ATTACK_COST,
            Self::Special => SPECIAL_COST,
            Self::Shield => SHIELD_COST,
        }
    }

    const fn damage(self) -> u8 {
        match self {
            Self::Attack => ATTACK_DAMAGE,
            Self::Special => SPECIAL_DAMAGE,
            Self::Charge | Self::Shield => 0,
        }
    }

    /// The action's name in the rulebook.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Charge => "Charge",
            Self::Attack => "Attack",
            Self::Special => "Special Attack",
            Self::Shield => "Shield",
        }
    }

    /// The action's name in notation.
    pub(super) const fn notation(self) -> &'static str {
        match self {
            Self::Charge => "charge",
            Self::Attack => "attack",
            Self::Special => "special",
            Self::Shield => "shield",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.notation())
    }
}

impl Defeat {
    /// Both variants, the rulebook's first.
    pub const ALL: [Self; 2] = [Self::Zero, Self::Damage];
}

/// The rule options of Command Clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The points a side starts with, which is also the maximum.
    pub points: u8,
    /// The condition for losing with 0 points.
    pub defeat: Defeat,
}

typed_options!(Options, of CommandClash: points; defeat: Defeat);

impl Catalogued for CommandClash {
    type Options = Options;

    const ID: &'static str = "command-clash";
    const NAME: &'static str = "Command Clash";
    const SUMMARY: &'static str = "Charge, attack or shield, in secret and at once.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const DRAWINGS: Option<&'static str> = Some(include_str!("drawings.txt"));
    const DAILY_SINCE: Option<&'static str> = Some("1970-01-01");
    const STARTER: Starter = Starter::Nobody;
    const OPTIONS: &'static [RuleOption] = &[
        RuleOption::number(
            "points",
            "The Command Points at the start, which are also the maximum.",
            5,
            1,
            30,
        ),
        RuleOption::word(
            "defeat",
            "When a player at 0 CP has lost (R-CL-2).",
            &[
                ("zero", "at the end of a turn after which only that player has 0 CP"),
                ("damage", "only if unblocked damage hit that player in that turn"),
            ],
        ),
    ];

    const PRESETS: &'static [Preset] = &[Preset {
        name: "fair",
        rules: "points=3 defeat=damage",
        about: "Best play opens with an attack instead of charging, and spending the last point does not lose.",
    }];

    fn build(Options { points, defeat }: Options) -> Self {
        Self { max: points, defeat }
    }
}

impl CommandClash {
    /// R-CL-2 and R-CL-3: the winner, given the points after a turn and the sides that were hit.
    fn winner(&self, points: Both<u8>, hit: Both<bool>) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| {
            let enemy = side.other();
            match self.defeat {
                Defeat::Zero => points[enemy] == 0 && points[side] > 0,
                Defeat::Damage => {
                    points[enemy] == 0 && hit[enemy] && !(points[side] == 0 && hit[side])
                }
            }
        })
    }
}

impl Game for CommandClash {
    type State = Points;
    type Action = Action;
    type Event = Event;

    /// R-ALL-1: nobody starts; both act simultaneously.
    fn start(&self, _first: Side) -> Points {
        Points { points: Both::new(self.max, self.max), winner: None }
    }

    fn outcome(&self, state: &Points) -> Option<Outcome> {
        state.winner.map(Outcome::Won)
    }

    fn actions(&self, state: &Points, side: Side) -> Actions<Action> {
        if state.winner.is_some() {
            return Actions::new();
        }
        // R-CL-4: only affordable actions are legal, which leaves Charge at 0 points. R-CL-5: Charge is always legal.
        let points = state.points[side];
        Action::ALL.into_iter().filter(|action| action.cost() <= points).collect()
    }

    fn resolve(
        &self,
        state: &Points,
        turn: Both<Option<Action>>,
        mut tell: impl FnMut(Event),
    ) -> Points {
        let turn = turn.map(|action| action.expect("both sides have chosen"));
        let mut points = state.points;
        // R-CL-1: costs and gains of both sides come first, then damage to both.
        for side in Side::ALL {
            let action = turn[side];
            let gain = if action == Action::Charge { CHARGE_GAIN } else { 0 };
            points[side] = (points[side] - action.cost() + gain).min(self.max);
            tell(Event::Acted { side, action, points: points[side] });
        }
        let mut hit = Both::new(false, false);
        for side in Side::ALL {
            let enemy = side.other();
            let damage = turn[side].damage();
            if damage == 0 {
                continue;
            }
            if turn[enemy] == Action::Shield {
                tell(Event::Blocked { side: enemy, action: turn[side] });
                continue;
            }
            hit[enemy] = true;
            points[enemy] = points[enemy].saturating_sub(damage);
            tell(Event::Hit { side: enemy, damage, points: points[enemy] });
        }
        let winner = self.winner(points, hit);
        match winner {
            Some(side) => tell(Event::Won { side, by_hit: hit[side.other()] }),
            None if points == Both::new(0, 0) => tell(Event::BothAtZero),
            None => {}
        }
        Points { points, winner }
    }

    fn mover(&self, _state: &Points) -> Option<Side> {
        None
    }

    fn scene(&self, state: &Points) -> Scene {
        Scene::of_gauges(state.points.map(|value| Gauge { label: "CP", value, max: self.max }))
    }

    fn mirror(&self, state: &Points) -> Points {
        Points { points: state.points.swapped(), winner: state.winner.map(Side::other) }
    }

    fn mirror_action(&self, action: Action) -> Action {
        action
    }
}

impl Notation for CommandClash {
    fn vocabulary(&self) -> Vec<Action> {
        Action::ALL.to_vec()
    }

    fn words(&self, action: Action) -> String {
        action.name().to_owned()
    }

    fn objection(&self, state: &Points, side: Side, action: Action, _names: &Names) -> String {
        let (name, cost, have) = (action.name(), action.cost(), state.points[side]);
        format!("{name} costs {cost} CP and you have {have}.")
    }

    /// A position such as `5/4`. With `defeat=damage`, the points alone do not show whether the game is over, so a
    /// finished game ends with the winner's number: `0/3/2`.
    fn position(&self, state: &Points) -> String {
        let Both { one, two } = state.points;
        match (self.defeat, state.winner) {
            (Defeat::Damage, Some(winner)) => format!("{one}/{two}/{}", winner.number()),
            (Defeat::Zero, _) | (Defeat::Damage, None) => format!("{one}/{two}"),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Points, PositionError> {
        let form = match self.defeat {
            Defeat::Zero => "P1/P2, each side's points, such as 5/4",
            Defeat::Damage => {
                "P1/P2, each side's points, such as 5/4, and /WINNER if the game is over"
            }
        };
        let malformed = || PositionError::malformed(text, form);
        let numbers: Option<Vec<u8>> = text.split('/').map(plain_number).collect();
        let (points, named) = match *numbers.ok_or_else(malformed)? {
            [one, two] => (Both::new(one, two), None),
            [one, two, winner] if self.defeat == Defeat::Damage => {
                (Both::new(one, two), Some(Side::from_number(winner).ok_or_else(malformed)?))
            }
            _ => return Err(malformed()),
        };
        if points.one.max(points.two) > self.max {
            let why = format!("a player has at most {} points", self.max);
            return Err(PositionError::impossible(text, why));
        }
        if named.is_some_and(|winner| points[winner.other()] != 0) {
            return Err(PositionError::impossible(text, "only a player at 0 points can have lost"));
        }
        let winner = match self.defeat {
            Defeat::Zero => self.winner(points, Both::new(false, false)),
            Defeat::Damage => named,
        };
        Ok(Points { points, winner })
    }
}
