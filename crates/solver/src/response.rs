//! The best response to a known opponent: the probability of each result, and the length of the game.
//!
//! With the opponent's play known, a game is a Markov decision process whose ends are won, lost or drawn. The best
//! response maximises the chance of winning minus the chance of losing, where the weight of a result shrinks by one
//! billionth per turn of delay. Therefore it wins as soon as possible and loses as late as possible.
//!
//! The process is solved one strongly connected component after the other, those nearest to the end first. A small
//! component is solved by policy iteration with exact elimination, a large one by sweeps over its states.

mod policy;

use policy::Response;
use skirmish_rules::{Cancelled, Watch};

use crate::value::number;

/// A game against a known opponent, as a Markov decision process. States are numbered in the order in which they are
/// added.
#[derive(Clone, Debug, Default)]
pub struct DecisionProcess {
    /// The index of each state's first choice.
    states: Vec<u32>,
    choices: Vec<PackedProspect>,
    /// The next states of all choices, with their probabilities.
    next: Vec<(u32, f64)>,
}

/// The possible consequences of a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prospect {
    /// The states in which the game may continue, with their probabilities.
    pub next: Vec<(u32, f64)>,
    /// The probability of an immediate win.
    pub win: f64,
    /// The probability of an immediate loss.
    pub loss: f64,
    /// The probability of an immediate draw.
    pub draw: f64,
}

/// The forecast of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The probability of winning.
    pub win: f64,
    /// The probability of losing.
    pub loss: f64,
    /// The probability that nobody wins, because the game is drawn or never ends.
    pub draw: f64,
    /// The expected number of turns; `None` if the game may never end.
    pub turns: Option<f64>,
}

/// The reasons why there is no forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unforeseen {
    /// The watcher cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The sweeps did not converge.
    #[error("the games are too long to be computed exactly")]
    TooLong,
}

#[derive(Clone, Copy, Debug)]
struct PackedProspect {
    /// The index of the choice's first next state.
    begin: u32,
    win: f64,
    loss: f64,
    draw: f64,
}

impl DecisionProcess {
    /// Adds a state with its choices. At least one choice is required.
    pub fn add(&mut self, choices: impl IntoIterator<Item = Prospect>) {
        self.states.push(number(self.choices.len()));
        for Prospect { next, win, loss, draw } in choices {
            self.choices.push(PackedProspect { begin: number(self.next.len()), win, loss, draw });
            self.next.extend(next);
        }
    }

    /// Forecasts every choice in a state, if the best response follows.
    ///
    /// # Errors
    /// If `watch` cancels the work, or the games are too long.
    pub fn forecasts(&self, state: u32, watch: &dyn Watch) -> Result<Vec<Forecast>, Unforeseen> {
        let mut response = Response::to(self);
        for part in response.parts() {
            watch.check(part.len() as u64)?;
            response.choose(&part, watch)?;
            response.foresee(&part, watch)?;
        }
        Ok(self.choices_of(state).map(|choice| response.forecast(choice)).collect())
    }

    fn choices_of(&self, state: u32) -> std::ops::Range<usize> {
        let end =
            self.states.get(state as usize + 1).map_or(self.choices.len(), |&end| end as usize);
        self.states[state as usize] as usize..end
    }

    fn next(&self, choice: usize) -> &[(u32, f64)] {
        let end = self.choices.get(choice + 1).map_or(self.next.len(), |next| next.begin as usize);
        &self.next[self.choices[choice].begin as usize..end]
    }

    /// The successors of a state over all its choices.
    fn follow(&self, state: usize) -> &[(u32, f64)] {
        let begin = |state: usize| {
            let choice =
                self.states.get(state).and_then(|&choice| self.choices.get(choice as usize));
            choice.map_or(self.next.len(), |choice| choice.begin as usize)
        };
        &self.next[begin(state)..begin(state + 1)]
    }
}

impl PackedProspect {
    fn end(&self) -> f64 {
        self.win + self.loss + self.draw
    }
}

#[cfg(test)]
mod tests;
