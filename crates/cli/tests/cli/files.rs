//! Files of every kind: links, modes, pipes, devices and standard output, all created for the test.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use skirmish_system::files::nonblocking;

use crate::support::{Home, is_there, output, read, send, skipped};

const LINE: [&str; 2] = ["play", "capture-the-line"];

const RECORD: &str = "[Game \"base-battle\"]\n\n3 2\n";

fn pipe(path: &Path) {
    let made = output(Command::new("mkfifo").arg(path)).expect("there is a mkfifo");
    assert!(made.status.success(), "{} cannot be made", path.display());
}

/// A copy of `/dev/null`, if we are allowed to create one; otherwise reports that nothing was tested.
fn null(home: &Home, name: &str) -> Option<std::path::PathBuf> {
    let path = home.file(name);
    let made = output(Command::new("mknod").arg(&path).args(["c", "1", "3"]));
    let is_made = made.is_ok_and(|made| made.status.success());
    if is_made && File::options().append(true).open(&path).is_ok() {
        return Some(path);
    }
    skipped("no device can be made here");
    None
}

#[test]
fn what_cannot_be_written_is_refused_and_the_game_goes_on() {
    let home = Home::new();
    pipe(&home.file("pipe"));
    fs::create_dir(home.file("folder")).expect("the home can be written");
    symlink("loop", home.file("loop")).expect("the home can be written");
    let input = "2\nsave pipe\nsave folder\nsave loop\nsave no/such\n1\nquit\n";
    home.run(&LINE, input).exits(0).says(&[
        "save pipe\nNot saved: cannot save in ",
        "no process reads from this pipe.",
        "save folder\nNot saved: cannot save in ",
        "is a directory.",
        "save loop\nNot saved: cannot save in ",
        "save no/such\nNot saved: cannot save in ",
        "Player 2 moves to Point 10.",
    ]);
    for arguments in [
        &["play", "capture-the-line", "--record", "pipe"][..],
        &["solve", "capture-the-line", "--table", "pipe"],
        &["map", "capture-the-line", "--svg", "folder"],
    ] {
        let ran = home.run(arguments, "2\n").exits(1);
        assert!(ran.err.starts_with("error: cannot "), "{}", ran.err);
    }
}

/// A non-blocking reader of a pipe, open before the writers.
fn reader(path: &Path) -> File {
    nonblocking(File::options().read(true).write(true)).open(path).expect("the pipe is there")
}

#[test]
fn a_pipe_gets_a_record_once_when_the_game_ends_or_is_left() {
    for (input, end) in [("2\n1\nquit\n", "1. 2\n2. 1\n"), ("2\nresign\n", "resigned\"]\n\n1. 2\n")]
    {
        let home = Home::new();
        pipe(&home.file("pipe"));
        let mut reader = reader(&home.file("pipe"));
        home.run(&["play", "capture-the-line", "--record", "pipe", "--no-save"], input).exits(0);
        let mut bytes = Vec::new();
        // The pipe is still open, but it is empty.
        let ended = reader.read_to_end(&mut bytes).map_err(|error| error.kind());
        assert_eq!(ended, Err(std::io::ErrorKind::WouldBlock));
        let read = String::from_utf8(bytes).expect("a record is text");
        assert!(read.ends_with(end) && read.matches("[Game ").count() == 1, "{read}");
    }
}

#[test]
fn a_stream_that_fails_when_the_game_is_left_is_told() {
    let home = Home::new();
    let full = home.file("full");
    let made = output(Command::new("mknod").arg(&full).args(["c", "1", "7"]));
    if !made.is_ok_and(|made| made.status.success())
        || File::options().append(true).open(&full).is_err()
    {
        skipped("no device can be made here");
        return;
    }
    let arguments = ["play", "capture-the-line", "--record", "full"];
    for (input, code) in [("2\nquit\n", 0), ("2\n", 3), ("2\nresign\n", 0)] {
        let ran = home.run(&arguments, input).exits(code);
        let told = ran.err.matches("warning: the record could not be written: ").count();
        assert_eq!(told, 1, "{input:?}: {}", ran.err);
    }
}

/// Replacing somebody else's file would change its owner, so it is written in place.
#[test]
fn somebody_elses_file_stays_theirs() {
    const NOBODY: &str = "65534";
    let home = Home::new();
    let everybody = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    let file = home.write("x.skr", RECORD);
    everybody(&file, 0o666).expect("it is ours");
    everybody(home.path(), 0o777).expect("it is ours");
    let program = home.file("skirmish");
    fs::copy(crate::support::SKIRMISH, &program).expect("it can be copied");
    let identity = |path: &Path| fs::metadata(path).map(|it| (it.ino(), it.uid(), it.mode())).ok();
    let before = identity(&file);
    let program = program.display().to_string();
    let arguments = [
        &["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", &program][..],
        &["play", "--resume", "x.skr"],
    ];
    let is_root = fs::metadata(home.path()).is_ok_and(|it| it.uid() == 0);
    if !is_root || !is_there("setpriv") {
        skipped("only root can become somebody else, and with setpriv");
        return;
    }
    let ran = crate::support::run(home.command_of("setpriv", &arguments.concat()), "1\n").exits(3);
    assert!(ran.err.contains("The game is saved."), "{}", ran.err);
    assert_eq!(identity(&file), before, "the same file, with its owner and its mode");
    assert!(read(&file).ends_with("1. 3\n2. 2\n3. 1\n"), "{}", read(&file));
}

#[test]
fn a_dash_is_standard_output() {
    let home = Home::new();
    home.write("x.skr", RECORD);
    let table = home.run(&["solve", "capture-the-line", "--table", "-"], "").exits(0);
    assert!(table.out.starts_with("position,value,plies,best,winning\n1/11/1,"), "{}", table.out);
    assert!(table.err.starts_with("Capture the Line, solved in "), "{}", table.err);
    let map = home.run(&["map", "capture-the-line", "--svg", "-"], "").exits(0);
    assert!(map.out.starts_with("<svg ") && map.err.is_empty(), "{}", map.err);
    let marked = home.run(&["review", "x.skr", "--annotate", "-"], "").exits(0);
    assert!(marked.out.starts_with("[Game \"base-battle\"]\n"), "{}", marked.out);
    assert!(marked.err.contains("Accuracy of Player 1"), "{}", marked.err);
    let played = home.run(&["play", "capture-the-line", "--record", "-"], "2\nsave -\nresign\n");
    played.exits(0).says(&[
        "save -\n[Game \"capture-the-line\"]\n",
        "[Termination \"unfinished\"]\n\n1. 2\nChoose",
        "wins the game!\n[Game \"capture-the-line\"]\n",
        "[Termination \"resigned\"]\n\n1. 2\n",
    ]);
    assert!(!home.file("-").exists());
}

#[test]
fn standard_output_is_not_shared_with_json() {
    let home = Home::new();
    home.write("x.skr", RECORD);
    for arguments in [
        &["solve", "capture-the-line", "--json", "--table", "-"][..],
        &["map", "capture-the-line", "--json", "--svg", "/dev/stdout"],
        &["review", "x.skr", "--json", "--annotate", "-"],
        &["play", "capture-the-line", "--json", "--record", "-"],
    ] {
        let ran = home.run(arguments, "").exits(2);
        assert!(ran.out.is_empty(), "{}", ran.out);
        assert!(ran.err.contains("cannot both write to standard output"), "{}", ran.err);
    }
    let saved = home.run(&["play", "capture-the-line", "--json"], "2\nsave -\nquit\n").exits(0);
    saved.says(&["{\"event\":\"note\",\"text\":\"[Game \\\"capture-the-line\\\"]\\n"]);
}

/// Opening a named pipe waits for a writer, which may never come.
#[test]
fn a_named_pipe_is_refused_wherever_a_file_is_read() {
    let home = Home::new();
    pipe(&home.file("pipe"));
    for arguments in [
        &["replay", "pipe"][..],
        &["review", "pipe"],
        &["play", "--resume", "pipe"],
        &["admin", "restore", "pipe", "--data", "data"],
        &["admin", "import", "pipe", "--data", "data"],
        &["serve", "--listen", "127.0.0.1:0", "--tls-cert", "pipe", "--tls-key", "pipe"],
    ] {
        let ran = home.run(arguments, "").exits(1);
        assert!(ran.err.contains("it is not a regular file"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_record_is_read_from_standard_input() {
    let talk = Home::new().run(&["replay", "/dev/stdin"], RECORD).exits(0);
    talk.says(&["Turn 1: 3\n", "Turn 2: 2\n"]);
}

/// With `results.csv` locked by another program, SIGINT, SIGTERM and SIGHUP were once ignored for ever.
#[test]
fn a_locked_results_file_is_not_waited_for_in_deafness() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let home = Home::new();
        home.run(&LINE, "2\nresign\n").exits(0);
        let results = File::open(home.file("data/skirmish/results.csv")).expect("a game ended");
        results.lock().expect("nobody has locked it");
        let mut talk = home.talk(&["play", "capture-the-line", "--match", "3"]);
        talk.say("resign\n");
        talk.hear("resigns.");
        send(signal, talk.process());
        talk.wait().exits(code);
    }
}

#[test]
fn a_game_that_cannot_be_counted_is_told_and_harms_nothing() {
    let home = Home::new();
    home.run(&LINE, "2\nresign\n").exits(0);
    let path = home.file("data/skirmish/results.csv");
    let mut results = File::open(&path).expect("a game ended");
    results.lock().expect("nobody has locked it");
    let ran = home.run(&LINE, "2\nresign\n").exits(0);
    let warning = "another program holds the lock; the game is missing from the statistics.";
    assert!(ran.err.contains(warning), "{}", ran.err);
    let mut text = String::new();
    results.read_to_string(&mut text).expect("it is open");
    assert_eq!(text.lines().count(), 2, "{text}");
    drop(results);
    home.run(&LINE, "2\nresign\n").exits(0);
    assert_eq!(read(&path).lines().count(), 3);
}

#[test]
fn results_may_go_nowhere() {
    let home = Home::new();
    let Some(null) = null(&home, "null") else { return };
    fs::create_dir_all(home.file("data/skirmish")).expect("the home can be written");
    symlink(null, home.file("data/skirmish/results.csv")).expect("the home can be written");
    let ran = home.run(&LINE, "2\nresign\n").exits(0);
    assert!(!ran.err.contains("warning"), "{}", ran.err);
}
