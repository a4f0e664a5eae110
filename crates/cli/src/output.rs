//! Standard output and standard error: colour, glyphs and closed pipes.

mod fold;
mod prose;

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
pub(crate) use fold::width as width_of;
use skirmish_present::{Manner, glyphs, speech};
use skirmish_rules::{Names, Side, Table, columns, escaped};
use skirmish_system::terminal::{self, Terminals};
use skirmish_system::{ErrorCause, error_cause};

use crate::args::{Color, ScreenArgs};

/// How line mode presents text.
struct Presentation {
    manner: Manner,
    is_ascii: bool,
}

static PRESENTATION: OnceLock<Presentation> = OnceLock::new();

/// Sets how line mode presents text.
pub(crate) fn set_presentation(screen: &ScreenArgs) {
    PRESENTATION
        .get_or_init(|| Presentation { manner: screen.manner(), is_ascii: screen.is_ascii() });
    match screen.color {
        // anstream checks NO_COLOR, CLICOLOR_FORCE, TERM and the terminal.
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// The presentation style of line mode.
pub(crate) fn manner() -> Manner {
    PRESENTATION.get().map_or(Manner::Usual, |it| it.manner)
}

/// Whether output is limited to ASCII.
pub(crate) fn is_ascii() -> bool {
    PRESENTATION.get().is_some_and(|it| it.is_ascii)
}

/// Replaces glyphs with ASCII if output is limited to it.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if is_ascii() { glyphs::ascii(text) } else { Cow::Borrowed(text) }
}

/// The board as a picture or, for screen readers, in sentences.
pub(crate) fn board(table: &dyn Table) -> String {
    match manner() {
        Manner::Usual | Manner::Plain => table.board(width()),
        Manner::Spoken => speech::describe(table),
    }
}

/// The effects of the last turn, and the board after it.
pub(crate) fn report(table: &dyn Table) -> String {
    match manner() {
        Manner::Usual | Manner::Plain => table.report(width()),
        Manner::Spoken => speech::report(table),
    }
}

/// Formats rows with aligned columns: the first `left` columns to the left, the others to the right.
pub(crate) fn aligned(rows: &[Vec<String>], left: usize) -> String {
    spaced(rows, left, 2)
}

/// Like [`aligned`], with `gap` spaces between columns.
fn spaced(rows: &[Vec<String>], left: usize, gap: usize) -> String {
    let cells = |row: &Vec<String>| row.iter().map(|cell| shown(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let widest = |column: usize| rows.iter().map(|row| columns::width(&row[column])).max();
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..count).map(|column| widest(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < left { columns::pad(cell, width) } else { columns::pad_start(cell, width) }
        });
        cells.collect::<Vec<String>>().join(&" ".repeat(gap)).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Formats rows in at most `width` columns, aligned to the right, with less space between columns if necessary, or in
/// several tables. Each table begins with the first `keys` columns, or with a row number if these are too wide.
pub(crate) fn fitted(rows: &[Vec<String>], keys: usize, width: usize) -> String {
    let fits = |text: &String| text.lines().all(|line| columns::width(line) <= width);
    let whole = [2, 1].into_iter().map(|gap| spaced(rows, 0, gap)).find(fits);
    if let Some(text) = whole {
        return text;
    }
    let keyed: Vec<Vec<String>> = rows.iter().map(|row| row[..keys].to_vec()).collect();
    let is_narrow = |line: &str| columns::width(line) <= width / 2;
    if spaced(&keyed, 0, 2).lines().all(is_narrow) {
        return split(rows, keys, fits);
    }
    let number = |index: usize| if index == 0 { "#".to_owned() } else { index.to_string() };
    let numbered = rows.iter().enumerate();
    let numbered = numbered.map(|(index, row)| [&[number(index)], &row[..]].concat());
    split(&numbered.collect::<Vec<Vec<String>>>(), 1, fits)
}

/// Splits rows into several tables, each of which begins with the first `keys` columns.
fn split(rows: &[Vec<String>], keys: usize, fits: impl Fn(&String) -> bool) -> String {
    let part = |from: usize, to: usize| -> Vec<Vec<String>> {
        rows.iter().map(|row| [&row[..keys], &row[from..to]].concat()).collect()
    };
    let count = rows.first().map_or(0, Vec::len);
    let (mut tables, mut from) = (Vec::new(), keys);
    while from < count {
        let ends = (from + 1..=count).rev();
        let fitting = ends.map(|to| (to, spaced(&part(from, to), 0, 2)));
        // A column that is too wide is shown anyway.
        let narrowest = (from + 1, spaced(&part(from, from + 1), 0, 2));
        let (to, table) = fitting.into_iter().find(|(_, text)| fits(text)).unwrap_or(narrowest);
        tables.push(table);
        from = to;
    }
    tables.join("\n")
}

/// Maximum width of easily readable text, in columns.
const PAGE: usize = 80;

/// The width for tables: the terminal's; without a terminal, the value of `COLUMNS` or [`PAGE`].
pub(crate) fn page_width() -> usize {
    let named = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns > 0);
    Some(width()).filter(|&width| width != usize::MAX).or_else(named).unwrap_or(PAGE)
}

/// Wraps a paragraph to the page.
pub(crate) fn paragraph(text: &str) -> String {
    columns::wrap(text, page_width().min(PAGE)).join("\n")
}

/// Wraps a text to a page, even without a terminal. The rows of a table that is too wide stay whole.
pub(crate) fn paged(text: &str) -> String {
    fold::around_tables(text, page_width().min(PAGE))
}

/// Wraps Markdown such as the rules to the terminal and at most [`PAGE`] columns: paragraphs are folded as a whole, and boards stay readable.
pub(crate) fn prose(text: &str) -> String {
    let width = width();
    if width == usize::MAX {
        text.to_owned()
    } else {
        prose::rendered(&shown(text), width.min(PAGE))
    }
}

/// Number of rows that a text takes on the terminal, which wraps long lines.
pub(crate) fn rows(text: &str) -> usize {
    fold::rows(text, width())
}

/// Writes a text for people to standard output and flushes.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_data(&shown(text))
}

/// Writes data for programs to standard output and flushes. It is the same in every locale.
pub(crate) fn print_data(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(escaped(text).as_bytes())?;
    out.flush()
}

/// Writes a line of data, such as JSON, to standard output and flushes.
pub(crate) fn print_data_line(line: impl std::fmt::Display) -> io::Result<()> {
    print_data(&format!("{line}\n"))
}

/// Writes a line for people to standard output and flushes. The line is wrapped at words to the terminal's width.
pub(crate) fn print_line(line: impl std::fmt::Display) -> io::Result<()> {
    print(&format!("{}\n", fitting(&line.to_string())))
}

/// Wraps a text to the width of the terminal. Columns stay aligned, and words and commands whole.
pub(crate) fn fitting(text: &str) -> String {
    fold::to(&shown(text), width())
}

/// Writes a line to standard error, ignoring errors. The line is wrapped at words to the terminal's width.
pub(crate) fn eprint_line(line: impl std::fmt::Display) {
    let size = terminal::error_size().filter(|_| io::stderr().is_terminal());
    let width = size.map_or(usize::MAX, |(columns, _)| columns.into());
    eprint_whole_line(fold::to(&shown(&line.to_string()), width));
}

/// Like [`eprint_line`], but without wrapping, as for the lines of a log.
pub(crate) fn eprint_whole_line(line: impl std::fmt::Display) {
    let mut err = anstream::stderr().lock();
    drop(writeln!(err, "{}", escaped(&shown(&line.to_string()))));
}

/// The width of the terminal in columns; `usize::MAX` without a terminal.
pub(crate) fn width() -> usize {
    let size = terminal::output_size().filter(|_| io::stdout().is_terminal());
    size.map_or(usize::MAX, |(columns, _)| columns.into())
}

/// Whether an error was caused by the reader closing our output.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    errors.any(|error| error_cause(error) == Some(ErrorCause::BrokenPipe))
}

/// The terminals on which the program was started.
static TERMINALS: OnceLock<Terminals> = OnceLock::new();

/// Records the terminals on which the program was started.
pub(crate) fn remember_terminals() {
    TERMINALS.get_or_init(Terminals::now);
}

/// Whether a terminal on which the program was started has hung up.
pub(crate) fn is_hung_up() -> bool {
    TERMINALS.get().is_some_and(|terminals| terminals.are_hung_up())
}

const fn style(side: Side) -> Style {
    let color = match side {
        Side::One => AnsiColor::BrightBlue,
        Side::Two => AnsiColor::Yellow,
    };
    color.on_default().bold()
}

/// Colours the players' names and pieces in a text.
pub(crate) fn paint(text: &str, names: &Names) -> String {
    let marks: [(&str, Side); 4] = [
        (&names.one, Side::One),
        (&names.two, Side::Two),
        (Side::One.token(), Side::One),
        (Side::Two.token(), Side::Two),
    ];
    let mut painted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let inside = painted.ends_with(char::is_alphanumeric);
        let found = marks.iter().find(|(mark, _)| {
            let after = rest.strip_prefix(mark).filter(|_| !inside);
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        if let Some((mark, side)) = found {
            let style = style(*side);
            painted.extend([format!("{style}{mark}{style:#}")]);
            rest = &rest[mark.len()..];
        } else {
            painted.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use skirmish_rules::default_names;

    use super::*;

    #[test]
    fn a_table_that_is_too_wide_is_narrowed_and_then_split() {
        let rows = [["key", "one", "two", "three"], ["1", "2", "3", "4"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).into()).collect();
        assert_eq!(fitted(&rows, 1, 20), "key  one  two  three\n  1    2    3      4\n");
        assert_eq!(fitted(&rows, 1, 19), "key one two three\n  1   2   3     4\n");
        let split = "key  one  two\n  1    2    3\n\nkey  three\n  1      4\n";
        assert_eq!(fitted(&rows, 1, 16), split);
        let numbered = "#  key  one\n1    1    2\n\n#  two  three\n1    3      4\n";
        assert_eq!(fitted(&rows, 2, 13), numbered, "the keys would leave too little room");
        assert_eq!(fitted(&rows, 1, 1).lines().count(), 11, "one column each");
        assert_eq!(fitted(&[], 0, 80), "");
    }

    #[test]
    fn paint_does_not_change_the_text() {
        let text = "Player 1 moves.\nPositions: [0 P1][1]P12 xP1 Player 10";
        let painted = paint(text, &default_names());
        assert_eq!(painted.matches("\u{1b}[0m").count(), 2, "{painted:?}");
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text);
    }
}
