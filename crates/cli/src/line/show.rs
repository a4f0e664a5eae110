//! Shows a game on the console: a transcript like the rulebooks' sample interactions, or a JSON object per event.

use std::io;

use skirmish_play::{Plan, Score, Session};
use skirmish_present::json::{self, EventObject, PositionObject, StartObject, TurnEventObject};
use skirmish_present::words;
use skirmish_rules::{Ending, Side, Table, Tempo};

use super::console::{Console, put};
use super::input::InputLine;
use super::pager;
use crate::output;

/// How a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// A new game or match, with the seed to announce; perhaps a coin toss has decided who starts.
    New { seed: Option<u64>, is_tossed: bool },
    /// The next game of a match; perhaps the players have swapped seats.
    Next { is_swapped: bool },
    /// A saved game is resumed.
    Resumed,
}

impl Beginning {
    /// How the next game of a match begins.
    pub(crate) fn after(before: &Plan, next: &Plan) -> Self {
        Self::Next { is_swapped: before.names != next.names }
    }
}

impl Console {
    /// Announces that a game begins or is resumed.
    pub(crate) fn begin(&mut self, session: &Session, beginning: Beginning) -> io::Result<()> {
        let table = session.table();
        self.break_line()?;
        self.names.clone_from(table.names());
        let (seed, tossed) = match beginning {
            Beginning::New { seed, is_tossed } => (seed, is_tossed),
            Beginning::Next { .. } | Beginning::Resumed => (None, false),
        };
        let resumed = beginning == Beginning::Resumed;
        if self.is_json() {
            let object = StartObject::of(session, tossed, seed);
            let event = if resumed { EventObject::Resume } else { EventObject::Start };
            put(&event(object))?;
            return put_position(table);
        }
        let names = table.names();
        let mut lines = Vec::new();
        lines.extend(seed.map(|seed| format!("Seed: {seed}")));
        lines.extend(tossed.then(|| words::toss(names, table.first())));
        let standing = session.record().standing;
        lines.extend(standing.map(|standing| format!("Game {} of {}", standing.game, standing.of)));
        if standing.is_some() && beginning == (Beginning::Next { is_swapped: true }) {
            let (one, two) = (&names.one, &names.two);
            lines.push(format!("The players swap seats: {one} is P1 now, and {two} is P2."));
        }
        if seed.is_some() || standing.is_some() {
            lines.push(String::new());
        }
        lines.push(if resumed {
            let turns = table.history().len();
            format!("Going on with {} after turn {turns}.", table.entry().name)
        } else {
            words::welcome(table)
        });
        self.note(&format!("{}\n\n{}\n", lines.join("\n"), output::board(table)))
    }

    /// Asks a side for its choice; `again` if it was already asked in this position.
    pub(crate) fn prompt_choice(
        &mut self,
        session: &Session,
        side: Side,
        again: bool,
    ) -> io::Result<()> {
        let question = self.lead(session, side, again)?;
        self.prompt(&output::paint(&question, session.table().names()))
    }

    /// Asks a side for its choice and waits for the line.
    pub(crate) fn ask_choice(
        &mut self,
        session: &Session,
        side: Side,
        again: bool,
    ) -> io::Result<InputLine> {
        let question = self.lead(session, side, again)?;
        if self.is_json() {
            self.read()
        } else if self.secret.is_some() {
            self.ask_secretly(side, &question, again)
        } else {
            self.ask(&question)
        }
    }

    /// Shows the text before the question, and returns the question.
    fn lead(&mut self, session: &Session, side: Side, again: bool) -> io::Result<String> {
        let table = session.table();
        let prompt = table.prompt(side);
        if self.is_json() {
            put(&EventObject::prompt(table, side))?;
            return Ok(prompt.ask);
        }
        self.close_prompt()?;
        if !std::mem::replace(&mut self.is_introduced, true) && self.is_terminal() {
            self.write_line("Enter \"help\" to list everything you can enter.\n")?;
        }
        if !prompt.lead.is_empty() && !again {
            self.write_line(&output::paint(&prompt.lead, table.names()))?;
        }
        Ok(prompt.ask)
    }

    /// Holds back the accepted choice until the other side has chosen.
    pub(crate) fn waits(&mut self, side: Side) -> io::Result<()> {
        if self.is_json() {
            return put(&EventObject::Waiting { player: side.number() });
        }
        if let Some(secret) = &mut self.secret {
            secret.hold();
        }
        Ok(())
    }

    /// Shows a program's choice for a side. In a simultaneous game, it stays hidden for now.
    pub(crate) fn chose(&mut self, session: &Session, side: Side, choice: &str) -> io::Result<()> {
        let table = session.table();
        if table.tempo() == Tempo::Simultaneous {
            return Ok(());
        }
        let prompt = table.prompt(side);
        let text = format!("{}\n{}{choice}", prompt.lead, prompt.ask);
        let (player, r#move) = (side.number(), choice.to_owned());
        self.say(&text, || EventObject::Choice { player, r#move })
    }

    /// Shows the position after one or more turns were taken back.
    pub(crate) fn taken_back(&mut self, session: &Session) -> io::Result<()> {
        let table = session.table();
        let text = format!("Taken back.\n\n{}\n", output::board(table));
        self.say(&text, || EventObject::Undo { turns: table.history() })?;
        if self.is_json() { put_position(table) } else { Ok(()) }
    }

    /// Shows the last turn.
    pub(crate) fn turn(&mut self, session: &Session) -> io::Result<()> {
        let table = session.table();
        if self.is_json() {
            for event in TurnEventObject::last_turn(table) {
                output::print_data_line(json::text(&event))?;
            }
            return put_position(table);
        }
        self.reveal(|_| {})?;
        self.note(&format!("\n{}\n", output::report(table)))
    }

    /// Shows the parts of a Markdown text, page by page unless messages can arrive meanwhile.
    pub(crate) fn pages(&mut self, parts: &[String]) -> io::Result<()> {
        if self.is_json() {
            return self.note(&parts.join("\n\n"));
        }
        self.break_line()?;
        pager::show(self, parts)
    }

    /// Shows the end of the game.
    pub(crate) fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()> {
        self.break_line()?;
        self.keep_secret(false);
        if self.is_json() {
            return put(&EventObject::end(session, ending));
        }
        let names = session.table().names();
        let text = match session.fault() {
            Some(fault) => Some(words::forfeit(fault, names, ending.outcome)),
            None => words::ending(ending, names, session.turn_limit()),
        };
        text.map_or(Ok(()), |text| self.note(&text))
    }

    /// Shows the score of the match after a game; `over` if it was the last game.
    pub(crate) fn score(&mut self, score: &Score, over: bool) -> io::Result<()> {
        let names = &score.names;
        let (one, two) = (score.points(Side::One), score.points(Side::Two));
        let tally = format!("{} {one}, {} {two}", names.one, names.two);
        let text = match (over, score.leader()) {
            (false, _) => format!("Score: {tally}\n"),
            (true, Some(winner)) => {
                format!("Final score: {tally}\n{} wins the match!", names[winner])
            }
            (true, None) => format!("Final score: {tally}\nThe match is drawn."),
        };
        self.say(&text, || EventObject::score(score, over))
    }
}

/// Prints the position as an object with the fields of `show`.
fn put_position(table: &dyn Table) -> io::Result<()> {
    put(&EventObject::Position(PositionObject::of(table)))
}
