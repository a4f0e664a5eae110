//! Output in an ASCII locale, and the layout of wide characters.

use crate::support::{Home, run, skirmish};
#[cfg(unix)]
use crate::terminal::Terminal;

const FAMILY: &str = "👨\u{200d}👩\u{200d}👧\u{200d}👦";

#[test]
fn without_a_locale_for_it_no_glyph_of_ours_is_beyond_ascii() {
    let draws = "draw\nyes\ndraw\nyes\ndraw\nyes\n";
    for (arguments, input) in [
        (&["play", "command-clash", "--match", "3"][..], draws),
        (&["lab", "base-battle", "--levels"], ""),
        (
            &[
                "tournament",
                "base-battle",
                "novice",
                "casual",
                "perfect",
                "--games",
                "2",
                "--seed",
                "1",
            ],
            "",
        ),
        (&["rules", "command-clash"], ""),
        (&["map", "base-battle"], ""),
        (&["find", "base-battle", "not over"], ""),
        (&["solve", "base-battle"], ""),
    ] {
        for locale in [("LC_ALL", "C"), ("LANG", "POSIX"), ("SKIRMISH_ASCII", "1")] {
            let home = Home::new();
            let mut command = home.command(arguments);
            command.env(locale.0, locale.1);
            let ran = run(command, input).exits(0);
            let other: String =
                ran.out.chars().chain(ran.err.chars()).filter(|it| !it.is_ascii()).collect();
            assert_eq!(other, "", "{arguments:?} {locale:?}");
        }
    }
}

#[test]
fn half_a_point_is_written_as_the_locale_allows() {
    let arguments = ["play", "command-clash", "--match", "2", "--names", "Zoë,Bob"];
    let input = "draw\nyes\nresign\n";
    let usual = skirmish(&arguments, input).exits(0);
    usual.says(&["Score: Zoë ½, Bob ½\n", "Final score: Zoë ½, Bob 1½\n"]);
    let ascii = skirmish(&[&["--ascii"], &arguments[..]].concat(), input).exits(0);
    ascii.says(&["Score: Zoë 0.5, Bob 0.5\n", "Final score: Zoë 0.5, Bob 1.5\n"]);
}

#[test]
fn what_programs_read_does_not_depend_on_the_locale() {
    let arguments = ["play", "command-clash", "--json", "--names", "Zoë ½,Bob"];
    let home = Home::new();
    let mut command = home.command(&arguments);
    command.env("LC_ALL", "C");
    run(command, "quit\n").exits(0).says(&["\"1\":\"Zoë ½\""]);
}

#[test]
fn tables_are_aligned_by_what_is_seen() {
    let names = format!("李雷,{FAMILY}");
    let ran = skirmish(&["play", "command-clash", "--names", &names], "quit\n").exits(0);
    ran.says(&[&format!("李雷  [#####] 5 CP\n{FAMILY}    [#####] 5 CP\n")]);
    let arguments = ["tournament", "base-battle", "novice", "李雷雷雷雷=casual", "--games", "2"];
    let ran = skirmish(&arguments, "").exits(0);
    let column = |letter: char| if matches!(letter, '李' | '雷') { 2 } else { 1 };
    let ends = ran.out.lines().skip(2).take(3).map(|line| line.chars().map(column).sum::<usize>());
    let ends: Vec<usize> = ends.collect();
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}\n{}", ran.out);
}

#[test]
#[cfg(unix)]
fn wide_names_stay_inside_their_panels_in_the_arcade() {
    let home = Home::new();
    let names = format!("李雷和韩梅梅的好朋友们呀,{FAMILY} Ann");
    let arguments =
        ["play", "base-battle", "--first", "p1", "--names", &names, "--tui", "--no-motion"];
    let variables = [("TERM", "xterm-256color")];
    let mut terminal = Terminal::sized(&home, &arguments, (60, 24), &variables);
    terminal.see("李雷和韩梅梅的好朋友们呀 to move");
    terminal.press("2");
    terminal.wait("the turn, whole", |screen| {
        let told: String = screen.split_whitespace().collect();
        told.contains("李雷和韩梅梅的好朋友们呀moves2positionstoposition2.")
    });
}
