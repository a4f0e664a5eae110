//! A sequential test in progress: it looks at one pair after the other, in the order of the schedule.

use std::collections::HashSet;

use skirmish_play::tournament::sprt::{Decision, Sprt};
use skirmish_play::tournament::tally::PairTally;

use super::board::{Meeting, PairPlayed};

/// The pair that a test looks at next. Which game happens to end first changes nothing: a pair is looked at only
/// when all before it have been.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    sprt: Sprt,
    tally: PairTally,
    seen: HashSet<PairPlayed>,
    /// The round and the pair in it. Two entrants have one encounter in each round.
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

    /// What has been found and after how many pairs, once something has.
    pub(super) fn decision(&self) -> Option<(Decision, u32)> {
        self.decision.map(|decision| (decision, self.tally.pairs()))
    }

    /// Looks at the pairs that can be looked at, up to the one that decides, behind which it stays.
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
