//! The README's animation of the arcade, recorded from a real run; `scripts/arcade-picture` rewrites it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use vt100::{Cell, Color, Screen};

use super::{LANG, TERM, leave};
use crate::support::{Home, assert_golden};
use crate::terminal::Terminal;

const SIZE: (u16, u16) = (80, 24);

/// The recorded game, without animation so that every run is the same.
const GAME: [&str; 11] = [
    "play",
    "capture-and-conquer",
    "--tui",
    "--theme",
    "dark",
    "--no-motion",
    "--no-save",
    "--first",
    "p1",
    "--names",
    "Ann,Bob",
];

/// Each key, two texts that the screen shows after it, and the duration of the shot in milliseconds.
const SHOTS: [(&str, [&str; 2], u32); 20] = [
    ("", ["turn 1", "Ann, your move"], 1500),
    ("2", ["turn 2", "Bob, your move"], 700),
    ("2", ["turn 3", "Ann, your move"], 700),
    ("2", ["turn 4", "Bob, your move"], 700),
    ("2", ["turn 5", "Ann, your move"], 900),
    ("1", ["turn 6", "Bob, your move"], 900),
    ("1", ["turn 7", "Ann, your move"], 1400),
    ("2", ["turn 8", "Bob, your move"], 800),
    ("2", ["turn 9", "Ann, your move"], 800),
    ("1", ["turn 10", "Bob, your move"], 1400),
    ("a", ["turn 10", "Bob: endless"], 2000),
    ("2", ["turn 11", "Ann: endless"], 1000),
    ("2", ["turn 12", "Bob: endless"], 1000),
    ("1", ["turn 13", "Ann: endless"], 1000),
    ("2", ["turn 14", "Bob: endless"], 1200),
    ("2", ["turn 15", "Ann: win in 3"], 2000),
    ("2", ["turn 16", "Bob: loss in 2"], 1000),
    ("2", ["turn 17", "Ann: win in 1"], 1000),
    ("1", ["Ann wins the game!", "Enter continue"], 1500),
    ("\r", ["Turning point", "accuracy"], 3000),
];

/// The shot for viewers who prefer reduced motion.
const STILL: usize = 15;

// A window with its own dark background, equally readable on light and dark pages.
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
    let mut terminal =
        Terminal::sized(&home, &GAME, SIZE, &[TERM, LANG, ("COLORTERM", "truecolor")]);
    let mut shots = Vec::new();
    for (key, texts, _) in SHOTS {
        terminal.press(key);
        terminal.wait(&texts.join(", "), |screen| texts.iter().all(|text| screen.contains(text)));
        terminal.settle();
        shots.push(parts(&terminal.picture()));
    }
    leave(terminal);
    assert_golden("../../docs/pictures/arcade.svg", &film(&shots));
}

/// The style of a cell.
#[derive(Clone, PartialEq, Eq)]
struct Style {
    ink: String,
    ground: Option<String>,
    is_bold: bool,
    is_underlined: bool,
}

impl Style {
    fn of(cell: &Cell) -> Self {
        let ink = if cell.dim() { FAINT.to_owned() } else { ink(cell.fgcolor(), PLAIN) };
        let ground = Some(self::ink(cell.bgcolor(), GROUND)).filter(|ground| ground != GROUND);
        let (ink, ground) = if cell.inverse() {
            (ground.unwrap_or(GROUND.to_owned()), Some(ink))
        } else {
            (ink, ground)
        };
        Self { ink, ground, is_bold: cell.bold(), is_underlined: cell.underline() }
    }
}

/// A colour of the theme; a colour of the terminal's own is `usual`.
fn ink(color: Color, usual: &str) -> String {
    match color {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Idx(_) | Color::Default => usual.to_owned(),
    }
}

/// Combines the shots: parts shared by consecutive shots are drawn once.
fn film(shots: &[Vec<String>]) -> String {
    let (columns, rows) = SIZE;
    let width = f64::from(columns) * CELL + 2.0 * MARGIN;
    let height = f64::from(rows) * LINE + 2.0 * MARGIN + BAR;
    let mut groups: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (from, parts) in shots.iter().enumerate() {
        for part in parts {
            if from == 0 || !shots[from - 1].contains(part) {
                let lasts = shots[from..].iter().take_while(|parts| parts.contains(part)).count();
                *groups.entry((from, from + lasts)).or_default() += part;
            }
        }
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"title about\">\n\
         <title id=\"title\">A game in the arcade</title>\n\
         <desc id=\"about\">Ann and Bob play Capture and Conquer. Each captures the other once; then the analysis \
         is opened, with the value of every move and the solved map; Bob makes a mistake, and Ann wins.</desc>\n\
         <style>text{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
         'Liberation Mono',monospace;font-size:14.5px;white-space:pre}}\n\
         .shot{{visibility:hidden;animation:{}ms step-end infinite}}\n\
         .still{{visibility:visible}}\n\
         @media(prefers-reduced-motion:reduce){{.shot{{animation:none!important}}}}\n",
        starts_at(SHOTS.len())
    );
    let is_moving = |&(from, to): &(usize, usize)| from > 0 || to < SHOTS.len();
    for (from, to) in groups.keys().copied().filter(is_moving) {
        writeln!(svg, "@keyframes s{from}-{to}{{{}}}", keyframes(from..to)).expect("a string");
    }
    writeln!(
        svg,
        "</style>\n<rect x=\".5\" y=\".5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"10\" fill=\"{GROUND}\" \
         stroke=\"#3d444d\"/>",
        width - 1.0,
        height - 1.0
    )
    .expect("a string");
    for (x, color) in [(22, "#ff7b72"), (42, "#f2cc60"), (62, "#7ee787")] {
        writeln!(svg, "<circle cx=\"{x}\" cy=\"20\" r=\"6\" fill=\"{color}\"/>").expect("a string");
    }
    for (shown, parts) in &groups {
        let (from, to) = *shown;
        let still = if (from..to).contains(&STILL) { " still" } else { "" };
        let attributes = if is_moving(shown) {
            format!(" class=\"shot{still}\" style=\"animation-name:s{from}-{to}\"")
        } else {
            String::new()
        };
        write!(svg, "<g{attributes}>\n{parts}</g>\n").expect("a string");
    }
    svg + "</svg>\n"
}

/// The start time of a shot, in milliseconds.
fn starts_at(shot: usize) -> u32 {
    SHOTS[..shot].iter().map(|(.., lasts)| lasts).sum()
}

/// CSS keyframes that make an element visible only during these shots.
fn keyframes(shots: Range<usize>) -> String {
    let percent = |shot| 100.0 * f64::from(starts_at(shot)) / f64::from(starts_at(SHOTS.len()));
    let mut frames = String::new();
    if shots.start > 0 {
        frames += "0%{visibility:hidden}";
    }
    write!(frames, "{:.2}%{{visibility:visible}}", percent(shots.start)).expect("a string");
    if shots.end < SHOTS.len() {
        write!(frames, "{:.2}%{{visibility:hidden}}", percent(shots.end)).expect("a string");
    }
    frames
}

/// The SVG of a screen, in parts that can change independently.
fn parts(screen: &Screen) -> Vec<String> {
    let mut parts = Vec::new();
    for row in 0..SIZE.1 {
        let mut column = 0;
        while column < SIZE.0 {
            column = run(screen, row, column, &mut parts);
        }
    }
    parts
}

/// Draws the cells of one style, beginning at `from`; returns the column after them.
fn run(screen: &Screen, row: u16, from: u16, parts: &mut Vec<String>) -> u16 {
    let cell = |column| screen.cell(row, column).expect("it is on the screen");
    let style = Style::of(cell(from));
    let to = (from..SIZE.0).find(|&column| Style::of(cell(column)) != style).unwrap_or(SIZE.0);
    let letters = |column| match cell(column).contents() {
        "" => " ",
        text => text,
    };
    let text: String = (from..to).map(letters).collect();
    let (x, y) = (MARGIN + f64::from(from) * CELL, BAR + MARGIN + f64::from(row) * LINE);
    let bold = if style.is_bold { " font-weight=\"700\"" } else { "" };
    let line = if style.is_underlined { " text-decoration=\"underline\"" } else { "" };
    let blocks = blocks(&text, x, y - 13.5, &style.ink);
    let text = text.replace(BLOCKS, " ");
    let words = words(&text).map(|(at, word)| {
        let (x, width) = (x + at * CELL, length(word) * CELL);
        let word = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" fill=\"{}\"{bold}{line}>{word}</text>\n",
            style.ink
        )
    });
    if let Some(ground) = style.ground {
        let (top, width) = (y - 13.5, f64::from(to - from) * CELL);
        let ground = format!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{LINE}\" fill=\"{ground}\"/>\n"
        );
        // Keep these together: a background drawn later would cover the words.
        parts.push(ground + &blocks + &words.collect::<String>());
    } else {
        parts.extend(Some(blocks).filter(|blocks| !blocks.is_empty()));
        parts.extend(words);
    }
    to
}

/// The block characters used in drawings.
const BLOCKS: [char; 3] = ['█', '▀', '▄'];

/// Draws the blocks of a text as shapes, because most fonts leave gaps between lines.
fn blocks(text: &str, x: f64, top: f64, ink: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut path = String::new();
    let mut column = 0.0;
    for alike in letters.chunk_by(|one, other| one == other) {
        let width = f64::from(u32::try_from(alike.len()).expect("a line of a screen"));
        if BLOCKS.contains(&alike[0]) {
            let (left, wide) = (x + column * CELL, width * CELL);
            let (top, high) = match alike[0] {
                '█' => (top, LINE),
                '▀' => (top, LINE / 2.0),
                _ => (top + LINE / 2.0, LINE / 2.0),
            };
            write!(path, "M{left:.1} {top:.1}h{wide:.1}v{high}h-{wide:.1}z").expect("a string");
        }
        column += width;
    }
    if path.is_empty() { path } else { format!("<path fill=\"{ink}\" d=\"{path}\"/>\n") }
}

/// The words of a text with their columns; each is positioned separately, so that no font can shift a board.
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
