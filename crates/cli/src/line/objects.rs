//! The conversation as programs read it: one JSON object per event.

use std::io;

use serde_json::{Value, json};
use skirmish_play::{Score, Session};
use skirmish_present::json;
use skirmish_rules::{Ending, Outcome, Side, Tempo};

use super::front::Front;
use super::game::{Beginning, Opening};
use super::input::{Input, Line};
use crate::output;

/// JSON lines on standard output, with answers from standard input.
pub(crate) struct Objects {
    input: Input,
}

impl Objects {
    pub(crate) const fn new(input: Input) -> Self {
        Self { input }
    }
}

fn put(object: &Value) -> io::Result<()> {
    output::print_data_line(object)
}

/// The position, with the fields of `show`.
fn position(session: &Session) -> Value {
    let mut object = serde_json::Map::from_iter([("event".to_owned(), "position".into())]);
    object.extend(json::position(session.table()));
    object.into()
}

impl Front for Objects {
    fn begin(&mut self, session: &Session, opening: &Opening) -> io::Result<()> {
        let table = session.table();
        let starts = table.tempo() == Tempo::Alternating;
        self.input.hide(opening.secret);
        let standing = session.record().standing.map(|standing| {
            let score = standing.half_points.map(|half| f64::from(half) / 2.0);
            json!({ "game": standing.game, "of": standing.of, "score": json::both(score) })
        });
        put(&json!({
            "event": if opening.beginning == Beginning::Resumed { "resume" } else { "start" },
            "game": table.entry().id,
            "rules": json::rules(table.settings()),
            "names": json::both(table.names().clone()),
            "first": starts.then(|| table.first().number()),
            "tossed": opening.beginning == Beginning::Tossed,
            "seed": opening.seed,
            "match": standing,
            "turns": table.history(),
        }))?;
        put(&position(session))
    }

    fn ask(&mut self, session: &Session, side: Side, _again: bool) -> io::Result<Line> {
        let table = session.table();
        put(&json!({
            "event": "prompt",
            "player": side.number(),
            "text": table.prompt(side).ask.trim_end(),
            "legal": json::choices(table, side),
        }))?;
        self.input.read()
    }

    fn is_person(&self) -> bool {
        false
    }

    fn ask_whether(&mut self, _session: &Session, question: &str) -> io::Result<Line> {
        put(&json!({ "event": "question", "text": question.trim_end() }))?;
        self.input.read()
    }

    fn waits(&mut self, _session: &Session, side: Side) -> io::Result<()> {
        put(&json!({ "event": "waiting", "player": side.number() }))
    }

    fn chose(&mut self, session: &Session, side: Side, choice: &str) -> io::Result<()> {
        if session.table().tempo() == Tempo::Simultaneous {
            return Ok(());
        }
        put(&json!({ "event": "choice", "player": side.number(), "move": choice }))
    }

    fn taken_back(&mut self, session: &Session) -> io::Result<()> {
        put(&json!({ "event": "undo", "turns": session.table().history() }))?;
        put(&position(session))
    }

    fn turn(&mut self, session: &Session) -> io::Result<()> {
        let table = session.table();
        let number = table.history().len();
        for telling in table.last_turn() {
            put(&json::telling(number, &telling))?;
        }
        put(&position(session))
    }

    fn note(&mut self, _session: &Session, text: &str) -> io::Result<()> {
        put(&json!({ "event": "note", "text": text }))
    }

    fn refuse(&mut self, _session: &Session, text: &str) -> io::Result<()> {
        put(&json!({ "event": "error", "text": text }))
    }

    fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()> {
        self.input.hide(false);
        put(&json!({
            "event": "end",
            "outcome": json::outcome(ending.outcome),
            "result": match ending.outcome {
                Outcome::Won(Side::One) => "1-0",
                Outcome::Won(Side::Two) => "0-1",
                Outcome::Draw => "1/2-1/2",
            },
            "termination": ending.termination.to_string(),
            "turns": session.table().history().len(),
            "fault": session.fault(),
        }))
    }

    fn score(&mut self, score: &Score, over: bool) -> io::Result<()> {
        put(&json!({
            "event": "score",
            "names": json::both(score.names.clone()),
            "score": json::both(score.half_points.map(|half| f64::from(half) / 2.0)),
            "over": over,
        }))
    }

    fn leave(&mut self) -> io::Result<()> {
        self.input.hide(false);
        put(&json!({ "event": "leave" }))
    }
}
