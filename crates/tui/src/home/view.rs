//! Draws the home screen: the list, the demo of a game, and facts about the player.

use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_present::json::blocks;
use skirmish_rules::columns;

use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::facts;
use super::super::look::Ink;
use super::super::markdown::lay_out;
use super::super::parts::{Canvas, below, centred, inset, split};
use super::Home;

/// Width of the list beside the demo.
const LIST: u16 = 29;

/// Width of the list in the narrowest windows.
const NARROW_LIST: u16 = 24;

/// Minimum window width for framed facts beside the list when there is no demo.
const BESIDE: u16 = 56;

/// Minimum width for the rules beside the facts.
const WITH_RULES: u16 = 64;

/// Number of rows below the demo in a low window.
const BELOW: u16 = 7;

/// Minimum window height for a proportional lower part.
const TALL: u16 = 26;

/// Maximum height of the demo's frame without an empty row above the demo.
const LOW: u16 = 13;

pub(super) fn draw(home: &Home, canvas: &mut Canvas, area: Rect, context: &Context) {
    let lines: Vec<Line> = home.items.iter().map(|item| item.line(canvas)).collect();
    if !is_roomy(area) {
        small(home, canvas, area, lines);
        return;
    }
    let (list, right) = split(area, LIST);
    let inside = canvas.panel(list, "What shall we play?");
    canvas.menu(below(inside, 1), lines, home.chosen);
    let rows = if area.height >= TALL { area.height * 2 / 5 } else { BELOW };
    let upper = Rect { height: right.height - rows, ..right };
    lower(home, canvas, below(right, upper.height));
    let name = home.entry().map_or("", |entry| entry.name);
    let inside = inset(canvas.panel(upper, name));
    let rows = canvas.prose(inside, &home.about(), canvas.look.ink(Ink::Plain));
    match &home.demo {
        Some(demo) => {
            let gap = u16::from(inside.height > LOW);
            demo.draw(canvas, below(inside, rows + gap), context.now);
        }
        None => logo(canvas, below(inside, rows)),
    }
}

/// Draws the rules of the selected game, and facts about the player.
fn lower(home: &Home, canvas: &mut Canvas, area: Rect) {
    let rules = home.entry().filter(|_| area.width >= WITH_RULES);
    let (left, right) = split(area, rules.map_or(0, |_| area.width / 2));
    if let Some(entry) = rules {
        let inside = inset(canvas.panel(left, "How it is played"));
        // Skip the title, which already stands above the demo.
        let text = entry.rules.split_once('\n').map_or("", |(_, text)| text);
        let lines = lay_out(&blocks(text), inside.width.into(), 0, canvas.look).lines;
        for (row, line) in (0..inside.height).zip(&lines) {
            canvas.line(inside, row, line);
        }
        if lines.len() > usize::from(inside.height) {
            canvas.footnote(left, "r reads on");
        }
    }
    let inside = inset(canvas.panel(right, "Your games"));
    facts::draw(canvas, inside, &home.facts);
}

/// Draws the list above the description, with the facts beside them.
fn small(home: &Home, canvas: &mut Canvas, area: Rect, lines: Vec<Line<'static>>) {
    let rows = area.height.saturating_sub(3).min(u16::try_from(lines.len()).unwrap_or(9));
    let upper = Rect { height: rows, ..area };
    let (list, beside) = if area.width < BESIDE {
        let (list, beside) = split(upper, NARROW_LIST);
        (list, split(beside, 1).1)
    } else {
        let (list, beside) = split(upper, LIST);
        (list, inset(canvas.panel(beside, "Your games")))
    };
    canvas.menu(list, lines, home.chosen);
    facts::draw(canvas, beside, &home.facts);
    canvas.prose(below(area, rows), &home.about(), canvas.look.ink(Ink::Faint));
}

/// The name of the program in large letters.
fn logo(canvas: &mut Canvas, area: Rect) {
    const LETTERS: [&str; 5] = [
        "▄▀▀▀ █ ▄▀ ▀█▀ █▀▀▄ █▄ ▄█ ▀█▀ ▄▀▀▀ █  █",
        "█    █▄▀   █  █  █ █ ▀ █  █  █    █  █",
        " ▀▀▄ █▀▄   █  █▀█▀ █   █  █   ▀▀▄ █▀▀█",
        "   █ █  █  █  █  █ █   █  █     █ █  █",
        "▀▀▀  ▀  ▀ ▀▀▀ ▀  ▀ ▀   ▀ ▀▀▀ ▀▀▀  ▀  ▀",
    ];
    const PLAIN: [&str; 1] = ["S K I R M I S H"];
    let letters = if canvas.look.ascii { &PLAIN[..] } else { &LETTERS[..] };
    let (width, rows) = (columns::cells(letters[0]), u16::try_from(letters.len()).unwrap_or(1));
    let place = centred(area, width, rows);
    for (row, line) in (0..).zip(letters) {
        canvas.text(place, row, line, canvas.look.ink(Ink::Title));
    }
}
