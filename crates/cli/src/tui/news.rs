//! What reaches the arcade from outside: keys, the mouse, signals, results of work.

use std::sync::mpsc::Sender;
use std::{io, thread};

use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use skirmish_system::Signal;
use skirmish_system::signals::Signals;
use skirmish_system::terminal::wait_for_hang_up;

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
    let signals = Signals::all()?;
    let heard = news.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals {
            let told = match signal {
                Signal::Suspend => News::Suspend,
                Signal::End(number) => News::Signal(number),
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
    // No signal says so where the shell keeps it to itself, and the thread that reads keys does not notice: crossterm
    // tries to read a terminal that has gone for ever.
    thread::Builder::new().name("hangup".to_owned()).spawn(move || {
        if wait_for_hang_up() {
            drop(heard.send(News::Gone));
        }
    })?;
    Ok(())
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
