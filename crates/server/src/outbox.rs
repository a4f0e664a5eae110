//! A bounded queue of messages for a connection. Senders never wait.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use axum::extract::ws::{CloseFrame, Utf8Bytes};
use skirmish_room::wire::ServerMessage;
use skirmish_room::{ConnectionId, RejectionCode};
use tokio::sync::Notify;

use crate::limits::Reached;
use crate::lock::lock;
use crate::metrics::Metrics;

/// Maximum number of queued messages, not counting presence messages, of which at most one per room is queued. A client that
/// falls further behind is disconnected, and gets a snapshot when it reconnects.
const MOST_WAITING: usize = 64;

/// Maximum number of queued bytes, unless there is only one message. The state of a room takes a few thousand bytes, or a few
/// hundred thousand after a very long game.
const MOST_BYTES: usize = 1 << 20;

/// Seconds after which clients should reconnect after a restart.
pub(crate) const COME_BACK: u32 = 5;

/// The earliest and latest time to reconnect, in seconds, if other nodes are available.
const SOON: (u32, u32) = (1, 2);

/// Why a connection is closed.
#[derive(Clone, Debug)]
pub(crate) enum CloseReason {
    /// The client violated the protocol, reached a limit or was refused, or an error occurred.
    Bye {
        /// The reason, for programs.
        code: RejectionCode,
        /// The WebSocket close code.
        close: u16,
        /// The reason, for people.
        text: String,
        /// Seconds after which to reconnect, if known.
        seconds: Option<u32>,
    },
    /// The server is stopping, cannot serve its clients for a while, or now knows the guest as an account.
    Restart {
        /// Seconds after which to reconnect; 0 if the server keeps running.
        seconds: u32,
    },
}

impl CloseReason {
    /// Closes with `bye`.
    pub(crate) fn bye(code: RejectionCode, close: u16, text: impl Into<String>) -> Self {
        Self::Bye { code, close, text: text.into(), seconds: None }
    }

    /// Closes with `bye`, because of a limit.
    pub(crate) fn limit(reached: Reached) -> Self {
        let (code, seconds) = (RejectionCode::Limit, Some(reached.seconds));
        Self::Bye { code, close: 1008, text: reached.text(), seconds }
    }

    /// Closes with `restart`. Other nodes, if there are any, take over the games at once, so clients can return soon, though
    /// not all at the same moment.
    pub(crate) const fn restart(connection: ConnectionId, has_others: bool) -> Self {
        let seconds = match (has_others, connection.is_multiple_of(2)) {
            (false, _) => COME_BACK,
            (true, false) => SOON.0,
            (true, true) => SOON.1,
        };
        Self::Restart { seconds }
    }

    /// Closes with `restart`, for a guest who was merged into an account. The client reconnects at once with the same token.
    pub(crate) const fn signed_in() -> Self {
        Self::Restart { seconds: 0 }
    }

    /// Returns the last message before the connection is closed.
    pub(crate) fn message(&self) -> ServerMessage {
        match self {
            Self::Bye { code, text, seconds, .. } => {
                ServerMessage::Bye { code: *code, text: text.clone(), seconds: *seconds }
            }
            Self::Restart { seconds } => ServerMessage::Restart { seconds: *seconds },
        }
    }

    /// Returns the close frame, whose reason has at most 123 bytes.
    pub(crate) fn frame(&self) -> CloseFrame {
        let (code, text) = match self {
            Self::Bye { close, text, .. } => (*close, text.as_str()),
            Self::Restart { seconds: 0 } => (1012, "Connect again to go on."),
            Self::Restart { .. } => (1012, "Connect again in a moment."),
        };
        let end = (0..=text.len().min(123)).rev().find(|&end| text.is_char_boundary(end));
        CloseFrame { code, reason: text[..end.unwrap_or(0)].into() }
    }
}

/// The sending end, shared by everything that sends messages to a connection.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Queue>);

/// The receiving end, owned by the connection.
pub(crate) struct Inbox(Arc<Queue>);

/// A queue of messages. Unlike a channel, it takes hardly any memory while empty, and most connections are idle.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Unsent>,
    changed: Notify,
    /// The client's network and metrics. `None` if the queue does not belong to a client.
    client: Option<(IpAddr, Arc<Metrics>)>,
}

#[derive(Default)]
struct Unsent {
    frames: VecDeque<Frame>,
    /// The number of queued frames, not counting presence messages.
    messages: usize,
    /// The total length of all queued frames.
    bytes: usize,
    closed: Option<CloseReason>,
    /// When the oldest unanswered request arrived.
    asked: Option<Instant>,
}

impl Unsent {
    /// Removes the queued presence message about the same room, if any.
    fn remove_presence(&mut self, newer: &Frame) {
        let is_older = |frame: &Frame| frame.presence_in == newer.presence_in;
        if let Some(at) = self.frames.iter().position(is_older) {
            let older = self.frames.remove(at);
            self.bytes -= older.map_or(0, |older| older.text.len());
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Unsent> {
        lock(&self.waiting)
    }
}

/// Creates the queue of a connection. Without a client, nothing is measured.
pub(crate) fn outbox(client: Option<(IpAddr, Arc<Metrics>)>) -> (Outbox, Inbox) {
    let queue = Arc::new(Queue { client, ..Queue::default() });
    (Outbox(Arc::clone(&queue)), Inbox(queue))
}

/// A serialised message.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) text: Utf8Bytes,
    /// The room, if this is a presence message. Only the latest presence message about a room matters.
    presence_in: Option<String>,
}

/// Serialises a message.
pub(crate) fn frame(message: &ServerMessage) -> Frame {
    let presence_in = match message {
        ServerMessage::Presence { code, .. } => Some(code.clone()),
        _ => None,
    };
    Frame { text: message.to_json().into(), presence_in }
}

impl Outbox {
    /// Returns the client's network, if the queue belongs to a client.
    pub(crate) fn network(&self) -> Option<IpAddr> {
        self.0.client.as_ref().map(|(network, _)| *network)
    }

    /// Sends a message, or closes the connection if the client is too far behind.
    pub(crate) fn send(&self, message: &ServerMessage) {
        self.count(message);
        self.send_frame(frame(message));
    }

    /// Records the arrival of a request. If earlier requests are still unanswered, measures from the oldest.
    pub(crate) fn note_request(&self) {
        if self.0.client.is_some() {
            self.0.lock().asked.get_or_insert_with(Instant::now);
        }
    }

    fn count(&self, message: &ServerMessage) {
        let Some((_, metrics)) = &self.0.client else { return };
        match message {
            ServerMessage::Ack { .. } => {
                let asked = self.0.lock().asked.take();
                if let Some(asked) = asked {
                    metrics.acknowledge(asked);
                }
            }
            // A notice is not an answer: the request is still waiting.
            ServerMessage::Rej(rej) if rej.notice.is_none() => {
                self.0.lock().asked = None;
                metrics.reject(rej.code);
            }
            _ => {}
        }
    }

    /// Sends a message that was serialised for several connections. A presence message replaces a queued one about the same
    /// room, so that spectators who come and go do not make a client fall behind.
    pub(crate) fn send_frame(&self, frame: Frame) {
        {
            let mut waiting = self.0.lock();
            // Messages must not be skipped: after a gap, send nothing more.
            if waiting.closed.is_some() {
                return;
            }
            let is_presence = frame.presence_in.is_some();
            if is_presence {
                waiting.remove_presence(&frame);
            }
            let fits = waiting.frames.is_empty() || waiting.bytes + frame.text.len() <= MOST_BYTES;
            if is_presence || (fits && waiting.messages < MOST_WAITING) {
                waiting.messages += usize::from(!is_presence);
                waiting.bytes += frame.text.len();
                waiting.frames.push_back(frame);
            } else {
                const SLOW: &str = "You did not read fast enough. Connect again to go on.";
                waiting.closed = Some(CloseReason::bye(RejectionCode::Slow, 1008, SLOW));
                // Counted here, because the connection may be busy writing for a while.
                if let Some((_, metrics)) = &self.0.client {
                    metrics.reject(RejectionCode::Slow);
                }
            }
        }
        self.0.changed.notify_one();
    }

    /// Closes the connection once all queued messages have been sent. If called again, the first reason counts.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.0.lock().closed.get_or_insert(reason);
        self.0.changed.notify_one();
    }
}

impl Inbox {
    /// Waits until there is a message to send, or the connection is to be closed.
    pub(crate) async fn wait(&self) {
        self.0.changed.notified().await;
    }

    /// Takes the next message or, once none is left, the reason to close the connection, if any.
    pub(crate) fn take(&self) -> Option<Result<Utf8Bytes, CloseReason>> {
        let mut waiting = self.0.lock();
        if let Some(frame) = waiting.frames.pop_front() {
            waiting.messages -= usize::from(frame.presence_in.is_none());
            waiting.bytes -= frame.text.len();
            return Some(Ok(frame.text));
        }
        waiting.frames.shrink_to(0);
        waiting.closed.clone().map(Err)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use skirmish_present::json::PerPlayer;
    use skirmish_room::wire::Rej;

    use super::*;

    #[test]
    fn a_refusal_answers_a_request_and_a_notice_does_not() {
        let (outbox, _inbox) = outbox(Some((Ipv4Addr::LOCALHOST.into(), Arc::default())));
        let is_waiting = || outbox.0.lock().asked.is_some();
        let (code, text) = (RejectionCode::Storage, "The server could not store it.");
        outbox.note_request();
        outbox.send(&ServerMessage::Rej(Rej::about("ABCDEF", code, text)));
        assert!(is_waiting());
        outbox.send(&ServerMessage::Rej(Rej::of(None, code, text)));
        assert!(!is_waiting());
    }

    /// Returns a frame with this text.
    fn text(text: impl Into<Utf8Bytes>) -> Frame {
        Frame { text: text.into(), presence_in: None }
    }

    #[test]
    fn whoever_does_not_read_gets_what_fits_and_is_closed() {
        let (outbox, inbox) = outbox(None);
        for _ in 0..=MOST_WAITING {
            outbox.send_frame(text("{}"));
        }
        for _ in 0..MOST_WAITING {
            assert!(matches!(inbox.take(), Some(Ok(_))));
        }
        let closed = inbox.take();
        assert!(
            matches!(closed, Some(Err(CloseReason::Bye { code: RejectionCode::Slow, .. }))),
            "{closed:?}"
        );
    }

    #[test]
    fn only_the_last_message_about_the_presence_in_a_room_waits() {
        let (outbox, inbox) = outbox(None);
        let presence = |code: &str, watchers| {
            let (code, players) = (code.to_owned(), PerPlayer::default());
            outbox.send(&ServerMessage::Presence { code, players, watchers });
        };
        presence("ABCDEF", 1);
        outbox.send_frame(text("a move"));
        for watchers in 2..1000 {
            presence("ABCDEF", watchers);
            presence("GHJKMN", watchers);
        }
        let taken: Vec<Utf8Bytes> =
            std::iter::from_fn(|| inbox.take()).map(|taken| taken.expect("not closed")).collect();
        let [first, second, third] = &taken[..] else { panic!("{taken:?}") };
        assert_eq!(first.as_str(), "a move");
        for (frame, code) in [(second, "ABCDEF"), (third, "GHJKMN")] {
            let is_last = frame.contains(code) && frame.contains("\"watchers\":999");
            assert!(is_last, "{frame}");
        }
    }

    #[test]
    fn large_messages_fill_the_queue_sooner_and_nothing_follows_a_gap() {
        let (outbox, inbox) = outbox(None);
        let large = "x".repeat(MOST_BYTES / 2);
        for _ in 0..4 {
            outbox.send_frame(text(large.clone()));
        }
        let mut taken = 0;
        while let Some(Ok(frame)) = inbox.take() {
            assert_eq!(frame.len(), large.len());
            taken += 1;
            outbox.send_frame(text("{}"));
        }
        assert_eq!(taken, 2);
        // A single message is sent regardless of its length.
        let (outbox, inbox) = super::outbox(None);
        outbox.send_frame(text("x".repeat(3 * MOST_BYTES)));
        assert!(matches!(inbox.take(), Some(Ok(_))));
        outbox.send_frame(text("{}"));
        assert!(matches!(inbox.take(), Some(Ok(_))));
        assert!(inbox.take().is_none());
    }

    #[test]
    fn the_reason_in_a_close_frame_is_short_enough() {
        let reason = CloseReason::bye(RejectionCode::Limit, 1008, "é".repeat(100));
        assert_eq!(reason.frame().reason.len(), 122);
    }
}
