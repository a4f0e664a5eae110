//! What the terminal and the system say, passed on to the arcade from threads of their own.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use ratatui::crossterm::event;
use skirmish_system::Signal;
use skirmish_system::signals::Signals;
use skirmish_system::terminal::wait_for_hang_up;
use skirmish_tui::ArcadeEvent;

/// Passes on what the terminal and the system say, from threads of their own.
pub(super) fn start(events: &Sender<ArcadeEvent>) -> io::Result<()> {
    let signals = Signals::all()?;
    let heard = events.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals {
            let told = match signal {
                Signal::Suspend => ArcadeEvent::suspend(),
                Signal::End(number) => ArcadeEvent::signal(number),
            };
            if heard.send(told).is_err() {
                return;
            }
        }
    })?;
    let heard = events.clone();
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        loop {
            let told = match event::read() {
                Ok(event) => match ArcadeEvent::of(&event) {
                    Some(told) => told,
                    None => continue,
                },
                Err(_) => ArcadeEvent::gone(),
            };
            let is_gone = told.is_gone();
            if heard.send(told).is_err() || is_gone {
                return;
            }
        }
    })?;
    let heard = events.clone();
    // No signal says so where the shell keeps it to itself, and the thread that reads keys does not notice: crossterm
    // tries to read a terminal that has gone for ever.
    thread::Builder::new().name("hangup".to_owned()).spawn(move || {
        if wait_for_hang_up() {
            drop(heard.send(ArcadeEvent::gone()));
        }
    })?;
    Ok(())
}
