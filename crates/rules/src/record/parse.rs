//! Parses records and reports the line of every error.

use super::print::result_word;
use super::{Ending, Record, RecordError, Standing, Termination, Turn};
use crate::catalog::{Catalog, Entry, Starter};
use crate::game::Outcome;
use crate::printable::{printable, quotable};
use crate::settings::{Settings, alternatives};
use crate::side::{Both, Names, Side, default_names};
use crate::starting_point::StartingPoint;

/// The maximum length of a tag's value.
pub(super) const LONGEST_TAG: usize = 200;

/// The maximum number of tags in a record. Skirmish's own records have about twenty.
pub(super) const MOST_TAGS: usize = 1_000;

type Parsed<T> = Result<T, RecordError>;

/// Parses a record and returns it with the line of its result. The turns are not checked yet.
pub(super) fn read(text: &str, catalog: Catalog) -> Parsed<(Record, usize)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = || text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut tags = Tags::default();
    let mut body = Vec::new();
    for (number, line) in lines() {
        if body.is_empty() && line.starts_with('[') {
            tags.add(number, line)?;
        } else if !(body.is_empty() && line.is_empty()) {
            body.push((number, line));
        }
    }

    let entry = game(&mut tags, catalog)?;
    let settings = rules(&mut tags, entry)?;
    let names = names(&mut tags)?;
    let StartingPoint { first, position } = starting_point(&mut tags, entry, &settings)?;
    let date = tags.take("Date").map(|tag| tag.value);
    let standing = tags.take("Match").map(|tag| standing(&tag)).transpose()?;
    let seed = tags.number("Seed")?;
    let turn_limit = turn_limit(&mut tags)?;
    let (ending, ending_line) = ending(&mut tags)?;
    let turns = turns(&body, ending)?;
    if let Some(late) = turn_limit.and_then(|limit: u32| turns.get(limit as usize)) {
        return fault(late.line, "this turn is beyond the turn limit");
    }
    let other_tags = tags.0.into_iter().map(|tag| (tag.name, tag.value)).collect();
    let record = Record {
        entry,
        settings,
        names,
        first,
        position,
        date,
        standing,
        seed,
        turn_limit,
        ending,
        other_tags,
        turns,
    };
    Ok((record, ending_line))
}

struct Tag {
    name: String,
    value: String,
    line: usize,
}

impl Tag {
    fn fault<T>(&self, cause: impl Into<String>) -> Parsed<T> {
        fault(self.line, cause)
    }
}

fn fault<T>(line: usize, cause: impl Into<String>) -> Parsed<T> {
    Err(RecordError { line, cause: cause.into() })
}

#[derive(Default)]
struct Tags(Vec<Tag>);

impl Tags {
    fn add(&mut self, number: usize, line: &str) -> Parsed<()> {
        let Some((name, value)) = tag(line) else {
            let found = quotable(line);
            return fault(number, format!("expected a tag [Name \"value\"], found {found}"));
        };
        if value.chars().count() > LONGEST_TAG || value.chars().any(char::is_control) {
            let most =
                format!("at most {LONGEST_TAG} characters, none of them a control character");
            return fault(number, format!("the value of {} must be {most}", quotable(&name)));
        }
        if self.0.iter().any(|tag| tag.name == name) {
            return fault(number, format!("the tag {} is given twice", quotable(&name)));
        }
        // The limit also bounds the search for duplicates.
        if self.0.len() == MOST_TAGS {
            return fault(number, format!("a record has at most {MOST_TAGS} tags"));
        }
        self.0.push(Tag { name, value: printable(&value), line: number });
        Ok(())
    }

    fn take(&mut self, name: &str) -> Option<Tag> {
        let index = self.0.iter().position(|tag| tag.name == name)?;
        Some(self.0.remove(index))
    }

    fn number<T: std::str::FromStr>(&mut self, name: &str) -> Parsed<Option<T>> {
        let Some(tag) = self.take(name) else { return Ok(None) };
        match tag.value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                tag.fault(format!("{name} is \"{}\": expected a number", quotable(&tag.value)))
            }
        }
    }
}

/// Parses `[Name "value"]`, with `\"` and `\\` as escapes in the value.
fn tag(line: &str) -> Option<(String, String)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, rest) = inner.split_once(char::is_whitespace)?;
    let quoted = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    if name.is_empty()
        || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    {
        return None;
    }
    let mut value = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return None,
            '\\' => value.push(letters.next().filter(|next| matches!(next, '"' | '\\'))?),
            _ => value.push(letter),
        }
    }
    Some((name.to_owned(), value))
}

fn game(tags: &mut Tags, catalog: Catalog) -> Parsed<&'static Entry> {
    let games = || alternatives(catalog.iter().map(|entry| entry.id));
    let Some(tag) = tags.take("Game") else {
        let cause = format!("the Game tag is missing: expected [Game \"…\"] with {}", games());
        return fault(1, cause);
    };
    let given = quotable(&tag.value);
    let unknown = || tag.fault(format!("there is no game \"{given}\": expected {}", games()));
    catalog.iter().find(|entry| entry.id == tag.value).map_or_else(unknown, Ok)
}

fn rules(tags: &mut Tags, entry: &'static Entry) -> Parsed<Settings> {
    let Some(tag) = tags.take("Rules") else { return Ok(Settings::defaults(entry.options)) };
    Settings::parse(entry.options, tag.value.split_whitespace())
        .or_else(|error| tag.fault(error.to_string()))
}

fn names(tags: &mut Tags) -> Parsed<Names> {
    let mut names = default_names();
    for side in Side::ALL {
        if let Some(tag) = tags.take(&format!("Player{}", side.number())) {
            if tag.value.trim().is_empty() {
                return tag.fault("a player's name cannot be empty");
            }
            names[side] = tag.value;
        }
    }
    Ok(names)
}

/// The starting point of the game. A position determines who moves first, and `First` must agree with it.
fn starting_point(
    tags: &mut Tags,
    entry: &'static Entry,
    settings: &Settings,
) -> Parsed<StartingPoint> {
    let first = tags.take("First").map(|tag| Ok((side(&tag)?, tag))).transpose()?;
    let Some(position) = tags.take("Position") else {
        let first = first.map_or(Ok(Side::One), |(side, tag)| starter(entry, side, &tag))?;
        return Ok(StartingPoint { first, position: None });
    };
    let start = StartingPoint::at(entry, settings, &position.value)
        .or_else(|error| position.fault(error.to_string()))?;
    match first {
        Some((side, tag)) if side != start.first && entry.starter == Starter::Nobody => {
            starter(entry, side, &tag).map(|_| start)
        }
        Some((side, tag)) if side != start.first => tag.fault(format!(
            "First is {}, but {} moves in the position {}",
            tag.value,
            start.first,
            quotable(&position.value)
        )),
        _ => Ok(start),
    }
}

fn side(tag: &Tag) -> Parsed<Side> {
    match tag.value.as_str() {
        "p1" => Ok(Side::One),
        "p2" => Ok(Side::Two),
        other => tag.fault(format!("First is \"{}\": expected p1 or p2", quotable(other))),
    }
}

/// The side that starts, if the rulebook allows it.
fn starter(entry: &'static Entry, side: Side, tag: &Tag) -> Parsed<Side> {
    match entry.starter {
        Starter::Toss => Ok(side),
        Starter::PlayerOne | Starter::Nobody if side == Side::One => Ok(side),
        Starter::PlayerOne => tag.fault(format!("in {} Player 1 always starts", entry.name)),
        Starter::Nobody => tag.fault(format!("in {} nobody starts", entry.name)),
    }
}

fn turn_limit(tags: &mut Tags) -> Parsed<Option<u32>> {
    let line = tags.0.iter().find(|tag| tag.name == "TurnLimit").map_or(0, |tag| tag.line);
    match tags.number("TurnLimit")? {
        Some(0) => fault(line, "a turn limit is 1 or more"),
        limit => Ok(limit),
    }
}

/// Parses `game 2 of 5, score 1-0.5`.
fn standing(tag: &Tag) -> Parsed<Standing> {
    let read = || {
        let (game, rest) = tag.value.strip_prefix("game ")?.split_once(" of ")?;
        let (of, score) = rest.split_once(", score ")?;
        let (one, two) = score.split_once('-')?;
        let half_points = Both::new(half_points(one)?, half_points(two)?);
        let (game, of): (u32, u32) = (game.parse().ok()?, of.parse().ok()?);
        let played = half_points.one.checked_add(half_points.two)?;
        let is_open = half_points.one.max(half_points.two) <= of;
        let fits = (1..=of).contains(&game) && Some(played) == (game - 1).checked_mul(2) && is_open;
        fits.then_some(Standing { game, of, half_points })
    };
    read().map_or_else(
        || tag.fault("expected a Match such as \"game 2 of 5, score 1-0\", with a score that fits"),
        Ok,
    )
}

fn half_points(text: &str) -> Option<u32> {
    let (whole, half) = text.strip_suffix(".5").map_or((text, 0), |whole| (whole, 1));
    whole.parse::<u32>().ok()?.checked_mul(2)?.checked_add(half)
}

/// The ending of the game, and the line of its result.
fn ending(tags: &mut Tags) -> Parsed<(Option<Ending>, usize)> {
    let Some(result) = tags.take("Result") else {
        return match tags.take("Termination") {
            Some(tag) if tag.value != Termination::UNFINISHED => {
                tag.fault("the Result tag is missing: expected 1-0, 0-1 or 1/2-1/2")
            }
            _ => Ok((None, 1)),
        };
    };
    let outcome = Outcome::from_score(&result.value);
    if outcome.is_none() && result.value != "*" {
        let (possible, given) = ("1-0, 0-1, 1/2-1/2 or *", quotable(&result.value));
        return result.fault(format!("Result is \"{given}\": expected {possible}"));
    }
    let termination = tags.take("Termination");
    let Some(outcome) = outcome else {
        return match termination {
            Some(tag) if tag.value != Termination::UNFINISHED => {
                tag.fault("a game with the result * cannot have ended: expected unfinished")
            }
            _ => Ok((None, result.line)),
        };
    };
    let Some(tag) = termination else {
        let ending = Ending { outcome, termination: Termination::Rules };
        return Ok((Some(ending), result.line));
    };
    let Some(termination) = Termination::named(&tag.value) else {
        let possible = alternatives(Termination::ALL);
        let given = quotable(&tag.value);
        return tag.fault(format!("Termination is \"{given}\": expected {possible}"));
    };
    let drawn = outcome == Outcome::Draw;
    let fits = match termination {
        Termination::Agreed | Termination::TurnLimit => drawn,
        // If both programs fail in the same turn, neither wins.
        Termination::Rules | Termination::Time | Termination::IllegalMove => true,
        Termination::Resigned => !drawn,
    };
    if !fits {
        return tag.fault(format!(
            "the termination \"{termination}\" contradicts the result {}",
            result.value
        ));
    }
    Ok((Some(Ending { outcome, termination }), result.line))
}

/// Parses the numbered turns. Numbers may be omitted, but must not be wrong. Comments are in braces or follow `;`. The
/// result may be repeated at the end.
fn turns(body: &[(usize, &str)], ending: Option<Ending>) -> Parsed<Vec<Turn>> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut comment: Option<(usize, String)> = None;
    let mut closed = false;
    for &(line, text) in body {
        if comment.is_none() && text.starts_with('[') {
            return fault(line, "tags must come before the turns");
        }
        let mut rest = text;
        loop {
            if let Some((_, text)) = &mut comment {
                let split = rest.split_once('}');
                push_words(text, split.map_or(rest, |(inside, _)| inside));
                let Some((_, after)) = split else { break };
                let text = comment.take().map(|(_, text)| text).unwrap_or_default();
                add_comment(&mut turns, &text);
                rest = after;
            }
            rest = rest.trim_start();
            if rest.is_empty() || rest.starts_with(';') {
                break;
            }
            if let Some(inside) = rest.strip_prefix('{') {
                comment = Some((line, String::new()));
                rest = inside;
                continue;
            }
            let end =
                rest.find(|letter: char| letter.is_whitespace() || matches!(letter, '{' | ';'));
            let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after;
            if closed {
                return fault(line, format!("unexpected \"{}\" after the result", quotable(token)));
            }
            if token == result_word(ending) {
                closed = true;
                continue;
            }
            let notation = numbered(token, turns.len() + 1).or_else(|cause| fault(line, cause))?;
            if !notation.is_empty() {
                turns.push(Turn { notation: notation.to_owned(), comment: None, line });
            }
        }
    }
    match comment {
        Some((line, _)) => fault(line, "the comment that begins here is not closed: expected }"),
        None => Ok(turns),
    }
}

/// A token without its turn number; empty if the token is just the number.
fn numbered(token: &str, expected: usize) -> Result<&str, String> {
    let Some((number, notation)) = token.split_once('.') else { return Ok(token) };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("\"{}\" is not a turn", quotable(token)));
    }
    if number.parse() != Ok(expected) {
        return Err(format!("expected turn {expected}, found {}", quotable(number)));
    }
    Ok(notation)
}

fn push_words(text: &mut String, words: &str) {
    for word in words.split_whitespace() {
        let kept = printable(&word.replace('{', ""));
        if !text.is_empty() && !kept.is_empty() {
            text.push(' ');
        }
        text.push_str(&kept);
    }
}

/// Adds a comment to the last turn. A comment before the first turn is dropped.
fn add_comment(turns: &mut [Turn], text: &str) {
    let Some(turn) = turns.last_mut() else { return };
    if text.is_empty() {
        return;
    }
    let before = turn.comment.take().map_or_else(String::new, |before| before + " ");
    turn.comment = Some(before + text);
}
