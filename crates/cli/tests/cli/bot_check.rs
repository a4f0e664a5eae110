//! `skirmish bot check`: the templates pass, and what is wrong with a bot is told.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Home, Ran, skirmish};

/// A file in the folder of templates.
fn template(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots").join(name)
}

/// Whether an interpreter is there; if not, somebody should know what was not tested.
fn is_installed(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    let is_installed = run.is_ok_and(|status| status.success());
    if !is_installed {
        eprintln!("{program} is not installed, so its bot was not tested");
    }
    is_installed
}

/// Compiles a template into a home.
fn compiled(home: &Home, compiler: &str, name: &str) -> String {
    let bot = home.file("bot");
    let done = Command::new(compiler).arg("-o").arg(&bot).arg(template(name)).status();
    assert!(done.expect("there is a compiler").success(), "{name} compiles");
    bot.display().to_string()
}

#[track_caller]
fn passes(arguments: &[&str]) -> Ran {
    let arguments = [&["bot", "check", "--time", "5s"], arguments].concat();
    skirmish(&arguments, "").exits(0).says(&["\nAll 8 steps pass.\n"])
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
    passes(&[&bot, "--game", "capture-and-conquer"]).says(&[name, "pass   capture-and-conquer"]);
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

/// It says the same to everything.
const STUBBORN: &str = "json:sh -c 'while read -r line; do echo 3; done'";

#[test]
fn what_is_wrong_is_told_with_the_question() {
    let ran = skirmish(&["bot", "check", STUBBORN, "--game", "capture-and"], "").exits(1);
    ran.says(&[
        "3. Move in time     FAIL   in 0/10/1 of capture-and-conquer as Player 1 it said \"3\"; \
         expected 1 or 2\n     > {\"game\":\"capture-and-conquer\"",
        "\n     < 3\n",
        "4. Only when asked  pass",
        "\n4 of 8 steps fail.\n",
    ]);
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
