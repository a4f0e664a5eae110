//! The log of a game, with an entry for each event.

use std::cell::Cell;
use std::ops::Range;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::{Plan, Session};
use skirmish_present::{words, you};
use skirmish_rules::{Names, Side, Starter, Table, Telling, Tempo, columns, counted};

use super::look::Ink;
use super::parts::{Canvas, below, inset};
use super::screen::{Help, Hint, Press, Way};
use super::stage::glyph;

/// The log of everything that has happened in a game.
#[derive(Default)]
pub(super) struct Log {
    lines: Vec<LogLine>,
    /// The player who reads the log alone, if any.
    viewer: Option<Side>,
    /// The turns in the log, in notation.
    history: Vec<String>,
    /// The first visible line; `None` to follow the newest line.
    top: Option<usize>,
    /// Whether the log is open in full screen.
    is_open: bool,
    /// The first visible line and the number of visible lines when the log was last drawn.
    page: Cell<(usize, usize)>,
}

struct LogLine {
    /// The number of the turn, from 1; 0 before the first turn.
    turn: usize,
    kind: LineKind,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// An event of a turn, with the side that moved; `None` if both sides did.
    Event(Option<Side>),
    /// An event that is not a turn.
    Note,
}

/// Minimum width at which turns are numbered.
const NUMBERED: u16 = 48;

/// The width of a panel in which the usual numbered sentence takes one row.
pub(super) const PANEL: u16 = NUMBERED + 4;

impl Log {
    /// The log of a game so far, for `viewer` if one of the players reads it alone.
    pub(super) fn new(plan: &Plan, session: &Session, viewer: Option<Side>) -> Self {
        let table = session.table();
        let mut log = Self { viewer, ..Self::default() };
        let told = |text: &dyn Fn(&Names) -> String| you::told(viewer, table.names(), text);
        let opening = match plan.position {
            Some(_) => words::welcome(table),
            None => plan.entry.summary.to_owned(),
        };
        log.note(opening);
        if plan.is_tossed {
            log.note(told(&|names| words::toss(names, table.first())));
        } else if plan.entry.starter == Starter::Toss && table.turns_played() > 0 {
            // The record of a resumed game says who started, but not how that was decided.
            log.note(told(&|names| format!("{} starts.", names[table.first()])));
        }
        log.follow(session);
        log
    }

    /// Adds new turns and removes those that were taken back.
    pub(super) fn follow(&mut self, session: &Session) {
        let history = session.table().history();
        let same = self.history.iter().zip(&history).take_while(|(old, new)| old == new).count();
        self.lines.retain(|line| line.turn <= same || line.kind == LineKind::Note);
        match history.len() - same {
            0 => {}
            1 => self.tell(session.table(), history.len()),
            _ => {
                let record = session.record();
                let mut table = record.table();
                for (index, turn) in history.iter().enumerate() {
                    table.play(turn).expect("the turns of a session are legal");
                    if index >= same {
                        self.tell(&*table, index + 1);
                    }
                }
            }
        }
        self.history = history;
        self.top = self.top.filter(|top| *top < self.lines.len());
    }

    fn tell(&mut self, table: &dyn Table, turn: usize) {
        let side = mover(table, turn);
        for Telling { sentence, .. } in you::last_turn(table, self.viewer) {
            let text = sentence.replace('\n', " ");
            self.lines.push(LogLine { turn, kind: LineKind::Event(side), text });
        }
    }

    /// Adds an event that is not a turn.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        let text = text.into().replace('\n', " ");
        self.lines.push(LogLine { turn: self.history.len(), kind: LineKind::Note, text });
    }

    /// Scrolls back to the newest lines.
    pub(super) const fn follow_newest(&mut self) {
        self.top = None;
    }

    pub(super) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether not all lines were visible when the log was last drawn.
    const fn is_long(&self) -> bool {
        let (_, count) = self.page.get();
        count > 0 && count < self.lines.len()
    }

    /// The footer's keys while the log is open in full screen.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let scrolling: [Hint; 4] =
            [("↑↓", "scroll"), ("PgUp", "back"), ("PgDn", "on"), ("End", "newest")];
        let scrolling = scrolling.into_iter().filter(|_| self.is_long());
        scrolling.chain([("Esc", "close")]).collect()
    }

    /// Help on the keys that scroll the log and, in full screen, close it.
    pub(super) fn help(&self) -> Vec<Help> {
        let mut help: Vec<Help> = Vec::new();
        if self.is_long() {
            help.push(("PgUp PgDn".into(), "scroll the log; so does the wheel"));
            help.push(("Home End".into(), "its oldest and newest line"));
        }
        if self.is_open {
            help.push(("Enter t".into(), "like Esc"));
            help.push(("Space".into(), "like Esc"));
        }
        help
    }

    /// Opens the log in full screen.
    pub(super) const fn open(&mut self) {
        self.is_open = true;
    }

    /// Handles a key that scrolls the log, or any key in full screen. Returns whether the key was handled.
    pub(super) fn press(&mut self, press: Press) -> bool {
        let (first, count) = self.page.get();
        let page = count.saturating_sub(1).max(1);
        match press {
            Press::Key(KeyCode::PageUp | KeyCode::PageDown | KeyCode::Home | KeyCode::End)
                if !self.is_long() =>
            {
                self.top = None;
            }
            Press::Key(KeyCode::PageUp) => self.top = Some(first.saturating_sub(page)),
            Press::Key(KeyCode::PageDown) => self.move_to(first + page),
            Press::Key(KeyCode::Home) => self.top = Some(0),
            Press::Key(KeyCode::End) => self.top = None,
            _ if !self.is_open => return false,
            Press::Key(KeyCode::Esc | KeyCode::Enter | KeyCode::Char('t' | ' ')) => {
                (self.is_open, self.top) = (false, None);
            }
            _ => {
                if let Some(way @ (Way::Up | Way::Down)) = press.way() {
                    self.scroll(way);
                }
            }
        }
        true
    }

    /// Scrolls the log by one line.
    pub(super) fn scroll(&mut self, way: Way) {
        let (first, _) = self.page.get();
        match way {
            Way::Up | Way::Left => self.top = Some(first.saturating_sub(1)),
            Way::Down | Way::Right => self.move_to(first + 1),
        }
    }

    /// Scrolls to line `top`; if this shows the newest line, follows new lines from then on.
    fn move_to(&mut self, top: usize) {
        let (_, count) = self.page.get();
        self.top = Some(top).filter(|top| top + count < self.lines.len());
    }

    /// Draws the log in a frame that counts the lines above and below. The last `untold` events have not been shown yet.
    pub(super) fn panel(&self, canvas: &mut Canvas, area: Rect, untold: usize) {
        let inside = inset(canvas.panel(area, "Log"));
        let shown = self.draw(canvas, inside, untold);
        let told = self.lines.len().saturating_sub(untold);
        let ink = canvas.look.ink(Ink::Key);
        let marks = [
            (area.y, "▲", shown.start),
            (area.bottom().saturating_sub(1), "▼", told.saturating_sub(shown.end)),
        ];
        for (row, arrow, count) in marks.into_iter().filter(|(_, _, count)| *count > 0) {
            let text = format!(" {arrow} {} ", counted(count as u64, "line"));
            let width = columns::cells(&text).min(area.width);
            let x = area.right().saturating_sub(width + 2).max(area.x);
            canvas.text(Rect { x, y: row, width, height: 1 }, 0, &text, ink);
        }
    }

    /// Draws the end of the log without a frame. A mark beside or above the lines counts those hidden.
    pub(super) fn tail(&self, canvas: &mut Canvas, area: Rect, untold: usize) {
        let shown = self.window(area, untold);
        let mark = self.mark(&shown, untold);
        let beside = self.row_for(&mark, &shown, area.width).filter(|row| *row < area.height);
        let place = match beside {
            Some(_) => area,
            None if area.height > 1 => below(area, 1),
            None => Rect { width: area.width.saturating_sub(columns::cells(&mark) + 2), ..area },
        };
        let shown = self.draw(canvas, place, untold);
        canvas.mark(area, beside.unwrap_or(0), &self.mark(&shown, untold));
    }

    /// Counts the hidden lines, and names the key that shows them: `▲ 12 lines (t)`.
    fn mark(&self, shown: &Range<usize>, untold: usize) -> String {
        let told = self.lines.len().saturating_sub(untold);
        let marks = [("▲", shown.start), ("▼", told.saturating_sub(shown.end))];
        let marks: Vec<String> = marks
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(arrow, count)| format!("{arrow} {}", counted(count as u64, "line")))
            .collect();
        if marks.is_empty() { String::new() } else { format!("{} (t)", marks.join(" ")) }
    }

    /// The mark of hidden lines if only the last turn is shown, or nothing at all.
    pub(super) fn mark_before(&self, is_last_turn_shown: bool) -> String {
        let last = |line: &LogLine| is_last_turn_shown && line.turn == self.history.len();
        let first = self.lines.iter().position(last).unwrap_or(self.lines.len());
        self.mark(&(first..self.lines.len()), 0)
    }

    /// The first row of the lines `shown` with room for `mark` at its end.
    fn row_for(&self, mark: &str, shown: &Range<usize>, width: u16) -> Option<u16> {
        if mark.is_empty() {
            return Some(0);
        }
        let room = width.checked_sub(self.indent(width) + columns::cells(mark) + 1)?;
        let rows = self.lines[shown.clone()].iter().flat_map(|line| self.wrapped(line, width));
        let mut rows = (0..).zip(rows);
        rows.find(|(_, text)| columns::cells(text) <= room).map(|(row, _)| row)
    }

    /// The height of the last two turns, including the mark of hidden lines.
    pub(super) fn recent_rows(&self, width: u16, untold: usize) -> usize {
        let told = self.lines.len().saturating_sub(untold);
        let is_recent = |line: &LogLine| line.turn + 1 >= self.history.len();
        let first = self.lines[..told].iter().position(is_recent).unwrap_or(told);
        let shown = first..told;
        let mark = self.mark(&shown, untold);
        let rows: usize = self.lines[shown.clone()].iter().map(|it| self.rows(it, width)).sum();
        rows + usize::from(self.row_for(&mark, &shown, width).is_none())
    }

    /// The height of the whole log.
    pub(super) fn all_rows(&self, width: u16, untold: usize) -> usize {
        let told = self.lines.len().saturating_sub(untold);
        self.lines[..told].iter().map(|line| self.rows(line, width)).sum()
    }

    /// Draws the lines that fit. Returns their range.
    fn draw(&self, canvas: &mut Canvas, area: Rect, untold: usize) -> Range<usize> {
        let shown = self.window(area, untold);
        self.page.set((shown.start, shown.len()));
        let mut left = area;
        let mut turn = None;
        for line in &self.lines[shown.clone()] {
            let is_first = turn.replace(line.turn) != Some(line.turn);
            left = below(left, self.line(canvas, left, line, is_first));
        }
        shown
    }

    /// The range of lines that fit into an area, starting with the first visible line or ending with the newest.
    fn window(&self, area: Rect, untold: usize) -> Range<usize> {
        let told = self.lines.len().saturating_sub(untold);
        let rows = |index: usize| self.rows(&self.lines[index], area.width);
        let room = usize::from(area.height);
        let fitting = |indexes: &mut dyn Iterator<Item = usize>| {
            let mut used = 0;
            let fits = |index: &usize| {
                used += rows(*index);
                used <= room
            };
            indexes.take_while(fits).count()
        };
        if let Some(top) = self.top.map(|top| top.min(told)) {
            let count = fitting(&mut (top..told)).max(1);
            if top + count < told {
                return top..top + count;
            }
        }
        let count = fitting(&mut (0..told).rev()).max(1);
        told.saturating_sub(count)..told
    }

    /// Number of columns before the text of a line.
    fn indent(&self, width: u16) -> u16 {
        2 + if width >= NUMBERED { columns::cells(&self.number(None)) } else { 0 }
    }

    /// The number of a turn, or as many spaces as it would take.
    fn number(&self, turn: Option<usize>) -> String {
        let digits = self.history.len().to_string().len().max(2);
        match turn {
            Some(turn) => format!("{turn:>digits$}. "),
            None => " ".repeat(digits + 2),
        }
    }

    fn rows(&self, line: &LogLine, width: u16) -> usize {
        self.wrapped(line, width).len()
    }

    fn wrapped(&self, line: &LogLine, width: u16) -> Vec<String> {
        let room = width.saturating_sub(self.indent(width)).max(1);
        columns::wrap(&line.text, room.into())
    }

    /// Draws a line. Returns the number of rows used.
    fn line(&self, canvas: &mut Canvas, area: Rect, line: &LogLine, is_first: bool) -> u16 {
        let indent = self.indent(area.width).min(area.width);
        let is_recent = line.turn + 1 >= self.history.len();
        let ink = match line.kind {
            LineKind::Note if is_recent => Ink::Good,
            LineKind::Event(_) if is_recent => Ink::Plain,
            LineKind::Note | LineKind::Event(_) => Ink::Faint,
        };
        let mut head = Vec::new();
        if area.width >= NUMBERED {
            let is_numbered = is_first && line.turn > 0 && line.kind != LineKind::Note;
            let number = self.number(is_numbered.then_some(line.turn));
            head.push(canvas.span(Ink::Faint, number));
        }
        head.push(match line.kind {
            LineKind::Event(Some(side)) => canvas.span(Ink::Side(side), glyph(side)),
            LineKind::Event(None) => Span::raw(" "),
            LineKind::Note => canvas.span(Ink::Good, "·"),
        });
        canvas.line(area, 0, &Line::from(head));
        let place = Rect { x: area.x + indent, width: area.width - indent, ..area };
        canvas.prose(place, &line.text, canvas.look.ink(ink))
    }
}

/// The side that moved in a turn, counted from 1; `None` if both did. A forced pass counts as a turn.
pub(super) fn mover(table: &dyn Table, turn: usize) -> Option<Side> {
    let first = table.first();
    match table.tempo() {
        Tempo::Simultaneous => None,
        Tempo::Alternating if turn % 2 == 1 => Some(first),
        Tempo::Alternating => Some(first.other()),
    }
}
