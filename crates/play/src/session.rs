//! A game in progress: a table, and everything outside the game's own rules.

#[cfg(test)]
mod tests;

use std::num::IntErrorKind;

use skirmish_rules::{
    Both, Ending, Outcome, Record, RecordError, Refusal, Side, Standing, Submitted, Table, Tempo,
    Termination, Turn,
};

use crate::fault::Fault;

/// The record tag for the number of takebacks.
const UNDONE: &str = "Undone";

/// The record tag for the program fault that ended the game.
const FAULT: &str = "Fault";

/// A game in progress, with its place in a match, its turn limit and its ending.
pub struct Session {
    table: Box<dyn Table>,
    /// The record except for its turns and ending, which are in `table` and `declared`.
    frame: Record,
    declared: Option<Ending>,
}

impl Session {
    /// Starts a game at this table.
    #[must_use]
    pub fn begin(table: Box<dyn Table>) -> Self {
        let frame = Record::of(&*table);
        Self { table, frame, declared: None }
    }

    /// Resumes a game where its record ends.
    ///
    /// # Errors
    /// If a turn of the record is not legal.
    pub fn resume(record: Record) -> Result<Self, RecordError> {
        let table = record.replay()?;
        let declared = record.ending.filter(|ending| ending.termination != Termination::Rules);
        Ok(Self { table, frame: record, declared })
    }

    /// Sets the date, the match, the seed and the turn limit.
    #[must_use]
    pub fn noting(
        mut self,
        date: Option<String>,
        standing: Option<Standing>,
        seed: Option<u64>,
        turn_limit: Option<u32>,
    ) -> Self {
        self.frame = Record { date, standing, seed, turn_limit, ..self.frame };
        self
    }

    /// Adds tags to the game's record.
    #[must_use]
    pub fn tagged(mut self, tags: Vec<(String, String)>) -> Self {
        self.frame.other_tags.extend(tags);
        self
    }

    /// Copies the game for trying out turns. Pending choices are not copied.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self { table: self.table.fork(), frame: self.frame.clone(), declared: self.declared }
    }

    /// Returns the table.
    #[must_use]
    pub fn table(&self) -> &dyn Table {
        &*self.table
    }

    /// Returns the record so far.
    #[must_use]
    pub fn record(&self) -> Record {
        let mut record = Record { ending: self.ending(), ..self.frame.clone() };
        let comments = std::mem::take(&mut record.turns).into_iter().map(|turn| turn.comment);
        record.turns = self.table.history().into_iter().map(Turn::new).collect();
        for (turn, comment) in record.turns.iter_mut().zip(comments) {
            turn.comment = comment;
        }
        record
    }

    /// Returns how the game ended; `None` while it is in progress.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        let by_rules = self.table.outcome();
        let ending = by_rules.map(|outcome| Ending { outcome, termination: Termination::Rules });
        ending.or(self.declared).or_else(|| {
            let limit = self.frame.turn_limit?;
            let reached = self.table.turns_played() >= limit as usize;
            let draw = Ending { outcome: Outcome::Draw, termination: Termination::TurnLimit };
            reached.then_some(draw)
        })
    }

    /// Returns the number of this game in its match, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.frame.standing.map_or(1, |standing| standing.game)
    }

    /// Returns the turn limit in force (R-ALL-2).
    #[must_use]
    pub const fn turn_limit(&self) -> Option<u32> {
        self.frame.turn_limit
    }

    /// Submits a side's choice.
    ///
    /// # Errors
    /// If the game has ended, or the table refuses the choice.
    pub fn submit(&mut self, side: Side, text: &str) -> Result<Submitted, Refusal> {
        if self.ending().is_some() {
            return Err(Refusal::Over);
        }
        self.table.submit(side, text)
    }

    /// Checks a side's choice without making it.
    ///
    /// # Errors
    /// If [`Session::submit`] would refuse it.
    pub fn check(&self, side: Side, text: &str) -> Result<(), Refusal> {
        if self.ending().is_some() {
            return Err(Refusal::Over);
        }
        self.table.check(side, text)
    }

    /// Ends the game by resignation of a side.
    pub fn resign(&mut self, side: Side) {
        self.declare(Outcome::Won(side.other()), Termination::Resigned);
    }

    /// Ends the game as a draw by agreement.
    pub fn agree_on_draw(&mut self) {
        self.declare(Outcome::Draw, Termination::Agreed);
    }

    /// Ends the game because these sides have run out of time. If both have, the game is a draw.
    pub fn time_up(&mut self, sides: Both<bool>) {
        let outcome = match (sides.one, sides.two) {
            (true, false) => Outcome::Won(Side::Two),
            (false, true) => Outcome::Won(Side::One),
            (true, true) | (false, false) => Outcome::Draw,
        };
        self.declare(outcome, Termination::Time);
    }

    /// Ends the game because of program faults. The side without a fault wins; if both sides have one, the game is a
    /// draw. The record states the fault.
    ///
    /// # Panics
    /// If neither side has a fault.
    pub fn forfeit(&mut self, faults: &Both<Option<Fault>>) {
        let failed = Side::ALL.into_iter().filter_map(|side| Some((side, faults[side].as_ref()?)));
        let failed: Vec<(Side, &Fault)> = failed.collect();
        let outcome = match *failed {
            [(side, _)] => Outcome::Won(side.other()),
            _ => Outcome::Draw,
        };
        let (_, first) = failed.first().expect("a side has a fault");
        self.declare(outcome, first.termination());
        let reasons = failed.iter().map(|(side, fault)| format!("{side} {fault}"));
        let reason = reasons.collect::<Vec<String>>().join("; ");
        // Truncated because programs can write a lot, and an overlong tag could not be parsed again.
        self.frame.other_tags.push((FAULT.to_owned(), Record::tag_value(&reason)));
    }

    /// Returns the program fault that ended the game, if any.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        fault_tag(&self.frame, self.ending())
    }

    fn declare(&mut self, outcome: Outcome, termination: Termination) {
        for side in Side::ALL {
            self.table.withdraw(side);
        }
        self.declared = Some(Ending { outcome, termination });
    }

    /// Removes the last turn without counting it as a takeback.
    pub fn take_back(&mut self) {
        self.table.undo();
    }

    /// Takes back a pending choice, or else the last turn that was not a forced pass, with all later passes. Returns
    /// whether there was anything to take back.
    pub fn undo(&mut self) -> bool {
        if Side::ALL.into_iter().any(|side| self.table.withdraw(side)) {
            return true;
        }
        let turns = self.table.turns_played();
        let chosen = (0..turns).rev().find(|&turn| !self.table.was_pass(turn));
        let Some(chosen) = chosen else { return false };
        for _ in chosen..turns {
            self.table.undo();
        }
        self.frame.turns.truncate(chosen);
        let times = self.undone().saturating_add(1).to_string();
        match self.frame.other_tags.iter_mut().find(|(name, _)| name == UNDONE) {
            Some((_, value)) => *value = times,
            None => self.frame.other_tags.push((UNDONE.to_owned(), times)),
        }
        true
    }

    /// Takes back the last choice of a person and everything after it. Returns whether there was one.
    pub fn undo_choice_of(&mut self, people: Both<bool>) -> bool {
        let turns = self.table.turns_played();
        let alternating = self.table.tempo() == Tempo::Alternating;
        let only_computers = turns == 1 && alternating && !people[self.frame.first];
        let no_people = !people.one && !people.two;
        if no_people || only_computers || !self.undo() {
            return false;
        }
        while !self.table.to_act().iter().any(|&side| people[side]) && self.undo() {}
        true
    }

    /// Takes back a side's last played choice and everything after it, and withdraws pending choices. Returns whether
    /// there was a choice to take back.
    pub fn take_back_choice_of(&mut self, side: Side) -> bool {
        for side in Side::ALL {
            self.table.withdraw(side);
        }
        let mut people = Both::new(false, false);
        people[side] = true;
        self.undo_choice_of(people)
    }

    /// Returns the number of takebacks. It affects the computer's random numbers; otherwise a player could see the
    /// computer's choice and then change their own. An overflowing count is read as `u32::MAX`.
    #[must_use]
    pub fn undone(&self) -> u32 {
        let times = tag(&self.frame, UNDONE).and_then(|times| match times.parse::<u32>() {
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(u32::MAX),
            read => read.ok(),
        });
        times.unwrap_or(0)
    }

    /// Whether neither side can move, so that both would pass forever.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        let last = self.table.turns_played().checked_sub(1);
        let passing = self.table.turn().into_iter().any(|side| self.table.must_pass(side));
        passing && last.is_some_and(|last| self.table.was_pass(last))
    }
}

/// Returns the program fault that ended the recorded game, if any.
#[must_use]
pub fn fault_of(record: &Record) -> Option<&str> {
    fault_tag(record, record.ending)
}

/// Returns the fault tag, if a fault ended the game.
fn fault_tag(record: &Record, ending: Option<Ending>) -> Option<&str> {
    let is_forfeited =
        |ending: Ending| matches!(ending.termination, Termination::Time | Termination::IllegalMove);
    ending.is_some_and(is_forfeited).then(|| tag(record, FAULT)).flatten()
}

/// Returns the value of a record tag outside the standard set.
pub(crate) fn tag<'a>(record: &'a Record, sought: &str) -> Option<&'a str> {
    let tag = record.other_tags.iter().find(|(name, _)| name == sought);
    tag.map(|(_, value)| value.as_str())
}
