//! The schedule of a tournament, as a pure function of its format and of the results so far.

mod format;
mod knockout;
mod pairing;
mod round_robin;
mod swiss;

#[cfg(test)]
mod tests;

pub use format::Format;
use skirmish_rules::{Both, counted};
use thiserror::Error;

/// The minimum number of entrants of a tournament.
pub(crate) const FEWEST_ENTRANTS: usize = 2;

/// The maximum number of entrants of a tournament.
pub const MOST_ENTRANTS: usize = 1_000;

/// The maximum number of cycles of a round-robin.
pub(crate) const MOST_CYCLES: u32 = 1_000;

/// Two entrants who play one or more pairs of games. Entrants are numbered from 0, best seed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encounter {
    /// The entrant with the first seat in the first game of each pair.
    pub one: usize,
    /// The other entrant.
    pub two: usize,
}

/// An encounter with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedEncounter {
    /// The encounter.
    pub encounter: Encounter,
    /// The half points of the encounter's `one` and `two`, regardless of the seats.
    pub half_points: Both<u32>,
}

/// The schedule of a tournament.
///
/// It computes one round at a time from the results so far and stores nothing, so a tournament is resumed by computing
/// its rounds again:
///
/// ```
/// use skirmish_play::tournament::schedule::{FinishedEncounter, Format, Schedule};
/// use skirmish_rules::Both;
///
/// let schedule = Schedule::new(Format::Knockout, 5, None)?;
/// let mut finished = Vec::new();
/// while let Some(round) = schedule.round(&finished) {
///     let better_seed_wins = |encounter| FinishedEncounter { encounter, half_points: Both::new(2, 0) };
///     finished.push(round.into_iter().map(better_seed_wins).collect());
/// }
/// let places = schedule.places(&finished).expect("a knockout has places");
/// assert_eq!(places, [vec![0], vec![1], vec![2, 3], vec![4]]);
/// # Ok::<(), skirmish_play::tournament::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    format: Format,
    entrants: usize,
    rounds: usize,
}

/// Why a tournament cannot be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// There are too few entrants.
    #[error("a tournament needs at least {FEWEST_ENTRANTS} entrants, not {0}")]
    TooFew(usize),
    /// There are too many entrants.
    #[error("a tournament can have at most {MOST_ENTRANTS} entrants, not {0}")]
    TooMany(usize),
    /// The format determines the number of rounds.
    #[error("a {format} of {entrants} entrants always has {}: omit the number of rounds", counted(*rounds as u64, "round"))]
    NoChoice {
        /// The format.
        format: Format,
        /// The number of entrants.
        entrants: usize,
        /// The number of rounds.
        rounds: usize,
    },
    /// The number of cycles is out of range.
    #[error("in a round-robin everybody can meet everybody from 1 to {MOST_CYCLES} times, not {0}")]
    Cycles(u32),
    /// The number of rounds of a Swiss tournament is out of range.
    #[error(
        "a Swiss tournament of {entrants} entrants can have {}{}, not {wanted}: \
         in more, some might have to meet twice",
        if *most > 1 { "1 to " } else { "" }, counted(*most as u64, "round")
    )]
    SwissRounds {
        /// The number of entrants.
        entrants: usize,
        /// The maximum number of rounds.
        most: usize,
        /// The requested number.
        wanted: u32,
    },
}

impl Encounter {
    /// Whether these two entrants meet, in either order.
    #[must_use]
    pub const fn is_between(self, first: usize, second: usize) -> bool {
        (self.one == first && self.two == second) || (self.one == second && self.two == first)
    }
}

impl FinishedEncounter {
    /// Returns the winner, unless the encounter is tied.
    #[must_use]
    pub const fn winner(&self) -> Option<usize> {
        let Both { one, two } = self.half_points;
        if one == two {
            return None;
        }
        Some(if one > two { self.encounter.one } else { self.encounter.two })
    }
}

impl Schedule {
    /// Creates the schedule of a tournament.
    ///
    /// `rounds` is the number of rounds of a Swiss tournament or the number of cycles of a round-robin. Other formats do
    /// not allow it.
    ///
    /// # Errors
    /// If the number of entrants or rounds is invalid.
    pub fn new(
        format: Format,
        entrants: usize,
        rounds: Option<u32>,
    ) -> Result<Self, ScheduleError> {
        if entrants < FEWEST_ENTRANTS {
            return Err(ScheduleError::TooFew(entrants));
        }
        if entrants > MOST_ENTRANTS {
            return Err(ScheduleError::TooMany(entrants));
        }
        let no_choice = |fixed: usize| match rounds {
            None => Ok(fixed),
            Some(_) => Err(ScheduleError::NoChoice { format, entrants, rounds: fixed }),
        };
        let rounds = match format {
            Format::RoundRobin => round_robin::rounds(entrants, rounds)?,
            Format::Gauntlet => no_choice(entrants - 1)?,
            Format::Knockout => no_choice(knockout::rounds(entrants))?,
            Format::Swiss => swiss::rounds(entrants, rounds)?,
        };
        Ok(Self { format, entrants, rounds })
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns the number of entrants.
    #[must_use]
    pub const fn entrants(&self) -> usize {
        self.entrants
    }

    /// Returns the number of rounds.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// Returns the total number of encounters.
    #[must_use]
    pub const fn encounters(&self) -> usize {
        match self.format {
            // Everyone plays in each round, except for one entrant if their number is odd.
            Format::RoundRobin | Format::Swiss => self.rounds * (self.entrants / 2),
            // The first entrant meets all others once, or all entrants but the winner lose once.
            Format::Gauntlet | Format::Knockout => self.entrants - 1,
        }
    }

    /// Returns the encounters of the next round, with each entrant at most once; `None` when the tournament is over.
    ///
    /// `finished` holds the rounds so far, with a result for every encounter of this schedule.
    ///
    /// # Panics
    /// If `finished` comes from another schedule.
    #[must_use]
    pub fn round(&self, finished: &[Vec<FinishedEncounter>]) -> Option<Vec<Encounter>> {
        if finished.len() >= self.rounds {
            return None;
        }
        Some(match self.format {
            Format::RoundRobin => round_robin::round(self.entrants, finished.len()),
            Format::Gauntlet => vec![gauntlet(finished.len())],
            Format::Knockout => knockout::round(self.entrants, finished),
            Format::Swiss => swiss::round(self.entrants, finished),
        })
    }

    /// Returns the half points of each entrant after these rounds. A bye in a Swiss tournament counts as winning all
    /// games of an encounter; in the other formats, it scores nothing.
    ///
    /// # Panics
    /// If `finished` comes from another schedule.
    #[must_use]
    pub fn half_points(&self, finished: &[Vec<FinishedEncounter>]) -> Vec<u32> {
        match self.format {
            Format::Swiss => swiss::half_points(self.entrants, finished),
            Format::RoundRobin | Format::Gauntlet | Format::Knockout => {
                played_half_points(self.entrants, finished)
            }
        }
    }

    /// Returns the places in a knockout: the winner, the other finalist, the losing semi-finalists, and so on. Entrants
    /// eliminated in the same round share a place and are listed by seed; those still playing come first. `None` in the
    /// other formats, where points decide.
    #[must_use]
    pub fn places(&self, finished: &[Vec<FinishedEncounter>]) -> Option<Vec<Vec<usize>>> {
        match self.format {
            Format::Knockout => Some(knockout::places(self.entrants, finished)),
            Format::RoundRobin | Format::Gauntlet | Format::Swiss => None,
        }
    }
}

/// Returns the only encounter of a round of a gauntlet. The first seat alternates.
const fn gauntlet(round: usize) -> Encounter {
    let challenger = round + 1;
    if round.is_multiple_of(2) {
        Encounter { one: 0, two: challenger }
    } else {
        Encounter { one: challenger, two: 0 }
    }
}

/// Returns the half points that each entrant won in games.
fn played_half_points(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<u32> {
    let mut points = vec![0; entrants];
    for result in finished.iter().flatten() {
        points[result.encounter.one] += result.half_points.one;
        points[result.encounter.two] += result.half_points.two;
    }
    points
}
