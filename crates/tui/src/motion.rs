//! The animation of a turn, one event after another.

use std::time::{Duration, Instant};

use skirmish_rules::{Change, Piece, Scene, Side, Telling};

/// The target duration of all events of a turn.
const TURN: Duration = Duration::from_millis(500);

/// The minimum and maximum duration of one event.
const STEP: (Duration, Duration) = (Duration::from_millis(110), Duration::from_millis(180));

/// The frame interval while a piece is moving.
const FRAME: Duration = Duration::from_millis(30);

/// An animated turn.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// The scene before each event, and after the last one.
    scenes: Vec<Scene>,
    tellings: Vec<Telling>,
    /// The duration of each event.
    step: Duration,
    begun: Instant,
    /// When to draw the next frame.
    frame: Instant,
}

/// A piece moving between two places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glide {
    /// The piece before it moves.
    pub(super) piece: Piece,
    pub(super) to: u8,
    /// The fraction of the way covered, from 0 to 1.
    pub(super) progress: f64,
}

/// The state of an animation at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment<'a> {
    /// The scene before the event being animated.
    pub(super) scene: &'a Scene,
    pub(super) glide: Option<Glide>,
    /// The events so far; the last one is being animated.
    pub(super) told: &'a [Telling],
}

impl Motion {
    /// Animates the turn that followed `before`; `None` if the turn changes nothing.
    pub(super) fn of(before: Scene, mut tellings: Vec<Telling>, now: Instant) -> Option<Self> {
        let mut scene = before;
        let mut scenes = Vec::new();
        for telling in &tellings {
            scenes.push(scene.clone());
            let changed = telling.changes.iter().try_for_each(|&change| scene.apply(change));
            if changed.is_err() {
                break;
            }
        }
        tellings.truncate(scenes.len());
        scenes.push(scene);
        let moves = tellings.iter().any(|telling| !telling.changes.is_empty());
        let count = u32::try_from(tellings.len()).unwrap_or(u32::MAX).max(1);
        let step = (TURN / count).clamp(STEP.0, STEP.1);
        moves.then_some(Self { scenes, tellings, step, begun: now, frame: now })
    }

    /// The side whose piece or gauge changes first.
    pub(super) fn mover(&self) -> Option<Side> {
        let change = self.tellings.iter().flat_map(|telling| &telling.changes).next()?;
        Some(match *change {
            Change::Moves { piece, .. }
            | Change::Appears(piece)
            | Change::Vanishes(piece)
            | Change::Strengthens { piece, .. } => piece.side,
            Change::Gauge { side, .. } => side,
        })
    }

    /// Moves on to the next frame, or ends the motion if it is over.
    pub(super) fn advance(motion: &mut Option<Self>, now: Instant) {
        *motion = motion.take().filter(|motion| !motion.is_over(now));
        if let Some(motion) = motion {
            motion.frame = motion.due(now);
        }
    }

    /// When to draw the next frame.
    pub(super) const fn frame(&self) -> Instant {
        self.frame
    }

    pub(super) fn end(&self) -> Instant {
        self.begun + self.step * u32::try_from(self.tellings.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.step(now).is_none()
    }

    /// When the picture next changes.
    pub(super) fn due(&self, now: Instant) -> Instant {
        let Some((index, _)) = self.step(now) else { return now };
        if self.glide(index, 0.0).is_some() {
            return now + FRAME;
        }
        let shown = u32::try_from(index + 1).unwrap_or(u32::MAX);
        self.begun + self.step * shown
    }

    pub(super) fn moment(&self, now: Instant) -> Option<Moment<'_>> {
        let (index, progress) = self.step(now)?;
        let (scene, told) = (&self.scenes[index], &self.tellings[..=index]);
        // A piece slows down before it stops.
        let eased = 1.0 - (1.0 - progress).powi(2);
        Some(Moment { scene, glide: self.glide(index, eased), told })
    }

    /// The index of the current event, and the elapsed fraction of its duration.
    fn step(&self, now: Instant) -> Option<(usize, f64)> {
        let gone =
            now.saturating_duration_since(self.begun).as_secs_f64() / self.step.as_secs_f64();
        let index = (0..self.tellings.len()).zip(1_u32..).find(|(_, end)| gone < f64::from(*end));
        index.map(|(index, end)| (index, gone - f64::from(end - 1)))
    }

    fn glide(&self, index: usize, progress: f64) -> Option<Glide> {
        self.tellings[index].changes.iter().find_map(|change| match *change {
            Change::Moves { piece, to } => Some(Glide { piece, to, progress }),
            Change::Appears(_)
            | Change::Strengthens { .. }
            | Change::Vanishes(_)
            | Change::Gauge { .. } => None,
        })
    }
}

impl Glide {
    /// The column of the piece on its way between two columns.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two columns of a screen
    pub(super) fn between(self, from: f64, to: f64) -> u16 {
        (from + (to - from) * self.progress).max(0.0) as u16
    }

    /// The place nearest to the piece.
    pub(super) fn nearest(self) -> u8 {
        let column = self.between(f64::from(self.piece.at) + 0.5, f64::from(self.to) + 0.5);
        u8::try_from(column).unwrap_or(u8::MAX)
    }
}

/// The places and the gauges that these events changed.
pub(super) fn touched(tellings: &[Telling]) -> (Vec<u8>, Vec<Side>) {
    let (mut places, mut sides) = (Vec::new(), Vec::new());
    for change in tellings.iter().flat_map(|telling| &telling.changes) {
        match *change {
            Change::Moves { piece, to } => places.extend([piece.at, to]),
            Change::Appears(piece)
            | Change::Vanishes(piece)
            | Change::Strengthens { piece, .. } => {
                places.push(piece.at);
            }
            Change::Gauge { side, .. } => sides.push(side),
        }
    }
    (places, sides)
}
