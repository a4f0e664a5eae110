//! Explains why a query finds nothing, by listing the facts that are true of no position.

use std::fmt;

use skirmish_rules::{Cancelled, Watch};

use super::find::visit;
use super::{Fact, Query};
use crate::solved::Solved;

/// A fact that is true of no reachable position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Barren {
    /// The fact.
    pub fact: Fact,
    /// For a fact about a count, the smallest and the largest count that occur.
    pub counts: Option<(u32, u32)>,
}

impl Query {
    /// Returns the facts in the query that are true of no reachable position.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn barren(&self, solved: &Solved, watch: &dyn Watch) -> Result<Vec<Barren>, Cancelled> {
        let mut left: Vec<Barren> = Vec::new();
        self.ask(true, &mut |fact| {
            if left.iter().all(|other| other.fact != fact) {
                left.push(Barren { fact, counts: None });
            }
        });
        visit(solved, watch, |spot| {
            left.retain_mut(|barren| {
                if let Some(count) = spot.number(barren.fact) {
                    let (least, most) = barren.counts.unwrap_or((count, count));
                    barren.counts = Some((least.min(count), most.max(count)));
                }
                !spot.has(barren.fact)
            });
        })?;
        Ok(left)
    }

    /// Calls `tell` for every fact that the query requires to be true, but not for those required to be false.
    fn ask(&self, should: bool, tell: &mut dyn FnMut(Fact)) {
        match self {
            Self::Fact(fact) if should => tell(*fact),
            Self::Fact(_) => {}
            Self::Not(query) => query.ask(!should, tell),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.ask(should, tell);
                }
            }
        }
    }
}

/// Formats the fact as a sentence.
impl fmt::Display for Barren {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\" is true of no position", self.fact)?;
        match self.counts {
            Some((least, most)) if least < most => {
                write!(formatter, ": this number ranges from {least} to {most}.")
            }
            Some((only, _)) => write!(formatter, ": this number is always {only}."),
            None => formatter.write_str("."),
        }
    }
}
