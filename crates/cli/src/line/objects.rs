//! The conversation as programs read it: one JSON object per event.

use std::io;

use skirmish_play::{Score, Session};
use skirmish_present::json::{self, EventObject, PositionObject, StartObject, TurnEventObject};
use skirmish_rules::{Ending, Side, Tempo};

use super::front::FrontEnd;
use super::game::{Beginning, Opening};
use super::input::{InputLine, LineReader};
use crate::output;

/// JSON lines on standard output, with answers from standard input.
pub(crate) struct Objects {
    input: LineReader,
}

impl Objects {
    pub(crate) const fn new(input: LineReader) -> Self {
        Self { input }
    }
}

fn put(event: &EventObject) -> io::Result<()> {
    output::print_data_line(json::text(event))
}

/// The position, with the fields of `show`.
fn position(session: &Session) -> EventObject {
    EventObject::Position(PositionObject::of(session.table()))
}

impl FrontEnd for Objects {
    fn begin(&mut self, session: &Session, opening: &Opening) -> io::Result<()> {
        self.input.hide(opening.secret);
        let tossed = opening.beginning == Beginning::Tossed;
        let object = StartObject::of(session, tossed, opening.seed);
        put(&if opening.beginning == Beginning::Resumed {
            EventObject::Resume(object)
        } else {
            EventObject::Start(object)
        })?;
        put(&position(session))
    }

    fn ask(&mut self, session: &Session, side: Side, _again: bool) -> io::Result<InputLine> {
        put(&EventObject::prompt(session.table(), side))?;
        self.input.read()
    }

    fn is_person(&self) -> bool {
        false
    }

    fn ask_whether(&mut self, _session: &Session, question: &str) -> io::Result<InputLine> {
        put(&EventObject::Question { text: question.trim_end().to_owned() })?;
        self.input.read()
    }

    fn waits(&mut self, _session: &Session, side: Side) -> io::Result<()> {
        put(&EventObject::Waiting { player: side.number() })
    }

    fn chose(&mut self, session: &Session, side: Side, choice: &str) -> io::Result<()> {
        if session.table().tempo() == Tempo::Simultaneous {
            return Ok(());
        }
        put(&EventObject::Choice { player: side.number(), r#move: choice.to_owned() })
    }

    fn taken_back(&mut self, session: &Session) -> io::Result<()> {
        put(&EventObject::Undo { turns: session.table().history() })?;
        put(&position(session))
    }

    fn turn(&mut self, session: &Session) -> io::Result<()> {
        for event in TurnEventObject::last_turn(session.table()) {
            output::print_data_line(json::text(&event))?;
        }
        put(&position(session))
    }

    fn note(&mut self, _session: &Session, text: &str) -> io::Result<()> {
        put(&EventObject::Note { text: text.to_owned() })
    }

    fn refuse(&mut self, _session: &Session, text: &str) -> io::Result<()> {
        put(&EventObject::Error { text: text.to_owned() })
    }

    fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()> {
        self.input.hide(false);
        put(&EventObject::end(session, ending))
    }

    fn score(&mut self, score: &Score, over: bool) -> io::Result<()> {
        put(&EventObject::score(score, over))
    }

    fn leave(&mut self) -> io::Result<()> {
        self.input.hide(false);
        put(&EventObject::Leave)
    }
}
