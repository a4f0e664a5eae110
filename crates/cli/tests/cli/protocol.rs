//! docs/protocol.md tells the truth: every dialogue in it is held with the real program, line by line.

use std::path::Path;

use crate::support::{Home, read};

/// A dialogue of the page: the program, and the lines to and from it.
struct Dialogue {
    /// Where it stands in the file.
    line: usize,
    arguments: Vec<String>,
    turns: Vec<Turn>,
}

#[derive(Debug)]
enum Turn {
    /// What is sent.
    Sent(String),
    /// What is answered.
    Answered(String),
}

/// How a page opens a dialogue.
const FENCE: &str = "```dialogue";

fn dialogues(page: &str) -> Vec<Dialogue> {
    let mut dialogues = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line != FENCE {
            continue;
        }
        let (_, command) = lines.next().expect("a dialogue begins with a command");
        let arguments = command.strip_prefix("$ skirmish ").expect("it is one of this program");
        let arguments = arguments.split(' ').map(str::to_owned).collect();
        let turns = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let turns = turns.map(turn).collect();
        dialogues.push(Dialogue { line: at + 1, arguments, turns });
    }
    dialogues
}

fn turn(line: &str) -> Turn {
    // A line without text has no space behind its mark either.
    match line.split_at_checked(1) {
        Some((">", text)) => Turn::Sent(text.strip_prefix(' ').unwrap_or(text).to_owned()),
        Some(("<", text)) => Turn::Answered(text.strip_prefix(' ').unwrap_or(text).to_owned()),
        _ => panic!("neither sent nor answered: {line:?}"),
    }
}

impl Dialogue {
    /// Holds it: every answer is awaited before anything more is sent, and nothing else is said.
    fn hold(&self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut talk = Home::new().talk(&arguments);
        let mut answers = Vec::new();
        for turn in &self.turns {
            match turn {
                Turn::Sent(line) => talk.say(format!("{line}\n")),
                Turn::Answered(line) => {
                    let heard = talk.hear_line(answers.len());
                    assert_eq!(heard.trim_end(), line, "docs/protocol.md:{}", self.line);
                    answers.push(heard);
                }
            }
        }
        let ran = talk.end().exits(0);
        let said: Vec<&str> = ran.out.lines().collect();
        assert_eq!(said, answers, "docs/protocol.md:{}", self.line);
        assert_eq!(ran.err, "", "docs/protocol.md:{}", self.line);
    }
}

#[test]
fn every_dialogue_of_the_page_is_held_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md");
    let page = read(&path);
    let dialogues = dialogues(&page);
    assert_eq!(dialogues.len(), page.matches(FENCE).count());
    assert!(!dialogues.is_empty());
    for dialogue in dialogues {
        dialogue.hold();
    }
}

#[test]
fn the_page_names_the_version_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md");
    let name = concat!("< id name Skirmish ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(read(&path).contains(name), "{name}");
}
