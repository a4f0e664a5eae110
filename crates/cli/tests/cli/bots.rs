//! Games against bots, here shell scripts.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

use crate::support::{Home, PATIENCE, Ran, SKIRMISH, environment, read, run, send, skirmish};

/// A bot that always plays 1, which is always legal in Capture the Line.
pub(crate) const ONE: &str = "json: sh -c 'while read -r line; do echo 1; done'";

/// The arguments for Capture the Line with a bot as Player 2.
fn against(bot: &str) -> [&str; 4] {
    ["play", "capture-the-line", "--p2", bot]
}

fn events(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

/// The number of processes whose command line contains a text.
pub(crate) fn processes(text: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until no `sleep` of this many seconds runs.
#[track_caller]
pub(crate) fn nobody_sleeps(seconds: &str) {
    eventually("nothing is left of the bot", || processes(&format!("sleep\0{seconds}")) == 0);
}

/// A bot that creates a file when it starts, then sleeps for this many seconds.
pub(crate) fn sleeper(protocol: &str, seconds: &str) -> String {
    format!("{protocol}sh -c 'echo >started; sleep {seconds}; echo 1'")
}

#[test]
fn a_game_against_a_bot_reads_like_any_other() {
    let home = Home::new();
    let ran = home.run(&against(ONE), "draw\n2\nundo\nhistory\n2\n2\n1\n").exits(0);
    ran.says(&[
        "Welcome to Capture the Line!\n",
        "Player 2 (sh) declines.\n",
        "It's Player 2's turn.\n",
        "Player 2 (sh) moves to Point 10.\n",
        "Taken back.\n",
        "No turn has been played yet.\n",
        "Player 2 (sh) moves to Point 9.\n",
        "Player 1 wins the game!\n",
    ]);
    let save = home.save();
    assert!(save.contains(&format!("[Bot2 \"{ONE}\"]\n")), "{save}");
    assert!(!save.contains("[Seed ") && !save.contains("[Fault "), "{save}");
    let counted = read(&home.file("data/skirmish/results.csv"));
    assert!(counted.trim_end().ends_with(",capture-the-line,,,bot,,5,,,won"), "{counted}");
}

#[test]
fn programs_see_what_a_bot_does() {
    let arguments = [&against(ONE)[..], &["--json"]].concat();
    let events = events(&skirmish(&arguments, "2\n2\n1\n").exits(0).out);
    let choices: Vec<&Value> = events.iter().filter(|event| event["event"] == "choice").collect();
    assert_eq!(choices.len(), 2);
    assert_eq!((&choices[0]["player"], &choices[0]["move"]), (&2.into(), &"1".into()));
    let end = events.last().expect("the game ends");
    assert_eq!((&end["termination"], &end["fault"]), (&"rules".into(), &Value::Null));
}

#[test]
fn two_bots_play_each_other_and_never_for_ever() {
    let line = ["play", "capture-the-line", "--p1", ONE, "--p2", ONE];
    skirmish(&line, "").exits(0).says(&["Player 1 (sh) wins the game!\n"]);
    let charge = "json: sh -c 'while read -r line; do echo charge; done'";
    let clash = ["play", "command-clash", "--p1", charge, "--p2", charge, "--no-save", "--json"];
    let events = events(&skirmish(&clash, "").exits(0).out);
    let end = events.last().expect("the game ends");
    assert_eq!((&end["termination"], &end["turns"]), (&"turn limit".into(), &200.into()));
}

#[test]
fn a_match_starts_the_bot_anew_for_every_game_and_seats_it_anew() {
    let home = Home::new();
    let bot = "json: sh -c 'echo >>starts; while read -r line; do echo 1; done'";
    let arguments = [&against(bot)[..], &["--match", "3"]].concat();
    let ran = home.run(&arguments, "2\nresign\nresign\n").exits(0);
    ran.says(&[
        "Player B (sh) moves to Point 10.\n",
        "The players swap seats: Player B (sh) is P1 now, and Player A is P2.\n",
        "Player B (sh) moves to Point 2.\n",
        "Player B (sh) wins the match!\n",
    ]);
    assert_eq!(read(&home.file("starts")), "\n\n");
    assert!(read(&home.saves()[1]).contains("[Bot1 \""), "the tag follows the seat");
}

#[test]
fn a_bot_plays_where_the_game_is_too_large_to_be_solved() {
    let large = ["play", "command-line-conquer", "--rule", "positions=201", "--rule", "units=8"];
    let first = ["--first", "p1"];
    skirmish(&[&large[..], &first, &["--p2", "novice"]].concat(), "quit\n").exits(1);
    let bot = "json: sh -c 'while read -r line; do echo r; done'";
    let ran = skirmish(&[&large[..], &first, &["--p2", bot]].concat(), "r\nquit\n").exits(0);
    ran.says(&["Player 2 (sh) recruits"]);
}

#[test]
fn an_unknown_player_is_refused_with_the_valid_ones() {
    let all = "human, novice, casual, skilled, expert, perfect, or a bot's command";
    let ran = skirmish(&against("expret"), "").exits(2);
    ran.complains(&format!("error: invalid value 'expret' for '--p2': expected {all}"));
    for (command, why) in [
        ("./no-such-bot", "there is no program \"./no-such-bot\""),
        ("ugi:", "there is no command in \"ugi:\""),
        ("sh -c 'x", "a quotation mark is not closed in sh -c 'x"),
    ] {
        let told = format!("error: --p2: {why}");
        skirmish(&against(command), "").exits(2).complains(&told);
    }
}

/// The bot's input before its first answer in Command Clash, after the person made this choice.
fn heard_by(protocol: &str, choice: &str) -> String {
    let script = "while read -r line; do echo \"$line\" >>heard; case $line in ugi) echo ugiok;; \
                  isready) echo readyok;; go*) echo bestmove charge;; {*) echo charge; esac; done";
    let home = Home::new();
    let bot = format!("{protocol}: sh -c '{script}'");
    let ran = home.run(&["play", "command-clash", "--p2", &bot], format!("{choice}\n"));
    ran.exits(3).says(&["\nPlayer 1 ", "\nPlayer 2 (sh) "]);
    let heard = read(&home.file("heard"));
    // After the turn the choice is public; UGI would send it with the next position, but the game ends before.
    assert_eq!(heard.matches("position").count(), 1, "it was asked once: {heard}");
    heard
}

/// R-CL-6: people choose first, and the bot must not learn their choice.
#[test]
fn a_bot_hears_the_same_whatever_the_person_has_chosen() {
    for protocol in ["json", "ugi"] {
        let heard = heard_by(protocol, "charge");
        for choice in ["attack", "special", "shield"] {
            assert_eq!(heard_by(protocol, choice), heard);
        }
    }
}

/// Plays a turn against a bot and leaves the game. Returns the save's path and the run.
fn left(home: &Home, bot: &str) -> (String, Ran) {
    let ran = home.run(&against(bot), "2\n").exits(3);
    (home.saves()[0].display().to_string(), ran)
}

#[test]
fn the_command_that_is_told_brings_the_bot_back() {
    let home = Home::new();
    let (_, ran) = left(&home, ONE);
    let command = ran.err.split_once("skirmish ").expect("the command is told").1.trim();
    assert!(command.contains(" --p2 'json: sh -c "), "{command}");
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(format!("\"$0\" {command}")).arg(SKIRMISH);
    shell.env_clear().envs(environment(home.path())).current_dir(home.path());
    let ran = run(shell, "2\n1\n").exits(0);
    ran.says(&[
        "Going on with Capture the Line after turn 2.\n",
        "Player 2 (sh) moves to Point 9.\n",
        "wins the game!\n",
    ]);
}

#[test]
fn without_its_command_a_bot_does_not_come_back() {
    let home = Home::new();
    let (file, _) = left(&home, "sh -c 'while read -r line; do echo 1; done'");
    let quoted = r"'sh -c '\''while read -r line; do echo 1; done'\'''";
    let told = format!(
        "error: Player 2 is the bot \"sh -c 'while read -r line; do echo 1; do…\", and commands \
         found in a file are not run. To go on: skirmish play --resume {file} --p2 {quoted}"
    );
    home.run(&["play", "--resume", &file], "").exits(2).complains(&told);
    home.run(&["play", "--resume"], "").exits(2).complains(&told);
    for (arguments, why) in [
        (
            ["--p1", ONE],
            "--p1 cannot be used here: a resumed game keeps its players, and Player 1 is human; only a bot has \
             to be named again",
        ),
        (
            ["--p2", "skilled"],
            "--p2: expected a bot's command, because Player 2 is the bot \"sh -c 'while read -r line; do echo 1; do…\"",
        ),
    ] {
        let ran = home.run(&[&["play", "--resume", &file][..], &arguments].concat(), "");
        ran.exits(2).complains(&format!("error: {why}"));
    }
    // A different bot may take the seat.
    home.run(&["play", "--resume", &file, "--p2", ONE], "").exits(3);
    assert!(read(Path::new(&file)).contains(&format!("[Bot2 \"{ONE}\"]\n")));
}

/// A record from somebody else must not run commands.
#[test]
fn nothing_that_stands_in_a_record_is_ever_run() {
    let home = Home::new();
    let tags = "[Game \"capture-the-line\"]\n[Bot1 \"touch run\"]\n[Bot2 \"ugi:touch run\"]\n";
    home.write("unfinished.skr", format!("{tags}\n"));
    let ran = home.run(&["play", "--resume", "unfinished.skr"], "1\n").exits(2);
    ran.complains(
        "error: Player 1 is the bot \"touch run\" and Player 2 is the bot \"ugi:touch run\", and commands \
         found in a file are not run. To go on: skirmish play --resume unfinished.skr --p1 'touch run' \
         --p2 'ugi:touch run'",
    );
    let over =
        "[Match \"game 1 of 3, score 0-0\"]\n[Result \"1-0\"]\n[Termination \"resigned\"]\n\n";
    home.write("next.skr", format!("{tags}{over}"));
    home.run(&["play", "--resume", "next.skr"], "1\n").exits(2);
    let disguised = "[Game \"capture-the-line\"]\n[Bot2 \"touch \u{202e}nur\"]\n\n";
    home.write("disguised.skr", disguised);
    let ran = home.run(&["play", "--resume", "disguised.skr"], "1\n").exits(2);
    assert!(ran.err.ends_with("--resume disguised.skr --p2 COMMAND\n"), "{}", ran.err);
    for command in ["replay", "review"] {
        home.run(&[command, "unfinished.skr"], "");
    }
    assert!(!home.file("run").exists());
}

/// A signal during protocol detection once started the bot a second time.
#[test]
fn a_signal_ends_the_bot_too_and_the_game_is_saved() {
    for (protocol, signal, code, seconds) in
        [("json:", "INT", 130, "86461"), ("", "TERM", 143, "86462"), ("", "HUP", 129, "86463")]
    {
        let home = Home::new();
        let mut talk = home.talk(&against(&sleeper(protocol, seconds)));
        talk.say("2\n");
        eventually("the bot starts", || home.file("started").exists());
        send(signal, talk.process());
        let ran = talk.wait().exits(code);
        assert!(ran.err.contains("The game is saved. To go on: skirmish"), "{}", ran.err);
        nobody_sleeps(seconds);
        let save = home.save();
        assert!(save.contains("[Result \"*\"]") && save.ends_with("1. 2\n"), "{save}");
    }
}
