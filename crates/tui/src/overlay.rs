//! What lies on top of a screen: the help, and the question before leaving a game. Both can be clicked.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_rules::columns::{self, wrap};

use super::look::Ink;
use super::parts::{Canvas, centred};
use super::screen::{Fate, Help, Hint, Press, Screen};
use super::scroll::Scroll;

/// The widest help.
const HELP_WIDTH: u16 = 52;
/// The columns of the keys in the help.
const HELP_KEYS: usize = 10;

/// Draws the help: every key of a screen.
pub(super) fn help(canvas: &mut Canvas, area: Rect, scroll: &Scroll, screen: &dyn Screen) {
    let mut hints: Vec<Hint> = screen.hints();
    let more = screen.more_help();
    hints.retain(|(key, _)| *key != "q" && more.iter().all(|(other, _)| other != key));
    let general = [
        ("?", "this help"),
        (":", "everything that is possible here"),
        ("q", "quit"),
        ("Ctrl-L", "draw the screen again"),
        ("Ctrl-Z", "pause; fg brings it back"),
    ];
    let plain = |(key, meaning): Hint| (key.into(), meaning);
    let mut help: Vec<Help> = hints.into_iter().map(plain).collect();
    help.extend(more);
    let lists = |what: &str| screen.hints().contains(&("↑↓", what));
    if lists("scroll") {
        help.push(("PgUp PgDn".into(), "ten rows"));
    }
    if lists("scroll") || lists("move") {
        help.extend([("Home End".into(), "first, last"), ("j k".into(), "like ↓ and ↑")]);
    }
    help.extend(general.map(plain));
    let room = usize::from(HELP_WIDTH.min(area.width)).saturating_sub(HELP_KEYS + 3);
    let mut lines = Vec::new();
    for (key, meaning) in &help {
        let keys = std::iter::once(&**key).chain(std::iter::repeat(""));
        lines.extend(keys.zip(wrap(meaning, room)));
    }
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let place = centred(area, HELP_WIDTH, rows);
    canvas.clear(place);
    let inside = canvas.panel(place, &format!("Keys: {}", screen.title()));
    let top = scroll.show(lines.len(), inside.height.into());
    if let Some(seen) = scroll.place() {
        canvas.footnote(place, &format!("↑↓ {seen}"));
    }
    for (row, (key, meaning)) in (0..inside.height).zip(lines.into_iter().skip(top)) {
        if let Some(press) = pressed(key) {
            canvas.target(Rect { y: inside.y + row, height: 1, ..inside }, press);
        }
        let key = format!(" {}", columns::pad(key, HELP_KEYS));
        canvas.line(inside, row, &canvas.led(Ink::Key, key, meaning));
    }
}

/// Draws the question before leaving a game.
pub(super) fn leaving(canvas: &mut Canvas, area: Rect, fate: Fate) {
    let place = centred(area, 40, 6);
    canvas.clear(place);
    let inside = canvas.panel(place, "Leave?");
    let text = match fate {
        Fate::Saved => [" The game is saved: you can continue", " it another time."],
        Fate::Unplayed => [" No turn has been played, so there is", " nothing to save."],
        Fate::Lost => [" The game is not saved.", ""],
        Fate::GoesOn { is_timed: false } => {
            [" The game goes on without you. You can", " come back to it."]
        }
        Fate::GoesOn { is_timed: true } => {
            [" Your clock runs on. You can come back", " to the game."]
        }
        Fate::Stops => [" The tournament stops. Its finished", " games are kept."],
    };
    for (row, line) in (0..).zip(text) {
        canvas.text(inside, row, line, canvas.look.ink(Ink::Plain));
    }
    let keys = Rect { y: inside.y + 3, height: 1, ..inside }.intersection(inside);
    let used = hint(canvas, keys, ("y", "leave"));
    hint(
        canvas,
        Rect { x: keys.x + used + 1, width: keys.width - used - 1, ..keys },
        ("Esc", "stay"),
    );
}

/// Draws a key and what it does, if both fit. Returns the width of both.
pub(super) fn hint(canvas: &mut Canvas, area: Rect, (key, meaning): Hint) -> u16 {
    let line = Line::from(vec![
        Span::styled(format!(" {key}"), canvas.look.ink(Ink::Key)),
        Span::styled(format!(" {meaning} "), canvas.look.ink(Ink::Faint)),
    ]);
    let width = u16::try_from(line.width()).unwrap_or(u16::MAX);
    if width <= area.width {
        canvas.line(area, 0, &line);
        if let Some(press) = pressed(key) {
            canvas.target(Rect { width, ..area }, press);
        }
    }
    width
}

/// The key that a label in the footer stands for, if a single one.
pub(super) fn pressed(label: &str) -> Option<Press> {
    let mut letters = label.chars();
    match (label, letters.next(), letters.next()) {
        ("Enter", ..) => Some(Press::Key(KeyCode::Enter)),
        ("Esc", ..) => Some(Press::Key(KeyCode::Esc)),
        ("Tab", ..) => Some(Press::Key(KeyCode::Tab)),
        ("Space", ..) => Some(Press::letter(' ')),
        ("PgUp", ..) => Some(Press::Key(KeyCode::PageUp)),
        ("PgDn", ..) => Some(Press::Key(KeyCode::PageDown)),
        ("Home", ..) => Some(Press::Key(KeyCode::Home)),
        ("End", ..) => Some(Press::Key(KeyCode::End)),
        (_, Some(letter), None) => Some(Press::letter(letter)),
        _ => None,
    }
}
