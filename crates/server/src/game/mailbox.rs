//! A room's mailbox. Players' requests do not wait behind spectators who come and go.

use skirmish_room::HostInput;
use tokio::sync::mpsc::error::{SendError, TryRecvError, TrySendError};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::ToRoom;

/// Maximum number of requests waiting for a room; the same limit applies to visits.
const CAPACITY: usize = 64;

/// The receiving end, owned by the room's task.
pub(crate) struct Mailbox {
    requests: Receiver<Box<ToRoom>>,
    /// Messages from connections that come, leave or ask about the game.
    visits: Receiver<Box<ToRoom>>,
}

/// The sending end.
#[derive(Clone)]
pub(crate) struct MailboxSender {
    requests: Sender<Box<ToRoom>>,
    visits: Sender<Box<ToRoom>>,
}

pub(crate) fn mailbox() -> (MailboxSender, Mailbox) {
    // Boxed, since a channel reserves space for many messages.
    let ((requests, requested), (visits, visited)) = (channel(CAPACITY), channel(CAPACITY));
    (MailboxSender { requests, visits }, Mailbox { requests: requested, visits: visited })
}

impl MailboxSender {
    fn queue(&self, message: &ToRoom) -> &Sender<Box<ToRoom>> {
        match message {
            ToRoom::Attach { .. }
            | ToRoom::Input(HostInput::Detach { .. } | HostInput::Leave { .. })
            | ToRoom::Describe { .. } => &self.visits,
            _ => &self.requests,
        }
    }

    /// Sends a message, waiting while its queue is full.
    pub(crate) async fn send(&self, message: Box<ToRoom>) -> Result<(), SendError<Box<ToRoom>>> {
        self.queue(&message).send(message).await
    }

    /// Sends a message unless its queue is full.
    pub(crate) fn try_send(&self, message: Box<ToRoom>) -> Result<(), TrySendError<Box<ToRoom>>> {
        self.queue(&message).try_send(message)
    }
}

impl Mailbox {
    /// Waits for the next message, requests first. `None` once all senders are gone.
    pub(crate) async fn recv(&mut self) -> Option<Box<ToRoom>> {
        tokio::select! {
            biased;
            Some(message) = self.requests.recv() => Some(message),
            Some(message) = self.visits.recv() => Some(message),
            else => None,
        }
    }

    /// Returns the next message, if one is waiting.
    pub(crate) fn try_recv(&mut self) -> Result<Box<ToRoom>, TryRecvError> {
        self.requests.try_recv().or_else(|_| self.visits.try_recv())
    }

    /// Stops accepting messages.
    pub(crate) fn close(&mut self) {
        self.requests.close();
        self.visits.close();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.visits.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_overtakes_spectators_and_finds_room_beside_them() {
        let (sender, mut mailbox) = mailbox();
        let detach = |connection| Box::new(ToRoom::Input(HostInput::Detach { connection }));
        for connection in 0..CAPACITY as u64 {
            sender.send(detach(connection)).await.expect("room for it");
        }
        assert!(sender.try_send(detach(0)).is_err(), "no more visits can wait");
        assert!(sender.try_send(Box::new(ToRoom::Input(HostInput::Shut))).is_ok());
        let first = mailbox.recv().await;
        assert!(matches!(first.as_deref(), Some(ToRoom::Input(HostInput::Shut))));
        mailbox.close();
        for expected in 0..CAPACITY as u64 {
            let message = mailbox.recv().await;
            let Some(ToRoom::Input(HostInput::Detach { connection })) = message.as_deref() else {
                panic!("a visit is missing")
            };
            assert_eq!(*connection, expected, "visits keep their order");
        }
        assert!(mailbox.recv().await.is_none());
    }
}
