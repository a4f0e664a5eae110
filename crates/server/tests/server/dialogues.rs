//! Tests the dialogues in docs/online.md against a real server: every message must be as documented.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::{Client, TestServer};

const FENCE: &str = "```dialogue";

/// Marks a dialogue that continues the previous one, with the same server and clients.
const CONTINUED: &str = "```dialogue continued";

/// Placeholders that may stand for a different text each time. Any other placeholder always stands for the same text.
const VARYING: [&str; 2] = ["ms", "date"];

/// One line of a dialogue: the client's name, and the action.
struct Line<'a> {
    number: usize,
    name: &'a str,
    act: Act<'a>,
}

enum Act<'a> {
    Sends(&'a str),
    Receives(&'a str),
    Disconnects,
}

fn dialogues(page: &str) -> Vec<Vec<Line<'_>>> {
    let mut lines = page.lines().enumerate();
    let mut dialogues = Vec::new();
    while let Some((_, line)) = lines.next() {
        if line != FENCE && line != CONTINUED {
            continue;
        }
        let body = lines.by_ref().take_while(|(_, line)| *line != "```");
        let body = body.map(|(index, line)| read(index + 1, line));
        match dialogues.last_mut() {
            Some(before) if line == CONTINUED => Vec::extend(before, body),
            _ => dialogues.push(body.collect()),
        }
    }
    dialogues
}

fn read(number: usize, line: &str) -> Line<'_> {
    if let Some(name) = line.strip_prefix('(').and_then(|line| line.strip_suffix(" disconnects)")) {
        return Line { number, name, act: Act::Disconnects };
    }
    let mark = line.find(['>', '<']).filter(|at| line[at + 1..].starts_with(' '));
    let at = mark.unwrap_or_else(|| panic!("line {number}: neither sent nor received: {line}"));
    let (name, text) = (&line[..at], &line[at + 2..]);
    let act = if line[at..].starts_with('>') { Act::Sends(text) } else { Act::Receives(text) };
    Line { number, name, act }
}

/// A part of a line.
#[derive(Clone, Copy)]
enum Piece<'a> {
    Text(&'a str),
    /// A placeholder such as `<code>`.
    Named(&'a str),
    /// `…`: omitted text.
    Omitted,
}

fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    while let Some(at) = text.find(['<', '…']) {
        pieces.push(Piece::Text(&text[..at]));
        text = if let Some(rest) = text[at..].strip_prefix('…') {
            pieces.push(Piece::Omitted);
            rest
        } else {
            let (name, rest) = text[at + 1..].split_once('>').expect("a placeholder ends");
            pieces.push(Piece::Named(name));
            rest
        };
    }
    pieces.push(Piece::Text(text));
    pieces
}

type Known<'a> = BTreeMap<&'a str, String>;

/// Whether a message matches a line. Records the values of placeholders.
fn fits<'a>(pieces: &[Piece<'a>], text: &str, known: &mut Known<'a>) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return text.is_empty() };
    match first {
        Piece::Text(expected) => {
            text.strip_prefix(expected).is_some_and(|text| fits(rest, text, known))
        }
        Piece::Named(name) if known.contains_key(name) => {
            let value = known[name].clone();
            text.strip_prefix(&value).is_some_and(|text| fits(rest, text, known))
        }
        Piece::Named(_) | Piece::Omitted => {
            let before = known.clone();
            for (end, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let is_value = |value: &str| !value.is_empty() && !value.contains(['"', ',', '}']);
                if let Piece::Named(name) = first {
                    if !is_value(&text[..end]) {
                        continue;
                    }
                    if !VARYING.contains(name) {
                        known.insert(name, text[..end].to_owned());
                    }
                }
                if fits(rest, &text[end..], known) {
                    return true;
                }
                known.clone_from(&before);
            }
            false
        }
    }
}

/// Runs a dialogue. When updating the page, returns the lines that differ and their new text.
fn hold(lines: &[Line<'_>], is_updating: bool) -> Vec<(usize, String)> {
    let mut changes = Vec::new();
    let server = TestServer::start();
    let mut known = Known::from([("url", server.url().to_owned())]);
    let mut clients: BTreeMap<&str, Client> = BTreeMap::new();
    for Line { number, name, act } in lines {
        match act {
            Act::Sends(text) => {
                let filled = pieces(text).into_iter().map(|piece| match piece {
                    Piece::Text(text) => text.to_owned(),
                    Piece::Named(name) => known[name].clone(),
                    Piece::Omitted => panic!("line {number}: a sent message cannot be abridged"),
                });
                let text: String = filled.collect();
                clients.entry(name).or_insert_with(|| server.connect()).send_text(&text);
            }
            Act::Disconnects => drop(clients.remove(name)),
            Act::Receives(text) => {
                let client = clients.get_mut(name);
                let client =
                    client.unwrap_or_else(|| panic!("line {number}: {name} is not connected"));
                let heard = client.next_text();
                if fits(&pieces(text), &heard, &mut known) {
                    continue;
                }
                assert!(
                    is_updating,
                    "docs/online.md:{number}: {name} heard\n{heard}\ninstead of\n{text}\nwith {known:?}"
                );
                let placed = known
                    .iter()
                    .fold(heard, |text, (name, value)| text.replace(value, &format!("<{name}>")));
                changes.push((*number, format!("{name}< {placed}")));
            }
        }
    }
    for client in clients.values_mut() {
        if !is_updating {
            client.hears_nothing();
        }
    }
    changes
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/online.md")
}

/// The text of docs/online.md.
pub(crate) fn page() -> String {
    std::fs::read_to_string(path()).expect("the page exists")
}

#[test]
fn every_dialogue_of_the_page_is_held_as_written() {
    let page = page();
    let is_updating = std::env::var_os("UPDATE_GOLDEN").is_some();
    let dialogues = dialogues(&page);
    let starts = page.matches(FENCE).count() - page.matches(CONTINUED).count();
    assert_eq!(dialogues.len(), starts);
    let changes = dialogues.iter().flat_map(|dialogue| hold(dialogue, is_updating));
    let changes: BTreeMap<usize, String> = changes.collect();
    if !changes.is_empty() {
        let lines = page.lines().enumerate();
        let lines =
            lines.map(|(index, line)| changes.get(&(index + 1)).map_or(line, String::as_str));
        let written: String = lines.flat_map(|line| [line, "\n"]).collect();
        std::fs::write(path(), written).expect("the page can be written");
    }
}
