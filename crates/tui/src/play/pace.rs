//! The pace of a game: how long a turn or the coin toss stays on screen before the next event.

use std::time::{Duration, Instant};

use skirmish_rules::Side;

use super::super::context::Context;

/// How long a person's own turn stays on screen before the opponent's appears.
const READING: Duration = Duration::from_millis(500);

/// Extra reading time without animation, because everything appears at once.
const STILL: Duration = Duration::from_millis(400);

/// How long the coin shows each side, and the number of flips.
const FLIP: Duration = Duration::from_millis(90);
const FLIPS: u32 = 5;

/// A pause before the next turn appears.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    what: Paused,
    /// Whether motion is switched off.
    is_still: bool,
    begun: Instant,
    /// When to draw the next frame.
    pub(crate) frame: Instant,
}

/// The purpose of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paused {
    /// Lets people read their own turn.
    Reading,
    /// Shows the coin toss that decides who starts.
    Toss,
}

impl Pause {
    pub(crate) fn new(what: Paused, context: &Context) -> Self {
        let (is_still, now) = (!context.look.motion, context.now);
        let mut pause = Self { what, is_still, begun: now, frame: now };
        pause.advance(now);
        pause
    }

    pub(crate) fn is_toss(&self) -> bool {
        self.what == Paused::Toss
    }

    fn ends(&self) -> Instant {
        self.begun
            + READING
            + match self.what {
                _ if self.is_still => STILL,
                Paused::Reading => Duration::ZERO,
                Paused::Toss => FLIP * FLIPS,
            }
    }

    pub(crate) fn is_over(&self, now: Instant) -> bool {
        now >= self.ends()
    }

    /// Moves on to the next frame.
    pub(crate) fn advance(&mut self, now: Instant) {
        self.frame = match self.flips(now) {
            Some(flips) if flips < FLIPS => self.begun + FLIP * (flips + 1),
            Some(_) | None => self.ends(),
        };
    }

    /// The number of coin flips so far; `None` unless this is a toss.
    fn flips(&self, now: Instant) -> Option<u32> {
        (self.what == Paused::Toss).then(|| {
            if self.is_still {
                return FLIPS;
            }
            let passed = now.saturating_duration_since(self.begun).as_millis() / FLIP.as_millis();
            u32::try_from(passed).unwrap_or(FLIPS).min(FLIPS)
        })
    }

    /// During a toss won by `first`: the side of the coin that is up, and whether the coin has come to rest.
    pub(crate) fn coin(&self, first: Side, now: Instant) -> Option<(Side, bool)> {
        let flips = self.flips(now)?;
        let is_turned = (FLIPS - flips) % 2 == 1;
        Some((if is_turned { first.other() } else { first }, flips == FLIPS))
    }
}
