//! Two people at one keyboard who choose in secret at the same time, each with keys of their own.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_present::choice::{Consequence, consequences};
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

/// The width of a side's key in a list for both.
const KEY: u16 = 3;

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

/// A choice with its key.
struct Offer {
    side: Side,
    key: char,
    /// The number of the key among both sides' keys.
    number: usize,
    notation: String,
    consequence: Consequence,
}

/// A side's choices.
fn offers(table: &dyn Table, side: Side) -> Vec<Offer> {
    let keys = keys(table);
    let all = table.choices(side).into_iter().zip(consequences(table, side));
    all.filter_map(|(Choice { notation, .. }, consequence)| {
        let is_own =
            |(of, _, action): &(Side, char, Choice)| *of == side && action.notation == notation;
        let number = keys.iter().position(is_own)?;
        Some(Offer { side, key: keys[number].1, number, notation, consequence })
    })
    .collect()
}

impl Offer {
    /// Draws the key, followed by some words.
    fn draw(&self, canvas: &mut Canvas, area: Rect, key: String, words: String) {
        let key = canvas.span(Ink::Side(self.side), key);
        canvas.line(area, 0, &Line::from(vec![key, Span::raw(words)]));
        canvas.target(area, Press::Pick(self.number));
    }
}

/// An action that at least one side can choose, and what it does for both.
struct Shared<'a> {
    offers: Both<Option<&'a Offer>>,
    words: String,
}

/// One list for both sides; `None` if a choice loses for only one of them.
fn shared<'a>(table: &dyn Table, own: &'a Both<Vec<Offer>>) -> Option<Vec<Shared<'a>>> {
    let mut all = Vec::new();
    for action in table.vocabulary() {
        let offers =
            Both::from_fn(|side| own[side].iter().find(|offer| offer.notation == action.notation));
        let words = match (offers.one, offers.two) {
            (None, None) => continue,
            (Some(offer), None) | (None, Some(offer)) => offer.consequence.label.clone(),
            (Some(one), Some(two)) if one.consequence.loses != two.consequence.loses => {
                return None;
            }
            (Some(one), Some(two)) => common(&one.consequence, &two.consequence),
        };
        let mut loses = Side::ALL.into_iter().filter_map(|side| offers[side]);
        let words = if loses.any(|it| it.consequence.loses) { words + " (loses)" } else { words };
        all.push(Shared { offers, words });
    }
    Some(all)
}

/// What an action does for both: how many points it leaves differs, but not what it costs.
fn common(one: &Consequence, other: &Consequence) -> String {
    if one.label == other.label {
        return one.label.clone();
    }
    let parts = |label: &str| -> Vec<String> {
        label.split(": ").flat_map(|part| part.split(", ")).map(str::to_owned).collect()
    };
    let others = parts(&other.label);
    let mut shared = parts(&one.label);
    shared.retain(|part| others.contains(part));
    if shared.is_empty() { one.name.clone() } else { shared.join(", ") }
}

/// The height of the choices, with their headings.
pub(super) fn rows(table: &dyn Table) -> u16 {
    let choices = Side::ALL.map(|side| table.choices(side));
    let is_legal =
        |action: &Choice| choices.iter().flatten().any(|choice| choice.notation == action.notation);
    extent(table.vocabulary().iter().filter(|action| is_legal(action)).count() + 1)
}

/// Draws both sides' choices side by side if there is room for what they do, otherwise as one list with both sides' keys.
/// Only the headings depend on who is ready, and nothing on what was chosen.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, table: &dyn Table, ready: Both<bool>) {
    let (left, right) = split(area, area.width.saturating_sub(GAP) / 2);
    let right = Rect { x: right.x + GAP, width: left.width.min(right.width), ..right };
    let places = Both::new(left, right);
    for side in Side::ALL {
        heading(canvas, places[side], &table.names()[side], side, ready[side]);
    }
    let own = Both::from_fn(|side| offers(table, side));
    let is_short = |words: &str, room: u16| columns::cells(words) <= room;
    let room = left.width.saturating_sub(2);
    let fits = |form: &usize| {
        let all = || Side::ALL.into_iter().flat_map(|side| &own[side]);
        all().all(|offer| is_short(&offer.consequence.forms()[*form], room))
    };
    let form = (0..2).find(fits);
    let list = shared(table, &own).filter(|list| {
        let room = area.width.saturating_sub(2 * KEY);
        form.is_none() && list.iter().all(|line| is_short(&line.words, room))
    });
    for (row, line) in (1..area.height).zip(list.iter().flatten()) {
        let place = Rect { y: area.y + row, height: 1, ..area };
        let (keys, words) = split(place, 2 * KEY);
        let (one, two) = split(keys, KEY);
        for (offer, cell) in [(line.offers.one, one), (line.offers.two, two)] {
            if let Some(offer) = offer {
                let key = format!("{}{}", glyph(offer.side), offer.key);
                offer.draw(canvas, cell, key, String::new());
            }
        }
        canvas.line(words, 0, &Line::raw(line.words.clone()));
    }
    if list.is_some() {
        return;
    }
    for side in Side::ALL {
        for (row, offer) in (1..area.height).zip(&own[side]) {
            let place = Rect { y: places[side].y + row, height: 1, ..places[side] };
            let words = offer.consequence.forms()[form.unwrap_or(2)].clone();
            offer.draw(canvas, place, format!("{} ", offer.key), words);
        }
    }
}

fn heading(canvas: &mut Canvas, area: Rect, name: &str, side: Side, is_ready: bool) {
    let room = usize::from(area.width);
    let state = if is_ready { ": ready" } else { "" };
    let name = columns::shorten(name, room.saturating_sub(2 + state.len()));
    let heading = format!("{} {name}{state}", glyph(side));
    canvas.text(area, 0, &heading, canvas.look.ink(Ink::Side(side)));
}
