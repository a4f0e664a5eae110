//! Prints records as text.

use std::fmt;

use super::parse::LONGEST_TAG;
use super::{Ending, Record, Standing, Termination};
use crate::catalog::Tempo;
use crate::printable::printable;
use crate::side::{Both, Side};

impl fmt::Display for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(formatter, "[{name} \"{value}\"]")
        };
        tag("Game", self.entry.id)?;
        let changes = self.settings.changes();
        if !changes.is_empty() {
            tag("Rules", &changes)?;
        }
        tag("Player1", &self.names.one)?;
        tag("Player2", &self.names.two)?;
        if self.entry.tempo() == Tempo::Alternating {
            tag("First", side_word(self.first))?;
        }
        if let Some(position) = &self.position {
            tag("Position", position)?;
        }
        if let Some(date) = &self.date {
            tag("Date", date)?;
        }
        if let Some(standing) = self.standing {
            tag("Match", &standing.to_string())?;
        }
        if let Some(seed) = self.seed {
            tag("Seed", &seed.to_string())?;
        }
        if let Some(limit) = self.turn_limit {
            tag("TurnLimit", &limit.to_string())?;
        }
        for (name, value) in &self.other_tags {
            tag(name, value)?;
        }
        tag("Result", result_word(self.ending))?;
        let name = |ending: Ending| ending.termination.name();
        tag("Termination", self.ending.map_or(Termination::UNFINISHED, name))?;
        writeln!(formatter)?;
        for (index, turn) in self.turns.iter().enumerate() {
            write!(formatter, "{}. {}", index + 1, turn.notation)?;
            if let Some(comment) = &turn.comment {
                write!(formatter, " {{{comment}}}")?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

impl Record {
    /// Converts `text` to a valid tag value: short and printable.
    #[must_use]
    pub fn tag_value(text: &str) -> String {
        let text = printable(text);
        let mut value: String = text.chars().take(LONGEST_TAG).collect();
        if text.chars().nth(LONGEST_TAG).is_some() {
            value.pop();
            value.push('…');
        }
        value
    }
}

pub(super) const fn side_word(side: Side) -> &'static str {
    match side {
        Side::One => "p1",
        Side::Two => "p2",
    }
}

pub(super) const fn result_word(ending: Option<Ending>) -> &'static str {
    match ending {
        None => "*",
        Some(ending) => ending.outcome.score(),
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Both { one, two } = self.half_points.map(points);
        write!(formatter, "game {} of {}, score {one}-{two}", self.game, self.of)
    }
}

/// Half points as a decimal number: `1.5`, `2`.
fn points(half: u32) -> String {
    if half.is_multiple_of(2) { (half / 2).to_string() } else { format!("{}.5", half / 2) }
}
