//! `skirmish bot check`: the templates pass, and faults are reported.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::bots::eventually;
use crate::support::{Home, Ran, SKIRMISH, is_working, output, read, run, send, skipped, skirmish};

/// A file in the folder of bot templates.
fn template(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots").join(name)
}

/// Whether an interpreter is installed; reports if it is not.
fn is_installed(program: &str) -> bool {
    let is_installed = is_working(program);
    if !is_installed {
        skipped(&format!("{program} is not installed, so its bot is not tested"));
    }
    is_installed
}

/// Compiles a template; returns the program's path.
fn compiled(home: &Home, compiler: &str, name: &str) -> String {
    let bot = home.file("bot");
    let done = output(Command::new(compiler).arg("-o").arg(&bot).arg(template(name)));
    let done = done.expect("there is a compiler");
    assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    bot.display().to_string()
}

#[track_caller]
fn passes(arguments: &[&str]) -> Ran {
    let arguments = [&["bot", "check", "--time", "5s"], arguments].concat();
    skirmish(&arguments, "").exits(0).says(&[" steps pass.\n"])
}

#[test]
fn the_template_in_python_passes() {
    if is_installed("python3") {
        let bot = format!("python3 '{}'", template("python/bot.py").display());
        passes(&[&bot]).says(&["1. Handshake        pass   speaks JSON lines\n"]);
    }
}

#[test]
fn the_template_in_python_that_speaks_ugi_passes_with_its_game() {
    if !is_installed("python3") {
        return;
    }
    let bot = format!("python3 '{}'", template("python/ugi_bot.py").display());
    let name = "speaks UGI, calls itself \"Capture and Conquer in Python\"";
    passes(&[&bot, "--game", "capture-and-conquer"]).says(&[
        name,
        "pass   capture-and-conquer",
        "8. Queries          pass   10 correct responses\n",
        "\nAll 9 steps pass.\n",
    ]);
    let ran = skirmish(&["bot", "check", &bot], "").exits(1);
    ran.says(&["FAIL   it does not say which games it plays; expected ", "with --game"]);
}

#[test]
fn the_template_in_javascript_passes() {
    if is_installed("node") {
        passes(&[&format!("node '{}'", template("javascript/bot.js").display())]);
    }
}

#[test]
fn the_template_in_c_passes() {
    let home = Home::new();
    passes(&[&compiled(&home, "cc", "c/bot.c")]);
}

#[test]
fn the_template_in_rust_passes() {
    let home = Home::new();
    passes(&[&compiled(&home, "rustc", "rust/bot.rs")]);
}

/// A bot that always gives the same answer.
const STUBBORN: &str = "json:sh -c 'while read -r line; do echo 3; done'";

/// A failing check once exited with 0 after a closed pipe.
#[test]
fn whoever_reads_only_the_first_line_still_gets_the_exit_code() {
    let home = Home::new();
    let command = format!(
        "'{SKIRMISH}' bot check \"$1\" --game capture-and 2>complaints | head -n 1; echo ${{PIPESTATUS[0]}}"
    );
    let ran = run(home.command_of("bash", &["-c", &command, "bash", STUBBORN]), "").exits(0);
    assert!(ran.out.starts_with("1. Handshake        pass"), "{}", ran.out);
    assert!(ran.out.ends_with("\n1\n"), "{}", ran.out);
    assert_eq!(read(&home.file("complaints")), "");
}

#[test]
fn a_signal_ends_a_check_without_a_verdict() {
    for json in [false, true] {
        let home = Home::new();
        let bot = "json:sh -c 'read -r line; echo 1; read -r line; echo >started; sleep 600'";
        let mut arguments = vec!["bot", "check", bot, "--game", "base-battle"];
        arguments.extend(json.then_some("--json"));
        let talk = home.talk(&arguments);
        eventually("the bot is asked", || home.file("started").exists());
        send("INT", talk.process());
        let ran = talk.wait().exits(130);
        assert!(!ran.out.contains("FAIL") && !ran.out.contains("fail"), "{}", ran.out);
        assert_eq!(ran.err, "");
    }
}

#[test]
fn a_bot_that_knows_one_game_is_told_how_to_check_it() {
    let bot = "json:sh -c 'while read -r line; do case $line in *capture-the-line*) echo 1;; \
               *) exit 1;; esac; done'";
    let ran = skirmish(&["bot", "check", bot], "").exits(1);
    ran.says(&[
        "1. Handshake        FAIL   it ended with exit code 1;",
        "\n1 of 8 steps fails.\nIt makes a legal first move only in capture-the-line. \
         If it plays no other game, add --game capture-the-line\n",
    ]);
    let ran = skirmish(&["bot", "check", bot, "--game", "base-battle"], "").exits(1);
    assert!(ran.out.ends_with(" steps fails.\n"), "{}", ran.out);
}

/// A bot's output must not repaint the terminal or reorder its text.
#[test]
fn what_a_bot_says_cannot_upset_the_terminal() {
    let bot = "json:sh -c 'while read -r line; do printf \"\\033[2J\\342\\200\\256oops\\n\" >&2; \
               printf \"\\342\\200\\256\\033[2J1\\n\"; done'";
    for arguments in [&["bot", "check", bot][..], &["bot", "check", bot, "--json"]] {
        let ran = skirmish(arguments, "").exits(1);
        assert!(ran.out.contains("oops"), "{}", ran.out);
        let is_harmful = |letter: char| letter == '\u{1b}' || letter == '\u{202e}';
        assert!(!ran.out.contains(is_harmful) && !ran.err.contains(is_harmful), "{:?}", ran.out);
    }
}

#[test]
fn a_check_as_json_is_one_object() {
    let arguments = ["bot", "check", STUBBORN, "--json", "--game", "capture-and-conquer"];
    let ran = skirmish(&arguments, "").exits(1);
    let report: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(report["command"], STUBBORN);
    assert_eq!(report["dialect"], "json");
    assert_eq!(report["name"], Value::Null);
    assert_eq!(report["passed"], false);
    let step = &report["steps"][2];
    assert_eq!((&step["number"], &step["result"]), (&3.into(), &"fail".into()));
    assert_eq!((&step["said"], &step["expected"]), (&"3".into(), &"1 or 2".into()));
}

#[test]
fn a_command_that_cannot_be_is_a_usage_error() {
    for (arguments, why) in [
        (&["no-such-program"][..], "error: there is no program \"no-such-program\""),
        (&["sh -c '"], "error: a quotation mark is not closed"),
        (&["sh", "--game", "chess"], "error: there is no game \"chess\""),
        (&["sh", "--time", "soon"], "error: invalid value 'soon'"),
    ] {
        let ran = skirmish(&[&["bot", "check"], arguments].concat(), "").exits(2);
        assert!(ran.err.starts_with(why), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
}
