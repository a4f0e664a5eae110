//! Solving and thinking, and the commands that end them.

use std::time::Duration;

use skirmish_rules::Unwatched;

use super::super::EngineEvent;
use super::{BUDGET, Desk};
use crate::line::InputLine;

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

/// A cancelled order was once started again when it came back.
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
