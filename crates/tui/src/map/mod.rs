//! The map of a solved game to explore: a cursor, and the position under it with its value and moves.

mod about;
mod cursor;
mod grid;
mod legend;
mod matrix;

use std::sync::Arc;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{First, Plan, Proposal};
use skirmish_present::map::{Chart, Sign};
use skirmish_present::words;
use skirmish_rules::{Entry, Settings, Side, Starter, columns};

use self::about::Shown;
use self::cursor::Spot;
pub(super) use self::grid::{Grid, visited};
use self::legend::Legend;
use super::app::is_roomy;
use super::context::{Context, Known};
use super::exercise::Exercise;
use super::jobs::JobReport;
use super::look::Ink;
use super::parts::{Canvas, below, extent, inset, split};
use super::screen::{Go, Help, Hint, Press, Screen};
use super::setup;

/// Minimum number of rows of tiles.
const LEAST_TILES: u16 = 3;

pub(super) struct MapScreen {
    plan: Plan,
    /// The positions of the game so far; the cursor starts on the last.
    path: Vec<String>,
    /// The tile under the cursor, once there is a map.
    at: Option<Spot>,
    /// The slice to show, if the map does not show all positions.
    slice: Option<Arc<Chart>>,
    /// Whether the position under the cursor fills the window.
    is_close: bool,
    /// The map's legend, for the help.
    signs: Vec<Sign>,
    has_sheets: bool,
}

impl MapScreen {
    /// A map of the game with this plan, with the positions played so far.
    pub(super) fn new(plan: Plan, path: Vec<String>, context: &mut Context) -> Self {
        context.learn(&plan, Effort::Full);
        let mut screen = Self {
            plan,
            path,
            at: None,
            slice: None,
            is_close: false,
            signs: Vec::new(),
            has_sheets: false,
        };
        screen.settle(context);
        screen
    }

    /// Opens the map of a game with these rules.
    pub(super) fn of(entry: &'static Entry, settings: &Settings, context: &mut Context) -> Go {
        let first = (entry.starter == Starter::Toss).then_some(First::Side(Side::One));
        let proposal = Proposal { settings: settings.clone(), first, ..Proposal::new(entry) };
        match setup::plan(proposal) {
            Ok(plan) => Go::to(Self::new(plan, Vec::new(), context)),
            Err(why) => Go::refused(why, context),
        }
    }

    /// Places the cursor once the map exists: on the game's current position, otherwise on the start.
    fn settle(&mut self, context: &mut Context) {
        let Some(Known { solved, chart }) = context.known(&self.plan) else { return };
        let Some(mut chart) = chart else { return context.draw_map(solved) };
        if self.at.is_some() {
            return;
        }
        if let Some(slice) = self.path.last().and_then(|now| chart.through(now, &solved)) {
            chart = Arc::new(slice);
        }
        let start = solved.graph().position(solved.graph().start());
        let wanted = self.path.last().unwrap_or(&start);
        let found = chart.place(wanted, &solved).or_else(|| chart.place(&start, &solved));
        self.at = found.map(Spot::from);
        self.show(chart);
    }

    fn show(&mut self, chart: Arc<Chart>) {
        self.has_sheets = chart.sheets().len() > 1;
        self.signs = chart.legend().collect();
        self.slice = Some(chart).filter(|chart| !chart.is_whole());
    }

    fn chart(&self, context: &Context) -> Option<(Known, Arc<Chart>, Spot)> {
        let known = context.known(&self.plan)?;
        let chart = self.slice.clone().or_else(|| known.chart.clone())?;
        Some((known, chart, self.at?))
    }

    /// Switches to the slice on which another unit of a side moves.
    fn turn(&mut self, side: Side, context: &Context) {
        let Some((known, chart, at)) = self.chart(context) else { return };
        let Some(position) = at.position(&chart) else { return };
        let Some(turned) = chart.turned(position, side, &known.solved) else { return };
        let Some(place) = turned.place(position, &known.solved) else { return };
        self.at = Some(place.into());
        self.show(Arc::new(turned));
    }

    /// Moves the cursor to the tile with this number. Returns whether the cursor was already there.
    fn click(&mut self, number: usize, chart: &Chart) -> bool {
        let spot = Spot::numbered(number, chart).filter(|spot| spot.position(chart).is_some());
        spot.is_some_and(|spot| self.at.replace(spot) == Some(spot))
    }

    /// Starts a game from the position under the cursor.
    fn play_on(&self, context: &mut Context) -> Go {
        let Some((_, chart, at)) = self.chart(context) else { return Go::Stay };
        let Some(position) = at.position(&chart) else { return Go::Stay };
        Exercise::go(&self.plan, position, "Choose another position.", context)
    }

    /// Draws all sheets side by side or, if they do not fit, the sheet under the cursor.
    fn sheets(&self, canvas: &mut Canvas, area: Rect, has_titles: bool, map: &OpenMap) {
        const GAP: u16 = 2;
        let OpenMap { known, chart, at, .. } = map;
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
            if has_titles {
                let ink = if sheet == at.sheet { Ink::Title } else { Ink::Faint };
                let count = if are_beside || sheets.len() == 1 {
                    String::new()
                } else {
                    format!(" ({} of {}, Tab)", sheet + 1, sheets.len())
                };
                canvas.text(place, 0, &format!("{}{count}", tiles.title()), canvas.look.ink(ink));
            }
            let here = if sheet == at.sheet {
                (at.row, at.column)
            } else {
                (at.row.min(tiles.rows() - 1), at.column.min(tiles.columns() - 1))
            };
            let been = visited(&self.path, sheet, chart, &known.solved);
            let grid = Grid {
                tiles,
                here,
                is_marked: sheet == at.sheet,
                been: &been,
                clicks: Some(firsts[sheet]),
            };
            grid.draw(canvas, below(place, u16::from(has_titles)));
        }
    }

    /// Explains why there is no map, or no map yet.
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

    fn roomy(&self, canvas: &mut Canvas, area: Rect, map: &OpenMap) {
        let side = (area.width * 2 / 5).clamp(36, 64);
        let (left, right) = split(area, area.width - side);
        let tiles = &map.chart.sheets()[map.at.sheet];
        let (down, across) = tiles.labels();
        let full = format!("down: {down}, across: {across}");
        let fits = columns::width(&full) + 4 <= left.width.into();
        let inside = inset(canvas.panel(left, &if fits { full } else { tiles.axes() }));
        self.sheets(canvas, inside, true, map);
        let needed = map.shown.least_rows() + 2;
        let full = Legend::full(map.chart, side - 4);
        let fits = full.rows() + 2 + needed <= area.height;
        let legend = if fits { full } else { Legend::short(map.chart, side - 4) };
        let place = Rect { height: legend.rows() + 2, ..right };
        let place = Rect { y: area.bottom() - place.height, ..place };
        let inside = inset(canvas.panel(place, "Legend"));
        legend.draw(canvas, inside);
        let top = Rect { height: area.height - place.height, ..right };
        self.about(canvas, top, &map.shown, map.letters());
    }

    fn compact(&self, canvas: &mut Canvas, area: Rect, map: &OpenMap) {
        let tiles = &map.chart.sheets()[map.at.sheet];
        // In the smallest window, the sentence alone says whose turn it is.
        let has_titles = area.height >= 12;
        let heads = u16::from(has_titles) + 1;
        let wanted = extent(tiles.rows());
        let legend = Legend::short(map.chart, area.width);
        let brief = Self::brief_rows(&map.shown, area.width);
        let left = area.height.saturating_sub(legend.rows() + brief + heads);
        // The board or the matrix takes precedence over additional tiles.
        let spare = left.saturating_sub(LEAST_TILES);
        let rows = wanted.min(left - spare.min(map.shown.extra_rows(area.width, spare)));
        let sheets = Rect { height: heads + rows, ..area };
        self.sheets(canvas, sheets, has_titles, map);
        let rest = below(area, sheets.height);
        let foot = rest.height.min(legend.rows());
        self.brief(canvas, Rect { height: rest.height - foot, ..rest }, &map.shown);
        legend.draw(canvas, below(rest, rest.height - foot));
    }
}

/// A map with the position under its cursor.
struct OpenMap<'a> {
    known: &'a Known,
    chart: &'a Chart,
    at: Spot,
    shown: Shown,
}

impl OpenMap<'_> {
    /// The letters of the tile under the cursor.
    fn letters(&self) -> &str {
        self.chart.sheets()[self.at.sheet].tile(self.at.row, self.at.column).0
    }
}

impl Screen for MapScreen {
    fn title(&self) -> String {
        format!("Map of {}", words::game(self.plan.entry, &self.plan.settings))
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.plan.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = vec![("Enter", "play on"), ("←↑→↓", "move")];
        hints.push(("p", if self.is_close { "map" } else { "position" }));
        if self.has_sheets {
            hints.push(("Tab", "sheet"));
        }
        if self.slice.is_some() {
            hints.push(("1 2", "other unit"));
        }
        hints.extend([("Esc", "back"), ("g", "to the game")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        let mut help: Vec<Help> = Vec::new();
        if self.slice.is_some() {
            let unit =
                "another unit of Player 1 or 2 goes along the rows or columns; the others stay";
            help.push(("1 2".into(), unit));
        }
        help.push(("p".into(), "the position under the cursor in the whole window, or the map"));
        if self.has_sheets {
            help.push(("Tab".into(), "the other side to move"));
        }
        help.push(("Home End".into(), "first and last position of the row"));
        help.push(("PgUp PgDn".into(), "eight rows up or down"));
        help
    }

    fn signs(&self) -> Vec<Help> {
        let mut signs: Vec<Help> = vec![("[ ]".into(), "the cursor")];
        signs.extend(self.signs.iter().map(|sign| (sign.sample.into(), sign.meaning)));
        if !self.path.is_empty() {
            signs.push(("•".into(), "a position of the game so far"));
        }
        signs
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) if self.is_close => self.is_close = false,
            Press::Key(KeyCode::Esc) => return Go::Back,
            press if press.is_enter() => return self.play_on(context),
            Press::Key(KeyCode::Char('p')) => self.is_close = !self.is_close,
            Press::Key(KeyCode::Char('1')) => self.turn(Side::One, context),
            Press::Key(KeyCode::Char('2')) => self.turn(Side::Two, context),
            Press::Key(KeyCode::Char('g')) => {
                (self.at, self.slice) = (None, None);
                self.settle(context);
            }
            _ => {
                let Some((_, chart, at)) = self.chart(context) else { return Go::Stay };
                match press {
                    Press::Pick(number) if self.click(number, &chart) => {
                        return self.play_on(context);
                    }
                    Press::Pick(_) => {}
                    press => self.at = Some(at.step(press, &chart)),
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
        let explored = self.chart(context).and_then(|(known, chart, at)| {
            let shown = self.shown(&known, &chart, at)?;
            Some((known, chart, at, shown))
        });
        let Some((known, chart, at, shown)) = explored else {
            let inside = inset(canvas.panel(area, "Map"));
            canvas.prose(inside, &self.absence(context), canvas.look.ink(Ink::Plain));
            return;
        };
        let map = OpenMap { known: &known, chart: &chart, at, shown };
        if self.is_close {
            self.about(canvas, area, &map.shown, map.letters());
        } else if is_roomy(area) {
            self.roomy(canvas, area, &map);
        } else {
            self.compact(canvas, area, &map);
        }
    }
}
