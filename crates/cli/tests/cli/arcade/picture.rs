//! The README's picture of the arcade, drawn from a real run; `scripts/arcade-picture` draws it anew.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

use super::{LANG, TERM, leave};
use crate::support::{Home, assert_golden};
use crate::terminal::Terminal;

const SIZE: (u16, u16) = (80, 24);

/// The game that is shown, and the keys that lead to the moment.
const GAME: [&str; 9] = [
    "play",
    "capture-and-conquer",
    "--tui",
    "--no-motion",
    "--no-save",
    "--first",
    "p1",
    "--names",
    "Ann,Bob",
];
const KEYS: &str = "222211a";

// A window with its own dark ground, so that it reads alike on light and on dark pages.
const CELL: f64 = 8.7;
const LINE: f64 = 18.0;
const MARGIN: f64 = 18.0;
const BAR: f64 = 34.0;
const GROUND: &str = "#161b22";
const PLAIN: &str = "#d1d7e0";
const FAINT: &str = "#7d8590";

#[test]
fn the_picture_in_the_readme_is_what_the_arcade_shows() {
    let home = Home::new();
    let mut terminal = Terminal::sized(&home, &GAME, SIZE, &[TERM, LANG]);
    terminal.see("Ann, your move");
    terminal.press(KEYS);
    terminal.see("down P1, across P2");
    terminal.settle();
    let picture = drawn(&terminal.picture());
    leave(terminal);
    assert_golden("../../docs/pictures/arcade.svg", &picture);
}

/// How a cell looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    ink: &'static str,
    ground: Option<&'static str>,
    is_bold: bool,
    is_underlined: bool,
}

impl Style {
    fn of(cell: &Cell) -> Self {
        let ink = if cell.dim() { FAINT } else { ink(cell.fgcolor()) };
        let (ink, ground) = if cell.inverse() { (GROUND, Some(ink)) } else { (ink, None) };
        Self { ink, ground, is_bold: cell.bold(), is_underlined: cell.underline() }
    }
}

/// The colours of the default theme.
fn ink(color: Color) -> &'static str {
    match color {
        Color::Idx(27 | 33 | 75) => "#58a6ff",
        Color::Idx(166 | 208 | 215) => "#f0883e",
        Color::Idx(37) => "#39c5cf",
        Color::Idx(169) => "#db61a2",
        Color::Idx(196) => "#ff7b72",
        _ => PLAIN,
    }
}

fn drawn(screen: &Screen) -> String {
    let (columns, rows) = SIZE;
    let width = f64::from(columns) * CELL + 2.0 * MARGIN;
    let height = f64::from(rows) * LINE + 2.0 * MARGIN + BAR;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"title about\">\n\
         <title id=\"title\">The arcade</title>\n\
         <desc id=\"about\">A game of Capture and Conquer with its analysis: the board, the value of every \
         move, and the solved map with the way of this game through it.</desc>\n\
         <style>text{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
         'Liberation Mono',monospace;font-size:14.5px;white-space:pre}}</style>\n\
         <rect x=\".5\" y=\".5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"10\" fill=\"{GROUND}\" \
         stroke=\"#3d444d\"/>\n",
        width - 1.0,
        height - 1.0
    );
    for (number, color) in ["#ff7b72", "#f2cc60", "#7ee787"].into_iter().enumerate() {
        let x = 22.0 + 20.0 * f64::from(u8::try_from(number).expect("three of them"));
        writeln!(svg, "<circle cx=\"{x}\" cy=\"20\" r=\"6\" fill=\"{color}\"/>").expect("a string");
    }
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            column = run(screen, row, column, &mut svg);
        }
    }
    svg + "</svg>\n"
}

/// Draws the cells of one look from here on, and says where the next look begins.
fn run(screen: &Screen, row: u16, from: u16, svg: &mut String) -> u16 {
    let cell = |column| screen.cell(row, column).expect("it is on the screen");
    let style = Style::of(cell(from));
    let to = (from..SIZE.0).find(|&column| Style::of(cell(column)) != style).unwrap_or(SIZE.0);
    let letters = |column| match cell(column).contents() {
        "" => " ",
        text => text,
    };
    let text: String = (from..to).map(letters).collect();
    let (x, y) = (MARGIN + f64::from(from) * CELL, BAR + MARGIN + f64::from(row) * LINE);
    let width = f64::from(to - from) * CELL;
    if let Some(ground) = style.ground {
        let top = y - 13.5;
        writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{LINE}\" fill=\"{ground}\"/>"
        )
        .expect("a string");
    }
    let bold = if style.is_bold { " font-weight=\"700\"" } else { "" };
    let line = if style.is_underlined { " text-decoration=\"underline\"" } else { "" };
    for (at, word) in words(&text) {
        let (x, width) = (x + at * CELL, length(word) * CELL);
        let word = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" fill=\"{}\"{bold}{line}>{word}</text>",
            style.ink
        )
        .expect("a string");
    }
    to
}

/// The words of a text with their columns; each is placed by itself, so that no font can shift a board.
fn words(text: &str) -> impl Iterator<Item = (f64, &str)> {
    text.split_whitespace().scan(text, move |rest, word| {
        let at = rest.find(word)?;
        *rest = &rest[at + word.len()..];
        let before = &text[..text.len() - rest.len() - word.len()];
        Some((length(before), word))
    })
}

fn length(text: &str) -> f64 {
    f64::from(u32::try_from(text.chars().count()).expect("a line of a screen"))
}
