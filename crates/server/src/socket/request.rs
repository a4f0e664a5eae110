//! Dispatches the messages of a client.

use skirmish_room::wire::{ClientMessage, Lobby, ServerMessage};
use skirmish_room::{Rejection, RejectionCode, Terms};

use super::{Connection, Followed};
use crate::limits::Reached;
use crate::naming::AccountNameError;
use crate::outbox::CloseReason;
use crate::storage::StorageError;

/// Why a message was not carried out.
pub(super) enum MessageError {
    /// The message is refused, and the connection stays open.
    Refused(Rejection),
    /// The connection is closed.
    Closed(CloseReason),
    /// The storage failed, and the connection is closed.
    Storage(StorageError),
}

/// The result of handling a message.
pub(super) type Handled<T = ()> = Result<T, MessageError>;

/// Refuses a message.
pub(super) fn refuse<T>(code: RejectionCode, text: impl Into<String>) -> Handled<T> {
    Err(MessageError::Refused(Rejection::new(code, text)))
}

/// Refuses a message for this many seconds.
pub(super) fn refuse_for<T>(
    seconds: u32,
    code: RejectionCode,
    text: impl Into<String>,
) -> Handled<T> {
    let seconds = Some(seconds);
    Err(MessageError::Refused(Rejection { seconds, ..Rejection::new(code, text) }))
}

/// Refuses a message because of a limit.
pub(super) fn refuse_at<T>(reached: Reached) -> Handled<T> {
    refuse_for(reached.seconds, RejectionCode::Limit, reached.text())
}

impl From<CloseReason> for MessageError {
    fn from(reason: CloseReason) -> Self {
        Self::Closed(reason)
    }
}

impl From<StorageError> for MessageError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<AccountNameError> for MessageError {
    fn from(error: AccountNameError) -> Self {
        let text = format!("The name is not valid: {error}.");
        Self::Refused(Rejection::new(RejectionCode::Name, text))
    }
}

impl Connection {
    pub(super) async fn handle(&mut self, message: ClientMessage) -> Handled {
        if !self.is_greeted && !matches!(message, ClientMessage::Hello(_)) {
            return refuse(RejectionCode::Hello, "Say hello first.");
        }
        match message {
            ClientMessage::Hello(hello) => self.greet(hello).await?,
            ClientMessage::Request(sent) => self.request(sent).await?,
            ClientMessage::Create { id, terms } => self.create(id, terms, false).await?,
            ClientMessage::Seek { id, terms } => {
                self.create(id, Terms { public: true, level: None, ..terms }, true).await?;
            }
            ClientMessage::Join { id, code, have, watch } => {
                self.join(id, &code, have, watch).await?;
            }
            ClientMessage::Leave { code } => self.leave(&code).await?,
            ClientMessage::Lobby => {
                let (open, live) = self.hub.board.lists(self.hub.now());
                let yours = match self.account_id() {
                    Some(account) => self.hub.rooms_of(account).await?,
                    None => Vec::new(),
                };
                self.outbox.send(&ServerMessage::Lobby(Lobby { open, live, yours }));
            }
            ClientMessage::Leaders { game } => {
                let players = self.hub.storage.leaders(&game).await?;
                self.outbox.send(&ServerMessage::Leaders { game, players });
            }
            ClientMessage::History => {
                let games = match self.account_id() {
                    Some(account) => self.hub.storage.history(account).await?,
                    None => Vec::new(),
                };
                self.outbox.send(&ServerMessage::History { games });
            }
            ClientMessage::Register { id, name } => self.register(id, &name).await?,
            ClientMessage::Link { id } => self.link(id).await?,
            ClientMessage::Ping => {
                let version =
                    |followed: &Followed| Some((followed.code.clone(), followed.version()?));
                let versions = self.follows.iter().filter_map(version).collect();
                self.outbox.send(&ServerMessage::Pong { versions });
            }
        }
        Ok(())
    }
}
