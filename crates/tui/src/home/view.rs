//! What the home screen shows: the list, the demo of a game, and what there is to tell.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::facts;
use super::super::look::Ink;
use super::super::parts::{Canvas, below, centred, inset};
use super::{Home, HomeItem};

/// Columns of the list beside the demo.
const LIST: u16 = 29;

/// The narrowest window with the facts beside the list, if there is no demo.
const BESIDE: u16 = 56;

/// The narrowest window with the facts beside the demo; otherwise they are below it.
const WIDE: u16 = 160;

/// The fewest and the most rows of the facts below the demo.
const BELOW: (u16, u16) = (7, 14);

pub(super) fn draw(home: &Home, canvas: &mut Canvas, area: Rect, context: &Context) {
    let lines: Vec<Line> = home.items.iter().map(|item| item.line(canvas)).collect();
    if !is_roomy(area) {
        small(home, canvas, area, lines);
        return;
    }
    let about = home.about();
    let left = Rect { width: LIST, ..area };
    let mut right = Rect { x: area.x + LIST, width: area.width - LIST, ..area };
    let place = if area.width >= WIDE {
        let width = area.width / 4;
        right.width -= width;
        Rect { x: right.right(), width, ..area }
    } else {
        let height = (area.height / 4).clamp(BELOW.0, BELOW.1);
        right.height -= height;
        Rect { y: right.bottom(), height, ..right }
    };
    let inside = inset(canvas.panel(place, "Your games"));
    facts::draw(canvas, inside, &home.facts);
    let inside = canvas.panel(left, "What shall we play?");
    canvas.menu(below(inside, 1), lines, home.chosen);
    let name = home.entry().map_or("", |entry| entry.name);
    let inside = inset(canvas.panel(right, name));
    let rows = canvas.prose(inside, &about, canvas.look.ink(Ink::Plain));
    let Some(demo) = &home.demo else {
        logo(canvas, inside);
        return;
    };
    demo.draw(canvas, below(inside, rows + 1), context.now);
}

/// The list above the description, with the facts beside it if there is room.
fn small(home: &Home, canvas: &mut Canvas, area: Rect, lines: Vec<Line<'static>>) {
    let rows = area.height.saturating_sub(3).min(u16::try_from(lines.len()).unwrap_or(9));
    let list = Rect { height: rows, ..area };
    if area.width < BESIDE {
        canvas.menu(list, lines, home.chosen);
        let about = about_with_fact(home);
        canvas.prose(below(area, rows), &about, canvas.look.ink(Ink::Faint));
        return;
    }
    canvas.menu(Rect { width: LIST, ..list }, lines, home.chosen);
    let beside = Rect { x: list.x + LIST, width: list.width - LIST, ..list };
    let inside = inset(canvas.panel(beside, "Your games"));
    facts::draw(canvas, inside, &home.facts);
    canvas.prose(below(area, rows), &home.about(), canvas.look.ink(Ink::Faint));
}

/// The description where the facts have no place of their own.
fn about_with_fact(home: &Home) -> String {
    let about = home.about();
    match home.items[home.chosen] {
        HomeItem::Statistics => format!("{about} Your record: {}.", fact(home, "Record")),
        HomeItem::Replay => format!("{about} Last: {}.", fact(home, "Last")),
        _ => about,
    }
}

/// The first line of a fact.
fn fact<'a>(home: &'a Home, name: &str) -> &'a str {
    let found = home.facts.iter().find(|fact| fact.name == name);
    found.and_then(|fact| fact.lines.first()).map_or("", String::as_str)
}

/// The name of the program in large letters.
fn logo(canvas: &mut Canvas, area: Rect) {
    const LETTERS: [&str; 3] =
        ["▶ ─ ─ ─ ─ ─ ─ ─ ─ ◀", "  S K I R M I S H   ", "▶ ─ ─ ─ ─ ─ ─ ─ ─ ◀"];
    let place = centred(area, 20, 3);
    for (row, line) in (0..).zip(LETTERS) {
        canvas.text(place, row, line, canvas.look.ink(Ink::Title));
    }
}
