//! `skirmish engine`: the program as a bot that speaks UGI over standard input and output.
//!
//! One thread owns the [`Engine`] and sleeps until an `EngineEvent` arrives. Other threads read lines and solve games, so
//! that the engine answers every line at once.

mod glance;
mod limits;
mod options;
mod spot;
mod state;
mod worth;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::Result;
use options::EngineOptions;
use skirmish_play::library::{Finished, Order};
use skirmish_rules::{Catalog, Unwatched};
use skirmish_store::ExitHook;
use state::Engine;

use crate::args::EngineArgs;
use crate::exit::Exit;
use crate::line::{InputLine, read_bounded};
use crate::solving::free_memory;
use crate::{output, signals};

/// An event for the engine.
enum EngineEvent {
    /// A line of input.
    InputLine(InputLine),
    /// An order is finished.
    Finished(Finished),
    /// The engine's next deadline has passed.
    Time,
}

/// The longest line accepted: enough for a game of a hundred thousand moves.
const LONGEST_LINE: usize = 1 << 20;

/// The capacity of the event queue.
const LINES_AHEAD: usize = 16;

/// Runs the engine until `quit` or the end of input.
pub(crate) fn run(args: &EngineArgs, catalog: Catalog) -> Result<Exit> {
    let options = EngineOptions::new(args, catalog, skirmish_store::fresh_chance()?)?;
    signals::watch(ExitHook::default())?;
    let (sender, events) = sync_channel(LINES_AHEAD);
    let mut engine = Engine::new(options, free_memory());
    let lines = sender.clone();
    thread::Builder::new().name("lines".to_owned()).spawn(move || read(&lines))?;
    // One thread for all orders: each additional thread would reserve address space for its allocations.
    let (orders, work) = channel::<Order>();
    let solve = move || {
        for order in work {
            let finished = order.run(free_memory(), &Unwatched);
            // An error means that the program is ending.
            drop(sender.send(EngineEvent::Finished(finished)));
        }
    };
    thread::Builder::new().name("solving".to_owned()).spawn(solve)?;
    loop {
        engine.handle(next(&events, &engine)?, Instant::now());
        for line in engine.take_lines() {
            output::print_data_line(line)?;
        }
        if engine.has_ended() {
            return Ok(Exit::Done);
        }
        for order in engine.take_orders() {
            orders.send(order)?;
        }
    }
}

/// Waits for the next event.
fn next(events: &Receiver<EngineEvent>, engine: &Engine) -> Result<EngineEvent> {
    let Some(due) = engine.due() else { return Ok(events.recv()?) };
    match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
        Err(RecvTimeoutError::Timeout) => Ok(EngineEvent::Time),
        other => Ok(other?),
    }
}

/// Sends every line of standard input. A read error counts as the end of input.
fn read(lines: &SyncSender<EngineEvent>) {
    let mut input = io::stdin().lock();
    loop {
        let line = read_bounded(&mut input, LONGEST_LINE).unwrap_or(InputLine::End);
        let is_end = line == InputLine::End;
        if lines.send(EngineEvent::InputLine(line)).is_err() || is_end {
            return;
        }
    }
}
