//! The stage alone: pictures of every game's board, and laws for every position and size.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::widgets::{Clear, Widget};
use skirmish_rules::{Both, Change, Outcome, Piece, Scene, Settings, Setup, Side, Table};

use super::super::look::{Depth, Look};
use super::super::motion::{Moment, Motion};
use super::super::parts::{Canvas, Target};
use super::super::screen::Press;
use super::super::stage::{MoveTarget, Stage, targets};
use super::laws::Dice;
use super::pictures::is_golden;
use super::{PLAIN, USUAL};
use crate::sixth::SIX_GAMES;

/// Window sizes.
const WINDOWS: [(u16, u16); 6] = [(40, 12), (60, 16), (80, 24), (100, 30), (120, 40), (200, 60)];

/// Fills the window outside the stage.
const OUTSIDE: &str = "x";

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

/// The targets of the mover's legal moves.
fn legal(table: &dyn Table) -> Vec<MoveTarget> {
    match table.to_act()[..] {
        [side] => targets(table, side, &table.choices(side), Some(0)),
        _ => Vec::new(),
    }
}

/// Draws a stage after a turn, or at a moment of the turn, in part of a larger window. Also returns the clickable areas.
fn drawn(
    table: &dyn Table,
    moment: Option<Moment>,
    look: Look,
    window: Rect,
    area: Rect,
) -> (Buffer, Vec<Target>) {
    let mut buffer = Buffer::filled(window, Cell::new(OUTSIDE));
    Clear.render(area.intersection(window), &mut buffer);
    let (mut clicks, mut cursor) = (Vec::new(), None);
    let mut canvas =
        Canvas { buffer: &mut buffer, look, targets: &mut clicks, cursor: &mut cursor };
    let (scene, moves, last_turn) = (table.scene(), legal(table), table.last_turn());
    let stage = Stage {
        targets: if moment.is_some() { &[] } else { &moves },
        last_turn: &last_turn,
        moment,
        winner: table.outcome().and_then(Outcome::winner),
        ..Stage::still(table.entry(), &scene, table.names())
    };
    stage.draw(&mut canvas, area);
    look.finish(&mut buffer);
    (buffer, clicks)
}

/// The text in an area.
fn text(buffer: &Buffer, area: Rect) -> String {
    let row = |y| {
        let cells = area.columns().filter_map(|column| buffer.cell((column.x, y)));
        let text: String = cells.map(Cell::symbol).collect();
        format!("{}\n", text.trim_end())
    };
    area.rows().map(|rect| row(rect.y)).collect()
}

/// Compares golden pictures of a board at six sizes, two of them also without colours and in ASCII.
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
            let rows = Stage::rows(table.entry(), &table.scene(), width, height / 2 - 2);
            let area = Rect { x: 0, y: 0, width, height: rows };
            let (buffer, _) = drawn(table, None, look, area, area);
            pictures.push(format!("--- {width}x{height}{title}\n{}", text(&buffer, area)));
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
fn a_winner_on_the_centre() {
    shows("capture-the-line-won", &*after("capture-the-line", "", &["2", "2", "2", "2", "1"]));
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
    shows("long-riders", &*after("capture-and-conquer", "positions=21 steps=9", &["9", "3"]));
    shows("longer-riders", &*after("capture-and-conquer", "positions=101 steps=9", &[]));
}

/// All games, and some of them with other rule options, for random positions.
static PLAYED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let others = [
        ("command-line-conquer", "positions=31 units=6"),
        ("capture-and-conquer", "positions=255"),
        ("base-battle", "positions=60 steps=9"),
        ("capture-the-line", "positions=101"),
    ];
    SIX_GAMES.iter().map(|entry| (entry.id, "")).chain(others).collect()
});

/// A random position and the scene before its last turn.
fn any_position(dice: &mut Dice, game: &str, rules: &str) -> (Box<dyn Table>, Scene) {
    let mut table = after(game, rules, &[]);
    let mut before = table.scene();
    for _ in 0..=dice.below(24) {
        if table.to_act().is_empty() {
            break;
        }
        before = table.scene();
        for side in table.to_act() {
            let choices = table.choices(side);
            let at = usize::try_from(dice.below(choices.len() as u64)).expect("a small number");
            table.submit(side, &choices[at].notation).expect("a legal choice");
        }
    }
    (table, before)
}

/// A random area somewhere in a window.
fn any_area(dice: &mut Dice, most: (u16, u16)) -> (Rect, Rect) {
    let (width, height) = (dice.size(most.0 + 1) - 1, dice.size(most.1 + 1) - 1);
    let (x, y) = (dice.size(5), dice.size(5));
    (Rect { x: 0, y: 0, width: width + 10, height: height + 10 }, Rect { x, y, width, height })
}

#[track_caller]
fn leaves_the_rest_alone(buffer: &Buffer, area: Rect) {
    for spot in buffer.area.positions().filter(|spot| !area.contains(*spot)) {
        assert_eq!(buffer[spot].symbol(), OUTSIDE, "{spot} is outside {area}");
    }
}

/// Whether a piece is visible on the stage, or a mark says where it is.
fn is_told(shown: &str, piece: Piece, name: &str) -> bool {
    let Piece { side, strength, at } = piece;
    let token = side.token();
    let signs = match (strength, side) {
        (None, Side::One) => vec![format!("{name} ▶"), format!("{token}▶"), token.to_owned()],
        (None, Side::Two) => vec![format!("◀ {name}"), format!("◀{token}"), token.to_owned()],
        (Some(strength), _) => ["▶", "◀", "×", "+"]
            .into_iter()
            .flat_map(|sign| [format!("{sign}{strength}"), format!("{strength}{sign}")])
            .chain([format!("{strength} ▶")])
            .collect(),
    };
    let hidden = [format!(" at {at}"), " more".to_owned(), "+ ".to_owned()];
    signs.iter().chain(&hidden).any(|sign| shown.contains(sign))
}

/// An area with room for at least a few drawings, and the window around it.
fn any_large_area(dice: &mut Dice) -> (Rect, Rect) {
    let (_, mut area) = any_area(dice, (160, 56));
    area.width += 40;
    area.height += 4;
    (Rect { x: 0, y: 0, width: area.width + 10, height: area.height + 10 }, area)
}

#[test]
fn every_piece_gauge_and_legal_move_is_shown_or_marked() {
    let mut dice = Dice(14);
    for round in 0..300 {
        let (game, rules) = PLAYED[round % PLAYED.len()];
        let (table, _) = any_position(&mut dice, game, rules);
        let (window, area) = any_large_area(&mut dice);
        let (buffer, clicks) = drawn(&*table, None, USUAL, window, area);
        leaves_the_rest_alone(&buffer, area);
        let shown = text(&buffer, area);
        let scene = table.scene();
        for piece in &scene.pieces {
            let name = &table.names()[piece.side];
            assert!(is_told(&shown, *piece, name), "{game} {rules}: {piece:?} in\n{shown}");
        }
        for gauge in scene.gauges.iter().flat_map(|gauges| [gauges.one, gauges.two]) {
            let value = format!("{} {}", gauge.value, gauge.label);
            assert!(shown.contains(&value), "{game} {rules}: {value} in\n{shown}");
        }
        for target in legal(&*table) {
            let mark = format!("key {} to {}", target.key, target.place);
            let is_marked = [mark.as_str(), " more", &format!(",{}", target.key)]
                .into_iter()
                .any(|mark| shown.contains(mark));
            let mut here =
                clicks.iter().filter(|click| click.presses == [Press::Pick(target.number)]);
            let is_shown = here
                .next()
                .map_or(is_marked, |click| text(&buffer, click.area).contains(&target.key));
            assert!(is_shown, "{game} {rules}: {target:?} in\n{shown}");
        }
    }
}

#[test]
fn the_plates_of_both_sides_have_the_same_form() {
    let mut dice = Dice(12);
    for round in 0..200 {
        let (game, rules) = PLAYED[round % PLAYED.len()];
        let (table, _) = any_position(&mut dice, game, rules);
        let (window, area) = any_large_area(&mut dice);
        let (buffer, _) = drawn(&*table, None, USUAL, window, area);
        let shown = text(&buffer, area);
        let names = table.names();
        let full = [format!("{} ▶", names.one), format!("◀ {}", names.two)];
        let sides = |side: Side| table.scene().pieces.iter().any(|piece| piece.side == side);
        if table.scene().gauges.is_none() && Side::ALL.into_iter().all(sides) {
            let [one, two] = full.map(|plate| shown.contains(&plate));
            assert_eq!(one, two, "{game} {rules}:\n{shown}");
        }
        let pieces = table.scene().pieces;
        let all: usize = pieces.iter().filter_map(|piece| piece.strength).map(usize::from).sum();
        let pips = shown.matches('●').count();
        assert!(pips == 0 || pips == all, "{game} {rules}: {pips} pips of {all} in\n{shown}");
    }
}

#[test]
fn the_goal_of_both_stands_above_its_number() {
    for positions in (5..=101).step_by(2) {
        let table = after("capture-the-line", &format!("positions={positions}"), &[]);
        let centre = u16::midpoint(1, positions).to_string();
        for (width, height) in WINDOWS {
            let area = Rect { x: 0, y: 0, width, height: height / 2 };
            let (buffer, _) = drawn(&*table, None, USUAL, area, area);
            let rows: Vec<String> = text(&buffer, area).lines().map(str::to_owned).collect();
            let shown = rows.join("\n");
            if [format!("goal at {centre}"), " more".to_owned()].iter().any(|it| shown.contains(it))
            {
                continue;
            }
            let is_number = |row: &String| row.split_whitespace().any(|word| word == centre);
            let number_row = rows.iter().position(is_number);
            let number_row = number_row.unwrap_or_else(|| panic!("{positions}, {width}:\n{shown}"));
            let spaced = format!(" {} ", rows[number_row]);
            let found = spaced.find(&format!(" {centre} ")).expect("it is in this row");
            let number = spaced[..found].chars().count();
            let digits = centre.len();
            let seen = |row: &String, at: usize| row.chars().nth(at).unwrap_or(' ');
            let above = &rows[number_row.saturating_sub(3)..number_row];
            let is_above = (number..number + digits)
                .any(|at| above.iter().any(|row| "◆█▄▀".contains(seen(row, at))));
            assert!(is_above, "{positions}, {width}:\n{shown}");
        }
    }
}

#[test]
fn the_gauges_of_both_sides_have_the_same_form() {
    let entry = SIX_GAMES.find("command-clash").expect("the game exists");
    let names = Both::new("Skilled computer".to_owned(), "Ann".to_owned());
    let mut table = entry.open(Setup { names, ..entry.setup() }).expect("a valid start");
    table.play("charge|shield").expect("a legal turn");
    let mut bars = 0;
    for width in 40..160 {
        for height in 3..16 {
            let area = Rect { x: 0, y: 0, width, height };
            let (buffer, _) = drawn(&*table, None, USUAL, area, area);
            let shown = text(&buffer, Rect { height: 1, ..area });
            // The position and the number of parts of each half's bar.
            let bar = |x: u16| {
                let half = text(&buffer, Rect { x, width: width / 2, height: 1, ..area });
                let is_bar = |sign: char| "█░".contains(sign);
                let parts = half.split(|sign| !is_bar(sign)).filter(|part| !part.is_empty());
                (half.chars().filter(|sign| is_bar(*sign)).count(), parts.count())
            };
            let (one, two) = (bar(0), bar(width - width / 2));
            assert_eq!(one, two, "{width}x{height}:\n{shown}");
            bars += one.1;
        }
    }
    assert!(bars > 0, "some bars stand beside their words");
}

/// A stage at rest.
fn still(table: &dyn Table, scene: &Scene, moves: &[MoveTarget], area: Rect) -> Buffer {
    let mut buffer = Buffer::empty(area);
    let (mut clicks, mut cursor) = (Vec::new(), None);
    let mut canvas =
        Canvas { buffer: &mut buffer, look: USUAL, targets: &mut clicks, cursor: &mut cursor };
    let stage = Stage::still(table.entry(), scene, table.names());
    Stage { targets: moves, ..stage }.draw(&mut canvas, area);
    buffer
}

/// The numbers of the places on a board, with twice the column of their middle, and their rows.
fn numbers(buffer: &Buffer, area: Rect) -> Vec<(u8, i32, u16)> {
    let mut all = Vec::new();
    for y in area.rows().map(|row| row.y) {
        let row: Vec<char> = text(buffer, Rect { y, height: 1, ..area }).chars().collect();
        let starts = (0..row.len())
            .filter(|&at| row[at].is_ascii_digit() && (at == 0 || " ━\n".contains(row[at - 1])));
        let found: Vec<(u8, i32, u16)> = starts
            .filter_map(|start| {
                let digits = row[start..].iter().take_while(|sign| sign.is_ascii_digit());
                let number: String = digits.collect();
                let end = start + number.len();
                row.get(end).is_none_or(|next| " ━\n".contains(*next)).then_some(())?;
                let middle = i32::try_from(start + end - 1).ok()?;
                Some((number.parse().ok()?, middle, y))
            })
            .collect();
        if found.len() > 2 && found.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            all.extend(found);
        }
    }
    all
}

/// The colours of the two pixels of a cell, one above the other; `None` in a label.
fn pixels(cell: &Cell) -> Option<[Color; 2]> {
    match cell.symbol() {
        _ if !cell.modifier.is_empty() => None,
        "█" => Some([cell.fg; 2]),
        "▀" => Some([cell.fg, cell.bg]),
        "▄" => Some([cell.bg, cell.fg]),
        _ => Some([cell.bg; 2]),
    }
}

/// The pixels of a piece's figure: those that change if the piece is removed.
fn figure(table: &dyn Table, scene: &Scene, piece: Piece, area: Rect) -> Vec<(u16, u16)> {
    let mut without = scene.clone();
    without.apply(Change::Vanishes(piece)).expect("the piece is there");
    let [with, without] = [scene, &without].map(|scene| still(table, scene, &[], area));
    let mut changed = Vec::new();
    for at in area.positions() {
        if let (Some(with), Some(without)) = (pixels(&with[at]), pixels(&without[at])) {
            let rows = [2 * at.y, 2 * at.y + 1].into_iter().zip(with.into_iter().zip(without));
            changed.extend(rows.filter(|(_, (one, other))| one != other).map(|(y, _)| (at.x, y)));
        }
    }
    changed
}

/// Twice the middle column of a figure's body, and its width: the longest run of columns of which three fifths are filled.
fn body(figure: &[(u16, u16)]) -> Option<(i32, i32)> {
    let rows = figure.iter().map(|at| at.1).collect::<BTreeSet<_>>().len();
    let is_body = |x: &u16| 5 * figure.iter().filter(|at| at.0 == *x).count() >= 3 * rows;
    let columns: BTreeSet<u16> = figure.iter().map(|at| at.0).filter(is_body).collect();
    let runs = columns.iter().filter(|x| **x == 0 || !columns.contains(&(*x - 1))).map(|first| {
        let last = (*first..u16::MAX).find(|x| !columns.contains(&(x + 1))).expect("it ends");
        (i32::from(*first + last), i32::from(last - first + 1))
    });
    runs.max_by_key(|(_, width)| *width)
}

#[test]
fn every_body_stands_on_its_square_and_only_moved_pieces_move() {
    let mut dice = Dice(28);
    let (mut stood, mut stayed) = (0, 0);
    for round in 0..250 {
        let (game, rules) = PLAYED[round % PLAYED.len()];
        let (table, before) = any_position(&mut dice, game, rules);
        let scene = table.scene();
        let Some(track) = scene.track else { continue };
        let (_, area) = any_large_area(&mut dice);
        let area = Rect { x: 0, y: 0, ..area };
        let buffer = still(&*table, &scene, &[], area);
        let places = numbers(&buffer, area);
        let with_keys = numbers(&still(&*table, &scene, &legal(&*table), area), area);
        let shown = text(&buffer, area);
        let case = format!("{game} {rules} {area}:\n{shown}");
        let has_figures = shown.contains('━');
        let is_whole = !["… of positions", " at ", " more"].iter().any(|it| shown.contains(it));
        assert!(!is_whole || places == with_keys, "a key hides a number: {case}");
        for piece in scene.pieces.iter().filter(|_| has_figures) {
            let is_alone = |scene: &Scene| {
                scene.pieces.iter().filter(|other| other.at == piece.at).count() == 1
            };
            let painted = figure(&*table, &scene, *piece, area);
            let Some((middle, width)) = body(&painted).filter(|_| is_alone(&scene)) else {
                continue;
            };
            let column = |place: u8| {
                let found = places.iter().find(|(number, ..)| *number == place);
                found.map(|(_, middle, row)| (*middle, *row)).expect("every place has a number")
            };
            let other = if piece.at == track.first { piece.at + 1 } else { piece.at - 1 };
            let ((own, row), (beside, beside_row)) = (column(piece.at), column(other));
            let square = (own - beside).abs() / 2;
            assert!((middle - own).abs() <= square, "{piece:?} stands beside its square: {case}");
            assert!(
                row != beside_row || width <= square + 1,
                "{piece:?} covers other squares: {case}"
            );
            stood += 1;
            if before.pieces.contains(piece) && is_alone(&before) {
                // Another figure's arm may cover some columns.
                let (then, _) =
                    body(&figure(&*table, &before, *piece, area)).expect("it was there");
                assert!(
                    2 * (then - middle).abs() <= square.max(4),
                    "{piece:?} has not moved: {case}"
                );
                stayed += 1;
            }
        }
    }
    assert!(stood > 200 && stayed > 50, "{stood} figures, {stayed} of which have not moved");
}

#[test]
fn a_figure_at_either_end_is_completely_visible() {
    let (mut dice, mut seen) = (Dice(33), 0);
    for round in 0..400 {
        let (game, rules) = PLAYED[round % PLAYED.len()];
        let table = after(game, rules, &[]);
        let mut scene = table.scene();
        let (Some(track), Some(piece)) = (scene.track, scene.pieces.first().copied()) else {
            continue;
        };
        let (_, area) = any_large_area(&mut dice);
        let area = Rect { x: 0, y: 0, ..area };
        let inside = track.first + (track.last - track.first) / 3;
        for side in Side::ALL {
            let piece = Piece { side, at: inside, ..piece };
            scene.pieces = vec![piece];
            let buffer = still(&*table, &scene, &[], area);
            let places = numbers(&buffer, area);
            let column = |place| places.iter().find(|(number, ..)| *number == place);
            let (Some(own), Some(next)) = (column(inside), column(inside + 1)) else { continue };
            let is_whole = [track.first, track.last].map(|end| column(end).map(|it| it.2));
            if is_whole != [Some(own.2); 2] || !text(&buffer, area).contains('━') {
                continue;
            }
            let painted = figure(&*table, &scene, piece, area);
            let rows: BTreeSet<u16> = painted.iter().map(|at| at.1).collect();
            let squares = u16::from(track.last - track.first) + 1;
            if rows.len() <= 8 && area.width < 8 * squares {
                // There is no smaller figure.
                continue;
            }
            for end in [track.first, track.last] {
                let away = (i32::from(end) - i32::from(inside)) * (next.1 - own.1) / 2;
                let is_visible =
                    |x: u16| (0..i32::from(area.width)).contains(&(i32::from(x) + away));
                let case = format!("{game} {rules} {area}, {side:?}:\n{}", text(&buffer, area));
                assert!(painted.iter().all(|(x, _)| is_visible(*x)), "cut off at {end}: {case}");
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen} figures");
}

#[test]
fn the_smallest_areas_and_every_moment_can_be_drawn() {
    let mut dice = Dice(41);
    let looks = [USUAL, Look { depth: Depth::None, ..USUAL }, PLAIN];
    for (game, rules) in PLAYED.iter().copied() {
        for width in 0..=12 {
            for height in 0..=12 {
                let (table, _) = any_position(&mut dice, game, rules);
                let area = Rect { x: 2, y: 3, width, height };
                let window = Rect { x: 0, y: 0, width: 20, height: 20 };
                let (buffer, _) =
                    drawn(&*table, None, looks[usize::from(width + height) % 3], window, area);
                leaves_the_rest_alone(&buffer, area);
            }
        }
        for _ in 0..20 {
            let (table, before) = any_position(&mut dice, game, rules);
            let (window, area) = any_area(&mut dice, (200, 60));
            let now = Instant::now();
            let Some(motion) = Motion::of(before, table.last_turn(), now) else { continue };
            let mut time = now;
            while let Some(moment) = motion.moment(time) {
                let (buffer, _) = drawn(&*table, Some(moment), USUAL, window, area);
                leaves_the_rest_alone(&buffer, area);
                time += Duration::from_millis(60);
            }
        }
    }
}
