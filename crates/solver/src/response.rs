//! The best response to a known opponent: the chance of each result, and how long the game takes.
//!
//! With the opponent's play known, a game is a Markov decision process whose ends are won, lost or drawn. The best response
//! maximises the chance of winning minus the chance of losing, where a result that comes a turn later counts a billionth
//! less. So of several equally good ways it takes the one that wins soonest and loses last.
//!
//! The process is solved one strongly connected component after the other, those nearest to the end first. A small
//! component is solved by policy iteration with exact elimination, a large one by sweeps over its states.

mod policy;

use policy::Response;
use skirmish_rules::{Cancelled, Watch};

use crate::value::number;

/// A game against a known opponent. States are numbered in the order in which they are added.
#[derive(Clone, Debug, Default)]
pub struct Contest {
    /// Where the choices of each state begin.
    states: Vec<u32>,
    choices: Vec<Choice>,
    /// The next states of all choices, with their chances.
    next: Vec<(u32, f64)>,
}

/// What may follow from a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prospect {
    /// The states in which the game may go on, with their chances.
    pub next: Vec<(u32, f64)>,
    /// The chance that the game is won at once.
    pub win: f64,
    /// The chance that it is lost at once.
    pub loss: f64,
    /// The chance that it is drawn at once.
    pub draw: f64,
}

/// How a game will go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The chance of winning.
    pub win: f64,
    /// The chance of losing.
    pub loss: f64,
    /// The chance that nobody wins: the game is drawn, or never ends.
    pub draw: f64,
    /// The expected number of turns; `None` if the game may never end.
    pub turns: Option<f64>,
}

/// Why there is no forecast.
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
struct Choice {
    /// Where the next states of the choice begin.
    begin: u32,
    win: f64,
    loss: f64,
    draw: f64,
}

impl Contest {
    /// Adds a state with its choices, of which there is at least one.
    pub fn add(&mut self, choices: impl IntoIterator<Item = Prospect>) {
        self.states.push(number(self.choices.len()));
        for Prospect { next, win, loss, draw } in choices {
            self.choices.push(Choice { begin: number(self.next.len()), win, loss, draw });
            self.next.extend(next);
        }
    }

    /// Forecasts of every choice in a state, if the best response follows.
    ///
    /// # Errors
    /// If `watch` cancels it, or the games are too long.
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

    /// The successors of a state by any of its choices.
    fn follow(&self, state: usize) -> &[(u32, f64)] {
        let begin = |state: usize| {
            let choice =
                self.states.get(state).and_then(|&choice| self.choices.get(choice as usize));
            choice.map_or(self.next.len(), |choice| choice.begin as usize)
        };
        &self.next[begin(state)..begin(state + 1)]
    }
}

impl Choice {
    fn end(&self) -> f64 {
        self.win + self.loss + self.draw
    }
}

#[cfg(test)]
mod tests;
