//! The rulebooks' sample interactions, word for word, from the real binary. The full transcripts are in
//! `transcripts/`.

use crate::support::{Ran, assert_golden, skirmish};

/// Plays these lines and compares the whole transcript with its file.
#[track_caller]
fn play(game: &str, options: &[&str], lines: &[&str]) -> Ran {
    let arguments = [&["play", game], options].concat();
    let ran = skirmish(&arguments, lines.join("\n")).exits(0);
    let beside = "The game is recorded. To review it: skirmish review ";
    assert!(ran.err.starts_with(beside) && ran.err.lines().count() == 1, "{}", ran.err);
    assert_golden(&format!("tests/cli/transcripts/{game}.txt"), &ran.out);
    ran
}

/// R-CC-4: turns 1 to 7 replay; then Player 2 moves on to position 0, where the rulebook says 10.
#[test]
fn capture_and_conquer_reads_like_its_sample_interaction() {
    let lines = ["2", "2", "1", "1", "2", "2", "2", "2", "2", "2", "2", "1"];
    play("capture-and-conquer", &["--first", "p1"], &lines).says(&[
        "\
Welcome to Capture and Conquer!

Player 1's base is at position 0.
Player 2's base is at position 10.

Player 1 starts first.

Positions: [0 P1][1][2][3][4][5][6][7][8][9][10 P2]
",
        "\
Player 1's turn.
Enter your move (1 or 2 positions forward): 2

Player 1 moves to position 2.
Positions: [0][1][2 P1][3][4][5][6][7][8][9][10 P2]
",
        "\
Player 2's turn.
Enter your move (1 or 2 positions forward): 2

Player 2 moves to position 8.
Positions: [0][1][2 P1][3][4][5][6][7][8 P2][9][10]
",
        "\
Player 2's turn.
Enter your move (1 or 2 positions forward): 2

Player 2 moves to position 5.
Battle occurs at position 5!
Player 2 wins the battle.
Player 1's unit is sent back to base.

Positions: [0 P1][1][2][3][4][5 P2][6][7][8][9][10]
",
        "\
Player 2's turn.
Enter your move (1 position forward): 1

Player 2 moves to position 0.
Player 2 has reached Player 1's base!
Player 2 wins the game!

Final Positions: [0 P2][1][2][3][4][5][6 P1][7][8][9][10]
",
    ]);
}

/// R-BB-7: turns 1 to 3 and the refused attempt in turn 4 replay under the default options.
#[test]
fn base_battle_reads_like_its_sample_turn() {
    let lines = ["3", "2", "2", "3", "2", "resign"];
    play("base-battle", &["--first", "p1"], &lines).says(&[
        "
[ P1 ][  _ ][  _ ][  _ ][  _ ][  _ ][  _ ][  _ ][  _ ][  _ ][ P2 ]
  0     1     2     3     4     5     6     7     8     9     10
",
        "
[  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][  _ ][  _ ][ P2 ][  _ ][  _ ]
  0     1     2     3     4     5     6     7     8     9     10

Player 1, you are at position 3.
Player 2 is at position 8.
Enter your move (1-3): 2

Player 1 moves 2 positions to position 5.
[  _ ][  _ ][  _ ][  _ ][  _ ][ P1 ][  _ ][  _ ][ P2 ][  _ ][  _ ]
  0     1     2     3     4     5     6     7     8     9     10

Player 2, you are at position 8.
Player 1 is at position 5.
Enter your move (1-2): 3
Position 5 is occupied by Player 1. Enter 1 or 2.
Enter your move (1-2): 2
",
    ]);
}

/// Turns 1 and 2 and the end are as in the rulebook; other turns connect them.
#[test]
fn command_clash_reads_like_its_sample_interaction() {
    let turns = [
        ["Charge", "Attack"],
        ["Special Attack", "Shield"],
        ["Charge", "Shield"],
        ["Charge", "Shield"],
        ["Charge", "Charge"],
        ["Special Attack", "Charge"],
    ];
    play("command-clash", &[], &turns.concat()).says(&[
        "Welcome to Command Clash!\nPlayer 1 and Player 2 both start with 5 CP.\n",
        "
Player 1, enter your action (Charge, Attack, Special Attack, Shield): Charge
Player 2, enter your action (Charge, Attack, Special Attack, Shield): Attack

Actions resolving...
Player 1 charges and gains +1 CP! (Player 1 CP: 5)
Player 2 attacks! (Cost: 1 CP; Player 2 CP: 4)
Player 1 takes 1 damage. (Player 1 CP: 4)
",
        "
Player 1, enter your action (Charge, Attack, Special Attack, Shield): Special Attack
Player 2, enter your action (Charge, Attack, Special Attack, Shield): Shield

Actions resolving...
Player 1 uses Special Attack! (Cost: 3 CP; Player 1 CP: 1)
Player 2 shields! (Cost: 1 CP; Player 2 CP: 3)
Player 2 blocks the Special Attack!
",
        "
Player 1 has reduced Player 2's CP to zero!
Player 1 wins the game!
",
    ]);
}

/// R-CTL-3: the sample turns that do not walk backwards. The adjusted move is played, with the reason
/// that the rulebook gives (R-CTL-1).
#[test]
fn capture_the_line_reads_like_its_sample_interaction() {
    play("capture-the-line", &[], &["2", "2", "2", "1", "1"]).says(&[
        "Player Positions:\n- Player 1: Point 1\n- Player 2: Point 11\n",
        "
It's Player 1's turn.
Current Positions: Player 1 at Point 3, Player 2 at Point 9.
Choose your move (enter 1 or 2 to move forward that many points): 2

Player 1 moves to Point 5.
",
        "Current Positions: Player 2 at Point 9, Player 1 at Point 5.\n",
        "Player Positions:\n- Player 1: Point 6 (Victory)\n",
    ]);
    let adjusted = skirmish(&["play", "capture-the-line"], "1\n2\n1\n1\n1\n1\n1\n2\n").exits(0);
    adjusted.says(&["
It's Player 2's turn.
Current Positions: Player 2 at Point 7, Player 1 at Point 5.
Choose your move (enter 1 or 2 to move forward that many points): 2

Cannot move 2 points; this would pass Player 1's position.
Adjusted move to 1 point.

Player 2 moves to Point 6.
"]);
}

/// The input in each step of the worked example, and the units that the rulebook shows after it.
pub(crate) const CONQUEST: [(&str, &str); 29] = [
    ("move 0", "P1(2) P2(1)"),
    ("recruit", "P1(2) P2(1) P2(1)"),
    ("move 1", "P1(3) P2(1) P2(1)"),
    ("move 10", "P1(3) P2(2) P2(1)"),
    ("recruit", "P1(1) P1(3) P2(2) P2(1)"),
    ("move 9", "P1(1) P1(3) P2(3) P2(1)"),
    ("move 0", "P1(2) P1(3) P2(3) P2(1)"),
    ("move 8", "P1(2) P1(3) P2(4) P2(1)"),
    ("move 1", "P1(3) P1(3) P2(4) P2(1)"),
    ("move 7", "P1(3) P1(3) P2(5) P2(1)"),
    ("move 2", "P1(4) P1(3) P2(5) P2(1)"),
    ("move 6", "P1(4) P1(3) P2(5) P2(1)"),
    ("move 3", "P1(5) P1(3) P2(5) P2(1)"),
    ("move 5", "P1(3) P2(1)"),
    ("move 2", "P1(4) P2(1)"),
    ("move 10", "P1(4) P2(2)"),
    ("move 3", "P1(5) P2(2)"),
    ("move 9", "P1(5) P2(3)"),
    ("move 4", "P1(5) P2(3)"),
    ("move 8", "P1(5) P2(4)"),
    ("move 5", "P1(5) P2(4)"),
    // R-CLC-1: the 4 fights before it becomes a 5.
    ("move 7", "P1(5)"),
    ("move 6", "P1(5)"),
    ("recruit", "P1(5) P2(1)"),
    ("move 7", "P1(5) P2(1)"),
    ("move 10", "P1(5) P2(2)"),
    ("move 8", "P1(5)"),
    // R-CLC-5: the rulebook skips this turn; the engine plays the forced recruit.
    ("recruit", "P1(5) P2(1)"),
    ("move 9", "P1(5)"),
];

#[test]
fn command_line_conquer_replays_all_29_steps_of_its_worked_example() {
    let lines = CONQUEST.map(|(line, _)| line);
    let ran = play("command-line-conquer", &[], &lines).says(&[
        "
Positions: 0     1     2     3     4     5     6     7     8     9     10
Units:     P1(1)                                                       P2(1)
",
        "Player 1 moves a unit from position 0 to 1.\nThe unit's strength increases to 2.\n",
        "P1's unit wins; P2's unit is removed.\n",
        "Player 1 has captured Player 2's base and wins the game!\n",
    ]);
    let boards: Vec<&str> = ran.out.split("Positions: ").skip(2).collect();
    assert_eq!(boards.len(), CONQUEST.len(), "the board is shown after every turn");
    for (step, (board, (_, expected))) in boards.iter().zip(CONQUEST).enumerate() {
        let picture = board.split("\n\n").next().unwrap_or_default();
        let mut shown: Vec<&str> = picture.split([' ', '\n']).filter(is_unit).collect();
        let mut expected: Vec<&str> = expected.split(' ').collect();
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected, "step {}", step + 1);
    }
}

fn is_unit(word: &&str) -> bool {
    word.starts_with('P')
}
