//! Events of Command Clash.

use super::Action;
use crate::event::Narrate;
use crate::scene::Change;
use crate::side::{Names, Side};

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A side's action is revealed, and its cost is paid.
    Acted {
        /// The side that acts.
        side: Side,
        /// The action.
        action: Action,
        /// The side's points after cost and gain.
        points: u8,
    },
    /// A shield blocked an attack.
    Blocked {
        /// The side with the shield.
        side: Side,
        /// The blocked attack.
        action: Action,
    },
    /// An attack hit.
    Hit {
        /// The side that was hit.
        side: Side,
        /// The damage.
        damage: u8,
        /// The remaining points.
        points: u8,
    },
    /// Both sides are at 0 points, and the game continues (R-CL-3).
    BothAtZero,
    /// A side has won, because the opponent is defeated.
    Won {
        /// The winner.
        side: Side,
        /// Whether damage in this turn decided the game; otherwise the opponent spent its last points.
        by_hit: bool,
    },
}

impl Narrate for Event {
    fn kind(&self) -> &'static str {
        match self {
            Self::Acted { action, .. } => action.notation(),
            Self::Blocked { .. } => "block",
            Self::Hit { .. } => "hit",
            Self::BothAtZero => "standoff",
            Self::Won { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Acted { side, action, points } => {
                let (name, short) = (&names[side], names.short(side));
                let paid = format!("(Cost: {} CP; {short} CP: {points})", action.cost());
                match action {
                    Action::Charge => {
                        format!("{name} charges and gains +1 CP! ({short} CP: {points})")
                    }
                    Action::Attack => format!("{name} attacks! {paid}"),
                    Action::Special => format!("{name} uses Special Attack! {paid}"),
                    Action::Shield => format!("{name} shields! {paid}"),
                }
            }
            Self::Blocked { side, action } => {
                format!("{} blocks the {}!", names[side], action.name())
            }
            Self::Hit { side, damage, points } => {
                let (name, short) = (&names[side], names.short(side));
                format!("{name} takes {damage} damage. ({short} CP: {points})")
            }
            Self::BothAtZero => {
                "Both players reach 0 CP, but the game continues until one player wins.".to_owned()
            }
            Self::Won { side, by_hit } => {
                let (winner, loser) = (&names[side], &names[side.other()]);
                let how = if by_hit {
                    format!("{winner} has reduced {} CP to zero!", names.possessive(side.other()))
                } else {
                    format!("{loser} has spent their last CP!")
                };
                format!("{how}\n{winner} wins the game!")
            }
        }
    }

    fn changes(&self) -> Vec<Change> {
        match *self {
            Self::Acted { side, points, .. } | Self::Hit { side, points, .. } => {
                vec![Change::Gauge { side, to: points }]
            }
            Self::Blocked { .. } | Self::BothAtZero | Self::Won { .. } => Vec::new(),
        }
    }
}
