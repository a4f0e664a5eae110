//! Shows Markdown on terminals: as Markdown, with paragraphs filled and with tables and boards that fit.

use skirmish_present::json::{BlockObject, SpanMark, SpanObject, blocks};
use skirmish_rules::columns::pad;

use super::fold::{self, width};

/// The prefix of code lines.
const CODE: &str = "    ";

/// Renders Markdown for a page.
pub(super) fn rendered(text: &str, page: usize) -> String {
    all(&blocks(text), "\n\n", page)
}

fn all(blocks: &[BlockObject], gap: &str, page: usize) -> String {
    blocks.iter().map(|block| one(block, page)).collect::<Vec<String>>().join(gap)
}

fn one(block: &BlockObject, page: usize) -> String {
    match block {
        BlockObject::Heading { level, text } => {
            fold::to(&format!("{} {}", "#".repeat((*level).into()), words(text)), page)
        }
        BlockObject::Paragraph { text } => fold::to(&words(text), page),
        BlockObject::Code { lines } => hanging(CODE, &code(lines, page)),
        BlockObject::Table { rows } => table(rows, page),
        BlockObject::List { start, items } => {
            let item = |(at, item): (u64, &Vec<BlockObject>)| {
                let mark = start.map_or("- ".to_owned(), |first| format!("{}. ", first + at));
                hanging(&mark, &all(item, "\n", page.saturating_sub(mark.len())))
            };
            (0..).zip(items).map(item).collect::<Vec<String>>().join("\n")
        }
    }
}

/// Puts a mark before the first line, and indents the others below it.
fn hanging(mark: &str, text: &str) -> String {
    let indent = " ".repeat(mark.len());
    let lines = text.split('\n').enumerate().map(|(at, line)| match (at, line) {
        (0, _) => format!("{mark}{line}"),
        (_, "") => String::new(),
        _ => format!("{indent}{line}"),
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// A text with its marks.
fn words(spans: &[SpanObject]) -> String {
    let word = |SpanObject { text, marks, link }: &SpanObject| {
        let marked = marks.iter().rev().fold(text.clone(), |text, mark| match mark {
            SpanMark::Strong => format!("**{text}**"),
            SpanMark::Em => format!("*{text}*"),
            SpanMark::Code => format!("`{text}`"),
        });
        match &link.0 {
            Some(address) => format!("[{marked}]({address})"),
            None => marked,
        }
    };
    spans.iter().map(word).collect()
}

/// Aligns the columns of a table if they fit.
fn table(rows: &[Vec<Vec<SpanObject>>], page: usize) -> String {
    let mut rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| words(cell)).collect()).collect();
    let count = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..count).map(widest).collect();
    let fits = widths.iter().sum::<usize>() + 3 * count < page;
    if !fits {
        widths = vec![0; count];
    }
    rows.insert(1, widths.iter().map(|&width| "-".repeat(width.max(3))).collect());
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, &width)| pad(cell, width));
        let row = format!("| {}", cells.collect::<Vec<String>>().join(" | "));
        if fits { row + " |" } else { fold::to(&row, page) }
    };
    rows.iter().map(row).collect::<Vec<String>>().join("\n")
}

/// Folds code, and cuts its boards into parts.
fn code(lines: &[String], page: usize) -> String {
    let room = page.saturating_sub(CODE.len()).max(1);
    let runs = lines.chunk_by(|line, next| is_picture(line) && is_picture(next));
    let runs = runs.map(|run| match run {
        [line, ..] if is_picture(line) => parts(run, room),
        _ => fold::to(&run.join("\n"), room),
    });
    runs.collect::<Vec<String>>().join("\n")
}

/// Whether a line of code is part of a board.
fn is_picture(line: &str) -> bool {
    line.contains("   ") || line.contains("][")
}

/// Cuts a board into parts that fit, one below the other. All lines are cut between the same cells.
fn parts(lines: &[String], room: usize) -> String {
    let rows: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
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
        parts.push(part.filter(|cells| !cells.is_empty()).collect::<Vec<String>>().join("\n"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_items_are_folded_as_a_whole() {
        let text = "# The long title\n\none two three four\nfive\n- seven eight nine ten\n  eleven\n\
                    - short\n  too\n  - inner\n\n1. first\n2. second\n\nText\n\n    code that is\n\n    wide";
        let expected = "# The long\ntitle\n\none two three\nfour five\n\n- seven eight\n  nine ten\n  eleven\n\
                        - short too\n  - inner\n\n1. first\n2. second\n\nText\n\n    code that\n    is\n\n    wide";
        assert_eq!(rendered(text, 13), expected);
    }

    #[test]
    fn marks_stay() {
        let text = "a **b** *c* `d` [e](/f)";
        assert_eq!(rendered(text, 80), text);
    }

    #[test]
    fn boards_are_cut_between_cells() {
        let line = "    Positions: 0     1     2\n    Units:     P1(1) P1(2)\n                     P2(1)\n";
        let parts = "    Positions: 0     1\n    Units:     P1(1) P1(2)\n                     P2(1)\n\n    2";
        assert_eq!(rendered(line, 27), parts);
        let parts = "    Positions: 0\n    Units:     P1(1)\n\n    1     2\n    P1(2)\n    P2(1)";
        assert_eq!(rendered(line, 22), parts);
        let cells = "    [ P1 ][  _ ][ P2 ]\n      0     1     2";
        assert_eq!(rendered(cells, 21), "    [ P1 ][  _ ]\n      0     1\n\n    [ P2 ]\n      2");
        assert!(rendered(cells, 1).starts_with("    [\n"));
    }

    #[test]
    fn tables_lose_what_aligns_them() {
        let table = "| action  | cost |\n| ------- | ---- |\n| Special | 3 CP |";
        assert_eq!(rendered(table, 18), table);
        assert_eq!(rendered(table, 9), "| action\n  | cost\n| --- |\n  ---\n| Special\n  | 3 CP");
        assert_eq!(rendered(table, 17), "| action | cost\n| --- | ---\n| Special | 3 CP");
    }

    #[test]
    fn the_rules_of_every_game_look_the_same_on_a_wide_page() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for entry in skirmish_rules::GAMES.iter() {
            let text = entry.rules_page();
            let plain = |text: &str| text.replace(['|', '-'], " ");
            assert_eq!(words(&plain(&rendered(&text, 80))), words(&plain(&text)), "{}", entry.id);
        }
    }
}
