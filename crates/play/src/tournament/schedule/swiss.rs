//! Swiss: in every round those with about as many points meet, and nobody meets twice.

use super::pairing::Pairing;
use super::{Encounter, FinishedEncounter, ScheduleError, played_half_points};

/// How many rounds are played at least, where so many are possible and nothing else was said.
const USUAL_MINIMUM: usize = 3;

/// The rounds wanted; otherwise as many as a knockout would have, and not too few to tell who is better.
pub(super) fn rounds(entrants: usize, wanted: Option<u32>) -> Result<usize, ScheduleError> {
    let most = most_rounds(entrants);
    let Some(wanted) = wanted else {
        return Ok(super::knockout::rounds(entrants).max(USUAL_MINIMUM).min(most));
    };
    let rounds = wanted as usize;
    if rounds == 0 || rounds > most {
        return Err(ScheduleError::SwissRounds { entrants, most, wanted });
    }
    Ok(rounds)
}

/// The most rounds that are possible without a rematch whatever the results.
///
/// Let the bye be one more entrant if their number is odd. Before a round everybody then has the same number
/// of opponents left, say d. Suppose that they cannot be paired. By Tutte's theorem there are some people, or
/// none, without whom the others fall into groups that have no opponents in each other, of which at least two
/// more than those people are of odd size. A group of at most d links to those people at least d times, so
/// there are no more such groups than people, and at least two groups are larger than d. With somebody beside
/// them that takes more than 2d + 2 entrants; with nobody it takes at least 2d + 2, and an even d, since the
/// sizes are odd. So a round is possible while 2d + 2 exceeds the number of entrants, or equals it and d is odd.
///
/// One round later there can be two groups of odd size that have no opponents in each other.
const fn most_rounds(entrants: usize) -> usize {
    let with_bye = entrants.next_multiple_of(2);
    let largest = with_bye / 2 + 1;
    if largest.is_multiple_of(2) { largest - 1 } else { largest }
}

/// The half points of each entrant; a bye counts as an encounter in which all games were won.
pub(super) fn half_points(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<u32> {
    let mut points = played_half_points(entrants, finished);
    for results in finished {
        let all_won = results.iter().map(|it| it.half_points.one + it.half_points.two).max();
        for entrant in byes(entrants, results) {
            points[entrant] += all_won.unwrap_or_default();
        }
    }
    points
}

/// The encounters of the next round, the best entrants' first.
///
/// The bye goes to the last in the standings who has had none. Then the best who has no opponent yet gets the
/// one who fits best, and so on down the standings. A choice that would leave somebody without a new opponent
/// is passed over.
pub(super) fn round(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<Encounter> {
    let points = half_points(entrants, finished);
    let mut standings: Vec<usize> = (0..entrants).collect();
    // Sorting keeps the order of the seeds among equals.
    standings.sort_by_key(|&entrant| std::cmp::Reverse(points[entrant]));

    let mut pairing = Pairing::new(may_meet(entrants, finished))
        .expect("so few rounds never make a rematch necessary");
    if !entrants.is_multiple_of(2) {
        let bye = entrants;
        let rests = standings.iter().rev().find(|&&entrant| pairing.settle(entrant, bye));
        let rests = *rests.expect("somebody has had no bye");
        standings.retain(|&entrant| entrant != rests);
    }
    let first_seats = first_seats(entrants, finished);
    let mut encounters = Vec::new();
    for entrant in standings.clone() {
        if pairing.is_settled(entrant) {
            continue;
        }
        standings.retain(|&other| other != entrant && !pairing.is_settled(other));
        let opponent = by_fit(entrant, &standings, &points)
            .find(|&other| pairing.settle(entrant, other))
            .expect("nobody is left over");
        let number = encounters.len();
        encounters.push(seated(entrant, opponent, &first_seats, number));
    }
    encounters
}

/// All possible opponents of the best who is left, the one who fits best first.
///
/// Among those with the same number of points the upper half meets the lower half, as in the first round.
/// If their number is odd, the last of them is left over and meets the best of those who follow.
fn by_fit<'a>(
    entrant: usize,
    others: &'a [usize],
    points: &[u32],
) -> impl Iterator<Item = usize> + use<'a> {
    let level = others.iter().take_while(|&&other| points[other] == points[entrant]).count();
    let (level, below) = others.split_at(level);
    let (upper, lower) = level.split_at(level.len().saturating_sub(1) / 2);
    lower.iter().chain(upper.iter().rev()).chain(below).copied()
}

/// Gives the first seat to the one who has had it less often; among equals, to the better placed in every
/// second encounter.
fn seated(better: usize, worse: usize, first_seats: &[usize], number: usize) -> Encounter {
    let order = first_seats[better].cmp(&first_seats[worse]);
    if order.is_lt() || (order.is_eq() && number.is_multiple_of(2)) {
        Encounter { one: better, two: worse }
    } else {
        Encounter { one: worse, two: better }
    }
}

/// How often each entrant has had the first seat.
fn first_seats(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<usize> {
    let mut first_seats = vec![0; entrants];
    for result in finished.iter().flatten() {
        first_seats[result.encounter.one] += 1;
    }
    first_seats
}

/// Who has not met yet. With an odd number the bye is one more entrant, whom everybody meets once at most.
fn may_meet(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<Vec<bool>> {
    let bye = entrants;
    let size = entrants.next_multiple_of(2);
    let mut may_meet = vec![vec![true; size]; size];
    let mut forbid = |one: usize, two: usize| {
        may_meet[one][two] = false;
        may_meet[two][one] = false;
    };
    for entrant in 0..size {
        forbid(entrant, entrant);
    }
    for results in finished {
        for FinishedEncounter { encounter, .. } in results {
            forbid(encounter.one, encounter.two);
        }
        for entrant in byes(entrants, results) {
            forbid(entrant, bye);
        }
    }
    may_meet
}

/// Who does not play in a round: one if their number is odd, otherwise nobody.
fn byes(entrants: usize, results: &[FinishedEncounter]) -> impl Iterator<Item = usize> {
    let mut plays = vec![false; entrants];
    for FinishedEncounter { encounter, .. } in results {
        plays[encounter.one] = true;
        plays[encounter.two] = true;
    }
    (0..entrants).filter(move |&entrant| !plays[entrant])
}
