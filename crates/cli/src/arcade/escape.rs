//! Reassembles keys whose bytes arrive separately, as on a slow link: an arrow key is ESC, `[` and a letter, and crossterm
//! reports an ESC at the end of a read as the Escape key.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

/// A source of terminal events.
pub(super) trait Source {
    /// Waits for an event.
    fn read(&mut self) -> io::Result<Event>;
    /// Waits up to `time` for an event; returns whether one arrived.
    fn comes_within(&mut self, time: Duration) -> io::Result<bool>;
}

/// Terminal events read with crossterm.
pub(super) struct Crossterm;

impl Source for Crossterm {
    fn read(&mut self) -> io::Result<Event> {
        event::read()
    }

    fn comes_within(&mut self, time: Duration) -> io::Result<bool> {
        event::poll(time)
    }
}

/// How long to wait after an ESC for the rest of a key. Any other key ends the wait at once.
const HOLD: Duration = Duration::from_millis(50);

/// The same on a slow link, where bytes half a second apart still form one key.
const SLOW: Duration = Duration::from_millis(600);

/// How long to wait for the rest of a sequence that has begun: nobody types `[` right after Escape.
const REST: Duration = Duration::from_millis(2400);

/// Maximum length of the sequence for a key or a click.
const LONGEST: usize = 16;

/// The start marker of pasted text, without its ESC.
const PASTE: &str = "[200~";

/// The end marker of pasted text.
const PASTE_END: &str = "\u{1b}[201~";

/// A source's events, with split keys reassembled.
pub(super) struct TerminalInput<S> {
    source: S,
    /// How long the user wants to wait after an ESC.
    delay: Option<Duration>,
    /// Whether keys have arrived in pieces, as on a slow link.
    is_slow: bool,
    /// Whether the terminal reports released keys: then it also marks the Escape key.
    marks_escape: bool,
    /// Complete events, in reverse order.
    ready: Vec<Event>,
    /// An event read ahead while completing a sequence.
    next: Option<Event>,
    /// Whether the last event was an ESC and the rest of its key, if any, was late.
    has_escaped: bool,
}

impl TerminalInput<Crossterm> {
    /// The terminal's input. Like curses, takes the wait after an ESC from `ESCDELAY`, in milliseconds, if set.
    pub(super) fn of_terminal() -> Self {
        let delay = std::env::var("ESCDELAY").ok().and_then(|text| text.parse().ok());
        Self::new(Crossterm, delay.map(Duration::from_millis))
    }
}

impl<S: Source> TerminalInput<S> {
    const fn new(source: S, delay: Option<Duration>) -> Self {
        Self {
            source,
            delay,
            is_slow: false,
            marks_escape: false,
            ready: Vec::new(),
            next: None,
            has_escaped: false,
        }
    }

    /// How long to wait after an ESC.
    fn hold(&self) -> Duration {
        self.delay.unwrap_or(match (self.is_slow, self.marks_escape) {
            (true, _) => SLOW,
            (false, true) => Duration::ZERO,
            (false, false) => HOLD,
        })
    }

    /// Waits for the next event.
    pub(super) fn next(&mut self) -> io::Result<Event> {
        loop {
            if let Some(event) = self.ready.pop() {
                return Ok(event);
            }
            let event = match self.next.take() {
                Some(event) => event,
                None => self.source.read()?,
            };
            if let Event::Key(KeyEvent { kind: KeyEventKind::Release, .. }) = event {
                self.marks_escape = true;
                continue;
            }
            let has_escaped = std::mem::take(&mut self.has_escaped);
            if is_escape(&event) {
                let key = self.complete(vec![event], String::new())?;
                self.ready.extend(key);
            } else if let Some(start) = plain(&event).filter(|it| has_escaped && opens(*it)) {
                // This key was already reported as Escape: do not report the rest of it as letters.
                self.complete(vec![event], start.into())?;
            } else {
                return Ok(event);
            }
        }
    }

    /// Waits for the rest of a key whose first bytes arrived as `events`, with `text` after the ESC. Returns the key if the
    /// arcade knows it. If the rest does not arrive, the events are delivered unchanged.
    fn complete(&mut self, mut events: Vec<Event>, mut text: String) -> io::Result<Option<Event>> {
        loop {
            self.is_slow |= !text.is_empty();
            let wait = if text.is_empty() { self.hold() } else { REST };
            if text.len() >= LONGEST || !self.source.comes_within(wait)? {
                self.has_escaped = text.is_empty();
                break;
            }
            let event = self.source.read()?;
            text.extend(plain(&event));
            match Sequence::of(&text) {
                Sequence::Open if plain(&event).is_some() => events.push(event),
                Sequence::Complete(_) if text == PASTE => return self.paste().map(Some),
                Sequence::Complete(key) => return Ok(key),
                Sequence::Open | Sequence::Other => {
                    self.next = Some(event);
                    break;
                }
            }
        }
        events.reverse();
        self.ready = events;
        Ok(None)
    }

    /// Reads pasted text up to its end marker or a pause, so that its letters do not count as keys.
    fn paste(&mut self) -> io::Result<Event> {
        let mut text = String::new();
        while self.source.comes_within(REST)? {
            match self.source.read()? {
                Event::Key(KeyEvent { code: KeyCode::Enter, .. }) => text.push('\n'),
                event if is_escape(&event) => text.push('\u{1b}'),
                event => text.extend(plain(&event)),
            }
            if text.ends_with(PASTE_END) {
                text.truncate(text.len() - PASTE_END.len());
                break;
            }
        }
        Ok(Event::Paste(text))
    }
}

/// Whether this character can follow the ESC of a sequence.
const fn opens(letter: char) -> bool {
    matches!(letter, '[' | 'O')
}

fn is_escape(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    key.code == KeyCode::Esc && key.modifiers.is_empty() && key.kind == KeyEventKind::Press
}

/// The character typed, if the event is a plain character key.
fn plain(event: &Event) -> Option<char> {
    let Event::Key(KeyEvent { code: KeyCode::Char(letter), modifiers, .. }) = *event else {
        return None;
    };
    KeyModifiers::SHIFT.contains(modifiers).then_some(letter)
}

/// A classification of the text after an ESC.
enum Sequence {
    /// An incomplete sequence.
    Open,
    /// A key or a click; `None` if the arcade does not use it.
    Complete(Option<Event>),
    /// Not a sequence.
    Other,
}

impl Sequence {
    fn of(text: &str) -> Self {
        if matches!(text, "[" | "O") {
            return Self::Open;
        }
        if let Some(key) = text.strip_prefix('O') {
            return Self::Complete(key.chars().next().and_then(arrow));
        }
        let Some(rest) = text.strip_prefix('[') else { return Self::Other };
        match rest.chars().next_back() {
            Some(' '..='?') => Self::Open,
            Some(last @ '@'..='~') => {
                Self::Complete(control_sequence(&rest[..rest.len() - 1], last))
            }
            Some(_) | None => Self::Other,
        }
    }
}

/// Decodes a control sequence with these parameters and this final character.
fn control_sequence(parameters: &str, last: char) -> Option<Event> {
    if let Some(click) = parameters.strip_prefix('<') {
        return mouse(click, last);
    }
    match last {
        'I' => return Some(Event::FocusGained),
        'O' => return Some(Event::FocusLost),
        _ => {}
    }
    let key = match (last, parameters.split(';').next()?) {
        ('~', "1" | "7") => KeyCode::Home,
        ('~', "4" | "8") => KeyCode::End,
        ('~', "5") => KeyCode::PageUp,
        ('~', "6") => KeyCode::PageDown,
        ('~', "11") => KeyCode::F(1),
        ('~', _) => return None,
        ('Z', _) => KeyCode::BackTab,
        _ => return arrow(last),
    };
    Some(Event::Key(key.into()))
}

fn arrow(last: char) -> Option<Event> {
    let code = match last {
        'A' => KeyCode::Up,
        'B' => KeyCode::Down,
        'C' => KeyCode::Right,
        'D' => KeyCode::Left,
        'H' => KeyCode::Home,
        'F' => KeyCode::End,
        'P' => KeyCode::F(1),
        _ => return None,
    };
    Some(Event::Key(code.into()))
}

/// Decodes a press of the left button or a turn of the wheel. The terminal counts columns and rows from 1.
fn mouse(click: &str, last: char) -> Option<Event> {
    let mut numbers = click.split(';').map(|number| number.parse::<u16>().ok());
    let (button, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let kind = match (button, last) {
        (0, 'M') => MouseEventKind::Down(MouseButton::Left),
        (64, 'M') => MouseEventKind::ScrollUp,
        (65, 'M') => MouseEventKind::ScrollDown,
        _ => return None,
    };
    let (column, row) = (column.checked_sub(1)?, row.checked_sub(1)?);
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::empty() }))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// A step of scripted input, on a simulated clock.
    enum Step {
        Comes(Event),
        Pause(Duration),
    }

    struct Script(VecDeque<Step>);

    impl Source for Script {
        fn read(&mut self) -> io::Result<Event> {
            while let Some(step) = self.0.pop_front() {
                if let Step::Comes(event) = step {
                    return Ok(event);
                }
            }
            Err(io::ErrorKind::UnexpectedEof.into())
        }

        fn comes_within(&mut self, time: Duration) -> io::Result<bool> {
            let mut left = time;
            while let Some(Step::Pause(pause)) = self.0.front_mut() {
                if *pause > left {
                    *pause -= left;
                    return Ok(false);
                }
                left -= *pause;
                self.0.pop_front();
            }
            Ok(!self.0.is_empty())
        }
    }

    /// The events for a text whose characters arrive one by one: `^` is ESC, `,` a tenth of a second, `.` half a second,
    /// `_` ten seconds, and `|` the release of a key.
    fn heard(text: &str) -> Vec<Event> {
        let release = KeyEvent::new_with_kind(
            KeyCode::Char('x'),
            KeyModifiers::empty(),
            KeyEventKind::Release,
        );
        let step = |letter: char| match letter {
            ',' => Step::Pause(Duration::from_millis(100)),
            '|' => Step::Comes(Event::Key(release)),
            '.' => Step::Pause(Duration::from_millis(500)),
            '_' => Step::Pause(Duration::from_secs(10)),
            '^' => Step::Comes(Event::Key(KeyCode::Esc.into())),
            upper if upper.is_ascii_uppercase() => {
                Step::Comes(Event::Key(KeyEvent::new(KeyCode::Char(upper), KeyModifiers::SHIFT)))
            }
            other => Step::Comes(Event::Key(KeyCode::Char(other).into())),
        };
        let mut input = TerminalInput::new(Script(text.chars().map(step).collect()), None);
        std::iter::from_fn(|| input.next().ok()).collect()
    }

    fn keys(codes: &[KeyCode]) -> Vec<Event> {
        codes.iter().map(|&code| Event::Key(code.into())).collect()
    }

    #[test]
    fn an_arrow_in_pieces_is_an_arrow() {
        use KeyCode::{Char, Down, End, Home, Left, PageDown, Right, Up};
        assert_eq!(heard("^[A^[B^OC^[1;5D"), keys(&[Up, Down, Right, Left]));
        assert_eq!(heard("x^[Hy^[6~^OF"), keys(&[Char('x'), Home, Char('y'), PageDown, End]));
    }

    #[test]
    fn once_a_key_has_come_in_pieces_bytes_half_a_second_apart_are_one_key() {
        use KeyCode::{Esc, Left, PageDown, Up};
        assert_eq!(heard("^[A^.[.A^.O.D"), keys(&[Up, Up, Left]));
        assert_eq!(heard("^,[A^.[A"), keys(&[Esc, Up]), "the first key may act as Escape");
        assert_eq!(
            heard("^[..6..~"),
            keys(&[PageDown]),
            "a sequence that has begun may take longer"
        );
    }

    #[test]
    fn a_terminal_that_marks_escape_is_not_waited_for() {
        use KeyCode::{Char, Esc, Up};
        assert_eq!(heard("x|^,[A"), keys(&[Char('x'), Esc]));
        assert_eq!(heard("x|^[A^.[A"), keys(&[Char('x'), Up, Up]), "the link is slow");
    }

    #[test]
    fn escape_alone_is_escape() {
        use KeyCode::{Char, Esc, Up};
        assert_eq!(heard("^"), keys(&[Esc]));
        assert_eq!(heard("^_[_"), keys(&[Esc, Char('[')]));
        assert_eq!(heard("^q^_^[A"), keys(&[Esc, Char('q'), Esc, Up]));
        assert_eq!(heard("^^[A"), keys(&[Esc, Up]));
        assert_eq!(heard("^[^[A"), keys(&[Esc, Char('['), Up]));
        assert_eq!(heard("^[1_2"), keys(&[Esc, Char('['), Char('1'), Char('2')]));
    }

    /// An arrow key that had already acted as Escape once also typed `[` and `A`.
    #[test]
    fn the_late_rest_of_a_key_is_swallowed() {
        use KeyCode::{Char, Esc};
        assert_eq!(heard("^_[Ax"), keys(&[Esc, Char('x')]));
        assert_eq!(heard("^_[.5.~^_O.B"), keys(&[Esc, Esc]));
        assert_eq!(heard("^_[é"), keys(&[Esc, Char('['), Char('é')]), "not the rest of a key");
        assert_eq!(heard("^_x[A").len(), 4, "only right after Escape");
    }

    #[test]
    fn unknown_sequences_are_swallowed() {
        use KeyCode::Char;
        assert_eq!(heard("^[99~x^[?1cy^[200ez"), keys(&[Char('x'), Char('y'), Char('z')]));
    }

    #[test]
    fn focus_in_pieces_is_focus() {
        assert_eq!(heard("^[O^[I"), [Event::FocusLost, Event::FocusGained]);
    }

    #[test]
    fn text_pasted_in_pieces_is_no_keys() {
        let pasted = |text: &str| Event::Paste(text.to_owned());
        let [q, x] = ['q', 'x'].map(|letter| keys(&[KeyCode::Char(letter)]).remove(0));
        assert_eq!(heard("^[200~12^[A^.[201~x"), [pasted("12\u{1b}[A"), x]);
        assert_eq!(heard("^[200~12_q"), [pasted("12"), q], "the end mark may get lost");
    }

    #[test]
    fn a_click_in_pieces_is_a_click() {
        let [Event::Mouse(down), Event::Mouse(wheel)] = heard("^[<0;12;5M^[<0;12;5m^[<65;1;1M")[..]
        else {
            panic!("a click and the wheel")
        };
        assert_eq!(
            (down.kind, down.column, down.row),
            (MouseEventKind::Down(MouseButton::Left), 11, 4)
        );
        assert_eq!(wheel.kind, MouseEventKind::ScrollDown);
    }
}
