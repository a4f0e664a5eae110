//! Threads that turn terminal input, signals and hang-ups into events.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use skirmish_system::Signal;
use skirmish_system::signals::Signals;
use skirmish_system::terminal::wait_for_hang_up;
use skirmish_tui::ArcadeEvent;

use super::escape::TerminalInput;

/// Starts the threads that send events.
pub(super) fn start(events: &Sender<ArcadeEvent>) -> io::Result<()> {
    let signals = Signals::all()?;
    let sender = events.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals {
            let event = match signal {
                Signal::Suspend => ArcadeEvent::Suspend,
                Signal::End(number) => ArcadeEvent::Signal(number),
            };
            if sender.send(event).is_err() {
                return;
            }
        }
    })?;
    let sender = events.clone();
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = TerminalInput::of_terminal();
        loop {
            let event = match input.next().map(|event| ArcadeEvent::of(&event)) {
                Ok(Some(event)) => event,
                Ok(None) => continue,
                Err(_) => ArcadeEvent::Gone,
            };
            let is_gone = matches!(event, ArcadeEvent::Gone);
            if sender.send(event).is_err() || is_gone {
                return;
            }
        }
    })?;
    let sender = events.clone();
    // The shell may not forward SIGHUP, and the input thread does not notice a hang-up: crossterm retries for ever.
    thread::Builder::new().name("hangup".to_owned()).spawn(move || {
        if wait_for_hang_up() {
            drop(sender.send(ArcadeEvent::Gone));
        }
    })?;
    Ok(())
}
