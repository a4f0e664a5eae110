//! Games against computer players, and between them.

use serde_json::Value;

use crate::support::{Home, skirmish, undated};

/// The JSON events of a game.
fn events(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

#[test]
fn a_game_against_the_computer_reads_like_any_other() {
    let arguments = ["play", "base-battle", "--p2", "perfect", "--first", "p2", "--seed", "1"];
    skirmish(&arguments, "hint\nquit\n").exits(0).says(&[
        "\
Seed: 1

Welcome to Base Battle!
",
        "\
Player 2 (perfect), you are at position 10.
Player 1 is at position 0.
Enter your move (1-3): 3

Player 2 (perfect) moves 3 positions to position 7.
",
    ]);
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let play = |seed| {
        let arguments =
            ["play", "capture-and-conquer", "--p1", "casual", "--p2", "novice", "--seed", seed];
        skirmish(&arguments, "").exits(0).out
    };
    assert_eq!(play("7"), play("7"));
    assert_ne!(play("7"), play("8"));
}

#[test]
fn hints_are_given_in_every_game_of_a_match() {
    let arguments = ["play", "base-battle", "--first", "p1", "--match", "3"];
    let ran = skirmish(&arguments, "hint\nresign\nhint\nquit\n").exits(0);
    assert_eq!(ran.out.matches("Best: 3 (win in 7).").count(), 2, "{}", ran.out);
}

#[test]
fn a_game_against_the_computer_goes_on_exactly_where_it_was_left() {
    let arguments = [
        "play",
        "capture-and-conquer",
        "--p2",
        "casual",
        "--first",
        "p1",
        "--seed",
        "5",
        "--max-turns",
        "12",
    ];
    let moves = "1\n1\n1\n1\n1\n1\n";
    let whole = Home::new();
    whole.run(&arguments, moves).exits(0);
    let broken = Home::new();
    broken.run(&arguments, &moves[..4]).exits(3);
    let path = broken.saves()[0].display().to_string();
    broken.run(&["play", "--resume", &path], &moves[4..]).exits(0);
    assert_eq!(undated(&broken.save()), undated(&whole.save()));
    assert!(whole.save().contains("[Level2 \"casual\"]\n"), "{}", whole.save());
}

#[test]
fn games_between_computers_end_after_200_turns_at_the_latest() {
    let arguments =
        ["play", "command-clash", "--p1", "perfect", "--p2", "perfect", "--seed", "1", "--json"];
    let events = events(&skirmish(&arguments, "").exits(0).out);
    let end = events.last().expect("the game ends");
    assert_eq!((&end["termination"], &end["turns"]), (&"turn limit".into(), &200.into()));
}

#[test]
fn an_unknown_player_is_told_who_there_is() {
    let ran = skirmish(&["play", "base-battle", "--p2", "genius"], "").exits(2);
    ran.complains(
        "error: invalid value 'genius' for '--p2': expected human, novice, casual, skilled, expert, perfect, or a bot's \
         command",
    );
}

/// The computer once repeated its choice after an undo, so that a player could beat it.
#[test]
fn a_turn_taken_back_in_command_clash_is_chosen_anew() {
    let arguments = ["play", "command-clash", "--p2", "novice", "--seed", "4", "--json"];
    let input = "charge\nundo\n".repeat(20) + "quit\n";
    let events = events(&skirmish(&arguments, &input).exits(0).out);
    let actions = ["charge", "attack", "special", "shield"];
    let chosen: Vec<&str> = events
        .iter()
        .filter(|event| {
            event["text"].as_str().is_some_and(|it| it.starts_with("Player 2 (novice)"))
        })
        .filter_map(|event| event["event"].as_str())
        .filter(|kind| actions.contains(kind))
        .collect();
    assert_eq!(chosen.len(), 20);
    assert!(chosen.iter().any(|kind| *kind != chosen[0]), "{chosen:?}");
}
