//! A sequential test in progress, which evaluates game pairs in the order of the schedule.

use std::collections::HashSet;

use skirmish_play::tournament::sprt::{Decision, Sprt};
use skirmish_play::tournament::tally::PairTally;

use super::board::{Meeting, PairPlayed};

/// The state of a test. The order in which games end does not matter: each pair is evaluated only after all earlier
/// pairs.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    sprt: Sprt,
    tally: PairTally,
    seen: HashSet<PairPlayed>,
    /// The round of the next pair to evaluate, and the pair's number in it. Two entrants have one encounter in each
    /// round.
    pub(super) round: usize,
    pub(super) pair: usize,
    decision: Option<Decision>,
}

impl Trial {
    pub(super) fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            tally: PairTally::default(),
            seen: HashSet::new(),
            round: 0,
            pair: 0,
            decision: None,
        }
    }

    /// The decision, once made, and the number of pairs it took.
    pub(super) fn decision(&self) -> Option<(Decision, u32)> {
        self.decision.map(|decision| (decision, self.tally.pairs()))
    }

    /// Evaluates all available pairs, up to the deciding one.
    pub(super) fn advance(&mut self, rounds: &[Vec<Meeting>]) {
        while self.decision.is_none()
            && let Some(meeting) = rounds.get(self.round).and_then(|round| round.first())
        {
            if 2 * self.pair == meeting.games.len() {
                self.round += 1;
                self.pair = 0;
                continue;
            }
            let Some(played) = meeting.pair(self.pair) else { return };
            let is_repeat = !self.seen.insert(played);
            self.tally.add(played.half_points, is_repeat);
            self.pair += 1;
            let decision = self.sprt.decision(&self.tally);
            self.decision = (decision != Decision::Open).then_some(decision);
        }
    }
}
