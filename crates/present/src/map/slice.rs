//! Slices through a game with several pieces on a line: on a slice, one piece of each side moves and all others stay.
//! Every tile is a position, and every position is on many slices.

use std::sync::Arc;

use skirmish_play::{Answer, Solved};
use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, Scene, Side, Track};

use super::outcomes::{OutcomeCell, legend};
use super::picture::{Axis, Key, Sheet, Tile, Tone};

/// Maximum number of pieces per side: each takes one byte of a `u64`.
const MOST_PIECES: usize = 8;

/// All positions of a game, indexed by the places of the pieces.
pub(super) struct Space {
    track: Track,
    /// The node of each placement, sorted by placement.
    nodes: Vec<(Placement, u32)>,
    /// The largest number of pieces of any side.
    most: usize,
    /// The plies of the longest win or loss.
    longest: u16,
}

/// The places of the pieces, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placement {
    one: u64,
    two: u64,
    is_first: bool,
}

/// A slice, defined by the pieces that stay.
#[derive(Clone)]
pub(super) struct Slice {
    space: Arc<Space>,
    /// The places of the pieces that stay, in ascending order.
    rest: Both<Vec<u8>>,
}

impl Space {
    /// The positions of an alternating game, if the places of the pieces and the side to move identify them.
    pub(super) fn of(solved: &Solved) -> Option<Self> {
        let Answer::Alternating(solution) = solved.answer() else { return None };
        let graph = solved.graph();
        let mut space = Self {
            track: graph.scene(graph.start()).track?,
            nodes: Vec::with_capacity(solved.reached().count()),
            most: 0,
            longest: 1,
        };
        for node in solved.reached().iter() {
            let scene = graph.scene(node);
            let places = Both::from_fn(|side| places(&scene, side));
            space.most = space.most.max(places.one.len()).max(places.two.len());
            let plies = solution.value(node).plies();
            space.longest = space.longest.max(plies.unwrap_or_default());
            space.nodes.push((Placement::of(&places, graph.mover(node)?)?, node));
        }
        space.nodes.sort_unstable();
        space.are_distinct(solved).then_some(space)
    }

    /// Removes duplicate placements. Returns whether every removed one was of a finished game, which may share a placement.
    fn are_distinct(&mut self, solved: &Solved) -> bool {
        let mut expansion = Expansion::default();
        let mut is_over = |node: u32| solved.graph().expand(node, &mut expansion) != Node::Open;
        let mut are_distinct = true;
        self.nodes.dedup_by(|later, kept| {
            if later.0 != kept.0 {
                return false;
            }
            are_distinct &= is_over(later.1) || is_over(kept.1);
            if is_over(kept.1) {
                kept.1 = later.1;
            }
            true
        });
        are_distinct
    }

    fn find(&self, places: &Both<Vec<u8>>, mover: Side) -> Option<u32> {
        let wanted = Placement::of(places, mover)?;
        let at = self.nodes.binary_search_by_key(&wanted, |(placement, _)| *placement).ok()?;
        Some(self.nodes[at].1)
    }

    /// The rows or columns of a sheet: one for every place, then one without the piece (`None`).
    fn lines(&self) -> impl Iterator<Item = Option<u8>> + Clone + use<> {
        (self.track.first..=self.track.last).map(Some).chain([None])
    }
}

impl Placement {
    fn of(places: &Both<Vec<u8>>, mover: Side) -> Option<Self> {
        let pack = |places: &[u8]| {
            let is_few = places.len() <= MOST_PIECES;
            // Add 1 to distinguish a piece on place 0 from no piece.
            let add = |word: u64, place: &u8| word << u8::BITS | (u64::from(*place) + 1);
            is_few.then(|| places.iter().fold(0, add))
        };
        let (one, two) = (pack(&places.one)?, pack(&places.two)?);
        Some(Self { one, two, is_first: mover == Side::One })
    }
}

impl Slice {
    /// The slice through a position on which the foremost piece of each side moves.
    pub(super) fn through(space: Arc<Space>, scene: &Scene) -> Self {
        let goal = space.track.goal;
        let rest = Both::from_fn(|side: Side| {
            let all = places(scene, side);
            // Without a goal, no piece is foremost: take the leftmost.
            let left = |place: &u8| goal.map_or(*place, |goal| place.abs_diff(goal[side]));
            let foremost = all.iter().copied().min_by_key(left);
            without(&all, foremost)
        });
        Self { space, rest }
    }

    /// The slice through another position.
    pub(super) fn through_another(&self, scene: &Scene) -> Self {
        Self::through(Arc::clone(&self.space), scene)
    }

    /// The slice through the same position on which another piece of a side moves, or an additional one.
    pub(super) fn turned(&self, scene: &Scene, side: Side) -> Self {
        let all = places(scene, side);
        let mut movable: Vec<Option<u8>> = all.iter().copied().map(Some).collect();
        movable.dedup();
        if all.len() < self.space.most {
            movable.push(None);
        }
        let is_now = |piece: &Option<u8>| without(&all, *piece) == self.rest[side];
        let now = movable.iter().position(is_now).unwrap_or(0);
        let mut rest = self.rest.clone();
        rest[side] = without(&all, movable[(now + 1) % movable.len()]);
        Self { space: Arc::clone(&self.space), rest }
    }

    /// The sheets, one for each side to move, and the legend of their letters.
    pub(super) fn sheets(&self, solved: &Solved) -> (Vec<Sheet>, Vec<Key>) {
        let mut cells = Vec::new();
        let sheets = Side::ALL.map(|mover| self.sheet(solved, mover, &mut cells)).into();
        let mut legend = legend(cells.iter());
        legend.push(Key::new("-", Tone::Plain, "the row or column without that unit", "no unit"));
        (sheets, legend)
    }

    fn sheet(&self, solved: &Solved, mover: Side, cells: &mut Vec<OutcomeCell>) -> Sheet {
        let mut tile = |one: Option<u8>, two: Option<u8>| {
            let places = Both::new(with(&self.rest.one, one), with(&self.rest.two, two));
            let Some(node) = self.space.find(&places, mover) else { return Tile::nothing() };
            let cell = OutcomeCell::of(solved, node);
            let tile = cell.tile(solved, self.space.longest);
            cells.push(cell);
            tile
        };
        let lines = self.space.lines();
        let mut row = |one| lines.clone().map(|two| tile(one, two)).collect();
        Sheet {
            title: format!("{mover} to move"),
            tiles: lines.clone().map(&mut row).collect(),
            down: self.axis(Side::One),
            across: self.axis(Side::Two),
        }
    }

    fn axis(&self, side: Side) -> Axis {
        let others: Vec<String> = self.rest[side].iter().map(u8::to_string).collect();
        let (label, short) = match others.as_slice() {
            [] => (format!("{side}'s unit"), side.token().into()),
            others => {
                let others = others.join(",");
                let short = format!("{} beside {others}", side.token()).into();
                (format!("a unit of {side} beside {others}"), short)
            }
        };
        let tick = |place: Option<u8>| place.map_or_else(|| "-".to_owned(), |it| it.to_string());
        Axis { label, short, ticks: self.space.lines().map(tick).collect() }
    }
}

/// The places of a side's pieces, in ascending order.
fn places(scene: &Scene, side: Side) -> Vec<u8> {
    let own = scene.pieces.iter().filter(|piece| piece.side == side);
    let mut places: Vec<u8> = own.map(|piece| piece.at).collect();
    places.sort_unstable();
    places
}

fn with(rest: &[u8], piece: Option<u8>) -> Vec<u8> {
    let mut all: Vec<u8> = rest.iter().copied().chain(piece).collect();
    all.sort_unstable();
    all
}

fn without(all: &[u8], piece: Option<u8>) -> Vec<u8> {
    let mut rest = all.to_vec();
    if let Some(at) = piece.and_then(|piece| all.iter().position(|place| *place == piece)) {
        rest.remove(at);
    }
    rest
}
