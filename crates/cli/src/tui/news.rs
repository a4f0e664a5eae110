//! What reaches the arcade from outside: keys, the mouse, signals, results of work.

use std::sync::mpsc::Sender;
use std::{io, thread};

use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use super::jobs::Report;
use super::screen::Press;

pub(super) enum News {
    Press(Press),
    Click {
        column: u16,
        row: u16,
    },
    Resized,
    Report(Report),
    /// A signal asks the program to end.
    Signal(u8),
    /// Ctrl-Z, or a signal to the same effect.
    Suspend,
    /// The terminal has gone.
    Gone,
    /// Work has failed in a way that it never should.
    Broken,
}

/// Passes on what the terminal and the system say, from threads of their own.
pub(super) fn listen(news: &Sender<News>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])?;
    let heard = news.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let told = match signal {
                SIGTSTP => News::Suspend,
                number => News::Signal(u8::try_from(number).unwrap_or(u8::MAX)),
            };
            if heard.send(told).is_err() {
                return;
            }
        }
    })?;
    let heard = news.clone();
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        loop {
            let told = match event::read() {
                Ok(event) => match read(&event) {
                    Some(told) => told,
                    None => continue,
                },
                Err(_) => News::Gone,
            };
            let is_gone = matches!(told, News::Gone);
            if heard.send(told).is_err() || is_gone {
                return;
            }
        }
    })?;
    let heard = news.clone();
    thread::Builder::new().name("hangup".to_owned()).spawn(move || {
        if is_hung_up() {
            drop(heard.send(News::Gone));
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

fn read(event: &Event) -> Option<News> {
    match *event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(key_pressed(key)),
        Event::Mouse(MouseEvent { kind, column, row, .. }) => match kind {
            MouseEventKind::Down(MouseButton::Left) => Some(News::Click { column, row }),
            MouseEventKind::ScrollUp => Some(News::Press(Press::Key(KeyCode::Up))),
            MouseEventKind::ScrollDown => Some(News::Press(Press::Key(KeyCode::Down))),
            _ => None,
        },
        Event::Resize(..) => Some(News::Resized),
        Event::Key(_) | Event::FocusGained | Event::FocusLost | Event::Paste(_) => None,
    }
}

fn key_pressed(key: KeyEvent) -> News {
    match key.code {
        KeyCode::Char('z') if key.modifiers.contains(KeyModifiers::CONTROL) => News::Suspend,
        KeyCode::Char(letter) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            News::Press(Press::Control(letter))
        }
        code => News::Press(Press::Key(code)),
    }
}
