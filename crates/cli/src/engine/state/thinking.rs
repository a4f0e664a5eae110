//! Answers a `go` with a computer level's choice once the position is solved, or by looking one turn ahead.

use std::sync::Arc;
use std::time::Instant;

use skirmish_play::SolveError;
use skirmish_play::library::Found;
use skirmish_play::player::Computer;
use skirmish_rules::Side;

use super::Engine;
use crate::engine::glance::glance;
use crate::engine::limits::GoLimits;
use crate::engine::worth;

/// Identifies a random choice: the game, and the `go` in it.
#[derive(Default)]
pub(super) struct Luck {
    game: u32,
    go: u32,
}

impl Luck {
    /// The game counter wraps here.
    const GAMES: u32 = 1 << 30;

    pub(super) const fn next_game(&mut self) {
        self.game = (self.game + 1) % Self::GAMES;
        self.go = 0;
    }
}

/// An unanswered `go`.
pub(super) struct PendingMove {
    side: Side,
    /// The deadline for answering the `go`.
    pub(super) until: Option<Instant>,
    /// Whether the answer waits for `stop`.
    pub(super) is_infinite: bool,
    /// The answer, once it is found.
    choice: Option<String>,
}

/// Whether the current position is solved.
enum SolvingState {
    /// Solved: a computer level can choose.
    Ready(Found),
    /// Not solved yet.
    Open,
    /// Will not be solved, for this reason.
    Refused(SolveError),
}

impl Engine {
    pub(super) fn go(&mut self, text: &str, now: Instant) {
        let (limits, remarks) = GoLimits::parse(text);
        for remark in remarks {
            self.note(&remark);
        }
        let Some(side) = self.chooser() else {
            let is_over = self.spot.table().outcome().is_some();
            self.note(if is_over {
                "the game is over"
            } else {
                "the game is over: MaxTurns is reached"
            });
            self.send("bestmove none");
            return;
        };
        // After a `go`, the runner no longer waits for `readyok`.
        self.be_ready();
        self.luck.go = self.luck.go.wrapping_add(1);
        self.thinking = Some(PendingMove {
            side,
            // A deadline that overflows counts as none.
            until: limits.allowance(side).and_then(|time| now.checked_add(time)),
            is_infinite: limits.is_infinite,
            choice: None,
        });
        self.prepare();
        self.proceed();
    }

    /// Answers the pending `isready` and `go` as far as possible.
    pub(super) fn proceed(&mut self) {
        let outlook = self.outlook();
        if matches!(outlook, SolvingState::Open) {
            return;
        }
        if let SolvingState::Refused(reason) = &outlook
            && !std::mem::replace(&mut self.has_explained, true)
        {
            self.note(&format!("{reason}: moves look only one turn ahead"));
        }
        self.be_ready();
        let Some(PendingMove { side, choice: None, is_infinite, .. }) = self.thinking else {
            return;
        };
        let choice = match outlook {
            SolvingState::Ready(Found { solved, node, .. }) => {
                let Luck { game, go } = self.luck;
                let (level, chance) = (self.options.level, self.options.chance);
                let computer = Computer::new(level, Arc::clone(&solved), chance);
                let choice = computer.choose(self.spot.table(), side, game, go);
                let worth = worth::of_choice(&solved, node, side, &choice);
                self.send(format!("info {worth} pv {choice}"));
                choice
            }
            SolvingState::Open | SolvingState::Refused(_) => self.glance(side),
        };
        if is_infinite {
            self.thinking =
                self.thinking.take().map(|it| PendingMove { choice: Some(choice), ..it });
        } else {
            self.conclude(&choice);
        }
    }

    /// Answers a `go` now, with the best move known.
    pub(super) fn decide(&mut self, reason: &str) {
        let Some(PendingMove { side, choice, .. }) = self.thinking.take() else { return };
        let choice = choice.unwrap_or_else(|| {
            self.note(&format!("{reason}: this move looks only one turn ahead"));
            self.glance(side)
        });
        self.conclude(&choice);
    }

    fn conclude(&mut self, choice: &str) {
        self.thinking = None;
        self.send(format!("bestmove {choice}"));
    }

    fn glance(&self, side: Side) -> String {
        let Luck { game, go } = self.luck;
        let turn = self.spot.table().turns_played();
        let luck = self.options.chance.roll(game, turn, go, side);
        glance(self.spot.table(), side, luck)
    }

    /// Whether the current position is solved.
    fn outlook(&self) -> SolvingState {
        let table = self.spot.table();
        match self.library.find(table) {
            Some(found) if found.solved.has_players() => SolvingState::Ready(found),
            Some(_) => SolvingState::Open,
            None => {
                let refusal = self.library.refusal(table.entry(), table.settings());
                refusal.map_or(SolvingState::Open, |error| SolvingState::Refused(error.clone()))
            }
        }
    }
}
