//! Games on a server: the connection as the arcade sees it, the lobby, and games with people who are elsewhere.

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
pub(super) use self::game::OnlineGame;
pub(super) use self::lobby::LobbyScreen;
use super::look::Ink;

/// The way to the server. It connects by itself, also after a lost connection, and reports with [`LinkEvent`]s.
pub trait Link: Send {
    /// Sends a message. It is lost if there is no connection.
    fn send(&mut self, message: ClientMessage);

    /// Fetches the record of a room's game. [`LinkEvent::Record`] answers.
    fn fetch(&mut self, code: &str, number: u32);
}

/// What comes from the server, or happens on the way.
#[derive(Clone, Debug)]
pub enum LinkEvent {
    /// The connection is there, for the first time or again.
    Connected(Welcome),
    /// The connection is lost, and the link tries again.
    Lost {
        /// Why, in a sentence.
        text: String,
    },
    /// A message.
    Message(ServerMessage),
    /// A record that was fetched.
    Record {
        /// The code of the room.
        code: String,
        /// Which game of the room it is.
        number: u32,
        /// The record, or why it cannot be had.
        text: Result<String, String>,
    },
    /// The link has given up.
    Failed {
        /// Why, and what to do, in a sentence.
        text: String,
    },
}

/// Where to go on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnlineGoal {
    /// The lobby.
    Lobby,
    /// A game.
    Game {
        /// Its code.
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
    /// The game that the player is at.
    at: Option<String>,
    /// What the server said before it ended the last connection.
    parting: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LinkState {
    Connecting,
    Connected,
    Lost(String),
    Failed(String),
}

impl Online {
    pub(super) fn new(link: Box<dyn Link>, server: String) -> Self {
        // Random without being able to fail; it need not be secret.
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

    /// Sends a message if there is a connection. What must not be lost is sent again by whoever needs the answer, once
    /// there is a connection.
    fn send(&mut self, message: ClientMessage) {
        if self.is_connected() {
            self.link.send(message);
        }
    }

    /// Fetches the record of a room's game.
    fn fetch(&mut self, code: &str, number: u32) {
        self.link.fetch(code, number);
    }

    fn is_connected(&self) -> bool {
        self.state == LinkState::Connected
    }

    /// Takes note of an event. Returns what the player should know on any screen.
    pub(super) fn take(&mut self, event: &LinkEvent) -> Option<String> {
        match event {
            LinkEvent::Connected(welcome) => {
                self.state = LinkState::Connected;
                // The token is no business of the screens.
                self.welcome = Some(Welcome { token: None, ..welcome.clone() });
            }
            LinkEvent::Lost { text } => self.state = LinkState::Lost(text.clone()),
            LinkEvent::Failed { text } => self.state = LinkState::Failed(text.clone()),
            // The server goes on, and knows us as another account now.
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

    /// What the server said before it ended the last connection, if this event begins another one.
    pub(super) fn outdated(&mut self, event: &LinkEvent) -> Option<String> {
        self.parting.take_if(|_| matches!(event, LinkEvent::Connected(_)))
    }

    /// The game that an event calls the player to: somebody has joined a game that was left open.
    fn summons(&self, event: &LinkEvent) -> Option<String> {
        let LinkEvent::Message(ServerMessage::Snap(snap)) = event else { return None };
        let is_begun = snap.stage == StageName::Playing && snap.you.is_some();
        (is_begun && self.at.as_ref() != Some(&snap.code)).then(|| snap.code.clone())
    }

    /// A text that no other client of the account uses.
    fn nonce(&mut self) -> String {
        self.ids += 1;
        format!("{:x}-{}", self.nonce, self.ids)
    }

    fn fresh_id(&mut self) -> MessageId {
        MessageId::Text(self.nonce())
    }

    /// The player's name there.
    fn name(&self) -> Option<String> {
        let welcome = self.welcome.as_ref()?;
        let guest = if welcome.guest { " (guest)" } else { "" };
        Some(format!("{}{guest}", welcome.name))
    }

    /// The guest has become an account with this name.
    fn rename(&mut self, name: &str) {
        if let Some(welcome) = &mut self.welcome {
            (welcome.name, welcome.guest) = (name.to_owned(), false);
        }
    }

    /// The address of a game, for the second player.
    fn invitation(&self, code: &str) -> String {
        let url = self.welcome.as_ref().and_then(|welcome| welcome.url.as_deref());
        format!("{}/g/{code}", url.unwrap_or(&self.server).trim_end_matches('/'))
    }

    /// The state of the connection in a few words; in a narrow window in one at most.
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

    /// Why there is no connection and will be none.
    fn failure(&self) -> Option<&str> {
        match &self.state {
            LinkState::Failed(text) => Some(text),
            LinkState::Connecting | LinkState::Connected | LinkState::Lost(_) => None,
        }
    }

    /// Why there is no connection, in a sentence.
    fn trouble(&self) -> Option<String> {
        match &self.state {
            LinkState::Connected => None,
            LinkState::Connecting => Some(format!("Connecting to {}…", self.server)),
            LinkState::Lost(text) => Some(format!("The connection is lost; trying again. {text}")),
            LinkState::Failed(text) => Some(text.clone()),
        }
    }
}
