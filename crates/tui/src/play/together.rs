//! Two people at one keyboard who choose in secret at the same time, each with keys of their own.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_present::choice::consequences;
use skirmish_rules::{Both, Choice, Side, Table, columns};

use super::super::look::Ink;
use super::super::parts::{Canvas, extent, split};
use super::super::screen::{Help, Press};
use super::super::stage::glyph;

/// The left and the right end of the row of digits.
const DIGITS: [&str; 2] = ["12345", "67890"];

/// The number of actions for which each player has keys.
const MOST: usize = 5;

/// Number of columns between the two players' choices.
const GAP: u16 = 2;

/// Whether there are enough keys for two players.
pub(super) fn has_keys(table: &dyn Table) -> bool {
    table.vocabulary().len() <= MOST
}

/// Both sides' keys: every action, whether legal or not, with its side and its key. Player 2's keys end with 0.
pub(crate) fn keys(table: &dyn Table) -> Vec<(Side, char, Choice)> {
    let actions = table.vocabulary();
    let first = [0, MOST.saturating_sub(actions.len())];
    let all = Side::ALL.into_iter().zip(DIGITS).zip(first);
    all.flat_map(|((side, digits), first)| {
        let keyed = digits.chars().skip(first).zip(actions.clone());
        keyed.map(move |(key, action)| (side, key, action))
    })
    .collect()
}

/// The side and the action of a key or a click.
pub(super) fn picked(table: &dyn Table, press: Press) -> Option<(Side, Choice)> {
    let mut keys = keys(table).into_iter();
    let (side, _, action) = match press {
        Press::Key(KeyCode::Char(letter)) => keys.find(|(_, key, _)| *key == letter)?,
        Press::Pick(number) => keys.nth(number)?,
        Press::Key(_) | Press::Control(_) | Press::Wheel(_) => return None,
    };
    Some((side, action))
}

/// Help on the keys that choose.
pub(super) fn help(table: &dyn Table) -> impl Iterator<Item = Help> {
    let keys = keys(table);
    let lines = [(Side::One, "Player 1 chooses"), (Side::Two, "Player 2 chooses")];
    lines.into_iter().map(move |(side, about)| {
        let own = keys.iter().filter(|(of, ..)| *of == side).map(|(_, key, _)| key.to_string());
        (own.collect::<Vec<String>>().join(" ").into(), about)
    })
}

/// The height of the choices below their headings.
pub(super) fn rows(table: &dyn Table) -> u16 {
    let most = Side::ALL.into_iter().map(|side| table.choices(side).len()).max();
    extent(most.unwrap_or(0) + 1)
}

/// Draws both sides' choices side by side. Only the headings depend on who is ready, and nothing on what was chosen.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, table: &dyn Table, ready: Both<bool>) {
    let (left, right) = split(area, area.width.saturating_sub(GAP) / 2);
    let right = Rect { x: right.x + GAP, width: left.width.min(right.width), ..right };
    for (side, place) in Side::ALL.into_iter().zip([left, right]) {
        column(canvas, place, table, side, ready[side]);
    }
}

fn column(canvas: &mut Canvas, area: Rect, table: &dyn Table, side: Side, is_ready: bool) {
    let room = usize::from(area.width);
    let state = if is_ready { ": ready" } else { "" };
    let name = columns::shorten(&table.names()[side], room.saturating_sub(2 + state.len()));
    let heading = format!("{} {name}{state}", glyph(side));
    canvas.text(area, 0, &heading, canvas.look.ink(Ink::Side(side)));
    let consequences = consequences(table, side);
    let form = |form: usize| -> Vec<String> {
        consequences.iter().map(|consequence| consequence.forms()[form].clone()).collect()
    };
    let fits = |words: &Vec<String>| words.iter().all(|it| columns::width(it) + 2 <= room);
    let words = (0..3).map(form).find(fits).unwrap_or_else(|| form(2));
    let keys: Vec<(Side, char, Choice)> = keys(table);
    for (row, (choice, words)) in (1..area.height).zip(table.choices(side).iter().zip(words)) {
        let is_own = |(of, _, action): &(Side, char, Choice)| {
            *of == side && action.notation == choice.notation
        };
        let Some(number) = keys.iter().position(is_own) else { continue };
        let place = Rect { y: area.y + row, height: 1, ..area };
        let key = canvas.span(Ink::Side(side), format!("{} ", keys[number].1));
        canvas.line(place, 0, &Line::from(vec![key, Span::raw(words)]));
        canvas.target(place, Press::Pick(number));
    }
}
