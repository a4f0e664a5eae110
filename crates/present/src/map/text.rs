//! Draws maps in a terminal. Letters carry the meaning; colour only adds emphasis.

use std::fmt::Write;

use anstyle::{Ansi256Color, Style};
use skirmish_rules::columns;

use super::picture::{Bar, Bars, Fill, Key, Panel, Picture, Sheet, Tile, Tone};

/// Columns between adjacent panels.
const GAP: usize = 4;

/// The width of a bar inside a tile.
const SHARES: usize = 12;

/// The width of a full bar on its own line.
const FULL_BAR: usize = 30;

/// Shades from weak to strong, from the 256-colour palette. Blue and orange remain distinguishable with red-green
/// colour blindness.
const BLUES: [u8; 4] = [153, 111, 68, 25];
const ORANGES: [u8; 4] = [223, 215, 172, 130];
const BLACK: u8 = 16;
const WHITE: u8 = 231;
const GREY: u8 = 250;
const DARK: u8 = 240;
const TEAL: u8 = 30;

/// The map as text, at most `width` columns wide if possible.
pub(super) fn draw(picture: &Picture, width: usize) -> String {
    let bold = Style::new().bold();
    let blocks: Vec<TextBlock> =
        picture.columns.iter().map(|panels| column(panels, width)).collect();
    let needed = blocks.iter().map(|block| block.width + GAP).sum::<usize>().saturating_sub(GAP);
    let body = if needed <= width { beside(blocks) } else { below(blocks) };
    let mut lines = vec![format!("{bold}{}{bold:#}", picture.title)];
    lines.extend(wrap(&picture.subtitle, width));
    lines.push(String::new());
    lines.extend(body.lines.into_iter().map(|line| line.text));
    lines.push(String::new());
    lines.extend(picture.legend.iter().map(key));
    lines.push(String::new());
    lines.extend(picture.notes.iter().flat_map(|note| wrap(note, width)));
    lines.push(String::new());
    lines.iter().map(|line| line.trim_end()).collect::<Vec<&str>>().join("\n")
}

/// Lines, with the width of the widest.
#[derive(Default)]
struct TextBlock {
    lines: Vec<TextLine>,
    width: usize,
}

/// A coloured line and its width on the screen.
#[derive(Clone, Default)]
struct TextLine {
    text: String,
    width: usize,
}

impl TextLine {
    fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { width: columns::width(&text), text }
    }

    fn push(&mut self, text: &str, style: Style) {
        self.width += columns::width(text);
        write!(self.text, "{style}{text}{style:#}").expect("writing to a string never fails");
    }

    fn pad(&mut self, width: usize) {
        self.text.push_str(&" ".repeat(width.saturating_sub(self.width)));
        self.width = self.width.max(width);
    }
}

impl TextBlock {
    fn push(&mut self, line: TextLine) {
        self.width = self.width.max(line.width);
        self.lines.push(line);
    }
}

fn column(panels: &[Panel], width: usize) -> TextBlock {
    below(panels.iter().map(|panel| match panel {
        Panel::Sheet(sheet) => lay_out(sheet, width),
        Panel::Bars(bars) => list(bars, width),
    }))
}

fn below(blocks: impl IntoIterator<Item = TextBlock>) -> TextBlock {
    let mut all = TextBlock::default();
    for block in blocks {
        if !all.lines.is_empty() {
            all.push(TextLine::default());
        }
        block.lines.into_iter().for_each(|line| all.push(line));
    }
    all
}

fn beside(blocks: Vec<TextBlock>) -> TextBlock {
    let height = blocks.iter().map(|block| block.lines.len()).max().unwrap_or(0);
    let mut all = TextBlock { lines: vec![TextLine::default(); height], width: 0 };
    for block in blocks {
        let left = if all.width == 0 { 0 } else { all.width + GAP };
        for (line, addition) in all.lines.iter_mut().zip(&block.lines) {
            line.pad(left);
            line.text.push_str(&addition.text);
            line.width += addition.width;
        }
        all.width = left + block.width;
    }
    all
}

/// Lays out a sheet, split into bands of columns if it is too wide.
fn lay_out(sheet: &Sheet, width: usize) -> TextBlock {
    let corner = format!("{}\\{}", sheet.down.short, sheet.across.short);
    let margin = sheet.down.ticks.iter().map(String::len).chain([corner.len()]).max().unwrap_or(0);
    let ticks = sheet.across.ticks.iter().map(String::len);
    let inner = ticks.chain(sheet.tiles.iter().flatten().map(tile_width)).max().unwrap_or(1);
    // One column on each side of the letters, for the brackets of the marked tile.
    let outer = inner + 2;
    let fit = (width.saturating_sub(margin + 1) / outer).max(1);
    let mut block = TextBlock::default();
    block.push(TextLine::plain(sheet.title.clone()));
    block.push(TextLine::plain(format!("down: {}", sheet.down.label)));
    block.push(TextLine::plain(format!("across: {}", sheet.across.label)));
    let count = sheet.across.ticks.len();
    for first in (0..count).step_by(fit) {
        let band = first..count.min(first + fit);
        block.push(TextLine::default());
        let mut head = TextLine::plain(format!("{corner:>margin$} "));
        for tick in &sheet.across.ticks[band.clone()] {
            head.push(&centred(tick, outer), Style::new().dimmed());
        }
        block.push(head);
        for (tick, tiles) in sheet.down.ticks.iter().zip(&sheet.tiles) {
            row(&mut block, tick, &tiles[band.clone()], margin, inner);
        }
    }
    block
}

/// Adds a row of tiles: one line, or two lines if the tiles contain bars.
fn row(block: &mut TextBlock, tick: &str, tiles: &[Tile], margin: usize, inner: usize) {
    let mut line = TextLine::default();
    line.push(&format!("{tick:>margin$} "), Style::new().dimmed());
    let mut second = TextLine::plain(" ".repeat(margin + 1));
    let mut has_bars = false;
    for tile in tiles {
        let (open, close) = if tile.is_marked { ('[', ']') } else { (' ', ' ') };
        match &tile.fill {
            Fill::Whole(tone) => {
                let style = if tile.is_marked { style(*tone).bold() } else { style(*tone) };
                line.push(&format!("{open}{}{close}", centred(&tile.text, inner)), style);
                second.pad(line.width);
            }
            Fill::Shares(parts) => {
                has_bars = true;
                line.push(" ", Style::new());
                bar(&mut line, parts, SHARES);
                line.pad(second.width + inner + 2);
                second.push(&format!(" {:<inner$} ", tile.text), Style::new());
            }
        }
    }
    block.push(line);
    if has_bars {
        block.push(second);
        block.push(TextLine::default());
    }
}

fn tile_width(tile: &Tile) -> usize {
    let text = columns::width(&tile.text);
    match tile.fill {
        Fill::Whole(_) => text,
        Fill::Shares(_) => text.max(SHARES),
    }
}

fn list(bars: &Bars, width: usize) -> TextBlock {
    let margin = bars.rows.iter().map(|row| row.label.len()).max().unwrap_or(0);
    let notes = bars.rows.iter().map(|row| columns::width(&row.note)).max().unwrap_or(0);
    // Shorten the bars in a narrow window, to no less than one letter.
    let full = width.saturating_sub(margin + notes + 2).clamp(1, FULL_BAR);
    let mut block = TextBlock::default();
    for line in wrap(&bars.title, width) {
        block.push(TextLine::plain(line));
    }
    block.push(TextLine::default());
    for Bar { label, parts, note } in &bars.rows {
        let mut line = TextLine::plain(format!("{label:>margin$} "));
        bar(&mut line, parts, full);
        line.pad(margin + 1 + full);
        line.push(&format!(" {note}"), Style::new());
        block.push(line);
    }
    block
}

/// Appends a bar of letters. Every non-zero part gets at least one letter, if there is room.
fn bar(line: &mut TextLine, parts: &[(Tone, f64)], full: usize) {
    #[allow(clippy::cast_precision_loss)] // a bar is short
    let full_length = full as f64;
    let mut sum = 0.0;
    let mut drawn = 0;
    for &(tone, share) in parts {
        sum += share;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a bar is short
        let end = (sum * full_length).round() as usize;
        let length = end.saturating_sub(drawn).max(usize::from(share > 0.0)).min(full - drawn);
        drawn += length;
        if length > 0 {
            line.push(&tone.letter().to_string().repeat(length), style(tone));
        }
    }
}

fn key(key: &Key) -> String {
    let style = style(key.tone);
    let (open, close) = if key.is_marked { ('[', ']') } else { (' ', ' ') };
    let sample = format!("{open}{}{close}", centred(key.sample, 2));
    let gap = " ".repeat(7_usize.saturating_sub(columns::width(&sample)));
    format!("{style}{sample}{style:#}{gap} {}", key.meaning)
}

fn centred(text: &str, width: usize) -> String {
    // Put the odd space on the left, so that the last digits of numbers align.
    let gap = width.saturating_sub(columns::width(text));
    let left = gap.div_ceil(2);
    format!("{}{text}{}", " ".repeat(left), " ".repeat(gap - left))
}

fn style(tone: Tone) -> Style {
    let painted = |text: u8, ground: u8| {
        let [text, ground] = [text, ground].map(|color| Some(Ansi256Color(color).into()));
        Style::new().fg_color(text).bg_color(ground)
    };
    match tone {
        Tone::Win(strength) => painted(ink(strength), BLUES[shade(strength)]),
        Tone::Loss(strength) => painted(ink(strength), ORANGES[shade(strength)]),
        Tone::Even => painted(BLACK, GREY),
        Tone::Over => painted(WHITE, DARK),
        Tone::Plain => painted(WHITE, TEAL),
        Tone::Other | Tone::Nothing => Style::new().dimmed(),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // one of four shades
fn shade(strength: f64) -> usize {
    ((strength.clamp(0.0, 1.0) * 4.0) as usize).min(BLUES.len() - 1)
}

fn ink(strength: f64) -> u8 {
    if shade(strength) == BLUES.len() - 1 { WHITE } else { BLACK }
}

/// Wraps a sentence to a readable width.
fn wrap(text: &str, width: usize) -> Vec<String> {
    columns::wrap(text, width.min(100))
}
