//! Details of the position under the map's cursor: the board, the value, and the moves or the payoffs.

use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::{Judgement, Payoffs, RatedMove};
use skirmish_present::choice::caption;
use skirmish_present::map::Chart;
use skirmish_present::words;
use skirmish_rules::{Choice, Entry, Scene, Setup, Side, Table, columns};

use super::super::analysis;
use super::super::context::Known;
use super::super::look::Ink;
use super::super::parts::{Canvas, below, extent, inset, rows_of};
use super::super::stage::{Stage, glyph};
use super::{MapScreen, Spot, matrix};

/// Minimum height of a board with place numbers.
const LEAST_BOARD: u16 = 3;

/// Maximum height of the board in a small window.
const MOST_BOARD: u16 = 4;

/// Maximum height of the sentence in a small window.
const MOST_WORDS: u16 = 2;

/// The position under the cursor.
pub(super) struct Shown {
    entry: &'static Entry,
    position: String,
    scene: Scene,
    judgement: Judgement,
    /// The side to move and its choices; `None` if the game is over.
    mover: Option<(Side, Vec<Choice>)>,
    /// The value of every pair of choices, if both sides choose simultaneously.
    payoffs: Option<Payoffs>,
    sentence: String,
    /// The sentence for a narrow window.
    short: String,
}

impl MapScreen {
    pub(super) fn shown(&self, known: &Known, chart: &Chart, at: Spot) -> Option<Shown> {
        let position = at.position(chart)?.to_owned();
        let graph = known.solved.graph();
        let node = graph.find(&position).ok().flatten()?;
        let (settings, entry) = (self.plan.settings.clone(), self.plan.entry);
        let setup = Setup { settings, position: Some(position.clone()), ..entry.setup() };
        let table = entry.open(setup).ok().filter(|table| table.outcome().is_none());
        let mover = |table: &dyn Table| {
            let side = table.turn().first().copied()?;
            Some((side, table.choices(side)))
        };
        let mover = table.and_then(|table| mover(&*table));
        let judgement = known.solved.judge(node);
        let side = mover.as_ref().map(|(side, _)| *side);
        let (sentence, short) = self.sentences(&judgement, side, chart, at);
        Some(Shown {
            entry,
            scene: graph.scene(node),
            payoffs: known.solved.payoffs(node),
            judgement,
            mover,
            position,
            sentence,
            short,
        })
    }

    /// The full and the short sentence about a tile.
    fn sentences(
        &self,
        judgement: &Judgement,
        mover: Option<Side>,
        chart: &Chart,
        at: Spot,
    ) -> (String, String) {
        let tiles = &chart.sheets()[at.sheet];
        let words = tiles.words(at.row, at.column).unwrap_or_default();
        let names = &self.plan.names;
        let sentence = match (judgement, mover) {
            (_, None) => "The game is over.".to_owned(),
            (Judgement::Alternating { .. }, Some(side)) => {
                let (letters, _) = tiles.tile(at.row, at.column);
                let sign = chart.legend().find(|sign| sign.sample == letters);
                let sentence = |words: &str| format!("{} to move: {words}.", names[side]);
                let short = match sign {
                    Some(sign) if letters != "=" => sentence(&format!("endless, {}", sign.word)),
                    Some(_) | None => sentence(words),
                };
                return (sentence(words), short);
            }
            (Judgement::Simultaneous { .. }, Some(side)) => {
                format!("{}.", analysis::title(judgement, Some(side), names))
            }
        };
        (sentence.clone(), sentence)
    }

    fn stage<'a>(&'a self, shown: &'a Shown) -> Stage<'a> {
        Stage::still(self.plan.entry, &shown.scene, &self.plan.names)
    }

    /// Draws the position under the cursor: the board, the value and the moves.
    pub(super) fn about(&self, canvas: &mut Canvas, area: Rect, shown: &Shown, letters: &str) {
        let title = format!("{}, here {letters}", shown.position);
        let inside = inset(canvas.panel(area, &title));
        let full = rows_of(&shown.sentence, inside.width);
        let is_crowded = full + shown.rows() + LEAST_BOARD > inside.height;
        let (sentence, details) = if is_crowded {
            (&shown.short, shown.crowded_rows(inside.width))
        } else {
            (&shown.sentence, shown.rows())
        };
        let words = rows_of(sentence, inside.width);
        let most = inside.height.saturating_sub(words + details);
        let board = if most < 2 { 0 } else { shown.board_rows(inside.width, most) };
        self.stage(shown).draw(canvas, Rect { height: board, ..inside });
        let rest = below(inside, board);
        let used = canvas.prose(rest, sentence, canvas.look.ink(Ink::Title));
        shown.details(canvas, below(rest, used));
    }

    /// The height of the sentence and the details that [`Self::brief`] always shows.
    pub(super) fn brief_rows(shown: &Shown, width: u16) -> u16 {
        shown.head_rows(width) + shown.brief_details(width)
    }

    /// Draws the position under the cursor without a frame, for a small window; the board or the payoffs only if they fit.
    pub(super) fn brief(&self, canvas: &mut Canvas, area: Rect, shown: &Shown) {
        let head = shown.head_rows(area.width);
        let place = Rect { height: area.height.min(head), ..area };
        canvas.prose(place, &shown.head(area.width), canvas.look.ink(Ink::Title));
        let rest = below(area, head);
        let details = shown.brief_details(area.width);
        let most = rest.height.saturating_sub(details);
        let board = shown.board_rows(area.width, most.min(MOST_BOARD));
        let board = if most < 2 || shown.payoffs.is_some() { 0 } else { board };
        self.stage(shown).draw(canvas, Rect { height: board, ..rest });
        shown.details(canvas, below(rest, board));
    }
}

impl Shown {
    /// The position and the sentence about it, for a small window.
    fn head(&self, width: u16) -> String {
        let full = format!("{} {}", self.position, self.sentence);
        if rows_of(&full, width) <= MOST_WORDS {
            return full;
        }
        format!("{} {}", self.position, self.short)
    }

    fn head_rows(&self, width: u16) -> u16 {
        rows_of(&self.head(width), width).min(MOST_WORDS)
    }

    fn board_rows(&self, width: u16, most: u16) -> u16 {
        Stage::rows(self.entry, &self.scene, width, most)
    }

    /// The height of the board or the matrix in a small window, if `most` rows are available.
    pub(super) fn extra_rows(&self, width: u16, most: u16) -> u16 {
        match &self.payoffs {
            Some(payoffs) => Some(matrix::rows(payoffs)).filter(|rows| *rows <= most).unwrap_or(0),
            None if most < 2 => 0,
            None => self.board_rows(width, most.min(MOST_BOARD)),
        }
    }

    /// The height of the list of moves, or of the payoffs and the mixes.
    fn rows(&self) -> u16 {
        match (&self.payoffs, &self.mover) {
            (Some(payoffs), _) => matrix::rows(payoffs) + self.mix_rows(),
            (None, Some((_, choices))) => extent(choices.len()),
            (None, None) => 0,
        }
    }

    fn mix_rows(&self) -> u16 {
        let Judgement::Simultaneous { strategy, .. } = &self.judgement else { return 0 };
        extent(strategy.one.len().max(strategy.two.len()))
    }

    /// The height of the moves or the mixes in a small window.
    fn brief_details(&self, width: u16) -> u16 {
        if self.payoffs.is_some() { self.mix_rows() } else { self.crowded_rows(width) }
    }

    /// The height of the moves as running text, or of the payoffs and the mixes.
    fn crowded_rows(&self, width: u16) -> u16 {
        match &self.judgement {
            Judgement::Alternating { moves, .. } => rows_of(&line_of(moves), width),
            Judgement::Simultaneous { .. } => self.rows(),
        }
    }

    /// Draws the moves with their values, or the payoffs and both mixes.
    fn details(&self, canvas: &mut Canvas, area: Rect) {
        let Some((side, choices)) = &self.mover else { return };
        match &self.judgement {
            Judgement::Simultaneous { strategy, .. } => {
                let mut rest = area;
                let payoffs = self.payoffs.as_ref().filter(|_| self.rows() <= area.height);
                if let Some(payoffs) = payoffs {
                    matrix::draw(canvas, area, payoffs);
                    rest = below(area, matrix::rows(payoffs));
                }
                analysis::mixes(canvas, rest, strategy);
            }
            Judgement::Alternating { moves, .. } if choices.len() > area.height.into() => {
                canvas.prose(area, &line_of(moves), canvas.look.ink(Ink::Plain));
            }
            judgement @ Judgement::Alternating { .. } => {
                let room = usize::from(area.width).saturating_sub(20);
                for (row, choice) in (0..).zip(choices) {
                    let caption = columns::shorten(&caption(choice), 16);
                    let words = format!("{} {caption:<16} ", glyph(*side));
                    let mut line = Line::from(vec![canvas.span(Ink::Side(*side), words)]);
                    let notation = &choice.notation;
                    let value = analysis::value_of(judgement, *side, notation, canvas.look, room);
                    line.spans.extend(value);
                    canvas.line(area, row, &line);
                }
            }
        }
    }

    /// Minimum height of the panel, the same for every position of a game.
    pub(super) fn least_rows(&self) -> u16 {
        match &self.payoffs {
            Some(payoffs) => 2 * matrix::rows(payoffs),
            None => LEAST_BOARD + 2,
        }
    }
}

/// Lists all moves with their values in one line: `1 L6, 3 W5★`.
fn line_of(moves: &[RatedMove]) -> String {
    let best = words::best(moves);
    let one = |rated: &RatedMove| {
        let star = if best.contains(&rated) { "★" } else { "" };
        format!("{} {}{star}", rated.notation, words::letter(rated.value))
    };
    moves.iter().map(one).collect::<Vec<String>>().join(", ")
}
