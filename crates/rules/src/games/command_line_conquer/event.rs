//! Events of Command Line Conquer.

use std::cmp::Ordering;

use crate::event::Narrate;
use crate::line::Shift;
use crate::scene::{Change, Piece};
use crate::side::{Names, Side};

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A unit advanced.
    Moved {
        /// The old and the new place.
        shift: Shift,
        /// The unit's strength before the increase.
        strength: u8,
    },
    /// The advancing unit met an enemy.
    Fought(Fight),
    /// The advancing unit survived and gained strength, up to the maximum.
    Strengthened {
        /// The owner of the unit.
        side: Side,
        /// The unit's place.
        at: u8,
        /// The old strength.
        from: u8,
        /// The new strength.
        to: u8,
    },
    /// A new unit appeared on the base.
    Recruited {
        /// The owner of the unit.
        side: Side,
        /// The base.
        at: u8,
    },
    /// A side has captured the enemy base and won.
    Captured {
        /// The winner.
        side: Side,
    },
}

/// A battle between one attacker and one defender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fight {
    /// The side that moved in.
    pub attacker: Side,
    /// The place of the battle.
    pub at: u8,
    /// The attacker's strength in the battle.
    pub attack: u8,
    /// The defender's strength.
    pub defence: u8,
    /// The attacker's strength in the scene, where the +1 comes after the battle.
    pub shown: u8,
}

impl Fight {
    fn sentence(self) -> String {
        let Self { attacker, at, attack, defence, .. } = self;
        let (mine, theirs) = (attacker.token(), attacker.other().token());
        let result = match attack.cmp(&defence) {
            Ordering::Equal => {
                "Both units have equal strength. Both units are destroyed.".to_owned()
            }
            Ordering::Greater => format!("{mine}'s unit wins; {theirs}'s unit is removed."),
            Ordering::Less => format!("{theirs}'s unit wins; {mine}'s unit is removed."),
        };
        format!(
            "Battle: {mine}'s unit (strength {attack}) vs. {theirs}'s unit at position {at} \
             (strength {defence}).\n{result}"
        )
    }

    fn changes(self) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.attack >= self.defence {
            changes.push(Change::Vanishes(unit(self.attacker.other(), self.at, self.defence)));
        }
        if self.attack <= self.defence {
            changes.push(Change::Vanishes(unit(self.attacker, self.at, self.shown)));
        }
        changes
    }
}

pub(super) const fn unit(side: Side, at: u8, strength: u8) -> Piece {
    Piece { at, side, strength: Some(strength) }
}

impl Narrate for Event {
    fn kind(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "move",
            Self::Fought(_) => "battle",
            Self::Strengthened { .. } => "strengthen",
            Self::Recruited { .. } => "recruit",
            Self::Captured { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Moved { shift: Shift { side, from, to }, .. } => {
                format!("{} moves a unit from position {from} to {to}.", names[side])
            }
            Self::Fought(fight) => fight.sentence(),
            Self::Strengthened { from, to, .. } if from == to => {
                format!("The unit's strength remains at {to}.")
            }
            Self::Strengthened { to, .. } => format!("The unit's strength increases to {to}."),
            Self::Recruited { side, at } => {
                format!("{} recruits a new unit at position {at}.", names[side])
            }
            Self::Captured { side } => format!(
                "{} has captured {} base and wins the game!",
                names[side],
                names.possessive(side.other())
            ),
        }
    }

    fn changes(&self) -> Vec<Change> {
        match *self {
            Self::Moved { shift: Shift { side, from, to }, strength } => {
                vec![Change::Moves { piece: unit(side, from, strength), to }]
            }
            Self::Fought(fight) => fight.changes(),
            Self::Strengthened { from, to, .. } if from == to => Vec::new(),
            Self::Strengthened { side, at, from, to } => {
                vec![Change::Strengthens { piece: unit(side, at, from), to }]
            }
            Self::Recruited { side, at } => vec![Change::Appears(unit(side, at, 1))],
            Self::Captured { .. } => Vec::new(),
        }
    }
}
