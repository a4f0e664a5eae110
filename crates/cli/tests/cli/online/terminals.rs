//! Online games on real terminals: in lines, and on the full screen.

use super::Served;
use crate::support::Home;
use crate::terminal::{CTRL_C, CTRL_D, CTRL_Z, DOWN, LEFT, Terminal, UP, assert_tells, tells};

/// A terminal with the full screen, without animation.
fn full_screen(home: &Home, arguments: &[&str]) -> Terminal {
    let arguments = [arguments, &["--tui", "--no-motion"]].concat();
    Terminal::sized(home, &arguments, (100, 30), &[("TERM", "xterm-256color")])
}

#[test]
fn a_person_hosts_a_game_in_lines() {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let options = ["--listen", "127.0.0.1:0", "--seat", "p1", "--name", "Ann"];
    let mut ann =
        Terminal::open(&ann_home, &[&["host", "capture-the-line"], &options[..]].concat());
    let screen = ann.wait("the code", |screen| {
        screen.contains("The code of the game is ") && screen.trim_end().ends_with('.')
    });
    assert!(screen.contains('▀') && screen.contains('█'), "a QR code\n{screen}");
    let invitation = screen.lines().find_map(|line| line.trim().strip_prefix("skirmish join "));
    let invitation = invitation.expect("the command is shown").to_owned();
    let mut bob = bob_home.talk(&["join", &invitation, "--name", "Bob"]);
    ann.see_prompt("that many points):");
    ann.enter("3");
    ann.see("\"help\" lists what else you can enter.");
    bob.say("say hello\n");
    ann.see("Bob: Hello!");
    ann.see_prompt("that many points):");
    ann.enter("2");
    ann.see("Waiting for Bob.");
    ann.enter("1");
    ann.see("It is not your turn.");
    bob.say("1\n");
    ann.see_prompt("that many points):");
    ann.enter("resign");
    ann.see_prompt("Do you resign (yes or no)?");
    ann.enter("no");
    ann.see_prompt("that many points):");
    ann.enter("resign");
    ann.see_prompt("Do you resign (yes or no)?");
    ann.enter("yes");
    ann.see("Enter rematch, review, save FILE, lobby or quit.");
    bob.hear("Ann resigns.");
    bob.end().exits(0);
    ann.enter("quit");
    ann.ends(0);
}

#[test]
fn a_terminal_that_ends_its_input_or_presses_ctrl_c_is_told_how_to_come_back() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (ann, code) = server.creator(&ann_home, "capture-the-line --seat p1");
    let invitation = format!("{}/g/{code}", server.url);
    for (key, exit) in [(CTRL_D, 3), (CTRL_C, 130)] {
        let mut bob = Terminal::open(&bob_home, &["join", &invitation, "--name", "Bob"]);
        bob.see("Waiting for Ann.");
        bob.press(key);
        let screen = bob.ends(exit);
        assert_tells(&screen, &format!("To come back: skirmish join {invitation}"));
    }
    ann.end().exits(3);
}

/// Messages from the server appear above the line that is being typed.
#[test]
fn a_half_typed_line_survives_what_others_do() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --seat p1");
    let invitation = format!("{}/g/{code}", server.url);
    let mut bob = Terminal::open(&bob_home, &["join", &invitation, "--name", "Bob"]);
    bob.see("Waiting for Ann.");
    bob.press("say thnks");
    bob.see_prompt("say thnks");
    ann.say("say hello\n");
    bob.see("Ann: Hello!\nsay thnks");
    ann.say("2\n");
    bob.see_prompt("that many points): say thnks");
    for _ in 0..3 {
        bob.press(LEFT);
    }
    bob.press("a");
    bob.press("\r");
    ann.hear("Bob: Thank you for the game.");
    // The history recalls the line, and then the unfinished new line.
    bob.see_prompt("that many points):");
    bob.press("bo");
    bob.press(UP);
    bob.see_prompt("that many points): say thanks");
    bob.press(DOWN);
    bob.see_prompt("that many points): bo");
    bob.press("ard\r");
    bob.see("[3]");
    bob.see_prompt("that many points):");
    bob.press("resign\r");
    bob.see_prompt("Do you resign (yes or no)?");
    ann.say("say oops\n");
    bob.see("Ann: Oops!\nDo you resign (yes or no)?");
    bob.press("no\r");
    bob.see_prompt("that many points):");
    bob.press(CTRL_D);
    let screen = bob.ends(3);
    assert_eq!(screen.matches("that many points):").count(), 3, "{screen}");
    drop(ann);
}

#[test]
fn a_suspended_game_goes_on_with_the_line_that_was_typed() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (ann, code) = server.creator(&ann_home, "capture-the-line --seat p2");
    let invitation = format!("{}/g/{code}", server.url);
    let arguments = ["join", &invitation, "--name", "Bob"];
    let variables = [("TERM", "xterm-256color")];
    let mut bob = Terminal::with_jobs(&bob_home, &arguments, (100, 40), &variables);
    bob.see_prompt("that many points):");
    bob.press("2");
    bob.see_prompt("that many points): 2");
    bob.press(CTRL_Z);
    bob.see("suspended: isig icanon echo");
    bob.enter("");
    bob.wait("the prompt again", |screen| screen.matches("that many points): 2").count() == 2);
    bob.press("\r");
    ann.hear("Bob moves to Point 3.");
    bob.press(CTRL_D);
    bob.ends(3);
    drop(ann);
}

/// A prompt that leaves no room for input gets its own line, and a long input line scrolls.
#[test]
fn a_line_can_be_typed_in_a_narrow_window() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --seat p2");
    let invitation = format!("{}/g/{code}", server.url);
    let arguments = ["join", &invitation, "--name", "Bob"];
    let variables = [("TERM", "xterm-256color"), ("NO_COLOR", "1")];
    let mut bob = Terminal::sized(&bob_home, &arguments, (40, 24), &variables);
    bob.see("forward that many points):\n>");
    bob.press(&"1234567890".repeat(5));
    bob.see_prompt("> 567890123456789012345678901234567890");
    bob.press("\u{15}");
    ann.say("say hello\n");
    let screen = bob
        .see("Ann: Hello!\nChoose your move (enter 1 or 2 to move\nforward that many points):\n>");
    assert_eq!(screen.matches("Choose your move").count(), 1, "{screen}");
    bob.press("2\r");
    bob.see("Waiting for Ann.");
    bob.press(CTRL_C);
    bob.ends(130);
    drop(ann);
}

/// The terminal wraps a word that is too wide for it: all rows of the prompt must then be erased.
#[test]
fn a_prompt_with_a_long_name_leaves_no_row_behind() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "command-clash --seat p1");
    let (invitation, name) = (format!("{}/g/{code}", server.url), "B".repeat(24));
    let arguments = ["join", &invitation, "--name", &name];
    let variables = [("TERM", "xterm-256color"), ("NO_COLOR", "1")];
    let mut bob = Terminal::sized(&bob_home, &arguments, (24, 60), &variables);
    let before = bob.see("Attack, Shield):\n>");
    ann.say("say hello\n");
    let after = bob.wait("the prompt below the message", |screen| {
        let is_asked = screen.trim_end().ends_with("Attack, Shield):\n>");
        screen.contains("Ann: Hello!\n") && is_asked
    });
    let count = |screen: &str| screen.matches(&name).count();
    assert_eq!(count(&before), count(&after), "{after}");
    bob.press(CTRL_C);
    bob.ends(130);
    drop(ann);
}

#[test]
fn a_choice_that_cannot_be_made_says_why() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (ann, code) = server.creator(&ann_home, "command-clash --seat p1");
    let invitation = format!("{}/g/{code}", server.url);
    let mut bob = Terminal::open(&bob_home, &["join", &invitation, "--name", "Bob"]);
    bob.see_prompt("Shield):");
    bob.enter("charge");
    bob.see("Waiting for Ann.");
    bob.enter("shield");
    bob.see("You have chosen already, and cannot change it.");
    server.stop("TERM", 143);
    bob.see("Reconnecting at the server's request. Nothing is lost.");
    bob.enter("attack");
    bob.see("The game is paused; enter it again when the server is back.");
    bob.enter("quit");
    bob.ends(0);
    drop(ann);
}

/// One player uses the full screen, the other line mode.
#[test]
fn a_game_is_played_on_the_full_screen_and_in_lines() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --seat p1");
    let invitation = format!("{}/g/{code}", server.url);
    let mut bob = full_screen(&bob_home, &["join", &invitation, "--name", "Bob"]);
    ann.say("2\n");
    bob.see("Ann moves to Point 3.");
    bob.press("1");
    ann.hear("Bob moves to Point 10.");
    ann.say("2\n");
    bob.see("Ann moves to Point 5.");
    bob.press("2");
    ann.hear("Bob moves to Point 8.");
    ann.say("1\n");
    bob.see("Ann wins");
    ann.end().exits(0);
    bob.press(CTRL_C);
    let screen = bob.ends(130);
    assert!(!screen.contains("To come back"), "the game is over\n{screen}");
}

/// A QR code that did not fit once pushed the address out of the window.
#[test]
fn a_low_window_has_the_address_and_no_qr_code() {
    let home = Home::new();
    let arguments = ["host", "capture-the-line", "--listen", "127.0.0.1:0"];
    let variables = [("TERM", "xterm-256color")];
    let mut ann = Terminal::sized(&home, &arguments, (80, 12), &variables);
    let screen = ann.see("The code of the game is ");
    assert!(screen.contains("skirmish join http") && !screen.contains('█'), "{screen}");
    ann.press(CTRL_C);
    let screen = ann.ends(130);
    assert_tells(&screen, "To go on: skirmish host --resume");
}

#[test]
fn a_game_can_be_hosted_on_the_full_screen() {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let options = ["--listen", "127.0.0.1:0", "--seat", "p1", "--name", "Ann"];
    let mut ann = full_screen(&ann_home, &[&["host", "capture-the-line"], &options[..]].concat());
    let screen = ann.see("/g/");
    let (_, rest) = screen.split_once("http://").expect("the address is shown");
    let address = rest.split_whitespace().next().expect("it ends");
    let invitation = format!("http://{address}");
    let mut bob = bob_home.talk(&["join", &invitation, "--name", "Bob"]);
    bob.hear("You are Bob (P2).");
    ann.see("Bob");
    ann.press("2");
    bob.hear("Ann moves to Point 3.");
    bob.say("1\n");
    ann.see("Bob moves to Point 10.");
    ann.press(CTRL_C);
    let screen = ann.ends(130);
    assert_tells(&screen, "To go on: skirmish host --resume");
    bob.hear("Reconnecting at the server's request. Nothing is lost.");
    drop(bob);
}

#[test]
fn an_address_that_does_not_answer_is_told_before_the_screen_is_taken() {
    let home = Home::new();
    let bob = full_screen(&home, &["join", "127.0.0.1:1"]);
    let screen = bob.ends(1);
    assert!(screen.contains("error: cannot connect to http://127.0.0.1:1"), "{screen}");
}

#[test]
fn a_server_that_nobody_named_is_told_with_what_to_do() {
    let advice = "Name a server with --server URL, or host a game with skirmish host GAME";
    let server = Served::new();
    let home = Home::new();
    home.run(&["join", &server.url], "").exits(0);
    let (_, address) = server.stop("TERM", 143);
    // A server that was never reached does not replace the last one.
    let screen = full_screen(&home, &["join", "127.0.0.1:1"]).ends(1);
    assert!(!tells(&screen, advice), "{screen}");
    let expected = format!("error: cannot connect to http://{address}: ");
    let ran = home.run(&["join"], "").exits(1);
    assert!(ran.err.starts_with(&expected) && ran.err.contains(advice), "{}", ran.err);
    let screen = full_screen(&home, &["join"]).ends(1);
    assert!(tells(&screen, &expected) && tells(&screen, advice), "{screen}");
}
