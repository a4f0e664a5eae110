//! Addresses, codes and files that cannot be used.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use super::{Served, own_address};
use crate::support::{Home, Ran, read, skirmish};

#[test]
fn addresses_that_make_no_sense_are_usage_errors() {
    for arguments in [
        &["join", "http://"][..],
        &["join", "ABC"],
        &["join", "--server", "ABC234"],
        &["join", "host:1/ABC234", "--server", "host:2"],
        &["join", "ABC234", "--name", ""],
        &["serve", "--listen", "nowhere"],
        &["serve", "--tls-cert", "cert.pem"],
        &["serve", "--url", "ftp://example.org"],
        &["serve", "--trusted-proxy", "10.0.0.0/8"],
        &["host"],
        &["host", "chess"],
        &["host", "base-battle", "--clock", "5"],
    ] {
        let ran = skirmish(arguments, "").exits(2);
        assert!(ran.out.is_empty() && ran.err.starts_with("error: "), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_port_on_which_nobody_listens_is_an_error() {
    // The system never assigns this port.
    let address = "127.0.0.1:1";
    let ran = skirmish(&["join", address], "").exits(1);
    let expected = format!("error: cannot connect to http://{address}: ");
    assert!(ran.err.starts_with(&expected), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn a_code_that_no_game_has_is_an_error() {
    let server = Served::new();
    let home = Home::new();
    let ran = home.run(&["join", "ZZZZZZ", "--server", &server.url], "").exits(1);
    ran.complains("error: There is no game ZZZZZZ. Check the code.");
    // The server is remembered.
    let ran = home.run(&["join", "yyyyyy"], "").exits(1);
    ran.complains("error: There is no game YYYYYY. Check the code.");
}

/// The other side is a web server, or sends nonsense, or sends nothing at all.
#[test]
fn other_servers_are_recognised() {
    for (answer, expected) in [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "it answered with HTTP status 404"),
        (
            "220 mail.example.org ESMTP\r\n",
            "is no Skirmish server, or it speaks TLS: try https://127",
        ),
        ("", "is no Skirmish server"),
    ] {
        let (address, ran) = join_one_that_answers(answer.to_owned());
        assert!(ran.err.contains(expected), "{address}, {answer:?}: {}", ran.err);
    }
}

/// Runs `join` against a server that sends this answer.
fn join_one_that_answers(answer: String) -> (String, Ran) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it listens").to_string();
    let other = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client connects");
        let mut request = [0; 4096];
        let _ = stream.read(&mut request);
        let _ = stream.write_all(answer.as_bytes());
    });
    let ran = skirmish(&["join", &address], "").exits(1);
    other.join().expect("it ends");
    (address, ran)
}

/// A server that is stopping, full or without its database sends the reason, which is shown if possible.
#[test]
fn the_reason_of_a_server_that_takes_nobody_is_shown() {
    let answer = |status: &str, kind: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    let (away, many) = ("503 Service Unavailable", "429 Too Many Requests");
    let plain = "text/plain; charset=utf-8";
    let nothing = "it answered with HTTP status 503. Try again in a few seconds\n";
    for (answer, expected) in [
        (answer(away, plain, "The server is stopping.\n"), "The server is stopping.\n"),
        (answer(many, plain, "Too many connections.\n"), "Too many connections.\n"),
        (answer(away, plain, "A\u{1b}[2J\u{202e}\r\nB"), "A\u{fffd}[2J\u{fffd}  B\n"),
        (answer(away, plain, ""), nothing),
        (answer(away, plain, "\r\n"), nothing),
        (answer(away, "text/html", "<h1>503</h1>"), nothing),
        (format!("HTTP/1.1 {away}\r\n\r\n"), nothing),
    ] {
        let (address, ran) = join_one_that_answers(answer);
        assert_eq!(ran.err, format!("error: no connection to http://{address}: {expected}"));
    }
    let (_, ran) = join_one_that_answers(answer(away, plain, &"words ".repeat(100_000)));
    assert!(ran.err.contains(": words words ") && ran.err.len() < 400, "{}", ran.err);
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let server = Served::new();
    let address = server.address();
    let ran = skirmish(&["serve", "--listen", &address], "").exits(1);
    let expected = format!("error: cannot listen on {address}: ");
    assert!(ran.err.starts_with(&expected), "{}", ran.err);
    for (options, status, expected) in [
        (["--listen", &address], 1, &expected["error: ".len()..]),
        (["--metrics", "1.2.3.4:1"], 2, "--metrics: other machines may reach 1.2.3.4:1: "),
    ] {
        let ran = skirmish(&[&["serve", "--log", "json"], &options[..]].concat(), "").exits(status);
        let line: serde_json::Value = serde_json::from_str(&ran.err).expect("one JSON object");
        assert_eq!((&line["level"], &line["event"]), (&"error".into(), &"start_failed".into()));
        assert!(line["error"].as_str().is_some_and(|why| why.starts_with(expected)), "{line}");
    }
    let data = server.home.file("data/skirmish/server").display().to_string();
    let ran = skirmish(&["serve", "--listen", "127.0.0.1:0", "--data", &data], "").exits(1);
    assert!(ran.err.starts_with("error: ") && ran.err.lines().count() == 1, "{}", ran.err);
    let options = ["--tls-cert", "no.pem", "--tls-key", "no.pem"];
    let arguments = [&["serve", "--listen", "127.0.0.1:0"], &options[..]].concat();
    let ran = skirmish(&arguments, "").exits(1);
    assert!(ran.err.starts_with("error: no.pem cannot be used for TLS: "), "{}", ran.err);
}

/// Certificates are verified: without the CA certificate, the connection is refused.
#[test]
#[cfg(unix)]
fn an_encrypted_server_is_joined_only_if_its_certificate_is_trusted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/online/tls");
    let file = |name: &str| folder.join(name).display().to_string();
    let (cert, key, authority) = (file("cert.pem"), file("key.pem"), file("ca.pem"));
    let options = ["--tls-cert", &cert, "--tls-key", &key];
    let server = Served::start(Home::new(), "127.0.0.1:0", &options);
    assert!(server.url.starts_with("https://127.0.0.1:"), "{}", server.url);
    let home = Home::new();
    let mut command = home.command(&["join", &server.url, "--name", "Ann"]);
    command.env("SSL_CERT_FILE", &authority);
    let ran = crate::support::run(
        command,
        "create capture-the-line --level perfect --seat p1\n2\nquit\n",
    );
    ran.exits(0).says(&["you are Ann.", "Ann moves to Point 3."]);
    let ran = home.run(&["join", &server.url], "").exits(1);
    assert!(ran.err.contains("securely: "), "{}", ran.err);
}

/// docs/browser.md once did not explain how to play from a phone.
#[test]
fn the_documented_commands_for_phones_print_an_address_on_the_network() {
    let page = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/browser.md"));
    let (_, section) = page.split_once("\n## From a phone").expect("a section about phones");
    let block = section.split("```").nth(1).expect("commands");
    let commands = block.lines().filter_map(|line| line.strip_prefix("$ skirmish "));
    let commands: Vec<Vec<&str>> = commands
        .map(|line| line.split_whitespace().take_while(|word| *word != "#").collect())
        .collect();
    assert_eq!(commands.iter().map(|words| words[0]).collect::<Vec<_>>(), ["host", "serve"]);
    for words in commands {
        // Other programs may be using the documented port.
        let own = own_address().replace("127.0.0.1", "0.0.0.0");
        let words: Vec<&str> = words
            .into_iter()
            .map(|word| if word == "0.0.0.0:7777" { &own } else { word })
            .collect();
        let home = Home::new();
        let server = home.talk(&words);
        let printed = server.hear("skirmish join http://");
        let (_, url) = printed.rsplit_once("skirmish join http://").expect("it was heard");
        let address = url.split(['/', '\n']).next().expect("an address");
        assert!(!address.starts_with("0.0.0.0"), "{words:?}: {printed}");
        TcpStream::connect(address).unwrap_or_else(|error| panic!("{words:?}: {address}: {error}"));
    }
}
