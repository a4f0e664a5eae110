//! `skirmish engine`: the program as a bot over standard input and output, speaking UGI.
//!
//! One thread owns the [`Engine`]; one reads lines, and others solve games. They send it `EngineEvent`, and between news
//! it sleeps, so that it hears every line at once whatever else is going on.

mod commands;
mod glance;
mod options;
mod spot;
mod state;
mod worth;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::Result;
use options::Defaults;
use skirmish_play::library::Finished;
use skirmish_rules::{Catalog, Unwatched};
use skirmish_store::ExitHook;
use state::Engine;

use crate::args::EngineArgs;
use crate::exit::Exit;
use crate::line::{InputLine, read_bounded};
use crate::solving::free_memory;
use crate::{output, signals};

/// Something the engine has to hear of.
enum EngineEvent {
    /// What came in.
    InputLine(InputLine),
    /// Some work is done.
    Finished(Finished),
    /// The moment has come that the engine waits for.
    Time,
}

/// The longest line that is taken: room for a game of some hundred thousand moves.
const LONGEST_LINE: usize = 1 << 20;

/// How many lines are read ahead; the sender of more has to wait.
const LINES_AHEAD: usize = 16;

/// Speaks with whoever is at the other end until there is nothing more to say.
pub(crate) fn run(args: &EngineArgs, catalog: Catalog) -> Result<Exit> {
    let defaults = Defaults::from_args(args, catalog)?;
    signals::watch(ExitHook::default())?;
    let (sender, news) = sync_channel(LINES_AHEAD);
    let (chance, budget) = (skirmish_store::fresh_chance()?, free_memory());
    let mut engine = Engine::new(catalog, defaults, chance, budget);
    let lines = sender.clone();
    thread::Builder::new().name("lines".to_owned()).spawn(move || read(&lines))?;
    loop {
        engine.hear(next(&news, &engine)?, Instant::now());
        for line in engine.take_lines() {
            output::print_data_line(line)?;
        }
        if engine.has_ended() {
            return Ok(Exit::Done);
        }
        for order in engine.take_orders() {
            let reports = sender.clone();
            let work = move || {
                let finished = order.run(free_memory(), &Unwatched);
                // When nobody listens any more the program is ending.
                drop(reports.send(EngineEvent::Finished(finished)));
            };
            thread::Builder::new().name("solving".to_owned()).spawn(work)?;
        }
    }
}

/// Waits for what happens next.
fn next(news: &Receiver<EngineEvent>, engine: &Engine) -> Result<EngineEvent> {
    let Some(moment) = engine.due() else { return Ok(news.recv()?) };
    match news.recv_timeout(moment.saturating_duration_since(Instant::now())) {
        Err(RecvTimeoutError::Timeout) => Ok(EngineEvent::Time),
        other => Ok(other?),
    }
}

/// Passes on every line of standard input. One that cannot be read is its end.
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
