//! The words that mean the same at every prompt, besides a game's own actions.

use crate::support::{Home, Ran, read, skirmish};
#[cfg(unix)]
use crate::terminal::Terminal;

const LINE: [&str; 2] = ["play", "capture-the-line"];

/// Plays Base Battle with Player 1 first.
fn battle(input: &str) -> Ran {
    skirmish(&["play", "base-battle", "--first", "p1"], input)
}

#[test]
fn help_lists_the_moves_and_every_command() {
    battle("?\nexit\n").exits(0).says(&["\
Enter your move (1-3): ?
Enter your move: 1, 2 or 3.
Or, at any time:
  help     this list
  rules    how the game is played
  board    the board again
  moves    what you can do now
  history  the turns so far
  hint     the best move, and what it leads to
  analyze  what every move is worth
  undo     take the last turn back
  save     save now (save FILE for a file of your own, save! FILE to replace one)
  draw     offer a draw
  resign   give the game up
  quit     leave; the game is saved
Enter your move (1-3): exit
"]);
}

#[test]
fn rules_shows_the_page_of_this_game() {
    let page = skirmish(&["rules", "capture-the-line"], "").exits(0).out;
    let (page, _) = page.split_once("To find out").expect("the page says where the solution is");
    let solution = skirmish(&["rules", "capture-the-line", "solution"], "").exits(0).out;
    let ran = skirmish(&LINE, "rules\nrules solution\nquit\n").exits(0);
    ran.says(&[page, "To find out who wins with best play: rules solution\n", &solution]);
}

#[test]
#[cfg(unix)]
fn on_a_terminal_the_rules_are_shown_page_by_page() {
    const MORE: &str = "Press Enter for more, or enter q to stop:";
    let home = Home::new();
    let mut terminal = Terminal::sized(&home, &LINE, (80, 50), &[("TERM", "xterm")]);
    terminal.see_prompt("that many points):");
    terminal.enter("rules");
    let screen = terminal.see_prompt(MORE);
    assert!(screen.contains("## Winning") && !screen.contains("## Tips"), "{screen}");
    terminal.enter("");
    let screen = terminal.wait("the next page", |screen| {
        screen.contains("## Tips") && screen.trim_end().ends_with(MORE)
    });
    assert!(!screen.contains("## Rule options"), "{screen}");
    terminal.enter("q");
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    let screen = terminal.ends(0);
    assert!(!screen.contains("## What is known"), "{screen}");
}

#[test]
fn board_shows_the_board_again_and_does_not_use_up_the_turn() {
    battle("3\nboard\n1\nquit\n").exits(0).says(&[
        "\
Enter your move (1-3): board
[  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][  _ ][  _ ][  _ ][  _ ][ P2 ]
  0     1     2     3     4     5     6     7     8     9     10
Enter your move (1-3): 1
",
        "Player 2 moves 1 position to position 9.",
    ]);
}

#[test]
fn moves_names_words_and_notation() {
    let conquer = skirmish(&["play", "command-line-conquer"], "moves\nquit\n").exits(0);
    conquer.says(&["You can enter move 0 (m0) or recruit (r).\n"]);
    let clash = skirmish(&["play", "command-clash"], "moves\nquit\n").exits(0);
    clash.says(&["You can enter Charge, Attack, Special Attack (special) or Shield.\n"]);
}

#[test]
fn a_hint_in_an_endless_game_says_which_moves_apply_pressure() {
    let game = ["play", "capture-and-conquer", "--first", "p1"];
    skirmish(&game, "hint\n2\n2\n1\n2\nhint\nquit\n").exits(0).says(&[
        "Best: 1 or 2 (endless if both play well).\n\
         1 applies pressure: you can steer Player 2 in 4 plies to a position in which a mistake lets you force a win.\n\
         2 lets Player 2 apply pressure to you.\n",
        "1 applies pressure: a mistake in reply lets you force a win.\n",
    ]);
}

#[test]
fn history_lists_the_turns() {
    let ran = battle("history\n3\n2\nhistory\nquit\n").exits(0);
    ran.says(&["No turn has been played yet.\n", "history\n1. 3\n2. 2\nEnter your move"]);
}

#[test]
fn save_tells_where_the_game_is() {
    let home = Home::new();
    let ran = home.run(&LINE, "2\nsave\nquit\n").exits(0);
    ran.says(&[&format!("save\nSaved in {}.\n", home.saves()[0].display())]);
}

#[test]
fn save_takes_a_file_of_the_players_own() {
    let home = Home::new();
    let ran = home.run(&LINE, "2\nsave our game.skr\n1\nquit\n").exits(0);
    let file = home.file("our game.skr");
    ran.says(&[&format!("Saved in {}.\n", file.display())]);
    assert!(read(&file).ends_with("\n\n1. 2\n"), "only what was played by then");
    assert!(home.save().ends_with("\n\n1. 2\n2. 1\n"), "the game's own save goes on");
}

/// This message once contained the name of a temporary file.
#[test]
#[cfg(unix)]
fn a_save_that_fails_says_why_and_the_game_goes_on() {
    let home = Home::new();
    let ran = home.run(&LINE, "save no/such/folder.skr\nsave .\n2\nquit\n").exits(0);
    let file = home.file("no/such/folder.skr");
    ran.says(&[
        &format!("Not saved: cannot save in {}: No such file or directory", file.display()),
        "(os error 2).\n",
        "Not saved: cannot save in ",
        ": is a directory.\n",
        "Player 1 moves to Point 3.",
    ]);
    let unsaved = skirmish(&["play", "capture-the-line", "--no-save"], "save\nquit\n").exits(0);
    unsaved.says(&["This game is not being saved: enter save FILE.\n"]);
}

#[test]
#[cfg(unix)]
fn a_person_is_asked_before_a_draw_with_the_computer() {
    let home = Home::new();
    let game = ["play", "capture-and-conquer", "--first", "p1", "--p2", "perfect"];
    let mut terminal = Terminal::open(&home, &game);
    terminal.see_prompt("positions forward):");
    terminal.enter("d");
    terminal.see("To offer a draw, type the whole word: draw.");
    terminal.enter("draw");
    terminal.see_prompt("Player 1, do you offer a draw (yes or no)?");
    terminal.enter("yes");
    let screen = terminal.ends(0);
    assert!(screen.contains("The players agree on a draw."), "{screen}");
}

#[test]
fn input_that_ends_at_a_question_is_input_that_ends() {
    skirmish(&LINE, "draw\n").exits(3);
}

/// Actions take precedence over commands: `r` recruits, `m 0` moves, and `s` is ambiguous between two actions.
#[test]
fn a_games_own_actions_come_first() {
    let conquer = skirmish(&["play", "command-line-conquer"], "r\nm 10\nrec\nmov\nquit\n").exits(0);
    conquer.says(&[
        "Player 1 recruits a new unit at position 0.",
        "Player 2 moves a unit from position 10 to 9.",
        "Player 1 recruits a new unit at position 0.",
        "Player 2 moves a unit from position 9 to 8.",
    ]);
    let clash = skirmish(&["play", "command-clash"], "s\nsa\nquit\n").exits(0);
    clash.says(&["That does not name one of your actions", "Saved in "]);
}
