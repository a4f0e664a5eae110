//! A road where there is no room for drawings: a glyph and a number for each piece, in as many bands as needed.

use ratatui::layout::Rect;
use skirmish_rules::{Piece, Side, Track, columns};

use super::super::look::{CHOSEN, Ink};
use super::super::parts::Canvas;
use super::super::screen::Press;
use super::layout::places;
use super::moves::{Leading, leading};
use super::{Shown, glyph, middle, plate};

/// Columns of a place in its widest form.
const WIDEST: u16 = 10;

/// Columns of a place in a track that is split into bands.
const BANDED: u16 = 4;

/// The rows of a place: its key, its pieces, its number.
const ROWS: u16 = 3;

/// The fewest columns of a place.
const NARROWEST: u16 = 2;

/// The first and the last place of each band, where a place has at least `least` columns.
fn bands(track: &Track, width: u16, least: u16) -> Vec<(u8, u8)> {
    let per = if width / places(track) >= least { places(track) } else { (width / BANDED).max(1) };
    let starts = (track.first..=track.last).step_by(per.into());
    let ends = |first: u8| u8::try_from(u16::from(first) + per - 1).unwrap_or(u8::MAX);
    starts.map(|first| (first, ends(first).min(track.last))).collect()
}

/// How many rows a road without drawings fills well.
pub(super) fn rows(track: &Track, width: u16, most: u16) -> u16 {
    let count = u16::try_from(bands(track, width, NARROWEST).len()).unwrap_or(u16::MAX);
    let rows = [ROWS, 2].into_iter().map(|rows| count.saturating_mul(rows));
    rows.into_iter().find(|rows| *rows <= most).unwrap_or(most)
}

impl Shown<'_> {
    pub(super) fn compact(&self, canvas: &mut Canvas, area: Rect, track: &Track) {
        if area.is_empty() {
            return;
        }
        let texts = self.scene.pieces.iter().filter_map(|piece| self.standing(piece.at, 0));
        let widest = texts.map(|(_, text)| columns::cells(&text)).max();
        let bands = bands(track, area.width, widest.unwrap_or(0).clamp(NARROWEST, BANDED));
        let width = match &bands[..] {
            [_] => (area.width / places(track)).min(WIDEST),
            _ => BANDED.min(area.width),
        };
        let count = u16::try_from(bands.len()).unwrap_or(u16::MAX);
        let mut rows = (area.height / count).min(ROWS);
        let mut shown: Vec<(u8, u8)> = bands.clone();
        if rows < 2 && count > 1 {
            // Not all bands fit: show those that matter, and say what lies beyond.
            let room = area.height.saturating_sub(1);
            let needed = bands.iter().filter(|band| self.weight(**band) > 0).count();
            let needed = u16::try_from(needed).unwrap_or(u16::MAX).max(1);
            rows = (room / needed).clamp(2, ROWS).min(room).max(1);
            shown.sort_by_key(|band| std::cmp::Reverse(self.weight(*band)));
            shown.truncate(usize::from(room / rows));
            shown.sort_unstable();
            let row = Rect { y: area.y + area.height - 1, height: 1, ..area };
            self.beyond(canvas, row, track, &shown);
        }
        let whole = match &bands[..] {
            [_] => width * places(track),
            _ => area.width,
        };
        let left = area.x + (area.width - whole.min(area.width)) / 2;
        for (nth, (first, last)) in (0..).zip(shown) {
            for place in first..=last {
                let x = left + u16::from(place - first) * width;
                let cell = Rect { x, y: area.y + nth * rows, width, height: rows };
                self.bare_place(canvas, cell.intersection(area), area, track, place);
            }
        }
    }

    /// How much there is to see in a band: the piece that moves, then pieces of both sides, then moves.
    fn weight(&self, (first, last): (u8, u8)) -> usize {
        let holds = |place: u8| (first..=last).contains(&place);
        let moves = self.glide.is_some_and(|glide| holds(glide.nearest()));
        let sides = Side::ALL.into_iter().filter(|side| {
            self.scene.pieces.iter().any(|piece| piece.side == *side && holds(piece.at))
        });
        let targets = self.targets.iter().filter(|target| holds(target.place));
        100 * usize::from(moves) + 10 * sides.count() + targets.count().min(9)
    }

    /// Says where the road goes on, and what of importance is there.
    fn beyond(&self, canvas: &mut Canvas, row: Rect, track: &Track, shown: &[(u8, u8)]) {
        let is_hidden =
            |place: u8| !shown.iter().any(|(first, last)| (*first..=*last).contains(&place));
        let (first, last) = (
            shown.first().map_or(track.last, |band| band.0),
            shown.last().map_or(0, |band| band.1),
        );
        let pointed = |text: String, place: u8| {
            if place < first {
                format!("◀ {text}")
            } else if place > last {
                format!("{text} ▶")
            } else {
                text
            }
        };
        let hidden = || self.scene.pieces.iter().filter(|piece| is_hidden(piece.at));
        let named = |piece: &Piece, name: &str| {
            let strength =
                piece.strength.map_or(String::new(), |strength| format!(" ({strength})"));
            pointed(format!("{name}{strength} at {}", piece.at), piece.at)
        };
        let keys: Vec<String> = self
            .targets
            .iter()
            .filter(|target| is_hidden(target.place))
            .map(|target| pointed(format!("key {} to {}", target.key, target.place), target.place))
            .collect();
        let whole = |name: &dyn Fn(Side) -> String| {
            let pieces = hidden().map(|piece| named(piece, &name(piece.side)));
            pieces.chain(keys.iter().cloned()).collect::<Vec<String>>()
        };
        let room = usize::from(row.width);
        let long = whole(&|side| self.names[side].clone());
        let mut marks = long;
        if columns::width(&marks.join(" · ")) > room {
            marks = whole(&|side| side.token().to_owned());
        }
        if marks.is_empty() {
            marks.push(format!("… of positions {} to {}", track.first, track.last));
        }
        let all = marks.len();
        let text = loop {
            let more = match all - marks.len() {
                0 => String::new(),
                left => format!(" +{left} more"),
            };
            let text = format!("{}{more}", marks.join(" · "));
            if columns::width(&text) <= room || marks.is_empty() {
                break text;
            }
            marks.pop();
        };
        canvas.text(row, 0, text.trim_start(), canvas.look.ink(Ink::Plain));
    }

    /// A place in as many rows as its cell has; a long number may leave the cell, but not the area.
    fn bare_place(&self, canvas: &mut Canvas, cell: Rect, area: Rect, track: &Track, place: u8) {
        if cell.is_empty() {
            return;
        }
        let moves = leading(self.targets, place, cell.width.saturating_sub(1));
        let pieces_row = u16::from(cell.height >= ROWS);
        let standing = self.standing(place, cell.width);
        let is_empty = standing.is_none();
        if let Some((side, text)) = standing {
            middle(canvas, cell, pieces_row, &text, plate(&canvas.look, side));
        } else {
            middle(canvas, cell, pieces_row, "·", canvas.look.ink(Ink::Faint));
        }
        if cell.height > 1 {
            let number = place.to_string();
            // Adjacent numbers would run together.
            if cell.width > 2 || number.len() < 2 || place.is_multiple_of(5) {
                let style = self.number_style(&canvas.look, track, place);
                let wide = Rect { width: cell.width.max(columns::cells(&number)), ..cell };
                let wide = wide.intersection(area);
                middle(canvas, wide, pieces_row + 1, &number, style);
            }
        }
        if let Some(Leading { keys, is_chosen, number }) = moves {
            let style = if is_chosen { CHOSEN } else { canvas.look.ink(Ink::Key) };
            // Without a row of its own the key stands where there is nothing else to see, or else on the number.
            let (row, mark) = match (pieces_row, is_empty) {
                (1, _) | (0, true) => (0, "▼"),
                _ => (1.min(cell.height - 1), "▲"),
            };
            middle(canvas, cell, row, &format!("{keys}{mark}"), style);
            canvas.target(cell, Press::Pick(number));
        }
    }

    /// The pieces on a place as a text of at most this width.
    fn standing(&self, place: u8, room: u16) -> Option<(Side, String)> {
        if let Some(glide) = self.glide.filter(|glide| glide.nearest() == place) {
            return Some((glide.side, glyph(glide.side).to_owned()));
        }
        let moving = self.glide.map(|glide| (glide.side, glide.from));
        let here = self.scene.pieces.iter().filter(|piece| piece.at == place);
        let mut pieces: Vec<&Piece> = here.collect();
        if let Some(gone) = pieces.iter().position(|piece| moving == Some((piece.side, piece.at))) {
            pieces.remove(gone);
        }
        let side = pieces.first()?.side;
        let strengths: Vec<String> =
            pieces.iter().filter_map(|piece| piece.strength.map(|it| it.to_string())).collect();
        let mark = glyph(side);
        let candidates = match &strengths[..] {
            [] => vec![pointed(side, side.token()), side.token().to_owned()],
            [one] => vec![pointed(side, one)],
            [first, rest @ ..] if rest.iter().all(|other| other == first) => {
                vec![format!("{}{mark}{first}", pieces.len())]
            }
            [first, ..] => vec![pointed(side, &strengths.join("+")), format!("{mark}{first}+")],
        };
        let last = candidates.last().cloned();
        let fits = |text: &String| columns::cells(text) <= room;
        candidates.into_iter().find(fits).or(last).map(|text| (side, text))
    }
}

/// A text with a side's direction.
fn pointed(side: Side, text: &str) -> String {
    match side {
        Side::One => format!("{text}▶"),
        Side::Two => format!("◀{text}"),
    }
}
