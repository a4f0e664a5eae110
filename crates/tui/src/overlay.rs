//! Overlays on top of a screen: the help, and the confirmation before leaving a game. Both are clickable.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_rules::columns::{self, wrap};

use super::look::Ink;
use super::parts::{Canvas, centred, extent};
use super::screen::{Fate, Help, Hint, Press, Screen};
use super::scroll::Scroll;

/// Maximum width of the help.
const HELP_WIDTH: u16 = 52;
/// Width of the key column in the help.
pub(super) const HELP_KEYS: usize = 10;

/// The keys that work on every screen.
const GENERAL: [Hint; 5] = [
    ("?", "this help"),
    (":", "everything that is possible here"),
    ("q", "quit"),
    ("Ctrl-L", "draw the screen again"),
    ("Ctrl-Z", "pause; fg brings it back"),
];

/// All keys of a screen, without duplicates, and what they do.
pub(super) fn keys(screen: &dyn Screen) -> Vec<Help> {
    let plain = |(key, meaning): Hint| (key.into(), meaning);
    let (hints, more) = (screen.hints(), screen.more_help());
    let is_listed = |help: &[Help], label: &str| {
        let listed: Vec<Press> = help.iter().flat_map(|(label, _)| presses(label)).collect();
        presses(label).iter().any(|press| listed.contains(press))
    };
    let general: Vec<Help> = GENERAL.map(plain).to_vec();
    // If a key has its own help entry, skip the shorter text of the footer.
    let is_told = |(key, _): &Hint| is_listed(&more, key) || is_listed(&general, key);
    let mut help: Vec<Help> =
        hints.iter().copied().filter(|hint| !is_told(hint)).map(plain).collect();
    help.extend(more.iter().cloned());
    let lists = |what: &str| hints.contains(&("↑↓", what));
    let has = |key: &str| hints.iter().any(|(hint, _)| *hint == key);
    let usual = [
        ("Space", "like Enter", has("Enter")),
        ("Esc", "like n", has("y") && has("n")),
        ("PgUp PgDn", "ten rows", lists("scroll")),
        ("Home End", "first, last", lists("scroll") || lists("move")),
        ("j k", "like ↓ and ↑", is_listed(&help, "↓")),
        ("h", "like ←", is_listed(&help, "←")),
        ("l", "like →", is_listed(&help, "→")),
    ];
    for (key, meaning, is_usual) in usual {
        if is_usual && !is_listed(&help, key) {
            help.push((key.into(), meaning));
        }
    }
    help.extend(general);
    help
}

/// Draws the help: every key of a screen, and every sign.
pub(super) fn help(canvas: &mut Canvas, area: Rect, scroll: &Scroll, screen: &dyn Screen) {
    let (keys, signs) = (keys(screen), screen.signs());
    let room = usize::from(HELP_WIDTH.min(area.width)).saturating_sub(HELP_KEYS + 3);
    let wrapped = |help: &Help, press: Option<Press>| {
        let (label, meaning) = help;
        let labels = std::iter::once(label.to_string()).chain(std::iter::repeat(String::new()));
        let lines = labels.zip(wrap(meaning, room));
        lines.map(move |(label, meaning)| (label, meaning, press)).collect::<Vec<_>>()
    };
    let mut lines: Vec<_> = keys.iter().flat_map(|key| wrapped(key, pressed(&key.0))).collect();
    if !signs.is_empty() {
        lines.push((String::new(), String::new(), None));
    }
    lines.extend(signs.iter().flat_map(|sign| wrapped(sign, None)));
    let rows = extent(lines.len()).saturating_add(2);
    let place = centred(area, HELP_WIDTH, rows);
    canvas.clear(place);
    let inside = canvas.panel(place, &format!("Keys: {}", screen.title()));
    let top = scroll.show(lines.len(), inside.height.into());
    if let Some(seen) = scroll.place() {
        canvas.footnote(place, &format!("↑↓ {seen}"));
    }
    for (row, (label, meaning, press)) in (0..inside.height).zip(lines.into_iter().skip(top)) {
        if let Some(press) = press {
            canvas.target(Rect { y: inside.y + row, height: 1, ..inside }, press);
        }
        let label = format!(" {}", columns::pad(&label, HELP_KEYS));
        canvas.line(inside, row, &canvas.led(Ink::Key, label, meaning));
    }
}

/// Draws the confirmation before leaving a game.
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

/// Draws a key and what it does, if both fit. Returns the width used.
pub(super) fn hint(canvas: &mut Canvas, area: Rect, (key, meaning): Hint) -> u16 {
    let line = Line::from(vec![
        Span::styled(format!(" {key}"), canvas.look.ink(Ink::Key)),
        Span::styled(format!(" {meaning} "), canvas.look.ink(Ink::Faint)),
    ]);
    let width = extent(line.width());
    if width <= area.width {
        canvas.line(area, 0, &line);
        if let Some(press) = pressed(key) {
            canvas.target(Rect { width, ..area }, press);
        }
    }
    width
}

/// The key that a label in the footer stands for; `None` if it stands for several keys or none.
pub(super) fn pressed(label: &str) -> Option<Press> {
    match *presses(label) {
        [press] => Some(press),
        _ => None,
    }
}

/// The keys that a label stands for: names such as `Enter`, and single characters with or without spaces between.
pub(super) fn presses(label: &str) -> Vec<Press> {
    label.split(' ').flat_map(named).collect()
}

fn named(word: &str) -> Vec<Press> {
    let code = match word {
        // Screens do not handle these.
        "mouse" | "Ctrl-L" | "Ctrl-Z" | "…" => return Vec::new(),
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Space" => return vec![Press::letter(' ')],
        "Backspace" => KeyCode::Backspace,
        "Del" => KeyCode::Delete,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        signs => return signs.chars().map(sign).collect(),
    };
    vec![Press::Key(code)]
}

const fn sign(sign: char) -> Press {
    match sign {
        '←' => Press::Key(KeyCode::Left),
        '→' => Press::Key(KeyCode::Right),
        '↑' => Press::Key(KeyCode::Up),
        '↓' => Press::Key(KeyCode::Down),
        letter => Press::letter(letter),
    }
}
