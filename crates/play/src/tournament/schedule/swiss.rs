//! Swiss: in every round, entrants with similar points meet; no two entrants meet twice.

use super::pairing::Pairing;
use super::{Encounter, FinishedEncounter, ScheduleError, played_half_points};

/// The minimum default number of rounds, if possible.
const USUAL_MINIMUM: usize = 3;

/// Returns the number of rounds: by default the same as in a knockout, but at least the usual minimum.
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

/// Returns the maximum number of rounds without a rematch, whatever the results.
///
/// If the number of entrants is odd, count the bye as one more. Before a round every entrant has the same number of
/// opponents left, d. Suppose that they cannot be paired. By Tutte's theorem there is a set S, possibly empty, whose
/// removal leaves components without opponents in each other, of which at least |S| + 2 have odd size. A component of at
/// most d entrants has at least d edges to S, so there are at most |S| of these, and at least two components are larger
/// than d. If S is not empty, that takes more than 2d + 2 entrants; if it is empty, it takes at least 2d + 2, and d is
/// even, since the sizes are odd. So a round is possible if 2d + 2 exceeds the number of entrants, or equals it and d is
/// odd.
///
/// After one more round, there can be two components of odd size.
const fn most_rounds(entrants: usize) -> usize {
    let with_bye = entrants.next_multiple_of(2);
    let largest = with_bye / 2 + 1;
    if largest.is_multiple_of(2) { largest - 1 } else { largest }
}

/// Returns the half points of each entrant; a bye counts as winning all games of an encounter.
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

/// Returns the encounters of the next round, those of the best entrants first. The bye goes to the lowest entrant in
/// the standings without a previous bye. Then, from the top of the standings down, each entrant without an opponent
/// gets the best fit. A choice that would leave another entrant without a new opponent is skipped.
pub(super) fn round(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<Encounter> {
    let points = half_points(entrants, finished);
    let mut standings: Vec<usize> = (0..entrants).collect();
    // The sort is stable, so ties stay in seed order.
    standings.sort_by_key(|&entrant| std::cmp::Reverse(points[entrant]));

    let mut pairing = Pairing::new(may_meet(entrants, finished))
        .expect("the number of rounds never forces a rematch");
    if !entrants.is_multiple_of(2) {
        let bye = entrants;
        let rests = standings.iter().rev().find(|&&entrant| pairing.settle(entrant, bye));
        let rests = *rests.expect("an entrant has not had a bye");
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
            .expect("the rest can be paired");
        let number = encounters.len();
        encounters.push(seated(entrant, opponent, &first_seats, number));
    }
    encounters
}

/// Returns all possible opponents of the best remaining entrant, best fit first. Among entrants with the same points,
/// the upper half meets the lower half, as in the first round. If their number is odd, the last of them meets the best
/// entrant below.
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

/// Gives the first seat to the entrant who has had it less often; in a tie, alternates between the better and the worse
/// placed entrant.
fn seated(better: usize, worse: usize, first_seats: &[usize], number: usize) -> Encounter {
    let order = first_seats[better].cmp(&first_seats[worse]);
    if order.is_lt() || (order.is_eq() && number.is_multiple_of(2)) {
        Encounter { one: better, two: worse }
    } else {
        Encounter { one: worse, two: better }
    }
}

/// Returns the number of times each entrant has had the first seat.
fn first_seats(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<usize> {
    let mut first_seats = vec![0; entrants];
    for result in finished.iter().flatten() {
        first_seats[result.encounter.one] += 1;
    }
    first_seats
}

/// Returns which entrants have not met yet. With an odd number of entrants, the bye counts as an additional entrant.
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

/// Returns the entrants without an encounter in a round: one if the number of entrants is odd, otherwise none.
fn byes(entrants: usize, results: &[FinishedEncounter]) -> impl Iterator<Item = usize> {
    let mut plays = vec![false; entrants];
    for FinishedEncounter { encounter, .. } in results {
        plays[encounter.one] = true;
        plays[encounter.two] = true;
    }
    (0..entrants).filter(move |&entrant| !plays[entrant])
}
