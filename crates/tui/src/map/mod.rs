//! The map of a solved game to explore: a cursor on it, and the position under the cursor with its value and moves.

mod about;
mod grid;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{First, Plan, Proposal};
use skirmish_present::map::Chart;
use skirmish_rules::{Entry, Settings, Side, StartError, Starter, columns};

pub(super) use self::grid::Grid;
use super::app::is_roomy;
use super::context::{Context, Known};
use super::exercise::Exercise;
use super::jobs::JobReport;
use super::look::Ink;
use super::parts::{Canvas, below, inset};
use super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::setup;

/// Rows that a page key moves the cursor by.
const PAGE: usize = 8;

pub(super) struct MapScreen {
    plan: Plan,
    /// The positions of the game so far. The cursor starts at the last one.
    path: Vec<String>,
    /// The tile under the cursor, once there is a map.
    at: Option<Spot>,
    has_sheets: bool,
}

/// A tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    sheet: usize,
    row: usize,
    column: usize,
}

impl MapScreen {
    /// The map of the game that a plan plays, with the positions played so far.
    pub(super) fn new(plan: Plan, path: Vec<String>, context: &mut Context) -> Self {
        context.learn(&plan, Effort::Full);
        let mut screen = Self { plan, path, at: None, has_sheets: false };
        screen.settle(context);
        screen
    }

    /// The map of a game with these rules.
    pub(super) fn of(entry: &'static Entry, settings: &Settings, context: &mut Context) -> Go {
        let first = (entry.starter == Starter::Toss).then_some(First::Side(Side::One));
        let proposal = Proposal { settings: settings.clone(), first, ..Proposal::new(entry) };
        match setup::plan(proposal) {
            Ok(plan) => Go::To(Box::new(Self::new(plan, Vec::new(), context))),
            Err(why) => Go::refused(why, context),
        }
    }

    /// Puts the cursor on the map, once there is one.
    fn settle(&mut self, context: &mut Context) {
        let Some(Known { solved, chart }) = context.known(&self.plan) else { return };
        let Some(chart) = chart else { return context.draw_map(solved) };
        if self.at.is_some() {
            return;
        }
        self.has_sheets = chart.sheets().len() > 1;
        let start = solved.graph().position(solved.graph().start());
        let wanted = self.path.last().unwrap_or(&start);
        let found = chart.place(wanted, &solved).or_else(|| chart.place(&start, &solved));
        let (sheet, row, column) = found.unwrap_or_default();
        self.at = Some(Spot { sheet, row, column });
    }

    fn chart(&self, context: &Context) -> Option<(Known, std::sync::Arc<Chart>, Spot)> {
        let known = context.known(&self.plan)?;
        let chart = known.chart.clone()?;
        Some((known, chart, self.at?))
    }

    fn step(&mut self, press: Press, chart: &Chart) {
        let Some(Spot { sheet, row, column }) = &mut self.at else { return };
        let tiles = &chart.sheets()[*sheet];
        let (last_row, last_column) = (tiles.rows() - 1, tiles.columns() - 1);
        match press {
            Press::Key(KeyCode::Home) => *column = 0,
            Press::Key(KeyCode::End) => *column = last_column,
            Press::Key(KeyCode::PageUp) => *row = row.saturating_sub(PAGE),
            Press::Key(KeyCode::PageDown) => *row = (*row + PAGE).min(last_row),
            Press::Key(KeyCode::Tab) => {
                *sheet = (*sheet + 1) % chart.sheets().len();
                let tiles = &chart.sheets()[*sheet];
                *row = (*row).min(tiles.rows() - 1);
                *column = (*column).min(tiles.columns() - 1);
            }
            _ => match press.way() {
                Some(Way::Up) => *row = row.saturating_sub(1),
                Some(Way::Down) => *row = (*row + 1).min(last_row),
                Some(Way::Left) => *column = column.saturating_sub(1),
                Some(Way::Right) => *column = (*column + 1).min(last_column),
                None => {}
            },
        }
    }

    /// Moves the cursor to a tile by its number. Returns whether it was there already.
    fn click(&mut self, number: usize, chart: &Chart) -> bool {
        let mut left = number;
        for (sheet, tiles) in chart.sheets().iter().enumerate() {
            let count = tiles.rows() * tiles.columns();
            if left < count {
                let spot =
                    Spot { sheet, row: left / tiles.columns(), column: left % tiles.columns() };
                return self.at.replace(spot) == Some(spot);
            }
            left -= count;
        }
        false
    }

    /// To a game from the position under the cursor.
    fn play_on(&self, context: &mut Context) -> Go {
        let Some((_, chart, at)) = self.chart(context) else { return Go::Stay };
        let Some(position) = chart.sheets()[at.sheet].position(at.row, at.column) else {
            let why = if chart.shows_positions() {
                "No game leads here. Choose another position to play on from it."
            } else {
                "This map counts positions: there is no single one to play on from."
            };
            return Go::refused(why, context);
        };
        match Exercise::of(&self.plan, position) {
            Ok(exercise) => Go::To(Box::new(exercise)),
            Err(StartError::Over(_)) => {
                Go::refused("The game is over here. Choose another position.", context)
            }
            Err(why) => Go::refused(why.to_string(), context),
        }
    }

    /// Draws the sheets that fit, the one under the cursor first of all.
    fn sheets(&self, canvas: &mut Canvas, area: Rect, chart: &Chart, known: &Known, at: Spot) {
        const GAP: u16 = 2;
        let sheets = chart.sheets();
        let widths = sheets.iter().map(|tiles| Grid::width(tiles).saturating_add(GAP));
        let are_beside = widths.fold(0_u16, u16::saturating_add) <= area.width;
        let shown = if are_beside { 0..sheets.len() } else { at.sheet..at.sheet + 1 };
        let share = area.width / u16::try_from(shown.len()).unwrap_or(1);
        let firsts = sheets.iter().scan(0, |sum, tiles| {
            let first = *sum;
            *sum += tiles.rows() * tiles.columns();
            Some(first)
        });
        let firsts: Vec<usize> = firsts.collect();
        for (nth, sheet) in (0..).zip(shown) {
            let tiles = &sheets[sheet];
            let place = Rect { x: area.x + nth * share, width: share - 1, ..area };
            let ink = if sheet == at.sheet { Ink::Title } else { Ink::Faint };
            let count = if are_beside || sheets.len() == 1 {
                String::new()
            } else {
                format!(" ({} of {}, Tab)", sheet + 1, sheets.len())
            };
            canvas.text(place, 0, &format!("{}{count}", tiles.title()), canvas.look.ink(ink));
            let here = if sheet == at.sheet {
                (at.row, at.column)
            } else {
                (at.row.min(tiles.rows() - 1), at.column.min(tiles.columns() - 1))
            };
            let been: Vec<(usize, usize)> = self
                .path
                .iter()
                .filter_map(|position| chart.place(position, &known.solved))
                .filter(|(other, ..)| *other == sheet)
                .map(|(_, row, column)| (row, column))
                .collect();
            let grid = Grid {
                tiles,
                here,
                is_marked: sheet == at.sheet,
                been: &been,
                clicks: Some(firsts[sheet]),
            };
            grid.draw(canvas, below(place, 1));
        }
    }

    /// Why there is no map yet, or none at all.
    fn absence(&self, context: &Context) -> String {
        match context.knowledge(&self.plan) {
            Knowledge::Refused(_, why) => format!("There is no map: {why}."),
            Knowledge::Known(_) if context.has_no_map(&self.plan) => {
                "There is no map of this game: it has too many positions, or they are neither pairs of \
                 numbers nor pieces on a line."
                    .to_owned()
            }
            Knowledge::Known(_) => "The map is being drawn…".to_owned(),
            Knowledge::Working(_) | Knowledge::Nothing => "The game is being solved…".to_owned(),
        }
    }

    fn roomy(&self, canvas: &mut Canvas, area: Rect, known: &Known, chart: &Chart, at: Spot) {
        let side = (area.width * 2 / 5).clamp(36, 64);
        let left = Rect { width: area.width - side, ..area };
        let right = Rect { x: area.x + left.width, width: side, ..area };
        let tiles = &chart.sheets()[at.sheet];
        let (down, across) = tiles.labels();
        let full = format!("down: {down}, across: {across}");
        let fits = columns::width(&full) + 4 <= left.width.into();
        let inside = inset(canvas.panel(left, &if fits { full } else { tiles.axes() }));
        let legend = about::legend_rows(chart, side - 4);
        let legend = legend.min(area.height / 2);
        let top = Rect { height: area.height - legend - 2, ..right };
        self.sheets(canvas, inside, chart, known, at);
        self.about(canvas, top, known, chart, at);
        let place = Rect { y: top.y + top.height, height: legend + 2, ..right };
        let inside = inset(canvas.panel(place, "Legend"));
        about::legend(canvas, inside, chart);
    }

    fn compact(&self, canvas: &mut Canvas, area: Rect, known: &Known, chart: &Chart, at: Spot) {
        let tiles = &chart.sheets()[at.sheet];
        // A title, the columns' numbers, and one row for each row of tiles.
        let wanted = u16::try_from(tiles.rows()).unwrap_or(u16::MAX).saturating_add(2);
        let map = wanted.min(area.height.saturating_sub(5).max(3));
        self.sheets(canvas, Rect { height: map, ..area }, chart, known, at);
        let rest = below(area, map);
        let left = self.brief(canvas, rest, known, chart, at);
        about::legend(canvas, left, chart);
    }
}

impl Screen for MapScreen {
    fn title(&self) -> String {
        let changes = self.plan.settings.changes();
        let rules = if changes.is_empty() { String::new() } else { format!(" ({changes})") };
        format!("Map of {}{rules}", self.plan.entry.name)
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = vec![("Enter", "play on"), ("←↑→↓", "move")];
        if self.has_sheets {
            hints.push(("Tab", "other sheet"));
        }
        hints.extend([("Esc", "back"), ("g", "to the game")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        vec![
            ("hjkl".into(), "move"),
            ("Home End".into(), "first and last column"),
            ("PgUp PgDn".into(), "eight rows up or down"),
            ("•".into(), "a position of the game so far"),
        ]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            press if press.is_enter() => return self.play_on(context),
            Press::Key(KeyCode::Char('g')) => {
                self.at = None;
                self.settle(context);
            }
            _ => {
                let Some((_, chart, _)) = self.chart(context) else { return Go::Stay };
                match press {
                    Press::Pick(number) if self.click(number, &chart) => {
                        return self.play_on(context);
                    }
                    Press::Pick(_) => {}
                    press => self.step(press, &chart),
                }
            }
        }
        Go::Stay
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if matches!(report, JobReport::Solved) {
            self.settle(context);
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let Some((known, chart, at)) = self.chart(context) else {
            let inside = inset(canvas.panel(area, "Map"));
            canvas.prose(inside, &self.absence(context), canvas.look.ink(Ink::Plain));
            return;
        };
        if is_roomy(area) {
            self.roomy(canvas, area, &known, &chart, at);
        } else {
            self.compact(canvas, area, &known, &chart, at);
        }
    }
}
