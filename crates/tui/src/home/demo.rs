//! A game that plays itself on the home screen.

use std::time::{Duration, Instant};

use ratatui::layout::Rect;
use skirmish_rules::{Entry, Table};

use super::super::context::Context;
use super::super::look::Ink;
use super::super::motion::Motion;
use super::super::parts::{Canvas, below};
use super::super::stage::Stage;

/// A game that plays a limited number of turns by itself.
pub(super) struct Demo {
    table: Box<dyn Table>,
    motion: Option<Motion>,
    next: Option<Instant>,
    /// The number of turns left, after which the demo stops and uses no CPU time.
    left: u32,
}

/// The pause between two turns of the demo.
const PACE: Duration = Duration::from_millis(900);

const TURNS: u32 = 40;

/// Rows reserved for the events of the last turn.
const TOLD: u16 = 2;

impl Demo {
    pub(super) fn of(entry: &'static Entry, context: &Context) -> Self {
        let table = entry.open(entry.setup()).expect("the default start is valid");
        let next = context.look.motion.then(|| context.now + PACE);
        let left = if context.look.motion { TURNS } else { 0 };
        Self { table, motion: None, next, left }
    }

    /// A demo that never plays a turn.
    pub(super) const fn still(table: Box<dyn Table>) -> Self {
        Self { table, motion: None, next: None, left: 0 }
    }

    pub(super) fn entry(&self) -> &'static Entry {
        self.table.entry()
    }

    pub(super) fn due(&self) -> Option<Instant> {
        let frame = self.motion.as_ref().map(Motion::frame);
        frame.into_iter().chain(self.next).min()
    }

    pub(super) fn wake(&mut self, now: Instant) {
        Motion::advance(&mut self.motion, now);
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        if self.left == 0 {
            self.next = None;
            return;
        }
        self.left -= 1;
        self.next = Some(now + PACE);
        let before = self.table.scene();
        let sides = self.table.to_act();
        if sides.is_empty() {
            while self.table.undo() {}
            return;
        }
        for side in sides {
            let choices = self.table.choices(side);
            // Any varied choice will do for a demo.
            let turn = self.table.history().len() + self.left as usize * 7;
            let chosen =
                &choices[(turn * 5 + turn / 3 + usize::from(side.number())) % choices.len()];
            self.table.submit(side, &chosen.notation).expect("it is one of the legal choices");
        }
        self.motion = Motion::of(before, self.table.last_turn(), now);
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect, now: Instant) {
        let scene = self.table.scene();
        // The last turn is described below the board.
        let rows = area.height.saturating_sub(TOLD);
        let stage = Stage {
            last_turn: &self.table.last_turn(),
            moment: self.motion.as_ref().and_then(|motion| motion.moment(now)),
            ..Stage::still(self.table.entry(), &scene, self.table.names())
        };
        stage.draw(canvas, Rect { height: rows, ..area });
        let sentences: Vec<String> =
            self.table.last_turn().into_iter().map(|telling| telling.sentence).collect();
        canvas.prose(below(area, rows), &sentences.join(" "), canvas.look.ink(Ink::Faint));
    }
}
