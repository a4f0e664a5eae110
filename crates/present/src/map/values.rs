//! The map of a simultaneous game on a plane: every position's value for Player 1, and both mixes in the marked position.

use skirmish_play::{Judgement, Solved};
use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, Side};

use super::picture::{Bar, Bars, Fill, Key, Panel, Picture, Sheet, Tile, Tone};
use super::plane::{Plane, Point};
use super::{axes, mark, title};
use crate::json::{BoardObject, Named, ValueCellObject, ValuesObject};
use crate::words;

/// Smaller differences are rounding errors.
const SLIGHT: f64 = 1e-9;

pub(super) struct Values<'a> {
    solved: &'a Solved,
    pub(super) plane: Plane,
    chosen: u32,
}

/// The solution of one position.
struct ValueCell {
    value: f64,
    error: f64,
    strategy: Both<Vec<(String, f64)>>,
    worth: Both<Vec<f64>>,
    is_over: bool,
}

impl<'a> Values<'a> {
    pub(super) const fn of(solved: &'a Solved, plane: Plane, chosen: u32) -> Self {
        Self { solved, plane, chosen }
    }

    fn cell(&self, node: u32) -> ValueCell {
        let is_over = self.solved.graph().expand(node, &mut Expansion::default()) != Node::Open;
        let Judgement::Simultaneous { value, error, strategy, worth } = self.solved.judge(node)
        else {
            unreachable!("a simultaneous game has simultaneous positions");
        };
        ValueCell { value, error, strategy, worth, is_over }
    }

    pub(super) fn picture(&self) -> Picture {
        let cell = self.cell(self.chosen);
        let mut columns = vec![vec![Panel::Sheet(self.sheet())]];
        if !cell.is_over {
            columns.push(Side::ALL.map(|side| Panel::Bars(self.bars(&cell, side))).into());
        }
        Picture {
            title: title(self.solved),
            subtitle: "The value of every position for Player 1, if both play well".to_owned(),
            columns,
            legend: vec![
                Key::new("+1", Tone::Win(1.0), "a sure win", "Player 1 wins"),
                Key::new("+0.45", Tone::Win(0.45), "better for Player 1", "better for 1"),
                Key::new("0", Tone::Even, "even: as good as a game that never ends", "even"),
                Key::new("-0.45", Tone::Loss(0.45), "better for Player 2", "better for 2"),
                Key::new("-1", Tone::Loss(1.0), "a sure loss", "Player 2 wins"),
                Key::new("#+1", Tone::Over, "the game is over", "over"),
                mark(self.solved, self.chosen),
            ],
            notes: vec![self.note(&cell)],
        }
    }

    fn sheet(&self) -> Sheet {
        let tile = |one: u8, two: u8| {
            let point = Point { mover: None, one, two };
            let Some(&node) = self.plane.points.get(&point) else { return Tile::nothing() };
            let cell = self.cell(node);
            let number = words::points(cell.clear_value());
            let (text, spoken, tone) = if cell.is_over {
                (format!("#{number}"), format!("{number}, the game is over,"), Tone::Over)
            } else {
                (number.clone(), number, Tone::of(cell.clear_value()))
            };
            let (spoken, fill) = (Some(spoken), Fill::Whole(tone));
            let position = Some(self.solved.graph().position(node));
            Tile { text, spoken, fill, is_marked: node == self.chosen, position }
        };
        self.plane.sheet("Value for Player 1".to_owned(), tile)
    }

    /// A side's mix: the probability and the value of each action.
    fn bars(&self, cell: &ValueCell, side: Side) -> Bars {
        let actions = self.solved.graph().actions(self.chosen);
        let row = |(action, worth): (&String, &f64)| {
            let (share, worth) = (cell.share(side, action), words::points(*worth));
            Bar {
                label: action.clone(),
                parts: vec![(Tone::Plain, share)],
                note: format!("{:>6}  worth {worth}", words::percent(share, 1)),
            }
        };
        Bars {
            title: format!("{side}'s best mix at {}", self.solved.graph().position(self.chosen)),
            rows: actions[side].iter().zip(&cell.worth[side]).map(row).collect(),
        }
    }

    fn note(&self, cell: &ValueCell) -> String {
        let position = self.solved.graph().position(self.chosen);
        if cell.is_over {
            return format!("{position}: the game is over.");
        }
        format!(
            "{position} is worth {} to Player 1. An action's worth is its value for the side that takes it, \
             against the other's best mix.",
            words::points(cell.clear_value())
        )
    }

    pub(super) fn facts(&self) -> ValuesObject {
        let graph = self.solved.graph();
        let cell = |(point, &node): (&Point, &u32)| {
            let ValueCell { value, error, is_over, .. } = self.cell(node);
            let (position, at) = (graph.position(node), [point.one, point.two]);
            ValueCellObject { position, at, value, error, over: is_over }
        };
        let ValueCell { value, error, strategy, worth, .. } = self.cell(self.chosen);
        let actions = graph.actions(self.chosen);
        let worth = Both::from_fn(|side: Side| {
            actions[side].iter().cloned().zip(worth[side].iter().copied()).collect()
        });
        ValuesObject {
            board: BoardObject::of(self.solved),
            map: "values",
            axes: axes(&self.plane),
            chosen: graph.position(self.chosen),
            value,
            error,
            strategy: strategy.map(Named).into(),
            worth: worth.into(),
            cells: self.plane.points.iter().map(cell).collect(),
        }
    }
}

impl ValueCell {
    /// The value, snapped to −1, 0 or +1 if it is within the error bound.
    fn clear_value(&self) -> f64 {
        let slight = self.error.max(SLIGHT);
        let near = [-1.0, 0.0, 1.0].into_iter().find(|sure| (self.value - sure).abs() <= slight);
        near.unwrap_or(self.value)
    }

    fn share(&self, side: Side, action: &str) -> f64 {
        let found = self.strategy[side].iter().find(|(name, _)| name == action);
        found.map_or(0.0, |(_, share)| *share)
    }
}
