//! Waking rooms that may need it.

use std::sync::Arc;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;

use super::Hub;
use crate::game::ToRoom;
use crate::lock::lock;

impl Hub {
    /// Whether a room is in memory, or will be woken at its deadline.
    pub(crate) fn is_looked_after(&self, code: &str) -> bool {
        self.is_live(code) || lock(&self.asleep).contains_key(code)
    }

    /// Tells a room that time may have passed, unless its mailbox is full: a room that is busy is alive. The receiver hears
    /// when it has gone on.
    pub(crate) fn nudge(self: &Arc<Self>, code: &str) -> oneshot::Receiver<()> {
        let (reply, woken) = oneshot::channel();
        let handle = self.room(code);
        if let Err(TrySendError::Closed(message)) =
            handle.mailbox.try_send(Box::new(ToRoom::Wake { reply }))
        {
            // The room has just gone to sleep: wake it.
            self.forget(code, &handle);
            let _ = self.room(code).mailbox.try_send(message);
        }
        woken
    }
}
