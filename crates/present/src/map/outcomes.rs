//! The map of an alternating game on a plane: for each side to move, a grid of outcomes.

use std::collections::BTreeSet;

use skirmish_play::{Judgement, Solved};
use skirmish_rules::Side;
use skirmish_rules::graph::{Expansion, Node};
use skirmish_solver::Value;
use skirmish_solver::pressure::{Pressure, Victim};

use super::picture::{Fill, Key, Panel, Picture, Sheet, Tile, Tone};
use super::plane::{Plane, Point};
use super::{axes, mark, title};
use crate::json::{BoardObject, OutcomeCellObject, OutcomesObject};
use crate::words::{self, ClassCounts};

pub(super) struct Outcomes<'a> {
    solved: &'a Solved,
    pub(super) plane: Plane,
    chosen: u32,
    cells: Vec<(Point, OutcomeCell)>,
}

/// The solution of one position.
pub(super) struct OutcomeCell {
    node: u32,
    value: Value,
    pressure: Option<Pressure>,
    is_over: bool,
}

impl<'a> Outcomes<'a> {
    pub(super) fn of(solved: &'a Solved, plane: Plane, chosen: u32) -> Self {
        let cells =
            plane.points.iter().map(|(&point, &node)| (point, OutcomeCell::of(solved, node)));
        Self { solved, cells: cells.collect(), plane, chosen }
    }

    pub(super) fn picture(&self) -> Picture {
        let mut legend = legend(self.cells.iter().map(|(_, cell)| cell));
        legend.push(mark(self.solved, self.chosen));
        Picture {
            title: title(self.solved),
            subtitle: "Who wins, from every position that can arise, if both play well".to_owned(),
            columns: Side::ALL.map(|side| vec![Panel::Sheet(self.sheet(side))]).into(),
            legend,
            notes: self.notes(),
        }
    }

    fn sheet(&self, mover: Side) -> Sheet {
        let plies = self.cells.iter().filter_map(|(_, cell)| cell.value.plies());
        let longest = plies.max().unwrap_or(1);
        let tile = |one: u8, two: u8| {
            let point = Point { mover: Some(mover), one, two };
            let Ok(at) = self.cells.binary_search_by_key(&point, |(point, _)| *point) else {
                return Tile::nothing();
            };
            let cell = &self.cells[at].1;
            Tile { is_marked: cell.node == self.chosen, ..cell.tile(self.solved, longest) }
        };
        self.plane.sheet(format!("{mover} to move"), tile)
    }

    fn notes(&self) -> Vec<String> {
        let mut counts = ClassCounts::default();
        let open = self.cells.iter().filter(|(_, cell)| !cell.is_over);
        open.for_each(|(_, cell)| counts.add(cell.value.into()));
        let ClassCounts { won, lost, endless, .. } = counts;
        let graph = self.solved.graph();
        let (count, drawn) = (self.cells.len(), counts.drawn_words());
        let over = count - counts.total() as usize;
        let mut notes = vec![format!(
            "{count} positions: {won} won, {lost} lost{drawn} and {endless} endless for the side to move, \
             {over} over."
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

    pub(super) fn facts(&self) -> OutcomesObject {
        let graph = self.solved.graph();
        let cell = |(point, cell): &(Point, OutcomeCell)| OutcomeCellObject {
            position: graph.position(cell.node),
            turn: point.mover.map(Side::number),
            at: [point.one, point.two],
            value: cell.value.word(),
            plies: cell.value.plies(),
            over: cell.is_over,
            draw: cell.pressure.map(Into::into),
        };
        OutcomesObject {
            board: BoardObject::of(self.solved),
            map: "outcomes",
            axes: axes(&self.plane),
            chosen: graph.position(self.chosen),
            cells: self.cells.iter().map(cell).collect(),
        }
    }
}

/// Legend entries for positions that nobody can win by force.
const EVEN: [Key; 5] = [
    Key::new("D", Tone::Even, "a draw can be forced, in that many plies", "draw"),
    Key::new("=", Tone::Even, "endless if both play well", "endless"),
    Key::new("=!", Tone::Even, "endless, but a mistake by the side to move loses", "careful"),
    Key::new(
        "=+",
        Tone::Even,
        "endless, but it can steer the other side to where a mistake loses",
        "presses",
    ),
    Key::new(
        "=-",
        Tone::Even,
        "endless, but the other side can steer it to where a mistake loses",
        "pressed",
    ),
];

fn endless(letters: &str) -> &'static str {
    let kind = EVEN.iter().find(|kind| kind.sample == letters);
    kind.expect("every endless position has a kind").meaning
}

/// The legend for the letters that occur in `cells`.
pub(super) fn legend<'c>(cells: impl Iterator<Item = &'c OutcomeCell>) -> Vec<Key> {
    let letters: BTreeSet<String> = cells.map(OutcomeCell::letters).collect();
    let arises = |kind: &Key| match kind.sample {
        "D" => letters.iter().any(|letters| letters.starts_with('D')),
        sample => letters.contains(sample),
    };
    let mut legend = vec![
        Key::new("W3", Tone::Win(0.6), "win in 3 plies for the side to move", "win"),
        Key::new("L2", Tone::Loss(0.6), "loss in 2 plies", "loss"),
    ];
    legend.extend(EVEN.into_iter().filter(arises));
    legend.push(Key::new("#", Tone::Over, "the game is over", "over"));
    legend.push(Key::new(".", Tone::Nothing, "cannot arise", "none"));
    legend
}

impl OutcomeCell {
    pub(super) fn of(solved: &Solved, node: u32) -> Self {
        let is_over = solved.graph().expand(node, &mut Expansion::default()) != Node::Open;
        let Judgement::Alternating { value, .. } = solved.judge(node) else {
            unreachable!("an alternating game has alternating positions");
        };
        // The map omits an unknown pressure.
        let pressure = solved.pressure(node).unwrap_or_default();
        Self { node, value, pressure, is_over }
    }

    /// The tile of this position on a map whose longest win or loss takes `longest` plies.
    pub(super) fn tile(&self, solved: &Solved, longest: u16) -> Tile {
        Tile {
            text: self.letters(),
            spoken: Some(self.words()),
            fill: Fill::Whole(self.tone(longest)),
            is_marked: false,
            position: Some(solved.graph().position(self.node)),
        }
    }

    /// The letters on the tile: `W7`, `L4`, `D2`, `#`, or `=` with a sign for the side under pressure.
    fn letters(&self) -> String {
        if self.is_over {
            return Tone::Over.letter().to_string();
        }
        match (self.value, self.pressure) {
            (Value::Win(_) | Value::Loss(_) | Value::Draw(_), _) | (Value::Endless, None) => {
                words::letter(self.value)
            }
            (Value::Endless, Some(Pressure { level: 0, on: Victim::Mover, plies: 0 })) => {
                "=!".to_owned()
            }
            (Value::Endless, Some(Pressure { on: Victim::Mover, .. })) => "=-".to_owned(),
            (Value::Endless, Some(Pressure { on: Victim::Other, .. })) => "=+".to_owned(),
        }
    }

    /// The value of the position in words.
    fn words(&self) -> String {
        if self.is_over {
            return "the game is over".to_owned();
        }
        match (self.value, self.letters().as_str()) {
            (Value::Endless, letters) => endless(letters).to_owned(),
            (value, _) => words::value(value),
        }
    }

    /// The tone, which is stronger closer to the end of the game.
    fn tone(&self, longest: u16) -> Tone {
        let nearness = |plies: u16| 1.0 - f64::from(plies) / f64::from(longest.max(1) + 1);
        match self.value {
            _ if self.is_over => Tone::Over,
            Value::Win(plies) => Tone::Win(nearness(plies)),
            Value::Loss(plies) => Tone::Loss(nearness(plies)),
            Value::Draw(_) | Value::Endless => Tone::Even,
        }
    }
}
