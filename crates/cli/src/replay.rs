//! `skirmish replay RECORD`: a recorded game again, step by step, or at once in a pipe.

use anyhow::Result;
use skirmish_present::json::{self, EndingObject, ReplayedTurnObject};
use skirmish_present::review::{conclusion, heading};
use skirmish_rules::{Catalog, Record, Table};
use skirmish_store::ExitHook;
use skirmish_store::read_record;
use skirmish_tui::Start;

use crate::arcade::{self, Mode};
use crate::args::{ReplayArgs, ScreenArgs};
use crate::exit::{Exit, INTERRUPTED};
use crate::is_conversation;
use crate::line::{InputLine, LineReader};
use crate::output::{self, paint};

pub(crate) fn run(args: &ReplayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let record = read_record(&args.record, catalog)?;
    if args.tui && screen.mode() == Mode::Full {
        let start = Start::Replay(Box::new(record));
        return arcade::run(screen, start, ExitHook::default(), true, catalog);
    }
    if args.json {
        return print_objects(&record);
    }
    let mut table = record.table();
    say(&*table, &heading(&record))?;
    say(&*table, &format!("{}\n\n{}\n", table.welcome(), output::board(&*table)))?;
    if is_conversation() {
        return step_through(&record, &mut *table);
    }
    for turn in 0..record.turns.len() {
        forward(&record, &mut *table, turn)?;
    }
    say(&*table, &conclusion(&record))?;
    Ok(Exit::Done)
}

fn say(table: &dyn Table, text: &str) -> Result<()> {
    Ok(output::print_line(paint(text, table.names()))?)
}

/// Plays one turn of the record and shows it.
fn forward(record: &Record, table: &mut dyn Table, turn: usize) -> Result<()> {
    let played = &record.turns[turn];
    table.play(&played.notation)?;
    let comment = played.comment.as_ref().map_or(String::new(), |said| format!("  {{{said}}}"));
    let head = format!("Turn {}: {}{comment}", turn + 1, played.notation);
    say(table, &format!("{head}\n\n{}\n", output::report(table)))
}

fn step_through(record: &Record, table: &mut dyn Table) -> Result<Exit> {
    let mut input = LineReader::open();
    loop {
        let turn = table.history().len();
        let at_end = turn == record.turns.len();
        if at_end {
            say(table, &conclusion(record))?;
        }
        let prompt = format!("[{turn}/{}] Enter: next, b: back, q: quit ", record.turns.len());
        let text = match input.ask(&prompt)? {
            InputLine::Text(text) => text,
            InputLine::Unusable(_) => "?".to_owned(),
            InputLine::End => return Ok(Exit::Done),
            InputLine::Interrupted => return Ok(INTERRUPTED),
        };
        match text.trim().to_lowercase().as_str() {
            "" | "n" | "next" if at_end => return Ok(Exit::Done),
            "" | "n" | "next" => forward(record, table, turn)?,
            "b" | "back" if table.undo() => {
                say(table, &format!("\n{}\n", output::board(table)))?;
            }
            "b" | "back" => say(table, "This is the start.")?,
            "q" | "quit" => return Ok(Exit::Done),
            _ => say(table, "Press Enter for the next turn, b to go back, q to quit.")?,
        }
    }
}

/// An object for the start and one for the position after every turn.
fn print_objects(record: &Record) -> Result<Exit> {
    let mut table = record.table();
    output::print_data_line(json::text(&ReplayedTurnObject::of(&*table, None)))?;
    for turn in &record.turns {
        table.play(&turn.notation)?;
        let object = ReplayedTurnObject::of(&*table, turn.comment.as_deref());
        output::print_data_line(json::text(&object))?;
    }
    output::print_data_line(json::text(&EndingObject::from(record.ending)))?;
    Ok(Exit::Done)
}
