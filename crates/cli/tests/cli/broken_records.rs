//! Invalid records: the error names file, line and cause, the exit code is 1, and nothing changes.

use std::fs;

use crate::support::{Home, Ran, not_found, read};

/// Asserts that `replay` and `play --resume` report the same error for a record.
#[track_caller]
fn refused(home: &Home, file: &str) -> Ran {
    let shown = home.run(&["replay", file], "").exits(1);
    let resumed = home.run(&["play", "--resume", file], "1\n").exits(1);
    assert_eq!(resumed.err, shown.err);
    assert_eq!(shown.out, "");
    assert_eq!(home.saves().len(), 0, "no game has begun");
    resumed
}

#[test]
fn a_broken_record_is_refused_with_its_line_and_cause() {
    const HEAD: &str = "[Game \"base-battle\"]\n";
    let cases: [(&str, &str); 26] = [
        ("", "line 1: the Game tag is missing"),
        ("hello\n", "line 1: the Game tag is missing"),
        ("[Game \"chess\"]\n", "line 1: there is no game \"chess\""),
        ("[Game base-battle]\n", "line 1: expected a tag [Name \"value\"]"),
        ("[Game \"base-battle\n", "line 1: expected a tag [Name \"value\"]"),
        ("{HEAD}[Game \"base-battle\"]\n", "line 2: the tag Game is given twice"),
        ("{HEAD}[Rules \"push=hard\"]\n", "line 2: push=hard is not possible: expected facing"),
        ("{HEAD}[Rules \"wind=1\"]\n", "line 2: there is no rule option \"wind\""),
        ("{HEAD}[Player1 \" \"]\n", "line 2: a player's name cannot be empty"),
        ("{HEAD}[Player1 \"A\u{7}nn\"]\n", "line 2: the value of Player1 must be at most"),
        ("{HEAD}[First \"me\"]\n", "line 2: First is \"me\": expected p1 or p2"),
        ("[First \"p2\"]\n[Game \"capture-the-line\"]\n", "line 1: in Capture the Line Player 1"),
        ("{HEAD}[Seed \"-1\"]\n", "line 2: Seed is \"-1\": expected a number"),
        ("{HEAD}[TurnLimit \"many\"]\n", "line 2: TurnLimit is \"many\": expected a number"),
        ("{HEAD}[Match \"game 4 of 3, score 2-1\"]\n", "line 2: expected a Match such as"),
        ("{HEAD}[Match \"game 2 of 3, score 5-0\"]\n", "line 2: expected a Match such as"),
        ("{HEAD}[Result \"2-0\"]\n", "line 2: Result is \"2-0\": expected 1-0, 0-1, 1/2-1/2 or *"),
        ("{HEAD}[Result \"1-0\"]\n\n1. 3\n", "line 2: the turns do not end the game"),
        (
            "{HEAD}[Result \"1-0\"]\n[Termination \"agreed\"]\n",
            "line 3: the termination \"agreed\" contradicts the result 1-0",
        ),
        ("{HEAD}\n1. 3\n2. 9\n", "line 4: turn 2: \"9\" is not a move here: enter 1, 2 or 3."),
        ("{HEAD}\n1. 3\n2. 3\n3. 4\n", "line 5: turn 3: \"4\" is not a move here"),
        ("{HEAD}\n3 2 2 3\n", "line 3: turn 4: Position 5 is occupied by Player 1. Enter 1 or 2."),
        ("{HEAD}\n1. 3\n3. 3\n", "line 4: expected turn 2, found 3"),
        (
            "{HEAD}\n1. 3 {no end\n",
            "line 3: the comment that begins here is not closed: expected }",
        ),
        ("{HEAD}\n1. 3\n[Seed \"1\"]\n", "line 4: tags must come before the turns"),
        ("{HEAD}\n1. 3\n* 2\n", "line 4: unexpected \"2\" after the result"),
    ];
    for (content, cause) in cases {
        let home = Home::new();
        let content = content.replace("{HEAD}", HEAD);
        let file = home.write("x.skr", &content).display().to_string();
        let ran = refused(&home, &file);
        let expected = format!("error: {file}, {cause}");
        assert!(ran.err.starts_with(&expected), "{content:?}\n{}\nnot {expected}", ran.err);
        assert_eq!(ran.err.trim_end().lines().count(), 1, "one line says it: {}", ran.err);
        assert_eq!(read(&home.file("x.skr")), content, "the file is untouched");
    }
}

/// Whether a text contains characters that would control the terminal, reorder its text or be invisible.
fn is_harmful(text: &str) -> bool {
    text.contains(['\u{1b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}'])
}

#[test]
#[cfg(unix)]
fn nothing_in_a_record_or_its_name_upsets_the_terminal() {
    let home = Home::new();
    let name = "evil\u{202e}\u{1b}[2J.skr";
    let record = "[Game \"base-battle\"]\n[Player1 \"An\u{202e}n\"]\n[Event \"\u{2066}x\"]\n\n\
                  1. 3 {left\u{202e} to \u{1b}[31mright\u{200b}\u{feff}}\n";
    home.write(name, record);
    for arguments in [
        &["replay", name][..],
        &["replay", name, "--json"],
        &["review", name],
        &["review", name, "--json"],
    ] {
        let ran = home.run(arguments, "").exits(0);
        assert!(ran.out.contains("right") || !arguments.contains(&"replay"), "{}", ran.out);
        assert!(!is_harmful(&ran.out) && !is_harmful(&ran.err), "{arguments:?}: {:?}", ran.out);
    }
    home.write(name, "[Game \"chess\u{202e}\"]\n");
    let ran = home.run(&["replay", name], "").exits(1);
    assert!(ran.err.starts_with("error: evil\u{fffd}\u{fffd}[2J.skr, line 1: "), "{:?}", ran.err);
    assert!(!is_harmful(&ran.err), "{:?}", ran.err);
    // The command to resume is quoted for a shell.
    home.write(name, record);
    let ran = home.run(&["play", "--resume", name], "quit\n").exits(0);
    assert!(ran.err.contains("--resume $'"), "{:?}", ran.err);
    assert!(ran.err.contains(r"/evil\xe2\x80\xae\x1b[2J.skr'"), "{:?}", ran.err);
    assert!(!is_harmful(&ran.out) && !is_harmful(&ran.err), "{:?} {:?}", ran.out, ran.err);
}

#[test]
fn a_file_far_too_large_is_not_even_read_to_its_end() {
    let home = Home::new();
    let file = fs::File::create(home.file("x.skr")).expect("the folder can be written");
    file.set_len(1 << 40).expect("a file with a hole needs no room");
    refused(&home, "x.skr").complains("error: x.skr is too large for a record: at most 16 MiB");
}

#[test]
fn a_missing_file_is_told_as_what_it_is() {
    let home = Home::new();
    let missing = format!("error: cannot read gone.skr: {}", not_found());
    refused(&home, "gone.skr").complains(&missing);
}

#[test]
#[cfg(unix)]
fn a_folder_is_told_as_what_it_is() {
    let home = Home::new();
    fs::create_dir(home.file("folder")).expect("the folder can be made");
    refused(&home, "folder").complains("error: cannot read folder: is a directory");
}

#[test]
#[cfg(unix)]
fn a_file_that_may_not_be_read_is_told_so() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let file = home.write("x.skr", "[Game \"base-battle\"]\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("it is our file");
    if fs::read(&file).is_ok() {
        return; // Root can read every file.
    }
    let denied = "error: cannot read x.skr: Permission denied (os error 13)";
    refused(&home, "x.skr").complains(denied);
}
