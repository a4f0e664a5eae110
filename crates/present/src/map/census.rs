//! The map of an alternating game with several pieces, as statistics of positions.
//!
//! It answers three questions: How much is an extra unit worth? How much is a lead in the race worth? How long does a
//! win take? Finished games are left out.

use std::collections::{BTreeMap, BTreeSet};

use skirmish_play::Solved;
use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Scene, Side};
use skirmish_solver::retrograde::Solution;
use skirmish_solver::{Bits, Value};

use super::picture::{Axis, Bar, Bars, Fill, Key, Panel, Picture, Sheet, Tile, Tone};
use super::title;
use crate::json::{BoardObject, CensusObject, PliesObject, TallyObject};
use crate::words::{self, ClassCounts};

/// The maximum number of bars in the histogram.
const MOST_BARS: u16 = 12;

/// The distance of a side without pieces; sorts last.
const NONE: u8 = u8::MAX;

pub(super) struct Census<'a> {
    solved: &'a Solved,
    start: Value,
    all: ClassCounts,
    finished: u32,
    /// Counts by number of units: the mover's and the other side's.
    units: BTreeMap<(u8, u8), ClassCounts>,
    /// In a race, counts by the foremost unit's remaining steps: the mover's and the other side's.
    race: Option<BTreeMap<(u8, u8), ClassCounts>>,
    plies: BTreeMap<u16, ClassCounts>,
}

impl<'a> Census<'a> {
    /// Counts the positions in `counted`; `None` if the game has no pieces on a line.
    pub(super) fn of(solved: &'a Solved, solution: &Solution, counted: &Bits) -> Option<Self> {
        let graph = solved.graph();
        let track = graph.scene(graph.start()).track?;
        let mut census = Self {
            solved,
            start: solution.value(graph.start()),
            all: ClassCounts::default(),
            finished: 0,
            units: BTreeMap::new(),
            race: track.goal.map(|_| BTreeMap::new()),
            plies: BTreeMap::new(),
        };
        let mut expansion = Expansion::default();
        for node in counted.iter() {
            if graph.expand(node, &mut expansion) != Node::Open {
                census.finished += 1;
                continue;
            }
            let mover = graph.mover(node)?;
            let (value, scene) = (solution.value(node), graph.scene(node));
            let pair = |of: &dyn Fn(Side) -> Option<u8>| Some((of(mover)?, of(mover.other())?));
            census.all.add(value.into());
            census.units.entry(pair(&|side| count(&scene, side))?).or_default().add(value.into());
            if let Some(race) = &mut census.race {
                race.entry(pair(&|side| distance(&scene, side))?).or_default().add(value.into());
            }
            if let Some(plies) = value.plies() {
                census.plies.entry(plies).or_default().add(value.into());
            }
        }
        Some(census)
    }

    pub(super) fn picture(&self) -> Picture {
        let positions = self.all.total();
        let drawn = self.all.drawn_words();
        let even = if self.all.drawn > 0 {
            "drawn or endless if both play well"
        } else {
            "endless if both play well"
        };
        Picture {
            title: title(self.solved),
            subtitle: "How positions end for the side to move, if both play well".to_owned(),
            columns: [vec![Panel::Sheet(self.by_units()), Panel::Bars(self.by_plies())]]
                .into_iter()
                .chain(self.race.as_ref().map(|race| vec![Panel::Sheet(by_race(race))]))
                .collect(),
            legend: vec![
                Key::new("W", Tone::Win(0.6), "win for the side to move", "win"),
                Key::new("=", Tone::Even, even, "even"),
                Key::new("L", Tone::Loss(0.6), "loss", "loss"),
                Key::new(
                    "+45",
                    Tone::Win(0.45),
                    "of a hundred positions, 45 more are won than lost",
                    "more won",
                ),
                Key::new("-45", Tone::Loss(0.45), "45 more are lost than won", "more lost"),
                Key::new(".", Tone::Nothing, "cannot arise", "none"),
            ],
            notes: vec![
                format!(
                    "{positions} positions: {} won, {} lost{drawn} and {} endless for the side to move; \
                     {} finished games are not counted.",
                    self.all.won, self.all.lost, self.all.endless, self.finished
                ),
                format!("The start: {}.", words::value(self.start)),
            ],
        }
    }

    fn by_units(&self) -> Sheet {
        let most = self.units.keys().map(|&(own, other)| own.max(other)).max().unwrap_or(0);
        let tile = |own: u8, other: u8| match self.units.get(&(own, other)) {
            Some(tally) => {
                let shares = parts(tally, tally.total());
                let [won, even, lost] = percents(&shares);
                let text = format!("W{won} ={even} L{lost}");
                let spoken = Some(format!("{won} percent won, {even} won by nobody, {lost} lost"));
                Tile { text, spoken, fill: Fill::Shares(shares), is_marked: false, position: None }
            }
            None => Tile::nothing(),
        };
        let ticks: Vec<String> = (0..=most).map(|units| units.to_string()).collect();
        Sheet {
            title: "By number of units (percent)".to_owned(),
            down: axis("own", "units of the side to move", &ticks),
            across: axis("other", "units of the other side", &ticks),
            tiles: (0..=most)
                .map(|own| (0..=most).map(|other| tile(own, other)).collect())
                .collect(),
        }
    }

    /// A histogram of plies. Each bar spans an even number, because wins take an odd number of plies and losses an even one.
    fn by_plies(&self) -> Bars {
        let longest = self.plies.keys().last().copied().unwrap_or(1);
        let width = 2 * longest.div_ceil(2 * MOST_BARS);
        let mut bins: BTreeMap<u16, ClassCounts> = BTreeMap::new();
        for (plies, tally) in &self.plies {
            let bin = bins.entry(plies.saturating_sub(1) / width).or_default();
            (bin.won, bin.lost) = (bin.won + tally.won, bin.lost + tally.lost);
            bin.drawn += tally.drawn;
        }
        let fullest = bins.values().map(ClassCounts::total).chain([self.all.endless, 1]).max();
        let full = fullest.unwrap_or(1);
        let bar = |label: String, tally: &ClassCounts| Bar {
            label,
            parts: parts(tally, full),
            note: tally.total().to_string(),
        };
        let mut rows: Vec<Bar> = bins
            .iter()
            .map(|(bin, tally)| bar(format!("{}-{}", bin * width + 1, (bin + 1) * width), tally))
            .collect();
        let endless = ClassCounts { endless: self.all.endless, ..ClassCounts::default() };
        rows.push(bar("endless".to_owned(), &endless));
        Bars { title: "Positions by plies to the end".to_owned(), rows }
    }

    pub(super) fn facts(&self) -> CensusObject {
        let rows = |tallies: &BTreeMap<(u8, u8), ClassCounts>| {
            tallies.iter().map(|(&pair, tally)| object(pair, tally)).collect()
        };
        let by_plies = self.plies.iter().map(|(&plies, &ClassCounts { won, lost, drawn, .. })| {
            PliesObject { plies, wins: won, losses: lost, draws: drawn }
        });
        CensusObject {
            board: BoardObject::of(self.solved),
            map: "census",
            positions: self.all.total(),
            finished: self.finished,
            wins: self.all.won,
            losses: self.all.lost,
            draws: self.all.drawn,
            endless: self.all.endless,
            by_units: rows(&self.units),
            by_steps_left: self.race.as_ref().map_or_else(Vec::new, rows),
            by_plies: by_plies.collect(),
        }
    }
}

/// A sheet of the counts by remaining steps.
fn by_race(race: &BTreeMap<(u8, u8), ClassCounts>) -> Sheet {
    let steps: BTreeSet<u8> = race.keys().flat_map(|&(own, other)| [own, other]).collect();
    let ticks: Vec<String> = steps
        .iter()
        .map(|&left| if left == NONE { "-".to_owned() } else { left.to_string() })
        .collect();
    let tile = |own: u8, other: u8| {
        let Some(tally) = race.get(&(own, other)) else { return Tile::nothing() };
        let balance = (f64::from(tally.won) - f64::from(tally.lost)) / f64::from(tally.total());
        let percent = (balance * 100.0).round();
        let text = if percent == 0.0 { "0".to_owned() } else { format!("{percent:+}") };
        let (spoken, fill) = (Some(text.clone()), Fill::Whole(Tone::of(balance)));
        Tile { text, spoken, fill, is_marked: false, position: None }
    };
    let row = |own: u8| steps.iter().map(|&other| tile(own, other)).collect();
    Sheet {
        title: "By steps left to the goal (won minus lost, percent)".to_owned(),
        down: axis("own", "steps left for the side to move (- no unit)", &ticks),
        across: axis("other", "steps left for the other side (- no unit)", &ticks),
        tiles: steps.iter().map(|&own| row(own)).collect(),
    }
}

/// Converts counts to shares of `full`.
fn parts(counts: &ClassCounts, full: u32) -> Vec<(Tone, f64)> {
    let share = |number: u32| f64::from(number) / f64::from(full);
    vec![
        (Tone::Win(0.6), share(counts.won)),
        (Tone::Even, share(counts.drawn + counts.endless)),
        (Tone::Loss(0.6), share(counts.lost)),
    ]
}

fn object((own, other): (u8, u8), counts: &ClassCounts) -> TallyObject {
    let &ClassCounts { won, lost, drawn, endless } = counts;
    let [own, other] = [own, other].map(|number| (number != NONE).then_some(number));
    TallyObject { own, other, wins: won, losses: lost, draws: drawn, endless }
}

/// The shares of wins, even positions and losses in whole percents that add up to 100.
fn percents(shares: &[(Tone, f64)]) -> [u8; 3] {
    let mut ends = [0.0, 0.0, 0.0];
    let mut sum = 0.0;
    for (end, (_, share)) in ends.iter_mut().zip(shares) {
        sum += share;
        *end = (sum * 100.0).round();
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 100
    [ends[0], ends[1] - ends[0], ends[2] - ends[1]].map(|percent| percent as u8)
}

fn axis(short: &'static str, label: &str, ticks: &[String]) -> Axis {
    Axis { label: label.to_owned(), short: short.into(), ticks: ticks.to_vec() }
}

/// The number of a side's pieces.
fn count(scene: &Scene, side: Side) -> Option<u8> {
    u8::try_from(scene.pieces.iter().filter(|piece| piece.side == side).count()).ok()
}

/// The distance of a side's foremost piece from its goal.
fn distance(scene: &Scene, side: Side) -> Option<u8> {
    let goal = scene.track?.goal?[side];
    let own = scene.pieces.iter().filter(|piece| piece.side == side);
    Some(own.map(|piece| piece.at.abs_diff(goal)).min().unwrap_or(NONE))
}
