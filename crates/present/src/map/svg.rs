//! Draws maps as self-contained SVG pictures.

use super::canvas::{EMPTY, FAINT_INK, SvgCanvas, Type, color, hex, ink};
use super::picture::{Bar, Bars, Fill, Key, Panel, Picture, Sheet, Tile, Tone};

const MARGIN: f64 = 32.0;
const GAP: f64 = 44.0;
/// Maximum total width of panels placed side by side.
const WIDEST: f64 = 1280.0;

/// The map as the text of an SVG file.
pub(super) fn draw(picture: &Picture) -> String {
    let sizes: Vec<(f64, f64)> = picture.columns.iter().map(|panels| column_size(panels)).collect();
    let beside = sizes.iter().map(|(width, _)| width + GAP).sum::<f64>() - GAP;
    let is_beside = beside + 2.0 * MARGIN <= WIDEST;
    let widest = sizes.iter().map(|(width, _)| *width).fold(0.0, f64::max);
    let inner = if is_beside { beside } else { widest }.max(460.0);

    let mut canvas = SvgCanvas::default();
    let mut y = MARGIN + 22.0;
    canvas.text(MARGIN, y, &Type { size: 24.0, weight: 700, ..Type::LEFT }, &picture.title);
    y += 24.0;
    for line in wrap(&picture.subtitle, inner, 15.0) {
        canvas.text(MARGIN, y, &Type { size: 15.0, ink: FAINT_INK, ..Type::LEFT }, &line);
        y += 20.0;
    }
    y += 16.0;
    let (mut x, top) = (MARGIN, y);
    for (panels, (width, height)) in picture.columns.iter().zip(&sizes) {
        column(&mut canvas, x, y, panels);
        if is_beside {
            x += width + GAP;
        } else {
            y += height + GAP;
        }
    }
    let tallest = sizes.iter().map(|(_, height)| *height).fold(0.0, f64::max);
    y = if is_beside { top + tallest } else { y - GAP };
    y = legend(&mut canvas, y + 30.0, inner, &picture.legend);
    for line in picture.notes.iter().flat_map(|note| wrap(note, inner, 13.0)) {
        canvas.text(MARGIN, y, &Type { ink: FAINT_INK, ..Type::LEFT }, &line);
        y += 19.0;
    }
    canvas.finish(inner + 2.0 * MARGIN, y - 19.0 + MARGIN, &picture.title, &picture.subtitle)
}

/// Dimensions of a panel.
const TITLE: f64 = 30.0;
const ACROSS: f64 = 40.0;
const DOWN: f64 = 48.0;
/// The size of the smallest tiles, which have no letters.
const TINY: f64 = 6.0;
const BAR_STEP: f64 = 21.0;
const BAR_LABEL: f64 = 66.0;
const BAR_FULL: f64 = 250.0;
const BAR_NOTE: f64 = 136.0;

/// The size of a sheet's tiles, which is smaller if there are many.
fn tile_size(sheet: &Sheet) -> (f64, f64) {
    let tiles = || sheet.tiles.iter().flatten();
    if tiles().any(|tile| matches!(tile.fill, Fill::Shares(_))) {
        return (104.0, 50.0);
    }
    let letters = tiles().map(|tile| tile.text.chars().count()).max().unwrap_or(1);
    match sheet.across.ticks.len().max(sheet.down.ticks.len()) {
        ..=7 => (66.0, 46.0),
        8..=26 if letters > 3 => (46.0, 40.0),
        8..=26 => (40.0, 34.0),
        27..=60 => (30.0, 24.0),
        _ => (TINY, TINY),
    }
}

fn column_size(panels: &[Panel]) -> (f64, f64) {
    let sizes = panels.iter().map(panel_size);
    let (width, height) =
        sizes.fold((0.0_f64, 0.0), |all, (width, height)| (all.0.max(width), all.1 + height + GAP));
    (width, height - GAP)
}

#[allow(clippy::cast_precision_loss)] // a picture has few tiles
fn panel_size(panel: &Panel) -> (f64, f64) {
    match panel {
        Panel::Sheet(sheet) => {
            let (width, height) = tile_size(sheet);
            let (rows, columns) = (sheet.down.ticks.len() as f64, sheet.across.ticks.len() as f64);
            (DOWN + width * columns, TITLE + ACROSS + height * rows)
        }
        Panel::Bars(bars) => {
            (BAR_LABEL + BAR_FULL + BAR_NOTE, TITLE + BAR_STEP * bars.rows.len() as f64)
        }
    }
}

fn column(canvas: &mut SvgCanvas, x: f64, mut y: f64, panels: &[Panel]) {
    for panel in panels {
        match panel {
            Panel::Sheet(sheet) => lay_out(canvas, x, y, sheet),
            Panel::Bars(bars) => list(canvas, x, y, bars),
        }
        y += panel_size(panel).1 + GAP;
    }
}

#[allow(clippy::cast_precision_loss)] // a picture has few tiles
fn lay_out(canvas: &mut SvgCanvas, x: f64, y: f64, sheet: &Sheet) {
    let (width, height) = tile_size(sheet);
    let (left, top) = (x + DOWN, y + TITLE + ACROSS);
    let (rows, columns) = (sheet.down.ticks.len() as f64, sheet.across.ticks.len() as f64);
    canvas.text(x, y + 14.0, &Type { size: 16.0, weight: 600, ..Type::LEFT }, &sheet.title);
    let faint = Type { ink: FAINT_INK, ..Type::MIDDLE };
    canvas.text(left + width * columns / 2.0, y + TITLE + 12.0, &faint, &sheet.across.label);
    canvas.upright(x + 11.0, top + height * rows / 2.0, &sheet.down.label);
    // Omit ticks that would touch each other.
    let every = if width > TINY { 1 } else { 10 };
    for (at, tick) in sheet.across.ticks.iter().enumerate().step_by(every) {
        canvas.text(left + width * (at as f64 + 0.5), top - 8.0, &faint, tick);
    }
    let end = Type { anchor: "end", ..faint };
    for (at, tick) in sheet.down.ticks.iter().enumerate().step_by(every) {
        canvas.text(left - 9.0, top + height * (at as f64 + 0.5) + 4.5, &end, tick);
    }
    if width <= TINY {
        canvas.rect(left, top, width * columns, height * rows, EMPTY);
    }
    let mut marked = Vec::new();
    for (row, tiles) in sheet.tiles.iter().enumerate() {
        let corner = |column: usize| (left + width * column as f64, top + height * row as f64);
        if width <= TINY {
            runs(canvas, corner(0), tiles);
        } else {
            for (column, tile) in tiles.iter().enumerate() {
                place(canvas, corner(column), (width, height), tile);
            }
        }
        let columns = (0..tiles.len()).filter(|&column| tiles[column].is_marked);
        marked.extend(columns.map(corner));
    }
    for (x, y) in marked {
        canvas.mark(x + 1.0, y + 1.0, width - 2.0, height - 2.0);
    }
}

/// Draws a row of tiny tiles; neighbours of the same colour become one rectangle.
#[allow(clippy::cast_precision_loss)] // a picture has few tiles
fn runs(canvas: &mut SvgCanvas, (left, y): (f64, f64), tiles: &[Tile]) {
    let mut x = left;
    for run in tiles.chunk_by(|one, next| one.fill == next.fill) {
        let width = TINY * run.len() as f64;
        match run[0].fill {
            Fill::Whole(Tone::Nothing) | Fill::Shares(_) => {}
            Fill::Whole(tone) => bar(canvas, (x, y), (width, TINY), &[(tone, 1.0)]),
        }
        x += width;
    }
}

fn place(canvas: &mut SvgCanvas, (x, y): (f64, f64), (width, height): (f64, f64), tile: &Tile) {
    const INSET: f64 = 1.5;
    let (inner_width, inner_height) = (width - 2.0 * INSET, height - 2.0 * INSET);
    match &tile.fill {
        Fill::Whole(Tone::Nothing) => {
            canvas.rect(x + INSET, y + INSET, inner_width, inner_height, EMPTY);
        }
        Fill::Whole(tone) => {
            let color = color(*tone);
            canvas.rect(x + INSET, y + INSET, inner_width, inner_height, &hex(color));
            let size = if height < 30.0 { 11.0 } else { 13.0 };
            let ink = if *tone == Tone::Other { FAINT_INK } else { ink(color) };
            let look = Type { size, weight: 600, ink, ..Type::MIDDLE };
            canvas.text(x + width / 2.0, y + height / 2.0 + size * 0.36, &look, &tile.text);
        }
        Fill::Shares(parts) => {
            canvas.rect(x + INSET, y + INSET, inner_width, inner_height, EMPTY);
            bar(canvas, (x + 8.0, y + 9.0), (width - 16.0, 14.0), parts);
            let look = Type { size: 11.5, ..Type::MIDDLE };
            canvas.text(x + width / 2.0, y + height - 10.0, &look, &tile.text);
        }
    }
}

fn bar(
    canvas: &mut SvgCanvas,
    (x, y): (f64, f64),
    (full, height): (f64, f64),
    parts: &[(Tone, f64)],
) {
    let mut left = x;
    for &(tone, share) in parts.iter().filter(|(_, share)| *share > 0.0) {
        let width = (share * full).max(1.0);
        let paint = hex(color(tone));
        canvas.put(format_args!(
            "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{paint}\"/>"
        ));
        left += width;
    }
}

fn list(canvas: &mut SvgCanvas, x: f64, y: f64, bars: &Bars) {
    canvas.text(x, y + 14.0, &Type { size: 16.0, weight: 600, ..Type::LEFT }, &bars.title);
    let end = Type { ink: FAINT_INK, anchor: "end", ..Type::LEFT };
    let mut top = y + TITLE;
    for Bar { label, parts, note } in &bars.rows {
        canvas.text(x + BAR_LABEL - 10.0, top + 12.0, &end, label);
        canvas.rect(x + BAR_LABEL, top, BAR_FULL, 16.0, EMPTY);
        bar(canvas, (x + BAR_LABEL, top), (BAR_FULL, 16.0), parts);
        let look = Type { size: 12.5, ..Type::LEFT };
        canvas.text(x + BAR_LABEL + BAR_FULL + 8.0, top + 12.5, &look, note.trim_start());
        top += BAR_STEP;
    }
}

/// Draws the legend with as many keys per line as fit. Returns the y coordinate of the next line.
fn legend(canvas: &mut SvgCanvas, mut y: f64, width: f64, keys: &[Key]) -> f64 {
    const SWATCH: (f64, f64) = (44.0, 24.0);
    let mut x = MARGIN;
    for key in keys {
        let needed = SWATCH.0 + 8.0 + text_width(key.meaning, 13.0) + 26.0;
        if x > MARGIN && x + needed - 26.0 > MARGIN + width {
            x = MARGIN;
            y += SWATCH.1 + 8.0;
        }
        if key.is_marked {
            canvas.mark(x + 1.5, y + 1.5, SWATCH.0 - 3.0, SWATCH.1 - 3.0);
        } else {
            let fill = Fill::Whole(key.tone);
            let tile = Tile { text: key.sample.to_owned(), fill, ..Tile::nothing() };
            place(canvas, (x, y), SWATCH, &tile);
        }
        canvas.text(x + SWATCH.0 + 8.0, y + 16.5, &Type::LEFT, key.meaning);
        x += needed;
    }
    y + SWATCH.1 + 30.0
}

/// The approximate width of a text.
#[allow(clippy::cast_precision_loss)] // texts are short
fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.54
}

fn wrap(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("it starts with one line");
        if !line.is_empty() && text_width(line, size) + text_width(word, size) + size > width {
            lines.push(word.to_owned());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}
