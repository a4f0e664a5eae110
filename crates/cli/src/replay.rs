//! `skirmish replay RECORD`: shows a recorded game, step by step on a terminal.

use anyhow::Result;
use skirmish_play::opening_turns;
use skirmish_present::json::{self, EndingObject, ReplayedTurnObject};
use skirmish_present::review::{OPENING_LABEL, epilogue, heading};
use skirmish_present::words;
use skirmish_rules::{Catalog, Record, Table};
use skirmish_store::{ExitHook, read_record};
use skirmish_tui::Start;

use crate::arcade;
use crate::args::{ReplayArgs, ScreenArgs};
use crate::exit::Exit;
use crate::line::Console;
use crate::output::{self, paint};
use crate::{is_interactive, lookup};

pub(crate) fn run(args: &ReplayArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let record = read_record(&lookup::record(&args.record), catalog)?;
    if args.tui {
        let start = Start::Replay(Box::new(record));
        return arcade::run(screen, start, &ExitHook::default(), true, catalog);
    }
    if args.json {
        return print_objects(&record);
    }
    let mut table = record.table();
    print(&*table, &heading(&record))?;
    print(&*table, &format!("{}\n\n{}\n", words::welcome(&*table), output::board(&*table)))?;
    if is_interactive() {
        return step_through(&record, &mut *table);
    }
    for turn in 0..record.turns.len() {
        forward(&record, &mut *table, turn)?;
    }
    conclude(&record, &*table)?;
    Ok(Exit::Done)
}

fn print(table: &dyn Table, text: &str) -> Result<()> {
    Ok(output::print_line(paint(text, table.names()))?)
}

/// Prints how the game ended, unless the last turn's report has done so.
fn conclude(record: &Record, table: &dyn Table) -> Result<()> {
    epilogue(record).map_or(Ok(()), |text| print(table, &text))
}

/// Plays one turn of the record and shows it.
fn forward(record: &Record, table: &mut dyn Table, turn: usize) -> Result<()> {
    let played = &record.turns[turn];
    table.play(&played.notation)?;
    let comment = played.comment.as_ref().map_or(String::new(), |text| format!("  {{{text}}}"));
    let opening =
        if turn < opening_turns(record) { format!("  ({OPENING_LABEL})") } else { String::new() };
    let head = format!("Turn {}: {}{opening}{comment}", turn + 1, played.notation);
    print(table, &format!("{head}\n\n{}\n", output::report(table)))
}

fn step_through(record: &Record, table: &mut dyn Table) -> Result<Exit> {
    let mut console = Console::open();
    loop {
        let turn = table.history().len();
        let at_end = turn == record.turns.len();
        if at_end {
            conclude(record, table)?;
        }
        let prompt = format!("[{turn}/{}] Enter: next, b: back, q: quit ", record.turns.len());
        match console.ask_text(&prompt)?.trim().to_lowercase().as_str() {
            "" | "n" | "next" if at_end => return Ok(Exit::Done),
            "" | "n" | "next" => forward(record, table, turn)?,
            "b" | "back" if table.undo() => {
                print(table, &format!("\n{}\n", output::board(table)))?;
            }
            "b" | "back" => print(table, "This is the start.")?,
            "q" | "quit" => return Ok(Exit::Done),
            _ => print(table, "Press Enter for the next turn, b to go back, q to quit.")?,
        }
    }
}

/// Prints an object for the start, one for the position after each turn, and the ending.
fn print_objects(record: &Record) -> Result<Exit> {
    let mut table = record.table();
    output::print_data_line(json::text(&ReplayedTurnObject::of(&*table, record)))?;
    for turn in &record.turns {
        table.play(&turn.notation)?;
        output::print_data_line(json::text(&ReplayedTurnObject::of(&*table, record)))?;
    }
    output::print_data_line(json::text(&EndingObject::from(record.ending)))?;
    Ok(Exit::Done)
}
