//! Draws a road without room for drawings: a glyph and a number for each piece, in as many bands as needed.

use ratatui::layout::Rect;
use skirmish_rules::{Piece, Side, Track, columns};

use super::super::look::{CHOSEN, Ink};
use super::super::parts::{Canvas, extent};
use super::super::screen::Press;
use super::crowd::{Wish, arrange};
use super::layout::{places, pointed, sum};
use super::moves::{Leading, leading};
use super::{Mark, Shown, glyph, middle, plate, skyline};

/// Maximum width of a place.
const WIDEST: u16 = 10;

/// Width of a place if the track is split into bands.
const BANDED: u16 = 4;

/// Number of rows of a place: its key, its pieces and its number.
const ROWS: u16 = 3;

/// Minimum width of a place.
const NARROWEST: u16 = 2;

/// The first and last place of each band: a single band, if places at least `least` columns wide fit.
fn bands(track: &Track, width: u16, least: u16) -> Vec<(u8, u8)> {
    let most = if width / places(track) >= least { places(track) } else { (width / BANDED).max(1) };
    // Make all bands equally long.
    let per = places(track).div_ceil(places(track).div_ceil(most));
    let starts = (track.first..=track.last).step_by(per.into());
    let ends = |first: u8| u8::try_from(u16::from(first) + per - 1).unwrap_or(u8::MAX);
    starts.map(|first| (first, ends(first).min(track.last))).collect()
}

/// The height that a road without drawings uses well.
pub(super) fn rows(track: &Track, width: u16, most: u16) -> u16 {
    let count = extent(bands(track, width, NARROWEST).len());
    let rows = [ROWS, 2].into_iter().map(|rows| count.saturating_mul(rows));
    rows.into_iter().find(|rows| *rows <= most).unwrap_or(most)
}

/// Whether a place keeps its number if there is no room for all: bases, goals and every fifth place do.
fn is_numbered(track: &Track, place: u8) -> bool {
    let has_mark = |place: u8| Mark::of(track, place).is_some();
    let is_beside = has_mark(place.saturating_sub(1)) || has_mark(place.saturating_add(1));
    has_mark(place) || (place.is_multiple_of(5) && !is_beside)
}

impl Shown<'_> {
    pub(super) fn compact(&self, canvas: &mut Canvas, area: Rect, track: &Track) {
        if area.is_empty() {
            return;
        }
        let bands = bands(track, area.width, NARROWEST);
        let longest = bands.iter().map(|(first, last)| u16::from(last - first) + 1).max();
        let width = (area.width / longest.unwrap_or(1)).clamp(1, WIDEST);
        let count = extent(bands.len());
        let mut rows = (area.height / count).min(ROWS);
        let mut shown: Vec<(u8, u8)> = bands.clone();
        if rows < 2 && count > 1 {
            // Not all bands fit: show the most important, and describe the rest in a line.
            let room = area.height.saturating_sub(1);
            let needed = bands.iter().filter(|band| self.weight(**band) > 0).count();
            let needed = extent(needed).max(1);
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
        // A single band stands at the bottom, below its figures.
        let air = if count == 1 { area.height - rows } else { 0 };
        let x = area.x + (area.width - whole.min(area.width)) / 2;
        let bands: Vec<BareBand> = (0..)
            .zip(shown)
            .map(|(nth, (first, last))| {
                let area = Rect { x, y: area.y + air + nth * rows, height: rows, width: whole };
                BareBand { first, last, width, area: area.intersection(canvas.buffer.area) }
            })
            .collect();
        if let [band] = &bands[..] {
            skyline::draw(self, canvas, Rect { height: air, ..area }, track, band);
        }
        let forms = [Form::Whole, Form::Brief];
        let labels = forms.into_iter().find_map(|form| {
            bands.iter().map(|band| self.labels(band, area, form)).collect::<Option<Vec<_>>>()
        });
        let labels =
            labels.unwrap_or_else(|| bands.iter().map(|band| self.crowded(band)).collect());
        for (band, labels) in bands.iter().zip(&labels) {
            for place in band.first..=band.last {
                self.bare_place(canvas, band, area, track, place, labels);
            }
            let row = band.row_of_pieces();
            for label in labels {
                let Label { side, ref text, x } = *label;
                let width = columns::cells(text).min((area.x + area.width).saturating_sub(x));
                let place = Rect { x, width, ..band.area };
                canvas.text(place, row, text, plate(&canvas.look, side));
            }
        }
    }

    /// The importance of a band: a moving piece counts most, then pieces of both sides, then targets of moves.
    fn weight(&self, (first, last): (u8, u8)) -> usize {
        let holds = |place: u8| (first..=last).contains(&place);
        let moves = self.glide.is_some_and(|glide| holds(glide.nearest()));
        let sides = Side::ALL.into_iter().filter(|side| {
            self.scene.pieces.iter().any(|piece| piece.side == *side && holds(piece.at))
        });
        let targets = self.targets.iter().filter(|target| holds(target.place));
        100 * usize::from(moves) + 10 * sides.count() + targets.count().min(9)
    }

    /// Describes the important pieces, moves and goals in the hidden bands.
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
        let goal = (track.first..=track.last)
            .find(|place| Mark::of(track, *place) == Some(Mark::Goal) && is_hidden(*place))
            .map(|place| pointed(format!("goal at {place}"), place));
        let whole = |name: &dyn Fn(Side) -> String| {
            let pieces = hidden().map(|piece| named(piece, &name(piece.side)));
            pieces.chain(keys.iter().cloned()).chain(goal.clone()).collect::<Vec<String>>()
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

    /// Draws a place within its band. A long number may extend beyond its cell, but not beyond the area.
    fn bare_place(
        &self,
        canvas: &mut Canvas,
        band: &BareBand,
        area: Rect,
        track: &Track,
        place: u8,
        labels: &[Label],
    ) {
        let cell = band.cell(place).intersection(area);
        if cell.is_empty() {
            return;
        }
        let moves = leading(self.targets, place, cell.width.saturating_sub(1));
        let pieces_row = band.row_of_pieces();
        let is_covered = labels.iter().any(|label| label.covers(cell));
        let mark = Mark::of(track, place);
        let (dot, style) = match mark {
            Some(Mark::Base(_)) => ("■", mark.map(|mark| mark.style(&canvas.look))),
            Some(Mark::Goal) => ("◆", mark.map(|mark| mark.style(&canvas.look))),
            None => ("·", None),
        };
        let at = Rect { x: band.middle(place), width: 1, ..cell };
        let around = Rect { x: at.x.saturating_sub(1), width: 3, ..at };
        if !labels.iter().any(|label| label.covers(around)) {
            let style = style.unwrap_or_else(|| canvas.look.ink(Ink::Faint));
            canvas.text(at, pieces_row, dot, style);
        }
        if cell.height > 1 {
            let number = place.to_string();
            // In narrow cells, adjacent two-digit numbers would run together.
            if cell.width > 2 || number.len() < 2 || is_numbered(track, place) {
                let style = self.number_style(&canvas.look, track, place);
                let wide = Rect { width: cell.width.max(columns::cells(&number)), ..cell };
                let wide = wide.intersection(area);
                middle(canvas, wide, pieces_row + 1, &number, style);
            }
        }
        if let Some(Leading { keys, is_chosen, number }) = moves {
            let style = if is_chosen { CHOSEN } else { canvas.look.ink(Ink::Key) };
            // Without a row of its own, the key replaces the place's dot or, if a piece covers that, the number.
            let (row, mark) = match (pieces_row, is_covered) {
                (1, _) | (0, false) => (0, "▼"),
                _ => (1.min(cell.height - 1), "▲"),
            };
            middle(canvas, cell, row, &format!("{keys}{mark}"), style);
            canvas.target(cell, Press::Pick(number));
        }
    }

    /// Arranges labels for the pieces on a band, with gaps between; `None` if they do not fit.
    fn labels(&self, band: &BareBand, area: Rect, form: Form) -> Option<Vec<Label>> {
        let standing: Vec<(u8, Side, String)> = self.all_standing(band, form).collect();
        let wishes = standing.iter().map(|(place, _, text)| {
            let length = i32::from(columns::cells(text));
            // Centre the label over the dot and the number, even if the gap makes the width even.
            Wish { centre: i32::from(band.middle(*place)) + length % 2, width: length + 1 }
        });
        let wishes: Vec<Wish> = wishes.collect();
        // The last label needs no gap.
        let (from, to) = (i32::from(area.x), i32::from(area.x + area.width) + 1);
        let places = arrange(&wishes, from, to)?.into_iter();
        let labels = standing.into_iter().zip(places).map(|((_, side, text), x)| {
            let x = u16::try_from(x).ok()?;
            Some(Label { side, text, x })
        });
        labels.collect()
    }

    /// Labels for the pieces on a band, centred on their places even if they overlap.
    fn crowded(&self, band: &BareBand) -> Vec<Label> {
        let standing = self.all_standing(band, Form::Brief);
        let label = |(place, side, text): (u8, Side, String)| {
            let cell = band.cell(place);
            let x = cell.x + cell.width.saturating_sub(columns::cells(&text)) / 2;
            Label { side, text, x }
        };
        standing.map(label).collect()
    }

    fn all_standing(
        &self,
        band: &BareBand,
        form: Form,
    ) -> impl Iterator<Item = (u8, Side, String)> {
        (band.first..=band.last).filter_map(move |place| {
            let (side, text) = self.standing(place, form)?;
            Some((place, side, text))
        })
    }

    /// The label of the pieces on a place, and their side.
    fn standing(&self, place: u8, form: Form) -> Option<(Side, String)> {
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
        let strengths: Vec<u8> = pieces.iter().filter_map(|piece| piece.strength).collect();
        let text = match (form, &strengths[..]) {
            (Form::Whole, []) => pointed(side, side.token()),
            (Form::Brief, []) => side.token().to_owned(),
            (Form::Brief, [first, _, _, ..]) => format!("{}{first}+", glyph(side)),
            _ => pointed(side, &sum(&strengths)),
        };
        Some((side, text))
    }
}

/// The level of detail of labels, the same for all places.
#[derive(Clone, Copy, Debug)]
enum Form {
    Whole,
    Brief,
}

/// A band: a part of the road in one row.
pub(super) struct BareBand {
    first: u8,
    last: u8,
    pub(super) area: Rect,
    /// The width of a place.
    width: u16,
}

impl BareBand {
    fn cell(&self, place: u8) -> Rect {
        let x = self.area.x + u16::from(place - self.first) * self.width;
        Rect { x, width: self.width, ..self.area }
    }

    /// The column of a place's dot.
    pub(super) fn middle(&self, place: u8) -> u16 {
        self.cell(place).x + (self.width - 1) / 2
    }

    /// The row that shows the pieces; the keys may stand above.
    const fn row_of_pieces(&self) -> u16 {
        if self.area.height >= ROWS { 1 } else { 0 }
    }
}

/// The label of the pieces on a place.
struct Label {
    side: Side,
    text: String,
    x: u16,
}

impl Label {
    fn covers(&self, cell: Rect) -> bool {
        self.x < cell.x + cell.width && cell.x < self.x + columns::cells(&self.text)
    }
}
