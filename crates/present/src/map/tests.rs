//! The maps of the default games as golden files; `UPDATE_GOLDEN=1 cargo test map` rewrites them.

use std::fs;
use std::path::PathBuf;

use anstream::adapter::strip_str;
use serde_json::Value as Json;
use skirmish_play::query::Vocabulary;
use skirmish_play::{Budget, Solved};
use skirmish_rules::{Catalog, GAMES, Settings, Side, Unwatched};

use super::picture::{Fill, Panel, Picture, Tile, Tone};
use super::*;
#[allow(dead_code, clippy::unwrap_used)]
use crate::sixth::SIX_GAMES;

const SMALL: [&str; 4] =
    ["capture-and-conquer", "base-battle", "command-clash", "capture-the-line"];

fn solved(catalog: Catalog, game: &str, rules: &[&str]) -> Solved {
    let entry = catalog.find(game).unwrap();
    let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
    let budget = Budget { bytes: 1 << 30 };
    let solved = Solved::of(entry, &settings, Side::One, budget, &Unwatched).unwrap();
    solved.prepare_pressures(&Unwatched).unwrap();
    solved
}

fn picture(game: &str, rules: &[&str], position: Option<&str>) -> Picture {
    let solved = solved(SIX_GAMES, game, rules);
    Atlas::of(&solved, position).unwrap().picture()
}

fn plain(picture: &Picture, width: usize) -> String {
    let text = strip_str(&text::draw(picture, width)).to_string();
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    lines.join("\n")
}

fn facts(game: &str) -> Json {
    let solved = solved(GAMES, game, &[]);
    serde_json::to_value(Atlas::of(&solved, None).unwrap().facts()).unwrap()
}

/// The letters of all tiles.
fn letters(picture: &Picture) -> Vec<String> {
    let sheets = picture.columns.iter().flatten().filter_map(|panel| match panel {
        Panel::Sheet(sheet) => Some(sheet),
        Panel::Bars(_) => None,
    });
    sheets.flat_map(|sheet| sheet.tiles.iter().flatten()).map(|tile| tile.text.clone()).collect()
}

fn is_golden(name: &str, actual: &str) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "src/map/golden", &format!("{name}.txt")].iter().collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, actual).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(golden, actual, "{name} (UPDATE_GOLDEN=1 rewrites it)");
}

#[test]
fn the_default_maps_match_the_golden_files() {
    for game in SMALL {
        is_golden(game, &plain(&picture(game, &[], None), 120));
    }
    is_golden("command-line-conquer", &plain(&picture("command-line-conquer", &[], None), 160));
    is_golden("command-clash-at-4-1", &plain(&picture("command-clash", &[], Some("4/1")), 80));
}

#[test]
fn capture_and_conquer_has_81_endless_cells() {
    let letters = letters(&picture("capture-and-conquer", &[], None));
    assert_eq!(letters.iter().filter(|text| text.starts_with('=')).count(), 81);
    assert_eq!(letters.iter().filter(|text| *text != ".").count(), 181);
}

#[test]
fn the_facts_are_those_of_solve() {
    let cells = facts("base-battle")["cells"].clone();
    let wins = cells.as_array().unwrap().iter().filter(|cell| cell["value"] == "win").count();
    assert_eq!((cells.as_array().unwrap().len(), wins), (116, 67));

    let census = facts("command-line-conquer");
    assert_eq!([&census["wins"], &census["endless"], &census["finished"]], [7642, 2992, 132]);
    for table in ["by_units", "by_steps_left", "by_plies"] {
        let rows = census[table].as_array().unwrap();
        let wins: u64 = rows.iter().map(|row| row["wins"].as_u64().unwrap()).sum();
        assert_eq!(wins, 7642, "{table}");
    }

    let values = facts("command-clash");
    assert_eq!(values["cells"].as_array().unwrap().len(), 36);
    assert_eq!(values["chosen"], "5/5");
}

#[test]
fn a_narrow_terminal_gets_stacked_grids_and_then_bands() {
    let picture = picture("capture-and-conquer", &[], None);
    for width in [60, 40, 20] {
        let text = plain(&picture, width);
        let grids = text.split("\n [").next().unwrap().split("\n W3").next().unwrap();
        let widest = grids.lines().skip(3).map(|line| line.chars().count()).max().unwrap();
        assert!(
            widest <= width.max("across: Player 2's position".len()),
            "{width}: {widest}\n{text}"
        );
        assert_eq!(grids.matches("P1\\P2").count() > 2, width < 60, "{text}");
    }
}

#[test]
fn colour_does_not_change_the_text() {
    let picture = picture("command-clash", &[], None);
    let painted = text::draw(&picture, 100);
    assert!(painted.contains("\u{1b}[48;5;25m") || painted.contains("48;5;25"), "{painted:?}");
    assert!(plain(&picture, 100).is_ascii());
}

#[test]
fn one_point_may_hold_a_finished_and_an_unfinished_game() {
    // With defeat=damage, 0/3 is open and 0/3/2 is over; the map shows the open position.
    let picture = picture("command-clash", &["defeat=damage"], None);
    assert!(letters(&picture).iter().all(|text| !text.starts_with('#')), "{picture:?}");
}

#[test]
fn a_sixth_game_gets_the_picture_that_fits() {
    let picture = picture("last-stone", &["stones=4"], None);
    let text = plain(&picture, 100);
    assert!(text.contains("Player 1 to move") && text.contains("[W3]"), "{text}");
}

#[test]
fn a_position_that_is_not_on_the_map_is_refused() {
    let grid = solved(GAMES, "base-battle", &[]);
    let why = |position| Atlas::of(&grid, Some(position)).err().unwrap().to_string();
    assert!(why("0/10/2").contains("cannot arise"), "{}", why("0/10/2"));
    assert!(why("elsewhere").contains("not a position"), "{}", why("elsewhere"));
    let census = solved(GAMES, "command-line-conquer", &["positions=5", "units=2"]);
    let error = Atlas::of(&census, Some("0/4/1")).err().unwrap();
    assert!(error.to_string().contains("the command analyze"), "{error}");
}

/// Checks that the elements are properly nested and all text is escaped.
fn check_markup(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{piece}");
        let entities = text.split('&').skip(1);
        assert!(entities.into_iter().all(|rest| rest.contains(';')), "{piece}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn pictures_are_well_formed_and_self_contained() {
    let rules: [(&str, &[&str]); 3] = [
        ("command-line-conquer", &["positions=7"]),
        ("capture-and-conquer", &["positions=61"]),
        ("last-stone", &[]),
    ];
    for (game, rules) in SMALL.map(|game| (game, &[][..])).into_iter().chain(rules) {
        let mut picture = picture(game, rules, None);
        picture.notes.push("1 < 2 && \"3\" > 2".to_owned());
        let svg = svg::draw(&picture);
        check_markup(&svg);
        assert!(svg.contains("1 &lt; 2 &amp;&amp; &quot;3&quot; &gt; 2"));
        assert_eq!(svg.matches("http").count(), 1, "the namespace of SVG");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{game}");
    }
}

#[test]
fn the_map_and_analyze_agree_on_who_is_under_pressure() {
    let solved = solved(GAMES, "capture-and-conquer", &[]);
    let facts = facts("capture-and-conquer");
    let (mut movers, mut others) = (0, 0);
    for cell in facts["cells"].as_array().unwrap() {
        let position = cell["position"].as_str().unwrap();
        let (_, object) = crate::tests::analysed(&solved, position);
        assert_eq!(cell["draw"], object["draw"], "{position}");
        // The player under pressure is the player whose mistake can lose.
        let errs =
            object["moves"].as_array().unwrap().iter().any(|option| option["value"] == "loss");
        let is_trap = cell["value"] == "endless" && errs;
        let at_once = cell["draw"]["pressure"] == "mover" && cell["draw"]["plies"] == 0;
        assert_eq!(is_trap, at_once, "{position}");
        movers += usize::from(cell["draw"]["pressure"] == "mover");
        others += usize::from(cell["draw"]["pressure"] == "other");
    }
    assert_eq!((movers, others), (44, 37));
}

#[test]
fn a_map_distinguishes_draws_from_endless_positions() {
    let solved = solved(SIX_GAMES, "last-stone", &["stones=4", "winner=most"]);
    let atlas = Atlas::of(&solved, None).unwrap();
    let text = plain(&atlas.picture(), 100);
    assert!(text.contains("[D2]") && text.contains("a draw can be forced"), "{text}");
    assert!(text.contains("drawn and 0 endless for the side to move"), "{text}");
    let facts = serde_json::to_value(atlas.facts()).unwrap();
    let values = facts["cells"].as_array().unwrap().iter().map(|cell| cell["value"].clone());
    let values: Vec<Json> = values.collect();
    assert!(values.contains(&"draw".into()) && !values.contains(&"endless".into()), "{values:?}");
}

#[test]
fn a_map_for_front_ends_names_each_position_once_with_its_words() {
    let solved = solved(GAMES, "base-battle", &[]);
    let atlas = Atlas::of(&solved, None).unwrap();
    let drawn = serde_json::to_value(atlas.drawn()).unwrap();
    let tiles = |panels: &Json| {
        let sheet = panels[0]["sheet"].clone();
        let tiles: Vec<Json> = sheet["tiles"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|row| row.as_array().unwrap().clone())
            .collect();
        let look = move |tile: Json| {
            let index = usize::try_from(tile[0].as_u64().unwrap()).unwrap();
            (tile[1].as_str().unwrap().to_owned(), sheet["looks"][index].clone())
        };
        tiles.into_iter().filter(|tile| !tile.is_null()).map(look).collect::<Vec<_>>()
    };
    let tiles: Vec<(String, Json)> =
        drawn["columns"].as_array().unwrap().iter().flat_map(tiles).collect();
    let positions: std::collections::BTreeSet<&String> =
        tiles.iter().map(|(position, _)| position).collect();
    assert_eq!((tiles.len(), positions.len()), (116, 116));
    let (_, start) = tiles.iter().find(|(position, _)| position == "0/10/1").unwrap();
    assert_eq!((&start[0], &start[1]), (&"W7".into(), &"win in 7".into()));
    assert!(start[2]["whole"]["win"].is_number(), "{start}");
}

#[test]
fn a_map_of_found_positions_marks_exactly_these() {
    for (game, query) in
        [("base-battle", "win in 5"), ("command-clash", "value >= 0.5"), ("last-stone", "loss")]
    {
        let solved = solved(SIX_GAMES, game, &[]);
        let scene = solved.graph().scene(solved.graph().start());
        let query = Query::parse(query, &Vocabulary::of(solved.entry(), &scene)).unwrap();
        let found = query.find(&solved, &Unwatched).unwrap();
        let picture = Atlas::of_found(&solved, &found, &query).unwrap().picture();
        let all: Vec<Tile> = picture
            .columns
            .into_iter()
            .flatten()
            .flat_map(|panel| match panel {
                Panel::Sheet(sheet) => sheet.tiles.into_iter().flatten(),
                Panel::Bars(bars) => panic!("{} belongs to a single position", bars.title),
            })
            .collect();
        for tile in all {
            let node = tile.position.as_ref().and_then(|it| solved.graph().find(it).unwrap());
            assert_eq!(tile.is_marked, node.is_some_and(|node| found.contains(node)), "{tile:?}");
            assert_eq!(tile.spoken.is_some(), tile.is_marked, "only these are read aloud");
            let can_arise = node.is_some_and(|node| solved.reached().contains(node));
            assert_eq!(tile.fill != Fill::Whole(Tone::Nothing), can_arise, "{tile:?}");
        }
    }
}

#[test]
fn a_map_of_nothing_can_be_drawn() {
    for (game, query) in [("command-line-conquer", "draw"), ("base-battle", "draw")] {
        let solved = solved(GAMES, game, &[]);
        let scene = solved.graph().scene(solved.graph().start());
        let query = Query::parse(query, &Vocabulary::of(solved.entry(), &scene)).unwrap();
        let found = query.find(&solved, &Unwatched).unwrap();
        let atlas = Atlas::of_found(&solved, &found, &query).unwrap();
        assert!(atlas.text(80).unwrap().contains("0 of "), "{game}");
        assert!(atlas.svg().starts_with("<svg "), "{game}");
        assert!(atlas.speech().unwrap().contains("0 of "), "{game}");
    }
}

/// Every slice contains its position, and the other units have the same places on all of its tiles.
#[test]
fn slices_lead_through_every_position() {
    let solved = solved(GAMES, "command-line-conquer", &["positions=6", "units=2"]);
    let chart = Chart::of(&solved).unwrap();
    assert!(!chart.is_whole());
    for node in solved.reached().iter() {
        let position = solved.graph().position(node);
        let mut slice = chart.through(&position, &solved).unwrap();
        for side in [Side::One, Side::Two, Side::One, Side::One, Side::Two] {
            let (sheet, row, column) = slice.place(&position, &solved).unwrap();
            assert_eq!(slice.sheets()[sheet].position(row, column), Some(&*position));
            slice = slice.turned(&position, side, &solved).unwrap();
        }
    }
    assert!(chart.through("0,0,0/6/1", &solved).is_none(), "nobody has three units");
}

#[test]
fn a_slice_moves_one_unit_of_each_side() {
    let solved = solved(GAMES, "command-line-conquer", &[]);
    let chart = Chart::of(&solved).unwrap().through("0,2/7,9/1", &solved).unwrap();
    let tiles = &chart.sheets()[0];
    assert_eq!(tiles.labels(), ("a unit of Player 1 beside 0", "a unit of Player 2 beside 9"));
    let positions = |row: usize| (0..tiles.columns()).filter_map(move |at| tiles.position(row, at));
    let units = |position: &str| position.split('/').map(str::to_owned).collect::<Vec<String>>();
    for row in 0..tiles.rows() {
        let one: Vec<String> = positions(row).map(|it| units(it).swap_remove(0)).collect();
        assert!(one.iter().all(|units| *units == one[0] && units.split(',').any(|it| it == "0")));
        assert!(positions(row).all(|it| units(it)[1].split(',').any(|place| place == "9")));
    }
    let turned = chart.turned("0,2/7,9/1", Side::Two, &solved).unwrap();
    assert_eq!(turned.sheets()[0].labels().1, "a unit of Player 2 beside 7");
}
