//! The exact best response, over the whole game, to a fixed mix of the other side.
//!
//! With the opponent's mix fixed, the game is a Markov decision process. Its optimal value is computed exactly. In an
//! end component (a set of states in which the chooser can stay forever), staying is worth 0, and all states can reach
//! the same other states. Once every end component is merged into one state, every policy terminates, and policy
//! iteration finds the best one.

use skirmish_rules::{Cancelled, Watch};

use crate::components::strong_components;
use crate::elimination;

/// A Markov decision process: one side chooses, and chance decides everything else.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// The actions available in each state.
    pub states: Vec<Vec<Lottery>>,
}

/// The outcome of an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lottery {
    /// The next states with their probabilities.
    pub next: Vec<(usize, f64)>,
    /// The probability that the process ends.
    pub end: f64,
    /// The expected reward: the value of the end times its probability.
    pub reward: f64,
}

impl Lottery {
    /// Adds a probability of continuing in a state.
    pub fn go(&mut self, state: usize, chance: f64) {
        if chance <= 0.0 {
            return;
        }
        match self.next.iter_mut().find(|(there, _)| *there == state) {
            Some((_, already)) => *already += chance,
            None => self.next.push((state, chance)),
        }
    }

    /// Adds a probability of ending with this value.
    pub fn stop(&mut self, worth: f64, chance: f64) {
        self.end += chance;
        self.reward += worth * chance;
    }
}

/// Improvements below this are rounding errors.
const TINY: f64 = 1e-14;

/// A safety limit on the number of rounds, which no process reaches.
const MOST_ROUNDS: usize = 10_000;

impl Process {
    /// The largest expected reward from each state. A process that never ends is worth 0.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn most(&self, watch: &dyn Watch) -> Result<Vec<f64>, Cancelled> {
        let components = self.end_components(watch)?;
        let worth = self.merged(&components).iterate(watch)?;
        Ok(components.into_iter().map(|component| worth[component]).collect())
    }

    /// The end component of each state. End components are the maximal sets of states in which the chooser can stay
    /// forever; a state outside them forms a component of its own.
    fn end_components(&self, watch: &dyn Watch) -> Result<Vec<usize>, Cancelled> {
        let mut allowed: Vec<Vec<bool>> = self
            .states
            .iter()
            .map(|actions| actions.iter().map(|action| action.end <= 0.0).collect())
            .collect();
        loop {
            watch.check(0)?;
            let parts = self.strong_components(&allowed);
            let mut changed = false;
            for (state, actions) in self.states.iter().enumerate() {
                for (index, action) in actions.iter().enumerate() {
                    let leaves = action.next.iter().any(|&(next, _)| parts[next] != parts[state]);
                    if allowed[state][index] && leaves {
                        allowed[state][index] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(self.numbered(&parts, &allowed));
            }
        }
    }

    /// Numbers the components: states in which the chooser can stay get the number of their part, and all others get
    /// numbers of their own.
    fn numbered(&self, parts: &[usize], allowed: &[Vec<bool>]) -> Vec<usize> {
        let mut names: Vec<Option<usize>> = vec![None; self.states.len()];
        let mut next = 0;
        let mut numbers = Vec::with_capacity(parts.len());
        for (state, &part) in parts.iter().enumerate() {
            let stays = allowed[state].iter().any(|&is| is);
            let number = if stays { names[part] } else { None };
            numbers.push(number.unwrap_or_else(|| {
                next += 1;
                next - 1
            }));
            if stays {
                names[part] = Some(numbers[state]);
            }
        }
        numbers
    }

    /// The strongly connected components under the allowed actions.
    fn strong_components(&self, allowed: &[Vec<bool>]) -> Vec<usize> {
        let follow = |state: usize| -> Vec<usize> {
            let actions = self.states[state].iter().zip(&allowed[state]);
            let used = actions.filter(|(_, allowed)| **allowed);
            used.flat_map(|(action, _)| action.next.iter().map(|&(next, _)| next)).collect()
        };
        let follow: Vec<Vec<usize>> = (0..self.states.len()).map(follow).collect();
        strong_components(follow.len(), |state, nth| follow[state].get(nth).copied())
    }

    /// The process with every end component merged into one state, which can also stop with reward 0.
    fn merged(&self, components: &[usize]) -> Self {
        let size = components.iter().max().map_or(0, |largest| largest + 1);
        let mut states: Vec<Vec<Lottery>> = vec![Vec::new(); size];
        for (state, actions) in self.states.iter().enumerate() {
            let home = components[state];
            for action in actions {
                let mut merged =
                    Lottery { end: action.end, reward: action.reward, next: Vec::new() };
                for &(next, chance) in &action.next {
                    merged.go(components[next], chance);
                }
                let stays = merged.end <= 0.0 && merged.next.iter().all(|&(next, _)| next == home);
                states[home].push(if stays {
                    Lottery { end: 1.0, ..Lottery::default() }
                } else {
                    merged
                });
            }
        }
        Self { states }
    }

    /// Policy iteration, for a process in which every policy terminates.
    fn iterate(&self, watch: &dyn Watch) -> Result<Vec<f64>, Cancelled> {
        let mut policy = vec![0; self.states.len()];
        let mut worth = self.evaluate(&policy, watch)?;
        for _ in 0..MOST_ROUNDS {
            let mut improved = false;
            for (state, actions) in self.states.iter().enumerate() {
                let repeated = |index: &usize| actions[*index].repeated(state, &worth);
                let best =
                    (0..actions.len()).max_by(|one, two| repeated(one).total_cmp(&repeated(two)));
                let best = best.expect("every state has an action");
                if repeated(&best) > worth[state] + TINY {
                    policy[state] = best;
                    improved = true;
                }
            }
            if !improved {
                break;
            }
            worth = self.evaluate(&policy, watch)?;
        }
        Ok(worth)
    }

    /// The value of a policy from every state.
    fn evaluate(&self, policy: &[usize], watch: &dyn Watch) -> Result<Vec<f64>, Cancelled> {
        let size = self.states.len();
        let chosen = || self.states.iter().zip(policy).map(|(actions, &action)| &actions[action]);
        let row = |action: &Lottery| {
            let mut row = vec![0.0; size];
            for &(next, chance) in &action.next {
                row[next] += chance;
            }
            row
        };
        let steps = chosen().map(row).collect();
        let end = chosen().map(|action| action.end).collect();
        let gains = chosen().map(|action| [action.reward]).collect();
        let worth = elimination::totals(steps, end, gains, watch)?;
        Ok(worth.into_iter().map(|[worth]| worth).collect())
    }
}

impl Lottery {
    /// The value of repeating the action until it leaves the state, however small the probability of leaving is.
    fn repeated(&self, state: usize, worth: &[f64]) -> f64 {
        let others = || self.next.iter().filter(|(next, _)| *next != state);
        let leaving = self.end + others().map(|(_, chance)| chance).sum::<f64>();
        let gained: f64 = others().map(|&(next, chance)| chance * worth[next]).sum();
        (self.reward + gained) / leaving
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::Unwatched;

    use super::*;

    fn most(process: &Process) -> Vec<f64> {
        process.most(&Unwatched).expect("nobody cancels")
    }

    fn to(state: usize) -> Lottery {
        Lottery { next: vec![(state, 1.0)], ..Lottery::default() }
    }

    fn ends(worth: f64) -> Lottery {
        Lottery { end: 1.0, reward: worth, ..Lottery::default() }
    }

    #[test]
    fn staying_for_ever_is_worth_nothing() {
        let process = Process { states: vec![vec![to(0)], vec![to(0), ends(-1.0)]] };
        assert_eq!(most(&process), [0.0, 0.0]);
    }

    #[test]
    fn staying_is_better_than_losing_and_worse_than_winning() {
        let process = Process { states: vec![vec![to(1), ends(-1.0)], vec![to(0), ends(0.25)]] };
        assert_eq!(most(&process), [0.25, 0.25]);
        let process = Process { states: vec![vec![to(1), ends(-1.0)], vec![to(0), ends(-0.25)]] };
        assert_eq!(most(&process), [0.0, 0.0]);
    }

    #[test]
    fn an_unavoidable_loss_is_paid() {
        let half = Lottery { next: vec![(0, 0.5)], end: 0.5, reward: -0.5 };
        assert_eq!(most(&Process { states: vec![vec![half]] }), [-1.0]);
    }

    #[test]
    fn tiny_chances_keep_their_precision() {
        let tiny = 1e-14;
        let action = Lottery { next: vec![(0, 1.0 - 3.0 * tiny)], end: 3.0 * tiny, reward: tiny };
        let most = most(&Process { states: vec![vec![action]] })[0];
        assert!((most - 1.0 / 3.0).abs() < 1e-12, "{most}");
    }
}
