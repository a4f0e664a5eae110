//! Parses Markdown into blocks.

/// A block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// The level, from 1, and the text.
    Heading(usize, String),
    Paragraph(String),
    Code(Vec<String>),
    /// Rows of cells, the header first.
    Table(Vec<Vec<String>>),
    List(Vec<Item>),
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// `•` or `1.`
    pub(super) mark: String,
    pub(super) blocks: Vec<Block>,
}

/// Indentation of a code block.
const CODE: &str = "    ";

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    parsed(&lines)
}

fn parsed(lines: &[&str]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let rest = &lines[at..];
        if rest[0].trim().is_empty() {
            at += 1;
            continue;
        }
        let (block, used) = block(rest);
        blocks.push(block);
        at += used;
    }
    blocks
}

/// Parses the block at the start of `lines`. Also returns its number of lines.
fn block(lines: &[&str]) -> (Block, usize) {
    let line = lines[0];
    if let Some((level, text)) = heading(line) {
        return (Block::Heading(level, text.to_owned()), 1);
    }
    if is_fence(line) {
        let code: Vec<String> = taken(&lines[1..], |line| !is_fence(line));
        let used = (code.len() + 2).min(lines.len());
        return (Block::Code(code), used);
    }
    if line.starts_with(CODE) {
        let mut code: Vec<String> =
            taken(lines, |line| line.starts_with(CODE) || line.trim().is_empty());
        let used = code.len();
        while code.last().is_some_and(|line| line.trim().is_empty()) {
            code.pop();
        }
        let code = code.iter().map(|line| line.get(CODE.len()..).unwrap_or("").to_owned());
        return (Block::Code(code.collect()), used);
    }
    if is_row(line) && lines.get(1).is_some_and(|next| is_rule(next)) {
        let rows = taken(lines, is_row);
        let used = rows.len();
        let rows = rows.iter().enumerate().filter(|(index, _)| *index != 1);
        return (Block::Table(rows.map(|(_, row)| cells(row)).collect()), used);
    }
    if mark(line).is_some() {
        return list(lines);
    }
    let mut paragraph = taken(lines, |line| !line.trim().is_empty() && !interrupts(line));
    // Consume at least one line, even if it looks like the start of another block.
    if paragraph.is_empty() {
        paragraph.push(line.to_owned());
    }
    let used = paragraph.len();
    let text = paragraph.iter().map(|line| line.trim()).collect::<Vec<&str>>().join(" ");
    (Block::Paragraph(text), used)
}

fn taken(lines: &[&str], belongs: impl Fn(&str) -> bool) -> Vec<String> {
    lines.iter().take_while(|line| belongs(line)).map(|&line| line.to_owned()).collect()
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with(' ');
    is_heading.then(|| (level, text.trim().trim_end_matches('#').trim_end()))
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```")
}

fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

fn is_rule(line: &str) -> bool {
    !line.trim().is_empty() && line.chars().all(|letter| " \t|:-".contains(letter))
}

fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    row[1..row.len() - 1].split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Whether a line ends the paragraph before it. A list number does not: "1." at the start of a line may end a sentence.
fn interrupts(line: &str) -> bool {
    heading(line).is_some()
        || is_fence(line)
        || is_row(line)
        || mark(line).is_some_and(|mark| mark.number.is_none())
}

/// The first line of a list item, split into its mark and its text.
struct Mark<'a> {
    indent: usize,
    number: Option<&'a str>,
    text: &'a str,
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let content = line.trim_start();
    let indent = line.len() - content.len();
    if let Some(text) = content.strip_prefix(['-', '*', '+']) {
        let is_item = text.starts_with(' ');
        return is_item.then(|| Mark { indent, number: None, text: text.trim_start() });
    }
    let digits = content.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = &content[..content.len() - digits.len()];
    let text = digits.strip_prefix(['.', ')']).filter(|text| text.starts_with(' '))?;
    (!number.is_empty()).then(|| Mark { indent, number: Some(number), text: text.trim_start() })
}

/// Parses a list. Also returns its number of lines. Lines indented below an item belong to the item.
fn list(lines: &[&str]) -> (Block, usize) {
    let mut items = Vec::new();
    let mut at = 0;
    let mut shape = None;
    while let Some(mark) = lines.get(at).and_then(|line| mark(line)) {
        let own = (mark.indent, mark.number.is_some());
        if *shape.get_or_insert(own) != own {
            break;
        }
        let depth = |line: &str| line.len() - line.trim_start().len();
        let is_inside = |line: &str| line.trim().is_empty() || depth(line) > mark.indent;
        let mut inside = taken(&lines[at + 1..], is_inside);
        at += 1 + inside.len();
        while inside.last().is_some_and(|line| line.trim().is_empty()) {
            inside.pop();
        }
        let filled = inside.iter().filter(|line| !line.trim().is_empty());
        let margin = filled.map(|line| depth(line)).min().unwrap_or(0);
        let inside = inside.iter().map(|line| line.get(margin..).unwrap_or(""));
        let own: Vec<&str> = std::iter::once(mark.text).chain(inside).collect();
        let sign = mark.number.map_or_else(|| "•".to_owned(), |number| format!("{number}."));
        items.push(Item { mark: sign, blocks: parsed(&own) });
    }
    (Block::List(items), at)
}
