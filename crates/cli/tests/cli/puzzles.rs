//! `skirmish puzzle`: in lines and as JSON.

use std::fs;

use serde_json::Value;

#[cfg(unix)]
use crate::support::send;
use crate::support::{Home, read, skirmish};

fn objects(arguments: &[&str]) -> Vec<Value> {
    let printed = skirmish(&[&["puzzle"], arguments, &["--json"]].concat(), "").exits(0).out;
    printed.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

#[test]
fn the_seed_and_the_date_determine_the_puzzle() {
    let one = objects(&["base-battle", "--seed", "20261120", "--count", "8"]);
    assert_eq!(one, objects(&["base-battle", "--seed", "20261120", "--count", "99"]));
    assert_eq!(one.len(), 8, "all there are");
    let daily = objects(&["--date", "2026-11-20"]);
    assert_eq!(daily, &one[..1], "a date is a seed, and it is the turn of Base Battle");
    assert_eq!(objects(&["--seed", "1"]).len(), 1);
    let skilled = objects(&["base-battle", "--seed", "1", "--level", "skilled", "--count", "99"]);
    assert!(skilled.len() == 6 && skilled.iter().all(|puzzle| puzzle["level"] == "skilled"));
}

/// The puzzles are the positions in the solver's table with a single winning move, at least 3 plies from the end.
#[test]
fn the_puzzles_of_both_starts_are_those_of_the_solver() {
    let mut found = Vec::new();
    for first in ["p1", "p2"] {
        let board = ["base-battle", "--rule", "push=behind", "--first", first];
        let table =
            skirmish(&[&["solve"], &board[..], &["--table", "-"]].concat(), "").exits(0).out;
        let rows = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<&str>>());
        // In Base Battle, a side always has several moves.
        let rows = rows.filter(|row| {
            let [_, value, plies, _, winning] = row[..] else { panic!("{row:?}") };
            let is_far = plies.parse::<u32>().is_ok_and(|plies| plies >= 3);
            value == "win" && is_far && !winning.contains(';')
        });
        let mut expected: Vec<String> = rows.map(|row| row[0].to_owned()).collect();
        let puzzles = objects(&[&board[..], &["--count", "999", "--seed", "1"]].concat());
        let name = |puzzle: &Value| puzzle["position"].as_str().expect("a position").to_owned();
        let mut positions: Vec<String> = puzzles.iter().map(name).collect();
        expected.sort();
        positions.sort();
        assert_eq!(positions, expected);
        found.push(positions);
    }
    assert_ne!(found[0], found[1]);
    assert!(found[1].contains(&"1/9/2".to_owned()) && !found[0].contains(&"1/9/2".to_owned()));
}

#[test]
fn only_a_game_that_either_player_can_start_has_puzzles_of_both_starts() {
    let ran = skirmish(&["puzzle", "capture-the-line", "--first", "p2"], "").exits(2);
    assert!(ran.err.contains("Player 1"), "{}", ran.err);
    skirmish(&["puzzle", "--first", "p2"], "").exits(2);
    let ran = skirmish(&["puzzle", "base-battle", "--first", "p2", "--seed", "1"], "").exits(3);
    assert!(ran.err.contains("skirmish puzzle base-battle --first p2 --seed 1"), "{}", ran.err);
}

/// The arguments for a puzzle: Base Battle from 2/6/1.
const PUZZLE: [&str; 4] = ["puzzle", "base-battle", "--seed", "1"];

#[test]
fn a_puzzle_is_followed_to_the_end() {
    let home = Home::new();
    let ran = home.run(&PUZZLE, "1\n3\n3\n3\n").exits(0);
    ran.says(&[
        "A puzzle: Base Battle, 2/6/1, level skilled\n",
        "Player 1 to move and win in 5: find the only move.\nEnter your move (1-3): 1\n\
         1 lets Player 2 win in 5. Best play from there: 1 1 3 1 3. Try again.\n",
        "Right: no other move wins.\nPlayer 1 moves 3 positions",
        "Player 1 to move and win in 3: find a winning move.\n",
        "\nSolved, after 1 mistake.\n",
    ]);
    let kept = read(&home.file("data/skirmish/puzzles.toml"));
    assert!(kept.contains("[solved]\nbase-battle = [\"2/6/1\"]\n"), "{kept}");
    let tally = "\nSolved.\nYou have solved 1 of the 8 puzzles of Base Battle.\n";
    home.run(&PUZZLE, "3\n3\n3\n").exits(0).says(&[tally]);
    assert_eq!(read(&home.file("data/skirmish/puzzles.toml")), kept, "a puzzle counts once");
}

#[test]
fn a_damaged_score_is_left_alone_and_reported_once() {
    let home = Home::new();
    let file = home.file("data/skirmish/puzzles.toml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("the test's own folder");
    fs::write(&file, "best = seven\n").expect("the test's own folder");
    let ran = home.run(&PUZZLE, "1\n2\n3\n3\n3\n").exits(0).says(&["Solved, after 2 mistakes.\n"]);
    let told = ran.err.strip_prefix("Puzzles are not counted: ").expect("the consequence");
    assert!(told.contains("puzzles.toml, line 1: ") && told.lines().count() == 1, "{told}");
    assert!(told.ends_with("; fix or remove the file to count puzzles again.\n"), "{told}");
    assert_eq!(read(&file), "best = seven\n");
}

#[test]
fn words_help_on_the_way() {
    let ran = skirmish(&PUZZLE, "fly\nhelp\nHINT\nboard\nsol\n").exits(0).says(&[
        "\"fly\" is not a move here: enter 1, 2 or 3. (\"help\" lists what else you can enter.)",
        "  solution  the solution, which ends the puzzle\n",
        "The solution: 3 1 3 3 3\n",
    ]);
    assert!(!ran.out.contains("streak"), "only daily puzzles count for it: {}", ran.out);
    let cost = "today does not count for your streak.\n";
    skirmish(&["puzzle"], "help\nquit\n").exits(0).says(&[cost, "  quit      leave\n", cost]);
    assert_eq!(ran.out.matches("find the only move.").count(), 2, "{}", ran.out);
    assert_eq!(ran.out.matches("Best play from there: ").count(), 1, "the hint: {}", ran.out);
    let ran = skirmish(&PUZZLE, "skip\nquit\n").exits(0);
    assert_eq!(ran.out.matches("A puzzle: ").count(), 2, "{}", ran.out);
    let several = [&PUZZLE[..], &["--count", "3"]].concat();
    let ran = skirmish(&several, "solution\nskip\nsolution\nsolution\n").exits(0);
    assert_eq!(ran.out.matches("A puzzle: ").count(), 4, "{}", ran.out);
    let all = [&PUZZLE[..], &["--count", "99"]].concat();
    skirmish(&all, "skip\n".repeat(8))
        .exits(0)
        .says(&["There are no more: Base Battle has 8 puzzles.\n"]);
}

#[test]
fn the_end_of_the_input_says_how_to_come_back() {
    let ran = skirmish(&PUZZLE, "3\n").exits(3);
    assert_eq!(ran.err, "The same puzzle again: skirmish puzzle base-battle --seed 1\n");
    let arguments =
        ["puzzle", "base-battle", "--rule", "positions=12", "--level", "novice", "--seed", "3"];
    let ran = skirmish(&arguments, "").exits(3);
    let again = "skirmish puzzle base-battle --rule positions=12 --seed 3 --level novice\n";
    assert!(ran.err.ends_with(again), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_signal_says_how_to_come_back() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let home = Home::new();
        let mut talk = home.talk(&[&PUZZLE[..], &["--count", "2"]].concat());
        talk.hear("Enter your move");
        talk.say("skip\n");
        talk.hear("skip\n\nA puzzle: ");
        send(signal, talk.process());
        let told = "\nThe same puzzles again: skirmish puzzle base-battle --seed 1 --count 2\n";
        assert_eq!(talk.wait().exits(code).err, told);
    }
}

#[test]
fn fewer_puzzles_than_asked_for_are_announced_beside_the_json() {
    let arguments = ["puzzle", "base-battle", "--seed", "1", "--count", "7", "--json"];
    assert_eq!(skirmish(&arguments, "").exits(0).err, "");
    let skilled = [&arguments[..], &["--level", "skilled"]].concat();
    let ran = skirmish(&skilled, "").exits(0);
    assert_eq!(ran.out.lines().count(), 6);
    let told = "There are no more: Base Battle has 6 puzzles of the level skilled.\n";
    assert_eq!(ran.err, told);
}

#[test]
fn a_mix_is_scored_by_what_it_gives_away() {
    // Command Clash from 5/2, Player 2's mix: charge 55.5 %, shield 44.5 %.
    let puzzle = ["puzzle", "command-clash", "--seed", "20261116"];
    let input = "charge 50 shield 40\nattack\nhint\ncharge 55.5 shield 44.5\n";
    let ran = skirmish(&puzzle, input).exits(0);
    ran.says(&[
        "find Player 2's best mix, worth -0.55 to Player 2.\n",
        "The shares add up to 90, not to 100.",
        "0 of 100 marks. The best answer to it is ",
        "The best mix has charge and shield.\n",
        "100 of 100 marks.",
        "The best mix: charge 55.5%, shield 44.5%\n",
        "Solved, after 1 mistake.\n",
    ]);
}

#[test]
fn boards_without_puzzles_say_so() {
    let none = skirmish(&["puzzle", "capture-and-conquer", "--rule", "steps=1"], "").exits(1);
    let told = "error: Capture and Conquer (steps=1) has no puzzles: in no position does only one of several moves \
                win, in 3 plies or more\n";
    assert_eq!(none.err, told);
    let level = skirmish(&["puzzle", "base-battle", "--level", "perfect", "--json"], "").exits(1);
    assert_eq!(
        (level.out.as_str(), level.err.as_str()),
        ("", "error: Base Battle has no puzzle of the level perfect, only of casual and skilled\n")
    );
}

#[test]
fn mistakes_on_the_command_line_are_usage_errors() {
    for (arguments, told) in [
        (&["--rule", "steps=1"][..], "rule options belong to a game"),
        (&["--date", "2026-02-30"], "expected a date from 1970 on"),
        (&["--date", "2026-02-03", "--seed", "1"], "cannot be used with"),
        (&["--level", "genius"], "unknown level \"genius\""),
        (&["--count", "0"], "--count"),
        (&["bas-battel"], "did you mean base-battle?"),
    ] {
        let ran = skirmish(&[&["puzzle"], arguments].concat(), "").exits(2);
        assert!(ran.err.contains(told), "{arguments:?}: {}", ran.err);
    }
}
