//! The stage by itself: pictures of every game's board, and what holds for every position and size.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use skirmish_rules::{Settings, Setup, Side, Table};

use super::super::look::{Depth, Look};
use super::super::parts::Canvas;
use super::super::screen::Press;
use super::super::stage::{MoveTarget, Stage, targets};
use super::pictures::is_golden;
use super::{PLAIN, USUAL};
use crate::sixth::SIX_GAMES;

/// The sizes of a window.
const WINDOWS: [(u16, u16); 6] = [(40, 12), (60, 16), (80, 24), (100, 30), (120, 40), (200, 60)];

/// A table after some turns.
fn after(game: &str, rules: &str, turns: &[&str]) -> Box<dyn Table> {
    let entry = SIX_GAMES.find(game).expect("the game exists");
    let settings =
        Settings::parse(entry.options, rules.split_whitespace()).expect("they are valid");
    let setup = Setup { settings, first: Side::One, ..entry.setup() };
    let mut table = entry.open(setup).expect("a valid start");
    for turn in turns {
        table.play(turn).expect("a legal turn");
    }
    table
}

/// Where the legal moves of whoever is to move lead.
fn legal(table: &dyn Table) -> Vec<MoveTarget> {
    match table.to_act()[..] {
        [side] => targets(table, side, &table.choices(side), 0),
        _ => Vec::new(),
    }
}

/// A stage after a turn on an area within a larger buffer, with the places to click.
fn drawn(table: &dyn Table, look: Look, window: Rect, area: Rect) -> (Buffer, Vec<(Rect, Press)>) {
    let mut buffer = Buffer::empty(window);
    let (mut clicks, mut cursor) = (Vec::new(), None);
    let mut canvas =
        Canvas { buffer: &mut buffer, look, targets: &mut clicks, cursor: &mut cursor };
    let (scene, moves, last_turn) = (table.scene(), legal(table), table.last_turn());
    let stage = Stage {
        targets: &moves,
        last_turn: &last_turn,
        ..Stage::still(table.entry(), &scene, table.names())
    };
    stage.draw(&mut canvas, area);
    look.finish(&mut buffer);
    (buffer, clicks)
}

fn text(buffer: &Buffer) -> String {
    let rows = buffer.content.chunks(usize::from(buffer.area.width).max(1));
    let row = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        format!("{}\n", text.trim_end())
    };
    rows.map(row).collect()
}

/// A board at six sizes, and at two of them without colours and with ASCII characters only.
#[track_caller]
fn shows(name: &str, table: &dyn Table) {
    let mono = Look { depth: Depth::None, ..USUAL };
    let looks = [
        (USUAL, "", &WINDOWS[..]),
        (mono, ", no colours", &WINDOWS[2..4]),
        (PLAIN, ", plain", &WINDOWS[2..4]),
    ];
    let mut pictures = Vec::new();
    for (look, title, windows) in looks {
        for &(width, height) in windows {
            let rows = Stage::rows(&table.scene(), width, height / 2 - 2);
            let area = Rect { x: 0, y: 0, width, height: rows };
            let (buffer, _) = drawn(table, look, area, area);
            pictures.push(format!("--- {width}x{height}{title}\n{}", text(&buffer)));
        }
    }
    is_golden(&format!("stage/{name}"), &pictures.concat());
}

#[test]
fn units_on_a_road_between_castles() {
    let turns = ["m0", "m10", "r", "r", "m0", "m10", "m1"];
    shows("command-line-conquer", &*after("command-line-conquer", "", &turns));
}

#[test]
fn riders_and_a_battle() {
    shows("capture-and-conquer", &*after("capture-and-conquer", "", &["2", "2", "2", "2", "2"]));
}

#[test]
fn runners_and_a_push() {
    shows("base-battle", &*after("base-battle", "", &["3", "3", "3"]));
}

#[test]
fn a_flag_on_the_centre() {
    shows("capture-the-line", &*after("capture-the-line", "", &["2", "1"]));
}

#[test]
fn a_duel_with_what_was_chosen() {
    shows("command-clash", &*after("command-clash", "", &["charge|charge", "special|shield"]));
}

#[test]
fn a_game_without_drawings() {
    let sixth = SIX_GAMES.iter().last().expect("there are games").id;
    shows("sixth", &*after(sixth, "", &["2", "1"]));
}

#[test]
fn a_long_road() {
    shows("long", &*after("base-battle", "positions=255", &["3", "3"]));
    shows("longer", &*after("base-battle", "positions=31", &["3", "3"]));
}
