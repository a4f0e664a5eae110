//! The processes that end with a bot, and those that must not.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bots::{eventually, nobody_sleeps, processes};
use crate::support::{Home, SKIRMISH, is_there, read, run, send};
use crate::terminal::Terminal;

/// The script of a bot that always plays 1.
const ONE: &str = "while read -r line; do echo 1; done\n";

/// A shell that runs this script in a home.
fn bash(home: &Home, script: &str) -> Command {
    let mut command = home.command_of("bash", &["-c", script]);
    command.env("SKIRMISH", SKIRMISH);
    command
}

/// The process whose PID is in a file.
fn process_in(path: &Path) -> u32 {
    read(path).trim().parse().expect("it is the number of a process")
}

fn is_running(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// A shell execs its last command, so its other children become ours. They were once taken for a bot's.
#[test]
fn the_children_of_the_shell_that_became_us_are_left_alone() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let home = Home::new();
    home.write("bot.sh", ONE);
    let script = "sleep 86401 </dev/null >/dev/null 2>&1 & echo $! >pid
        \"$SKIRMISH\" tournament capture-the-line 'json: sh bot.sh' novice --games 2 --csv";
    run(bash(&home, script), "").exits(0);
    let sleep = process_in(&home.file("pid"));
    assert!(is_running(sleep), "the shell's own child has been ended");
    send("KILL", sleep);
}

#[test]
fn a_program_that_writes_our_output_down_gets_all_of_it() {
    let home = Home::new();
    home.write("bot.sh", ONE);
    let script = "exec > >(tee l.log; echo all of it >done) 2>&1
        \"$SKIRMISH\" bot check 'json: sh bot.sh' --game capture-the-line";
    let ran = run(bash(&home, script), "").exits(0);
    eventually("it ends by itself", || home.file("done").exists());
    let log = read(&home.file("l.log"));
    assert!(log.ends_with("All 8 steps pass.\n"), "{log}");
    assert_eq!(ran.out, log);
}

#[test]
fn the_end_of_a_bot_leaves_the_helpers_of_others_alone() {
    let home = Home::new();
    // A bot that plays an illegal move once its helper is gone.
    let helped = "( sleep 86402 </dev/null >/dev/null 2>&1 & echo $! >helper.$$ )
        read -r helper <helper.$$
        while read -r line; do kill -0 $helper && echo 1 || echo 9; done\n";
    home.write("helped.sh", helped);
    home.write("crash.sh", "read -r line; exit 3\n");
    let bots = ["json: sh helped.sh", "json: sh crash.sh"];
    // Without random turns, both bots are asked in every game.
    let arguments = [
        "tournament",
        "capture-the-line",
        bots[0],
        bots[1],
        "--games",
        "6",
        "--opening",
        "0",
        "--time",
        "60s",
        "-j",
        "1",
        "--csv",
    ];
    let ran = home.run(&arguments, "").exits(0);
    assert!(ran.out.contains("1,helped.sh,json: sh helped.sh,6,6,0,0,"), "{}", ran.out);
    nobody_sleeps("86402");
}

/// A bot's processes have their own session, so none can join our process group.
#[test]
fn a_bot_that_tries_to_join_our_process_group_ends_at_its_forfeit() {
    let home = Home::new();
    let joins = "import os, sys, time
sys.stdin.readline()
group = os.getpgid(os.getppid())
if os.fork() == 0:
    try:
        os.setpgid(0, group)
        open('joined', 'w')
    except PermissionError:
        open('refused', 'w')
    os.execvp('sleep', ['sleep', '86403'])
while not (os.path.exists('joined') or os.path.exists('refused')):
    time.sleep(0.01)
print(9, flush=True)
time.sleep(86403)
";
    home.write("join.py", joins);
    if !is_there("python3") {
        return;
    }
    let bot = "json: python3 join.py";
    home.run(&["play", "capture-the-line", "--p2", bot], "2\n").exits(0).says(&["played \"9\""]);
    assert!(home.file("refused").exists(), "it is in a session of its own");
    nobody_sleeps("86403");
}

#[test]
fn what_a_killed_tournament_left_behind_is_swept_when_it_is_resumed() {
    if !Path::new("/proc/self/environ").exists() {
        return;
    }
    let home = Home::new();
    // The bot itself, a child in another session, and one in its session without its environment.
    let leaves = "setsid sleep 86404 & (env -i sleep 86405 &)\necho >started\nsleep 86406\n";
    home.write("bot.sh", leaves);
    let bot = "json: sh bot.sh";
    let talk = home.talk(&[
        "tournament",
        "capture-the-line",
        bot,
        "novice",
        "--games",
        "2",
        "--folder",
        "t",
    ]);
    let all = ["86404", "86405", "86406"];
    let sleeping = |seconds: &&str| processes(&format!("sleep\0{seconds}")) > 0;
    eventually("the bot starts", || all.iter().all(sleeping));
    send("KILL", talk.process());
    talk.wait();
    assert!(all.iter().all(sleeping), "nobody was there to end them");
    home.write("bot.sh", ONE);
    let ran = home.run(&["tournament", "--resume", "t", "--csv"], "").exits(0);
    let told = "processes left over from the last run.";
    assert!(ran.err.contains(told), "{}", ran.err);
    for seconds in all {
        nobody_sleeps(seconds);
    }
    // The second time, there is nothing to report.
    let ran = home.run(&["tournament", "--resume", "t", "--csv"], "").exits(0);
    assert_eq!(ran.err, "");
}

/// A process that left its session, its parent and its environment cannot be recognised as a bot's.
#[test]
fn what_cannot_be_told_from_a_stranger_is_left_alone() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let home = Home::new();
    let hidden =
        "(env -i setsid sh -c 'echo $$ >pid; exec sleep 86407' </dev/null >/dev/null 2>&1 &)
        while ! test -s pid; do sleep 0.01; done\n";
    home.write("bot.sh", format!("{hidden}{ONE}"));
    let bot = "json: sh bot.sh";
    home.run(&["play", "capture-the-line", "--p1", bot, "--p2", "novice"], "").exits(0);
    let sleep = process_in(&home.file("pid"));
    assert!(is_running(sleep), "only a sandbox ends it");
    send("KILL", sleep);
}

#[test]
fn a_bot_inherits_no_descriptors_and_no_terminal() {
    let home = Home::new();
    home.write("secret", "what nobody must know\n");
    let bot =
        "( cat <&7 ) >read 2>/dev/null; ( echo INTRUDER >/dev/tty ) 2>/dev/null && echo >opened
        echo >tried\n";
    home.write("bot.sh", format!("{bot}{ONE}"));
    let script = "exec 7<secret
        \"$SKIRMISH\" play capture-the-line --p1 'json: sh bot.sh' --p2 novice --no-save";
    run(bash(&home, script), "").exits(0);
    assert_eq!(read(&home.file("read")), "");
    fs::remove_file(home.file("tried")).expect("it has tried");
    let terminal = Terminal::open(&home, &["play", "capture-the-line", "--p2", "json: sh bot.sh"]);
    terminal.wait("the game", |screen| screen.contains("Welcome"));
    let mut terminal = terminal;
    terminal.press("2\r");
    eventually("it tries", || home.file("tried").exists());
    terminal.wait("its answer", |screen| screen.contains("moves to Point 10"));
    assert!(!terminal.screen().contains("INTRUDER"));
    assert!(!home.file("opened").exists(), "a bot has no terminal");
}
