//! The effects of options, and what they leave unchanged.

use skirmish_play::player::Level;
use skirmish_play::{Budget, Chance};

use super::super::options::EngineOptions;
use super::super::state::Engine;
use super::Desk;
use crate::args::{EngineArgs, GameArgs};
use crate::sixth::SIX_GAMES;

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

/// cutegames sends options in hash-table order, and `Rules` sent before `Game` was once lost.
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
    let game = Some("base-b".to_owned());
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

/// The preparation is shared by all levels.
#[test]
fn another_level_is_ready_at_once() {
    for game in ["base-battle", "command-clash"] {
        let mut desk = Desk::ready(game);
        desk.send("setoption name Level value expert");
        assert_eq!(desk.send("isready"), ["readyok"], "{game}");
    }
}

/// The solution of one game must not occupy memory that another needs.
#[test]
fn a_solution_is_dropped_when_another_game_needs_its_room() {
    let mut desk = Desk::new();
    let args = EngineArgs::default();
    let options = EngineOptions::new(&args, SIX_GAMES, Chance::from_seed(1));
    // Enough memory for either of the two boards, but not for both.
    let budget = Budget { bytes: 41 * 41 * 2 * 32 };
    desk.engine = Engine::new(options.expect("the arguments are possible"), budget);
    desk.send("setoption name Game value capture-and-conquer");
    for steps in [2, 3] {
        desk.send(&format!("setoption name Rules value positions=41 steps={steps}"));
        assert_eq!(desk.ask("isready"), ["readyok"], "{steps}");
        assert!(desk.send("query value")[0].starts_with("response "), "{steps}");
    }
    desk.send("setoption name Rules value positions=41 steps=2");
    assert_eq!(desk.send("query value").last().map(String::as_str), Some("response unknown"));
}
