//! Draws the home screen: the logo, the list, the demo of a game with its rules, and facts about the player.

use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_present::json::blocks;

use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::facts;
use super::super::look::Ink;
use super::super::markdown::lay_out;
use super::super::parts::{Canvas, below, extent, inset, rows_of, split};
use super::{Home, logo};

/// Width of the list beside the demo: two sevenths of the window, within these limits.
const LIST: u16 = 29;
const WIDEST_LIST: u16 = 46;

/// Width of the list in the narrowest windows.
const NARROW_LIST: u16 = 25;

/// Minimum window width for framed facts beside the list.
const BESIDE: u16 = 56;

/// Minimum width for the rules beside the facts.
const WITH_RULES: u16 = 90;

/// Number of rows below the demo in a low window.
const BELOW: u16 = 7;

/// Minimum height for a proportional lower part.
const TALL: u16 = 24;

/// Minimum height of the facts below the list.
const FACTS: u16 = 11;

/// Maximum height of the demo's frame without an empty row above the demo.
const LOW: u16 = 13;

/// Number of rows for the description above the demo. A long one about damaged saves takes more.
const ABOUT: u16 = 2;

pub(super) fn draw(home: &Home, canvas: &mut Canvas, area: Rect, context: &Context) {
    let first = home.first_game();
    let games = 1..=context.catalog().iter().count().min(9);
    let key = |index: usize| (index + 1).checked_sub(first).filter(|key| games.contains(key));
    let items = home.items.iter().enumerate();
    let lines: Vec<Line> = items.map(|(index, item)| item.line(key(index), canvas)).collect();
    if !is_roomy(area) {
        small(home, canvas, area, lines);
        return;
    }
    let area = below(area, logo::draw(canvas, area));
    let (left, right) = split(area, (area.width / 7 * 2).clamp(LIST, WIDEST_LIST));
    // An empty row and the frame.
    let rows = extent(lines.len()) + 3;
    let has_facts = area.height >= rows + FACTS;
    let list = if has_facts { Rect { height: rows, ..left } } else { left };
    let inside = canvas.panel(list, "What shall we play?");
    canvas.menu(below(inside, u16::from(inside.height + 2 >= rows)), lines, home.chosen);
    let rows = if area.height >= TALL { area.height * 2 / 5 } else { BELOW };
    let upper = Rect { height: right.height - rows, ..right };
    let lower = below(right, upper.height);
    if has_facts {
        your_games(home, canvas, below(left, list.height));
        rules(home, canvas, lower);
    } else if lower.width >= WITH_RULES {
        let (left, right) = split(lower, lower.width / 2);
        rules(home, canvas, left);
        your_games(home, canvas, right);
    } else {
        your_games(home, canvas, lower);
    }
    let inside = inset(canvas.panel(upper, home.items[home.chosen].title()));
    let about = home.about();
    canvas.prose(inside, &about, canvas.look.ink(Ink::Plain));
    let rows = rows_of(&about, inside.width).max(ABOUT) + u16::from(inside.height > LOW);
    home.demo.draw(canvas, below(inside, rows), context.now);
}

/// Draws the rules of the game in the demo.
fn rules(home: &Home, canvas: &mut Canvas, area: Rect) {
    let inside = inset(canvas.panel(area, "How it is played"));
    // Skip the title, which already stands above the demo.
    let text = home.demo.entry().rules.split_once('\n').map_or("", |(_, text)| text);
    let lines = lay_out(&blocks(text), inside.width.into(), 0, canvas.look).lines;
    for (row, line) in (0..inside.height).zip(&lines) {
        canvas.line(inside, row, line);
    }
    if lines.len() > usize::from(inside.height) {
        canvas.footnote(area, "r reads on");
    }
}

fn your_games(home: &Home, canvas: &mut Canvas, area: Rect) {
    let inside = inset(canvas.panel(area, "Your games"));
    facts::draw(canvas, inside, &home.facts);
}

/// Draws the list above the description, with the facts beside them.
fn small(home: &Home, canvas: &mut Canvas, area: Rect, lines: Vec<Line<'static>>) {
    let rows = area.height.saturating_sub(3).min(extent(lines.len()));
    let upper = Rect { height: rows, ..area };
    if area.width < BESIDE {
        let (list, beside) = split(upper, NARROW_LIST);
        canvas.menu(list, lines, home.chosen);
        facts::draw(canvas, split(beside, 1).1, &home.facts);
    } else {
        let (list, beside) = split(upper, LIST);
        canvas.menu(list, lines, home.chosen);
        your_games(home, canvas, beside);
    }
    canvas.prose(below(area, rows), &home.about(), canvas.look.ink(Ink::Faint));
}
