//! Online games between a real server and real clients.

mod addresses;
mod admin;
mod games;
mod notices;
#[cfg(unix)]
mod rated;
mod restarts;
#[cfg(unix)]
mod terminals;

use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::support::{Home, Talk, send};

/// A running server.
pub(crate) struct Served {
    pub(crate) home: Home,
    talk: Talk,
    pub(crate) url: String,
}

impl Served {
    /// Starts a server with a new home on its own port.
    pub(crate) fn new() -> Self {
        Self::start(Home::new(), &own_address(), &[])
    }

    pub(crate) fn start(home: Home, listen: &str, options: &[&str]) -> Self {
        let talk = home.talk(&[&["serve", "--listen", listen], options].concat());
        let line = talk.hear_line(0);
        let url = line.split_whitespace().last().expect("the line ends with the address");
        assert!(line.contains("skirmish join http"), "{line}");
        Self { url: url.to_owned(), home, talk }
    }

    /// Kills the server without warning, and starts it again.
    pub(crate) fn crash(self) -> Self {
        send("KILL", self.talk.process());
        let address = self.address();
        drop(self.talk.end());
        Self::start(self.home, &address, &[])
    }

    /// Stops the server with a signal; returns its home and its address.
    pub(crate) fn stop(self, signal: &str, code: i32) -> (Home, String) {
        send(signal, self.talk.process());
        let address = self.address();
        self.talk.end().exits(code);
        (self.home, address)
    }

    /// The address that the server listens on.
    fn address(&self) -> String {
        self.url.split("//").nth(1).expect("an address").to_owned()
    }

    /// Starts a client that creates a game; returns it with the game's code.
    pub(crate) fn creator(&self, home: &Home, terms: &str) -> (Talk, String) {
        let mut talk = home.talk(&["join", &self.url, "--name", "Ann"]);
        talk.say(format!("create {terms}\n"));
        let code = code(&talk);
        (talk, code)
    }

    /// Starts a client that joins a game.
    pub(crate) fn guest(&self, home: &Home, code: &str, options: &[&str]) -> Talk {
        let invitation = format!("{}/g/{code}", self.url);
        home.talk(&[&["join", &invitation, "--name", "Bob"], options].concat())
    }
}

/// An address at which a server can be restarted. The system and `scripts/with-databases` assign only higher ports, and a
/// UDP socket reserves the port among the processes of these tests.
fn own_address() -> String {
    static RESERVED: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());
    let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    let free = (12_000..20_000).map(|port| format!("127.0.0.1:{port}")).find_map(|address| {
        let socket = UdpSocket::bind(&address).ok()?;
        TcpListener::bind(&address).ok().map(|_| (address, socket))
    });
    let (address, socket) = free.expect("a free port");
    reserved.push(socket);
    address
}

/// The code of the game that a client has created.
pub(crate) fn code(talk: &Talk) -> String {
    let out = talk.hear("The code of the game is ");
    let (_, after) = out.rsplit_once("The code of the game is ").expect("it was heard");
    let whole = talk.hear(&format!("The code of the game is {}.", &after[..6.min(after.len())]));
    let (_, after) = whole.rsplit_once("The code of the game is ").expect("it was heard");
    after[..6].to_owned()
}

/// The number of times that `part` occurs in `text`.
pub(crate) fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

pub(crate) fn record(home: &Home, name: &str) -> String {
    crate::support::read(&Path::new(home.path()).join(name))
}
