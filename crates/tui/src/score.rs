//! The statistics screen: for each game, the results against programs and between people.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_rules::columns::{cells, pad, shorten};
use skirmish_store::Tally;

use super::app::is_roomy;
use super::context::Context;
use super::look::Ink;
use super::parts::{Canvas, bar, below, inset, split};
use super::screen::{Go, Help, Hint, Press, Screen};

/// Minimum and maximum width of a bar.
const BAR: (u16, u16) = (6, 80);

/// The title of the bars.
const POINTS: &str = "points";

pub(super) struct Scores {
    tallies: Vec<Tally>,
    fault: Option<String>,
    top: usize,
}

impl Scores {
    pub(super) fn new(context: &Context) -> Self {
        let statistics = context.options.statistics.as_ref();
        let read = statistics.map(|statistics| statistics.tallies(context.catalog()));
        let (tallies, fault) = match read {
            Some(Ok(tallies)) => (tallies, None),
            Some(Err(error)) => (Vec::new(), Some(error.to_string())),
            None => (Vec::new(), Some("Games are not counted in this session.".to_owned())),
        };
        Self { tallies, fault, top: 0 }
    }

    /// The lines of the statistics table, with the tally of those that count games.
    fn lines(&self, roomy: bool) -> Vec<(String, Option<&Tally>)> {
        let mut lines = Vec::new();
        let mut game = "";
        for tally in &self.tallies {
            if tally.entry.id != game {
                game = tally.entry.id;
                lines.push((tally.entry.name.to_owned(), None));
            }
            let streak = match tally.streak {
                0 => "-".to_owned(),
                run if run > 0 => format!("{run} won"),
                run => format!("{} lost", -run),
            };
            let [won, lost, best_streak] =
                [tally.won, tally.lost, tally.best_streak].map(|count| {
                    if tally.is_attributed() { count.to_string() } else { "-".to_owned() }
                });
            let accuracy = tally.best_accuracy.map_or("-".to_owned(), |best| format!("{best:.0}%"));
            let Tally { played, drawn, .. } = tally;
            let width = if roomy { 16 } else { 8 };
            let who = pad(&shorten(&tally.contest.to_string(), width), width);
            lines.push((
                if roomy {
                    format!(
                        "  {who} {played:>6} {won:>4} {lost:>4} {drawn:>5} {streak:>8} \
                         {best_streak:>4} {accuracy:>8}"
                    )
                } else {
                    format!("  {who} {played:>4} {won:>4} {lost:>4} {drawn:>4} {accuracy:>5}")
                },
                Some(tally),
            ));
        }
        lines
    }
}

impl Screen for Scores {
    fn title(&self) -> String {
        "Statistics".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        vec![("↑↓", "scroll"), ("Esc", "back")]
    }

    fn more_help(&self) -> Vec<Help> {
        vec![
            ("PgUp PgDn".into(), "ten rows"),
            ("Space".into(), "like PgDn"),
            ("Enter".into(), "like Esc"),
        ]
    }

    fn press(&mut self, press: Press, _context: &mut Context) -> Go {
        if let Press::Key(KeyCode::Esc | KeyCode::Enter) = press {
            return Go::Back;
        }
        let top = press.scrolled(self.top).unwrap_or(self.top);
        self.top = top.min(self.lines(true).len().saturating_sub(1));
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let roomy = is_roomy(area);
        let inside = inset(canvas.panel(area, "Against everybody"));
        if let Some(fault) = &self.fault {
            canvas.prose(inside, fault, canvas.look.ink(Ink::Alarm));
            return;
        }
        if self.tallies.is_empty() {
            let text = "Nothing yet: finish a game, and it counts here.";
            canvas.prose(inside, text, canvas.look.ink(Ink::Faint));
            return;
        }
        let head = if roomy {
            "  who              played  won lost drawn   streak best accuracy"
        } else {
            "  who         n  won lost drwn   acc"
        };
        canvas.text(inside, 0, head, canvas.look.ink(Ink::Faint));
        // The share of the points as a bar, if there is room for one.
        let (_, bars) = split(inside, cells(head) + 2);
        let bars =
            Rect { width: if bars.width < BAR.0 { 0 } else { bars.width.min(BAR.1) }, ..bars };
        if cells(POINTS) <= bars.width {
            canvas.text(bars, 0, POINTS, canvas.look.ink(Ink::Faint));
        }
        let [rows, bars] = [inside, bars].map(|area| below(area, 1));
        for (row, (line, tally)) in
            (0..rows.height).zip(self.lines(roomy).into_iter().skip(self.top))
        {
            let ink = if tally.is_some() { Ink::Plain } else { Ink::Title };
            canvas.text(rows, row, &line, canvas.look.ink(ink));
            if let Some(tally) = tally.filter(|tally| tally.is_attributed()) {
                let points = bar(2 * tally.won + tally.drawn, 2 * tally.played, bars.width);
                canvas.text(bars, row, &points, canvas.look.ink(Ink::Key));
            }
        }
    }
}
