//! The Tab key in a real bash, and the scripts for all shells.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Home, is_there, skipped, skirmish};
use crate::terminal::Terminal;

const CTRL_U: &str = "\u{15}";

/// Whether bash is installed; reports if it is not.
fn is_bash_there() -> bool {
    let found = is_there("bash");
    if !found {
        skipped("there is no bash, so completion is not tested in one");
    }
    found
}

/// Presses Tab after each line and waits for the expected line.
fn complete(terminal: &mut Terminal, lines: &[(&str, &str)]) {
    for (typed, completed) in lines {
        terminal.press(&format!("{typed}\t"));
        terminal.wait(&format!("{typed:?} as {completed:?}"), |screen| {
            screen.lines().last().is_some_and(|line| line.trim_end() == format!("> {completed}"))
        });
        terminal.press(CTRL_U);
        terminal.see_prompt(">");
    }
}

#[test]
fn bash_completes_what_the_catalogue_has() {
    if !is_bash_there() {
        return;
    }
    let home = Home::new();
    let mut terminal = Terminal::bash(&home);
    complete(
        &mut terminal,
        &[
            ("skirmish pl", "skirmish play"),
            ("skirmish play ba", "skirmish play base-battle"),
            ("skirmish --ascii rules capture-t", "skirmish --ascii rules capture-the-line"),
            ("skirmish play base --p1 nov", "skirmish play base --p1 novice"),
            ("skirmish play base --p2 h", "skirmish play base --p2 human"),
            ("skirmish play base --rule po", "skirmish play base --rule positions="),
            ("skirmish play base --rule push=f", "skirmish play base --rule push=facing"),
            ("skirmish play base --rule=push=f", "skirmish play base --rule=push=facing"),
            ("skirmish play command-cla --rule poi", "skirmish play command-cla --rule points="),
            ("skirmish show base --rule positions=24", "skirmish show base --rule positions=24"),
            (
                "skirmish lab base --vary push=facing,b",
                "skirmish lab base --vary push=facing,behind",
            ),
            ("skirmish lab base --sort ed", "skirmish lab base --sort edge"),
            ("skirmish solve base --preset f", "skirmish solve base --preset fair"),
            ("skirmish --theme h", "skirmish --theme high-contrast"),
            ("skirmish play base --theme mon", "skirmish play base --theme monochrome"),
            ("skirmish play base --first t", "skirmish play base --first toss"),
            ("skirmish games --color=al", "skirmish games --color=always"),
            ("skirmish completions po", "skirmish completions powershell"),
            ("skirmish tournament base ex", "skirmish tournament base expert"),
            ("skirmish tournament base me=ex", "skirmish tournament base me=expert"),
            ("skirmish tournament base --format sw", "skirmish tournament base --format swiss"),
            (
                "skirmish bot check x --game command-cla",
                "skirmish bot check x --game command-clash",
            ),
        ],
    );
    terminal.press("skirmish play base --rule \t\t");
    terminal.see("positions=  steps=      push=");
}

#[test]
fn bash_completes_files_records_and_bots() {
    if !is_bash_there() {
        return;
    }
    let home = Home::new();
    home.write("diary.txt", "Dear diary");
    home.run(&["play", "base-battle", "--first", "p1", "--record", "our game.skr"], "2\nquit\n")
        .exits(0);
    let bot = home.write("mybot.sh", "#!/bin/sh\n");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("it is the test's own");
    fs::create_dir(home.file("pictures")).expect("the home can be written");
    let mut terminal = Terminal::bash(&home);
    let save = home.saves()[0].display().to_string();
    let data = home.file("data").display().to_string();
    complete(
        &mut terminal,
        &[
            ("skirmish replay o", "skirmish replay our\\ game.skr"),
            ("skirmish review 'o", "skirmish review 'our game.skr'"),
            ("skirmish replay d", "skirmish replay data/"),
            (
                &format!("skirmish play --resume {data}/skirmish/g"),
                &format!("skirmish play --resume {data}/skirmish/games/"),
            ),
            (
                &format!("skirmish play --resume {data}/skirmish/games/"),
                &format!("skirmish play --resume {save}"),
            ),
            ("skirmish map base --svg pic", "skirmish map base --svg pictures/"),
            ("skirmish solve base --table dia", "skirmish solve base --table diary.txt"),
            ("skirmish bot check ./my", "skirmish bot check ./mybot.sh"),
            ("skirmish bot check ugi:./my", "skirmish bot check ugi:./mybot.sh"),
            ("skirmish play base --p2 \"sh ./my", "skirmish play base --p2 \"sh ./mybot.sh\""),
            ("skirmish tournament base me=./my", "skirmish tournament base me=./mybot.sh"),
        ],
    );
    terminal.press("skirmish play --resume \t\t");
    terminal.see(&save);
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = skirmish(&["completions", shell], "").exits(0);
        assert!(ran.out.contains("SKIRMISH_COMPLETE"), "{shell}: {}", ran.out);
    }
    let wrong = skirmish(&["completions", "tcsh"], "").exits(2);
    assert!(
        wrong.err.contains("[possible values: bash, elvish, fish, powershell, zsh]"),
        "{}",
        wrong.err
    );
}

/// The calls of the other shells' scripts. Each passes the cursor position in its own way.
#[test]
fn the_program_answers_every_shell() {
    let home = Home::new();
    for (shell, candidate) in [
        ("elvish", "push=facing"),
        ("fish", "push=facing\t"),
        ("powershell", "push=facing\t"),
        ("zsh", "push=facing:"),
    ] {
        let words = ["--", "skirmish", "play", "base-battle", "--rule", "push="];
        let mut command = home.command(&words);
        command.env("SKIRMISH_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "4");
        crate::support::run(command, "").exits(0).says(&[candidate]);
    }
}

/// Completion must ignore other arguments and files.
#[test]
fn nothing_is_completed_unless_a_script_asks() {
    let home = Home::new();
    let mut command = home.command(&["games"]);
    command.env("COMPLETE", "bash").env("SKIRMISH_COMPLETE", "tcsh");
    let ran = crate::support::run(command, "").exits(2);
    assert_eq!(ran.out, "");
    let mut command = home.command(&["games"]);
    command.env("COMPLETE", "bash");
    crate::support::run(command, "").exits(0).says(&["base-battle"]);
}
