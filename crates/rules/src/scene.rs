//! A position as a picture that any screen can draw, and the changes from one picture to the next.

use crate::side::{Both, Side};

/// A position as a picture: pieces on a track, gauges, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The line the pieces stand on, if the game has one.
    pub track: Option<Track>,
    /// The pieces, sorted, so that equal pictures compare equal.
    pub pieces: Vec<Piece>,
    /// Each side's gauge, if the game has them.
    pub gauges: Option<Both<Gauge>>,
}

/// A line of numbered places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    /// The number of the leftmost place.
    pub first: u8,
    /// The number of the rightmost place.
    pub last: u8,
    /// The place each side is heading for.
    pub goal: Both<u8>,
}

/// A piece on the track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The place it stands on.
    pub at: u8,
    /// Its owner.
    pub side: Side,
    /// Its strength, in games that have one.
    pub strength: Option<u8>,
}

/// A number between 0 and a maximum, such as command points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// What it measures.
    pub label: &'static str,
    /// The current value.
    pub value: u8,
    /// The largest possible value.
    pub max: u8,
}

/// One visible step from a picture to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new piece appears on the track.
    Appears(Piece),
    /// A piece moves to another place.
    Moves {
        /// The piece before it moves.
        piece: Piece,
        /// Where it goes.
        to: u8,
    },
    /// A piece's strength changes.
    Strengthens {
        /// The piece before.
        piece: Piece,
        /// Its new strength.
        to: u8,
    },
    /// A piece leaves the track.
    Vanishes(Piece),
    /// A side's gauge changes.
    Gauge {
        /// Whose gauge.
        side: Side,
        /// Its new value.
        to: u8,
    },
}

/// A change refers to a piece or gauge that the scene does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scene has no such piece or gauge: {0:?}")]
pub struct Mismatch(pub Change);

impl Scene {
    /// A picture of pieces on a track.
    #[must_use]
    pub fn on_track(track: Track, mut pieces: Vec<Piece>) -> Self {
        pieces.sort_unstable();
        Self { track: Some(track), pieces, gauges: None }
    }

    /// A picture of two gauges.
    #[must_use]
    pub const fn of_gauges(gauges: Both<Gauge>) -> Self {
        Self { track: None, pieces: Vec::new(), gauges: Some(gauges) }
    }

    /// Applies one change. All changes of a turn, applied in order to the old scene, give the new one.
    ///
    /// # Errors
    /// If the scene has no such piece or gauge. The scene stays unchanged.
    pub fn apply(&mut self, change: Change) -> Result<(), Mismatch> {
        match change {
            Change::Appears(piece) => self.pieces.push(piece),
            Change::Moves { piece, to } => self.find(piece, change)?.at = to,
            Change::Strengthens { piece, to } => self.find(piece, change)?.strength = Some(to),
            Change::Vanishes(piece) => {
                let index = self.index(piece).ok_or(Mismatch(change))?;
                self.pieces.remove(index);
            }
            Change::Gauge { side, to } => {
                self.gauges.as_mut().ok_or(Mismatch(change))?[side].value = to;
            }
        }
        self.pieces.sort_unstable();
        Ok(())
    }

    fn index(&self, piece: Piece) -> Option<usize> {
        self.pieces.iter().position(|&there| there == piece)
    }

    fn find(&mut self, piece: Piece, change: Change) -> Result<&mut Piece, Mismatch> {
        let index = self.index(piece).ok_or(Mismatch(change))?;
        Ok(&mut self.pieces[index])
    }
}
