//! Poses: how a figure is drawn while something happens to it.

use crate::drawing::Gallery;
use crate::event::Telling;
use crate::scene::{Change, Piece};

/// The pose of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pose {
    /// At rest. Every drawing has this pose, which replaces missing ones.
    Stand,
    /// While moving.
    Walk,
    /// While attacking.
    Strike,
    /// When hit, captured or defeated.
    Fall,
    /// After winning.
    Cheer,
}

impl Pose {
    /// All poses.
    pub const ALL: [Self; 5] = [Self::Stand, Self::Walk, Self::Strike, Self::Fall, Self::Cheer];

    /// The word for the pose in a file of drawings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stand => "stand",
            Self::Walk => "walk",
            Self::Strike => "strike",
            Self::Fall => "fall",
            Self::Cheer => "cheer",
        }
    }
}

impl Gallery {
    /// The pose of a piece during an event. A piece is hit if it vanishes, or if it moves in an event that has an effect;
    /// an opponent that is at most one place away strikes it.
    #[must_use]
    pub fn pose(&self, telling: &Telling, piece: Piece) -> Pose {
        let has_effect = self.effects.iter().any(|(kind, _)| kind == telling.kind);
        let victim = |change: &Change| match *change {
            Change::Vanishes(piece) => Some(piece),
            Change::Moves { piece, .. } => Some(piece).filter(|_| has_effect),
            Change::Appears(_) | Change::Strengthens { .. } | Change::Gauge { .. } => None,
        };
        let mut victims = telling.changes.iter().filter_map(victim);
        let walks =
            |change: &Change| matches!(change, Change::Moves { piece: it, .. } if *it == piece);
        if victims.clone().any(|victim| victim == piece) {
            Pose::Fall
        } else if victims.any(|it| it.side != piece.side && it.at.abs_diff(piece.at) <= 1) {
            Pose::Strike
        } else if telling.changes.iter().any(walks) {
            Pose::Walk
        } else {
            Pose::Stand
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::Side;

    #[test]
    fn the_attacker_strikes_and_the_victim_falls() {
        let gallery =
            Gallery { effects: vec![("push".into(), "shove".into())], ..Gallery::default() };
        let piece = |side, at| Piece { at, side, strength: None };
        let (mover, other) = (piece(Side::One, 3), piece(Side::Two, 4));
        let poses = |kind, changes: Vec<Change>| {
            let telling = Telling { kind, sentence: String::new(), changes };
            [mover, other].map(|piece| gallery.pose(&telling, piece))
        };
        let step = Change::Moves { piece: mover, to: 4 };
        let pushed = Change::Moves { piece: other, to: 6 };
        assert_eq!(poses("move", vec![step]), [Pose::Walk, Pose::Stand]);
        assert_eq!(poses("push", vec![pushed]), [Pose::Strike, Pose::Fall]);
        let both = vec![Change::Vanishes(mover), Change::Vanishes(other)];
        assert_eq!(poses("battle", both), [Pose::Fall, Pose::Fall]);
        assert_eq!(poses("battle", vec![Change::Vanishes(piece(Side::Two, 9))]), [Pose::Stand; 2]);
    }
}
