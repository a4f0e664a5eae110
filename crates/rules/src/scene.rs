//! Scenes: positions in a form that any screen can draw, and the changes between them.

use crate::side::{Both, Side};

/// A position to draw: pieces on a track, gauges, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The line on which the pieces stand, if the game has one.
    pub track: Option<Track>,
    /// The pieces, sorted so that equal scenes compare equal.
    pub pieces: Vec<Piece>,
    /// Each side's gauge, if the game has gauges.
    pub gauges: Option<Both<Gauge>>,
}

/// A line of numbered places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    /// The number of the leftmost place.
    pub first: u8,
    /// The number of the rightmost place.
    pub last: u8,
    /// In a race, the place that each side is heading for; a side wins exactly if one of its pieces stands there.
    pub goal: Option<Both<u8>>,
}

/// A piece on the track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The place of the piece.
    pub at: u8,
    /// The owner of the piece.
    pub side: Side,
    /// The strength, in games in which pieces have one.
    pub strength: Option<u8>,
}

/// A number between 0 and a maximum, such as command points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// The unit of measurement.
    pub label: &'static str,
    /// The current value.
    pub value: u8,
    /// The largest possible value.
    pub max: u8,
}

/// One visible change of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new piece appears on the track.
    Appears(Piece),
    /// A piece moves to another place.
    Moves {
        /// The piece before it moves.
        piece: Piece,
        /// The new place.
        to: u8,
    },
    /// A piece's strength changes.
    Strengthens {
        /// The piece before the change.
        piece: Piece,
        /// The new strength.
        to: u8,
    },
    /// A piece leaves the track.
    Vanishes(Piece),
    /// A side's gauge changes.
    Gauge {
        /// The owner of the gauge.
        side: Side,
        /// The new value.
        to: u8,
    },
}

/// The error for a change of a piece or gauge that the scene does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scene has no such piece or gauge: {0:?}")]
pub struct Mismatch(pub Change);

impl Scene {
    /// A scene with pieces on a track.
    #[must_use]
    pub fn on_track(track: Track, mut pieces: Vec<Piece>) -> Self {
        pieces.sort_unstable();
        Self { track: Some(track), pieces, gauges: None }
    }

    /// A scene with two gauges.
    #[must_use]
    pub const fn of_gauges(gauges: Both<Gauge>) -> Self {
        Self { track: None, pieces: Vec::new(), gauges: Some(gauges) }
    }

    /// Applies one change. Applying all changes of a turn in order to the old scene gives the new scene.
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
