//! What a connection tells.

use skirmish_room::wire::{ServerMessage, Welcome};

/// What a connection tells.
pub(crate) enum LinkEvent {
    /// The connection is established, for the first time or again.
    Connected(Welcome),
    /// The connection is lost. It comes back by itself.
    Lost {
        /// Why.
        text: String,
    },
    /// A message from the server.
    Message(ServerMessage),
    /// There will be no connection any more.
    Failed {
        /// Why.
        text: String,
    },
}
