//! Limits how fast a client sends, a little below the servers' limits: exceeding those would end the connection.

use std::time::{Duration, Instant};

use skirmish_room::wire::ClientMessage;

/// The initial and maximum number of credits.
const MOST: u32 = 80;

/// The time in which one credit is restored.
const REFILL: Duration = Duration::from_millis(55);

/// The credits that a client has left.
pub(super) struct SendCredits {
    /// When all credits will be restored.
    full_at: Instant,
}

impl SendCredits {
    pub(super) const fn new(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Takes the credits for a message. Returns how long to wait before sending it.
    pub(super) fn take(&mut self, message: &ClientMessage, now: Instant) -> Duration {
        self.full_at = self.full_at.max(now) + REFILL * message.cost();
        self.full_at.saturating_duration_since(now).saturating_sub(REFILL * MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_and_a_flood_is_slowed_down() {
        let mut now = Instant::now();
        let mut pace = SendCredits::new(now);
        let burst: Duration = (0..MOST).map(|_| pace.take(&ClientMessage::Ping, now)).sum();
        assert_eq!(burst, Duration::ZERO);
        for _ in 0..100 {
            let wait = pace.take(&ClientMessage::Ping, now);
            assert_eq!(wait, REFILL, "one credit comes back while one waits");
            now += wait;
        }
        now += REFILL * MOST * 2;
        assert_eq!(pace.take(&ClientMessage::Lobby, now), Duration::ZERO, "credits come back");
    }
}
