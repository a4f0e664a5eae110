//! The best policy against a known opponent, found one component after the other.

use skirmish_rules::{Cancelled, Watch};

use super::{DecisionProcess, Forecast, PackedProspect, Unforeseen};
use crate::components::strong_components;
use crate::elimination;
use crate::value::number;

/// The discount for each turn of delay.
const DELAY: f64 = 1e-9;

/// Components up to this size are solved by elimination, which takes cubic time.
const ELIMINATED: usize = 1000;

/// Improvements below this are rounding errors.
const TINY: f64 = 1e-14;

/// Sweeps have converged when the relative change is smaller than this.
const SETTLED: f64 = 1e-15;

/// The maximum number of rounds of policy iteration, and of sweeps.
const MOST_ROUNDS: usize = 1_000;
const MOST_SWEEPS: usize = 100_000;

/// The largest accepted error.
const ACCEPTED: f64 = 1e-6;

/// The best response, as computed so far.
pub(super) struct Response<'a> {
    process: &'a DecisionProcess,
    /// The component of each state.
    component: Vec<usize>,
    /// The worth of each state: the probability of winning minus that of losing, discounted for delay.
    worth: Vec<f64>,
    /// The index of the choice in each state.
    policy: Vec<u32>,
    /// Whether the game can end from each state; `surely_ends` tells whether it always does.
    can_end: Vec<bool>,
    surely_ends: Vec<bool>,
    /// The probabilities of winning and losing, and the expected number of turns if the game surely ends.
    totals: Vec<[f64; 3]>,
    /// The index of each state among the states that are eliminated together.
    place: Vec<u32>,
}

impl<'a> Response<'a> {
    pub(super) fn to(process: &'a DecisionProcess) -> Self {
        let size = process.states.len();
        let follow = |state, nth| {
            let next = process.follow(state).get(nth).map(|&(next, _)| next);
            next.map(|next| next as usize)
        };
        Self {
            process,
            component: strong_components(size, follow),
            worth: vec![0.0; size],
            policy: process.states.clone(),
            can_end: vec![false; size],
            surely_ends: vec![true; size],
            totals: vec![[0.0; 3]; size],
            place: vec![0; size],
        }
    }

    /// The components, starting with those nearest to the end.
    pub(super) fn parts(&self) -> Vec<Vec<u32>> {
        let count = self.component.iter().max().map_or(0, |last| last + 1);
        let mut parts = vec![Vec::new(); count];
        for (state, &component) in (0..).zip(&self.component) {
            parts[component].push(state);
        }
        parts
    }

    /// Finds the best choices of a component.
    pub(super) fn choose(&mut self, part: &[u32], watch: &dyn Watch) -> Result<(), Unforeseen> {
        if part.len() > ELIMINATED {
            self.sweep(part, watch, |response, state| {
                let (best, worth) = response.best(state);
                response.policy[state as usize] = number(best);
                let change = (worth - response.worth[state as usize]).abs();
                response.worth[state as usize] = worth;
                change
            })?;
            return Ok(());
        }
        for _ in 0..MOST_ROUNDS {
            self.evaluate(part, watch)?;
            let mut improved = false;
            for &state in part {
                let (best, worth) = self.best(state);
                if worth > self.worth[state as usize] + TINY {
                    self.policy[state as usize] = number(best);
                    improved = true;
                }
            }
            if !improved {
                break;
            }
        }
        Ok(())
    }

    /// The best choice in a state, and its worth if it is repeated until it leaves the state.
    fn best(&self, state: u32) -> (usize, f64) {
        let repeated = |choice: usize| {
            let PackedProspect { win, loss, .. } = self.process.choices[choice];
            let (mut leaving, mut gained) = (self.process.choices[choice].end(), win - loss);
            for &(next, chance) in self.process.next(choice) {
                leaving += chance * DELAY;
                if next != state {
                    leaving += chance * (1.0 - DELAY);
                    gained += chance * (1.0 - DELAY) * self.worth[next as usize];
                }
            }
            gained / leaving
        };
        let mut choices = self.process.choices_of(state).map(|choice| (choice, repeated(choice)));
        let first = choices.next().expect("every state has a choice");
        // Among equal choices, take the first.
        choices.fold(first, |best, other| if other.1 > best.1 + TINY { other } else { best })
    }

    /// The worth of a component's states under the current policy.
    fn evaluate(&mut self, part: &[u32], watch: &dyn Watch) -> Result<(), Cancelled> {
        let kept = 1.0 - DELAY;
        let equations = self.equations(part, |response, choice, inside| {
            let PackedProspect { win, loss, .. } = response.process.choices[choice];
            let next = response.process.next(choice);
            let (mut end, mut gain) = (response.process.choices[choice].end(), win - loss);
            for &(next, chance) in next {
                end += chance * DELAY;
                if !inside(next) {
                    end += chance * kept;
                    gain += chance * kept * response.worth[next as usize];
                }
            }
            (end, [gain])
        });
        let Equations { mut steps, end, gains } = equations;
        steps.iter_mut().flatten().for_each(|chance| *chance *= kept);
        let worth = elimination::totals(steps, end, gains, watch)?;
        for (&state, [worth]) in part.iter().zip(worth) {
            self.worth[state as usize] = worth;
        }
        Ok(())
    }

    /// Computes the forecasts of the policy in a component.
    pub(super) fn foresee(&mut self, part: &[u32], watch: &dyn Watch) -> Result<(), Unforeseen> {
        self.mark_ends(part);
        let ending: Vec<u32> =
            part.iter().copied().filter(|&state| self.can_end[state as usize]).collect();
        if ending.len() > ELIMINATED {
            return self.foresee_by_sweeps(&ending, watch);
        }
        let Equations { steps, end, gains } =
            self.equations(&ending, |response, choice, inside| {
                let PackedProspect { win, loss, .. } = response.process.choices[choice];
                let (mut end, mut gains) =
                    (response.process.choices[choice].end(), [win, loss, 1.0]);
                for &(next, chance) in
                    response.process.next(choice).iter().filter(|(it, _)| !inside(*it))
                {
                    end += chance;
                    add(&mut gains, chance, response.totals[next as usize]);
                }
                (end, gains)
            });
        let totals = elimination::totals(steps, end, gains, watch)?;
        for (&state, totals) in ending.iter().zip(totals) {
            self.totals[state as usize] = totals;
        }
        Ok(())
    }

    fn foresee_by_sweeps(&mut self, ending: &[u32], watch: &dyn Watch) -> Result<(), Unforeseen> {
        self.sweep(ending, watch, |response, state| {
            let choice = response.policy[state as usize] as usize;
            let PackedProspect { win, loss, .. } = response.process.choices[choice];
            let (mut leaving, mut gains) =
                (response.process.choices[choice].end(), [win, loss, 1.0]);
            for &(next, chance) in
                response.process.next(choice).iter().filter(|(it, _)| *it != state)
            {
                leaving += chance;
                add(&mut gains, chance, response.totals[next as usize]);
            }
            let totals = gains.map(|gain| gain / leaving);
            let before = std::mem::replace(&mut response.totals[state as usize], totals);
            let changes =
                totals.iter().zip(before).map(|(new, old)| (new - old).abs() / new.max(1.0));
            changes.fold(0.0, f64::max)
        })?;
        // The error of a sum is at most the change per step times the number of steps. If a policy is not worth its
        // computed value, it wrongly waits forever for a gain that is only a rounding error.
        let is_accurate = |&state: &u32| {
            let [win, loss, turns] = self.totals[state as usize];
            let is_short = turns * SETTLED < ACCEPTED;
            is_short && win - loss >= self.worth[state as usize] - ACCEPTED
        };
        if ending.iter().all(is_accurate) { Ok(()) } else { Err(Unforeseen::TooLong) }
    }

    /// Finds the states of a component in which the game can end, and those in which it surely does.
    fn mark_ends(&mut self, part: &[u32]) {
        self.spread(
            part,
            |response, choice| {
                let can_end = |&(next, _): &(u32, f64)| response.can_end[next as usize];
                response.process.choices[choice].end() > 0.0
                    || response.process.next(choice).iter().any(can_end)
            },
            |response| &mut response.can_end,
            true,
        );
        for &state in part {
            self.surely_ends[state as usize] = self.can_end[state as usize];
        }
        self.spread(
            part,
            |response, choice| {
                let may_not = |&(next, _): &(u32, f64)| !response.surely_ends[next as usize];
                response.process.next(choice).iter().any(may_not)
            },
            |response| &mut response.surely_ends,
            false,
        );
    }

    /// Marks states whose choice satisfies the condition, until no more such states are found.
    fn spread(
        &mut self,
        part: &[u32],
        holds: impl Fn(&Self, usize) -> bool,
        marks: impl Fn(&mut Self) -> &mut Vec<bool>,
        mark: bool,
    ) {
        let mut order = part.to_vec();
        loop {
            let mut changed = false;
            for &state in &order {
                let choice = self.policy[state as usize] as usize;
                if marks(self)[state as usize] != mark && holds(self, choice) {
                    marks(self)[state as usize] = mark;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
            order.reverse();
        }
    }

    /// Calls `update` for every state until nothing changes. States are numbered in the order of a search, so most
    /// successors of a state have larger numbers and are updated before it. This takes half as many sweeps as
    /// alternating directions.
    fn sweep(
        &mut self,
        part: &[u32],
        watch: &dyn Watch,
        update: impl Fn(&mut Self, u32) -> f64,
    ) -> Result<(), Unforeseen> {
        for _ in 0..MOST_SWEEPS {
            watch.check(part.len() as u64)?;
            let change = part.iter().rev().map(|&state| update(self, state)).fold(0.0, f64::max);
            if change < SETTLED {
                return Ok(());
            }
        }
        Err(Unforeseen::TooLong)
    }

    /// The equations of the policy within a set of states. `leave(self, choice, inside)` returns the probability of
    /// leaving the set by a choice, and the gain of leaving.
    fn equations<const KINDS: usize>(
        &mut self,
        among: &[u32],
        leave: impl Fn(&Self, usize, &dyn Fn(u32) -> bool) -> (f64, [f64; KINDS]),
    ) -> Equations<KINDS> {
        for (place, &state) in (0..).zip(among) {
            self.place[state as usize] = place;
        }
        let inside = |state: u32| among.get(self.place[state as usize] as usize) == Some(&state);
        let mut equations = Equations { steps: Vec::new(), end: Vec::new(), gains: Vec::new() };
        for &state in among {
            let choice = self.policy[state as usize] as usize;
            let mut row = vec![0.0; among.len()];
            for &(next, chance) in self.process.next(choice).iter().filter(|(it, _)| inside(*it)) {
                row[self.place[next as usize] as usize] += chance;
            }
            let (end, gains) = leave(self, choice, &inside);
            equations.steps.push(row);
            equations.end.push(end);
            equations.gains.push(gains);
        }
        equations
    }

    /// The forecast of a choice, once all states have been solved.
    pub(super) fn forecast(&self, choice: usize) -> Forecast {
        let PackedProspect { win, loss, .. } = self.process.choices[choice];
        let next = self.process.next(choice);
        let mut gains = [win, loss, 1.0];
        for &(next, chance) in next {
            add(&mut gains, chance, self.totals[next as usize]);
        }
        let [win, loss, turns] = gains;
        let ends = next.iter().all(|&(next, _)| self.surely_ends[next as usize]);
        let (win, loss, draw) = (rounded(win), rounded(loss), rounded(1.0 - win - loss));
        Forecast { win, loss, draw, turns: ends.then_some(turns) }
    }
}

/// Removes rounding errors from a probability close to 0 or 1.
fn rounded(chance: f64) -> f64 {
    match chance {
        none if none < ROUNDING => 0.0,
        sure if sure > 1.0 - ROUNDING => 1.0,
        open => open,
    }
}

/// The rounding error of a probability.
const ROUNDING: f64 = 1e-12;

/// A chain in the form required by [`elimination::totals`].
struct Equations<const KINDS: usize> {
    steps: Vec<Vec<f64>>,
    end: Vec<f64>,
    gains: Vec<[f64; KINDS]>,
}

fn add<const KINDS: usize>(gains: &mut [f64; KINDS], chance: f64, more: [f64; KINDS]) {
    for (gain, more) in gains.iter_mut().zip(more) {
        *gain += chance * more;
    }
}
