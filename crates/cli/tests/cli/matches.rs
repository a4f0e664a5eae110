//! Matches: best of N, with the score after every game (R-ALL-5).

use crate::support::skirmish;

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

/// The record of the game after a resumed one was once not written.
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
