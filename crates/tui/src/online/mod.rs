//! Games on a server: the connection, the lobby, and games with people on other computers.

mod account;
mod connect;
mod create;
mod game;
mod history;
mod leaders;
mod lobby;
mod qr;
mod words;

use std::hash::{BuildHasher, RandomState};

use skirmish_room::wire::{ClientMessage, MessageId, ServerMessage, StageName, Welcome};
use skirmish_room::words::RECONNECTING;

pub(super) use self::connect::ConnectScreen;
pub(super) use self::game::OnlinePlay;
pub(super) use self::lobby::LobbyScreen;
use super::context::Context;
use super::look::Ink;

/// A connection to the server, which reconnects automatically and reports [`LinkEvent`]s.
pub trait Link: Send {
    /// Sends a message; without a connection, the message is lost.
    fn send(&mut self, message: ClientMessage);

    /// Fetches the record of a room's game. The answer is a [`LinkEvent::Record`].
    fn fetch(&mut self, code: &str, number: u32);
}

/// A message from the server, or a change of the connection.
#[derive(Clone, Debug)]
pub enum LinkEvent {
    /// Connected or reconnected.
    Connected(Welcome),
    /// The connection was lost; the link is reconnecting.
    Lost {
        /// The reason, in a sentence.
        text: String,
    },
    /// A message from the server.
    Message(ServerMessage),
    /// A record that was fetched.
    Record {
        /// The code of the room.
        code: String,
        /// The number of the game in the room.
        number: u32,
        /// The record, or why it is not available.
        text: Result<String, String>,
    },
    /// The link has given up.
    Failed {
        /// The reason and what to do, in a sentence.
        text: String,
    },
}

/// The destination on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnlineGoal {
    /// The lobby.
    Lobby,
    /// A game.
    Game {
        /// The code of the game.
        code: String,
        /// Whether to watch even though a seat is free.
        watch: bool,
    },
}

/// The server that the arcade plays on.
pub(super) struct Online {
    link: Box<dyn Link>,
    /// The address that the player entered.
    server: String,
    state: LinkState,
    welcome: Option<Welcome>,
    /// Makes message ids differ from those of the account's other clients.
    nonce: u64,
    ids: u64,
    /// The code of the game on the screen.
    at: Option<String>,
    /// The server's message before it ended the last connection.
    parting: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LinkState {
    Connecting,
    Connected,
    Lost(String),
    Failed(String),
}

/// Sends a message to the server, if there is a connection. Screens that need an answer resend their requests after
/// reconnecting.
fn send(message: ClientMessage, context: &mut Context) {
    if let Some(online) = &mut context.online {
        online.send(message);
    }
}

impl Online {
    pub(super) fn new(link: Box<dyn Link>, server: String) -> Self {
        // A source of randomness that cannot fail; the nonce need not be secret.
        let nonce = RandomState::new().hash_one(0);
        Self {
            link,
            server,
            state: LinkState::Connecting,
            welcome: None,
            nonce,
            ids: 0,
            at: None,
            parting: None,
        }
    }

    fn send(&mut self, message: ClientMessage) {
        if self.is_connected() {
            self.link.send(message);
        }
    }

    fn is_connected(&self) -> bool {
        self.state == LinkState::Connected
    }

    /// Handles an event. Returns a notice to show the player on any screen.
    pub(super) fn take(&mut self, event: &LinkEvent) -> Option<String> {
        match event {
            LinkEvent::Connected(welcome) => {
                self.state = LinkState::Connected;
                // Screens do not need the token.
                self.welcome = Some(Welcome { token: None, ..welcome.clone() });
            }
            LinkEvent::Lost { text } => self.state = LinkState::Lost(text.clone()),
            LinkEvent::Failed { text } => self.state = LinkState::Failed(text.clone()),
            // The server keeps running; only the account of this connection has changed.
            LinkEvent::Message(ServerMessage::Restart { seconds: 0 }) => {}
            LinkEvent::Message(ServerMessage::Restart { .. }) => {
                return Some(self.parting.insert(RECONNECTING.to_owned()).clone());
            }
            LinkEvent::Message(ServerMessage::Bye { text, .. }) => {
                return Some(self.parting.insert(text.clone()).clone());
            }
            LinkEvent::Message(_) | LinkEvent::Record { .. } => {}
        }
        let code = self.summons(event)?;
        Some(format!("Somebody has joined your game {code}: go to the lobby."))
    }

    /// Takes the server's parting message if this event begins a new connection.
    pub(super) fn outdated(&mut self, event: &LinkEvent) -> Option<String> {
        self.parting.take_if(|_| matches!(event, LinkEvent::Connected(_)))
    }

    /// If this event says that somebody has joined an open game of the player, the code of the game.
    fn summons(&self, event: &LinkEvent) -> Option<String> {
        let LinkEvent::Message(ServerMessage::Snap(snap)) = event else { return None };
        let is_begun = snap.stage == StageName::Playing && snap.you.is_some();
        (is_begun && self.at.as_ref() != Some(&snap.code)).then(|| snap.code.clone())
    }

    /// A nonce that no other client of the account uses.
    fn nonce(&mut self) -> String {
        self.ids += 1;
        format!("{:x}-{}", self.nonce, self.ids)
    }

    fn fresh_id(&mut self) -> MessageId {
        MessageId::Text(self.nonce())
    }

    /// The player's name on the server.
    fn name(&self) -> Option<String> {
        let welcome = self.welcome.as_ref()?;
        let guest = if welcome.guest { " (guest)" } else { "" };
        Some(format!("{}{guest}", welcome.name))
    }

    /// Records that the guest has registered this name.
    fn rename(&mut self, name: &str) {
        if let Some(welcome) = &mut self.welcome {
            (welcome.name, welcome.guest) = (name.to_owned(), false);
        }
    }

    /// The address that invites a second player to a game.
    fn invitation(&self, code: &str) -> String {
        let url = self.welcome.as_ref().and_then(|welcome| welcome.url.as_deref());
        format!("{}/g/{code}", url.unwrap_or(&self.server).trim_end_matches('/'))
    }

    /// The state of the connection in a few words; in a narrow window, in at most one.
    pub(super) const fn status(&self, is_narrow: bool) -> (&'static str, Ink) {
        match (&self.state, is_narrow) {
            (LinkState::Connecting, false) => ("○ connecting", Ink::Faint),
            (LinkState::Connecting, true) => ("○", Ink::Faint),
            (LinkState::Connected, false) => ("● connected", Ink::Good),
            (LinkState::Connected, true) => ("●", Ink::Good),
            (LinkState::Lost(_), false) => ("○ connection lost, trying again", Ink::Alarm),
            (LinkState::Lost(_), true) => ("○ lost", Ink::Alarm),
            (LinkState::Failed(_), false) => ("× not connected", Ink::Alarm),
            (LinkState::Failed(_), true) => ("× offline", Ink::Alarm),
        }
    }

    /// The reason why the link has given up.
    fn failure(&self) -> Option<&str> {
        match &self.state {
            LinkState::Failed(text) => Some(text),
            LinkState::Connecting | LinkState::Connected | LinkState::Lost(_) => None,
        }
    }

    /// Explains in a sentence why there is no connection.
    fn trouble(&self) -> Option<String> {
        match &self.state {
            LinkState::Connected => None,
            LinkState::Connecting => Some(format!("Connecting to {}…", self.server)),
            LinkState::Lost(text) => Some(format!("The connection is lost; trying again. {text}")),
            LinkState::Failed(text) => Some(text.clone()),
        }
    }
}
