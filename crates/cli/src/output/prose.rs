//! Prepares Markdown for narrow terminals: paragraphs become one line each, and boards are cut into parts.

use super::fold::{MARKS, width};

/// The prefix of code lines.
const CODE: &str = "    ";

/// Narrows Markdown so that only paragraphs, list items and table rows are wider than a page. Each of these that is too
/// wide becomes one line, ready to be folded.
pub(super) fn narrowed(text: &str, page: usize) -> String {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for line in text.split('\n') {
        match blocks.last_mut() {
            Some(block) if goes_on(block[0], line) => block.push(line),
            _ => blocks.push(vec![line]),
        }
    }
    let blocks = blocks.iter().map(|block| {
        if block.iter().all(|line| width(line) <= page) {
            block.join("\n")
        } else if is_picture(block[0]) {
            parts(block, page)
        } else if block[0].starts_with('|') {
            squeezed(block[0])
        } else {
            let rest = block[1..].iter().map(|line| line.trim_start());
            [block[0]].into_iter().chain(rest).collect::<Vec<&str>>().join(" ")
        }
    });
    blocks.collect::<Vec<String>>().join("\n")
}

/// Whether a line continues the paragraph, list item or board that begins with `first`.
fn goes_on(first: &str, line: &str) -> bool {
    let is_prose = |line: &str| {
        !line.is_empty() && ![CODE, "#", "|"].iter().any(|mark| line.starts_with(mark))
    };
    let is_item = MARKS.iter().any(|mark| line.trim_start().starts_with(mark));
    // A sentence can end with a number at the start of a line; in a numbered list this is the next item.
    let is_number =
        |line: &str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let is_next = is_item || is_number(first) && is_number(line);
    is_picture(first) && is_picture(line) || is_prose(first) && is_prose(line) && !is_next
}

/// Whether a line is part of a board.
fn is_picture(line: &str) -> bool {
    let cells = line.strip_prefix(CODE);
    cells.is_some_and(|cells| cells.contains("   ") || cells.contains("]["))
}

/// Cuts a board into parts that fit the page, one below the other. All lines are cut between the same cells.
fn parts(lines: &[&str], page: usize) -> String {
    let rows = lines.iter().map(|line| line.chars().skip(CODE.len()).collect());
    let rows: Vec<Vec<char>> = rows.collect();
    let room = page.saturating_sub(CODE.len()).max(1);
    let end = rows.iter().map(Vec::len).max().unwrap_or(0);
    let is_cut = |column: &usize| {
        rows.iter().all(|row| is_between(row, *column))
            && rows.iter().any(|row| row.get(*column).is_some_and(|letter| *letter != ' '))
    };
    let (mut parts, mut from) = (Vec::new(), 0);
    while from < end {
        let most = from + room;
        let cut =
            if most < end { (from + 1..=most).rev().find(is_cut).unwrap_or(most) } else { end };
        let part = rows.iter().map(|row| row[from.min(row.len())..cut.min(row.len())].iter());
        let part = part.map(|cells| cells.collect::<String>().trim_end().to_owned());
        let part = part.filter(|cells| !cells.is_empty()).map(|cells| format!("{CODE}{cells}"));
        parts.push(part.collect::<Vec<String>>().join("\n"));
        from = cut;
    }
    parts.join("\n\n")
}

/// Whether a board's row can be cut before this column without splitting a cell.
fn is_between(row: &[char], column: usize) -> bool {
    let Some(before) = row.get(..column).filter(|before| before.len() < row.len()) else {
        return true;
    };
    let count = |bracket: char| before.iter().filter(|letter| **letter == bracket).count();
    count('[') == count(']') && before.last().is_none_or(|letter| " ]".contains(*letter))
}

/// Removes the padding and the closing border of a table row.
fn squeezed(row: &str) -> String {
    let cells = row.split('|').map(|cell| {
        let cell = cell.trim();
        if cell.is_empty() || cell.contains(|letter| letter != '-') { cell } else { "---" }
    });
    let cells = cells.collect::<Vec<&str>>().join(" | ");
    format!("| {}", cells.trim_matches([' ', '|']))
}

#[cfg(test)]
mod tests {
    use super::super::fold;
    use super::*;

    #[track_caller]
    fn assert_narrowed(text: &str, page: usize, expected: &str) {
        assert_eq!(fold::to(&narrowed(text, page), page), expected);
        assert_eq!(narrowed(text, usize::MAX), text);
    }

    #[test]
    fn paragraphs_and_items_are_folded_as_a_whole() {
        let text = "# The long title\n\none two three four\nfive\n1. six\n\n- seven eight nine ten\n  eleven\n\
                    - short\n  too\n  - inner\n\n1. first\n2. second\n\n    code that is\n    wide";
        let expected = "# The long\ntitle\n\none two three\nfour five 1.\nsix\n\n- seven eight\n  nine ten\n  eleven\n\
                        - short\n  too\n  - inner\n\n1. first\n2. second\n\n    code that\n    is\n    wide";
        assert_narrowed(text, 13, expected);
    }

    #[test]
    fn boards_are_cut_between_cells() {
        let line = "Look:\n\n    Positions: 0     1     2\n    Units:     P1(1) P1(2)\n                     P2(1)\n";
        let parts = "Look:\n\n    Positions: 0     1\n    Units:     P1(1) P1(2)\n                     P2(1)\n\n    2\n";
        assert_narrowed(line, 27, parts);
        let parts = "Look:\n\n    Positions: 0\n    Units:     P1(1)\n\n    1     2\n    P1(2)\n    P2(1)\n";
        assert_narrowed(line, 22, parts);
        let cells = "    [ P1 ][  _ ][ P2 ]\n      0     1     2";
        assert_narrowed(cells, 21, "    [ P1 ][  _ ]\n      0     1\n\n    [ P2 ]\n      2");
        assert_narrowed(cells, 1, &fold::to(&narrowed(cells, 1), 1));
    }

    #[test]
    fn tables_lose_what_aligns_them() {
        let table = "| action  | cost |\n|---------|------|\n| Special | 3 CP |";
        assert_narrowed(table, 9, "| action\n  | cost\n| --- |\n  ---\n| Special\n  | 3 CP");
        assert_narrowed(table, 17, "| action | cost\n| --- | ---\n| Special | 3 CP");
    }
}
