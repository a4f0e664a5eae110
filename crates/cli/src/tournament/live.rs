//! The live table of a tournament on standard error.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use skirmish_arena::tournament::{Board, Standings, Tournament};
use skirmish_present::Manner;
use skirmish_rules::columns;
use skirmish_system::{is_dumb, terminal};

use super::table;
use crate::output;

/// The interval between updates.
const INTERVAL: Duration = Duration::from_millis(250);

/// The maximum number of lines in the table.
const MOST_LINES: usize = 17;

/// Maximum number of entrants for which the table is shown: a larger one would slow down the games.
const MOST_ENTRANTS: usize = 64;

/// The table with a progress bar below it; hidden unless standard error is a terminal.
pub(super) struct Live<'a> {
    tournament: &'a Tournament,
    bar: ProgressBar,
    drawn: Mutex<Option<Instant>>,
}

impl<'a> Live<'a> {
    pub(super) fn new(tournament: &'a Tournament) -> Self {
        // Hide the table and the bar if the cursor must not move.
        let is_wanted = output::manner() == Manner::Usual && !is_dumb();
        let bar = if is_wanted { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template(
            "{msg}\n[{bar:40}] {human_pos} of {human_len} games, {elapsed}, {eta} left",
        );
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { tournament, bar, drawn: Mutex::new(None) }
    }

    /// Shows the board, unless the last update is too recent.
    pub(super) fn show(&self, board: &Board) {
        if self.bar.is_hidden() {
            return;
        }
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.is_some_and(|drawn| drawn.elapsed() < INTERVAL) {
            return;
        }
        *drawn = Some(Instant::now());
        let (played, all) = board.progress();
        self.bar.set_length(all as u64);
        self.bar.set_position(played as u64);
        if self.tournament.entrants.len() <= MOST_ENTRANTS {
            let standings = Standings::of(self.tournament, board);
            let table = table::standings(self.tournament, &standings);
            let (width, rows) = window();
            let cut = |line: &str| columns::cut(line, width).to_owned();
            let lines: Vec<String> = table.lines().take(rows).map(cut).collect();
            self.bar.set_message(lines.join("\n"));
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// The columns of the window, and the rows for the table without those for the bar.
fn window() -> (usize, usize) {
    terminal::error_size().map_or((usize::MAX, MOST_LINES), |(columns, rows)| {
        (columns.into(), usize::from(rows).saturating_sub(2).clamp(1, MOST_LINES))
    })
}
