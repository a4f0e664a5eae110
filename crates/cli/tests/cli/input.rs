//! Input from a pipe: skipped, echoed and refused lines (R-ALL-4), and the end of input.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::support::{Home, SKIRMISH, run, skirmish, spawn};

const BATTLE: [&str; 4] = ["play", "base-battle", "--first", "p1"];

#[test]
fn the_typed_line_is_echoed_after_its_prompt() {
    let ran = skirmish(&BATTLE, "  2  \n").exits(3);
    ran.says(&["Enter your move (1-3): 2\n\nPlayer 1 moves 2 positions to position 2.\n"]);
}

#[test]
fn comments_and_blank_lines_are_passed_over() {
    let script = "# a whole game\n\n2\n   \n  # the reply\n1\n\t\nquit\n";
    let plain = skirmish(&BATTLE, "2\n1\nquit\n").exits(0);
    assert_eq!(skirmish(&BATTLE, script).exits(0).out, plain.out);
}

/// R-ALL-4: a refusal says what is wrong and what is possible, and asks again.
#[test]
fn bad_input_changes_nothing_and_the_question_comes_again() {
    let cases: [(&[u8], &str); 11] = [
        (b"0", "\"0\" is not a move here: enter 1, 2 or 3."),
        (b"4", "\"4\" is not a move here: enter 1, 2 or 3."),
        (b"-1", "\"-1\" is not a move here: enter 1, 2 or 3."),
        (b"1.0", "\"1.0\" is not a move here: enter 1, 2 or 3."),
        (b"01", "\"01\" is not a move here: enter 1, 2 or 3."),
        (b"1 1", "\"1 1\" is not a move here: enter 1, 2 or 3."),
        (b"99999999999999999999999999", "\"99999999999999999999999999\" is not a move here"),
        (b"fly", "\"fly\" is not a move here: enter 1, 2 or 3."),
        (b"\x1b[2J\x07", "\"\\u{1b}[2J\\u{7}\" is not a move here"),
        (b"1\0", "\"1\\u{0}\" is not a move here"),
        (b"\xff\xfe1", "That line is not UTF-8 text. Enter 1, 2 or 3."),
    ];
    for (typed, refusal) in cases {
        let home = Home::new();
        let ran = home.run(&BATTLE, [typed, b"\nquit\n"].concat()).exits(0);
        assert!(!ran.out.contains(['\u{1b}', '\u{7}', '\0']), "{:?}", ran.out);
        ran.says(&[refusal, "\nEnter your move (1-3): quit\n"]);
        assert!(home.saves().is_empty(), "no turn was played");
    }
}

#[test]
fn when_the_input_ends_the_game_is_kept_and_the_way_back_told() {
    let home = Home::new();
    let ran = home.run(&BATTLE, "2\n").exits(3);
    let save = home.saves().remove(0);
    ran.complains(&format!(
        "The game is saved. To go on: skirmish play --resume {}",
        save.display()
    ));
    assert!(home.save().ends_with("\n\n1. 2\n"), "{}", home.save());
}

/// Following the README once led to "command not found".
#[test]
fn printed_commands_work_as_printed() {
    let home = Home::new();
    let mut command = home.command(&BATTLE);
    command.env_remove("PATH");
    let told = run(command, "2\n").exits(3).err;
    let (_, way_back) = told.trim_end().split_once("To go on: ").expect("the way back");
    let (printed, _) = way_back.split_once(" play --resume ").expect("the way back");
    let way_back = skirmish_system::words::split(way_back).expect("words of a shell");
    // Under Wine the same path has a drive letter.
    let program = way_back[0].replace('\\', "/");
    assert!(program.ends_with(&SKIRMISH.replace('\\', "/")), "it is not on the path: {program}");
    let arguments: Vec<&str> = way_back[1..].iter().map(String::as_str).collect();
    home.run(&arguments, "").exits(3).says(&["after turn 1.\n"]);
    for (arguments, example) in [
        (&["--help"][..], "  PROGRAM play base-battle "),
        (&["help", "play"], "\nUsage: PROGRAM play [OPTIONS] [GAME]\n"),
        (&["play", "--help"], "The game; `PROGRAM games` lists them"),
        (&["bot", "check", "--help"], "Examples:\n  PROGRAM bot check \"python3"),
        (&["rules", "base-battle", "all"], "`PROGRAM play base-battle --rule NAME=VALUE`"),
    ] {
        let mut command = home.command(arguments);
        command.env_remove("PATH");
        let example = example.replace("PROGRAM", printed);
        run(command, "").exits(0).says(&[&example]);
    }
}

#[test]
fn quitting_is_no_failure_and_tells_the_way_back_too() {
    let home = Home::new();
    let ran = home.run(&BATTLE, "2\nquit\n").exits(0);
    let way_back = format!("--resume {}\n", home.saves().remove(0).display());
    assert!(ran.err.starts_with("The game is saved. To go on: skirmish play "), "{}", ran.err);
    assert!(ran.err.ends_with(&way_back), "{}", ran.err);
    assert!(home.save().contains("[Result \"*\"]"));
}

#[test]
fn a_game_that_is_not_saved_says_so_when_it_is_left() {
    let home = Home::new();
    let arguments = [&BATTLE[..], &["--no-save"]].concat();
    home.run(&arguments, "2\n").exits(3).complains("The game is not saved, as you asked.");
    assert_eq!(home.saves().len(), 0);
}

/// Every command that prints must survive a closed pipe, as in `skirmish play base-battle | head -1`.
#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let home = Home::new();
    let record = home.write("x.skr", "[Game \"base-battle\"]\n\n1\n2\n");
    let record = record.display().to_string();
    let commands: [&[&str]; 5] = [
        &BATTLE,
        &["rules", "base-battle"],
        &["replay", &record],
        &["completions", "zsh"],
        &["man"],
    ];
    for arguments in commands {
        let mut command = home.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut command).expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("there is a first line");
        drop(out);
        let mut input = child.stdin.take().expect("it is piped");
        // The reader of the output is already gone.
        let moves = "1\n".repeat(10_000);
        drop(std::io::Write::write_all(&mut input, moves.as_bytes()));
        drop(input);
        let ended = child.wait_with_output().expect("the program ends");
        assert_eq!(ended.status.code(), Some(0), "{arguments:?}");
        let err = String::from_utf8_lossy(&ended.stderr);
        assert!(!err.contains("panicked") && !err.contains("error"), "{arguments:?}: {err}");
    }
}

#[test]
#[cfg(unix)]
fn a_full_disk_under_standard_output_is_a_failure() {
    let home = Home::new();
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut command = home.command(&["rules", "base-battle"]);
    let ended = spawn(command.stdout(full).stderr(Stdio::piped()));
    let ended = ended.and_then(Child::wait_with_output).expect("the program starts");
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stderr).starts_with("error: No space left"));
}
