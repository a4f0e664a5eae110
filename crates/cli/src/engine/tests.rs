//! The engine without threads or a clock: a test decides when work is done.

mod options;
mod thinking;

use std::time::Instant;

use skirmish_play::library::Order;
use skirmish_play::{Budget, Chance};
use skirmish_rules::{Catalog, Unwatched, quotable};

use super::EngineEvent;
use super::options::EngineOptions;
use super::state::Engine;
use crate::args::EngineArgs;
use crate::line::InputLine;
use crate::sixth::SIX_GAMES;

/// More memory than the games of these tests need.
const BUDGET: Budget = Budget { bytes: 1 << 30 };

/// An engine, its orders, and a time that only tests advance.
struct Desk {
    engine: Engine,
    orders: Vec<Order>,
    now: Instant,
}

impl Desk {
    fn new() -> Self {
        Self::of(SIX_GAMES)
    }

    fn of(catalog: Catalog) -> Self {
        Self::started(catalog, &EngineArgs::default())
    }

    /// An engine with the defaults that these arguments set.
    fn started(catalog: Catalog, args: &EngineArgs) -> Self {
        let options = EngineOptions::new(args, catalog, Chance::from_seed(1));
        let engine = Engine::new(options.expect("the arguments are possible"), BUDGET);
        Self { engine, orders: Vec::new(), now: Instant::now() }
    }

    /// An engine with a game set and solved.
    fn ready(game: &str) -> Self {
        let mut desk = Self::new();
        assert_eq!(desk.send(&format!("setoption name Game value {game}")), [""; 0]);
        assert_eq!(desk.ask("isready"), ["readyok"]);
        desk
    }

    fn handle(&mut self, event: EngineEvent) -> Vec<String> {
        self.engine.handle(event, self.now);
        self.orders.extend(self.engine.take_orders());
        self.engine.take_lines()
    }

    /// Sends a line without running any orders.
    fn send(&mut self, line: &str) -> Vec<String> {
        self.handle(EngineEvent::InputLine(InputLine::Text(line.to_owned())))
    }

    /// Runs all orders; returns the engine's output.
    fn work(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(order) = self.orders.pop() {
            let finished = order.run(BUDGET, &Unwatched);
            lines.extend(self.handle(EngineEvent::Finished(finished)));
        }
        lines
    }

    /// Sends a line and runs the orders that result.
    fn ask(&mut self, line: &str) -> Vec<String> {
        let mut lines = self.send(line);
        lines.extend(self.work());
        lines
    }

    /// Sends `go`; returns the move in the answer.
    fn go(&mut self) -> String {
        let lines = self.ask("go movetime 1000");
        let last = lines.last().expect("there is an answer");
        last.strip_prefix("bestmove ").expect("it is the last line").to_owned()
    }
}

#[test]
fn a_line_of_nonsense_makes_few_lines_of_remarks() {
    let mut desk = Desk::ready("base-battle");
    assert_eq!(desk.send(&format!("go {}", "x ".repeat(100_000))).len(), 6);
}

#[test]
fn every_game_is_played_to_an_end_or_for_long() {
    for entry in SIX_GAMES.iter() {
        let mut desk = Desk::ready(entry.id);
        desk.send("setoption name Level value casual");
        let mut moves = Vec::new();
        while moves.len() < 300 {
            desk.ask(&format!("position startpos moves {}", moves.join(" ")));
            if desk.send("query gameover") == ["response true"] {
                break;
            }
            let legal = desk.send("query moves").remove(0);
            let chosen = desk.go();
            assert!(legal.split(' ').any(|choice| choice == chosen), "{chosen}: {legal}");
            moves.push(chosen);
        }
        let result = desk.send("query result");
        assert_ne!(result, ["response none"], "{}: {moves:?}", entry.id);
        assert_eq!(desk.send("query moves"), ["response none"]);
        assert_eq!(desk.send("go"), ["info string the game is over", "bestmove none"]);
    }
}

#[test]
fn positions_that_cannot_arise_are_played_too() {
    let mut desk = Desk::ready("base-battle");
    for (position, value) in [("0/10/2", "win 7"), ("3/5/2", "win"), ("10/0/1", "win 0")] {
        desk.ask(&format!("position fen {position}"));
        let line = desk.send("query value").remove(0);
        assert!(line.starts_with("response ") && !line.contains("unknown"), "{position}: {line}");
        assert!(line.contains(value) || position != "0/10/2", "{position}: {line}");
    }
    let mut desk = Desk::ready("capture-the-line");
    for mover in [1, 2] {
        for one in 1..=11 {
            for two in 1..=11 {
                desk.ask(&format!("position fen {one}/{two}/{mover}"));
                assert!(desk.ask("go").last().is_some_and(|line| line.starts_with("bestmove ")));
            }
        }
    }
}

#[test]
fn a_choice_that_waits_is_shown_to_nobody() {
    let lines = |first: &str| {
        let mut desk = Desk::ready("command-clash");
        let mut lines = Vec::new();
        for level in ["perfect", "novice"] {
            desk.ask(&format!("setoption name Level value {level}"));
            for number in 0..20 {
                desk.send("uginewgame");
                lines.extend(desk.ask(&format!("position fen {}/3 moves {first}", number % 5 + 1)));
                for line in ["query p1turn", "query moves", "query value", "d", "go", "go nodes 1"]
                {
                    lines.extend(desk.ask(line));
                }
            }
        }
        lines
    };
    let after = lines("charge");
    assert_eq!(after[0], "response false");
    assert_eq!(after, lines("shield"));
    let mut desk = Desk::new();
    desk.send("setoption name Game value command-clash");
    desk.send("position startpos moves special");
    desk.send("go");
    assert!(!desk.send("quit").concat().contains("special|"));
}

#[test]
fn half_turns_and_whole_turns_lead_to_the_same_position() {
    let mut desk = Desk::ready("command-clash");
    let position = |desk: &mut Desk, moves: &str| {
        assert_eq!(desk.ask(&format!("position startpos moves {moves}")), [""; 0]);
        desk.send("d").into_iter().find(|line| line.starts_with("Position: "))
    };
    let whole = position(&mut desk, "charge|attack attack|shield");
    assert_eq!(position(&mut desk, "charge attack attack shield"), whole);
    assert_eq!(position(&mut desk, "charge attack attack|shield"), whole);
    assert_eq!(desk.send("query p1turn"), ["response true"]);
    for moves in ["charge charge|attack", "charge jump", "jump", "charge|attack|shield"] {
        let lines = desk.send(&format!("position startpos moves {moves}"));
        assert!(lines[0].starts_with("info string move "), "{lines:?}");
    }
    assert_eq!(desk.send("d").into_iter().find(|it| it.starts_with("Position: ")), whole);
}

#[test]
fn nothing_that_is_sent_does_harm() {
    let mut desk = Desk::ready("base-battle");
    desk.send("position startpos moves 3");
    let long = "9".repeat(100_000);
    let many = "1 ".repeat(10_000) + "9";
    let lines = [
        "\0",
        "go\0",
        "\u{1b}[2J",
        "UGI",
        "position",
        "position fen",
        "position fen moves",
        "position fen \u{202e}/10/1",
        "position fen 0/10/1 move 1",
        "position startpos moves \u{7}",
        "position startpos 1",
        &format!("position fen {long}/10/1"),
        &format!("position startpos moves {many}"),
        &format!("position startpos moves {long}"),
        &format!("{long} go"),
        &format!("query {long}"),
        "query",
        "query p1turn now",
        "setoption",
        "setoption name Game value chess\u{7}",
    ];
    for line in lines {
        let answers = desk.send(line);
        let answer = match answers.as_slice() {
            [answer] => answer,
            // Every query gets an answer.
            [answer, response] if response == "response unknown" => answer,
            _ => panic!("{}: {answers:?}", quotable(line)),
        };
        assert!(answer.starts_with("info string "), "{answer}");
        assert!(answer.len() < 600 && !answer.contains(char::is_control), "{answer}");
    }
    for reason in ["That line is too long.", "That line is not UTF-8 text."] {
        let answers = desk.handle(EngineEvent::InputLine(InputLine::Unusable(reason)));
        assert_eq!(answers, [format!("info string {reason}")]);
    }
    for line in ["", "   ", "\t", "stop"] {
        assert_eq!(desk.send(line), [""; 0]);
    }
    assert_eq!(desk.send("query p1turn"), ["response false"], "the position is as it was");
    for go in
        ["go movetime -5", "go p1time x p2time", "go searchmoves 1 2", &format!("go nodes {long}")]
    {
        let last = desk.ask(go).pop();
        assert!(last.is_some_and(|line| line.starts_with("bestmove ")), "{go}");
    }
}
