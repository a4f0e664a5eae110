//! Folds long lines at words, and keeps columns, lists and commands intact.

use std::borrow::Cow;

use skirmish_rules::columns;
use skirmish_store::program;

/// The indent at which a table's last column continues if it starts far to the right.
const HANGING: usize = 4;

/// The prefixes of list items, dialogue lines and table rows in Markdown.
const MARKS: [&str; 4] = ["- ", "> ", "< ", "| "];

/// Folds a text to a page. A word is never broken, however long it is: the terminal wraps it, and a copied path or
/// address stays whole.
pub(super) fn to(text: &str, page: usize) -> String {
    each_line(text, page, program(), |line| at_words(line, page))
}

/// Like [`to`], but a table row stays whole if its last column starts beyond the page.
pub(super) fn around_tables(text: &str, page: usize) -> String {
    each_line(text, page, program(), |line| folded(line, page).unwrap_or_else(|| line.to_owned()))
}

/// Applies `fold` to the lines that are too wide. A command at the end of a line begins with the words of `program`.
fn each_line(text: &str, page: usize, program: &str, fold: impl Fn(&str) -> String) -> String {
    let lines = text.split('\n').map(|line| {
        if width(line) <= page {
            return Cow::Borrowed(line);
        }
        // A command before a full stop is only an example.
        let command = format!(": {program} ");
        match line.rsplit_once(&command).filter(|_| !line.ends_with('.')) {
            // On a line of its own, a command wraps only at the terminal's edge and can be copied.
            Some((words, arguments)) => {
                Cow::Owned(format!("{}:\n{program} {arguments}", fold(words)))
            }
            None => Cow::Owned(fold(line)),
        }
    });
    lines.collect::<Vec<Cow<'_, str>>>().join("\n")
}

/// Folds a line at words.
fn at_words(line: &str, page: usize) -> String {
    folded(line, page).unwrap_or_else(|| broken(line, page))
}

/// Folds a line. The last column of a table, or an item of a list, continues below its start. Returns `None` if its
/// start is beyond the page.
fn folded(line: &str, page: usize) -> Option<String> {
    let column = line.trim_end().rfind("  ").map_or(0, |index| index + 2);
    let item = MARKS.iter().find(|&&mark| line[column..].starts_with(mark));
    let (head, tail) = line.split_at(column + item.map_or(0, |mark| mark.len()));
    let end = width(head);
    let indent = if end > page * 2 / 3 { HANGING } else { end };
    (end < page).then(|| filled(head, tail, indent, page))
}

/// Folds a table row whose last column starts beyond the page.
fn broken(line: &str, page: usize) -> String {
    let tail = line.trim_start_matches(' ');
    let first = tail.split(' ').next().map_or(0, width);
    let start = line.len() - tail.len();
    let start = if start + first > page { start.min(HANGING) } else { start };
    filled(&" ".repeat(start), tail, HANGING, page)
}

/// Appends the words of `tail` to `head`, in lines of which all but the first are indented.
fn filled(head: &str, tail: &str, indent: usize, page: usize) -> String {
    let mut text = head.to_owned();
    let (mut end, mut gap) = (width(head), 0);
    let mut words = tail.split(' ').peekable();
    while let Some(word) = words.next() {
        // Count consecutive spaces; trailing ones belong to a prompt.
        if word.is_empty() && words.peek().is_some() {
            gap += 1;
            continue;
        }
        if end > indent && end + gap + width(word) > page {
            text.truncate(text.trim_end().len());
            text = text + "\n" + &" ".repeat(indent);
            end = indent;
        } else {
            text.push_str(&" ".repeat(gap));
            end += gap;
        }
        text.push_str(word);
        end += width(word);
        gap = 1;
    }
    text
}

/// Number of rows that a text takes on a terminal with `columns` columns, which wraps long lines.
pub(super) fn rows(text: &str, columns: usize) -> usize {
    text.split('\n').map(|line| width(line).div_ceil(columns.max(1)).max(1)).sum()
}

/// The width of a text in columns, ignoring colour codes.
pub(crate) fn width(text: &str) -> usize {
    columns::width(&anstream::adapter::strip_str(text).to_string())
}

#[cfg(test)]
mod tests {
    use skirmish_rules::default_names;

    use super::super::paint;
    use super::*;

    #[test]
    fn long_lines_break_at_words() {
        let text =
            "  say      one two three\nshort\nfour five six seven eight\n- nine ten eleven twelve";
        let expected = "  say      one two\n           three\nshort\nfour five six seven\neight\n\
                        - nine ten eleven\n  twelve";
        assert_eq!(to(text, 22), expected);
        assert_eq!(to(text, usize::MAX), text);
        let far = "the first column   one two";
        assert_eq!(to(far, 22), "the first column   one\n    two");
        assert_eq!(to(far, 20), "the first column\n    one two");
        let prompt = "A move, such as one of these: ";
        assert_eq!(to(prompt, 22), "A move, such as one of\nthese: ");
    }

    #[test]
    fn addresses_paths_and_commands_stay_whole() {
        let text = "See http://a.b/c/d/e/f/g/h/i/j or not";
        assert_eq!(to(text, 12), "See\nhttp://a.b/c/d/e/f/g/h/i/j\nor not");
        let text = "It is kept. To go on: skirmish play --resume file";
        assert_eq!(to(text, 12), "It is kept.\nTo go on:\nskirmish play --resume file");
        for program in ["./target/release/skirmish", "cargo run --release --"] {
            let text = format!("It is kept. To go on: {program} play --resume file");
            let expected = format!("It is kept.\nTo go on:\n{program} play --resume file");
            assert_eq!(each_line(&text, 12, program, |line| at_words(line, 12)), expected);
        }
    }

    #[test]
    fn colours_take_no_room() {
        let text = paint("Player 1 to move", &default_names());
        assert_eq!(to(&text, 16), text);
        let narrow = anstream::adapter::strip_str(&to(&text, 8)).to_string();
        assert_eq!(narrow, "Player 1\nto move");
    }

    #[test]
    fn a_row_that_is_wider_than_the_page_breaks_between_its_words() {
        let row = "  * 3     to 3/10/2       win in 7";
        assert_eq!(to(row, 24), "  * 3     to 3/10/2\n    win in 7");
        assert_eq!(around_tables(row, 24), row);
        let names = "           charge  attack  special";
        assert_eq!(to(names, 20), "           charge\n    attack  special");
        assert_eq!(to(names, 12), "    charge\n    attack\n    special");
        for page in 1..40 {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            let (before, after): (Vec<String>, Vec<String>) = (words(row), words(&to(row, page)));
            assert_eq!(before, after, "{page}");
        }
    }

    #[test]
    fn words_that_the_terminal_breaks_take_several_rows() {
        assert_eq!(rows("one\n\ntwo", 10), 3);
        assert_eq!(rows("0123456789", 10), 1);
        assert_eq!(rows("See\n0123456789a\n", 10), 4);
        assert_eq!(rows("\u{1b}[1m01234\u{1b}[0m", 5), 1);
        assert_eq!(rows("01234", usize::MAX), 1);
    }
}
