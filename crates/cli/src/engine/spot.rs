//! The current position, and Player 1's choice if Player 2's is still missing.

use skirmish_present::json::legal;
use skirmish_rules::{Entry, Outcome, Settings, Setup, Side, Table, quotable};

/// A position of any game.
pub(super) struct Spot {
    table: Box<dyn Table>,
    /// The position that the moves started from, unless it was the start.
    base: Option<String>,
    /// In a simultaneous game, Player 1's choice while Player 2's is missing. It is never shown.
    waiting: Option<String>,
}

/// The result of a game in progress.
pub(super) const NO_RESULT: &str = "none";

impl Spot {
    /// The start of a game in which Player 1 starts.
    pub(super) fn start(entry: &'static Entry, settings: &Settings) -> Self {
        Self::open(entry, settings, None).expect("a game has a start")
    }

    /// Parses the rest of a `position` line: `startpos` or `fen P`, then optionally `moves` and moves.
    pub(super) fn read(
        entry: &'static Entry,
        settings: &Settings,
        text: &str,
    ) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let example = || Self::start(entry, settings).table.position();
        let base = match words.next() {
            Some("startpos") => None,
            Some("fen") => match words.next() {
                Some(position) => Some(position),
                None => return Err(format!("fen: expected a position, such as {}", example())),
            },
            _ => return Err(format!("position: expected startpos or fen {}", example())),
        };
        let mut spot = Self::open(entry, settings, base)?;
        match words.next() {
            None | Some("moves") => {}
            Some(other) => {
                return Err(format!("expected moves instead of \"{}\"", quotable(other)));
            }
        }
        for (index, token) in words.enumerate() {
            spot.play(token).map_err(|reason| format!("move {}: {reason}", index + 1))?;
        }
        Ok(spot)
    }

    fn open(
        entry: &'static Entry,
        settings: &Settings,
        base: Option<&str>,
    ) -> Result<Self, String> {
        let base = base.map(str::to_owned);
        let (settings, position) = (settings.clone(), base.clone());
        let setup = Setup { settings, first: Side::One, position, ..entry.setup() };
        let table = entry.open(setup).map_err(|error| error.to_string())?;
        Ok(Self { table, base, waiting: None })
    }

    /// Plays a turn or, in a simultaneous game, one side's choice.
    fn play(&mut self, token: &str) -> Result<(), String> {
        let is_whole = self.table.turn() != Side::ALL || token.contains('|');
        let turn = match (&self.waiting, is_whole) {
            (None, true) => token.to_owned(),
            (Some(_), true) => {
                return Err("Player 1 has chosen: expected Player 2's choice alone".to_owned());
            }
            (Some(first), false) => format!("{first}|{token}"),
            (None, false) => {
                // The rules check whole turns, so any choice serves as the missing one.
                let other = &self.table.choices(Side::Two)[0].notation;
                let turn = format!("{token}|{other}");
                self.table.fork().play(&turn).map_err(|refusal| refusal.to_string())?;
                self.waiting = Some(token.to_owned());
                return Ok(());
            }
        };
        self.table.play(&turn).map_err(|refusal| refusal.to_string())?;
        self.waiting = None;
        Ok(())
    }

    /// The table, without any choice that waits for the other side's.
    pub(super) fn table(&self) -> &dyn Table {
        &*self.table
    }

    /// The position that the moves started from, unless it was the start.
    pub(super) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// Whether Player 1 has chosen and Player 2 has not.
    pub(super) const fn is_half_played(&self) -> bool {
        self.waiting.is_some()
    }

    /// The side that chooses next; `asked` if both can.
    pub(super) fn chooser(&self, asked: Side) -> Option<Side> {
        match *self.table.turn() {
            [] => None,
            [side] => Some(side),
            _ if self.is_half_played() => Some(Side::Two),
            _ => Some(asked),
        }
    }

    /// `p1win`, `p2win`, `draw` or `none`; a draw at the turn limit (R-ALL-2).
    pub(super) fn result(&self, max_turns: Option<usize>) -> &'static str {
        match self.table.outcome() {
            None if max_turns.is_some_and(|most| self.table.turns_played() >= most) => "draw",
            None => NO_RESULT,
            Some(Outcome::Won(Side::One)) => "p1win",
            Some(Outcome::Won(Side::Two)) => "p2win",
            Some(Outcome::Draw) => "draw",
        }
    }

    /// A side's legal choices, in notation.
    pub(super) fn moves(&self, side: Side) -> String {
        legal(self.table(), side).join(" ")
    }
}
