//! The commands besides play: the games, their rules, help, completions and the manual.

use std::fs;

use serde_json::Value;
use skirmish_rules::GAMES;

use crate::support::{Home, assert_golden, is_there, run, skipped, skirmish};

/// The games, the prefixes of their rulings, and the number of rulings.
const RULINGS: [(&str, &str, u8); 5] = [
    ("command-line-conquer", "R-CLC", 6),
    ("capture-and-conquer", "R-CC", 4),
    ("base-battle", "R-BB", 7),
    ("command-clash", "R-CL", 6),
    ("capture-the-line", "R-CTL", 3),
];

#[test]
fn games_lists_every_game() {
    let ran = skirmish(&["games"], "").exits(0);
    let lines: Vec<&str> = ran.out.lines().collect();
    for (line, entry) in lines.iter().zip(GAMES.iter()) {
        assert!(line.starts_with(&format!("{} ", entry.id)), "{line}");
    }
    assert_eq!(lines.len(), GAMES.iter().count() + 2);
}

#[test]
fn games_as_json_tells_what_can_be_chosen() {
    let ran = skirmish(&["games", "--json"], "").exits(0);
    let games: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let ids: Vec<&str> =
        games.as_array().into_iter().flatten().filter_map(|it| it["game"].as_str()).collect();
    assert_eq!(ids, GAMES.iter().map(|entry| entry.id).collect::<Vec<&str>>());
    assert_eq!(games[2]["starts"], "toss");
    assert_eq!(games[2]["options"][2]["values"][0], "facing");
    assert_eq!(games[4]["options"][0]["odd"], true);
}

#[test]
fn the_rules_of_a_game_name_every_ruling_and_option() {
    for (game, ruling, count) in RULINGS {
        let page = skirmish(&["rules", game], "").exits(0).out;
        for number in 1..=count {
            assert!(page.contains(&format!("{ruling}-{number}")), "{game}: {ruling}-{number}");
        }
        for number in 1..=5 {
            assert!(page.contains(&format!("R-ALL-{number}")), "{game}: R-ALL-{number}");
        }
        let json = skirmish(&["rules", game, "--json"], "").exits(0).out;
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        let solution = skirmish(&["rules", game, "solution"], "").exits(0).out;
        assert!(
            solution.contains("has been solved") && !page.contains(&solution),
            "{game}: no spoilers"
        );
        assert!(page.contains(&format!("skirmish rules {game} solution")), "{game}: the way to it");
        assert!(page.find("## Goal") < page.find("## Tips"), "{game}: tips follow the basics");
        assert_eq!(json["text"], skirmish(&["rules", game, "all"], "").exits(0).out);
        for option in json["options"].as_array().into_iter().flatten() {
            let name = option["name"].as_str().expect("an option has a name");
            assert!(page.contains(&format!("- `{name}=")), "{game}: {name}");
        }
    }
}

#[test]
fn the_pages_in_docs_are_what_the_program_prints() {
    for entry in GAMES.iter() {
        let page = skirmish(&["rules", entry.id, "all"], "").exits(0).out;
        assert_golden(&format!("../../docs/rules/{}.md", entry.id), &page);
    }
}

#[test]
fn in_a_pipe_play_without_a_game_lists_the_games() {
    let ran = skirmish(&["play"], "").exits(2);
    let games: Vec<&str> = GAMES.iter().map(|entry| entry.id).collect();
    let (last, others) = games.split_last().expect("there are games");
    let named = format!("The games are {} and {last}.", others.join(", "));
    ran.complains(&format!("error: name a game, as in skirmish play base-battle. {named}"));
}

const COMMANDS: [&str; 18] = [
    "play",
    "games",
    "rules",
    "show",
    "analyze",
    "solve",
    "find",
    "map",
    "review",
    "replay",
    "saves",
    "lab",
    "engine",
    "bot",
    "tournament",
    "doctor",
    "completions",
    "man",
];

#[test]
fn help_begins_with_examples() {
    let subcommands = COMMANDS.map(|command| vec![command, "--help"]);
    for arguments in [vec!["--help"], vec!["-h"]].into_iter().chain(subcommands) {
        let ran = skirmish(&arguments, "").exits(0);
        assert!(ran.out.starts_with("Examples:\n  skirmish"), "{arguments:?}\n{}", ran.out);
        assert_eq!(ran.err, "");
    }
}

/// The examples in the help must work. `play` reaches the end of its input and exits with code 3.
#[test]
#[cfg(unix)]
fn the_examples_in_the_help_work() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.write("my-game.skr", "[Game \"base-battle\"]\n\n3 2\n");
    fs::create_dir_all(home.games()).expect("the home can be written");
    let last = home.write("data/skirmish/games/last.skr", "[Game \"base-battle\"]\n\n3 2\n");
    // Make this save newer than the saves of the examples.
    let tomorrow = std::time::SystemTime::now() + std::time::Duration::from_hours(24);
    let last = fs::File::options().write(true).open(last).expect("the file is ours");
    last.set_modified(tomorrow).expect("the file is ours");
    // Not every machine has Python, and none has this bot.
    let python = home.write("python3", "#!/bin/sh\nwhile read -r line; do echo 1; done\n");
    fs::set_permissions(python, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", home.path().display());
    // The examples of these commands name bots that do not exist here.
    let is_tried = |command: &&str| !["bot", "tournament"].contains(command);
    for command in COMMANDS.into_iter().filter(is_tried) {
        let help = skirmish(&[command, "--help"], "").exits(0).out;
        let examples = help.lines().skip(1).take_while(|line| line.starts_with("  skirmish"));
        for example in examples {
            let line = example.trim().split("   ").next().unwrap_or_default();
            let line = line.split(['>', '|']).next().unwrap_or_default();
            let line = if line.contains("charge") { example.trim() } else { line };
            let code = match command {
                // The test has no terminal.
                _ if line.contains("--tui") => 2,
                // The end of input only interrupts games with a person.
                "play" if !line.contains("--p1") => 3,
                _ => 0,
            };
            let script = line.replacen("skirmish", "\"$0\"", 1);
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &script, crate::support::SKIRMISH]);
            shell.env_clear().envs(crate::support::environment(home.path()));
            shell.env("PATH", &path).current_dir(home.path());
            crate::support::run(shell, "").exits(code);
        }
    }
}

#[test]
fn without_arguments_and_without_a_terminal_there_is_a_short_help() {
    let home = Home::new();
    let ran = home.run(&[], "1\n").exits(2);
    assert_eq!(ran.out, "", "results go to standard output, and this is none");
    assert!(ran.err.starts_with("Examples:\n"), "{}", ran.err);
    assert!(ran.err.contains("Commands:\n"), "{}", ran.err);
    assert_eq!(home.saves().len(), 0);
}

#[test]
fn version_is_told() {
    let ran = skirmish(&["--version"], "").exits(0);
    assert_eq!(ran.out, format!("skirmish {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_manual_has_a_section_for_every_command_and_all_that_belongs_into_one() {
    let page = skirmish(&["man"], "").exits(0).out;
    assert!(page.contains(".TH skirmish 1"), "{page}");
    for command in COMMANDS.into_iter().chain(["bot check"]) {
        assert!(page.contains(&format!(".SS \"skirmish {command}\"\n")), "{command}");
    }
    for section in [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "COMMANDS",
        "\"EXIT STATUS\"",
        "ENVIRONMENT",
        "FILES",
        "EXAMPLES",
    ] {
        assert_eq!(page.matches(&format!("\n.SH {section}\n")).count(), 1, "{section}");
    }
    for told in ["results.csv", "settings.toml", "SKIRMISH_ASCII", "129", "\\-\\-max\\-turns"] {
        assert!(page.contains(told), "{told}");
    }
}

/// The manual once referred to `skirmish-play(1)` and the like, which never existed.
#[test]
fn the_manual_names_no_page_that_does_not_exist() {
    let page = skirmish(&["man"], "").exits(0).out;
    assert!(!page.contains("(1)"), "{page}");
}

#[test]
fn the_manual_can_be_formatted_without_a_complaint() {
    let home = Home::new();
    let page = home.write("skirmish.1", skirmish(&["man"], "").exits(0).out);
    let page = page.to_str().expect("the test's folder is text");
    for (formatter, arguments) in [
        ("groff", &["-man", "-Tutf8", "-ww", "-z", page][..]),
        ("mandoc", &["-T", "lint", "-W", "warning", page]),
    ] {
        if !is_there(formatter) {
            skipped(&format!("there is no {formatter}, so it does not format the manual"));
            continue;
        }
        let ran = run(home.command_of(formatter, arguments), "");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{formatter}\n{}", ran.out);
    }
}
