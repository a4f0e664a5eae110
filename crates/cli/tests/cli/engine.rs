//! `skirmish engine` as runners use it: two engines play each other, and no input breaks one.

use std::fmt::Write;

use skirmish_rules::GAMES;

use crate::support::{Home, Talk, send};

/// An engine, driven by a runner that knows no rules: it sends a line and waits for the answer.
struct Bot {
    talk: Talk,
    heard: usize,
    _home: Home,
}

impl Bot {
    fn start() -> Self {
        let home = Home::new();
        let talk = home.talk(&["engine"]);
        let mut bot = Self { talk, heard: 0, _home: home };
        bot.tell("ugi");
        bot.wait("ugiok", 1);
        bot
    }

    fn with(options: &[&str]) -> Self {
        let mut bot = Self::start();
        for option in options {
            bot.tell(&format!("setoption name {option}"));
        }
        bot.ready();
        bot
    }

    fn tell(&mut self, line: &str) {
        self.talk.say(format!("{line}\n"));
    }

    fn ready(&mut self) {
        self.tell("isready");
        self.wait("readyok", 1);
    }

    /// Waits for a line with this first word and number of words; returns the last word.
    fn wait(&mut self, word: &str, words: usize) -> String {
        loop {
            let line = self.talk.hear_line(self.heard);
            self.heard += 1;
            let parts: Vec<&str> = line.split(' ').collect();
            if parts[0] == word && parts.len() == words {
                return parts[words - 1].to_owned();
            }
        }
    }

    fn set(&mut self, moves: &[String]) {
        let mut line = "position startpos".to_owned();
        if !moves.is_empty() {
            write!(line, " moves {}", moves.join(" ")).expect("it is a string");
        }
        self.tell(&line);
        self.ready();
    }

    fn query(&mut self, moves: &[String], question: &str) -> String {
        self.set(moves);
        self.tell(&format!("query {question}"));
        self.wait("response", 2)
    }

    fn go(&mut self, moves: &[String]) -> String {
        self.set(moves);
        self.tell("go movetime 1000");
        self.wait("bestmove", 2)
    }
}

/// Plays a game; returns its result and its moves.
fn game(one: &mut Bot, two: &mut Bot, most: usize) -> (String, Vec<String>) {
    for bot in [&mut *one, &mut *two] {
        bot.tell("uginewgame");
        bot.ready();
    }
    let mut moves = Vec::new();
    while moves.len() < most {
        let over = one.query(&moves, "gameover");
        assert_eq!(over, two.query(&moves, "gameover"));
        if over == "true" {
            break;
        }
        let turn = one.query(&moves, "p1turn");
        assert_eq!(turn, two.query(&moves, "p1turn"));
        moves.push(if turn == "true" { one.go(&moves) } else { two.go(&moves) });
    }
    let result = one.query(&moves, "result");
    assert_eq!(result, two.query(&moves, "result"));
    (result, moves)
}

#[test]
fn a_runner_that_knows_only_alternating_games_plays_all_five() {
    for name in GAMES.iter().map(|entry| entry.id) {
        let game_option = format!("Game value {name}");
        let options = |seed| [game_option.as_str(), "Level value casual", seed];
        let mut one = Bot::with(&options("Seed value 1"));
        let mut two = Bot::with(&options("Seed value 2"));
        let (result, moves) = game(&mut one, &mut two, 300);
        assert!(["p1win", "p2win", "draw"].contains(&result.as_str()), "{name}: {moves:?}");
        for bot in [one, two] {
            bot.talk.end().exits(0);
        }
    }
}

/// Solving this board takes very long, or is refused if memory is short.
#[test]
fn quit_and_the_end_of_input_are_obeyed_while_a_large_board_is_solved() {
    for last in ["quit\n", ""] {
        let mut talk = Home::new().talk(&["engine"]);
        talk.say("setoption name Rules value units=6 positions=15\nisready\ngo\n");
        talk.say(last);
        let ran = talk.end().exits(0);
        assert_eq!(ran.out.matches("bestmove ").count(), 1, "{}", ran.out);
    }
}

#[test]
fn windows_line_ends_do_no_harm() {
    let ran = Home::new().run(&["engine"], "query gameover\r\nquit\r\n").exits(0);
    assert_eq!(ran.out, "response false\n");
}

#[test]
#[cfg(unix)]
fn signals_end_it_as_they_end_everything() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let bot = Bot::start();
        send(signal, bot.talk.process());
        bot.talk.wait().exits(code);
    }
}

#[test]
#[cfg(unix)]
fn nobody_reading_any_more_is_a_quiet_end() {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "yes ugi | \"$0\" engine | head -n 1", crate::support::SKIRMISH]);
    let ran = crate::support::run(shell, "").exits(0);
    assert!(ran.out.starts_with("id name Skirmish "), "{}", ran.out);
    assert_eq!(ran.err.replace("yes: standard output: Broken pipe\n", ""), "");
}
