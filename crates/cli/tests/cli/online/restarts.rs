//! Lost connections, stopped servers and reconnecting.

use super::{Served, code, count, own_address};
use crate::support::{Home, Talk, send};

/// Continues a game after the server was down. Every turn must be shown exactly once.
fn goes_on(mut ann: Talk, mut bob: Talk, lost: &str) {
    for talk in [&ann, &bob] {
        talk.hear(lost);
        talk.hear("Connected again.");
    }
    bob.say("1\n");
    ann.hear("Bob moves to Point 10.");
    ann.say("2\n1\n");
    bob.say("1\n");
    for ran in [ann.end().exits(0), bob.end().exits(0)] {
        for turn in [
            "Ann moves to Point 3.",
            "Bob moves to Point 10.",
            "Ann moves to Point 5.",
            "Bob moves to Point 9.",
            "Ann moves to Point 6.",
        ] {
            assert_eq!(count(&ran.out, turn), 1, "{turn}\n{}", ran.out);
        }
        assert_eq!(count(&ran.out, "Welcome to"), 1, "{}", ran.out);
    }
}

/// Starts a game and plays its first turn.
fn begun(server: &Served, ann_home: &Home, bob_home: &Home) -> (Talk, Talk) {
    let (mut ann, code) = server.creator(ann_home, "capture-the-line --seat p1");
    let bob = server.guest(bob_home, &code, &[]);
    ann.say("2\n");
    for talk in [&ann, &bob] {
        talk.hear("Ann moves to Point 3.");
    }
    ann.hear("Waiting for Bob.");
    (ann, bob)
}

#[test]
#[cfg(unix)]
fn a_game_goes_on_after_the_server_was_killed() {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let server = Served::new();
    let (ann, bob) = begun(&server, &ann_home, &bob_home);
    let _server = server.crash();
    goes_on(ann, bob, "Connection lost");
}

/// A full pipe once blocked the only thread that serves.
#[test]
#[cfg(unix)]
fn a_log_that_nobody_reads_stops_neither_the_server_nor_its_end() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::Stdio;

    use crate::support::{PATIENCE, spawn};

    let home = Home::new();
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "debug"]);
    let mut server = spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped())).expect("it runs");
    let mut line = String::new();
    let output = server.stdout.take().expect("its output");
    BufReader::new(output).read_line(&mut line).expect("a line");
    let (_, address) = line.trim_end().rsplit_once("//").expect("an address");
    // A pipe holds 64 KiB, and every request is logged in one or two lines of 100 bytes.
    for _ in 0..1000 {
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.write_all(b"GET /health/live HTTP/1.0\r\n\r\n").expect("a request");
        stream.read_to_end(&mut Vec::new()).expect("an answer");
    }
    send("TERM", server.id());
    assert_eq!(server.wait().expect("it ends").code(), Some(143));
    let mut log = String::new();
    server.stderr.take().expect("its log").read_to_string(&mut log).expect("text");
    assert!(log.contains(" info  started ") && log.len() > 60_000, "{}", log.len());
}

#[test]
#[cfg(unix)]
fn a_second_signal_ends_a_server_that_waits_for_its_clients() {
    for (first, second, code) in [("TERM", "INT", 130), ("INT", "TERM", 143), ("TERM", "TERM", 143)]
    {
        let server = Served::new();
        // A client that neither reads nor leaves.
        let client = tungstenite::connect(format!("ws://{}/ws", server.address()));
        let _client = client.expect("the server listens");
        send(first, server.talk.process());
        server.talk.hear_error(" draining ");
        send(second, server.talk.process());
        let ran = server.talk.wait().exits(code);
        assert!(!ran.err.contains(" stopped "), "it did not wait any longer: {}", ran.err);
    }
}

#[test]
fn whoever_leaves_is_told_how_to_come_back_to_the_same_seat() {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let server = Served::new();
    let (mut ann, bob) = begun(&server, &ann_home, &bob_home);
    let ran = bob.end().exits(3);
    let (_, command) = ran.err.split_once("To come back: skirmish ").expect("the command is told");
    let words: Vec<&str> = command.split_whitespace().collect();
    let mut bob = bob_home.talk(&words);
    bob.hear("Going on with Capture the Line after turn 1.");
    bob.hear("You are Bob (P2).");
    bob.say("1\nquit\n");
    ann.hear("Bob moves to Point 10.");
    let ran = bob.end().exits(0);
    assert!(ran.err.contains("To come back: skirmish join http"), "{}", ran.err);
    ann.say("quit\n");
    ann.end().exits(0);
}

#[test]
#[cfg(unix)]
fn ctrl_c_says_how_to_come_back() {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let server = Served::new();
    let (ann, bob) = begun(&server, &ann_home, &bob_home);
    send("INT", ann.process());
    let ran = ann.wait().exits(130);
    assert!(ran.err.contains("To come back: skirmish join http"), "{}", ran.err);
    bob.hear("Ann is not connected.");
    bob.end().exits(3);
}

/// The token is a secret: only the user can read its file, and it appears nowhere else.
#[test]
#[cfg(unix)]
fn the_token_is_in_a_private_file_and_nowhere_else() {
    use std::os::unix::fs::MetadataExt;
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let server = Served::new();
    let (ann, bob) = begun(&server, &ann_home, &bob_home);
    let folder = ann_home.file("data/skirmish/servers");
    let files = std::fs::read_dir(folder).expect("it is there").flatten();
    let is_token = |it: &std::path::PathBuf| !it.ends_with("last") && !it.ends_with("device");
    let files: Vec<_> = files.map(|file| file.path()).filter(is_token).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let mode = std::fs::metadata(&files[0]).expect("it is there").mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = crate::support::read(&files[0]);
    let token = text.lines().nth(1).expect("the second line is the token").to_owned();
    assert!(token.len() >= 20, "128 bits: {token}");
    // It is Bob's turn, so he leaves first; then Ann has nobody to wait for.
    let bob = bob.end().exits(3);
    let ann = ann.end().exits(3);
    let Served { talk, .. } = server;
    send("TERM", talk.process());
    let server = talk.end().exits(143);
    for text in [&ann.out, &ann.err, &bob.out, &bob.err, &server.out, &server.err] {
        assert!(!text.contains(&token), "{text}");
    }
}

#[test]
fn host_is_a_server_a_game_and_a_seat() {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let listen = own_address();
    let options = ["--listen", &listen, "--name", "Ann"];
    let arguments = [&["host", "capture-the-line", "--seat", "p1"], &options[..]].concat();
    let mut ann = ann_home.talk(&arguments);
    let code = code(&ann);
    let invitation = format!("http://{listen}/g/{code}");
    ann.hear(&format!("  skirmish join {invitation}\n"));
    let bob = bob_home.talk(&["join", &invitation, "--name", "Bob"]);
    ann.say("2\n");
    bob.hear("Ann moves to Point 3.");
    ann.say("quit\n");
    let ran = ann.end().exits(0);
    assert!(ran.err.contains("To go on: skirmish host --resume"), "{}", ran.err);
    bob.hear("The host has stopped this server.");

    let ann = ann_home.talk(&[&["host", "--resume"], &options[..]].concat());
    ann.hear("Going on with Capture the Line after turn 1.");
    ann.hear(&format!("  skirmish join {invitation}\n"));
    let mut bob = bob;
    bob.hear("Connected again.");
    bob.say("1\n");
    ann.hear("Bob moves to Point 10.");
    let mut ann = ann;
    ann.say("resign\n");
    bob.hear("Ann resigns.");
    ann.end().exits(0);
    bob.end().exits(0);
    ann_home
        .run(&[&["host", "--resume"], &options[..]].concat(), "")
        .exits(1)
        .complains("error: there is no unfinished game to resume: name a game to host a new one");
}
