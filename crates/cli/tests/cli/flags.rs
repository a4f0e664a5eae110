//! The global flags: they mean the same before and after a command.

use crate::support::{Home, skirmish};
#[cfg(unix)]
use crate::terminal::Terminal;

/// Strings that occur in drawn boards but not in sentences.
const ART: [&str; 8] = ["[", "]", "|", "#", "_", "  ", "--", "\u{1b}"];

#[test]
fn a_screen_reader_gets_sentences_from_every_command_that_shows_positions() {
    for arguments in [
        &["show", "base-battle"][..],
        &["show", "command-line-conquer", "--moves", "m0 m10 r"],
        &["show", "command-clash"],
        &["analyze", "base-battle", "--moves", "3 2"],
        &["analyze", "command-clash"],
        &["map", "capture-and-conquer"],
        &["map", "command-clash", "--position", "4/1"],
        &["map", "command-line-conquer", "--rule", "positions=5"],
        &["find", "capture-and-conquer", "endless", "--limit", "0"],
        &["find", "command-clash", "player 1 mixes"],
        &["find", "command-clash", "value at least 0.5", "--map"],
    ] {
        let before = [&["--screen-reader"], arguments].concat();
        let behind = [arguments, &["--screen-reader"]].concat();
        let told = skirmish(&before, "").exits(0).out;
        assert_eq!(skirmish(&behind, "").exits(0).out, told, "{arguments:?}");
        let art: Vec<&&str> = ART.iter().filter(|art| told.contains(**art)).collect();
        assert!(art.is_empty(), "{arguments:?} draws with {art:?}:\n{told}");
    }
}

#[test]
fn a_map_in_sentences_tells_every_position() {
    skirmish(&["--screen-reader", "map", "capture-the-line"], "").exits(0).says(&[
        "Capture the Line.\nWho wins, from every position that can arise, if both play well.\n",
        "1/11/1, Player 1 to move: win in 5.\n",
        "\nPlayer 1 to move.\nPlayer 1's position 1: win in 5 at Player 2's position 11.\n",
        "Player 1's position 3: loss in 2 at Player 2's position 7 and 8; \
         win in 3 at Player 2's position 9 and 10.\n",
        "\nPlayer 2 to move.\n",
        "Player 1's position 6: the game is over at Player 2's position 7 to 9.\n",
    ]);
}

#[test]
fn an_analysis_in_sentences_names_the_best_moves() {
    let arguments = ["analyze", "base-battle", "--moves", "3 2", "--screen-reader"];
    skirmish(&arguments, "").exits(0).says(&[
        "Player 1 has a piece on position 3; the goal is position 10 of 0 to 10.\n",
        "Player 1: win in 5\n",
        "Move 1 to 4/8/2: loss in 6.\n",
        "Move 2 to 5/8/2: win in 5, the best.\n",
    ]);
}

#[test]
#[cfg(unix)]
fn flags_before_the_command_reach_the_full_screen() {
    let home = Home::new();
    let arguments =
        ["--ascii", "--no-motion", "--theme", "monochrome", "play", "base-battle", "--tui"];
    let arguments = [&arguments[..], &["--first", "p1"]].concat();
    let mut terminal = Terminal::open(&home, &arguments);
    terminal.see("Player 1, your move");
    let raw = terminal.raw();
    assert!(raw.is_ascii(), "{raw:?}");
    assert!(!raw.contains("\u{1b}[38;5;"), "{raw:?}");
    terminal.escape();
    terminal.press("q");
}

#[test]
fn a_tournament_may_be_plain() {
    let arguments = ["--plain", "tournament", "base-battle", "novice", "casual", "--games", "2"];
    skirmish(&arguments, "").exits(0).says(&["Base Battle, round-robin: 2 entrants, 2 games"]);
}
