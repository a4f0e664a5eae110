//! The state of a tournament: the results so far, and the next game.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use skirmish_play::fault_of;
use skirmish_play::tournament::schedule::{Encounter, FinishedEncounter, Format, Schedule};
use skirmish_play::tournament::sprt::Decision;
use skirmish_play::tournament::tally::{MOST_HALF_POINTS, Pair};
use skirmish_rules::{Both, Outcome, Record, Side, Termination};

use super::Tournament;
use super::standings::CrossTableCell;
use super::trial::Trial;

/// Maximum number of extra pairs that break a tie in an encounter that needs a winner. After that, the better seed
/// wins.
const EXTRA_PAIRS: usize = 5;

/// How many pairs, or rounds, may begin ahead of the pair that a sequential test is waiting for.
const MOST_AHEAD: usize = 64;

/// Identifies a game of a tournament. All numbers start at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameId {
    /// The number of the round.
    pub round: usize,
    /// The number of the encounter in its round.
    pub meeting: usize,
    /// The number of the game in its encounter; two consecutive games make a pair.
    pub game: usize,
}

impl GameId {
    /// Whether the seats are swapped: the encounter's first entrant sits as Player 2.
    #[must_use]
    pub const fn is_swapped(self) -> bool {
        !self.game.is_multiple_of(2)
    }
}

/// The result of a played game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The outcome.
    pub outcome: Outcome,
    /// How the game ended.
    pub termination: Termination,
    /// Each side's fault, if any.
    pub faults: Both<Option<String>>,
    /// The number of turns.
    pub turns: usize,
    /// A hash of the turns.
    fingerprint: u64,
}

impl PlayedGame {
    /// The result according to a record; `None` if the recorded game is not over.
    #[must_use]
    pub fn of(record: &Record) -> Option<Self> {
        let ending = record.ending?;
        let mut hasher = DefaultHasher::new();
        record.first.hash(&mut hasher);
        for turn in &record.turns {
            turn.notation.hash(&mut hasher);
        }
        Some(Self {
            outcome: ending.outcome,
            termination: ending.termination,
            faults: faults_of(record),
            turns: record.turns.len(),
            fingerprint: hasher.finish(),
        })
    }

    /// The half points that a side scored.
    #[must_use]
    pub fn half_points(&self, side: Side) -> u8 {
        match self.outcome {
            Outcome::Won(winner) => 2 * u8::from(winner == side),
            Outcome::Draw => 1,
        }
    }
}

/// Each side's fault according to a record.
fn faults_of(record: &Record) -> Both<Option<String>> {
    let mut faults = Both::new(None, None);
    let Some(ending) = record.ending else { return faults };
    if !matches!(ending.termination, Termination::Time | Termination::IllegalMove) {
        return faults;
    }
    let text = fault_of(record).unwrap_or_default();
    let without =
        |side: Side, text: &str| text.strip_prefix(&format!("{side} ")).unwrap_or(text).to_owned();
    match ending.outcome {
        Outcome::Won(winner) => faults[winner.other()] = Some(without(winner.other(), text)),
        // In a draw caused by faults, both sides are at fault.
        Outcome::Draw => {
            let (one, two) = text.split_once("; Player 2 ").unwrap_or((text, text));
            faults = Both::new(Some(without(Side::One, one)), Some(two.to_owned()));
        }
    }
    faults
}

/// An encounter with its games.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// The entrants that meet.
    pub encounter: Encounter,
    /// The results of the encounter's games; `None` for games not played yet.
    pub games: Vec<Option<PlayedGame>>,
}

impl Meeting {
    /// The games played so far, each with the seat of the encounter's `one`.
    pub fn played(&self) -> impl Iterator<Item = (Side, &PlayedGame)> {
        self.games.iter().enumerate().filter_map(|(game, played)| {
            let side = if game.is_multiple_of(2) { Side::One } else { Side::Two };
            Some((side, played.as_ref()?))
        })
    }

    /// The score of the encounter's `one`.
    #[must_use]
    pub fn cell(&self) -> CrossTableCell {
        let mut cell = CrossTableCell::default();
        for (side, played) in self.played() {
            cell.add(played.half_points(side));
        }
        cell
    }

    fn finished(&self) -> FinishedEncounter {
        let cell = self.cell();
        let half_points = Both::new(cell.half_points(), cell.reversed().half_points());
        FinishedEncounter { encounter: self.encounter, half_points }
    }

    fn is_finished(&self) -> bool {
        self.games.iter().all(Option::is_some)
    }

    /// A game pair, once both games have been played.
    pub(super) fn pair(&self, number: usize) -> Option<PairPlayed> {
        let [Some(first), Some(second)] = self.games.get(2 * number..2 * number + 2)? else {
            return None;
        };
        let Encounter { one, two } = self.encounter;
        let half_points = first.half_points(Side::One) + second.half_points(Side::Two);
        let games = [first.fingerprint, second.fingerprint];
        let in_order = PairPlayed { one, two, half_points, games };
        Some(if one < two { in_order } else { in_order.reversed() })
    }
}

/// A game pair from the better seed's point of view, whichever entrant had the first seat in its first game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PairPlayed {
    one: usize,
    two: usize,
    pub(super) half_points: u8,
    /// The fingerprints of both games; the game in which `one` had the first seat comes first.
    games: [u64; 2],
}

impl PairPlayed {
    const fn reversed(self) -> Self {
        let Self { one, two, half_points, games: [first, second] } = self;
        Self {
            one: two,
            two: one,
            half_points: MOST_HALF_POINTS - half_points,
            games: [second, first],
        }
    }
}

/// The state of a tournament.
#[derive(Clone, Debug)]
pub struct Board {
    schedule: Schedule,
    games: usize,
    trial: Option<Trial>,
    rounds: Vec<Vec<Meeting>>,
    queue: VecDeque<GameId>,
    played: usize,
}

impl Board {
    /// The state before the first game of a tournament.
    ///
    /// # Panics
    /// If the tournament has no schedule.
    #[must_use]
    pub fn new(tournament: &Tournament) -> Self {
        Self {
            schedule: tournament.schedule().expect("the tournament has been checked"),
            games: 2 * tournament.pairs as usize,
            trial: tournament.sprt.map(Trial::new),
            rounds: Vec::new(),
            queue: VecDeque::new(),
            played: 0,
        }
    }

    /// The next game to play; `None` if it depends on games in progress, or if no games remain. `known` returns the
    /// result of a game that an earlier run has played.
    pub fn take(
        &mut self,
        known: impl Fn(GameId, Encounter) -> Option<PlayedGame>,
    ) -> Option<(GameId, Encounter)> {
        loop {
            if self.queue.is_empty() {
                self.open_round();
            }
            let id = *self.queue.front()?;
            if self.is_too_early(id) {
                return None;
            }
            self.queue.pop_front();
            let encounter = self.rounds[id.round][id.meeting].encounter;
            match known(id, encounter) {
                Some(played) => self.finish(id, played),
                None => return Some((id, encounter)),
            }
        }
    }

    /// Whether a game is so far ahead of the sequential test that it may turn out to be unnecessary.
    fn is_too_early(&self, id: GameId) -> bool {
        self.trial.as_ref().is_some_and(|trial| {
            let is_far = id.round == trial.round && id.game / 2 > trial.pair + MOST_AHEAD;
            is_far || id.round > trial.round + MOST_AHEAD
        })
    }

    /// Records the result of a game.
    pub fn finish(&mut self, id: GameId, played: PlayedGame) {
        let place = self.rounds.get_mut(id.round).and_then(|round| round.get_mut(id.meeting));
        // Games that end after the test has decided do not count.
        let Some(game) = place.and_then(|meeting| meeting.games.get_mut(id.game)) else { return };
        *game = Some(played);
        self.played += 1;
        self.play_on(id);
        self.test();
    }

    /// Whether the tournament is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let is_played = self.rounds.iter().flatten().all(Meeting::is_finished);
        self.decision().is_some() || (is_played && self.rounds.len() == self.schedule.rounds())
    }

    /// The number of games played, and the total number of games as far as it is known.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let usual = self.schedule.encounters() * self.games;
        let extra = self.meetings().map(|meeting| meeting.games.len().saturating_sub(self.games));
        let all = usual + extra.sum::<usize>();
        (self.played, if self.decision().is_some() { self.played } else { all })
    }

    /// The rounds begun so far.
    #[must_use]
    pub fn rounds(&self) -> &[Vec<Meeting>] {
        &self.rounds
    }

    /// The encounters of all rounds begun so far.
    pub fn meetings(&self) -> impl Iterator<Item = &Meeting> {
        self.rounds.iter().flatten()
    }

    /// The schedule.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The results so far, round by round.
    #[must_use]
    pub fn finished(&self) -> Vec<Vec<FinishedEncounter>> {
        let round = |meetings: &Vec<Meeting>| meetings.iter().map(Meeting::finished).collect();
        self.rounds.iter().map(round).collect()
    }

    /// All complete pairs, in the order of the schedule. A pair identical to an earlier one is marked as a repeat.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        let mut seen = HashSet::new();
        let all = self.meetings().flat_map(|meeting| {
            (0..meeting.games.len() / 2).filter_map(|number| meeting.pair(number))
        });
        let pairs = all.map(|played| {
            let PairPlayed { one, two, half_points, .. } = played;
            Pair { one, two, half_points, is_repeat: !seen.insert(played) }
        });
        pairs.collect()
    }

    /// The sequential test's decision, once made, and the number of pairs it took.
    #[must_use]
    pub fn decision(&self) -> Option<(Decision, u32)> {
        self.trial.as_ref()?.decision()
    }

    /// Opens the next round, unless its pairings depend on unfinished games.
    fn open_round(&mut self) {
        let depends_on_results = match self.schedule.format() {
            Format::RoundRobin | Format::Gauntlet => false,
            Format::Knockout | Format::Swiss => true,
        };
        let is_played =
            self.rounds.last().is_none_or(|round| round.iter().all(Meeting::is_finished));
        if self.decision().is_some() || (depends_on_results && !is_played) {
            return;
        }
        let Some(encounters) = self.schedule.round(&self.finished()) else { return };
        let round = self.rounds.len();
        for meeting in 0..encounters.len() {
            self.queue.extend((0..self.games).map(|game| GameId { round, meeting, game }));
        }
        let opened = |encounter| Meeting { encounter, games: vec![None; self.games] };
        self.rounds.push(encounters.into_iter().map(opened).collect());
    }

    /// Adds a pair of games to a tied encounter that needs a winner.
    fn play_on(&mut self, id: GameId) {
        if !self.schedule.format().needs_winners() {
            return;
        }
        let most = self.games + 2 * EXTRA_PAIRS;
        let meeting = &mut self.rounds[id.round][id.meeting];
        let is_level = meeting.is_finished() && meeting.finished().winner().is_none();
        if is_level && meeting.games.len() < most {
            let next = meeting.games.len();
            meeting.games.extend([None, None]);
            self.queue.extend([next, next + 1].map(|game| GameId { game, ..id }));
        }
    }

    /// Advances the sequential test, if any. Once the test has decided, discards all games after the deciding pair, so
    /// that the result does not depend on the number of concurrent games.
    fn test(&mut self) {
        let Some(trial) = &mut self.trial else { return };
        if trial.decision().is_some() {
            return;
        }
        trial.advance(&self.rounds);
        if trial.decision().is_some() {
            self.rounds.truncate(trial.round + 1);
            for meeting in self.rounds.iter_mut().skip(trial.round).flatten() {
                meeting.games.truncate(2 * trial.pair);
            }
            self.queue.clear();
            self.played = self.meetings().map(|meeting| meeting.played().count()).sum();
        }
    }
}
