//! What waits to be sent to a connection: bounded, and never waited for.

use std::sync::Arc;
use std::sync::OnceLock;

use axum::extract::ws::{CloseFrame, Utf8Bytes};
use skirmish_room::RejectionCode;
use skirmish_room::wire::ServerMessage;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// When clients are told to come back after a restart, in seconds.
const COME_BACK: u32 = 5;

/// How many messages can wait. Whoever is further behind is disconnected, and gets a snapshot when they come back.
const MOST_WAITING: usize = 64;

/// Why a connection is closed.
#[derive(Clone, Debug)]
pub(crate) enum CloseReason {
    /// The client did something wrong, or something went wrong.
    Bye {
        /// Why, for programs.
        code: RejectionCode,
        /// The WebSocket close code.
        close: u16,
        /// Why, for people.
        text: String,
    },
    /// The server stops.
    Restart,
}

impl CloseReason {
    /// Closes with `bye`.
    pub(crate) fn bye(code: RejectionCode, close: u16, text: impl Into<String>) -> Self {
        Self::Bye { code, close, text: text.into() }
    }

    /// The last message.
    pub(crate) fn message(&self) -> ServerMessage {
        match self {
            Self::Bye { code, text, .. } => ServerMessage::Bye { code: *code, text: text.clone() },
            Self::Restart => ServerMessage::Restart { seconds: COME_BACK },
        }
    }

    /// The close frame. Its reason has at most 123 bytes.
    pub(crate) fn frame(&self) -> CloseFrame {
        let (code, text) = match self {
            Self::Bye { close, text, .. } => (*close, text.as_str()),
            Self::Restart => (1012, "The server restarts."),
        };
        let end = (0..=text.len().min(123)).rev().find(|&end| text.is_char_boundary(end));
        CloseFrame { code, reason: text[..end.unwrap_or(0)].into() }
    }
}

/// The sending end, for everybody who has something to say to a connection.
#[derive(Clone)]
pub(crate) struct Outbox {
    sender: Sender<Utf8Bytes>,
    end: Arc<End>,
}

#[derive(Default)]
struct End {
    why: OnceLock<CloseReason>,
    changed: Notify,
}

/// The receiving end, which belongs to the connection.
pub(crate) struct Inbox {
    receiver: Receiver<Utf8Bytes>,
    end: Arc<End>,
}

pub(crate) fn outbox() -> (Outbox, Inbox) {
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    let end = Arc::<End>::default();
    (Outbox { sender, end: Arc::clone(&end) }, Inbox { receiver, end })
}

/// A message as it is sent.
pub(crate) fn frame(message: &ServerMessage) -> Utf8Bytes {
    skirmish_present::json::text(message).into()
}

impl Outbox {
    /// Sends a message, or closes the connection if it does not keep up.
    pub(crate) fn send(&self, message: &ServerMessage) {
        self.send_frame(frame(message));
    }

    /// Sends a message that was made for several connections.
    pub(crate) fn send_frame(&self, frame: Utf8Bytes) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.sender.try_send(frame) {
            const SLOW: &str = "You did not read fast enough. Connect again to go on.";
            self.close(CloseReason::bye(RejectionCode::Slow, 1008, SLOW));
        }
    }

    /// Closes the connection. The first reason counts.
    pub(crate) fn close(&self, reason: CloseReason) {
        let _ = self.end.why.set(reason);
        self.end.changed.notify_one();
    }
}

impl Inbox {
    /// A message that waits already.
    pub(crate) fn waiting(&mut self) -> Option<Utf8Bytes> {
        self.receiver.try_recv().ok()
    }

    /// The next message, or why the connection is closed.
    pub(crate) async fn next(&mut self) -> Result<Utf8Bytes, CloseReason> {
        if let Some(why) = self.end.why.get() {
            // What was sent before the reason, for example the events of a pause, still goes out.
            return self.receiver.try_recv().map_err(|_| why.clone());
        }
        tokio::select! {
            frame = self.receiver.recv() => frame.ok_or_else(|| {
                CloseReason::bye(RejectionCode::Gone, 1001, "The server is gone.")
            }),
            () = self.end.changed.notified() => {
                let why = self.end.why.get().expect("a reason is set before the notice");
                self.receiver.try_recv().map_err(|_| why.clone())
            }
        }
    }
}
