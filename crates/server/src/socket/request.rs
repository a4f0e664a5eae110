//! What each message of a client leads to.

use skirmish_room::RejectionCode;
use skirmish_room::wire::{ClientMessage, Lobby, MessageId, ServerMessage};

use super::{Connection, Followed};
use crate::log::Entry;
use crate::outbox::CloseReason;
use crate::storage::StorageError;

impl Connection {
    pub(super) async fn handle(&mut self, message: ClientMessage) -> Result<(), CloseReason> {
        if !self.is_greeted && !matches!(message, ClientMessage::Hello(_)) {
            self.refuse(message.id().cloned(), RejectionCode::Hello, "Say hello first.");
            return Ok(());
        }
        if !self.accepts(message.id()) {
            return Ok(());
        }
        match message {
            ClientMessage::Hello(hello) => self.greet(hello).await,
            ClientMessage::Request(sent) => self.request(sent).await,
            ClientMessage::Create { id, terms } => self.create(id, terms).await,
            ClientMessage::Seek { id, terms } => self.seek(id, terms).await,
            ClientMessage::Join { id, code, have, watch } => {
                self.join(id, &code, have, watch).await
            }
            ClientMessage::Leave { code } => self.leave(&code).await,
            ClientMessage::Lobby => self.lobby().await,
            ClientMessage::Leaders { game } => self.leaders(game).await,
            ClientMessage::History => self.history().await,
            ClientMessage::Register { id, name } => self.register(id, &name).await,
            ClientMessage::Link { id } => self.link(id).await,
            ClientMessage::Ping => {
                let version =
                    |followed: &Followed| Some((followed.code.clone(), followed.version()?));
                let versions = self.follows.iter().filter_map(version).collect();
                self.outbox.send(&ServerMessage::Pong { versions });
                Ok(())
            }
        }
    }

    /// Whether an id is short enough. Refuses it if not.
    pub(super) fn accepts(&self, id: Option<&MessageId>) -> bool {
        let is_long = matches!(id, Some(MessageId::Text(text)) if text.len() > MessageId::LONGEST);
        if is_long {
            let text = format!("An id has at most {} bytes.", MessageId::LONGEST);
            self.refuse(None, RejectionCode::Malformed, text);
        }
        !is_long
    }

    async fn lobby(&mut self) -> Result<(), CloseReason> {
        let (open, live) = self.hub.board.lists(self.hub.now());
        let yours = match &self.account {
            Some(account) => {
                self.hub.rooms_of(account.id).await.map_err(|error| self.failure(&error))?
            }
            None => Vec::new(),
        };
        self.outbox.send(&ServerMessage::Lobby(Lobby { open, live, yours }));
        Ok(())
    }

    async fn leaders(&mut self, game: String) -> Result<(), CloseReason> {
        let players =
            self.hub.storage.leaders(&game).await.map_err(|error| self.failure(&error))?;
        self.outbox.send(&ServerMessage::Leaders { game, players });
        Ok(())
    }

    async fn history(&mut self) -> Result<(), CloseReason> {
        let games = match &self.account {
            Some(account) => {
                self.hub.storage.history(account.id).await.map_err(|error| self.failure(&error))?
            }
            None => Vec::new(),
        };
        self.outbox.send(&ServerMessage::History { games });
        Ok(())
    }

    /// Ends the connection because the storage failed.
    pub(super) fn failure(&self, error: &StorageError) -> CloseReason {
        self.hub.log.write(&Entry::of(error).request(&self.request));
        let text = "The server cannot store anything at the moment. Try again later.";
        CloseReason::bye(RejectionCode::Storage, 1011, text)
    }
}
