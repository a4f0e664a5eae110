//! Positions as points on a plane, if one number per side identifies them.

use std::collections::BTreeMap;

use skirmish_play::Solved;
use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, Scene, Side};

use super::picture::{Axis, Sheet, Tile};

/// The reachable positions, by the side to move and each side's number.
pub(super) struct Plane {
    /// The meaning and range of the numbers.
    pub(super) axes: Both<PlaneAxis>,
    /// The position at each point. If a finished and an unfinished position share a point, the unfinished position is kept.
    pub(super) points: BTreeMap<Point, u32>,
}

/// A position as a point on the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    /// The side to move; `None` in a simultaneous game.
    pub(super) mover: Option<Side>,
    /// Player 1's number.
    pub(super) one: u8,
    /// Player 2's number.
    pub(super) two: u8,
}

/// One side's numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneAxis {
    pub(super) noun: &'static str,
    pub(super) first: u8,
    pub(super) last: u8,
}

impl Plane {
    /// The plane of a game, if one number per side identifies a position.
    pub(super) fn of(solved: &Solved) -> Option<Self> {
        let graph = solved.graph();
        let mut points: BTreeMap<Point, (u32, bool)> = BTreeMap::new();
        let mut expansion = Expansion::default();
        for node in solved.reached().iter() {
            let Both { one, two } = numbers(&graph.scene(node))?;
            let point = Point { mover: graph.mover(node), one, two };
            let is_open = graph.expand(node, &mut expansion) == Node::Open;
            match points.get(&point) {
                // Two open positions share a point: the scene does not distinguish them.
                Some((_, true)) if is_open => return None,
                Some((_, true)) => {}
                Some((_, false)) | None => {
                    points.insert(point, (node, is_open));
                }
            }
        }
        let noun = match graph.scene(graph.start()) {
            Scene { track: None, gauges: Some(both), .. } => both.one.label,
            _ => "position",
        };
        let extent = |side: Side| {
            let number = |point: &Point| Both::new(point.one, point.two)[side];
            let first = points.keys().map(number).min()?;
            let last = points.keys().map(number).max()?;
            Some(PlaneAxis { noun, first, last })
        };
        let axes = Both::new(extent(Side::One)?, extent(Side::Two)?);
        let points = points.into_iter().map(|(point, (node, _))| (point, node)).collect();
        Some(Self { axes, points })
    }

    /// A sheet with a row for each of Player 1's numbers and a column for each of Player 2's.
    pub(super) fn sheet(&self, title: String, draw: impl Fn(u8, u8) -> Tile) -> Sheet {
        let Both { one, two } = self.axes;
        let row = |down: u8| two.numbers().map(|across| draw(down, across)).collect();
        let tiles = one.numbers().map(row).collect();
        Sheet { title, down: one.of(Side::One), across: two.of(Side::Two), tiles }
    }
}

/// Each side's number: the place of its only piece, or its gauge.
fn numbers(scene: &Scene) -> Option<Both<u8>> {
    if scene.track.is_none() {
        return scene.gauges.map(|both| both.map(|gauge| gauge.value));
    }
    let place = |side: Side| {
        let mut own = scene.pieces.iter().filter(|piece| piece.side == side);
        let only = own.next()?;
        own.next().is_none().then_some(only.at)
    };
    Some(Both::new(place(Side::One)?, place(Side::Two)?))
}

impl PlaneAxis {
    pub(super) fn numbers(self) -> std::ops::RangeInclusive<u8> {
        self.first..=self.last
    }

    fn of(self, side: Side) -> Axis {
        Axis {
            label: format!("{side}'s {}", self.noun),
            short: side.token().into(),
            ticks: self.numbers().map(|number| number.to_string()).collect(),
        }
    }
}
