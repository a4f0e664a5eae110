//! The engine without threads or a clock: a test decides when work is done.

use std::time::{Duration, Instant};

use skirmish_play::library::Order;
use skirmish_play::player::Level;
use skirmish_play::{Budget, Chance};
use skirmish_rules::{Catalog, Unwatched, quotable};

use super::EngineEvent;
use super::options::Defaults;
use super::state::Engine;
use crate::args::{EngineArgs, GameArgs};
use crate::line::InputLine;
use crate::sixth::SIX_GAMES;

/// More than the games of these tests need.
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

    /// An engine as the command line makes it.
    fn started(catalog: Catalog, args: &EngineArgs) -> Self {
        let defaults = Defaults::from_args(args, catalog).expect("the arguments are possible");
        let engine = Engine::new(catalog, defaults, Chance::from_seed(1), BUDGET);
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

    /// Sends a line, and does no work.
    fn send(&mut self, line: &str) -> Vec<String> {
        self.handle(EngineEvent::InputLine(InputLine::Text(line.to_owned())))
    }

    /// Does all work there is.
    fn work(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(order) = self.orders.pop() {
            let finished = order.run(BUDGET, &Unwatched);
            lines.extend(self.handle(EngineEvent::Finished(finished)));
        }
        lines
    }

    /// Sends a line and does the work that it makes.
    fn ask(&mut self, line: &str) -> Vec<String> {
        let mut lines = self.send(line);
        lines.extend(self.work());
        lines
    }

    /// The move that a `go` is answered with.
    fn go(&mut self) -> String {
        let lines = self.ask("go movetime 1000");
        let last = lines.last().expect("there is an answer");
        last.strip_prefix("bestmove ").expect("it is the last line").to_owned()
    }
}

const GLANCE: &str = "this move looks only one turn ahead";

#[test]
fn nothing_is_solved_before_it_is_needed() {
    let mut desk = Desk::new();
    desk.send("ugi");
    desk.send("setoption name Game value base-battle");
    desk.send("query moves");
    desk.send("d");
    assert!(desk.orders.is_empty());
    for line in ["isready", "uginewgame", "position startpos", "go"] {
        let mut desk = Desk::new();
        assert_eq!(desk.send(line), [""; 0]);
        assert_eq!(desk.orders.len(), 1, "{line}");
    }
}

#[test]
fn isready_waits_for_the_solution_while_other_lines_are_answered() {
    let mut desk = Desk::new();
    assert_eq!(desk.send("isready"), [""; 0]);
    assert_eq!(desk.send("query gameover"), ["response false"]);
    assert_eq!(desk.send("stop"), [""; 0]);
    assert_eq!(desk.work(), ["readyok"]);
    assert_eq!(desk.send("isready"), ["readyok"]);
}

#[test]
fn whoever_waits_for_readiness_is_answered_when_the_new_position_is_known() {
    let mut desk = Desk::ready("capture-the-line");
    desk.send("position fen 1/11/2");
    assert_eq!(desk.send("isready"), [""; 0], "it cannot arise when Player 1 starts");
    assert_eq!(desk.send("uginewgame"), ["readyok"]);
}

#[test]
fn a_line_of_nonsense_makes_few_lines_of_remarks() {
    let mut desk = Desk::ready("base-battle");
    assert_eq!(desk.send(&format!("go {}", "x ".repeat(100_000))).len(), 6);
}

#[test]
fn a_change_of_rules_gives_up_what_is_being_solved() {
    let mut desk = Desk::new();
    desk.send("isready");
    desk.send("setoption name Rules value units=2");
    assert_eq!(desk.orders.len(), 1, "the new rules wait until the old ones are given up");
    assert_eq!(desk.work(), ["readyok"]);
    assert!(!desk.send("query value")[0].contains("unknown"));
}

#[test]
fn solutions_are_kept_for_a_while() {
    let mut desk = Desk::ready("base-battle");
    for game in ["last-stone", "capture-the-line", "base-battle"] {
        desk.ask(&format!("setoption name Game value {game}"));
        desk.ask("isready");
    }
    desk.send("setoption name Level value novice");
    desk.send("setoption name Level value perfect");
    assert_eq!(desk.send("isready"), ["readyok"], "without any work");
    assert!(desk.orders.is_empty());
}

#[test]
fn go_waits_for_the_solution() {
    let mut desk = Desk::new();
    desk.send("setoption name Game value base-battle");
    assert_eq!(desk.send("go depth 3"), [""; 0]);
    assert_eq!(desk.work(), ["info depth 7 score mate 7 pv 3", "bestmove 3"]);
}

#[test]
fn go_waits_no_longer_than_its_time() {
    let mut desk = Desk::new();
    desk.send("setoption name Game value base-battle");
    desk.send("position fen 7/9/1");
    assert_eq!(desk.send("go movetime 1000"), [""; 0]);
    assert_eq!(desk.handle(EngineEvent::Time), [""; 0], "it is too early");
    desk.now += Duration::from_secs(1);
    let answer = desk.handle(EngineEvent::Time);
    assert_eq!(answer, [&format!("info string the time is up: {GLANCE}"), "bestmove 3"]);
    assert_eq!(desk.work(), [""; 0], "the answer has been given");
    assert_eq!(desk.send("query value"), ["response win 1"]);
}

#[test]
fn stop_and_quit_answer_a_go_at_once() {
    for (line, reason) in [("stop", "stopped"), ("quit", "ended")] {
        let mut desk = Desk::new();
        desk.send("setoption name Game value base-battle");
        desk.send("position fen 7/9/1");
        desk.send("go");
        let reason = format!("info string {reason} before the game was solved: {GLANCE}");
        assert_eq!(desk.send(line), [&reason, "bestmove 3"]);
        assert_eq!(desk.engine.has_ended(), line == "quit");
    }
}

/// The cancelled order began again when it was returned.
#[test]
fn nothing_is_solved_after_stop_or_a_change_of_rules_until_someone_asks() {
    for lines in [["go", "stop"], ["position startpos", "setoption name Rules value units=3"]] {
        let mut desk = Desk::new();
        for line in lines {
            desk.send(line);
        }
        assert_eq!((desk.orders.len(), desk.work()), (1, vec![]), "{lines:?}");
        let unsolved = "info string not solved yet: isready waits for it";
        assert_eq!(desk.send("query value"), [unsolved, "response unknown"], "{lines:?}");
        assert_eq!(desk.ask("isready"), ["readyok"]);
    }
}

#[test]
fn infinite_thinking_ends_with_stop_alone() {
    let mut desk = Desk::ready("base-battle");
    assert_eq!(desk.ask("go infinite movetime 1"), ["info depth 7 score mate 7 pv 3"]);
    desk.now += Duration::from_secs(1000);
    assert_eq!(desk.handle(EngineEvent::Time), [""; 0]);
    assert_eq!(desk.send("stop"), ["bestmove 3"]);
    assert_eq!(desk.send("stop"), [""; 0]);
}

#[test]
fn while_it_thinks_the_position_cannot_be_changed() {
    let mut desk = Desk::ready("base-battle");
    desk.ask("go infinite");
    for line in ["position startpos moves 1", "uginewgame", "go", "setoption name Side value 2"] {
        assert_eq!(desk.send(line), ["info string still thinking: send stop first"], "{line}");
    }
    assert_eq!(desk.send("isready"), ["readyok"]);
    assert_eq!(desk.send("query p1turn"), ["response true"]);
    assert_eq!(desk.send("stop"), ["bestmove 3"]);
}

#[test]
fn a_board_too_large_is_played_at_a_glance_and_explained_once() {
    let mut desk = Desk::new();
    desk.send("setoption name Rules value units=8 positions=201");
    let lines = desk.ask("isready");
    assert!(lines[0].starts_with("info string this board has more than a trillion"), "{lines:?}");
    assert_eq!(lines[1..], ["readyok"]);
    assert_eq!(desk.ask("go").len(), 1);
    let lines = desk.ask("query value");
    assert_eq!((lines.len(), lines[1].as_str()), (2, "response unknown"));
    desk.send("position startpos moves r r");
    assert_eq!(desk.ask("go").len(), 1, "and it was explained again for the new position");
    assert_eq!(desk.ask("go infinite"), [""; 0]);
    assert_eq!(desk.ask("stop").len(), 1);
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
fn the_sixth_game_is_listed_and_played_by_its_own_rules() {
    let mut desk = Desk::new();
    assert!(desk.send("ugi")[2].ends_with(" var last-stone"));
    desk.send("setoption name Game value last stone");
    desk.send("setoption name Rules value stones=5");
    assert_eq!(desk.ask("isready"), ["readyok"]);
    assert_eq!(desk.ask("go"), ["info depth 3 score mate 3 pv 2", "bestmove 2"]);
    desk.ask("position startpos moves 2 1");
    assert_eq!(desk.send("query value"), ["response win 1"]);
    assert_eq!(desk.go(), "2");
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
fn where_both_choose_at_once_the_side_that_is_asked_can_be_set() {
    let mut desk = Desk::ready("command-clash");
    desk.send("position fen 5/1");
    desk.send("setoption name Side value 2");
    assert_eq!(desk.send("query p1turn"), ["response false"]);
    assert_eq!(desk.send("query moves"), ["response charge attack shield"]);
    assert!(["charge", "attack", "shield"].contains(&desk.go().as_str()));
}

#[test]
fn a_seed_repeats_a_dialogue_and_luck_changes_within_it() {
    let dialogue = |seed: u64| -> Vec<String> {
        let mut desk = Desk::ready("base-battle");
        desk.ask("setoption name Level value novice");
        desk.send(&format!("setoption name Seed value {seed}"));
        let mut game = |line: &str| -> Vec<String> {
            desk.ask(line);
            (0..20).map(|_| desk.go()).collect()
        };
        let (first, second) = (game("position fen 0/10/1"), game("uginewgame"));
        assert_ne!(first, second);
        assert!(first.iter().any(|choice| *choice != first[0]), "{first:?}");
        [first, second].concat()
    };
    assert_eq!(dialogue(7), dialogue(7));
    assert_ne!(dialogue(7), dialogue(8));
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
            // A question is answered whatever it is.
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

#[test]
fn readiness_does_not_take_for_ever() {
    let mut desk = Desk::new();
    assert_eq!(desk.send("isready"), [""; 0], "the work has only begun");
    desk.now = desk.engine.due().expect("it waits for a moment");
    let answers = desk.handle(EngineEvent::Time);
    assert_eq!(answers.last().map(String::as_str), Some("readyok"), "{answers:?}");
    assert_eq!(desk.work(), [""; 0], "it is answered once");
}

#[test]
fn go_answers_a_pending_isready_first() {
    let mut desk = Desk::new();
    desk.send("isready");
    assert_eq!(desk.send("go infinite"), ["readyok"]);
}

#[test]
fn what_was_asked_before_the_end_of_the_input_is_answered() {
    for (line, begins) in [("isready", "readyok"), ("go", "bestmove ")] {
        let mut desk = Desk::new();
        desk.send(line);
        assert_eq!(desk.handle(EngineEvent::InputLine(InputLine::End)), [""; 0]);
        assert!(!desk.engine.has_ended());
        let answers = desk.work();
        assert!(answers.last().is_some_and(|answer| answer.starts_with(begins)), "{answers:?}");
        assert!(desk.engine.has_ended());

        let mut desk = Desk::new();
        desk.send(line);
        desk.handle(EngineEvent::InputLine(InputLine::End));
        desk.now = desk.engine.due().expect("it does not wait for ever");
        let answers = desk.handle(EngineEvent::Time);
        assert!(answers.last().is_some_and(|answer| answer.starts_with(begins)), "{answers:?}");
        assert!(desk.engine.has_ended());
    }
}

#[test]
fn a_game_that_is_too_long_is_over_in_every_answer() {
    let mut desk = Desk::ready("capture-and-conquer");
    desk.send("setoption name MaxTurns value 4");
    desk.ask("position startpos moves 1 1 1");
    assert_eq!(desk.send("query gameover"), ["response false"]);
    desk.ask("position startpos moves 1 1 1 1");
    assert_eq!(desk.send("query gameover"), ["response true"]);
    assert_eq!(desk.send("query result"), ["response draw"]);
    assert_eq!(desk.send("query p1turn"), ["response false"]);
    assert_eq!(desk.send("query moves"), ["response none"]);
    let over = "info string the game is over: MaxTurns is reached";
    assert_eq!(desk.ask("go"), [over, "bestmove none"]);
    desk.send("setoption name MaxTurns value 0");
    assert_eq!(desk.send("query result"), ["response none"]);
    assert_eq!(desk.send("query moves"), ["response 1 2"]);
    assert_ne!(desk.go(), "none");
}

/// cutegames sends its options in the order of a hash table, and `Rules` before `Game` was lost.
#[test]
fn options_mean_the_same_in_any_order() {
    let options = [
        "setoption name Game value base-battle",
        "setoption name Rules value positions=13 push=onward",
        "setoption name Level value novice",
        "setoption name Seed value 7",
        "setoption name MaxTurns value 50",
    ];
    let dialogue = |order: &[usize]| -> Vec<String> {
        let mut desk = Desk::new();
        for &index in order {
            assert_eq!(desk.send(options[index]), [""; 0], "{}", options[index]);
        }
        let lines = ["isready", "uginewgame", "position startpos moves 1", "go", "go", "d"];
        lines.iter().flat_map(|line| desk.ask(line)).collect()
    };
    let expected = dialogue(&[0, 1, 2, 3, 4]);
    assert!(expected.contains(&"Position: 1/12/2".to_owned()), "{expected:?}");
    for order in [[1, 0, 2, 3, 4], [4, 3, 2, 1, 0], [2, 1, 4, 0, 3], [3, 4, 1, 2, 0]] {
        assert_eq!(dialogue(&order), expected, "{order:?}");
    }
}

#[test]
fn rules_that_are_invalid_for_the_game_are_reported_once_it_is_known() {
    for line in ["isready", "uginewgame", "position startpos", "query p1turn", "go", "d"] {
        let mut desk = Desk::new();
        assert_eq!(desk.send("setoption name Rules value push=onward"), [""; 0]);
        assert_eq!(desk.send("setoption name Game value capture-the-line"), [""; 0]);
        let message = desk.ask(line).remove(0);
        let begins = "info string Rules push=onward are not valid for capture-the-line, using its \
                      rulebook: there is no rule option \"push\"";
        assert!(message.starts_with(begins), "{line}: {message}");
        assert!(!desk.ask(line).iter().any(|text| text.contains("not valid")), "{line}");
        desk.send("setoption name Game value base-battle");
        assert!(desk.ask("position startpos moves 3").is_empty(), "now they fit");
    }
}

#[test]
fn the_command_line_gives_the_options_their_first_values() {
    let options = GameArgs { rules: vec!["positions=13".to_owned()], preset: None };
    let game = Some("base".to_owned());
    let args = EngineArgs { game, options, level: Some(Level::Novice), seed: Some(7) };
    let mut desk = Desk::started(SIX_GAMES, &args);
    let listed = desk.send("ugi");
    assert!(listed[2].starts_with("option name Game type combo default base-battle var command-"));
    assert_eq!(listed[3], "option name Rules type string default positions=13");
    assert!(listed[4].starts_with("option name Level type combo default novice var"));
    assert_eq!(listed[5], "option name Seed type string default 7");
    assert!(desk.send("d").contains(&"Position: 0/12/1".to_owned()));
    let by_arguments: Vec<String> = (0..20).map(|_| desk.go()).collect();

    let mut desk = Desk::new();
    for (name, value) in
        [("Seed", "7"), ("Level", "novice"), ("Rules", "positions=13"), ("Game", "base-battle")]
    {
        assert_eq!(desk.send(&format!("setoption name {name} value {value}")), [""; 0]);
    }
    let by_options: Vec<String> = (0..20).map(|_| desk.go()).collect();
    assert_eq!(by_options, by_arguments);
}

#[test]
fn work_that_nobody_wants_any_more_is_given_up() {
    for game in ["base-battle", "capture-and-conquer", "command-clash"] {
        let mut desk = Desk::new();
        desk.send(&format!("setoption name Game value {game}"));
        desk.send("isready");
        let order = desk.orders.pop().expect("the game is not solved");
        desk.send("setoption name Game value last-stone");
        assert!(desk.orders.is_empty(), "{game}: the first order has to give its memory back");
        let finished = order.run(BUDGET, &Unwatched);
        assert!(finished.solved().is_none(), "{game}: it was solved all the same");
        assert_eq!(desk.handle(EngineEvent::Finished(finished)), [""; 0]);
        assert_eq!(desk.work(), ["readyok"], "{game}");
    }
}

/// What is prepared serves every level.
#[test]
fn another_level_is_ready_at_once() {
    for game in ["base-battle", "command-clash"] {
        let mut desk = Desk::ready(game);
        desk.send("setoption name Level value expert");
        assert_eq!(desk.send("isready"), ["readyok"], "{game}");
    }
}

/// What is solved for one game must not stand in the way of another.
#[test]
fn a_solution_is_dropped_when_another_game_needs_its_room() {
    let mut desk = Desk::new();
    let args = EngineArgs::default();
    let defaults = Defaults::from_args(&args, SIX_GAMES).expect("the arguments are possible");
    // Enough for one of the two boards, and not for the other beside it.
    let budget = Budget { bytes: 41 * 41 * 2 * 32 };
    desk.engine = Engine::new(SIX_GAMES, defaults, Chance::from_seed(1), budget);
    desk.send("setoption name Game value capture-and-conquer");
    for steps in [2, 3] {
        desk.send(&format!("setoption name Rules value positions=41 steps={steps}"));
        assert_eq!(desk.ask("isready"), ["readyok"], "{steps}");
        assert!(desk.send("query value")[0].starts_with("response "), "{steps}");
    }
    desk.send("setoption name Rules value positions=41 steps=2");
    assert_eq!(desk.send("query value").last().map(String::as_str), Some("response unknown"));
}
