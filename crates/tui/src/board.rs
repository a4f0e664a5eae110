//! Draws any scene as a board, as large as fits, with the legal moves marked.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use skirmish_rules::{
    Both, Change, Choice, Gauge, Names, Piece, Scene, Side, Table, Telling, Track, columns,
};

use super::keys::keys;
use super::look::{CHOSEN, Ink};
use super::motion::{Glide, touched};
use super::parts::Canvas;
use super::screen::Press;

/// A scene with everything to draw on it.
pub(super) struct BoardWidget<'a> {
    pub(super) scene: &'a Scene,
    pub(super) names: &'a Names,
    /// Where the legal moves lead.
    pub(super) targets: &'a [MoveTarget],
    /// The places that the last turn touched.
    pub(super) touched: &'a [u8],
    /// The sides whose gauges the last turn touched.
    pub(super) shaken: &'a [Side],
    /// The moving piece.
    pub(super) glide: Option<Glide>,
}

/// Where a legal move leads, and its key.
#[derive(Clone, Debug)]
pub(super) struct MoveTarget {
    pub(super) place: u8,
    pub(super) key: String,
    pub(super) is_chosen: bool,
    pub(super) number: usize,
}

/// Where each of a side's choices leads, by trying it on a fork of the table. None in simultaneous games.
pub(super) fn targets(
    table: &dyn Table,
    side: Side,
    choices: &[Choice],
    chosen: usize,
) -> Vec<MoveTarget> {
    let all_keys = keys(choices);
    let leads = |(number, choice): (usize, &Choice)| {
        let mut after = table.fork();
        after.play(&choice.notation).ok()?;
        let place = destination(&after.last_turn(), side)?;
        let (key, is_chosen) = (all_keys[number].to_string(), number == chosen);
        Some(MoveTarget { place, key, is_chosen, number })
    };
    choices.iter().enumerate().filter_map(leads).collect()
}

/// Where a move leads: the place its own piece moves to or appears on, or else the first place it touches.
fn destination(tellings: &[Telling], side: Side) -> Option<u8> {
    let own =
        tellings.iter().flat_map(|telling| &telling.changes).find_map(|change| match *change {
            Change::Moves { piece, to } if piece.side == side => Some(to),
            Change::Appears(piece) if piece.side == side => Some(piece.at),
            _ => None,
        });
    own.or_else(|| touched(tellings).0.first().copied())
}

/// The glyph of a side's pieces, which points in their direction.
pub(super) const fn glyph(side: Side) -> &'static str {
    match side {
        Side::One => "▶",
        Side::Two => "◀",
    }
}

/// Columns of a place in its widest form.
const WIDEST: u16 = 10;

/// The fewest columns of a framed place.
const FRAMED: u16 = 4;

/// The rows of a framed track: keys, frame, two rows of pieces, frame, numbers, goals.
const FRAMED_ROWS: u16 = 7;

/// Columns of a place in a track that is split into bands.
const BANDED: u16 = 4;

impl<'a> BoardWidget<'a> {
    /// A board at rest, without marks.
    pub(super) const fn still(scene: &'a Scene, names: &'a Names) -> Self {
        Self { scene, names, targets: &[], touched: &[], shaken: &[], glide: None }
    }

    /// The preferred height of the board.
    pub(super) fn rows(scene: &Scene, width: u16) -> u16 {
        let track = scene.track.map_or(0, |track| {
            if place_width(&track, width) >= FRAMED {
                FRAMED_ROWS
            } else {
                3 * u16::try_from(bands(&track, width).len()).unwrap_or(u16::MAX)
            }
        });
        track.saturating_add(if scene.gauges.is_some() { 5 } else { 0 })
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        let gauge_rows = match (self.scene.gauges, self.scene.track) {
            (None, _) => 0,
            (Some(_), None) => area.height,
            (Some(_), Some(_)) => area.height.min(5),
        };
        let track_area = Rect { height: area.height - gauge_rows, ..area };
        let gauge_area = Rect { y: area.y + track_area.height, height: gauge_rows, ..area };
        if let Some(track) = self.scene.track {
            let width = place_width(&track, area.width);
            if width >= FRAMED && track_area.height >= FRAMED_ROWS - 1 {
                self.framed(canvas, track_area, &track, width);
            } else {
                self.bare(canvas, track_area, &track);
            }
        }
        if let Some(gauges) = self.scene.gauges {
            self.gauges(canvas, gauge_area, gauges);
        }
    }

    /// With a frame around every place, and pieces in two rows.
    fn framed(&self, canvas: &mut Canvas, area: Rect, track: &Track, width: u16) {
        let places = places(track);
        let whole = width * places + 1;
        let left = area.x + (area.width - whole) / 2;
        let top = area.y + (area.height.saturating_sub(FRAMED_ROWS)) / 2;
        let faint = canvas.look.ink(Ink::Faint);
        for number in 0..places {
            let place = track.first + u8::try_from(number).unwrap_or(u8::MAX);
            let column = left + number * width;
            let cell = Rect { x: column, y: top, width: width + 1, height: FRAMED_ROWS };
            let cell = cell.intersection(area);
            let is_first = number == 0;
            let is_last = number + 1 == places;
            let bar = "─".repeat(usize::from(width) - 1);
            let corner = |first, middle| if is_first { first } else { middle };
            let end = |last: &'static str| if is_last { last } else { "" };
            canvas.text(cell, 1, &format!("{}{bar}{}", corner("╭", "┬"), end("╮")), faint);
            let blank = " ".repeat(usize::from(width) - 1);
            for row in [2, 3] {
                canvas.text(cell, row, &format!("│{blank}{}", end("│")), faint);
            }
            canvas.text(cell, 4, &format!("{}{bar}{}", corner("╰", "┴"), end("╯")), faint);
            let inside = Rect { x: column + 1, width: width - 1, ..cell }.intersection(area);
            self.key_above(canvas, inside, place);
            if let Some((side, glyphs, label)) = self.standing(place, usize::from(width) - 1) {
                let style = canvas.look.piece(side);
                if side == Side::Two {
                    let body = Rect { y: inside.y + 2, height: 2, ..inside }.intersection(area);
                    canvas.buffer.set_style(body, style);
                }
                middle(canvas, inside, 2, &glyphs, style);
                middle(canvas, inside, 3, &label, style);
            }
            middle(canvas, inside, 5, &place.to_string(), self.number_style(canvas, track, place));
        }
        goals(canvas, area, track, (left, top, width));
        if let Some(glide) = self.glide {
            let centre = |place: u8| {
                f64::from(left + u16::from(place - track.first) * width) + f64::from(width) / 2.0
            };
            let at = glide.between(centre(glide.from), centre(glide.to));
            let style = canvas.look.piece(glide.side);
            let spot = Rect { x: at, y: top, width: 1, height: FRAMED_ROWS }.intersection(area);
            canvas.text(spot, 2, glyph(glide.side), style);
            canvas.text(spot, 3, glyph(glide.side), style);
        }
    }

    /// The pieces on bands that are not shown.
    fn beyond(&self, hidden: &[usize], bands: &[(u8, u8)]) -> String {
        let is_hidden = |piece: &&Piece| {
            hidden.iter().any(|index| (bands[*index].0..=bands[*index].1).contains(&piece.at))
        };
        let pieces = self.scene.pieces.iter().filter(is_hidden);
        let each = pieces.map(|piece| format!("{} on {}", glyph(piece.side), piece.at));
        std::iter::once(String::new()).chain(each).collect::<Vec<String>>().join(", ")
    }

    /// Without frames: keys, pieces and numbers, in as many bands as needed.
    fn bare(&self, canvas: &mut Canvas, area: Rect, track: &Track) {
        let width = place_width(track, area.width).clamp(2, 3);
        let bands = bands(track, area.width);
        let width = if bands.len() > 1 { BANDED } else { width };
        let count = u16::try_from(bands.len()).unwrap_or(u16::MAX).max(1);
        let mut order: Vec<usize> = (0..bands.len()).collect();
        let mut rows = (area.height / count).min(3);
        if rows < 2 && bands.len() > 1 {
            // Not all bands fit: show those with pieces or targets, and say so.
            let is_quiet = |index: &usize| {
                let (first, last) = bands[*index];
                let places = self.scene.pieces.iter().map(|piece| piece.at);
                let mut places = places.chain(self.targets.iter().map(|target| target.place));
                !places.any(|place| (first..=last).contains(&place))
            };
            // Rather all pieces than the keys above their targets.
            let wanted = order.iter().filter(|index| !is_quiet(index)).count();
            let room = area.height.saturating_sub(1);
            let fits = |rows: &u16| usize::from(room / rows) >= wanted;
            rows = [3, 2].into_iter().find(fits).unwrap_or(2).min(room).max(1);
            order.sort_by_key(is_quiet);
            let hidden = order.split_off(usize::from(room / rows).min(order.len()));
            let beyond = self.beyond(&hidden, &bands);
            order.sort_unstable();
            let text = format!("… of positions {} to {}{beyond}", track.first, track.last);
            canvas.text(area, area.height.saturating_sub(1), &text, canvas.look.ink(Ink::Faint));
        }
        let rows = rows.max(1);
        for (nth, index) in (0_u16..).zip(order) {
            let (first, last) = bands[index];
            for place in first..=last {
                let column = u16::from(place - first) * width;
                let cell = Rect { x: area.x + column, y: area.y + nth * rows, width, height: rows };
                let cell = cell.intersection(area);
                self.bare_place(canvas, cell, track, place, rows);
            }
        }
    }

    fn bare_place(&self, canvas: &mut Canvas, cell: Rect, track: &Track, place: u8, rows: u16) {
        let faint = canvas.look.ink(Ink::Faint);
        let pieces_row = u16::from(rows > 2);
        if rows > 2 {
            self.key_above(canvas, cell, place);
        }
        let is_gliding = self.glide.is_some_and(|glide| glide.nearest() == place);
        if let Some(glide) = self.glide.filter(|_| is_gliding) {
            canvas.text(cell, pieces_row, glyph(glide.side), canvas.look.piece(glide.side));
        } else if let Some((side, glyphs, label)) = self.standing(place, usize::from(cell.width)) {
            let style = canvas.look.piece(side);
            let many = glyphs.chars().count() > 1;
            let text = if label.starts_with('P') {
                label
            } else if many {
                label.replace('×', glyph(side))
            } else {
                format!("{}{label}", glyph(side))
            };
            canvas.text(cell, pieces_row, &text, style);
        } else {
            canvas.text(cell, pieces_row, "·", faint);
        }
        if rows > 1 {
            let number = place.to_string();
            // Adjacent numbers would run together.
            let is_shown = cell.width > 2 || number.len() < 2 || place.is_multiple_of(5);
            if is_shown {
                let style = self.number_style(canvas, track, place);
                let wide = Rect { width: cell.width.max(3), ..cell };
                let wide = wide.intersection(canvas.buffer.area);
                canvas.text(wide, pieces_row + 1, &number, style);
            }
        }
    }

    /// The pieces on a place: a glyph for each, and their strength or the side's token.
    fn standing(&self, place: u8, room: usize) -> Option<(Side, String, String)> {
        let moving = self.glide.map(|glide| (glide.side, glide.from));
        let mut left_out = false;
        let pieces: Vec<&Piece> = self
            .scene
            .pieces
            .iter()
            .filter(|piece| piece.at == place)
            .filter(|piece| {
                let is_moving = moving == Some((piece.side, piece.at)) && !left_out;
                left_out |= is_moving;
                !is_moving
            })
            .collect();
        let first = pieces.first()?;
        let glyphs: String = pieces.iter().map(|piece| glyph(piece.side)).take(room).collect();
        let label = match first.strength {
            None => first.side.token().to_owned(),
            Some(strength) if pieces.len() == 1 => strength.to_string(),
            Some(strength) => format!("{}×{strength}", pieces.len()),
        };
        Some((first.side, glyphs, label))
    }

    /// Draws the key of the move that leads to a place, above it.
    fn key_above(&self, canvas: &mut Canvas, cell: Rect, place: u8) {
        let here: Vec<&MoveTarget> =
            self.targets.iter().filter(|target| target.place == place).collect();
        let Some(first) = here.first() else { return };
        let keys: Vec<&str> = here.iter().map(|target| target.key.as_str()).collect();
        let text = format!("{}▼", keys.join(","));
        let is_chosen = here.iter().any(|target| target.is_chosen);
        let style = if is_chosen { CHOSEN } else { canvas.look.ink(Ink::Key) };
        middle(canvas, cell, 0, &text, style);
        canvas.target(cell, Press::Pick(first.number));
    }

    fn number_style(&self, canvas: &Canvas, track: &Track, place: u8) -> Style {
        let goal = Side::ALL.into_iter().find(|&side| track.goal[side] == place);
        let style = canvas.look.ink(goal.map_or(Ink::Faint, Ink::Side));
        if self.touched.contains(&place) {
            style.remove_modifier(Modifier::DIM).add_modifier(Modifier::REVERSED)
        } else {
            style
        }
    }

    fn gauges(&self, canvas: &mut Canvas, area: Rect, gauges: Both<Gauge>) {
        let rows = if area.height >= 6 { 3 } else { 2 };
        let rows = if area.height < 4 { 1 } else { rows };
        let top = area.height.saturating_sub(rows * 2) / 2;
        for (nth, side) in (0_u16..).zip(Side::ALL) {
            let gauge = gauges[side];
            let place = Rect { y: area.y + top + nth * rows, height: rows, ..area };
            let place = place.intersection(area);
            let ink = canvas.look.ink(Ink::Side(side));
            let is_shaken = self.shaken.contains(&side);
            let style = if is_shaken { ink.add_modifier(Modifier::REVERSED) } else { ink };
            let words = format!("{} {}", gauge.value, gauge.label);
            let head = Line::from(vec![
                Span::styled(format!("{} {}", glyph(side), self.names[side]), ink),
                Span::raw("  "),
                Span::styled(words, style),
            ]);
            let bar = bar(gauge, area.width, side);
            canvas.line(place, 0, &head);
            if rows > 1 {
                canvas.text(place, 1, &bar, ink.remove_modifier(Modifier::UNDERLINED));
            }
        }
    }
}

/// Draws each side's goal.
fn goals(canvas: &mut Canvas, area: Rect, track: &Track, (left, top, width): (u16, u16, u16)) {
    for side in Side::ALL {
        let goal = track.goal[side];
        let text = match side {
            Side::One => format!("{} goal", glyph(side)),
            Side::Two => format!("goal {}", glyph(side)),
        };
        let length = columns::cells(&text);
        let centre = left + u16::from(goal - track.first) * width + width / 2;
        let right = area.x + area.width;
        // If both have the same goal, draw one label on either side of it.
        let shift = if track.goal.one != track.goal.two {
            length / 2
        } else if side == Side::One {
            length + 1
        } else {
            0
        };
        let column = centre.saturating_sub(shift).max(area.x).min(right.saturating_sub(length));
        let spot = Rect { x: column, y: top, width: length, height: FRAMED_ROWS };
        canvas.text(spot.intersection(area), 6, &text, canvas.look.ink(Ink::Side(side)));
    }
}

/// A gauge as a row of blocks.
fn bar(gauge: Gauge, width: u16, side: Side) -> String {
    let block = usize::from((width / u16::from(gauge.max.max(1))).clamp(2, 13)) - 1;
    let full = match side {
        Side::One => "█",
        Side::Two => "▓",
    };
    let cells = (1..=gauge.max)
        .map(|point| if point <= gauge.value { full.repeat(block) } else { "░".repeat(block) });
    cells.collect::<Vec<String>>().join(" ")
}

fn middle(canvas: &mut Canvas, area: Rect, row: u16, text: &str, style: Style) {
    let length = columns::cells(text).min(area.width);
    let x = area.x + (area.width - length) / 2;
    let spot = Rect { x, width: length, ..area };
    canvas.text(spot, row, text, style);
}

fn places(track: &Track) -> u16 {
    u16::from(track.last - track.first) + 1
}

fn place_width(track: &Track, width: u16) -> u16 {
    (width.saturating_sub(1) / places(track)).min(WIDEST)
}

/// The first and the last place of each band.
fn bands(track: &Track, width: u16) -> Vec<(u8, u8)> {
    if place_width(track, width) >= 2 {
        return vec![(track.first, track.last)];
    }
    let each = u8::try_from((width / BANDED).clamp(1, 255)).unwrap_or(u8::MAX);
    let starts = (track.first..=track.last).step_by(each.into());
    starts.map(|first| (first, first.saturating_add(each - 1).min(track.last))).collect()
}
