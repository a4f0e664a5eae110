//! Tournaments: arguments, output, files and resuming.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::support::{Home, PATIENCE, SKIRMISH, Talk, read, send, skirmish, spawn, undated};
#[cfg(unix)]
use crate::terminal::Terminal;

/// A shell script for a bot that plays its first legal move.
const FIRST: &str = r#"while read -r line; do
    player=${line##*\"player\":}
    legal=${line#*\"legal\":*\"${player%\}}\":[\"}
    echo "${legal%%\"*}"
done
"#;

/// The records of a tournament by name, without their dates. Partially written files are left out.
fn records(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder.join("games")).expect("there are games");
    let mut paths: Vec<_> = files.map(|file| file.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "skr"));
    paths.sort();
    paths.iter().map(|path| undated(&read(path))).collect()
}

#[test]
fn levels_are_ranked_with_a_cross_table() {
    let ran = skirmish(
        &[
            "tournament",
            "base-battle",
            "novice",
            "perfect",
            "--games",
            "40",
            "--seed",
            "1",
            "--folder",
            "t",
        ],
        "",
    )
    .exits(0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "Base Battle, round-robin: 2 entrants, 40 games, seed 1");
    assert!(lines[2].trim_start().starts_with("player"), "{}", ran.out);
    assert!(lines[3].starts_with("1.  perfect"), "{}", ran.out);
    assert!(lines[4].starts_with("2.  novice"), "{}", ran.out);
    assert!(ran.out.contains("Points of each row against each column:"), "{}", ran.out);
    assert!(ran.err.contains("Records: "), "{}", ran.err);
}

#[test]
fn the_same_seed_is_the_same_tournament_in_every_form() {
    let home = Home::new();
    let run = |folder: &str, jobs: &str, form: &str| {
        let arguments = [
            "tournament",
            "command-clash",
            "expert",
            "casual",
            "novice",
            "--format",
            "swiss",
            "--games",
            "3",
            "--seed",
            "9",
            "-j",
            jobs,
            "--folder",
            folder,
            form,
        ];
        home.run(&arguments, "").exits(0)
    };
    let (one, two) = (run("a", "1", "--csv"), run("b", "3", "--csv"));
    assert_eq!(one.out, two.out);
    assert!(one.err.contains("Games are played in pairs: 4 in each encounter."), "{}", one.err);
    let head = "place,player,program,games,won,drawn,lost,points,score,low,high,elo,error,faults";
    assert_eq!(one.out.lines().next(), Some(head));
    assert_eq!(one.out.lines().count(), 4);
    assert!(records(&home.file("a")) == records(&home.file("b")), "the games are the same");
    let json = run("c", "2", "--json").out;
    for field in [
        "\"game\":\"command-clash\"",
        "\"format\":\"swiss\"",
        "\"seed\":9",
        "\"standings\":[{\"place\":1,",
        "\"interval\":[",
        "\"encounters\":[{\"round\":1,\"players\":[",
        "\"sprt\":null",
        "\"folder\":",
    ] {
        assert!(json.contains(field), "{field} in {json}");
    }
}

#[test]
fn records_of_all_games_can_be_replayed_and_reviewed() {
    let home = Home::new();
    let arguments =
        ["tournament", "capture-the-line", "novice", "casual", "--games", "2", "--folder", "t"];
    home.run(&arguments, "").exits(0);
    for game in ["1", "2"] {
        let file = format!("t/games/01-01-0000{game}.skr");
        home.run(&["replay", &file], "").exits(0);
        home.run(&["review", &file], "").exits(0);
    }
}

#[test]
fn invalid_arguments_are_refused_with_the_valid_ones() {
    for (arguments, told) in [
        (&["tournament"][..], "required"),
        (&["tournament", "base-battle"], "required"),
        (
            &["tournament", "base-battle", "perfect"],
            "a tournament needs at least 2 entrants, not 1",
        ),
        (&["tournament", "base-battle", "perfect", "expret"], "\"expret\" is not a player"),
        (&["tournament", "base-battle", "perfect", "./no-bot"], "there is no program \"./no-bot\""),
        (&["tournament", "chess", "perfect", "novice"], "there is no game \"chess\""),
        (
            &["tournament", "base-battle", "perfect", "novice", "--format", "ladder"],
            "round-robin, gauntlet, knockout, swiss",
        ),
        (
            &[
                "tournament",
                "base-battle",
                "perfect",
                "novice",
                "--format",
                "gauntlet",
                "--rounds",
                "2",
            ],
            "omit the number of rounds",
        ),
        (
            &["tournament", "base-battle", "perfect", "novice", "casual", "--sprt", "0,10"],
            "name just two",
        ),
        (
            &["tournament", "base-battle", "perfect", "novice", "--sprt", "10,0"],
            "larger than the first",
        ),
        (
            &["tournament", "base-battle", "perfect", "novice", "--sprt", "10"],
            "expected two Elo differences",
        ),
        (&["tournament", "base-battle", "perfect", "novice", "--time", "soon"], "500ms, 2s or 1m"),
        (&["tournament", "base-battle", "perfect", "novice", "--games", "0"], "from 1 to 1000000"),
        (&["tournament", "base-battle", "perfect", "novice", "-j", "0"], "from 1 to 256"),
        (&["tournament", "base-battle", "perfect", "novice", "--rule", "steps=99"], "steps"),
        (&["tournament", "base-battle", "perfect", "novice", "--resume"], "cannot be used with"),
    ] {
        let ran = skirmish(arguments, "").exits(2);
        assert!(ran.err.contains(told), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{arguments:?}");
    }
    let ran = skirmish(&["tournament", "--resume", "nowhere"], "").exits(1);
    assert!(ran.err.contains("there is no tournament in "), "{}", ran.err);
    let ran = skirmish(&["tournament", "--resume"], "").exits(1);
    assert!(ran.err.contains("there is no tournament in "), "{}", ran.err);
}

#[test]
fn a_test_says_in_words_what_it_has_found() {
    let ran = skirmish(
        &[
            "tournament",
            "base-battle",
            "new=perfect",
            "old=novice",
            "--games",
            "2000",
            "--sprt",
            "0,50",
            "--seed",
            "1",
        ],
        "",
    )
    .exits(0);
    let said = ran.out.lines().last().expect("there is a verdict");
    assert!(
        said.starts_with("new is at least 50 Elo stronger than old. (Decided after "),
        "{said}"
    );
}

#[test]
fn a_tournament_that_is_killed_goes_on_and_ends_as_if_nothing_had_happened() {
    let home = Home::new();
    let arguments = |folder: &'static str| {
        [
            "tournament",
            "base-battle",
            "novice",
            "casual",
            "skilled",
            "--games",
            "600",
            "--seed",
            "4",
            "-j",
            "2",
            "--folder",
            folder,
            "--csv",
        ]
    };
    let whole = home.run(&arguments("whole"), "").exits(0);
    let mut killed = spawn(&mut home.command(&arguments("killed"))).expect("it starts");
    let games = home.file("killed/games");
    let begun = Instant::now();
    while fs::read_dir(&games).map_or(0, Iterator::count) < 100 {
        assert!(begun.elapsed() < PATIENCE, "games are written while others are played");
        thread::sleep(Duration::from_millis(1));
    }
    killed.kill().expect("it runs");
    killed.wait().expect("it has ended");
    let resumed = home.run(&["tournament", "--resume", "killed", "--csv"], "").exits(0);
    assert_eq!(resumed.out, whole.out);
    let same = records(&home.file("killed")) == records(&home.file("whole"));
    assert!(same, "every game is as it would have been");
}

#[test]
#[cfg(unix)]
fn control_c_tells_how_to_go_on_and_ends_the_bots() {
    let home = Home::new();
    home.write("hang.sh", "echo $$ > pid\nwhile :; do sleep 60; done\n");
    let talk =
        home.talk(&["tournament", "base-battle", "json: sh hang.sh", "novice", "--folder", "t"]);
    let begun = Instant::now();
    let pid = loop {
        let pid = fs::read_to_string(home.file("pid")).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid.trim().to_owned();
        }
        assert!(begun.elapsed() < PATIENCE, "the bot is started");
        thread::sleep(Duration::from_millis(1));
    };
    send("INT", talk.process());
    let ran = talk.end().exits(130);
    assert!(ran.err.contains("To go on: skirmish tournament --resume "), "{}", ran.err);
    assert!(records(&home.file("t")).is_empty(), "the game in progress is not the bot's fault");
    let state = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    while !state().is_empty() && !state().contains(") Z ") && Path::new("/proc/self/stat").exists()
    {
        assert!(begun.elapsed() < PATIENCE, "the bot has been ended");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_engine_plays_in_a_tournament_like_any_bot() {
    let home = Home::new();
    let engine = format!("engine={SKIRMISH} engine");
    for game in ["command-clash", "command-line-conquer"] {
        let ran = home.run(
            &["tournament", game, &engine, "novice", "--games", "4", "--time", "60s", "--csv"],
            "",
        );
        let ran = ran.exits(0);
        let line = ran.out.lines().find(|line| line.contains(",engine,")).expect("it took part");
        assert!(line.starts_with("1,") && line.ends_with(",0"), "{}", ran.out);
    }
}

#[test]
fn the_last_tournament_is_found_by_itself() {
    let home = Home::new();
    let first =
        home.run(&["tournament", "base-battle", "novice", "casual", "--games", "2", "--csv"], "");
    let again = home.run(&["tournament", "--resume", "--csv"], "").exits(0);
    assert_eq!(first.exits(0).out, again.out);
}

#[test]
#[cfg(unix)]
fn the_table_is_shown_while_it_is_played_on_a_terminal_only() {
    let home = Home::new();
    let levels = ["tournament", "base-battle", "novice", "casual", "--csv"];
    let ran = Talk::begin(home.command(&levels)).end().exits(0);
    assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
    // A bot of the second encounter never answers, which leaves time for the check.
    home.write("once.sh", "read -r line; echo 9\n");
    home.write("never.sh", "while :; do sleep 60; done\n");
    let bots = ["json: sh once.sh", "json: sh never.sh"];
    let arguments = [
        "tournament",
        "base-battle",
        "novice",
        bots[0],
        bots[1],
        "--format",
        "gauntlet",
        "--games",
        "2",
        "--time",
        "60s",
    ];
    let terminal = Terminal::open(&home, &arguments);
    terminal.wait("the table and the bar", |screen| {
        screen.contains("player") && screen.contains("faults") && screen.contains(" of 4 games")
    });
    send("INT", terminal.process());
    assert!(terminal.ends(130).contains("skirmish tournament --resume "));
}

#[test]
#[cfg(unix)]
fn whatever_bots_leave_behind_ends_with_the_tournament() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let home = Home::new();
    // A process that leaves its session and its parent. Nothing else sleeps for that long.
    let hidden = "(setsid sleep 86499 < /dev/null > /dev/null 2>&1 &)\n";
    home.write("leave.sh", format!("{hidden}{FIRST}"));
    let bots = ["json: sh leave.sh", "json: sh leave.sh"];
    let arguments =
        ["tournament", "base-battle", bots[0], bots[1], "--games", "2", "--time", "60s", "--csv"];
    let ran = home.run(&arguments, "").exits(0);
    assert!(ran.out.lines().skip(1).all(|line| line.ends_with(",0")), "{}", ran.out);
    let is_left = || {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let mut lines = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
        lines.any(|line| line.starts_with(b"sleep\x0086499"))
    };
    // The processes may take a moment to disappear.
    let begun = Instant::now();
    while is_left() {
        assert!(begun.elapsed() < PATIENCE, "it is still there");
        thread::sleep(Duration::from_millis(1));
    }
}
