//! A token bucket: credits that are restored over time.

use skirmish_room::Millis;

use super::Credits;

/// The remaining credits of one account or network, refilled as time passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    /// Remaining thousandths of a credit.
    left: u64,
    at: Millis,
}

impl TokenBucket {
    pub(crate) const fn full(credits: Credits, now: Millis) -> Self {
        Self { left: credits.most as u64 * 1000, at: now }
    }

    /// Takes credits, or returns in how many seconds there will be enough.
    pub(crate) fn take(&mut self, credits: Credits, cost: u32, now: Millis) -> Result<(), u32> {
        let gained = now.saturating_sub(self.at).saturating_mul(u64::from(credits.per_second));
        self.left = self.left.saturating_add(gained).min(u64::from(credits.most) * 1000);
        self.at = self.at.max(now);
        let cost = u64::from(cost) * 1000;
        if let Some(left) = self.left.checked_sub(cost) {
            self.left = left;
            return Ok(());
        }
        let missing = (cost - self.left).div_ceil(u64::from(credits.per_second.max(1)));
        Err(u32::try_from(missing.div_ceil(1000)).unwrap_or(u32::MAX).max(1))
    }

    pub(super) fn is_full(&self, credits: Credits, now: Millis) -> bool {
        let mut copy = *self;
        copy.take(credits, 0, now).is_ok() && copy.left == u64::from(credits.most) * 1000
    }

    /// Takes credits that were used on another node, as far as there are any.
    pub(super) fn take_elsewhere(&mut self, credits: Credits, cost: u32, now: Millis) {
        if self.take(credits, cost, now).is_err() {
            self.left = 0;
        }
    }
}
