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
fn undo_takes_turns_back_to_the_start_and_no_further() {
    let home = Home::new();
    let ran = home.run(&LINE, "2\n1\nundo\nundo\nundo\nquit\n").exits(0);
    let start = "Current Positions: Player 1 at Point 1, Player 2 at Point 11.\n";
    ran.says(&[
        "Taken back.\n\nPlayer Positions:\n- Player 1: Point 3\n- Player 2: Point 11\n",
        "Taken back.\n\nPlayer Positions:\n- Player 1: Point 1\n- Player 2: Point 11\n",
        start,
        "undo\nThere is no turn to take back.\n",
    ]);
    assert!(home.save().ends_with("]\n\n"), "the save follows: {}", home.save());
}

/// R-CL-6: a pending choice can be taken back, and stays secret.
#[test]
fn undo_takes_back_a_choice_that_waits_for_the_other() {
    let ran =
        skirmish(&["play", "command-clash"], "special\nundo\ncharge\ncharge\nquit\n").exits(0);
    assert!(!ran.out.contains("special"), "{}", ran.out);
    ran.says(&[
        "Player 1, enter your action (Charge, Attack, Special Attack, Shield): (hidden)\n",
        "Shield): undo\nTaken back.\n",
        "Player 1, enter your action (Charge, Attack, Special Attack, Shield): charge\n",
        "Player 2, enter your action (Charge, Attack, Special Attack, Shield): charge\n",
        "Actions resolving...\nPlayer 1 charges",
    ]);
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
fn a_draw_needs_the_other_player() {
    let home = Home::new();
    let ran = home.run(&LINE, "draw\nperhaps\nno\n2\ndraw\nyes\n").exits(0);
    ran.says(&[
        "draw\nPlayer 1 offers a draw. Player 2, do you accept (yes or no)? perhaps\n",
        "Enter yes or no.\n",
        "Player 1 offers a draw. Player 2, do you accept (yes or no)? no\nPlayer 2 declines.\n",
        "Player 2 offers a draw. Player 1, do you accept (yes or no)? yes\n",
        "The players agree on a draw.\n",
    ]);
    assert!(home.save().contains("[Result \"1/2-1/2\"]\n[Termination \"agreed\"]"));
}

#[test]
fn resigning_lets_the_other_player_win() {
    let home = Home::new();
    let ran = home.run(&LINE, "2\nresign\n").exits(0);
    ran.says(&["resign\nPlayer 2 resigns.\nPlayer 1 wins the game!\n"]);
    assert!(home.save().contains("[Result \"1-0\"]\n[Termination \"resigned\"]"));
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

/// `res` once resigned without asking for confirmation.
#[test]
fn whoever_cannot_be_asked_resigns_with_the_whole_word_only() {
    let home = Home::new();
    let ran = home.run(&LINE, "res\nresig\n2\n").exits(3);
    ran.says(&["res\nTo resign, type the whole word: resign.\n", "Player 1 moves to Point 3."]);
    assert!(home.save().contains("[Result \"*\"]"), "{}", home.save());
    let objects = skirmish(&["play", "capture-the-line", "--json"], "res\nresign\n").exits(0);
    objects.says(&["type the whole word: resign.", "\"termination\":\"resigned\""]);
}

#[test]
#[cfg(unix)]
fn a_person_is_asked_before_the_game_is_given_up() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &LINE);
    for typed in ["res", "resign"] {
        terminal.see_prompt("that many points):");
        terminal.enter(typed);
        terminal.see_prompt("Player 1, do you resign (yes or no)?");
        terminal.enter("no");
        terminal.wait("the question again", |screen| {
            screen.lines().last().is_some_and(|line| line.trim_end().ends_with("points):"))
        });
    }
    terminal.enter("resign");
    terminal.see_prompt("Player 1, do you resign (yes or no)?");
    terminal.enter("y");
    let screen = terminal.ends(0);
    assert!(screen.contains("Player 1 resigns.\nPlayer 2 wins the game!"), "{screen}");
}

#[test]
fn input_that_ends_at_a_question_is_input_that_ends() {
    skirmish(&LINE, "draw\n").exits(3);
}

#[test]
fn capitals_and_unique_beginnings_are_enough() {
    for (typed, answer) in [
        ("HELP", "Enter your move: 1 or 2."),
        ("he", "Enter your move: 1 or 2."),
        ("b", "Player Positions:"),
        ("m", "You can enter 1 or 2."),
        ("his", "No turn has been played yet."),
        ("hin", "Best: 1 or 2 (win in 5)."),
        ("a", "Player 1: win in 5"),
        ("u", "There is no turn to take back."),
        ("s", "Saved in "),
        ("ru", "# Capture the Line"),
        ("re", "To resign, type the whole word: resign."),
    ] {
        let echoed = format!("that many points): {typed}\n{answer}");
        skirmish(&LINE, format!("{typed}\nq\n")).exits(0).says(&[&echoed]);
    }
}

#[test]
fn a_beginning_of_several_names_them() {
    let ran = battle("h\nr\nundo 3\nquit\n").exits(0);
    ran.says(&[
        "\"h\" could be help, history or hint.\n",
        "\"r\" could be rules or resign.\n",
        "\"undo 3\" is not a move here",
    ]);
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
