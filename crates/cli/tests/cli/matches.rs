//! Matches: best of N, with the score after every game (R-ALL-5).

use crate::support::{Home, skirmish};

/// R-ALL-5: where Player 1 always starts, the two people swap seats.
#[test]
fn where_player_1_always_starts_the_people_swap_seats() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--match", "3", "--names", "Ann,Bob"];
    let ran = home.run(&arguments, "2\n2\n2\n1\n1\n2\nresign\nresign\n").exits(0);
    ran.says(&[
        "Game 1 of 3\n\nWelcome to Capture the Line!\n\nAnn starts on Point 1.\n",
        "Ann wins the game!\n",
        "Score: Ann 1, Bob 0\n\n",
        "Game 2 of 3\nThe players swap seats: Bob is P1 now, and Ann is P2.\n\n",
        "Bob starts on Point 1.\n",
        "It's Ann's turn.\n",
        "Ann resigns.\nBob wins the game!\n",
        "Score: Bob 1, Ann 1\n",
        "Game 3 of 3\nThe players swap seats: Ann is P1 now, and Bob is P2.\n",
        "Ann resigns.\nBob wins the game!\n",
        "Final score: Ann 1, Bob 2\nBob wins the match!\n",
    ]);
    let matches: Vec<String> = home.saves().iter().map(|path| crate::support::read(path)).collect();
    for (save, expected) in matches.iter().zip([
        "[Player1 \"Ann\"]\n[Player2 \"Bob\"]\n",
        "[Player1 \"Bob\"]\n[Player2 \"Ann\"]\n",
        "[Player1 \"Ann\"]\n[Player2 \"Bob\"]\n",
    ]) {
        assert!(save.contains(expected), "{save}");
    }
    assert!(matches[1].contains("[Match \"game 2 of 3, score 0-1\"]"), "{}", matches[1]);
    assert!(matches[2].contains("[Match \"game 3 of 3, score 1-1\"]"), "{}", matches[2]);
}

#[test]
fn people_who_swap_seats_have_letters_unless_they_have_names() {
    let arguments = ["play", "command-line-conquer", "--match", "2"];
    let ran = skirmish(&arguments, "resign\nresign\n").exits(0);
    ran.says(&[
        "Player A's base is at position 0.",
        "Player A resigns.\nPlayer B wins the game!\nScore: Player A 0, Player B 1\n",
        "Player B's base is at position 0.",
        "Final score: Player B 1, Player A 1\nThe match is drawn.\n",
    ]);
}

#[test]
fn where_the_players_choose_the_start_alternates() {
    let arguments = ["play", "base-battle", "--match", "3", "--first", "p2"];
    let ran = skirmish(&arguments, "draw\ny\ndraw\ny\ndraw\ny\n").exits(0);
    ran.says(&[
        "Game 1 of 3\n",
        "Player 2 takes the first turn.\n",
        "Game 2 of 3\n\n",
        "Player 1 takes the first turn.\n",
        "Game 3 of 3\n\n",
        "Player 2 takes the first turn.\n",
    ]);
}

#[test]
fn a_toss_decides_the_first_game_only() {
    let arguments = ["play", "base-battle", "--match", "2", "--seed", "1"];
    let ran = skirmish(&arguments, "resign\nresign\n").exits(0);
    assert_eq!(ran.out.matches("coin toss").count(), 1);
    ran.says(&[
        "Seed: 1\nThe coin toss decides: Player 2 starts.\nGame 1 of 2\n",
        "Game 2 of 2\n\n",
        "Player 1 takes the first turn.\n",
    ]);
}

/// R-ALL-5: a draw is half a point for each.
#[test]
fn a_draw_scores_half_a_point() {
    let arguments = ["play", "command-clash", "--match", "3", "--names", "Ann,Bob"];
    let ran = skirmish(&arguments, "draw\nyes\nresign\ndraw\nyes\n").exits(0);
    ran.says(&[
        "Score: Ann ½, Bob ½\n",
        "Score: Ann ½, Bob 1½\n",
        "Final score: Ann 1, Bob 2\nBob wins the match!\n",
    ]);
}

#[test]
fn a_match_ends_as_soon_as_it_is_decided() {
    let home = Home::new();
    let arguments = ["play", "base-battle", "--first", "p1", "--match", "5"];
    // Player 1 gives up three times: where Player 2 starts, after one move.
    let ran = home.run(&arguments, "resign\n1\nresign\nresign\n").exits(0);
    ran.says(&["Final score: Player 1 0, Player 2 3\nPlayer 2 wins the match!\n"]);
    assert_eq!(home.saves().len(), 3, "a save for every game");
}

#[test]
fn the_turn_limit_counts_anew_in_every_game() {
    let arguments = ["play", "base-battle", "--first", "p1", "--match", "2", "--max-turns", "2"];
    let ran = skirmish(&arguments, "1\n1\n1\n1\n").exits(0);
    let limit = "The turn limit of 2 is reached: the game is a draw.\n";
    ran.says(&[limit, "Score: Player 1 ½, Player 2 ½\n", limit, "The match is drawn.\n"]);
}

#[test]
fn every_game_of_a_match_gets_a_record_of_its_own() {
    let home = Home::new();
    let arguments = ["play", "base-battle", "--first", "p1", "--match", "2", "--record", "our.skr"];
    home.run(&arguments, "1\nresign\nresign\n").exits(0);
    assert!(crate::support::read(&home.file("our.skr")).contains("game 1 of 2, score 0-0"));
    assert!(crate::support::read(&home.file("our-2.skr")).contains("game 2 of 2, score 1-0"));
}

/// The record of the game after the resumed one was once not written.
#[test]
fn a_resumed_game_of_a_match_passes_its_record_on() {
    let home = crate::support::Home::new();
    let arguments = ["play", "base-battle", "--first", "p1", "--match", "3", "--record", "m2.skr"];
    home.run(&arguments, "resign\n2\n").exits(3);
    let resumed = ["play", "--resume", "m2-2.skr", "--record", "m2-2.skr"];
    home.write("m2-3.skr", "Dear diary");
    let ran = home.run(&resumed, "resign\n3\n").exits(1);
    assert!(ran.err.contains("m2-3.skr exists already"), "{}", ran.err);
    std::fs::remove_file(home.file("m2-3.skr")).expect("it is there");
    home.run(&resumed, "1\nresign\n3\n").exits(3);
    let third = crate::support::read(&home.file("m2-3.skr"));
    assert!(third.contains("game 3 of 3") && third.ends_with("1. 3\n"), "{third}");
}
