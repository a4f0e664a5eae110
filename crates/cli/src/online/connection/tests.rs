//! Connections to misbehaving servers.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use skirmish_room::wire::Welcome;
use tungstenite::{Message, WebSocket};

use super::*;

const PATIENCE: Duration = Duration::from_mins(1);

const WELCOME: &str =
    r#"{"type":"welcome","proto":2,"server":"test","name":"Guest","guest":true,"games":[]}"#;

/// A server that calls `talk` for each of its connections, after reading `hello`.
fn serve(
    connections: usize,
    mut talk: impl FnMut(usize, &mut WebSocket<TcpStream>) + Send + 'static,
) -> (ServerAddress, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = ServerAddress::loopback(listener.local_addr().expect("it listens").port());
    let server = thread::spawn(move || {
        for number in 0..connections {
            let (stream, _) = listener.accept().expect("a client connects");
            let mut socket = tungstenite::accept(stream).expect("a WebSocket");
            let hello = socket.read().expect("hello").into_text().expect("text");
            assert!(hello.contains(r#""type":"hello","proto":2"#), "{hello}");
            talk(number, &mut socket);
        }
    });
    (address, server)
}

fn say(socket: &mut WebSocket<TcpStream>, text: impl Into<String>) {
    socket.send(Message::text(text.into())).expect("the client reads");
}

fn login(address: &ServerAddress, folder: &tempfile::TempDir) -> Login {
    let (address, identity) = (address.clone(), Identity::within(folder.path()));
    Login { address, identity, name: None, link: None }
}

fn connect(address: &ServerAddress) -> (Connection, Receiver<LinkEvent>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (sender, events) = channel();
    let fresh = FreshConnection::open(login(address, &folder)).expect("a connection");
    sender.send(LinkEvent::Connected(fresh.welcome.clone())).expect("the test listens");
    let connection = fresh.listen(move |event| sender.send(event).is_ok());
    (connection.expect("threads can be started"), events, folder)
}

fn next(events: &Receiver<LinkEvent>) -> LinkEvent {
    events.recv_timeout(PATIENCE).expect("something happens")
}

#[track_caller]
fn fails(events: &Receiver<LinkEvent>, expected: &str) {
    match next(events) {
        LinkEvent::Failed { text } => assert!(text.contains(expected), "{text}"),
        event => panic!("not a failure: {event:?}"),
    }
}

#[track_caller]
fn is_welcome(events: &Receiver<LinkEvent>) -> Welcome {
    match next(events) {
        LinkEvent::Connected(welcome) => welcome,
        event => panic!("not connected: {event:?}"),
    }
}

#[test]
fn nonsense_is_a_failure_and_unknown_messages_are_ignored() {
    for nonsense in [
        Message::text("{"),
        Message::text("[1]"),
        Message::text(r#"{"kind":"pong"}"#),
        Message::binary(vec![1, 2, 3]),
        Message::text("x".repeat((1 << 20) + 1)),
    ] {
        let (address, server) = serve(1, move |_, socket| {
            say(socket, WELCOME);
            say(socket, r#"{"type":"fireworks","colour":"red"}"#);
            say(socket, r#"{"type":"pong","versions":{},"later":true}"#);
            // The client may leave before it has read all of it.
            drop(socket.send(nonsense.clone()));
            while socket.read().is_ok() {}
        });
        let (connection, events, _folder) = connect(&address);
        is_welcome(&events);
        assert!(matches!(next(&events), LinkEvent::Message(ServerMessage::Pong { .. })));
        fails(&events, "does not speak our protocol");
        drop(connection);
        server.join().expect("the server ends");
    }
}

#[test]
fn what_the_server_says_at_the_door_is_the_failure() {
    let bye = r#"{"type":"bye","code":"proto","text":"This server speaks version 9."}"#;
    let (address, server) = serve(1, move |_, socket| say(socket, bye));
    let folder = tempfile::tempdir().expect("a folder for the test");
    let failure = FreshConnection::open(login(&address, &folder)).err().expect("no connection");
    assert_eq!(failure.to_string(), "This server speaks version 9.");
    server.join().expect("the server ends");
}

#[test]
fn a_lost_connection_comes_back_with_the_token() {
    let (address, server) = serve(2, |number, socket| {
        let token = if number == 0 { r#""token":"secret","games""# } else { r#""games""# };
        say(socket, WELCOME.replace(r#""games""#, token));
        if number == 1 {
            let text = socket.read().expect("a message").into_text().expect("text");
            assert_eq!(text.as_str(), r#"{"type":"lobby"}"#);
            assert!(matches!(socket.read(), Ok(Message::Close(_))), "a clean end");
        }
    });
    let (connection, events, folder) = connect(&address);
    assert_eq!(is_welcome(&events).token.as_deref(), Some("secret"));
    assert_eq!(Identity::within(folder.path()).token().as_deref(), Some("secret"));
    assert!(matches!(next(&events), LinkEvent::Lost { .. }));
    is_welcome(&events);
    connection.send(ClientMessage::Lobby);
    drop(connection);
    server.join().expect("the server ends");
}

#[test]
fn the_next_attempt_comes_after_the_seconds_that_the_server_names() {
    for (said, seconds) in [
        (r#"{"type":"bye","code":"limit","text":"Too much.","seconds":2}"#, 2),
        (r#"{"type":"restart","seconds":1}"#, 1),
        (r#"{"type":"restart","seconds":1000}"#, 60),
    ] {
        let (address, server) = serve(1, move |_, socket| {
            say(socket, WELCOME);
            say(socket, said);
        });
        let folder = tempfile::tempdir().expect("a folder for the test");
        let fresh = FreshConnection::open(login(&address, &folder)).expect("a connection");
        let FreshConnection { runtime, mut reconnector, wire, .. } = fresh;
        let (_outgoing, messages) = unbounded_channel();
        let mut outbox = Outbox::new(messages);
        let ended = runtime.block_on(reconnector.converse(wire, &mut outbox, &mut |_| true));
        assert!(ended.is_err_and(|failure| !failure.is_final()), "{said}");
        let mut own = PAUSES.0;
        let pauses = [(); 7].map(|()| reconnector.next_pause(&mut own).as_millis());
        assert_eq!(pauses, [seconds * 1000, 1000, 2000, 4000, 8000, 10_000, 10_000], "{said}");
        server.join().expect("the server ends");
    }
}

/// A restarting server rejects connections for a while: the client keeps trying.
#[test]
fn a_refusal_with_a_reason_is_no_end_of_a_connection() {
    const REFUSAL: &str =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n\r\nIt is stopping.\n";
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = ServerAddress::loopback(listener.local_addr().expect("it listens").port());
    let server = thread::spawn(move || {
        for is_open in [true, false, true] {
            let (mut stream, _) = listener.accept().expect("a client connects");
            if is_open {
                let mut socket = tungstenite::accept(stream).expect("a WebSocket");
                say(&mut socket, WELCOME);
            } else {
                assert!(stream.read(&mut [0; 4096]).is_ok_and(|count| count > 0), "a request");
                stream.write_all(REFUSAL.as_bytes()).expect("the client reads");
            }
        }
    });
    let (connection, events, _folder) = connect(&address);
    is_welcome(&events);
    assert!(matches!(next(&events), LinkEvent::Lost { .. }));
    is_welcome(&events);
    drop(connection);
    server.join().expect("the server ends");
}

/// A restarting server may refuse connections for longer than it announced.
#[test]
fn a_client_comes_back_after_a_restart_that_takes_longer_than_announced() {
    let open = |listener: &TcpListener| {
        let (stream, _) = listener.accept().expect("a client connects");
        let mut socket = tungstenite::accept(stream).expect("a WebSocket");
        say(&mut socket, WELCOME);
        socket
    };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it listens").port();
    let server = thread::spawn(move || {
        say(&mut open(&listener), r#"{"type":"restart","seconds":0}"#);
        // Accepts and closes at once, as a proxy without a server does.
        for _ in 0..2 {
            drop(listener.accept().expect("the client tries"));
        }
        let mut socket = open(&listener);
        while socket.read().is_ok() {}
    });
    let (connection, events, _folder) = connect(&ServerAddress::loopback(port));
    is_welcome(&events);
    assert!(matches!(next(&events), LinkEvent::Message(ServerMessage::Restart { seconds: 0 })));
    assert!(matches!(next(&events), LinkEvent::Lost { .. }));
    is_welcome(&events);
    drop(connection);
    server.join().expect("the server ends");
}

#[test]
fn whom_the_server_does_not_know_is_a_new_guest() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let identity = Identity::within(folder.path());
    identity.keep("old");
    let (address, server) = serve(2, |number, socket| {
        let unknown = r#"{"type":"rej","code":"token","text":"Nobody has this token here."}"#;
        say(socket, if number == 0 { unknown } else { WELCOME });
        if number == 1 {
            while socket.read().is_ok() {}
        }
    });
    let login = Login { address, identity: identity.clone(), name: None, link: None };
    let connection = FreshConnection::open(login).expect("a connection");
    let trouble = identity.trouble().expect("that is told");
    assert!(trouble.contains("no longer recognises this device"), "{trouble}");
    drop(connection);
    server.join().expect("the server ends");
}
