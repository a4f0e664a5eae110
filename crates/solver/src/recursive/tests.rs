//! Tests of games with known solutions.

#![allow(clippy::float_cmp)] // these numbers are exact

use skirmish_rules::{GAMES, Settings, Side, Unwatched};

use super::{
    ACCEPTED, Bounds, MixedSolution, Mixes, NEGLIGIBLE, ROUNDING, Recursive, Stage, TOLERANCE,
    extrapolate,
};

/// A game whose positions are given as matrices: a number is the value of an ending; the letters A, B, … are positions
/// 0, 1, …
fn game(positions: &[&[&str]]) -> Recursive {
    let mut nodes: Vec<Stage> = vec![Stage::Over(0.0); positions.len()];
    for (index, rows) in positions.iter().enumerate() {
        let mut next = Vec::new();
        let mut columns = 0;
        for row in *rows {
            let cells: Vec<&str> = row.split_whitespace().collect();
            columns = cells.len();
            for cell in cells {
                if let Ok(worth) = cell.parse() {
                    next.push(nodes.len());
                    nodes.push(Stage::Over(worth));
                } else {
                    next.push(usize::from(cell.as_bytes()[0] - b'A'));
                }
            }
        }
        nodes[index] = Stage::Open { columns, next };
    }
    Recursive { nodes }
}

fn solved(positions: &[&[&str]]) -> MixedSolution {
    game(positions).solve(&Unwatched).expect("the bounds converge")
}

fn assert_value(solution: &MixedSolution, node: usize, expected: f64) {
    let (value, error) = solution.bounds.value(node);
    assert!((value - expected).abs() <= error + 1e-12, "{value} ± {error}, not {expected}");
    assert!(error < TOLERANCE);
    assert!(solution.bounds.gap() < ACCEPTED);
}

#[test]
fn a_position_that_only_repeats_is_worth_nothing() {
    assert_value(&solved(&[&["A"]]), 0, 0.0);
}

#[test]
fn purgatory_is_worth_one_which_no_mix_attains() {
    // Hide or run against throw or wait: hiding forever gains nothing, and running immediately may be punished.
    let solution = solved(&[&["1 A", "-1 1"]]);
    assert_value(&solution, 0, 1.0);
    assert!(solution.bounds.lower[0] < 1.0, "the bound is approached, not attained");
    assert!(solution.mixes.rows[0][1] > 0.0, "a small chance of running remains");
}

#[test]
fn a_longer_purgatory_is_worth_one_too() {
    let solution = solved(&[&["B A", "-1 B"], &["1 A", "-1 1"]]);
    assert_value(&solution, 0, 1.0);
}

#[test]
fn everetts_example_with_a_repeated_corner_is_worth_one() {
    assert_value(&solved(&[&["A 1", "1 0"]]), 0, 1.0);
}

#[test]
fn everetts_example_of_two_positions_that_refer_to_each_other() {
    // v(A) = Val [v(B) 1; 1 0], v(B) = Val [v(A) -1; -1 0]: by symmetry v(B) = -v(A), and
    // v = 1/(2+v) gives v = sqrt(2) - 1.
    let solution = solved(&[&["B 1", "1 0"], &["A -1", "-1 0"]]);
    assert_value(&solution, 0, 2_f64.sqrt() - 1.0);
    assert_value(&solution, 1, 1.0 - 2_f64.sqrt());
}

#[test]
fn a_matrix_game_without_repetition_is_a_matrix_game() {
    assert_value(&solved(&[&["0.6 -0.2", "-0.4 0.8"]]), 0, 0.2);
}

#[test]
fn a_side_that_can_avoid_a_loss_does() {
    // v = max(v, -1) has every v from -1 to 0 and above as a solution; the value is 0.
    assert_value(&solved(&[&["A", "-1"]]), 0, 0.0);
    assert_value(&solved(&[&["A 1"]]), 0, 0.0);
}

#[test]
fn a_side_that_cannot_stay_loses_in_the_end() {
    let solution = solved(&[&["B"], &["A -1"]]);
    assert_value(&solution, 0, -1.0);
}

#[test]
fn command_clash_is_even_from_the_start() {
    let entry = GAMES.find("command-clash").expect("the game exists");
    for rules in ["", "defeat=damage", "points=3", "points=8", "points=1", "points=2 defeat=damage"]
    {
        let settings = Settings::parse(entry.options, rules.split_whitespace()).expect("in range");
        let graph =
            entry.survey(&settings, Side::One, 1_000_000, &Unwatched).expect("a small game");
        let solution = Recursive::of(&*graph).solve(&Unwatched).expect("the bounds converge");
        assert_value(&solution, graph.start() as usize, 0.0);
    }
}

/// The value of 3/1 is 2 cos(3π/7), a root of x³ - x² - 2x + 1.
#[test]
fn values_of_command_clash_need_not_be_rational() {
    let entry = GAMES.find("command-clash").expect("the game exists");
    let settings = Settings::defaults(entry.options);
    let graph = entry.survey(&settings, Side::One, 1_000_000, &Unwatched).expect("a small game");
    let solution = Recursive::of(&*graph).solve(&Unwatched).expect("the bounds converge");
    let node = graph.find("3/1").expect("a position").expect("a number") as usize;
    assert_value(&solution, node, 2.0 * (3.0 * std::f64::consts::PI / 7.0).cos());
}

#[test]
fn the_value_lies_in_the_middle_of_its_bounds_and_the_error_covers_them() {
    let bounds = Bounds {
        lower: vec![0.25, -0.5, -ROUNDING / 2.0, ROUNDING, 0.5],
        upper: vec![0.75, -0.25, ROUNDING / 2.0, ROUNDING, 0.5 - 1e-16],
    };
    assert_eq!(bounds.value(0), (0.5, 0.25 + ROUNDING));
    assert_eq!(bounds.value(1), (-0.375, 0.125 + ROUNDING));
    assert_eq!(bounds.value(2), (0.0, ROUNDING / 2.0 + ROUNDING), "a rounding error counts as 0");
    assert_eq!(bounds.value(3), (ROUNDING, ROUNDING), "a larger value is reported");
    assert_eq!(bounds.value(4).1, ROUNDING, "bounds that cross by rounding have no negative error");
    assert_eq!(bounds.gap(), 0.5);
}

#[test]
fn negligible_shares_are_dropped_from_a_mix() {
    let mixes = Mixes {
        rows: vec![vec![NEGLIGIBLE / 2.0, 0.5, 0.5 - NEGLIGIBLE / 2.0], Vec::new()],
        columns: vec![vec![NEGLIGIBLE, 1.0 - NEGLIGIBLE], vec![1.0]],
    };
    let tidied = mixes.tidied();
    assert_eq!(tidied.rows[0][0], 0.0);
    assert!((tidied.rows[0].iter().sum::<f64>() - 1.0).abs() < 1e-15);
    assert!((tidied.rows[0][1] - 0.5 / (1.0 - NEGLIGIBLE / 2.0)).abs() < 1e-15);
    assert_eq!((&tidied.columns, &tidied.rows[1]), (&mixes.columns, &Vec::new()));
}

#[test]
fn vanishing_probabilities_are_extrapolated_by_their_power() {
    let mix = |share: f64| Mixes { rows: vec![vec![share, 1.0 - share]], columns: vec![vec![1.0]] };
    let is_followed = |one: f64, two: f64, expected: f64| {
        let followed = &extrapolate(&mix(one), 1e-4, &mix(two), 1e-6, 1e-16).rows[0];
        // The other share is unchanged, and the sum is normalised to 1.
        let total = expected + 1.0 - two;
        let is_close = |found: f64, expected: f64| (found - expected).abs() <= expected * 1e-9;
        is_close(followed[0], expected / total) && is_close(followed[1], (1.0 - two) / total)
    };
    assert!(is_followed(1e-4, 1e-6, 1e-16), "it vanishes like the chance itself");
    assert!(is_followed(1e-3, 1e-4, 1e-9), "it vanishes like the square root of the chance");
    // Shares that are constant, growing, large or zero do not vanish.
    for (one, two) in [(1e-3, 1e-3), (1e-4, 1e-3), (1e-2, 1e-4), (1e-3, 0.0)] {
        assert!(is_followed(one, two, two), "{one} {two}");
    }
}

#[test]
fn the_bounds_of_any_mixes_are_those_of_the_best_responses() {
    // In matching pennies with an option to continue, an even mix concedes nothing, and a pure one everything.
    let game = game(&[&["1 -1", "-1 1"]]);
    let mixes = |one: f64, two: f64| {
        let mut mixes = Mixes {
            rows: vec![Vec::new(); game.nodes.len()],
            columns: vec![Vec::new(); game.nodes.len()],
        };
        mixes.rows[0] = vec![one, 1.0 - one];
        mixes.columns[0] = vec![two, 1.0 - two];
        mixes
    };
    let bounds = |one, two| {
        let judged = game.judge(mixes(one, two), &Unwatched).expect("nobody cancels").bounds;
        (judged.lower[0], judged.upper[0])
    };
    assert_eq!(bounds(0.5, 0.5), (0.0, 0.0));
    assert_eq!(bounds(1.0, 0.75), (-1.0, 0.5));
    assert_eq!(bounds(0.25, 0.0), (-0.5, 1.0));
}

#[test]
fn published_mixes_have_no_negligible_shares_where_none_are_needed() {
    let entry = GAMES.find("command-clash").expect("the game exists");
    for rules in ["points=5 defeat=damage", "points=8"] {
        let settings = Settings::parse(entry.options, rules.split_whitespace()).expect("in range");
        let graph =
            entry.survey(&settings, Side::One, 1_000_000, &Unwatched).expect("a small game");
        let solution = Recursive::of(&*graph).solve(&Unwatched).expect("the bounds converge");
        let shares = solution.mixes.rows.iter().chain(&solution.mixes.columns).flatten();
        for &share in shares {
            assert!(share == 0.0 || share >= NEGLIGIBLE, "{rules}: {share:e}");
        }
    }
}
