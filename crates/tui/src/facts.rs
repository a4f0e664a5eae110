//! Facts about the player on the home screen: wins and losses, and how the last games ended.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_rules::columns::{pad, wrap};
use skirmish_rules::{Record, Termination, counted};
use skirmish_store::{Contest, SavedGame, Tally};

use super::context::Context;
use super::look::Ink;
use super::parts::Canvas;

/// A fact as lines, most important first.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// The label: one short word.
    pub(super) name: &'static str,
    pub(super) lines: Vec<String>,
}

/// Width of the column of labels.
const NAMES: usize = 8;

/// Minimum width for labels beside the lines; below it, they stand above.
const NARROW: u16 = 24;

/// Maximum number of finished games to list.
const MOST: usize = 12;

/// The player's record: all games together, then each game.
pub(super) fn record(context: &Context) -> Fact {
    let tallies =
        context.options.statistics.as_ref().and_then(|it| it.tallies(context.catalog()).ok());
    let mut tallies = tallies.unwrap_or_default();
    tallies.retain(|tally| is_own(tally, context));
    let all = Results::of(tallies.iter());
    let mut lines = vec![all.to_string()];
    for entry in context.catalog().iter() {
        let own = Results::of(tallies.iter().filter(|tally| tally.entry.id == entry.id));
        // With only one game played, its line would repeat the total.
        if own.count() > 0 && own.count() < all.count() {
            lines.push(format!("{}: {own}", entry.name));
        }
    }
    Fact { name: "Record", lines }
}

/// The results of the last finished games.
pub(super) fn last_games(saved: &[SavedGame]) -> Fact {
    let finished = saved.iter().filter_map(|game| ended(game.record.as_ref().ok()?));
    let mut lines: Vec<String> = finished.take(MOST).collect();
    if lines.is_empty() {
        lines.push("no finished game yet".to_owned());
    }
    Fact { name: "Last", lines }
}

/// Hints for players who have not played yet.
pub(super) fn first_steps() -> Fact {
    let lines = [
        "t teaches the selected game in a few turns.",
        "Enter sets it up: against a friend at this keyboard, a level, or a bot of yours.",
        ": lists everything that can be done here.",
    ];
    Fact { name: "Begin", lines: lines.map(str::to_owned).to_vec() }
}

/// Whether a tally belongs to the player: games against programs, or against people under the name in the settings.
fn is_own(tally: &Tally, context: &Context) -> bool {
    match &tally.contest {
        Contest::Computer(_) | Contest::Bot => true,
        Contest::Person(name) => {
            context.options.preferences.names.one.as_ref().is_some_and(|own| own == name)
        }
        Contest::People => false,
    }
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

/// Wins, losses and draws.
#[derive(Clone, Copy, Debug, Default)]
struct Results {
    won: u32,
    lost: u32,
    drawn: u32,
}

impl Results {
    fn of<'a>(tallies: impl Iterator<Item = &'a Tally>) -> Self {
        tallies.fold(Self::default(), |sum, tally| Self {
            won: sum.won + tally.won,
            lost: sum.lost + tally.lost,
            drawn: sum.drawn + tally.drawn,
        })
    }

    const fn count(self) -> u32 {
        self.won + self.lost + self.drawn
    }
}

impl std::fmt::Display for Results {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.count() == 0 {
            return formatter.write_str("no game counted yet");
        }
        let losses = if self.lost == 1 { "loss" } else { "losses" };
        write!(formatter, "{}, {} {losses}", counted(self.won, "win"), self.lost)?;
        if self.drawn > 0 {
            write!(formatter, ", {}", counted(self.drawn, "draw"))?;
        }
        Ok(())
    }
}

/// Draws as many lines as fit, taking turns between facts. In a narrow area, the labels stand above the lines.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, facts: &[Fact]) {
    let names = if area.width < NARROW { 0 } else { NAMES };
    let width = usize::from(area.width).saturating_sub(names).max(1);
    let most = facts.iter().map(|fact| fact.lines.len()).max().unwrap_or(0);
    let mut shown: Vec<Vec<String>> = vec![Vec::new(); facts.len()];
    let mut left = usize::from(area.height);
    for index in 0..most {
        for (rows, fact) in shown.iter_mut().zip(facts) {
            let Some(line) = fact.lines.get(index) else { continue };
            let wrapped = wrap(line, width);
            let above = usize::from(names == 0 && rows.is_empty());
            if wrapped.len() + above <= left {
                left -= wrapped.len() + above;
                rows.extend(wrapped);
            }
        }
    }
    let mut row = 0;
    for (rows, fact) in shown.into_iter().zip(facts).filter(|(rows, _)| !rows.is_empty()) {
        if names == 0 {
            canvas.text(area, row, fact.name, canvas.look.ink(Ink::Faint));
            row += 1;
        }
        for (index, text) in rows.into_iter().enumerate() {
            let name = pad(if index == 0 { fact.name } else { "" }, names);
            let name = if names == 0 { String::new() } else { name };
            let line = Line::from(vec![canvas.span(Ink::Faint, name), Span::raw(text)]);
            canvas.line(area, row, &line);
            row += 1;
        }
    }
}
