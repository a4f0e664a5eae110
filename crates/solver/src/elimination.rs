//! Absorbing Markov chains, solved by elimination without subtraction, so that even tiny probabilities keep their
//! precision.

use skirmish_rules::{Cancelled, Watch};

/// The expected gains from every state until the chain ends. `steps` contains the transition probabilities, `end` the
/// probabilities of ending, and `gains` the average gains of several kinds per step. The chain must be able to end from
/// every state.
///
/// # Errors
/// If `watch` cancels the work.
pub(crate) fn totals<const KINDS: usize>(
    mut steps: Vec<Vec<f64>>,
    mut end: Vec<f64>,
    mut gains: Vec<[f64; KINDS]>,
    watch: &dyn Watch,
) -> Result<Vec<[f64; KINDS]>, Cancelled> {
    let size = steps.len();
    let mut leaving = vec![0.0; size];
    for last in (0..size).rev() {
        watch.check(0)?;
        let (before, rest) = steps.split_at_mut(last);
        let row = &rest[0][..last];
        leaving[last] = end[last] + row.iter().sum::<f64>();
        let used: Vec<(usize, f64)> =
            row.iter().copied().enumerate().filter(|(_, chance)| *chance > 0.0).collect();
        let gained = gains[last];
        for (state, earlier) in before.iter_mut().enumerate() {
            if earlier[last] > 0.0 {
                let factor = earlier[last] / leaving[last];
                for &(next, chance) in &used {
                    earlier[next] += factor * chance;
                }
                end[state] += factor * end[last];
                for (gain, more) in gains[state].iter_mut().zip(gained) {
                    *gain += factor * more;
                }
            }
        }
    }
    let mut all: Vec<[f64; KINDS]> = Vec::with_capacity(size);
    for state in 0..size {
        let total = std::array::from_fn(|kind| {
            let known = steps[state][..state].iter().zip(&all);
            let known: f64 = known.map(|(chance, total)| chance * total[kind]).sum();
            (gains[state][kind] + known) / leaving[state]
        });
        all.push(total);
    }
    Ok(all)
}
