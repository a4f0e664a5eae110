//! The analysis of a solved game: the value of every move, a graph of who was ahead, and the map with the path of this
//! game.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use skirmish_play::library::Knowledge;
use skirmish_play::{Answer, Judgement, Plan, Solved};
use skirmish_present::map::Chart;
use skirmish_present::words;
use skirmish_rules::{Both, Names, Record, Side, columns};
use skirmish_solver::Value;

use super::context::{Context, Known};
use super::look::{Ink, Look};
use super::map::{Grid, visited};
use super::parts::{Canvas, below, split};
use super::stage::glyph;

/// The height of the graph of who was ahead, with its caption.
const GRAPH_ROWS: u16 = 6;

/// The height of the graph in a small window.
const LOW_GRAPH_ROWS: u16 = 4;

/// Minimum number of rows above the graph.
const ABOVE_GRAPH: u16 = 9;

/// Minimum width for showing names beside values.
const NAMED: u16 = 100;

/// The areas for the choices and for the analysis beside them.
pub(super) fn halves(area: Rect) -> (Rect, Rect) {
    let beside = (area.width * 3 / 5).clamp(44, 70).min(area.width);
    split(area, area.width - beside)
}

/// The value of a position, in a few words.
pub(super) fn title(judgement: &Judgement, mover: Option<Side>, names: &Names) -> String {
    match (judgement, mover) {
        (_, None) => "The game is over".to_owned(),
        (Judgement::Alternating { value, .. }, Some(side)) => {
            format!("{}: {}", names[side], words::value(*value))
        }
        (Judgement::Simultaneous { value, .. }, Some(_)) => {
            format!("Worth {} to {}", words::points(*value), names.one)
        }
    }
}

/// The value of a position without the mover's name, for a narrow window.
pub(super) fn brief(judgement: &Judgement, mover: Side, names: &Names, width: u16) -> String {
    match judgement {
        Judgement::Alternating { value, .. } if width < NAMED => words::value(*value),
        Judgement::Alternating { .. } | Judgement::Simultaneous { .. } => {
            title(judgement, Some(mover), names)
        }
    }
}

/// Draws the frame of an analysis. Returns the area inside and the solved game; if there is none, explains why.
pub(super) fn panel(
    canvas: &mut Canvas,
    area: Rect,
    title: Option<String>,
    plan: &Plan,
    context: &Context,
) -> Option<(Rect, Known)> {
    let inside = canvas.panel(area, &title.unwrap_or_else(|| "Analysis".to_owned()));
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
    if let Some(known) = context.known(plan) {
        return Some((inside, known));
    }
    let (text, ink) = match context.knowledge(plan) {
        Knowledge::Refused(_, why) => (why.to_string(), Ink::Alarm),
        Knowledge::Known(_) | Knowledge::Working(_) | Knowledge::Nothing => {
            ("The game is being solved…".to_owned(), Ink::Faint)
        }
    };
    canvas.prose(inside, &text, canvas.look.ink(ink));
    None
}

/// Draws the analysis of a game after `turn` turns: the best mixes, and the map or, without a map, the graph.
pub(super) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    known: &Known,
    record: &Record,
    turn: usize,
    judgement: Option<&Judgement>,
) {
    let mut left = area;
    if let Some(Judgement::Simultaneous { strategy, .. }) = judgement {
        let rows = mixes(canvas, area, strategy);
        left = Rect { y: area.y + rows, height: area.height - rows, ..area };
    }
    match known.chart.as_ref().filter(|chart| chart.is_whole()) {
        Some(chart) => map(canvas, left, chart, known, &positions(record), turn),
        None => graph(canvas, left, &standings(&known.solved, record), turn, &record.names),
    }
}

/// Draws the graph at the bottom of an area if the analysis shows a map. Returns the area above it.
pub(super) fn graph_below(
    canvas: &mut Canvas,
    area: Rect,
    known: &Known,
    record: &Record,
    turn: usize,
) -> Rect {
    let rows = if area.height >= GRAPH_ROWS + ABOVE_GRAPH { GRAPH_ROWS } else { LOW_GRAPH_ROWS };
    let has_map = known.chart.as_ref().is_some_and(|chart| chart.is_whole());
    if !has_map || area.height < rows + ABOVE_GRAPH {
        return area;
    }
    let above = Rect { height: area.height - rows, ..area };
    let place = Rect { y: area.y + above.height, height: rows, ..area };
    let standings = standings(&known.solved, record);
    graph(canvas, place, &standings, turn, &record.names);
    above
}

/// Draws both sides' best mixes as bars, side by side.
pub(super) fn mixes(canvas: &mut Canvas, area: Rect, strategy: &Both<Vec<(String, f64)>>) -> u16 {
    let half = area.width / 2;
    let mut rows = 0;
    for side in Side::ALL {
        let place = match side {
            Side::One => Rect { width: half.saturating_sub(1), ..area },
            Side::Two => Rect { x: area.x + half, width: area.width - half, ..area },
        };
        for (row, (action, share)) in (0..).zip(&strategy[side]) {
            let line = Line::from(vec![
                canvas.span(Ink::Side(side), format!("{} {action:<8}", glyph(side))),
                Span::raw(format!("{:>5} ", words::percent(*share, 0))),
                Span::raw("█".repeat(blocks(*share, 6))),
            ]);
            canvas.line(place, row, &line);
            rows = rows.max(row + 1);
        }
    }
    rows.min(area.height)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few characters
fn blocks(share: f64, most: u8) -> usize {
    (share * f64::from(most)).round() as usize
}

const fn ink_of(value: Value) -> Ink {
    match value {
        Value::Win(_) => Ink::Good,
        Value::Loss(_) => Ink::Bad,
        Value::Draw(_) | Value::Endless => Ink::Even,
    }
}

/// The value of a choice, for the list of choices.
pub(super) fn value_of(
    judgement: &Judgement,
    side: Side,
    notation: &str,
    look: Look,
    room: usize,
) -> Vec<Span<'static>> {
    match judgement {
        Judgement::Alternating { moves, .. } => {
            let best = words::best(moves);
            let Some(rated) = moves.iter().find(|rated| rated.notation == notation) else {
                return Vec::new();
            };
            let star = if best.contains(&rated) { "★ " } else { "  " };
            let letter = words::letter(rated.value);
            let text = match rated.value {
                Value::Endless => "endless".to_owned(),
                value => words::value(value),
            };
            let ink = look.ink(ink_of(rated.value));
            let short = format!("{star}{letter:<3} ");
            let text = if short.len() + text.len() <= room { text } else { String::new() };
            vec![Span::styled(short, ink), Span::styled(text, ink)]
        }
        Judgement::Simultaneous { strategy, .. } => {
            let share = strategy[side].iter().find(|(action, _)| action == notation);
            let share = share.map_or(0.0, |(_, share)| *share);
            let bar = "█".repeat(blocks(share, 8));
            vec![Span::styled(
                format!("{:>6} {bar}", words::percent(share, 1)),
                look.ink(Ink::Good),
            )]
        }
    }
}

/// Player 1's outlook, from −1 (immediate loss) to +1 (immediate win).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Advantage(f64);

impl Advantage {
    /// Player 1's share of a bar, from 0 to 1.
    pub(super) const fn share(self) -> f64 {
        self.0.clamp(-1.0, 1.0).midpoint(1.0)
    }
}

/// Player 1's outlook before every turn and after the last.
pub(super) fn standings(solved: &Solved, record: &Record) -> Vec<Advantage> {
    positions(record).iter().map(|position| standing(solved, position)).collect()
}

/// Player 1's outlook in a position.
pub(super) fn standing(solved: &Solved, position: &str) -> Advantage {
    let graph = solved.graph();
    let Ok(Some(node)) = graph.find(position) else { return Advantage(0.0) };
    match solved.answer() {
        Answer::Alternating(solution) => {
            let sign = if graph.mover(node) == Some(Side::Two) { -1.0 } else { 1.0 };
            Advantage(sign * nearness(solution.value(node)))
        }
        Answer::Simultaneous { solution, .. } => Advantage(solution.bounds.value(node as usize).0),
    }
}

/// How near the end is, from 0.3 to 1 (the end).
fn nearness(value: Value) -> f64 {
    let clear = |plies: u16| 0.3 + 0.7 / (1.0 + f64::from(plies) / 4.0);
    match value {
        Value::Win(plies) => clear(plies),
        Value::Loss(plies) => -clear(plies),
        Value::Draw(_) | Value::Endless => 0.0,
    }
}

/// The positions of a game, from first to last.
pub(super) fn positions(record: &Record) -> Vec<String> {
    let mut table = record.table();
    let mut all = vec![table.position()];
    for turn in &record.turns {
        table.play(&turn.notation).expect("the record was checked");
        all.push(table.position());
    }
    all
}

/// Draws a graph of who was ahead in each turn: Player 1 above the middle, Player 2 below.
pub(super) fn graph(
    canvas: &mut Canvas,
    area: Rect,
    standings: &[Advantage],
    turn: usize,
    names: &Names,
) {
    let rows = area.height.saturating_sub(1).max(1);
    let middle = (rows - 1) / 2;
    let width = usize::from(area.width.saturating_sub(3));
    let end = (turn + 1).max(width).min(standings.len().max(width));
    let first = end.saturating_sub(width);
    let with_names = format!("▶ {} above, ◀ {} below", names.one, names.two);
    let captions = [&*with_names, "Who stood better: ▶ above, ◀ below", "▶ above, ◀ below"];
    let fits = |caption: &&str| columns::width(caption) <= area.width.into();
    let caption = captions.into_iter().find(fits).unwrap_or(captions[2]);
    canvas.text(area, 0, caption, canvas.look.ink(Ink::Faint));
    let plot = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    canvas.text(plot, 0, "1", canvas.look.ink(Ink::Side(Side::One)));
    canvas.text(plot, middle, "=", canvas.look.ink(Ink::Faint));
    canvas.text(plot, rows - 1, "2", canvas.look.ink(Ink::Side(Side::Two)));
    let line = Rect { x: plot.x + 2, width: plot.width.saturating_sub(2), ..plot };
    canvas.text(line, middle, &"·".repeat(line.width.into()), canvas.look.ink(Ink::Faint));
    for (column, (index, standing)) in (0..line.width).zip(standings.iter().enumerate().skip(first))
    {
        let row = row_of(*standing, middle, rows);
        let (ink, letter) = match standing.0 {
            better if better > 1e-9 => (Ink::Side(Side::One), "▲"),
            worse if worse < -1e-9 => (Ink::Side(Side::Two), "▼"),
            _ => (Ink::Even, "●"),
        };
        let mut style = canvas.look.ink(ink).remove_modifier(Modifier::UNDERLINED);
        if index == turn {
            style = style.add_modifier(Modifier::REVERSED);
        }
        let spot = Rect { x: line.x + column, width: 1, ..line };
        canvas.text(spot, row, letter, style);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a row of a small graph
fn row_of(standing: Advantage, middle: u16, rows: u16) -> u16 {
    let reach = if standing.0 > 0.0 { middle } else { rows - 1 - middle };
    let distance = (standing.0.abs() * f64::from(reach)).ceil().min(f64::from(reach)) as u16;
    if standing.0 > 0.0 { middle - distance } else { middle + distance }
}

/// Draws the map, with the path of this game and its current position.
fn map(
    canvas: &mut Canvas,
    area: Rect,
    chart: &Chart,
    known: &Known,
    path: &[String],
    turn: usize,
) {
    let now = &path[turn.min(path.len() - 1)];
    let Some((sheet, row, column)) = chart.place(now, &known.solved) else { return };
    let tiles = &chart.sheets()[sheet];
    let been = visited(&path[..turn.min(path.len())], sheet, chart, &known.solved);
    canvas.text(area, 0, &tiles.caption(), canvas.look.ink(Ink::Faint));
    let grid = Grid { tiles, here: (row, column), is_marked: true, been: &been, clicks: None };
    grid.draw(canvas, below(area, 1));
}
