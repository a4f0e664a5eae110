//! How much a connection, an address and an account may ask for.

mod network;
mod purse;
mod room;
mod sharing;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use skirmish_room::{AccountId, Millis};

use self::network::Network;
pub(crate) use self::network::{customer, network};
pub(crate) use self::purse::Purse;
pub(crate) use self::sharing::Spending;
use self::sharing::{Elsewhere, Spent};
use crate::lock::lock;
use crate::proxy::Proxy;

/// Credits that are used up, by messages or bytes, and come back with time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credits {
    /// How many there can be.
    pub most: u32,
    /// How many come back in a second.
    pub per_second: u32,
}

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The credits of a connection. A message takes one, a wrong one ten.
    pub connection: Credits,
    /// The credits of all connections from one address. This and the other limits of an address are higher for larger IPv6
    /// networks: twice as high for a /56, four times as high for a /48.
    pub address: Credits,
    /// The credits for HTTP from one address: a socket takes one, a request one or more. Messages have their own, so that a
    /// flood of requests does not disconnect the players behind the same address.
    pub requests: Credits,
    /// The credits of all connections of an account.
    pub account: Credits,
    /// The bytes that are read from a socket.
    pub bytes: Credits,
    /// The connections from one address at the same time.
    pub connections_per_address: u32,
    /// All connections.
    pub connections: u32,
    /// The sockets from one address at the same time, without those that have become a WebSocket.
    pub sockets_per_address: u32,
    /// All such sockets.
    pub sockets: u32,
    /// The TLS handshakes at the same time; others wait.
    pub handshakes: usize,
    /// How long a TLS handshake may take.
    pub handshake: Duration,
    /// How long the head of a request may take, and a connection be idle before the next one; less if most sockets are
    /// in use.
    pub request: Duration,
    /// The games of an account that are not over.
    pub games_per_account: u32,
    /// The games created from one address in a day.
    pub games_per_address: u32,
    /// The guests who get an account from one address in a day.
    pub guests_per_address: u32,
    /// The codes of accounts that can be tried from one address in ten minutes.
    pub link_tries: u32,
    /// How often the server pings, to measure the delay and to notice who is gone.
    pub ping: Duration,
    /// How long a connection may be silent, also in answer to pings.
    pub silence: Duration,
    /// How long a connection may take to say `hello`.
    pub hello: Duration,
    /// How long a connection may take to read what is written to it.
    pub write: Duration,
    /// The proxies that say for whom they ask, so that the limits of an address are the client's and not the proxy's.
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
    /// No limits but that of the machine: for measurements from one address.
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

/// A limit that was reached: which, and for how long.
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

/// What addresses and accounts have left.
pub(crate) struct Ledger {
    limits: Limits,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    addresses: HashMap<Network, Visitor>,
    accounts: HashMap<AccountId, Purse>,
    connections: u32,
    sockets: u32,
    calls: u32,
    /// What was used since other nodes were told, and what they have.
    spent: Spent,
    elsewhere: Elsewhere,
}

struct Visitor {
    purse: Purse,
    requests: Purse,
    games: Purse,
    guests: Purse,
    links: Purse,
    connections: u32,
    sockets: u32,
}

const DAY: u32 = 24 * 60 * 60;

/// The units of a link or recovery code, so that whole units come back every second.
const LINK: u32 = 600;

/// In a day all are back.
const fn per_day(most: u32) -> Credits {
    Credits { most: most.saturating_mul(DAY), per_second: most }
}

impl Ledger {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, inner: Mutex::default() }
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A message comes in.
    pub(crate) fn take(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        cost: u32,
        now: Millis,
    ) -> Result<(), Reached> {
        let mut inner = self.lock();
        self.tidy(&mut inner, now);
        let reached = |what| move |seconds| Reached { what, seconds };
        self.charge(
            &mut inner,
            address,
            |visitor| &mut visitor.purse,
            (self.limits.address, cost),
            now,
        )
        .map_err(reached("messages from your address"))?;
        inner.spent.note(network(address), |costs| costs.messages += cost);
        if let Some(account) = account {
            let credits = self.limits.account;
            let purse = inner.accounts.entry(account).or_insert_with(|| Purse::full(credits, now));
            purse.take(credits, cost, now).map_err(reached("messages from your account"))?;
            inner.spent.note_account(account, cost);
        }
        Ok(())
    }

    /// Charges an address for an HTTP request, or for its extra cost.
    pub(crate) fn request(&self, address: IpAddr, cost: u32, now: Millis) -> Result<(), Reached> {
        let mut inner = self.lock();
        self.tidy(&mut inner, now);
        self.charge_request(&mut inner, address, cost, now)
    }

    fn charge_request(
        &self,
        inner: &mut Inner,
        address: IpAddr,
        cost: u32,
        now: Millis,
    ) -> Result<(), Reached> {
        self.charge(
            inner,
            address,
            |visitor| &mut visitor.requests,
            (self.limits.requests, cost),
            now,
        )
        .map_err(|seconds| Reached { what: "requests from your address", seconds })?;
        inner.spent.note(network(address), |costs| costs.requests += cost);
        Ok(())
    }

    /// A game is created.
    pub(crate) fn create(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let credits = per_day(self.limits.games_per_address);
        let mut inner = self.lock();
        // A game costs as many units as a day has seconds, so that whole units come back every second.
        self.charge(&mut inner, address, |visitor| &mut visitor.games, (credits, DAY), now)
            .map_err(|seconds| Reached { what: "games from your address", seconds })?;
        inner.spent.note(network(address), |costs| costs.games += 1);
        Ok(())
    }

    /// A guest gets an account.
    pub(crate) fn welcome(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let credits = per_day(self.limits.guests_per_address);
        let mut inner = self.lock();
        self.charge(&mut inner, address, |visitor| &mut visitor.guests, (credits, DAY), now)
            .map_err(|seconds| Reached { what: "new guests from your address", seconds })?;
        inner.spent.note(network(address), |costs| costs.guests += 1);
        Ok(())
    }

    /// A link or recovery code is tried.
    pub(crate) fn try_link(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let credits = self.links();
        let mut inner = self.lock();
        self.charge(&mut inner, address, |visitor| &mut visitor.links, (credits, LINK), now)
            .map_err(|seconds| Reached { what: "codes from your address", seconds })?;
        inner.spent.note(network(address), |costs| costs.links += 1);
        Ok(())
    }

    /// In ten minutes, 600 seconds, all tries are back.
    const fn links(&self) -> Credits {
        Credits {
            most: self.limits.link_tries.saturating_mul(600),
            per_second: self.limits.link_tries,
        }
    }

    /// Charges all networks of an address, the smallest first, or returns the seconds until there are enough credits. If a
    /// network has too few, the larger ones are not charged.
    fn charge(
        &self,
        inner: &mut Inner,
        address: IpAddr,
        purse: impl Fn(&mut Visitor) -> &mut Purse,
        (credits, cost): (Credits, u32),
        now: Millis,
    ) -> Result<(), u32> {
        Network::of(address).try_for_each(|network| {
            purse(self.visitor(inner, network, now)).take(network.credits(credits), cost, now)
        })
    }

    fn visitor<'a>(&self, inner: &'a mut Inner, network: Network, now: Millis) -> &'a mut Visitor {
        let full = |credits| Purse::full(network.credits(credits), now);
        inner.addresses.entry(network).or_insert_with(|| Visitor {
            purse: full(self.limits.address),
            requests: full(self.limits.requests),
            games: full(per_day(self.limits.games_per_address)),
            guests: full(per_day(self.limits.guests_per_address)),
            links: full(self.links()),
            connections: 0,
            sockets: 0,
        })
    }

    /// Forgets from time to time those who have used nothing lately.
    fn tidy(&self, inner: &mut Inner, now: Millis) {
        inner.calls = inner.calls.wrapping_add(1);
        if inner.calls.is_multiple_of(4096) {
            self.forget(inner, now);
        }
    }

    /// Forgets those who have used nothing lately.
    fn forget(&self, inner: &mut Inner, now: Millis) {
        let (limits, links) = (&self.limits, self.links());
        let games = per_day(limits.games_per_address);
        let guests = per_day(limits.guests_per_address);
        inner.accounts.retain(|_, purse| !purse.is_full(limits.account, now));
        inner.addresses.retain(|network, visitor| {
            let is_full = |purse: &Purse, credits| purse.is_full(network.credits(credits), now);
            visitor.connections > 0
                || visitor.sockets > 0
                || !is_full(&visitor.purse, limits.address)
                || !is_full(&visitor.requests, limits.requests)
                || !is_full(&visitor.games, games)
                || !is_full(&visitor.guests, guests)
                || !is_full(&visitor.links, links)
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
        let mut purse = Purse::full(credits, 0);
        assert_eq!(purse.take(credits, 10, 0), Ok(()));
        assert_eq!(purse.take(credits, 1, 0), Err(1));
        assert_eq!(purse.take(credits, 10, 0), Err(5));
        assert_eq!(purse.take(credits, 1, 500), Ok(()));
        assert_eq!(purse.take(credits, 10, 60_000), Ok(()));
        assert_eq!(purse.take(credits, 1, 0), Err(1), "a clock that goes back brings nothing");
    }

    #[test]
    fn five_codes_can_be_tried_in_ten_minutes() {
        let ledger = Ledger::new(Limits::default());
        for _ in 0..5 {
            assert_eq!(ledger.try_link(HERE, 0), Ok(()));
        }
        assert_eq!(ledger.try_link(HERE, 0).map_err(|reached| reached.seconds), Err(120));
        assert_eq!(ledger.try_link(HERE, 120_000), Ok(()));
    }

    #[test]
    fn so_many_games_can_be_created_in_a_day() {
        let ledger = Ledger::new(Limits { games_per_address: 24, ..Limits::default() });
        for _ in 0..24 {
            assert_eq!(ledger.create(HERE, 0), Ok(()));
        }
        assert_eq!(ledger.create(HERE, 0).map_err(|reached| reached.seconds), Err(3600));
        assert!(ledger.create(HERE, 3_599_000).is_err());
        assert_eq!(ledger.create(HERE, 3_600_000), Ok(()));
    }
}
