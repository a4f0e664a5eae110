//! The map of an alternating game on a plane: a grid for each side to move, won, lost or endless.

use serde_json::{Value as Json, json};
use skirmish_play::{Judgement, Solved};
use skirmish_rules::Side;
use skirmish_rules::graph::{Expansion, Node};
use skirmish_solver::Value;
use skirmish_solver::draws::{Draw, Pressure};

use super::picture::{Fill, Key, Panel, Picture, Sheet, Tile, Tone};
use super::plane::{Plane, Point};
use super::{axes, title};
use crate::words;

pub(super) struct Outcomes<'a> {
    solved: &'a Solved,
    plane: Plane,
    chosen: u32,
    cells: Vec<(Point, Cell)>,
}

/// What is known of one position.
struct Cell {
    node: u32,
    value: Value,
    draw: Option<Draw>,
    is_over: bool,
}

impl<'a> Outcomes<'a> {
    pub(super) fn of(solved: &'a Solved, plane: Plane, chosen: u32) -> Self {
        let cells = plane.points.iter().map(|(&point, &node)| (point, Cell::of(solved, node)));
        Self { solved, cells: cells.collect(), plane, chosen }
    }

    pub(super) fn picture(&self) -> Picture {
        let is_start = self.chosen == self.solved.graph().start();
        let mark = if is_start { "the start" } else { "the chosen position" };
        let mut legend = vec![
            Key::new("W3", Tone::Win(0.6), "the side to move wins in 3 plies"),
            Key::new("L2", Tone::Loss(0.6), "it loses in 2"),
        ];
        legend.extend(self.endless_keys());
        legend.push(Key::new("#", Tone::Over, "the game is over"));
        legend.push(Key::new(".", Tone::Nothing, "cannot arise"));
        legend.push(Key::mark(mark));
        Picture {
            title: title(self.solved),
            subtitle: "Who wins, from every position that can arise, if both play well".to_owned(),
            columns: Side::ALL.map(|side| vec![Panel::Sheet(self.sheet(side))]).into(),
            legend,
            notes: self.notes(),
        }
    }

    /// The kinds of endless positions that there are.
    fn endless_keys(&self) -> Vec<Key> {
        let arises = |sample: &str| self.cells.iter().any(|(_, cell)| cell.letters() == sample);
        let keys = ENDLESS.into_iter().filter(|(sample, _)| arises(sample));
        keys.map(|(sample, meaning)| Key::new(sample, Tone::Even, meaning)).collect()
    }

    fn sheet(&self, mover: Side) -> Sheet {
        let plies = self.cells.iter().filter_map(|(_, cell)| cell.value.plies());
        let longest = plies.max().unwrap_or(1);
        let axes = self.plane.axes;
        let tile = |one: u8, two: u8| {
            let point = Point { mover: Some(mover), one, two };
            let Ok(at) = self.cells.binary_search_by_key(&point, |(point, _)| *point) else {
                return Tile::nothing();
            };
            let cell = &self.cells[at].1;
            Tile {
                text: cell.letters(),
                said: Some(cell.words()),
                fill: Fill::Whole(cell.tone(longest)),
                is_marked: cell.node == self.chosen,
            }
        };
        let row = |one: u8| axes.two.numbers().map(|two| tile(one, two)).collect();
        Sheet {
            title: format!("{mover} to move"),
            down: axes.one.of(Side::One),
            across: axes.two.of(Side::Two),
            tiles: axes.one.numbers().map(row).collect(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let (mut won, mut lost, mut endless, mut over) = (0, 0, 0, 0);
        for (_, cell) in &self.cells {
            match cell.value {
                _ if cell.is_over => over += 1,
                Value::Win(_) => won += 1,
                Value::Loss(_) => lost += 1,
                Value::Endless => endless += 1,
            }
        }
        let graph = self.solved.graph();
        let count = self.cells.len();
        let mut notes = vec![format!(
            "{count} positions: {won} won, {lost} lost and {endless} endless for the side to move, {over} over."
        )];
        let cell = self.cells.iter().find(|(_, cell)| cell.node == self.chosen);
        if let (Some((_, cell)), Some(side)) = (cell, graph.mover(self.chosen)) {
            let position = graph.position(self.chosen);
            notes.push(if cell.is_over {
                format!("{position}: the game is over.")
            } else {
                format!("{position}, {side} to move: {}.", words::value(cell.value))
            });
        }
        notes
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, Json)> {
        let graph = self.solved.graph();
        let cell = |(point, cell): &(Point, Cell)| {
            json!({
                "position": graph.position(cell.node),
                "turn": point.mover.map(Side::number),
                "at": [point.one, point.two],
                "value": cell.value.word(),
                "plies": cell.value.plies(),
                "over": cell.is_over,
                "draw": cell.draw.map(|draw| json!({
                    "pressure": match draw.pressure {
                        Pressure::Mine => "mine",
                        Pressure::Theirs => "theirs",
                    },
                    "level": draw.level,
                    "plies": draw.plies,
                })),
            })
        };
        vec![
            ("map", "outcomes".into()),
            ("axes", axes(&self.plane)),
            ("chosen", graph.position(self.chosen).into()),
            ("cells", self.cells.iter().map(cell).collect()),
        ]
    }
}

/// The kinds of endless positions: their letters, and what these mean.
const ENDLESS: [(&str, &str); 4] = [
    ("=", "endless if both play well"),
    ("=!", "endless, but the side to move can lose by a slip"),
    ("=+", "endless, but it can lead the other side to where a slip loses"),
    ("=-", "endless, but it can be led to where a slip loses"),
];

fn endless(letters: &str) -> &'static str {
    ENDLESS.iter().find(|(sample, _)| *sample == letters).map_or(ENDLESS[0].1, |(_, words)| words)
}

impl Cell {
    fn of(solved: &Solved, node: u32) -> Self {
        let is_over = solved.graph().expand(node, &mut Expansion::default()) != Node::Open;
        let Judgement::Alternating { value, draw, .. } = solved.analyse_node(node).verdict else {
            unreachable!("an alternating game has alternating positions");
        };
        Self { node, value, draw, is_over }
    }

    /// `W7`, `L4`, `=` with a sign for who is under pressure, `#`.
    fn letters(&self) -> String {
        if self.is_over {
            return Tone::Over.letter().to_string();
        }
        match (self.value, self.draw) {
            (Value::Win(plies), _) => format!("W{plies}"),
            (Value::Loss(plies), _) => format!("L{plies}"),
            (Value::Endless, Some(Draw { level: 0, pressure: Pressure::Theirs, plies: 0 })) => {
                "=!".to_owned()
            }
            (Value::Endless, Some(Draw { pressure: Pressure::Theirs, .. })) => "=-".to_owned(),
            (Value::Endless, Some(Draw { pressure: Pressure::Mine, .. })) => "=+".to_owned(),
            (Value::Endless, None) => "=".to_owned(),
        }
    }

    /// What the letters stand for.
    fn words(&self) -> String {
        if self.is_over {
            return "the game is over".to_owned();
        }
        match (self.value, self.letters().as_str()) {
            (Value::Endless, letters) => endless(letters).to_owned(),
            (value, _) => words::value(value),
        }
    }

    /// The nearer the end, the stronger.
    fn tone(&self, longest: u16) -> Tone {
        let nearness = |plies: u16| 1.0 - f64::from(plies) / f64::from(longest.max(1) + 1);
        match self.value {
            _ if self.is_over => Tone::Over,
            Value::Win(plies) => Tone::Win(nearness(plies)),
            Value::Loss(plies) => Tone::Loss(nearness(plies)),
            Value::Endless => Tone::Even,
        }
    }
}
