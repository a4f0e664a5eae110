//! Draws the places of a road: below the figures, or without room for them, a label for each piece, the numbers and the keys.

use ratatui::layout::Rect;
use ratatui::style::Style;
use skirmish_rules::{Piece, Side, Track, columns};

use super::super::look::{CHOSEN, Ink};
use super::super::parts::{Canvas, extent};
use super::super::screen::Press;
use super::crowd::{Wish, arrange};
use super::layout::{Band, places};
use super::moves::leading;
use super::{Mark, Shown, glyph, ground, middle, plate};

/// Maximum width of a place without figures.
const WIDEST: u16 = 10;

/// Width of a place if the track is split into bands.
const BANDED: u16 = 4;

/// Number of rows of a place: its pieces, its number and its key.
const ROWS: u16 = 3;

/// Minimum width of a place.
const NARROWEST: u16 = 2;

/// The first and last place of each band: a single band, if places are wide enough for it.
fn bands(track: &Track, width: u16) -> Vec<(u8, u8)> {
    let is_single = width / places(track) >= NARROWEST;
    let most = if is_single { places(track) } else { (width / BANDED).max(1) };
    // Make all bands equally long.
    let per = places(track).div_ceil(places(track).div_ceil(most));
    let starts = (track.first..=track.last).step_by(per.into());
    let ends = |first: u8| u8::try_from(u16::from(first) + per - 1).unwrap_or(u8::MAX);
    starts.map(|first| (first, ends(first).min(track.last))).collect()
}

/// The height that a road without drawings uses well.
pub(super) fn rows(track: &Track, width: u16, most: u16) -> u16 {
    let count = extent(bands(track, width).len());
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
    /// Draws a road without room for figures.
    pub(super) fn bare_road(&self, canvas: &mut Canvas, area: Rect, track: &Track) {
        if area.is_empty() {
            return;
        }
        let mut shown = bands(track, area.width);
        let longest = shown.iter().map(|(first, last)| u16::from(last - first) + 1).max();
        let width = (area.width / longest.unwrap_or(1)).clamp(1, WIDEST);
        let count = extent(shown.len());
        let mut rows = (area.height / count).min(ROWS);
        if rows < 2 && count > 1 {
            // Not all bands fit: show the most important, and describe the rest in a line.
            let room = area.height.saturating_sub(1);
            let needed = shown.iter().filter(|band| self.weight(**band) > 0).count();
            let needed = extent(needed).max(1);
            rows = (room / needed).clamp(2, ROWS).min(room).max(1);
            shown.sort_by_key(|band| std::cmp::Reverse(self.weight(*band)));
            shown.truncate(usize::from(room / rows));
            shown.sort_unstable();
            let row = Rect { y: area.bottom() - 1, height: 1, ..area };
            self.beyond(canvas, row, track, &shown);
        }
        let whole = if count == 1 { width * places(track) } else { area.width };
        let left = area.x + (area.width - whole.min(area.width)) / 2;
        // A single band stands at the bottom.
        let top = if count == 1 { area.bottom() - rows } else { area.y };
        let band = |(y, (first, last)): (u16, (u8, u8))| {
            let low = Rect { y, height: rows, ..area }.intersection(canvas.buffer.area);
            Band { first, last, left, width, air: Rect { height: 0, ..low }, low }
        };
        let bands: Vec<Band> = (top..).step_by(rows.into()).zip(shown).map(band).collect();
        self.places(canvas, area, track, &bands);
    }

    /// Draws the labels, the numbers and the keys of all places.
    pub(super) fn places(&self, canvas: &mut Canvas, area: Rect, track: &Track, bands: &[Band]) {
        let forms = [Form::Full, Form::Whole, Form::Brief];
        let has_figures = bands.iter().any(Band::has_figures);
        let forms = forms.into_iter().filter(|form| has_figures || *form != Form::Full);
        let labels = forms.into_iter().find_map(|form| {
            bands.iter().map(|band| self.labels(band, area, form)).collect::<Option<Vec<_>>>()
        });
        let labels =
            labels.unwrap_or_else(|| bands.iter().map(|band| self.crowded(band)).collect());
        for (band, labels) in bands.iter().zip(&labels) {
            for place in band.first..=band.last {
                self.place(canvas, band, area, track, place, labels);
            }
            for label in labels {
                let Label { side, ref text, x } = *label;
                let width = columns::cells(text).min(area.right().saturating_sub(x));
                let row = Rect { x, width, ..band.low };
                canvas.text(row, 0, text, plate(&canvas.look, side));
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
    fn place(
        &self,
        canvas: &mut Canvas,
        band: &Band,
        area: Rect,
        track: &Track,
        place: u8,
        labels: &[Label],
    ) {
        let cell = Rect { x: band.column(place), width: band.width, ..band.low }.intersection(area);
        if cell.is_empty() {
            return;
        }
        let has_figures = band.has_figures();
        let on_ground =
            |style: Style| if has_figures { ground::on_road(canvas, style) } else { style };
        let is_covered = |from: u16, to: u16| labels.iter().any(|label| label.covers(from, to));
        let mark = Mark::of(track, place);
        let faint = canvas.look.ink(Ink::Faint);
        let style = on_ground(mark.map_or(faint, |mark| mark.style(&canvas.look)));
        let number_style = on_ground(self.number_style(&canvas.look, track, place));
        let at = Rect { x: band.centre(place), width: 1, ..cell };
        let dot = match mark {
            _ if has_figures && (mark.is_none() || self.gallery.base.is_some()) => "",
            Some(Mark::Goal) if has_figures && self.gallery.goal.is_some() => "",
            Some(Mark::Base(_)) => "■",
            Some(Mark::Goal) => "◆",
            None => "·",
        };
        if !dot.is_empty() && !is_covered(at.x.saturating_sub(1), at.x + 2) {
            canvas.text(at, 0, dot, style);
        }
        if cell.height > 1 {
            let number = place.to_string();
            let length = columns::cells(&number);
            if has_figures && cell.width >= length + 3 {
                let bar = "━".repeat(usize::from(cell.width) - 1);
                canvas.text(cell, 1, &bar, style);
                middle(canvas, cell, 1, &format!(" {number} "), number_style);
            } else if cell.width > 2 || length < 2 || is_numbered(track, place) {
                // In narrow cells, adjacent two-digit numbers would run together.
                let wide = Rect { width: cell.width.max(length), ..cell }.intersection(area);
                middle(canvas, wide, 1, &number, number_style);
            }
        }
        let Some(moves) = leading(self.targets, place, cell.width.saturating_sub(1)) else {
            return;
        };
        let keys = columns::cells(&moves.keys);
        let style = if moves.is_chosen { CHOSEN } else { canvas.look.ink(Ink::Key) };
        if cell.height >= ROWS {
            let cap = match &moves.keys {
                keys if columns::cells(keys) + 2 <= cell.width => format!("[{keys}]"),
                keys => format!("{keys}▲"),
            };
            middle(canvas, cell, 2, &cap, style);
        } else if !is_covered(cell.x, cell.right()) && keys < cell.width {
            middle(canvas, cell, 0, &format!("{}▼", moves.keys), style);
        }
        let column = Rect { y: band.air.y, height: band.air.height + cell.height, ..cell };
        canvas.target(column, Press::Pick(moves.number));
    }

    /// Arranges labels for the pieces on a band, with gaps between; `None` if they do not fit.
    fn labels(&self, band: &Band, area: Rect, form: Form) -> Option<Vec<Label>> {
        let standing = self.all_standing(band, form);
        let is_long = |(_, _, text): &(u8, Side, String)| columns::cells(text) >= band.width;
        if form == Form::Full && standing.iter().any(is_long) {
            return None;
        }
        let wishes = standing.iter().map(|(place, _, text)| {
            let length = i32::from(columns::cells(text));
            // Centre the label over the number, even if the gap makes the width even.
            Wish { centre: i32::from(band.centre(*place)) + length % 2, width: length + 1 }
        });
        let wishes: Vec<Wish> = wishes.collect();
        // The last label needs no gap.
        let (from, to) = (i32::from(area.x), i32::from(area.right()) + 1);
        let places = arrange(&wishes, from, to)?.into_iter();
        let labels = standing.into_iter().zip(places).map(|((_, side, text), x)| {
            let x = u16::try_from(x).ok()?;
            Some(Label { side, text, x })
        });
        labels.collect()
    }

    /// Labels for the pieces on a band, centred on their places even if they overlap.
    fn crowded(&self, band: &Band) -> Vec<Label> {
        let standing = self.all_standing(band, Form::Brief).into_iter();
        let label = |(place, side, text): (u8, Side, String)| {
            let x = band.column(place) + band.width.saturating_sub(columns::cells(&text)) / 2;
            Label { side, text, x }
        };
        standing.map(label).collect()
    }

    /// The labels of a band with their places and sides.
    fn all_standing(&self, band: &Band, form: Form) -> Vec<(u8, Side, String)> {
        let standing = (band.first..=band.last).filter_map(|place| {
            let (side, mut text) = self.standing(band, place, form)?;
            // Without a row of its own, a key joins the label of the piece on its place.
            if band.low.height < ROWS
                && let Some(moves) = leading(self.targets, place, band.width)
            {
                text = format!("{text}[{}]", moves.keys);
            }
            Some((place, side, text))
        });
        standing.collect()
    }

    /// The label of the pieces on a place, and their side. A moving piece has a label only if it has no figure.
    fn standing(&self, band: &Band, place: u8, form: Form) -> Option<(Side, String)> {
        if let Some(glide) = self.glide.filter(|it| !band.has_figures() && it.nearest() == place) {
            let side = glide.piece.side;
            return Some((side, glyph(side).to_owned()));
        }
        let pieces: Vec<Piece> = self.staying().filter(|piece| piece.at == place).collect();
        let side = pieces.first()?.side;
        let strengths: Vec<u8> = pieces.iter().filter_map(|piece| piece.strength).collect();
        let text = match (form, &strengths[..], side) {
            (Form::Full, [], Side::One) => pointed(side, &format!("{} ", self.names[side])),
            (Form::Full, [], Side::Two) => pointed(side, &format!(" {}", self.names[side])),
            (Form::Full, _, Side::One) => {
                pointed(side, &format!("{} {}", pips(&strengths), sum(&strengths)))
            }
            (Form::Full, _, Side::Two) => {
                pointed(side, &format!("{} {}", sum(&strengths), pips(&strengths)))
            }
            (Form::Whole, [], _) => pointed(side, side.token()),
            (Form::Brief, [], _) => side.token().to_owned(),
            (Form::Brief, [first, _, _, ..], _) => format!("{}{first}+", glyph(side)),
            (Form::Whole | Form::Brief, _, _) => pointed(side, &sum(&strengths)),
        };
        Some((side, text))
    }
}

/// Formats strengths as numbers: `4`, `2×1` or `1+3`.
fn sum(strengths: &[u8]) -> String {
    match strengths {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|other| other == first) => {
            format!("{}×{first}", strengths.len())
        }
        _ => strengths.iter().map(u8::to_string).collect::<Vec<_>>().join("+"),
    }
}

/// Formats strengths as pips: `●●●●`, `● ●` or `● ●●●`.
fn pips(strengths: &[u8]) -> String {
    let each = strengths.iter().map(|strength| "●".repeat((*strength).into()));
    each.collect::<Vec<_>>().join(" ")
}

/// Adds an arrow in a side's direction to a text.
fn pointed(side: Side, text: &str) -> String {
    match side {
        Side::One => format!("{text}▶"),
        Side::Two => format!("◀{text}"),
    }
}

/// The level of detail of labels, the same for all places so that both sides look equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Names, or strengths as pips and numbers, no wider than a place.
    Full,
    /// Tokens, or strengths as numbers.
    Whole,
    Brief,
}

/// The label of the pieces on a place.
struct Label {
    side: Side,
    text: String,
    x: u16,
}

impl Label {
    /// Whether the label covers one of the columns from `from` to before `to`.
    fn covers(&self, from: u16, to: u16) -> bool {
        self.x < to && from < self.x + columns::cells(&self.text)
    }
}
