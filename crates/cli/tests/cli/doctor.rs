//! `skirmish doctor`: a report that is safe to paste.

use std::fs;

use crate::support::{Home, run};
use crate::terminal::Terminal;

#[test]
fn the_report_has_everything_a_maintainer_asks_for() {
    let home = Home::new();
    fs::create_dir_all(home.file("data/skirmish")).expect("the home can be written");
    let mut command = home.command(&["doctor"]);
    command.env("PATH", home.path());
    let version = format!("  version       {}", env!("CARGO_PKG_VERSION"));
    let ran = run(command, "").exits(0).says(&[
        "Program\n",
        &version,
        &format!("  architecture  {}\n", std::env::consts::ARCH),
        "Terminal\n  input                  not a terminal\n",
        "  colours in lines       no\n  colours in the arcade  16\n",
        "Locale\n  LANG     \"C.UTF-8\"\n  Unicode  yes\n",
        "Folders\n  data      ~/data/skirmish: writable\n",
        "  settings  ~/config/skirmish: does not exist yet\n",
        "Bots\n  sandbox  not available: --sandbox ",
        "Memory that can still be allocated\n",
        "used to solve games",
    ]);
    assert_eq!(ran.err, "");
    let left = fs::read_dir(home.file("data/skirmish")).expect("it is there").count();
    assert_eq!(left, 0, "the trial file is gone");
}

#[test]
fn a_folder_that_cannot_be_written_says_why() {
    let home = Home::new();
    fs::create_dir_all(home.file("config")).expect("the home can be written");
    home.write("config/skirmish", "a file");
    let mut command = home.command(&["doctor"]);
    command.env("XDG_DATA_HOME", "/dev/null");
    run(command, "").exits(0).says(&[
        "  data      /dev/null/skirmish: not writable: not a directory\n",
        "  settings  ~/config/skirmish: not writable: not a directory\n",
    ]);
}

#[test]
fn the_report_names_nobody_and_controls_no_terminal() {
    let home = Home::new();
    let shared = tempfile::tempdir().expect("a folder for the test");
    let mut command = home.command(&["doctor"]);
    command.env("USER", "annabelle").env("XDG_DATA_HOME", shared.path().join("annabelle"));
    command.env("TERM", "x\u{1b}[2J\u{202e}").env("LC_ALL", "C\r\nUTF-8");
    let ran = run(command, "").exits(0).says(&[
        r#"  TERM                   "x\u{1b}[2J\u{202e}""#,
        r#"  LC_ALL   "C\r\nUTF-8""#,
        "/USER/skirmish: does not exist yet\n",
    ]);
    let home = home.path().file_name().expect("it has a name").to_string_lossy();
    for secret in ["annabelle", &home] {
        assert!(!ran.out.contains(secret), "{}", ran.out);
    }
}

#[test]
fn on_a_terminal_the_report_tells_its_size_and_colours() {
    let home = Home::new();
    let variables = [("TERM", "xterm-256color"), ("CLICOLOR_FORCE", "1")];
    let terminal = Terminal::sized(&home, &["doctor"], (90, 50), &variables);
    let screen = terminal.ends(0);
    for row in [
        "  TERM                   \"xterm-256color\"",
        "  CLICOLOR_FORCE         \"1\"",
        "  input                  a terminal",
        "  output                 a terminal",
        "  size                   90 x 50",
        "  colours in lines       yes",
        "  colours in the arcade  256",
    ] {
        assert!(screen.contains(row), "{row}\n{screen}");
    }
}
