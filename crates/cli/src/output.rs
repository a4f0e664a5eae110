//! Standard output: colour where it is wanted, and a quiet end when nobody reads any more.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
use skirmish_present::{Manner, glyphs, speech};
use skirmish_rules::{Names, Side, Table, escaped};
use skirmish_system::files::is_broken_pipe;
use skirmish_system::terminal::{self, Terminals};

use crate::args::Color;

/// Settles for the whole program when colour is used.
pub(crate) fn set_color(color: Color) {
    match color {
        // anstream looks at NO_COLOR, CLICOLOR_FORCE, TERM and the terminal itself.
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

static MANNER: OnceLock<Manner> = OnceLock::new();

/// Settles for the whole program how conversations are held.
pub(crate) fn set_manner(manner: Manner) {
    MANNER.get_or_init(|| manner);
}

/// How conversations are held.
pub(crate) fn manner() -> Manner {
    MANNER.get().copied().unwrap_or(Manner::Usual)
}

static ASCII: OnceLock<bool> = OnceLock::new();

/// Settles for the whole program whether only ASCII characters may be shown.
pub(crate) fn set_ascii(ascii: bool) {
    ASCII.get_or_init(|| ascii);
}

/// Whether only ASCII characters may be shown.
pub(crate) fn is_ascii() -> bool {
    ASCII.get().copied().unwrap_or(false)
}

/// A text with the glyphs that may be shown.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if is_ascii() { glyphs::ascii(text) } else { Cow::Borrowed(text) }
}

/// The board as whoever listens wants it.
pub(crate) fn board(table: &dyn Table) -> String {
    match manner() {
        Manner::Usual | Manner::Plain => table.board(width()),
        Manner::Spoken => speech::describe(table),
    }
}

/// What the last turn did, and the board after it.
pub(crate) fn report(table: &dyn Table) -> String {
    match manner() {
        Manner::Usual | Manner::Plain => table.report(width()),
        Manner::Spoken => speech::report(table),
    }
}

/// Writes a text for people to standard output, at once.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_data(&shown(text))
}

/// Writes data to standard output, at once: what programs read is the same in every locale.
pub(crate) fn print_data(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(escaped(text).as_bytes())?;
    out.flush()
}

/// Writes a line of data to standard output, at once: JSON, or a protocol's.
pub(crate) fn print_data_line(line: impl std::fmt::Display) -> io::Result<()> {
    print_data(&format!("{line}\n"))
}

/// Writes a line for people to standard output, at once.
pub(crate) fn print_line(line: impl std::fmt::Display) -> io::Result<()> {
    print(&format!("{line}\n"))
}

/// Writes a line to standard error. Nobody can be told if that fails.
pub(crate) fn complain(line: impl std::fmt::Display) {
    let mut err = anstream::stderr().lock();
    drop(writeln!(err, "{}", escaped(&shown(&line.to_string()))));
}

/// The columns of the terminal; without one, boards are as wide as they like.
pub(crate) fn width() -> usize {
    let size = terminal::output_size().filter(|_| io::stdout().is_terminal());
    size.map_or(usize::MAX, |(columns, _)| columns.into())
}

/// Whether an error only says that the reader of our output has gone.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_broken_pipe)
}

/// The terminals that there were when the program began.
static TERMINALS: OnceLock<Terminals> = OnceLock::new();

/// Notes which terminals there are, before anybody can close them.
pub(crate) fn note_terminals() {
    TERMINALS.get_or_init(Terminals::now);
}

/// Whether a terminal that the program was started on has gone.
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

/// Marks the players' names and pieces in a text with their colours.
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
            !inside
                && rest
                    .strip_prefix(mark)
                    .is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        if let Some((mark, side)) = found {
            let style = style(*side);
            painted.extend([
                style.render().to_string(),
                (*mark).to_owned(),
                style.render_reset().to_string(),
            ]);
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
    fn paint_adds_nothing_but_colour() {
        let text = "Player 1 moves.\nPositions: [0 P1][1]P12 xP1 Player 10";
        let painted = paint(text, &default_names());
        assert_eq!(painted.matches("\u{1b}[0m").count(), 2, "{painted:?}");
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text);
    }
}
