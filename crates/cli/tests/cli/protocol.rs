//! Every dialogue in docs/protocol.md is replayed with the real program, line by line.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Home, SKIRMISH, Talk, is_there, read, skipped, skirmish};

/// A dialogue in the page: the program, and the lines to and from it.
struct Dialogue {
    /// The line number of the dialogue in the file.
    line: usize,
    program: String,
    arguments: Vec<String>,
    turns: Vec<Turn>,
}

#[derive(Debug)]
enum Turn {
    /// A line to the program.
    Sent(String),
    /// A line from the program.
    Answered(String),
}

/// The fence that opens a dialogue.
const FENCE: &str = "```dialogue";

fn dialogues(page: &str) -> Vec<Dialogue> {
    let mut dialogues = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line != FENCE {
            continue;
        }
        let (_, command) = lines.next().expect("a dialogue begins with a command");
        let command = command.strip_prefix("$ ").expect("a command stands behind a dollar");
        let mut words = command.split(' ').map(str::to_owned);
        let program = words.next().expect("a command has a program");
        let arguments = words.collect();
        let turns = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let turns = turns.map(turn).collect();
        dialogues.push(Dialogue { line: at + 1, program, arguments, turns });
    }
    dialogues
}

fn turn(line: &str) -> Turn {
    // A line without text has no space after its mark.
    match line.split_at_checked(1) {
        Some((">", text)) => Turn::Sent(text.strip_prefix(' ').unwrap_or(text).to_owned()),
        Some(("<", text)) => Turn::Answered(text.strip_prefix(' ').unwrap_or(text).to_owned()),
        _ => panic!("neither sent nor answered: {line:?}"),
    }
}

impl Dialogue {
    /// Replays the dialogue: waits for every answer before sending more, and allows no other output. Returns the
    /// differing answers if the page is to be rewritten.
    fn hold(&self, home: &Home) -> Vec<(String, String)> {
        let mut changes = Vec::new();
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let program = if self.program == "skirmish" { SKIRMISH } else { &self.program };
        let mut talk = Talk::begin(home.command_of(program, &arguments));
        let mut answers = Vec::new();
        for turn in &self.turns {
            match turn {
                Turn::Sent(line) => talk.say(format!("{line}\n")),
                Turn::Answered(line) => {
                    let heard = talk.hear_line(answers.len());
                    if is_updating() && heard.trim_end() != line {
                        changes.push((format!("< {line}\n"), format!("< {}\n", heard.trim_end())));
                    } else {
                        assert_eq!(heard.trim_end(), line, "docs/protocol.md:{}", self.line);
                    }
                    answers.push(heard);
                }
            }
        }
        let ran = talk.end().exits(0);
        let said: Vec<&str> = ran.out.lines().collect();
        assert_eq!(said, answers, "docs/protocol.md:{}", self.line);
        assert_eq!(ran.err, "", "docs/protocol.md:{}", self.line);
        changes
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md")
}

fn page() -> String {
    read(&path())
}

/// The text of the page between a fence and the end of its block.
fn block<'a>(page: &'a str, fence: &str) -> &'a str {
    let (_, rest) = page.split_once(fence).expect("the page has such a block");
    rest.split_once("```").expect("a block ends").0
}

/// A home that contains the page's bots.
fn home_with_bots(page: &str) -> Home {
    let home = Home::new();
    home.write("bot.py", block(page, "```python bot.py\n"));
    home.write("bot.sh", block(page, "```sh bot.sh\n"));
    home
}

#[test]
fn every_dialogue_of_the_page_is_held_as_written() {
    let page = page();
    let dialogues = dialogues(&page);
    assert_eq!(dialogues.len(), page.matches(FENCE).count());
    let mut written = page.clone();
    for program in ["skirmish", "python3"] {
        let held = dialogues.iter().filter(|dialogue| dialogue.program == program);
        assert!(held.clone().count() > 0, "{program}");
        if program != "skirmish" && !is_there(program) {
            skipped(&format!("{program} is not installed, so its dialogues are not held"));
            continue;
        }
        for (old, new) in held.flat_map(|dialogue| dialogue.hold(&home_with_bots(&page))) {
            written = written.replace(&old, &new);
        }
    }
    if written != page {
        fs::write(path(), written).expect("the page can be written");
    }
}

/// Whether to rewrite golden files, for example after a new game.
fn is_updating() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

#[test]
fn bots_are_really_asked_what_the_page_says() {
    let page = page();
    for dialogue in dialogues(&page).iter().filter(|dialogue| dialogue.program == "python3") {
        for turn in &dialogue.turns {
            let Turn::Sent(line) = turn else { continue };
            let field = |name: &str| {
                let (_, rest) = line.split_once(&format!("\"{name}\":\"")).expect("it is there");
                rest.split('"').next().expect("a string ends").to_owned()
            };
            let (game, position) = (field("game"), field("position"));
            let shown = skirmish(&["show", &game, "--position", &position, "--json"], "").exits(0);
            let (before, player) = line.rsplit_once(",\"player\":").expect("it ends so");
            assert_eq!(format!("{before}}}"), shown.out.trim_end());
            assert!(["1}", "2}"].contains(&player), "{line}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_tournament_asks_and_logs_as_the_page_says() {
    let page = page();
    let home = home_with_bots(&page);
    let (command, dialogue) =
        block(&page, "```asked\n$ skirmish ").split_once('\n').expect("lines");
    // Every second piece is quoted.
    let arguments: Vec<&str> = command
        .split('"')
        .enumerate()
        .flat_map(|(index, piece)| {
            let words: Vec<&str> = piece.split_whitespace().collect();
            if index % 2 == 1 { vec![piece] } else { words }
        })
        .collect();
    home.run(&arguments, "").exits(0);
    let log = read(&home.file("t/logs/1-bot-sh.log"));
    let said = log.lines().filter_map(|line| line.split_once(' '));
    let said: Vec<&str> =
        said.map(|(_, said)| said).filter(|said| !said.starts_with('#')).collect();
    assert_eq!(said, dialogue.lines().collect::<Vec<&str>>());
}

#[test]
fn the_page_names_the_version_of_the_program() {
    let name = concat!("< id name Skirmish ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(page().contains(name), "{name}");
}
