//! What is known about the position under the map's cursor, and the legend.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::{Judgement, RatedMove};
use skirmish_present::map::Chart;
use skirmish_present::words;
use skirmish_rules::{Choice, Scene, Setup, Side, Table, columns};

use super::super::analysis;
use super::super::context::Known;
use super::super::keys::caption;
use super::super::look::Ink;
use super::super::parts::{Canvas, below, inset};
use super::super::stage::{Stage, glyph};
use super::{MapScreen, Spot};

/// Columns of the samples in the legend.
const SAMPLE: usize = 6;

/// The position under the cursor.
struct Shown {
    position: String,
    scene: Scene,
    judgement: Judgement,
    /// Who moves, and what they can do; `None` if the game is over there.
    mover: Option<(Side, Vec<Choice>)>,
}

impl MapScreen {
    fn shown(&self, known: &Known, chart: &Chart, at: Spot) -> Option<Shown> {
        let position = chart.sheets()[at.sheet].position(at.row, at.column)?.to_owned();
        let graph = known.solved.graph();
        let node = graph.find(&position).ok().flatten()?;
        let (settings, entry) = (self.plan.settings.clone(), self.plan.entry);
        let setup = Setup { settings, position: Some(position.clone()), ..entry.setup() };
        let table = entry.open(setup).ok().filter(|table| table.outcome().is_none());
        let mover = |table: &dyn Table| {
            let side = table.turn().first().copied()?;
            Some((side, table.choices(side)))
        };
        Some(Shown {
            scene: graph.scene(node),
            judgement: known.solved.judge(node),
            mover: table.and_then(|table| mover(&*table)),
            position,
        })
    }

    /// The sentence about a tile.
    fn sentence(&self, shown: Option<&Shown>, chart: &Chart, at: Spot) -> String {
        let tiles = &chart.sheets()[at.sheet];
        let words = tiles.words(at.row, at.column);
        let Some(shown) = shown else {
            let (down, across) = tiles.labels();
            let (row, column) = (tiles.tick(true, at.row), tiles.tick(false, at.column));
            let words = words.unwrap_or("cannot arise");
            return format!("{down} {row}, {across} {column}: {words}.");
        };
        let names = &self.plan.names;
        match (&shown.judgement, &shown.mover) {
            (_, None) => "The game is over.".to_owned(),
            (Judgement::Alternating { .. }, Some((side, _))) => {
                format!("{} to move: {}.", names[*side], words.unwrap_or_default())
            }
            (judgement @ Judgement::Simultaneous { .. }, Some((side, _))) => {
                format!("{}.", analysis::title(judgement, Some(*side), names))
            }
        }
    }

    /// Draws the position under the cursor: the board, the value, the moves.
    pub(super) fn about(
        &self,
        canvas: &mut Canvas,
        area: Rect,
        known: &Known,
        chart: &Chart,
        at: Spot,
    ) {
        let shown = self.shown(known, chart, at);
        let title = shown.as_ref().map_or_else(String::new, |shown| {
            let (letters, _) = chart.sheets()[at.sheet].tile(at.row, at.column);
            format!("{}, here {letters}", shown.position)
        });
        let inside = inset(canvas.panel(area, &title));
        let sentence = self.sentence(shown.as_ref(), chart, at);
        let Some(shown) = shown else {
            let used = canvas.prose(inside, &sentence, canvas.look.ink(Ink::Plain));
            let mut rest = below(inside, used + 1);
            for note in chart.notes() {
                let used = canvas.prose(rest, note, canvas.look.ink(Ink::Faint));
                rest = below(rest, used);
            }
            return;
        };
        let choices = shown.mover.as_ref().map_or(0, |(_, choices)| choices.len());
        let choices = u16::try_from(choices).unwrap_or(u16::MAX);
        let words = u16::try_from(columns::wrap(&sentence, inside.width.into()).len()).unwrap_or(1);
        let most = inside.height.saturating_sub(words.saturating_add(choices));
        let board = Stage::rows(&shown.scene, inside.width, most.max(inside.height / 2));
        Stage::still(self.plan.entry, &shown.scene, &self.plan.names)
            .draw(canvas, Rect { height: board, ..inside });
        let rest = below(inside, board);
        let used = canvas.prose(rest, &sentence, canvas.look.ink(Ink::Title));
        moves(canvas, below(rest, used), &shown);
    }

    /// The same in a small window: a line or two, and the board if there is room. Returns what is left.
    pub(super) fn brief(
        &self,
        canvas: &mut Canvas,
        area: Rect,
        known: &Known,
        chart: &Chart,
        at: Spot,
    ) -> Rect {
        let shown = self.shown(known, chart, at);
        let head = shown.as_ref().map_or_else(String::new, |shown| format!("{} ", shown.position));
        let sentence = format!("{head}{}", self.sentence(shown.as_ref(), chart, at));
        let place = Rect { height: area.height.min(2), ..area };
        let used = canvas.prose(place, &sentence, canvas.look.ink(Ink::Title));
        let rest = below(area, used);
        let Some(shown) = shown else { return rest };
        let rows = Stage::rows(&shown.scene, area.width, rest.height.min(4));
        Stage::still(self.plan.entry, &shown.scene, &self.plan.names)
            .draw(canvas, Rect { height: rows, ..rest });
        let rest = below(rest, rows);
        let used = match &shown.judgement {
            Judgement::Alternating { moves, .. } => {
                canvas.prose(rest, &line_of(moves), canvas.look.ink(Ink::Plain))
            }
            Judgement::Simultaneous { strategy, .. } => analysis::mixes(canvas, rest, strategy),
        };
        below(rest, used)
    }
}

/// All moves with their values in one line: `1 L6, 3 W5★`.
fn line_of(moves: &[RatedMove]) -> String {
    let best = words::best(moves);
    let one = |rated: &RatedMove| {
        let star = if best.contains(&rated) { "★" } else { "" };
        format!("{} {}{star}", rated.notation, words::letter(rated.value))
    };
    moves.iter().map(one).collect::<Vec<String>>().join(", ")
}

/// Draws the moves with their values, or both mixes. Returns the rows it took.
fn moves(canvas: &mut Canvas, area: Rect, shown: &Shown) -> u16 {
    let Some((side, choices)) = &shown.mover else { return 0 };
    if let Judgement::Simultaneous { strategy, .. } = &shown.judgement {
        return analysis::mixes(canvas, area, strategy);
    }
    let all = choices.len();
    let rows = usize::from(area.height);
    // A mark tells that not all moves are shown.
    let fit = if all > rows { rows.saturating_sub(1) } else { all };
    let room = usize::from(area.width).saturating_sub(20);
    for (row, choice) in (0..).zip(&choices[..fit]) {
        let words = format!("{} {:<16} ", glyph(*side), columns::shorten(&caption(choice), 16));
        let mut line = Line::from(vec![canvas.span(Ink::Side(*side), words)]);
        line.spans.extend(analysis::value_of(
            &shown.judgement,
            *side,
            &choice.notation,
            canvas.look,
            room,
        ));
        canvas.line(area, row, &line);
    }
    if fit < all && rows > 0 {
        let text = format!("… {} more", all - fit);
        canvas.text(area, u16::try_from(fit).unwrap_or(u16::MAX), &text, canvas.look.ink(Ink::Key));
    }
    u16::try_from(all.min(rows)).unwrap_or(u16::MAX)
}

/// The rows of the legend at this width.
pub(super) fn legend_rows(chart: &Chart, width: u16) -> u16 {
    let room = usize::from(width).saturating_sub(SAMPLE);
    let rows: usize = chart.legend().map(|(_, _, it)| columns::wrap(it, room).len()).sum();
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Draws what the letters of the map mean.
pub(super) fn legend(canvas: &mut Canvas, area: Rect, chart: &Chart) {
    let room = usize::from(area.width).saturating_sub(SAMPLE);
    let mut row = 0;
    for (sample, tone, meaning) in chart.legend() {
        let mut sample = format!("{sample:<SAMPLE$}");
        for part in columns::wrap(meaning, room) {
            let style = canvas.look.tone(tone);
            let line = Line::from(vec![Span::styled(sample, style), Span::raw(part)]);
            canvas.line(area, row, &line);
            sample = " ".repeat(SAMPLE);
            row += 1;
        }
    }
}
