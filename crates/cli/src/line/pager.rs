//! Shows long texts page by page on a terminal.

use std::io;

use skirmish_system::terminal;

use super::console::Console;
use super::input::InputLine;
use crate::{is_interactive, output};

/// The question between two pages.
const MORE: &str = "Press Enter for more, or enter q to stop: ";

/// Shows a text in Markdown. On a terminal, the reader can stop after each part and after each screenful, unless messages
/// can arrive meanwhile.
pub(super) fn show(console: &mut Console, parts: &[String]) -> io::Result<()> {
    if !is_interactive() || console.is_live {
        return output::print(&format!("{}\n", output::prose(&parts.join("\n\n"))));
    }
    let rows = terminal::output_size().map_or(usize::MAX, |(_, rows)| rows.into());
    let mut pages = pages(parts, rows).into_iter().peekable();
    while let Some(page) = pages.next() {
        output::print(&format!("{page}\n"))?;
        if pages.peek().is_some()
            && !matches!(console.ask(MORE)?, InputLine::Text(text) if text.trim().is_empty())
        {
            break;
        }
    }
    Ok(())
}

/// Splits the parts into pages: each part begins a new page, and each page fits the terminal with the question below it.
fn pages(parts: &[String], rows: usize) -> Vec<String> {
    let rows = rows.saturating_sub(1).max(1);
    let pages = parts.iter().flat_map(|part| {
        let text = output::prose(part);
        let lines: Vec<&str> = text.lines().collect();
        lines.chunks(rows).map(|lines| lines.join("\n")).collect::<Vec<String>>()
    });
    pages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_begins_a_new_page() {
        let parts = ["one\ntwo\nthree".to_owned(), "four".to_owned()];
        assert_eq!(pages(&parts, 3), ["one\ntwo", "three", "four"]);
        assert_eq!(pages(&parts, 60), ["one\ntwo\nthree", "four"]);
    }
}
