//! The bounds of the test, the sentences about its decisions, and its error rates.

use super::super::simulated::{Chances, Simulation, independent};
use super::*;

fn between(elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05).expect("the hypotheses leave a gap")
}

fn tally(outcomes: [u32; 5]) -> PairTally {
    let mut tally = PairTally::default();
    for (half_points, count) in (0..).zip(outcomes) {
        (0..count).for_each(|_| tally.add(half_points, false));
    }
    tally
}

#[test]
fn errors_name_what_is_possible() {
    let refusal = |elo0, elo1, alpha, beta| {
        Sprt::new(elo0, elo1, alpha, beta).expect_err("it cannot be tested").to_string()
    };
    let no_gap =
        "the test cannot distinguish 5 Elo from 5: the second must be larger than the first";
    assert_eq!(refusal(5.0, 5.0, 0.05, 0.05), no_gap);
    let out_of_range = "inf is not an Elo difference to test: expected a number from -2000 to 2000";
    assert_eq!(refusal(0.0, f64::INFINITY, 0.05, 0.05), out_of_range);
    assert!(refusal(f64::NAN, 0.0, 0.05, 0.05).starts_with("NaN is not an Elo difference"));
    let no_chance =
        "0.5 is not an error probability: expected a number between 0 and 0.5, such as 0.05";
    assert_eq!(refusal(0.0, 5.0, 0.5, 0.05), no_chance);
    assert!(refusal(0.0, 5.0, 0.05, 0.0).starts_with("0 is not an error probability"));
    assert!(refusal(0.0, 5.0, f64::NAN, 0.1).starts_with("NaN is not an error probability"));
}

#[test]
fn the_bounds_are_those_of_wald() {
    let (lower, upper) = between(0.0, 10.0).bounds();
    assert!((lower + 2.944_439).abs() < 1e-6 && (upper - 2.944_439).abs() < 1e-6);
}

#[test]
fn nothing_is_decided_before_the_first_pairs() {
    let test = between(0.0, 100.0);
    assert_eq!(test.decision(&PairTally::default()), Decision::Open);
    for half_points in 0..5 {
        let mut outcomes = [0; 5];
        outcomes[half_points] = 2;
        assert_eq!(test.decision(&tally(outcomes)), Decision::Open, "{half_points}");
    }
}

#[test]
fn the_ratio_of_a_long_match_is_that_of_the_normal_distribution() {
    let test = between(0.0, 5.0);
    let tally = tally([1000, 2000, 4100, 2100, 1000]);
    let (low, high) = (elo_to_score(0.0), elo_to_score(5.0));
    let score = tally.score();
    let normal = f64::from(tally.pairs()) * (high - low) * (score - f64::midpoint(low, high))
        / tally.mean_square_around(score);
    let llr = test.llr(&tally);
    assert!((llr / normal - 1.0).abs() < 0.01, "{llr} {normal}");
}

#[test]
fn the_ratio_mirrors_that_of_the_opponent() {
    let tally = tally([3, 5, 20, 9, 8]);
    let here = between(-10.0, 30.0).llr(&tally);
    let there = between(-30.0, 10.0).llr(&tally.reversed());
    assert!((here + there).abs() < 1e-9, "{here} {there}");
}

#[test]
fn the_widest_hypotheses_have_a_ratio() {
    for outcomes in [[0, 0, 0, 0, 50], [50, 0, 0, 0, 0], [0, 0, 50, 0, 0]] {
        let llr = between(-2000.0, 2000.0).llr(&tally(outcomes));
        assert!(llr.is_finite(), "{outcomes:?}: {llr}");
    }
}

#[test]
fn repeats_of_one_pair_never_decide() {
    let mut tally = PairTally::default();
    for turn in 0..1000 {
        tally.add(4, turn > 0);
    }
    assert_eq!(between(0.0, 20.0).decision(&tally), Decision::Open);
}

#[test]
fn a_decision_is_a_sentence_about_the_players() {
    let sentence = |elo0, elo1, decision| between(elo0, elo1).sentence(decision, "Ada", "Bob");
    assert_eq!(sentence(0.0, 10.0, Decision::First), "Ada is not stronger than Bob.");
    assert_eq!(sentence(0.0, 10.0, Decision::Second), "Ada is at least 10 Elo stronger than Bob.");
    assert_eq!(sentence(5.0, 10.0, Decision::First), "Ada is at most 5 Elo stronger than Bob.");
    assert_eq!(sentence(-10.0, 0.0, Decision::First), "Ada is at least 10 Elo weaker than Bob.");
    assert_eq!(sentence(-10.0, 0.0, Decision::Second), "Ada is not weaker than Bob.");
    assert_eq!(sentence(-10.0, -5.0, Decision::Second), "Ada is at most 5 Elo weaker than Bob.");
    assert_eq!(
        sentence(0.0, 10.0, Decision::Open),
        "It is still open whether Ada is not stronger than Bob or at least 10 Elo stronger."
    );
}

/// The specified error probabilities are 5 %. Measured with 2000 matches each: 1.0 to 5.2 %; with 1000 matches and
/// hypotheses 20 to 200 Elo apart: 0.1 to 6.7 %.
#[test]
fn the_error_rates_are_as_specified() {
    const MATCHES: usize = 200;
    let mut simulation = Simulation::from_seed(5);
    for (elo0, elo1) in [(0.0, 100.0), (100.0, 200.0), (-60.0, 20.0)] {
        for (truth, wrong) in [(elo0, Decision::Second), (elo1, Decision::First)] {
            for chances in matches_at(elo_to_score(truth)) {
                let decisions: Vec<Decision> = (0..MATCHES)
                    .map(|_| play(&between(elo0, elo1), &chances, &mut simulation))
                    .collect();
                let count = |wanted| decisions.iter().filter(|found| **found == wanted).count();
                assert!(count(wrong) <= 20, "{truth}: {} of {MATCHES}", count(wrong));
                assert!(count(Decision::Open) <= 2, "{truth}: {} open", count(Decision::Open));
            }
        }
    }
}

/// Returns the probabilities of matches with the same score: without draws, with many draws, with one winner per pair,
/// with shared pairs.
fn matches_at(score: f64) -> [Chances; 4] {
    let shared = 1.6 * score.min(1.0 - score);
    [
        independent(score, 0.0),
        independent(score, 0.4),
        [1.0 - score, 0.0, 0.0, 0.0, score],
        [1.0 - score - shared / 2.0, 0.0, shared, 0.0, score - shared / 2.0],
    ]
}

fn play(test: &Sprt, chances: &Chances, simulation: &mut Simulation) -> Decision {
    const MOST_PAIRS: usize = 1000;
    let mut tally = PairTally::default();
    let mut decisions = (0..MOST_PAIRS).map(|_| {
        tally.add(simulation.pair(chances), false);
        test.decision(&tally)
    });
    decisions.find(|decision| *decision != Decision::Open).unwrap_or(Decision::Open)
}
