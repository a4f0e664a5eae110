//! The tables of a tournament: the standings and the cross table.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use skirmish_play::tournament::rating::{Rating, ratings};
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::tally::PairTally;

use super::Tournament;
use super::board::Board;

/// One entrant's row in the standings.
#[derive(Clone, Debug)]
pub struct StandingsRow {
    /// The index of the entrant in the tournament.
    pub entrant: usize,
    /// The entrant's place; tied entrants share a place.
    pub place: usize,
    /// Games won, drawn and lost.
    pub total: CrossTableCell,
    /// Half points scored, including byes.
    pub half_points: u32,
    /// The results of the complete game pairs.
    pub tally: PairTally,
    /// The entrant's rating.
    pub rating: Rating,
    /// The number of games with a fault.
    pub faults: u32,
    /// The entrant's faults, each with its number of games, most frequent first.
    pub reasons: Vec<(String, u32)>,
}

impl StandingsRow {
    /// The half points scored from byes.
    #[must_use]
    pub const fn bye(&self) -> u32 {
        self.half_points - self.total.half_points()
    }
}

/// The score of games between two entrants, or of one entrant against all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrossTableCell {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl CrossTableCell {
    /// The number of games.
    #[must_use]
    pub const fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The half points scored.
    #[must_use]
    pub const fn half_points(self) -> u32 {
        2 * self.wins + self.draws
    }

    /// The same games from the opponent's point of view.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }

    pub(super) const fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// The standings and the cross table.
#[derive(Clone, Debug)]
pub struct Standings {
    /// One row for each entrant, in order of place.
    pub lines: Vec<StandingsRow>,
    cells: Vec<CrossTableCell>,
}

impl Standings {
    /// The current tables.
    #[must_use]
    pub fn of(tournament: &Tournament, board: &Board) -> Self {
        let count = tournament.entrants.len();
        let mut cells = vec![CrossTableCell::default(); count * count];
        let mut faults = vec![BTreeMap::<&str, u32>::new(); count];
        for meeting in board.meetings() {
            let (one, two) = (meeting.encounter.one, meeting.encounter.two);
            let cell = meeting.cell();
            cells[one * count + two] = cells[one * count + two].plus(cell);
            cells[two * count + one] = cells[two * count + one].plus(cell.reversed());
            for (side, played) in meeting.played() {
                for (entrant, side) in [(one, side), (two, side.other())] {
                    if let Some(reason) = &played.faults[side] {
                        *faults[entrant].entry(reason).or_default() += 1;
                    }
                }
            }
        }
        let (pairs, finished) = (board.pairs(), board.finished());
        let ratings = ratings(count, &pairs);
        let half_points = board.schedule().half_points(&finished);
        let lines = (0..count).map(|entrant| {
            let row = &cells[entrant * count..(entrant + 1) * count];
            let total = row.iter().fold(CrossTableCell::default(), |sum, &cell| sum.plus(cell));
            let mut reasons: Vec<(String, u32)> = faults[entrant]
                .iter()
                .map(|(reason, &games)| ((*reason).to_owned(), games))
                .collect();
            reasons.sort_by_key(|(_, games)| Reverse(*games));
            StandingsRow {
                entrant,
                place: 0,
                total,
                half_points: half_points[entrant],
                tally: PairTally::of(entrant, &pairs),
                rating: ratings[entrant],
                faults: faults[entrant].values().sum(),
                reasons,
            }
        });
        let mut lines: Vec<StandingsRow> = lines.collect();
        match board.schedule().places(&finished).filter(|_| board.is_over()) {
            Some(places) => place_by_elimination(&mut lines, &places),
            None => place_by_points(&mut lines, tournament.format),
        }
        Self { lines, cells }
    }

    /// The score of an entrant against another entrant.
    #[must_use]
    pub fn against(&self, entrant: usize, other: usize) -> CrossTableCell {
        self.cells[entrant * self.lines.len() + other]
    }
}

/// Ranks rows by points in a Swiss tournament, where a bye counts; otherwise by points per game, since entrants may
/// have played unequal numbers of games.
fn place_by_points(lines: &mut [StandingsRow], format: Format) {
    let worth = |line: &StandingsRow| match format {
        Format::Swiss => f64::from(line.half_points),
        Format::RoundRobin | Format::Gauntlet | Format::Knockout => {
            f64::from(line.total.half_points()) / f64::from(line.total.games().max(1))
        }
    };
    lines.sort_by(|one, two| {
        worth(two).total_cmp(&worth(one)).then(two.rating.elo.total_cmp(&one.rating.elo))
    });
    for index in 0..lines.len() {
        let level = index > 0 && worth(&lines[index - 1]).total_cmp(&worth(&lines[index])).is_eq();
        lines[index].place = if level { lines[index - 1].place } else { index + 1 };
    }
}

fn place_by_elimination(lines: &mut [StandingsRow], places: &[Vec<usize>]) {
    let mut before = 0;
    for shared in places {
        for line in lines.iter_mut().filter(|line| shared.contains(&line.entrant)) {
            line.place = before + 1;
        }
        before += shared.len();
    }
    lines.sort_by_key(|line| (line.place, line.entrant));
}
