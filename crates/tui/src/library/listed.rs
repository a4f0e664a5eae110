//! A saved game as a line in the list.

use std::path::PathBuf;
use std::time::SystemTime;

use ratatui::text::{Line, Span};
use skirmish_play::Plan;
use skirmish_rules::{Record, columns, counted, quotable};
use skirmish_store::{Holder, StoreError, ago};

use super::super::look::Ink;
use super::super::parts::Canvas;

/// Number of columns between adjacent cells.
const GAP: usize = 2;

const AGAINST: &str = "against ";

/// Minimum width of the game's name.
const LEAST_GAME: usize = 9;

/// A file in the folder of saved games.
pub(super) struct Listed {
    pub(super) path: PathBuf,
    /// The game, or why the file cannot be read.
    pub(super) record: Result<Record, StoreError>,
    /// The program that is playing the game, if any.
    pub(super) holder: Option<Holder>,
    pub(super) saved: Option<SystemTime>,
}

/// The cells of a game's line.
struct Cells {
    when: String,
    game: &'static str,
    opponents: String,
    turns: String,
    result: String,
}

/// The width of each column; 0 if there is no room for it.
#[derive(Clone, Copy)]
struct Widths {
    when: usize,
    game: usize,
    opponents: usize,
    turns: usize,
    result: usize,
    /// Whether everything fits without omissions.
    is_roomy: bool,
}

impl Cells {
    /// Drops the word "against", which the column implies.
    fn tighten(&mut self) {
        if let Some(name) = self.opponents.strip_prefix(AGAINST) {
            self.opponents = name.to_owned();
        }
    }
}

impl Widths {
    /// The widths that the cells need. If they do not fit, drops the number of turns, else the result, else both, and then
    /// shortens names. The date and the players always remain.
    fn of(cells: &[&Cells], room: usize) -> Self {
        let widest = |text: fn(&Cells) -> &str| {
            cells.iter().map(|cells| columns::width(text(cells))).max().unwrap_or(0)
        };
        let all = Self {
            when: widest(|it| &it.when),
            game: widest(|it| it.game),
            opponents: widest(|it| &it.opponents),
            turns: widest(|it| &it.turns),
            result: widest(|it| &it.result),
            is_roomy: true,
        };
        if all.sum() <= room {
            return all;
        }
        let last = Self { turns: 0, result: 0, is_roomy: false, ..all };
        let fewer = [Self { result: all.result, ..last }, Self { turns: all.turns, ..last }, last];
        if let Some(fitting) = fewer.into_iter().find(|widths| widths.sum() <= room) {
            return fitting;
        }
        let room = room.saturating_sub(last.when + 2 * GAP);
        let game = room.saturating_sub(last.opponents).max(LEAST_GAME).min(last.game);
        Self { game, opponents: room.saturating_sub(game), ..last }
    }

    fn sum(self) -> usize {
        let Self { when, game, opponents, turns, result, .. } = self;
        let shown = [when, game, opponents, turns, result].into_iter().filter(|width| *width > 0);
        shown.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    }

    fn line(self, cells: &Cells, canvas: &Canvas) -> Line<'static> {
        let cell = |text: &str, width: usize| match width {
            0 => String::new(),
            _ => columns::pad(&columns::shorten(text, width), width + GAP),
        };
        Line::from(vec![
            canvas.span(Ink::Faint, cell(&cells.when, self.when)),
            canvas.span(Ink::Title, cell(&short_name(cells.game, self.game), self.game)),
            Span::raw(cell(&cells.opponents, self.opponents)),
            Span::raw(cell(&cells.turns, self.turns)),
            Span::raw(cell(&cells.result, self.result)),
        ])
    }
}

/// Formats the games as lines with aligned cells.
pub(super) fn lines(
    games: &[&Listed],
    canvas: &Canvas,
    room: usize,
    now: SystemTime,
) -> Vec<Line<'static>> {
    let mut all: Vec<Result<Cells, String>> = games.iter().map(|it| it.cells(now)).collect();
    let readable: Vec<&Cells> = all.iter().flatten().collect();
    let mut widths = Widths::of(&readable, room);
    if !widths.is_roomy {
        all.iter_mut().flatten().for_each(Cells::tighten);
        let readable: Vec<&Cells> = all.iter().flatten().collect();
        widths = Widths::of(&readable, room);
    }
    let line = |cells: &Result<Cells, String>| match cells {
        Ok(cells) => widths.line(cells, canvas),
        Err(fault) => Line::styled(columns::shorten(fault, room), canvas.look.ink(Ink::Alarm)),
    };
    all.iter().map(line).collect()
}

impl Listed {
    fn file(&self) -> String {
        quotable(&self.path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// The text that a search matches.
    pub(super) fn words(&self) -> String {
        match &self.record {
            Ok(record) => {
                let date = record.date.as_deref().unwrap_or_default();
                format!("{} {} {date}", self.title(), self.result(record))
            }
            Err(_) => format!("{} damaged", self.file()),
        }
    }

    /// The game and its players.
    pub(super) fn title(&self) -> String {
        match &self.record {
            Ok(record) => {
                let names = &record.names;
                format!("{}, {} against {}", record.entry.name, names.one, names.two)
            }
            Err(_) => self.file(),
        }
    }

    fn result(&self, record: &Record) -> String {
        match (record.ending, &self.holder) {
            (None, Some(_)) => "being played".to_owned(),
            (None, None) => "unfinished".to_owned(),
            (Some(ending), _) => match ending.outcome.winner() {
                Some(side) => format!("{} won", record.names[side]),
                None => "a draw".to_owned(),
            },
        }
    }

    fn when(&self, now: SystemTime) -> String {
        self.saved.map_or_else(String::new, |saved| ago(saved, now))
    }

    /// The cells of the line, or why the file cannot be read.
    fn cells(&self, now: SystemTime) -> Result<Cells, String> {
        let record = self
            .record
            .as_ref()
            .map_err(|error| format!("{}: damaged, {}", self.file(), quotable(&error.reason())))?;
        Ok(Cells {
            when: self.when(now),
            game: record.entry.name,
            opponents: opponents(record),
            turns: counted(record.turns.len() as u64, "turn"),
            result: self.result(record),
        })
    }

    /// The full description, shown below the list.
    pub(super) fn about(&self, now: SystemTime) -> String {
        let (title, when, file) = (self.title(), self.when(now), self.file());
        match &self.record {
            Ok(record) => {
                let turns = counted(record.turns.len() as u64, "turn");
                let holder = self.holder.as_ref().map_or(String::new(), |it| format!(" by {it}"));
                let result = self.result(record);
                format!("{title}, {turns}, {result}{holder}. Saved {when} as {file}.")
            }
            Err(error) => format!("{file} is damaged: {}.", quotable(&error.reason())),
        }
    }
}

/// Shortens the name of a game to `width` columns. Because some names share their first or last word, keeps the beginning
/// of both.
fn short_name(name: &str, width: usize) -> String {
    /// Minimum width of the first part.
    const LEAST_HEAD: usize = 4;
    let Some((_, last)) = name.rsplit_once(' ').filter(|_| columns::width(name) > width) else {
        return columns::shorten(name, width);
    };
    let end = columns::cut(last, width.saturating_sub(LEAST_HEAD + 1));
    let head = columns::cut(name, width.saturating_sub(columns::width(end) + 1));
    format!("{}…{end}", head.trim_end())
}

/// The opponent of the only person who played; otherwise both names.
fn opponents(record: &Record) -> String {
    let names = &record.names;
    let is_human = Plan::of(record).players.map(|player| player.is_human());
    match (is_human.one, is_human.two) {
        (true, false) => format!("{AGAINST}{}", names.two),
        (false, true) => format!("{AGAINST}{}", names.one),
        (true, true) | (false, false) => format!("{} – {}", names.one, names.two),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use skirmish_rules::GAMES;

    use super::*;

    #[test]
    fn short_names_of_games_differ_and_fit() {
        for width in LEAST_GAME..30 {
            let names: HashSet<String> =
                GAMES.iter().map(|entry| short_name(entry.name, width)).collect();
            assert_eq!(names.len(), GAMES.iter().count(), "{names:?}");
            assert!(names.iter().all(|name| columns::width(name) <= width), "{names:?}");
        }
        assert_eq!(short_name("Capture the Line", LEAST_GAME), "Capt…Line");
        assert_eq!(short_name("Capture and Conquer", 13), "Captu…Conquer");
        assert_eq!(short_name("Base Battle", 11), "Base Battle");
    }
}
