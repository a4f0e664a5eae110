//! Ratings of tournaments with known strengths, and of difficult cases.

use super::super::simulated::{Chances, Simulation, independent};
use super::super::tally::elo_to_score;
use super::*;

fn pair(one: usize, two: usize, half_points: u8) -> Pair {
    Pair { one, two, half_points, is_repeat: false }
}

fn error(rating: &Rating) -> f64 {
    rating.error.expect("who has played has an error")
}

#[test]
fn two_entrants_differ_by_the_elo_of_their_tally() {
    for outcomes in [[1, 2, 3, 4, 5], [0, 0, 0, 0, 10], [0, 0, 1, 0, 0], [7, 0, 0, 0, 2]] {
        let pairs: Vec<Pair> = (0..5_u8)
            .flat_map(|points| vec![pair(0, 1, points); outcomes[usize::from(points)]])
            .collect();
        let rated = ratings(2, &pairs);
        let elo = PairTally::of(0, &pairs).elo().elo;
        assert!((rated[0].elo - rated[1].elo - elo).abs() < 1e-6, "{outcomes:?}: {rated:?} {elo}");
    }
}

#[test]
fn the_error_of_a_long_match_is_that_of_its_tally() {
    let pairs = round_robin(&[40.0, -40.0], 1000, &mut Simulation::from_seed(8), with_draws);
    let tally = PairTally::of(0, &pairs).elo();
    // Each of the two is half the difference away from the mean.
    let twice = 2.0 * error(&ratings(2, &pairs)[0]);
    assert!((twice / ((tally.high - tally.low) / 2.0) - 1.0).abs() < 0.02, "{twice} {tally:?}");
}

#[test]
fn a_rating_does_not_depend_on_who_is_named_first() {
    let pairs = [pair(0, 1, 3), pair(1, 2, 4), pair(2, 0, 1), pair(0, 1, 0)];
    let swapped = pairs.map(|Pair { one, two, half_points, .. }| pair(two, one, 4 - half_points));
    assert_eq!(ratings(3, &pairs), ratings(3, &swapped));
}

#[test]
fn an_entrant_without_games_has_no_error_and_changes_nothing() {
    let rated = ratings(3, &[pair(0, 2, 4), pair(0, 2, 1)]);
    assert_eq!(rated[1], Rating { elo: 0.0, error: None });
    let without = ratings(2, &[pair(0, 1, 4), pair(0, 1, 1)]);
    assert!((rated[0].elo - without[0].elo).abs() < 1e-9);
    assert!((error(&rated[0]) - error(&without[0])).abs() < 1e-9);
    assert_eq!(ratings(0, &[]), []);
}

#[test]
fn groups_that_never_met_are_rated_separately() {
    let first = [pair(0, 1, 4), pair(1, 2, 3), pair(0, 2, 2)];
    let second = [pair(3, 4, 1), pair(4, 3, 1)];
    let rated = ratings(5, &[&first[..], &second[..]].concat());
    let alone = ratings(3, &first);
    for (together, alone) in rated.iter().zip(&alone) {
        assert!((together.elo - alone.elo).abs() < 1e-6, "{rated:?} {alone:?}");
        assert!((error(together) - error(alone)).abs() < 1e-6, "{rated:?} {alone:?}");
    }
    assert!((rated[3].elo + rated[4].elo).abs() < 1e-9);
}

#[test]
fn with_only_draws_all_are_equal_and_errors_shrink() {
    let draws = |rounds| {
        let pairs = round_robin(&[0.0; 4], rounds, &mut Simulation::from_seed(1), |_| {
            [0.0, 0.0, 1.0, 0.0, 0.0]
        });
        ratings(4, &pairs)
    };
    let (few, many) = (draws(1), draws(30));
    assert!(few.iter().chain(&many).all(|rating| rating.elo.abs() < 1e-9));
    assert!(error(&few[0]) > 100.0 && (1.0..20.0).contains(&error(&many[0])), "{few:?} {many:?}");
}

#[test]
fn a_clean_sweep_gives_a_finite_rating_with_a_wide_error() {
    let pairs: Vec<Pair> = (0..10).map(|_| pair(0, 1, 4)).collect();
    let rated = ratings(2, &pairs);
    assert!((300.0..350.0).contains(&rated[0].elo), "{rated:?}");
    assert!((150.0..500.0).contains(&error(&rated[0])), "{rated:?}");
}

/// Only the prior keeps these differences finite; they add up to thousands.
#[test]
fn a_ladder_where_the_upper_always_wins_is_rated() {
    let pairs: Vec<Pair> = (1..60).flat_map(|upper| vec![pair(upper, upper - 1, 4); 20]).collect();
    let rated = ratings(60, &pairs);
    assert!(rated.windows(2).all(|rungs| rungs[0].elo + 100.0 < rungs[1].elo), "{rated:?}");
    assert!(rated.iter().all(|rating| error(rating).is_finite()), "{rated:?}");
    assert!(rated.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-3);
}

#[test]
fn repeats_add_no_certainty() {
    let once = [pair(0, 1, 4), pair(1, 2, 3), pair(0, 2, 2)];
    let again = once.map(|pair| Pair { is_repeat: true, ..pair });
    let often: Vec<Pair> = once.into_iter().chain([again; 50].concat()).collect();
    for (once, often) in ratings(3, &once).iter().zip(ratings(3, &often)) {
        assert!((once.elo - often.elo).abs() < 1e-6, "{once:?} {often:?}");
        assert!((error(once) - error(&often)).abs() < 1e-6, "{once:?} {often:?}");
    }
}

#[test]
fn two_hundred_entrants_with_a_hundred_thousand_pairs_are_rated() {
    let elos: Vec<f64> = (0..200).map(|place| f64::from(place) * 4.0 - 398.0).collect();
    let pairs = round_robin(&elos, 5, &mut Simulation::from_seed(200), with_draws);
    let hits = hits(&elos, &pairs);
    assert!((182..=199).contains(&hits), "{hits} of 200");
}

/// Measured with 4000 tournaments each: 96.6 to 98.7 % with 5 pairs per encounter, 95.2 to 96.2 % with 20, and 95.0 to
/// 95.5 % with 50.
#[test]
fn the_error_bars_contain_the_truth_in_95_of_100_tournaments() {
    const TOURNAMENTS: usize = 200;
    // The mean of each field is 0, like that of the ratings.
    let fields: [&[f64]; 3] =
        [&[-100.0, 0.0, 100.0], &[-150.0, -50.0, 0.0, 200.0], &[-300.0, -100.0, 0.0, 100.0, 300.0]];
    let kinds: [fn(f64) -> Chances; 4] = [without_draws, with_draws, same_winner, mostly_shared];
    let mut simulation = Simulation::from_seed(95);
    for elos in fields {
        for (kind, chances) in kinds.into_iter().enumerate() {
            for rounds in [20, 50] {
                let hits: usize = (0..TOURNAMENTS)
                    .map(|_| hits(elos, &round_robin(elos, rounds, &mut simulation, chances)))
                    .sum();
                let ratings = TOURNAMENTS * elos.len();
                let message =
                    format!("{elos:?}, kind {kind}, {rounds} rounds: {hits} of {ratings}");
                assert!(hits * 100 >= ratings * 92 && hits * 100 <= ratings * 99, "{message}");
            }
        }
    }
}

/// Returns the number of error bars that contain the true rating.
fn hits(elos: &[f64], pairs: &[Pair]) -> usize {
    let is_hit = |(rating, elo): &(Rating, &f64)| (rating.elo - **elo).abs() <= error(rating);
    ratings(elos.len(), pairs).into_iter().zip(elos).filter(is_hit).count()
}

/// Simulates a round-robin with this many pairs per encounter.
fn round_robin(
    elos: &[f64],
    rounds: usize,
    simulation: &mut Simulation,
    chances: fn(f64) -> Chances,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for one in 0..elos.len() {
        for two in one + 1..elos.len() {
            let chances = chances(elo_to_score(elos[one] - elos[two]));
            pairs.extend((0..rounds).map(|_| pair(one, two, simulation.pair(&chances))));
        }
    }
    pairs
}

fn without_draws(score: f64) -> Chances {
    independent(score, 0.0)
}

fn with_draws(score: f64) -> Chances {
    independent(score, 0.8 * score.min(1.0 - score))
}

/// Returns the probabilities of pairs in which the same player wins both games.
fn same_winner(score: f64) -> Chances {
    [1.0 - score, 0.0, 0.0, 0.0, score]
}

/// Returns the probabilities of pairs in which the seat usually decides.
fn mostly_shared(score: f64) -> Chances {
    let shared = 1.6 * score.min(1.0 - score);
    [1.0 - score - shared / 2.0, 0.0, shared, 0.0, score - shared / 2.0]
}
