//! Facts about the player on the home screen: wins and losses, this week's puzzles, and how the last games ended.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::Day;
use skirmish_rules::columns::{self, pad, wrap};
use skirmish_rules::{Entry, Record, Termination, counted};
use skirmish_store::{Contest, Finish, GameResult, PuzzleScore, SavedGame};

use super::context::Context;
use super::look::Ink;
use super::parts::Canvas;

/// A fact, with the most important part first.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// The label: one short word.
    pub(super) name: String,
    pub(super) parts: Vec<FactPart>,
}

/// A part of a fact.
#[derive(Clone, Debug)]
pub(super) enum FactPart {
    Text(String),
    /// The last results in one game, newest last.
    Form(&'static str, Vec<Finish>),
    /// Whether each day's puzzle counts, from Monday, and the number of today.
    Week([Option<bool>; 7], usize),
}

/// Minimum width for labels beside the parts; below it, they stand above.
const NARROW: u16 = 36;

/// Maximum number of finished games to list.
const MOST: usize = 12;

/// The number of results that show a player's form.
const FORM: usize = 5;

/// Width of the longest name of a game in the list of forms.
const GAME: usize = 21;

const DAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

impl Fact {
    pub(super) fn new(name: impl Into<String>, parts: Vec<FactPart>) -> Self {
        Self { name: name.into(), parts }
    }

    /// A fact of several texts.
    pub(super) fn texts<T: Into<String>>(
        name: impl Into<String>,
        texts: impl IntoIterator<Item = T>,
    ) -> Self {
        Self::new(name, texts.into_iter().map(|text| FactPart::Text(text.into())).collect())
    }
}

/// The player's record: all games together, then the last results in each game.
pub(super) fn record(context: &Context) -> Fact {
    let read = context.options.statistics.as_ref().and_then(|it| it.results().ok());
    let results = read.unwrap_or_default();
    let own: Vec<(&str, Finish)> = results
        .iter()
        .filter_map(|result| Some((result.game.as_str(), own_finish(result, context)?)))
        .filter(|(game, _)| context.catalog().find(game).is_ok())
        .collect();
    let mut parts = vec![FactPart::Text(summary(own.iter().map(|(_, finish)| *finish)))];
    // The game played last comes first.
    let last = |id: &str| own.iter().rposition(|(game, _)| *game == id);
    let mut played: Vec<&Entry> =
        context.catalog().iter().filter(|it| last(it.id).is_some()).collect();
    played.sort_by_key(|entry| Reverse(last(entry.id)));
    for entry in played {
        let of_game = own.iter().filter(|(game, _)| *game == entry.id);
        let mut form: Vec<Finish> = of_game.rev().take(FORM).map(|(_, finish)| *finish).collect();
        form.reverse();
        parts.push(FactPart::Form(entry.name, form));
    }
    Fact::new("Record", parts)
}

/// This week's puzzles, and a description of today's.
pub(super) fn puzzles(score: &PuzzleScore, today: Day, about: String) -> Fact {
    let week = FactPart::Week(score.week(today), today.weekday() as usize);
    Fact::new("Puzzles", vec![week, FactPart::Text(about)])
}

/// The results of the last finished games.
pub(super) fn last_games(saved: &[SavedGame]) -> Fact {
    let finished = saved.iter().filter_map(|game| ended(game.record.as_ref().ok()?));
    let mut last: Vec<String> = finished.take(MOST).collect();
    if last.is_empty() {
        last.push("no finished game yet".to_owned());
    }
    Fact::texts("Last", last)
}

/// Hints for players who have not played yet.
pub(super) fn first_steps() -> Fact {
    let lines = [
        "t teaches the selected game in a few turns.",
        "Enter sets it up: against a friend at this keyboard, a level, or a bot of yours.",
        ": lists everything that can be done here.",
    ];
    Fact::texts("Begin", lines)
}

/// The player's own result: against a program, or against people under the name in the settings.
pub(super) fn own_finish(result: &GameResult, context: &Context) -> Option<Finish> {
    let own = context.options.preferences.names.one.as_ref();
    let is_own = |contest: &Contest| match contest {
        Contest::Computer(_) | Contest::Bot => true,
        Contest::Person(name) => own == Some(name),
        Contest::People => false,
    };
    result.contests().into_iter().find(|(contest, ..)| is_own(contest)).map(|(_, finish, _)| finish)
}

fn ended(record: &Record) -> Option<String> {
    let ending = record.ending?;
    let names = &record.names;
    let result = match ending.outcome.winner() {
        Some(side) => format!("{} beat {}", names[side], names[side.other()]),
        None => format!("{} and {} drew", names.one, names.two),
    };
    let how = match ending.termination {
        Termination::Rules => String::new(),
        other => format!(" ({other})"),
    };
    Some(format!("{}: {result}{how}", record.entry.name))
}

/// The numbers of wins, losses and draws.
fn summary(results: impl Iterator<Item = Finish>) -> String {
    let mut counts = BTreeMap::new();
    for finish in results {
        *counts.entry(finish.name()).or_insert(0_u32) += 1;
    }
    if counts.is_empty() {
        return "no game counted yet".to_owned();
    }
    let [won, lost, drawn] = Finish::ALL.map(|it| counts.get(it.name()).copied().unwrap_or(0));
    let losses = if lost == 1 { "loss" } else { "losses" };
    let drawn = (drawn > 0).then(|| counted(drawn, "draw"));
    let decided = [counted(won, "win"), format!("{lost} {losses}")];
    decided.into_iter().chain(drawn).collect::<Vec<String>>().join(", ")
}

impl FactPart {
    /// The lines of this part; none if they are too wide.
    fn lines(&self, width: usize, canvas: &Canvas) -> Vec<Line<'static>> {
        let lines = match self {
            Self::Text(text) => wrap(text, width).into_iter().map(Line::raw).collect(),
            Self::Form(game, form) => vec![form_line(game, form, canvas)],
            Self::Week(week, today) => week_lines(week, *today, width, canvas),
        };
        if lines.iter().all(|line| line.width() <= width) { lines } else { Vec::new() }
    }
}

fn form_line(game: &str, form: &[Finish], canvas: &Canvas) -> Line<'static> {
    let results = form.iter().flat_map(|finish| {
        let (letter, ink) = match finish {
            Finish::Won => ("W", Ink::Good),
            Finish::Lost => ("L", Ink::Bad),
            Finish::Drawn => ("D", Ink::Faint),
        };
        [canvas.span(ink, letter), Span::raw(" ")]
    });
    let mut line: Line = std::iter::once(Span::raw(pad(game, GAME))).chain(results).collect();
    line.spans.pop();
    line
}

/// A strip of seven days: a row of names above a row of marks or, if that is too wide, only the marks.
fn week_lines(
    week: &[Option<bool>; 7],
    today: usize,
    width: usize,
    canvas: &Canvas,
) -> Vec<Line<'static>> {
    let strip = |[open, close]: [&'static str; 2], pad: &'static str, days: [Span<'static>; 7]| {
        let mut line = Line::default();
        for (day, mut span) in days.into_iter().enumerate() {
            let gap = match day {
                _ if day == today => open,
                _ if day == today + 1 => close,
                0 => "",
                _ => " ",
            };
            line.push_span(canvas.span(Ink::Key, gap));
            if day == today {
                span = span.patch_style(canvas.look.ink(Ink::Key));
            }
            line.extend([span, Span::raw(pad)]);
        }
        line.push_span(canvas.span(Ink::Key, if today == 6 { close } else { "" }));
        line
    };
    let marks = week.map(|counts| match counts {
        Some(true) => canvas.span(Ink::Good, "●"),
        Some(false) => canvas.span(Ink::Bad, "×"),
        None => canvas.span(Ink::Faint, "·"),
    });
    let names = DAYS.map(|name| canvas.span(Ink::Faint, name));
    let both = vec![strip(["[", "]"], "", names), strip([" ", " "], " ", marks.clone())];
    if both[0].width() <= width { both } else { vec![strip(["[", "]"], "", marks)] }
}

/// Draws as many parts as fit, taking turns between facts. In a narrow area, the labels stand above the parts.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, facts: &[Fact]) {
    let labels = facts.iter().map(|fact| columns::width(&fact.name) + 1).max().unwrap_or(0);
    let names = if area.width < NARROW { 0 } else { labels };
    let width = usize::from(area.width).saturating_sub(names).max(1);
    let most = facts.iter().map(|fact| fact.parts.len()).max().unwrap_or(0);
    let mut shown: Vec<Vec<Line>> = vec![Vec::new(); facts.len()];
    let mut left = usize::from(area.height);
    for index in 0..most {
        for (rows, fact) in shown.iter_mut().zip(facts) {
            let Some(part) = fact.parts.get(index) else { continue };
            let lines = part.lines(width, canvas);
            let above = usize::from(names == 0 && rows.is_empty());
            if lines.len() + above <= left && !lines.is_empty() {
                left -= lines.len() + above;
                rows.extend(lines);
            }
        }
    }
    // In a tall area, an empty row separates the facts.
    let count = shown.iter().filter(|rows| !rows.is_empty()).count();
    let gap = u16::from(left + 1 >= count && count > 1);
    let mut row = 0;
    for (rows, fact) in shown.into_iter().zip(facts).filter(|(rows, _)| !rows.is_empty()) {
        if names == 0 {
            canvas.text(area, row, &fact.name, canvas.look.ink(Ink::Faint));
            row += 1;
        }
        for (index, mut line) in rows.into_iter().enumerate() {
            if names > 0 {
                let name = pad(if index == 0 { &fact.name } else { "" }, names);
                line.spans.insert(0, canvas.span(Ink::Faint, name));
            }
            canvas.line(area, row, &line);
            row += 1;
        }
        row += gap;
    }
}
