//! Limits on the requests of a connection, an address and an account.

mod bucket;
mod network;
mod room;
mod sharing;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skirmish_room::{AccountId, Millis};

pub(crate) use self::bucket::TokenBucket;
use self::network::Network;
pub(crate) use self::network::{customer, network};
pub(crate) use self::sharing::Spending;
use self::sharing::{Reported, Spent};
use crate::lock::lock;
use crate::proxy::Proxy;

/// An allowance that messages or bytes use up, and that is refilled over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credits {
    /// Maximum number of credits.
    pub most: u32,
    /// Number of credits restored per second.
    pub per_second: u32,
}

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The credits of a connection. A valid message costs one, an invalid one ten.
    pub connection: Credits,
    /// The credits shared by all connections from one address. All limits per address are higher for larger IPv6 networks:
    /// twice as high for a /56, four times as high for a /48.
    pub address: Credits,
    /// The credits for HTTP from one address: a socket costs one, a request one or more. Messages have separate credits, so
    /// that a flood of requests does not disconnect players behind the same address.
    pub requests: Credits,
    /// The credits shared by all connections of an account.
    pub account: Credits,
    /// The rate limit for bytes read from a socket.
    pub bytes: Credits,
    /// Maximum number of simultaneous connections from one address.
    pub connections_per_address: u32,
    /// Maximum number of simultaneous connections.
    pub connections: u32,
    /// Maximum number of simultaneous sockets from one address, not counting those that have become a WebSocket.
    pub sockets_per_address: u32,
    /// Maximum number of simultaneous sockets, not counting those that have become a WebSocket.
    pub sockets: u32,
    /// Maximum number of simultaneous TLS handshakes. Others wait.
    pub handshakes: usize,
    /// Maximum duration of a TLS handshake.
    pub handshake: Duration,
    /// Maximum time to receive the head of a request, including the idle time before it. Shorter if most sockets are in use.
    pub request: Duration,
    /// Maximum number of unfinished games of an account.
    pub games_per_account: u32,
    /// Maximum number of games created from one address per day.
    pub games_per_address: u32,
    /// Maximum number of guests per address and day who get an account.
    pub guests_per_address: u32,
    /// Maximum number of account codes tried from one address in ten minutes.
    pub link_tries: u32,
    /// How often the server pings a connection, to measure the delay and to detect lost clients.
    pub ping: Duration,
    /// How long a connection may be silent, even in answer to pings.
    pub silence: Duration,
    /// How long a connection may take to say `hello`.
    pub hello: Duration,
    /// How long a client may take to read a message written to it.
    pub write: Duration,
    /// The proxies trusted to name their clients, so that the limits per address apply to clients and not to proxies.
    pub proxies: Vec<Proxy>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connection: Credits { most: 100, per_second: 20 },
            address: Credits { most: 1_000, per_second: 200 },
            requests: Credits { most: 1_000, per_second: 200 },
            account: Credits { most: 300, per_second: 60 },
            bytes: Credits { most: 256 << 10, per_second: 128 << 10 },
            connections_per_address: 200,
            connections: 18_000,
            sockets_per_address: 200,
            sockets: 1_500,
            handshakes: 500,
            handshake: Duration::from_secs(5),
            request: Duration::from_secs(10),
            games_per_account: 50,
            games_per_address: 1_000,
            guests_per_address: 2_000,
            link_tries: 5,
            ping: Duration::from_secs(15),
            silence: Duration::from_secs(50),
            hello: Duration::from_secs(10),
            write: Duration::from_secs(10),
            proxies: Vec::new(),
        }
    }
}

impl Limits {
    /// Returns limits that are never reached, for measurements from one address.
    #[must_use]
    pub fn none() -> Self {
        let free = Credits { most: u32::MAX / 2, per_second: u32::MAX / 2 };
        Self {
            connection: free,
            address: free,
            requests: free,
            account: free,
            bytes: free,
            connections_per_address: u32::MAX,
            connections: u32::MAX,
            sockets_per_address: u32::MAX,
            sockets: u32::MAX,
            games_per_account: u32::MAX,
            games_per_address: u32::MAX,
            guests_per_address: u32::MAX,
            link_tries: u32::MAX,
            ..Self::default()
        }
    }
}

/// A limit that was reached, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) what: &'static str,
    pub(crate) seconds: u32,
}

impl Reached {
    pub(crate) fn text(self) -> String {
        let Self { what, seconds } = self;
        let unit = if seconds == 1 { "second" } else { "seconds" };
        format!("Too many {what}: try again in {seconds} {unit}.")
    }
}

/// The remaining credits of addresses and accounts.
pub(crate) struct Ledger {
    limits: Limits,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    addresses: HashMap<Network, Visitor>,
    accounts: HashMap<AccountId, TokenBucket>,
    connections: u32,
    sockets: u32,
    calls: u32,
    /// Use since this node last reported to the others, and the connections that other nodes hold.
    spent: Spent,
    reported: Reported,
}

struct Visitor {
    buckets: [TokenBucket; Use::ALL.len()],
    connections: u32,
    sockets: u32,
}

/// The kinds of use that are charged to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Use {
    /// Messages on its connections.
    Messages,
    /// Sockets and HTTP requests.
    Requests,
    /// Games created.
    Games,
    /// Guests who get an account.
    Guests,
    /// Link and recovery codes tried.
    Links,
}

impl Use {
    const ALL: [Self; 5] = [Self::Messages, Self::Requests, Self::Games, Self::Guests, Self::Links];

    /// Number of credits per use. A limit over a longer period costs one credit for each second of the period, so that whole
    /// credits are restored every second.
    const fn cost(self) -> u32 {
        match self {
            Self::Messages | Self::Requests => 1,
            Self::Games | Self::Guests => 24 * 60 * 60,
            Self::Links => 10 * 60,
        }
    }

    /// Returns the credits of one address for this kind of use.
    const fn credits(self, limits: &Limits) -> Credits {
        let per_second = match self {
            Self::Messages => return limits.address,
            Self::Requests => return limits.requests,
            Self::Games => limits.games_per_address,
            Self::Guests => limits.guests_per_address,
            Self::Links => limits.link_tries,
        };
        Credits { most: per_second.saturating_mul(self.cost()), per_second }
    }

    const fn what(self) -> &'static str {
        match self {
            Self::Messages => "messages from your address",
            Self::Requests => "requests from your address",
            Self::Games => "games from your address",
            Self::Guests => "new guests from your address",
            Self::Links => "codes from your address",
        }
    }
}

impl Ledger {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, inner: Mutex::default() }
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Charges an address and an account for an incoming message.
    pub(crate) fn take(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        cost: u32,
        now: Millis,
    ) -> Result<(), Reached> {
        let mut inner = self.lock();
        self.charge_in(&mut inner, address, Use::Messages, cost, now)?;
        if let Some(account) = account {
            let what = "messages from your account";
            let bucket = self.account(&mut inner, account, now);
            let taken = bucket.take(self.limits.account, cost, now);
            taken.map_err(|seconds| Reached { what, seconds })?;
            inner.spent.note_account(account, cost);
        }
        Ok(())
    }

    /// Charges an address for `count` uses of a kind.
    pub(crate) fn charge(
        &self,
        address: IpAddr,
        kind: Use,
        count: u32,
        now: Millis,
    ) -> Result<(), Reached> {
        self.charge_in(&mut self.lock(), address, kind, count, now)
    }

    /// Charges all networks of an address, smallest first. If a network has too few credits, the larger ones are not
    /// charged.
    fn charge_in(
        &self,
        inner: &mut Inner,
        address: IpAddr,
        kind: Use,
        count: u32,
        now: Millis,
    ) -> Result<(), Reached> {
        self.tidy(inner, now);
        let (credits, cost) = (kind.credits(&self.limits), count.saturating_mul(kind.cost()));
        for network in Network::of(address) {
            let bucket = &mut self.visitor(inner, network, now).buckets[kind as usize];
            let taken = bucket.take(network.credits(credits), cost, now);
            taken.map_err(|seconds| Reached { what: kind.what(), seconds })?;
        }
        inner.spent.note(network(address), kind, count);
        Ok(())
    }

    fn visitor<'a>(&self, inner: &'a mut Inner, network: Network, now: Millis) -> &'a mut Visitor {
        let full = |kind: Use| TokenBucket::full(network.credits(kind.credits(&self.limits)), now);
        let visitor = || Visitor { buckets: Use::ALL.map(full), connections: 0, sockets: 0 };
        inner.addresses.entry(network).or_insert_with(visitor)
    }

    fn account<'a>(
        &self,
        inner: &'a mut Inner,
        account: AccountId,
        now: Millis,
    ) -> &'a mut TokenBucket {
        let full = || TokenBucket::full(self.limits.account, now);
        inner.accounts.entry(account).or_insert_with(full)
    }

    /// From time to time, removes addresses and accounts without recent use.
    fn tidy(&self, inner: &mut Inner, now: Millis) {
        inner.calls = inner.calls.wrapping_add(1);
        if !inner.calls.is_multiple_of(4096) {
            return;
        }
        let limits = &self.limits;
        inner.accounts.retain(|_, bucket| !bucket.is_full(limits.account, now));
        inner.addresses.retain(|network, visitor| {
            let mut buckets = Use::ALL.into_iter().zip(&visitor.buckets);
            visitor.connections > 0
                || visitor.sockets > 0
                || buckets.any(|(kind, bucket)| {
                    !bucket.is_full(network.credits(kind.credits(limits)), now)
                })
        });
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn credits_come_back_with_time() {
        let credits = Credits { most: 10, per_second: 2 };
        let mut bucket = TokenBucket::full(credits, 0);
        assert_eq!(bucket.take(credits, 10, 0), Ok(()));
        assert_eq!(bucket.take(credits, 1, 0), Err(1));
        assert_eq!(bucket.take(credits, 10, 0), Err(5));
        assert_eq!(bucket.take(credits, 1, 500), Ok(()));
        assert_eq!(bucket.take(credits, 10, 60_000), Ok(()));
        assert_eq!(bucket.take(credits, 1, 0), Err(1), "a clock that goes back brings nothing");
    }

    #[test]
    fn five_codes_can_be_tried_in_ten_minutes() {
        let ledger = Ledger::new(Limits::default());
        for _ in 0..5 {
            assert_eq!(ledger.charge(HERE, Use::Links, 1, 0), Ok(()));
        }
        assert_eq!(
            ledger.charge(HERE, Use::Links, 1, 0).map_err(|reached| reached.seconds),
            Err(120)
        );
        assert_eq!(ledger.charge(HERE, Use::Links, 1, 120_000), Ok(()));
    }

    #[test]
    fn so_many_games_can_be_created_in_a_day() {
        let ledger = Ledger::new(Limits { games_per_address: 24, ..Limits::default() });
        for _ in 0..24 {
            assert_eq!(ledger.charge(HERE, Use::Games, 1, 0), Ok(()));
        }
        assert_eq!(
            ledger.charge(HERE, Use::Games, 1, 0).map_err(|reached| reached.seconds),
            Err(3600)
        );
        assert!(ledger.charge(HERE, Use::Games, 1, 3_599_000).is_err());
        assert_eq!(ledger.charge(HERE, Use::Games, 1, 3_600_000), Ok(()));
    }
}
