//! What the terminal and the system say, passed on to the arcade from threads of their own.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use ratatui::crossterm::event;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use skirmish_tui::Event;

/// Passes on what the terminal and the system say, from threads of their own.
pub(super) fn start(events: &Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])?;
    let heard = events.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let told = match signal {
                SIGTSTP => Event::suspend(),
                number => Event::signal(u8::try_from(number).unwrap_or(u8::MAX)),
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
                Ok(event) => match Event::of(&event) {
                    Some(told) => told,
                    None => continue,
                },
                Err(_) => Event::gone(),
            };
            let is_gone = told.is_gone();
            if heard.send(told).is_err() || is_gone {
                return;
            }
        }
    })?;
    let heard = events.clone();
    thread::Builder::new().name("hangup".to_owned()).spawn(move || {
        if is_hung_up() {
            drop(heard.send(Event::gone()));
        }
    })?;
    Ok(())
}

/// Waits until the terminal has gone; no signal says so where the shell keeps it to itself. The thread that
/// reads keys does not notice: crossterm tries to read such a terminal for ever.
fn is_hung_up() -> bool {
    let stdin = io::stdin();
    loop {
        let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => return watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR),
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
