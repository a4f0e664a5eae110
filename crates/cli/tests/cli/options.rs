//! The options of `skirmish play`: starter, seed, names, rule options, turn limit.

use skirmish_rules::GAMES;

use crate::support::{Home, skirmish};

/// Seeds whose toss lets Player 1 and Player 2 start; the meaning of a seed never changes.
const FOR_ONE: &str = "5";
const FOR_TWO: &str = "1";

#[test]
fn the_players_can_choose_who_starts() {
    for (who, name) in [("p1", "Player 1"), ("p2", "Player 2")] {
        let home = Home::new();
        let ran = home.run(&["play", "capture-and-conquer", "--first", who], "1\n").exits(3);
        assert!(ran.out.starts_with("Welcome"), "nothing is tossed:\n{}", ran.out);
        ran.says(&[&format!("{name} starts first."), &format!("{name}'s turn.")]);
        assert!(home.save().contains(&format!("[First \"{who}\"]")));
    }
}

/// R-ALL-1: a coin toss unless the players choose; a seed repeats it.
#[test]
fn a_toss_is_announced_recorded_and_repeated_by_its_seed() {
    for (seed, who, name) in [(FOR_ONE, "p1", "Player 1"), (FOR_TWO, "p2", "Player 2")] {
        for first in [&["--first", "toss"][..], &[]] {
            let home = Home::new();
            let arguments = [&["play", "base-battle", "--seed", seed], first].concat();
            let ran = home.run(&arguments, "1\n").exits(3);
            let said = format!("Seed: {seed}\nThe coin toss decides: {name} starts.\n\nWelcome");
            assert!(ran.out.starts_with(&said), "{}", ran.out);
            let save = home.save();
            assert!(save.contains(&format!("[First \"{who}\"]")), "{save}");
            assert!(save.contains(&format!("[Seed \"{seed}\"]")), "{save}");
        }
    }
}

#[test]
fn a_seed_that_nobody_chose_is_told_so_that_the_game_can_be_repeated() {
    let first = skirmish(&["play", "base-battle"], "1\n2\n").exits(3);
    let seed = first.out.lines().next().and_then(|line| line.strip_prefix("Seed: "));
    let seed = seed.expect("the seed comes first");
    let again = skirmish(&["play", "base-battle", "--seed", seed], "1\n2\n").exits(3);
    assert_eq!(again.out, first.out);
}

#[test]
fn names_take_the_place_of_the_numbers() {
    let home = Home::new();
    let arguments = ["play", "base-battle", "--first", "p2", "--names", " Zoë , O'Neill"];
    let ran = home.run(&arguments, "3\n").exits(3);
    ran.says(&[
        "Zoë starts at position 0, their own base.\n",
        "O'Neill, you are at position 10.\nZoë is at position 0.\n",
        "O'Neill moves 3 positions to position 7.\n",
    ]);
    assert!(home.save().contains("[Player1 \"Zoë\"]\n[Player2 \"O'Neill\"]\n"));
}

#[test]
fn a_rule_option_changes_the_game_and_is_recorded() {
    let home = Home::new();
    let arguments = ["play", "base-battle", "--first", "p1", "--rule", "positions=5", "--rule"];
    let ran = home.run(&[&arguments[..], &["push=onward"]].concat(), "1\n").exits(3);
    ran.says(&["[ P1 ][  _ ][  _ ][  _ ][ P2 ]\n  0     1     2     3     4\n"]);
    assert!(home.save().contains("[Rules \"positions=5 push=onward\"]"));
}

#[test]
fn a_wrong_rule_option_is_told_what_is_possible() {
    for (game, rule, why) in [
        (
            "base-battle",
            "x=1",
            "there is no rule option \"x\" in this game: it has positions, steps and push",
        ),
        (
            "base-battle",
            "positions=2",
            "positions=2 is not possible: expected a whole number from 3 to 255",
        ),
        (
            "base-battle",
            "positions=256",
            "positions=256 is not possible: expected a whole number from 3 to 255",
        ),
        (
            "base-battle",
            "positions=99999999999999999999",
            "positions=99999999999999999999 is not possible: expected a whole number from 3 to 255",
        ),
        (
            "base-battle",
            "push",
            "\"push\" is not a rule option: write NAME=VALUE, such as positions=11",
        ),
        (
            "base-battle",
            "push=forward",
            "push=forward is not possible: expected facing, behind or onward",
        ),
        (
            "capture-the-line",
            "positions=10",
            "positions=10 is not possible: expected an odd number from 3 to 255",
        ),
        (
            "command-line-conquer",
            "units=0",
            "units=0 is not possible: expected a whole number from 1 to 8",
        ),
        ("command-clash", "defeat=no", "defeat=no is not possible: expected zero or damage"),
    ] {
        let ran = skirmish(&["play", game, "--rule", rule], "").exits(2);
        ran.complains(&format!("error: {why}"));
    }
    let twice = ["play", "base-battle", "--rule", "steps=1", "--rule", "steps=2"];
    let ran = skirmish(&twice, "").exits(2);
    ran.complains("error: the rule option steps is given twice");
}

/// R-ALL-3: a forced pass is not prompted for, and nobody passes for ever.
#[test]
fn a_turn_without_a_move_passes_and_says_so() {
    let arguments = ["play", "base-battle", "--first", "p1", "--rule", "positions=3", "--rule"];
    let ran = skirmish(&[&arguments[..], &["steps=1"]].concat(), "1\nundo\n1\nquit\n").exits(0);
    let passed = "Player 2 has no valid move: the turn passes to Player 1.\n";
    let stuck = "Neither player can move. Enter pass, draw, resign or quit.\n";
    ran.says(&[passed, stuck, "Taken back.\n\n[ P1 ][  _ ][ P2 ]\n", passed, stuck]);
}

#[test]
fn a_game_goes_by_its_beginning_and_a_slip_gets_a_hint() {
    skirmish(&["play", "Base Battle", "--first", "p1"], "quit\n").exits(0);
    skirmish(&["play", "base-b", "--first", "p1"], "quit\n").exits(0);
    let ids: Vec<&str> = GAMES.iter().map(|entry| entry.id).collect();
    let (last, others) = ids.split_last().expect("there are games");
    let games = format!("The games are {} and {last}.", others.join(", "));
    for (typed, why) in [
        (
            "base-batle",
            format!("there is no game \"base-batle\"; did you mean base-battle? {games}"),
        ),
        (
            "comand-clash",
            format!("there is no game \"comand-clash\"; did you mean command-clash? {games}"),
        ),
        ("chess", format!("there is no game \"chess\". {games}")),
        ("command", "\"command\" could be command-line-conquer or command-clash".to_owned()),
    ] {
        for arguments in [&["play", typed][..], &["rules", typed], &["show", typed]] {
            skirmish(arguments, "").exits(2).complains(&format!("error: {why}"));
        }
    }
}

#[test]
#[cfg(unix)]
fn a_command_line_that_makes_no_sense_is_a_usage_error() {
    let commands: [&[&str]; 17] = [
        &["play"],
        &["play", "capture-the-line", "--first", "p2"],
        &["play", "base-battle", "--names", "Ann"],
        &["play", "--resume", "x.skr", "--position", "4/6/2"],
        &["find", "base-battle", "win in 5 or 7"],
        &["nonsense"],
        &["play", "base-battle", "--first", "me"],
        &["play", "base-battle", "--match", "0"],
        &["play", "base-battle", "--match", "1000"],
        &["play", "base-battle", "--max-turns", "0"],
        &["play", "base-battle", "--seed", "-1"],
        &["play", "base-battle", "--resume"],
        &["play", "base-battle", "--resume", "--p2", "sh"],
        &["play", "--resume", "--seed", "3"],
        &["rules"],
        &["show"],
        &["completions", "basic"],
    ];
    for arguments in commands {
        let ran = skirmish(arguments, "").exits(2);
        assert_eq!(ran.out, "", "{arguments:?}");
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_number_that_is_impossible_is_refused_with_what_is_possible() {
    for (arguments, possible) in [
        (&["play", "base-battle", "--seed", "-1"][..], "from 0 to 18446744073709551615"),
        (&["play", "base-battle", "--seed", "x"], "from 0 to 18446744073709551615"),
        (&["play", "base-battle", "--match", "-3"], "from 1 to 999"),
        (&["play", "base-battle", "--max-turns", "0"], "from 1 to 4294967295"),
        (&["find", "base-battle", "win", "--limit", "-1"], "from 0 to 4294967295"),
        (&["puzzle", "--count", "-1"], "from 1 to 4294967295"),
        (&["puzzle", "--seed", "-1"], "from 0 to 18446744073709551615"),
        (&["lab", "base-battle", "--max-turns", "1.5"], "from 1 to 1000000"),
        (&["engine", "--seed", "-1"], "from 0 to 18446744073709551615"),
        (&["tournament", "base-battle", "novice", "casual", "--opening", "-1"], "from 0 to 100"),
    ] {
        let ran = skirmish(arguments, "").exits(2);
        let told = format!("expected a whole number {possible}\n");
        assert!(ran.err.contains(&told), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn no_error_repeats_a_huge_argument() {
    let long = "x".repeat(100_000);
    let with = |before: &str| format!("{before}{long}");
    for arguments in [
        &[long.as_str()][..],
        &["play", &long],
        &["play", "base-battle", &with("--")],
        &["play", "base-battle", "--seed", &long],
        &["play", "base-battle", "--p1", &long],
        &["play", "--resume", &long],
        &["show", "base-battle", "--position", &long],
        &["show", "base-battle", "--moves", &long],
        &["show", "base-battle", "--rule", &long],
        &["show", "base-battle", "--rule", &with("positions=")],
        &["show", "base-battle", "--preset", &long],
        &["analyze", "base-battle", "--against", &long],
        &["find", "base-battle", &long],
        &["find", "base-battle", "win", "--svg", &long],
        &["lab", "base-battle", "--vary", &long],
        &["lab", "base-battle", "--vary", &with("positions=")],
        &["solve", "base-battle", "--table", &long],
        &["review", &long],
        &["saves", &long],
        &["puzzle", "--date", &long],
        &["tournament", "base-battle", &long, "novice"],
    ] {
        let ran = skirmish(arguments, "");
        let first = &arguments[..arguments.len() - 1];
        assert!(!ran.err.is_empty() && ran.err.len() < 1_500, "{first:?}: {}", ran.err.len());
    }
}
