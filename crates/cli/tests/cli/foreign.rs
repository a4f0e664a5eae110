//! Untrusted files and folders: they overwrite nothing, and the user is asked before anything happens.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{Home, read};
use crate::terminal::Terminal;

/// A tournament that somebody else began, in the folder `t` of a new home.
fn received(players: [&str; 2]) -> Home {
    let (sender, home) = (Home::new(), Home::new());
    let game = ["tournament", "capture-the-line", players[0], players[1], "--games", "2"];
    sender.write("bot.sh", "while read -r line; do echo 1; done\n");
    sender.run(&[&game[..], &["--folder", "t", "--opening", "0"]].concat(), "").exits(0);
    home.write("bot.sh", read(&sender.file("bot.sh")));
    fs::create_dir_all(home.file("t/games")).expect("the home is empty");
    let directory = |path: &Path| path.canonicalize().expect("it is there").display().to_string();
    let settings = read(&sender.file("t/tournament.json"));
    let settings = settings.replace(&directory(sender.path()), &directory(home.path()));
    home.write("t/tournament.json", settings);
    home
}

const LEVELS: [&str; 2] = ["$(reboot)=novice", "casual"];
const BOT: [&str; 2] = ["$(reboot)=json: sh bot.sh", "casual"];

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
}

#[test]
fn a_tournament_that_somebody_else_began_is_not_resumed_without_a_yes() {
    let home = received(LEVELS);
    let resume = ["tournament", "--resume", "t"];
    let games = || fs::read_dir(home.file("t/games")).expect("it is there").count();
    let ran = home.run(&resume, "yes\n").exits(2);
    assert!(ran.err.contains("it may be somebody else's"), "{}", ran.err);
    assert!(ran.err.ends_with("\nTo resume it, add --trust\n"), "{}", ran.err);
    let mut terminal = Terminal::open(&home, &resume);
    terminal.wait("the question", |screen| screen.contains("Resume it (yes or no)?"));
    terminal.press("n\r");
    assert!(terminal.ends(1).contains("the tournament was not resumed"));
    assert_eq!(games(), 0, "nothing was played");
    let mut terminal = Terminal::open(&home, &resume);
    terminal.wait("the question", |screen| screen.contains("Resume it (yes or no)?"));
    terminal.press("y\r");
    assert!(terminal.ends(0).contains("Capture the Line"));
    assert_eq!(games(), 2);
    // The consent holds for this folder, but not after it has been replaced.
    home.run(&resume, "").exits(0);
    fs::rename(home.file("t"), home.file("old")).expect("the test's own folder can be written");
    fs::create_dir(home.file("t")).expect("the test's own folder can be written");
    fs::copy(home.file("old/tournament.json"), home.file("t/tournament.json")).expect("likewise");
    home.run(&resume, "").exits(2);
}

#[test]
fn no_link_in_the_folder_of_a_tournament_is_followed_or_replaced() {
    // The link and its target: a path that does not exist yet, a file or a folder.
    for (link, target) in [
        ("tournament.json", "settings"),
        ("games", "folder"),
        ("games/01-01-00001.skr", "new"),
        ("games/01-01-00001.skr", "file"),
        ("games/.unfinished-01-01-00001.skr", "new"),
        ("logs", "folder"),
        ("logs/1---reboot-.log", "new"),
        ("logs/1---reboot-.log", "file"),
        (".lock", "new"),
        (".lock", "file"),
    ] {
        let home = received(BOT);
        home.write("file", "mine\n");
        fs::create_dir(home.file("folder")).expect("the home is ours");
        home.write("folder/.unfinished-mine", "mine\n");
        let path = home.file("t").join(link);
        if target == "settings" {
            fs::rename(&path, home.file(target)).expect("it is there");
        }
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the home is ours");
        fs::remove_dir(&path).ok();
        symlink(home.file(target), &path).expect("the name is free");
        let ran = home.run(&["tournament", "--resume", "t", "--trust", "--log"], "").exits(1);
        let words = if link == ".lock" { "symbolic link" } else { "it is a symbolic link" };
        let name = link.rsplit('/').next().unwrap_or(link);
        assert!(ran.err.contains(name) && ran.err.contains(words), "{link}: {}", ran.err);
        assert!(is_link(&path), "{link} has been replaced");
        assert!(!home.file("new").exists(), "{link} has been followed");
        assert_eq!(read(&home.file("file")), "mine\n", "{link} has been followed");
        let files: Vec<_> = fs::read_dir(home.file("folder")).expect("it is there").collect();
        assert_eq!(files.len(), 1, "{link} has been followed: {files:?}");
    }
}

#[test]
fn a_log_with_another_hard_link_is_not_written() {
    let home = received(BOT);
    home.write("file", "mine\n");
    fs::create_dir(home.file("t/logs")).expect("the home is ours");
    fs::hard_link(home.file("file"), home.file("t/logs/1---reboot-.log")).expect("likewise");
    let ran = home.run(&["tournament", "--resume", "t", "--trust", "--log"], "").exits(1);
    assert!(ran.err.contains("it has other hard links"), "{}", ran.err);
    assert_eq!(read(&home.file("file")), "mine\n");
}

#[test]
fn a_new_tournament_follows_no_link_in_a_folder_that_was_there() {
    for (link, target) in [("tournament.json", "new"), ("games", "folder"), ("logs", "folder")] {
        let home = Home::new();
        home.write("bot.sh", "while read -r line; do echo 1; done\n");
        for folder in ["t", "folder"] {
            fs::create_dir(home.file(folder)).expect("the home is empty");
        }
        symlink(home.file(target), home.file("t").join(link)).expect("the name is free");
        let players = ["tournament", "capture-the-line", BOT[0], BOT[1]];
        let ran = home.run(&[&players[..], &["--folder", "t", "--log"]].concat(), "").exits(1);
        let words = ["it is a symbolic link", "there is already a tournament"];
        assert!(words.iter().any(|words| ran.err.contains(words)), "{link}: {}", ran.err);
        assert!(is_link(&home.file("t").join(link)) && !home.file("new").exists(), "{link}");
        assert_eq!(fs::read_dir(home.file("folder")).expect("it is there").count(), 0, "{link}");
    }
}

#[test]
fn commands_of_a_tournament_put_no_control_characters_on_a_terminal() {
    let home = received(BOT);
    let settings = read(&home.file("t/tournament.json"));
    home.write("t/tournament.json", settings.replace("sh bot.sh", r"sh bot.sh \u001b[9m"));
    for form in ["--csv", "--json", "--log"] {
        let terminal = Terminal::open(&home, &["tournament", "--resume", "t", "--trust", form]);
        terminal.wait("the end", |screen| screen.contains("exit="));
        assert!(!terminal.raw().contains("\u{1b}[9m"), "{form}: {:?}", terminal.raw());
        terminal.ends(0);
    }
}

/// `--record` names the file of the first game only.
#[test]
fn the_records_of_a_matchs_later_games_follow_no_link() {
    let home = Home::new();
    fs::create_dir(home.file("sent")).expect("the home is empty");
    let game = ["play", "capture-the-line", "--match", "2", "--names", "$(reboot),Ann"];
    home.run(&[&game[..], &["--record", "sent/x.skr", "--no-save"]].concat(), "2\n").exits(3);
    symlink(home.file("new"), home.file("sent/x-2.skr")).expect("the name is free");
    let resume = ["play", "--resume", "sent/x.skr", "--record", "sent/x.skr", "--no-save"];
    let ran = home.run(&resume, "resign\nresign\n").exits(1);
    assert!(ran.err.contains("x-2.skr: it is a symbolic link"), "{}", ran.err);
    assert!(!home.file("new").exists());
}
