//! Finds the corners of sets of mixes by trying all combinations of constraints that hold with equality. Suitable for
//! matrices with few choices.

use crate::matrix;

/// Shares and pivots closer to 0 than this are rounding errors.
const SLACK: f64 = 1e-11;

/// The corners of the set of mixes of `own` choices that get at least `-slack` against each of the `other` side's choices,
/// where `gets(own, other)` is a choice's payoff. A corner may be listed several times.
pub fn corners(
    own: usize,
    other: usize,
    slack: f64,
    gets: impl Fn(usize, usize) -> f64,
) -> Vec<Vec<f64>> {
    let mut found = Vec::new();
    // At a corner, one fewer constraint than we have choices holds with equality: an opponent's choice gets exactly 0,
    // or one of our choices is never played.
    let constraints = own + other;
    for tight in 0..1_u32 << constraints {
        if tight.count_ones() as usize + 1 != own {
            continue;
        }
        let mut lines = vec![(vec![1.0; own], 1.0)];
        for constraint in (0..constraints).filter(|constraint| tight & (1 << constraint) != 0) {
            let line = (0..own).map(|choice| match constraint.checked_sub(own) {
                Some(other) => gets(choice, other),
                None => f64::from(u8::from(choice == constraint)),
            });
            lines.push((line.collect(), 0.0));
        }
        let Some(mix) = solve_linear(lines) else { continue };
        let is_mix = mix.iter().all(|share| *share >= -slack);
        let is_safe = (0..other).all(|other| {
            let total: f64 =
                mix.iter().enumerate().map(|(choice, share)| share * gets(choice, other)).sum();
            total >= -slack
        });
        if is_mix && is_safe {
            found.push(matrix::mix(mix, slack));
        }
    }
    found
}

/// Solves linear equations by Gaussian elimination; `None` unless there is exactly one solution.
fn solve_linear(mut lines: Vec<(Vec<f64>, f64)>) -> Option<Vec<f64>> {
    let size = lines.len();
    for column in 0..size {
        let size_of = |line: &(Vec<f64>, f64)| line.0[column].abs();
        let pivot = (column..size)
            .max_by(|&one, &two| size_of(&lines[one]).total_cmp(&size_of(&lines[two])))?;
        lines.swap(column, pivot);
        let (of_pivot, right) = lines[column].clone();
        if of_pivot[column].abs() < SLACK {
            return None;
        }
        for (index, (line, value)) in lines.iter_mut().enumerate() {
            let factor = line[column] / of_pivot[column];
            if index != column && factor != 0.0 {
                for (cell, of_pivot) in line.iter_mut().zip(&of_pivot) {
                    *cell -= factor * of_pivot;
                }
                *value -= factor * right;
            }
        }
    }
    Some(lines.iter().enumerate().map(|(index, (line, value))| value / line[index]).collect())
}
