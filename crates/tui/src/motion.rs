//! The animation of a turn: its events one after the other.

use std::time::{Duration, Instant};

use skirmish_rules::{Change, Scene, Side, Telling};

/// How long one event is shown.
const STEP: Duration = Duration::from_millis(180);

/// The frame interval of a moving piece.
const FRAME: Duration = Duration::from_millis(30);

/// An animated turn.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    steps: Vec<MotionStep>,
    begun: Instant,
    /// When to draw the next frame.
    frame: Instant,
}

#[derive(Clone, Debug)]
struct MotionStep {
    before: Scene,
    telling: Telling,
}

/// A piece between two places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glide {
    pub(super) side: Side,
    pub(super) from: u8,
    pub(super) to: u8,
    /// From 0 to 1.
    pub(super) progress: f64,
}

/// The picture at some moment.
pub(super) struct Moment<'a> {
    pub(super) scene: &'a Scene,
    pub(super) glide: Option<Glide>,
    /// The events told so far.
    pub(super) told: Vec<&'a Telling>,
}

impl Motion {
    /// Animates the turn that followed `before`; `None` if nothing changes.
    pub(super) fn of(before: Scene, tellings: Vec<Telling>, now: Instant) -> Option<Self> {
        let mut scene = before;
        let mut steps = Vec::new();
        for telling in tellings {
            let next = telling
                .changes
                .iter()
                .try_fold(scene.clone(), |mut scene, &change| scene.apply(change).map(|()| scene));
            steps.push(MotionStep { before: scene.clone(), telling });
            let Ok(next) = next else { break };
            scene = next;
        }
        let moves = steps.iter().any(|step| !step.telling.changes.is_empty());
        moves.then_some(Self { steps, begun: now, frame: now })
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

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.step(now).is_none()
    }

    /// When the picture changes next.
    pub(super) fn due(&self, now: Instant) -> Instant {
        let next = now + FRAME;
        let Some((index, _)) = self.step(now) else { return now };
        if self.glide(index, 0.0).is_some() {
            return next;
        }
        let ends = self.steps[..=index].iter().map(MotionStep::duration).sum::<Duration>();
        self.begun + ends
    }

    pub(super) fn moment(&self, now: Instant) -> Option<Moment<'_>> {
        let (index, progress) = self.step(now)?;
        let told = self.steps[..=index].iter().map(|step| &step.telling).collect();
        let scene = &self.steps[index].before;
        Some(Moment { scene, glide: self.glide(index, progress), told })
    }

    fn step(&self, now: Instant) -> Option<(usize, f64)> {
        let mut left = now.saturating_duration_since(self.begun);
        for (index, step) in self.steps.iter().enumerate() {
            let duration = step.duration();
            if left < duration {
                return Some((index, left.as_secs_f64() / duration.as_secs_f64()));
            }
            left -= duration;
        }
        None
    }

    fn glide(&self, index: usize, progress: f64) -> Option<Glide> {
        self.steps[index].telling.changes.iter().find_map(|change| match *change {
            Change::Moves { piece, to } => {
                Some(Glide { side: piece.side, from: piece.at, to, progress })
            }
            Change::Appears(_)
            | Change::Strengthens { .. }
            | Change::Vanishes(_)
            | Change::Gauge { .. } => None,
        })
    }
}

impl MotionStep {
    /// An event that changes nothing in the picture takes no time.
    fn duration(&self) -> Duration {
        if self.telling.changes.is_empty() { Duration::ZERO } else { STEP }
    }
}

impl Glide {
    /// Its position between two columns.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two columns of a screen
    pub(super) fn between(self, from: f64, to: f64) -> u16 {
        (from + (to - from) * self.progress).max(0.0) as u16
    }

    /// The nearest place.
    pub(super) fn nearest(self) -> u8 {
        let column = self.between(f64::from(self.from) + 0.5, f64::from(self.to) + 0.5);
        u8::try_from(column).unwrap_or(u8::MAX)
    }
}

/// The scene to draw, with the moving piece: a moment of the motion, or else the scene at rest.
pub(super) fn shown<'a>(
    motion: Option<&'a Motion>,
    scene: &'a Scene,
    now: Instant,
) -> (&'a Scene, Option<Glide>) {
    let moment = motion.and_then(|motion| motion.moment(now));
    moment.map_or((scene, None), |moment| (moment.scene, moment.glide))
}

/// The places and the gauges that some events touched.
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
