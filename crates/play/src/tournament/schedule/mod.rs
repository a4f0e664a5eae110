//! Who meets whom in a tournament, as a pure function of its format and of the results so far.

mod format;
mod knockout;
mod pairing;
mod round_robin;
mod swiss;

#[cfg(test)]
mod tests;

pub use format::Format;
use skirmish_rules::Both;
use thiserror::Error;

/// The fewest entrants a tournament can have.
pub const FEWEST_ENTRANTS: usize = 2;

/// The most entrants a tournament can have.
pub const MOST_ENTRANTS: usize = 1_000;

/// How often everybody can meet everybody.
pub const MOST_CYCLES: u32 = 1_000;

/// Two entrants who are going to play some pairs of games. Entrants are numbered from 0, the best seed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encounter {
    /// Who has the first seat in the first game of each pair.
    pub one: usize,
    /// The opponent.
    pub two: usize,
}

/// An encounter with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedEncounter {
    /// Who met.
    pub encounter: Encounter,
    /// The half points of the encounter's `one` and `two`, whatever seats they had in the single games.
    pub half_points: Both<u32>,
}

/// The plan of a tournament.
///
/// It is asked for one round after the other and keeps no results itself, so that a tournament that was
/// stopped goes on by asking for all its rounds again:
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

/// Why there is no such tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// There is nobody to play against.
    #[error("a tournament needs at least {FEWEST_ENTRANTS} entrants, not {0}")]
    TooFew(usize),
    /// There are more than anybody would wait for.
    #[error("a tournament can have at most {MOST_ENTRANTS} entrants, not {0}")]
    TooMany(usize),
    /// A number of rounds was asked for in a format that leaves no choice.
    #[error("a {format} of {entrants} entrants always has {}: leave their number out", some_rounds(*rounds))]
    NoChoice {
        /// The format.
        format: Format,
        /// How many take part.
        entrants: usize,
        /// How many rounds it has.
        rounds: usize,
    },
    /// Everybody was to meet everybody never, or far too often.
    #[error("in a round-robin everybody can meet everybody from 1 to {MOST_CYCLES} times, not {0}")]
    Cycles(u32),
    /// A Swiss tournament would have no round at all, or some would have to meet twice.
    #[error(
        "a Swiss tournament of {entrants} entrants can have {}{}, not {wanted}: \
         in more, some might have to meet twice",
        if *most > 1 { "1 to " } else { "" }, some_rounds(*most)
    )]
    SwissRounds {
        /// How many take part.
        entrants: usize,
        /// How many rounds there can be.
        most: usize,
        /// How many were asked for.
        wanted: u32,
    },
}

impl Encounter {
    /// Whether these two meet, in whichever seats.
    #[must_use]
    pub const fn is_between(self, first: usize, second: usize) -> bool {
        (self.one == first && self.two == second) || (self.one == second && self.two == first)
    }
}

impl FinishedEncounter {
    /// Who won the encounter, unless it ended level.
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
    /// The plan of a tournament in which so many take part.
    ///
    /// The number of rounds can be chosen in a Swiss tournament; for a round-robin it says how often everybody
    /// meets everybody.
    ///
    /// # Errors
    /// When there are too few or too many entrants, or that number of rounds is not possible.
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

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// How many take part.
    #[must_use]
    pub const fn entrants(&self) -> usize {
        self.entrants
    }

    /// How many rounds there are.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// How many encounters there are in all rounds together.
    #[must_use]
    pub const fn encounters(&self) -> usize {
        match self.format {
            // In each round everybody plays, or everybody but one.
            Format::RoundRobin | Format::Swiss => self.rounds * (self.entrants / 2),
            // Each but the champion is met once, or goes out once.
            Format::Gauntlet | Format::Knockout => self.entrants - 1,
        }
    }

    /// The encounters of the next round, in which nobody plays twice; `None` when the tournament is over.
    ///
    /// `finished` has the rounds so far, with a result for every encounter that this schedule gave for them.
    ///
    /// # Panics
    /// When `finished` comes from another schedule.
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

    /// The half points of each entrant after these rounds.
    ///
    /// To sit out a round of a Swiss tournament is worth as much as to win all games of an encounter. In the
    /// other formats it is worth nothing.
    ///
    /// # Panics
    /// When `finished` comes from another schedule.
    #[must_use]
    pub fn half_points(&self, finished: &[Vec<FinishedEncounter>]) -> Vec<u32> {
        match self.format {
            Format::Swiss => swiss::half_points(self.entrants, finished),
            Format::RoundRobin | Format::Gauntlet | Format::Knockout => {
                played_half_points(self.entrants, finished)
            }
        }
    }

    /// Who came how far in a knockout: the winner, the other finalist, those who lost a semi-final, and so on.
    /// Those who went out in the same round share a place and are listed by seed; those still in it come first.
    /// `None` in the other formats, where points decide.
    #[must_use]
    pub fn places(&self, finished: &[Vec<FinishedEncounter>]) -> Option<Vec<Vec<usize>>> {
        match self.format {
            Format::Knockout => Some(knockout::places(self.entrants, finished)),
            Format::RoundRobin | Format::Gauntlet | Format::Swiss => None,
        }
    }
}

/// The only encounter of a round of a gauntlet. The first seat changes hands from round to round.
const fn gauntlet(round: usize) -> Encounter {
    let challenger = round + 1;
    if round.is_multiple_of(2) {
        Encounter { one: 0, two: challenger }
    } else {
        Encounter { one: challenger, two: 0 }
    }
}

/// What each entrant got in games.
fn played_half_points(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<u32> {
    let mut points = vec![0; entrants];
    for result in finished.iter().flatten() {
        points[result.encounter.one] += result.half_points.one;
        points[result.encounter.two] += result.half_points.two;
    }
    points
}

/// `1 round`, `5 rounds`.
fn some_rounds(number: usize) -> String {
    if number == 1 { "1 round".to_owned() } else { format!("{number} rounds") }
}
