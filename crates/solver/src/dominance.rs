//! Finds dominated choices, and checks whether a best mix is unique.

use crate::corners::corners;
use crate::matrix;

/// A choice that is never better than a mix of others.
#[derive(Clone, Debug, PartialEq)]
pub struct Dominated {
    /// The index of the choice.
    pub choice: usize,
    /// Whether the choice is worse against every choice of the other side, rather than never better and sometimes
    /// worse.
    pub strictly: bool,
    /// The dominating mix, as the share of each choice.
    pub by: Vec<f64>,
}

/// Mixes whose shares all differ by less than this count as equal.
const SAME: f64 = 1e-6;

/// The dominated choices of a side that gets `gets(own, other)`; differences up to `equal` are ignored. If several
/// mixes dominate a choice, single choices are preferred to mixes, and strict dominance to weak dominance.
pub fn dominated(
    own: usize,
    other: usize,
    equal: f64,
    gets: impl Fn(usize, usize) -> f64,
) -> Vec<Dominated> {
    (0..own).filter_map(|choice| dominator(choice, own, other, equal, &gets)).collect()
}

fn dominator(
    choice: usize,
    own: usize,
    other: usize,
    equal: f64,
    gets: &impl Fn(usize, usize) -> f64,
) -> Option<Dominated> {
    let rivals: Vec<usize> = (0..own).filter(|&rival| rival != choice).collect();
    if rivals.is_empty() {
        return None;
    }
    let gain = |rival: usize, column: usize| gets(rivals[rival], column) - gets(choice, column);
    let total = |mix: &[f64], column| {
        mix.iter().enumerate().map(|(rival, share)| share * gain(rival, column)).sum()
    };
    let gains = |mix: &[f64]| -> Vec<f64> { (0..other).map(|column| total(mix, column)).collect() };
    let pure = |only: usize| -> Vec<f64> {
        (0..rivals.len()).map(|rival| f64::from(u8::from(rival == only))).collect()
    };
    let is_strict = |mix: &Vec<f64>| gains(mix).iter().all(|gain| *gain > equal);
    let is_weak = |mix: &Vec<f64>| {
        let gains = gains(mix);
        gains.iter().all(|gain| *gain >= -equal) && gains.iter().any(|gain| *gain > equal)
    };
    let dominated = |strictly: bool, mix: Vec<f64>| {
        let mut by = vec![0.0; own];
        rivals.iter().zip(mix).for_each(|(&rival, share)| by[rival] = share);
        Dominated { choice, strictly, by }
    };
    let pures = || (0..rivals.len()).map(pure);
    let mixed = matrix::solve(rivals.len(), other, gain).rows;
    let strict = pures().chain([mixed]).find(is_strict);
    // Choose the corner with the largest total gain, if any gains at all.
    let sum = |mix: &Vec<f64>| gains(mix).iter().sum::<f64>();
    let corner = || {
        let corners = corners(rivals.len(), other, equal, gain).into_iter();
        corners.max_by(|one, two| sum(one).total_cmp(&sum(two)))
    };
    let weak = || pures().find(is_weak).or_else(|| corner().filter(is_weak));
    strict.map(|mix| dominated(true, mix)).or_else(|| weak().map(|mix| dominated(false, mix)))
}

/// Whether a side that gets `gets(own, other)` has only one best mix. Values that differ by up to `equal` count as
/// equal.
pub fn is_unique(own: usize, other: usize, equal: f64, gets: impl Fn(usize, usize) -> f64) -> bool {
    let value = matrix::solve(own, other, &gets).value;
    let best = corners(own, other, equal, |choice, column| gets(choice, column) - value);
    let is_same = |one: &Vec<f64>, two: &Vec<f64>| {
        one.iter().zip(two).all(|(one, two)| (one - two).abs() < SAME)
    };
    best.iter().all(|mix| is_same(mix, &best[0]))
}

#[cfg(test)]
mod tests;
