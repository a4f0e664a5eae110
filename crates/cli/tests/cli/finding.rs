//! `find`: positions that match a query.

use serde_json::Value;
use skirmish_rules::GAMES;

use crate::support::{Home, read, skirmish};
#[cfg(unix)]
use crate::terminal::Terminal;

#[test]
fn a_list_shows_values_and_moves_and_says_how_many_there_are() {
    let ran = skirmish(&["find", "base-battle", "win in 5 and one winning move"], "").exits(0);
    assert!(
        ran.out.starts_with("position  value     best  winning\n2/6/1     win in 5  3     3\n")
    );
    assert!(ran.out.ends_with("\n\n8 of 116 positions.\n"), "{}", ran.out);
    // A query without quotes, where the shell needs none.
    let words = ["find", "base-battle", "win", "in", "5", "and", "one", "winning", "move"];
    assert_eq!(skirmish(&words, "").exits(0).out, ran.out);
    let none = skirmish(&["find", "base-battle", "endless"], "").exits(0);
    assert_eq!(none.out, "0 of 116 positions.\n");
    assert_eq!(none.err, "\"endless\" is true of no position.\n");
    skirmish(&["find", "base-battle", "win", "--count"], "").exits(0).says(&["67\n"]);
}

#[test]
fn a_long_list_is_cut_and_says_how_to_see_the_rest() {
    let listed = |limit: &[&str]| {
        skirmish(&[&["find", "base-battle", "not over"], limit].concat(), "").exits(0).out
    };
    let cut = listed(&[]);
    assert_eq!(cut.lines().count(), 23, "{cut}");
    assert!(cut.ends_with("103 of 116 positions. … and 83 more: --limit 0 shows all.\n"), "{cut}");
    assert_eq!(listed(&["--limit", "3"]).lines().count(), 6);
    assert!(listed(&["--limit", "0"]).ends_with("\n\n103 of 116 positions.\n"));
}

#[test]
fn csv_is_the_table_without_the_other_lines() {
    let home = Home::new();
    for (game, query, is_found) in [
        ("capture-the-line", "win in 3", "win,3"),
        ("base-battle", "loss", "loss,"),
        ("command-line-conquer", "plies = 6", ",6,"),
    ] {
        home.run(&["solve", game, "--table", "all.csv", "--force"], "").exits(0);
        let table = read(&home.file("all.csv"));
        let (head, rows) = table.split_once('\n').expect("it has a heading");
        // The rest of a row after the position, which is quoted if it contains a comma.
        let after = |row: &str| match row.strip_prefix('"') {
            Some(rest) => rest.split_once('"').expect("a closing quote").1.to_owned(),
            None => row[row.find(',').expect("several columns")..].to_owned(),
        };
        let expected: Vec<&str> =
            rows.lines().filter(|row| after(row).contains(is_found)).collect();
        let found = skirmish(&["find", game, query, "--csv"], "").exits(0).out;
        let found: Vec<&str> = found.lines().collect();
        assert!(found[0] == head && found[1..] == expected, "{game}: {query}");
        assert!(!expected.is_empty() && expected.len() < rows.lines().count());
    }
}

#[test]
fn json_names_the_query_and_every_position() {
    let query = ["find", "base-battle", "WIN in 5 AND 1 winning moves", "--json"];
    let found = skirmish(&query, "").exits(0).out;
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    assert_eq!(found["query"], "win in 5 and one winning move");
    assert_eq!((&found["states"], &found["found"]), (&116.into(), &8.into()));
    let positions = found["positions"].as_array().expect("a list");
    assert_eq!(positions.len(), 8);
    assert!(positions.iter().all(|it| it["plies"] == 5 && it["winning"] == it["best"]));
    let limited = skirmish(&[&query[..], &["--limit", "2"]].concat(), "").exits(0).out;
    let limited: Value = serde_json::from_str(&limited).expect("it is JSON");
    assert_eq!(
        (limited["positions"].as_array().map(Vec::len), &limited["found"]),
        (Some(2), &8.into())
    );
}

#[test]
fn a_count_in_json_lists_no_positions() {
    let found = skirmish(&["find", "base-battle", "win", "--count", "--json"], "").exits(0).out;
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    assert_eq!((&found["found"], &found["positions"]), (&67.into(), &serde_json::json!([])));
}

#[test]
fn a_screen_reader_gets_a_sentence_for_each_position() {
    let arguments = ["--screen-reader", "find", "base-battle", "win in 5 and 1 winning move"];
    let told = skirmish(&arguments, "").exits(0).out;
    assert!(told.starts_with("2/6/1: win in 5, best 3, winning 3.\n"), "{told}");
    assert!(told.ends_with("8 of 116 positions.\n"), "{told}");
    let map = skirmish(&[&arguments[..], &["--map"]].concat(), "").exits(0).out;
    assert!(map.contains("win in 5 at") && !map.contains('['), "{map}");
}

#[test]
fn lists_and_maps_fit_a_page() {
    for entry in GAMES.iter() {
        for arguments in [
            &["find", entry.id, "over or not over", "--limit", "0"][..],
            &["find", entry.id, "not over", "--map"],
            &["map", entry.id],
        ] {
            let printed = skirmish(arguments, "").exits(0).out;
            let widest = printed.lines().map(|line| line.chars().count()).max();
            assert!(widest > Some(20) && widest <= Some(80), "{arguments:?}: {widest:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_stops_reading_is_no_error() {
    let home = Home::new();
    for format in ["--csv", "--json", "--limit 0"] {
        let script = format!(
            "\"{}\" find command-line-conquer 'not over' {format} | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}",
            crate::support::SKIRMISH
        );
        let ran = crate::support::run(home.command_of("bash", &["-c", &script]), "").exits(0);
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("0\n", ""), "{format}");
    }
}

#[test]
#[cfg(unix)]
fn the_laboratory_fits_the_terminal_and_a_page_in_a_pipe() {
    for arguments in [
        &[
            "lab",
            "command-line-conquer",
            "--vary",
            "positions=6..7",
            "--vary",
            "battle=departure,arrival",
        ][..],
        &[
            "lab",
            "base-battle",
            "--vary",
            "positions=9..10",
            "--vary",
            "push=facing,onward",
            "--vary",
            "steps=2,3",
        ],
        &["lab", "capture-and-conquer"],
        &["lab", "capture-the-line", "--vary", "steps=1..2"],
        &["lab", "command-clash", "--vary", "points=3,5", "--vary", "defeat=zero,damage"],
        &["lab", "--levels", "base-battle"],
    ] {
        let printed = skirmish(arguments, "").exits(0).out;
        let widest = printed.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{arguments:?}: {widest:?}\n{printed}");
    }
    let home = Home::new();
    let arguments = ["lab", "base-battle", "--vary", "positions=9..10", "--vary", "steps=2,3"];
    let terminal = Terminal::sized(&home, &arguments, (40, 40), &[("TERM", "xterm")]);
    let screen = terminal.see("percent.");
    let parts = screen.lines().filter(|line| line.starts_with("positions  steps  ")).count();
    assert!(parts > 1, "the options begin each part:\n{screen}");
    terminal.ends(0);
}
