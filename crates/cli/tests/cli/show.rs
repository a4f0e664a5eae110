//! `skirmish show`: a position, whose turn it is and the legal moves, as text and as the JSON of DESIGN.md.

use crate::support::skirmish;

/// Asserts that `show --json` prints exactly this line.
#[track_caller]
fn shows(arguments: &[&str], line: &str) {
    let ran = skirmish(&[&["show", "--json"], arguments].concat(), "").exits(0);
    assert_eq!(ran.out.trim_end(), line, "{arguments:?}");
}

#[test]
fn the_start_of_every_game_as_json() {
    shows(
        &["command-line-conquer"],
        r#"{"game":"command-line-conquer","rules":{"positions":11,"units":3,"strength":5,"battle":"departure"},"position":"0/10/1","turn":[1],"legal":{"1":["m0","r"]},"outcome":null}"#,
    );
    shows(
        &["capture-and-conquer"],
        r#"{"game":"capture-and-conquer","rules":{"positions":11,"steps":2},"position":"0/10/1","turn":[1],"legal":{"1":["1","2"]},"outcome":null}"#,
    );
    shows(
        &["base-battle", "--first", "p2"],
        r#"{"game":"base-battle","rules":{"positions":11,"steps":3,"push":"facing"},"position":"0/10/2","turn":[2],"legal":{"2":["1","2","3"]},"outcome":null}"#,
    );
    shows(
        &["command-clash"],
        r#"{"game":"command-clash","rules":{"points":5,"defeat":"zero"},"position":"5/5","turn":[1,2],"legal":{"1":["charge","attack","special","shield"],"2":["charge","attack","special","shield"]},"outcome":null}"#,
    );
    shows(
        &["capture-the-line"],
        r#"{"game":"capture-the-line","rules":{"positions":11,"steps":2},"position":"1/11/1","turn":[1],"legal":{"1":["1","2"]},"outcome":null}"#,
    );
}

/// The player to move changes even after the winning move.
#[test]
fn a_finished_position_as_json() {
    let line = r#"{"game":"capture-and-conquer","rules":{"positions":11,"steps":2},"position":"10/4/2","turn":[],"legal":{},"outcome":{"winner":1}}"#;
    shows(&["capture-and-conquer", "--position", "10/4/2"], line);
    shows(&["capture-and-conquer", "--position", "8/4/1", "--moves", "2"], line);
    shows(
        &["command-clash", "--position", "0/3"],
        r#"{"game":"command-clash","rules":{"points":5,"defeat":"zero"},"position":"0/3","turn":[],"legal":{},"outcome":{"winner":2}}"#,
    );
    shows(
        &["command-line-conquer", "--position", "9/10/1", "--moves", "m9"],
        r#"{"game":"command-line-conquer","rules":{"positions":11,"units":3,"strength":5,"battle":"departure"},"position":"10/-/2","turn":[],"legal":{},"outcome":{"winner":1}}"#,
    );
}

#[test]
fn moves_lead_from_the_start_or_from_a_position() {
    for (game, arguments, position) in [
        ("capture-and-conquer", &["--moves", "2 2 1"][..], "3/8/2"),
        ("base-battle", &["--moves", "3 2 2", "--first", "p1"], "5/8/2"),
        ("base-battle", &["--position", "5/8/2", "--moves", "2"], "4/6/1"),
        ("base-battle", &["--moves", "3 2 2 2 2", "--rule", "push=onward"], "7/5/2"),
        ("command-clash", &["--moves", "charge|attack special|shield"], "1/3"),
        ("command-line-conquer", &["--moves", "m0 r m1"], "2/10,10/2"),
        // A position may begin with a hyphen: Player 1 has no units.
        ("command-line-conquer", &["--position", "-/7,10/1", "--moves", "r"], "0/7,10/2"),
        ("capture-the-line", &["--moves", " 2  2\n2 "], "5/9/2"),
    ] {
        let ran = skirmish(&[&["show", game, "--json"], arguments].concat(), "").exits(0);
        ran.says(&[&format!("\"position\":\"{position}\"")]);
    }
}

/// R-BB-5: a forced pass is the only legal choice, with its own notation.
#[test]
fn a_forced_pass_is_a_move_like_any_other() {
    let position = ["show", "base-battle", "--position", "9/10/1", "--json"];
    skirmish(&position, "").exits(0).says(&[r#""legal":{"1":["pass"]}"#]);
    let passed = [&position[..], &["--moves", "pass"]].concat();
    skirmish(&passed, "").exits(0).says(&[r#""position":"9/10/2""#]);
}

#[test]
fn a_position_in_words() {
    let ran = skirmish(&["show", "base-battle", "--moves", "3 2 2"], "").exits(0);
    assert_eq!(
        ran.out,
        "\
[  _ ][  _ ][  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][ P2 ][  _ ][  _ ]
  0     1     2     3     4     5     6     7     8     9     10

Position: 5/8/2
Player 2 moves.
Legal for Player 2: 1 or 2
"
    );
    let ran = skirmish(&["show", "command-clash", "--position", "1/3"], "").exits(0);
    assert_eq!(
        ran.out,
        "\
Player 1  [#....] 1 CP
Player 2  [###..] 3 CP

Position: 1/3
Player 1 and Player 2 choose at once.
Legal for Player 1: charge, attack or shield
Legal for Player 2: charge, attack, special or shield
"
    );
    let ran = skirmish(&["show", "capture-the-line", "--moves", "2 2 2 1 1"], "").exits(0);
    assert!(ran.out.ends_with("Position: 6/8/2\nThe game is over: Player 1 has won.\n"));
}

#[test]
fn what_cannot_be_is_a_usage_error() {
    for (arguments, why) in [
        (
            &["capture-and-conquer", "--moves", "2 9"][..],
            "move 2: \"9\" is not a move here: enter 1 or 2.",
        ),
        (
            &["base-battle", "--moves", "3 2 2 3"],
            "move 4: Position 5 is occupied by Player 1. Enter 1 or 2.",
        ),
        (&["capture-the-line", "--moves", "2 2 2 1 1 1"], "move 6: The game is over."),
        // Moves in `--moves` are neither adjusted (R-CTL-1) nor abbreviated.
        (&["capture-the-line", "--moves", "2 2 2 2 2"], "move 5: "),
        (
            &["command-line-conquer", "--moves", "recruit"],
            "move 1: \"recruit\" is not a move here: enter m0 or r.",
        ),
        (&["command-clash", "--moves", "charge"], "move 1: \"charge\" is not a move here"),
        (
            &["base-battle", "--position", "here"],
            "\"here\" is not a position: write P1/P2/MOVER, such as 0/10/1",
        ),
        (&["base-battle", "--position", "0/11/1"], "0/11/1 is not a legal position: "),
        (&["base-battle", "--position", "5/5/1"], "5/5/1 is not a legal position: "),
        (&["command-clash", "--position", "6/5"], "6/5 is not a legal position: "),
        (&["capture-the-line", "--position", "7/8/1"], "7/8/1 is not a legal position: "),
        (
            &["command-line-conquer", "--position", "0,0,0,0/10/1"],
            "0,0,0,0/10/1 is not a legal position: ",
        ),
        (&["command-line-conquer", "--position", "-/-/3"], "\"-/-/3\" is not a position: "),
        (
            &["capture-the-line", "--first", "p2"],
            "in Capture the Line Player 1 always starts (R-ALL-1)",
        ),
        (
            &["command-clash", "--first", "p2"],
            "nobody starts in Command Clash: both players act at once (R-ALL-1)",
        ),
        (&["base-battle", "--rule", "push=no"], "push=no is not possible"),
    ] {
        let ran = skirmish(&[&["show"], arguments].concat(), "").exits(2);
        assert_eq!(ran.out, "", "{arguments:?}");
        assert!(ran.err.starts_with(&format!("error: {why}")), "{arguments:?}: {}", ran.err);
    }
}
