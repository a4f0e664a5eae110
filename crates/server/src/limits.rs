//! How much a connection, an address and an account may ask for.

mod purse;
mod sharing;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use skirmish_room::{AccountId, Millis};

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
    /// The credits of all connections from one address.
    pub address: Credits,
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
    /// How long the head of a request may take, and a connection be idle before the next one.
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

/// The part of an address that belongs to one customer: of IPv6 the first 64 bits.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// What addresses and accounts have left.
pub(crate) struct Ledger {
    limits: Limits,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    addresses: HashMap<IpAddr, Visitor>,
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

    /// A socket is accepted. It is counted for its address, unless that is a proxy's.
    pub(crate) fn arrive(&self, address: Option<IpAddr>, now: Millis) -> Result<(), Reached> {
        let mut inner = self.lock();
        self.tidy(&mut inner, now);
        if inner.sockets >= self.limits.sockets {
            return Err(Reached { what: "requests to this server", seconds: 10 });
        }
        if let Some(address) = address {
            let visitor = self.visitor(&mut inner, address, now);
            if visitor.sockets >= self.limits.sockets_per_address {
                return Err(Reached { what: "requests from your address", seconds: 10 });
            }
            visitor.sockets += 1;
        }
        inner.sockets += 1;
        Ok(())
    }

    /// A socket is closed, or has become a connection.
    pub(crate) fn depart(&self, address: Option<IpAddr>) {
        let mut inner = self.lock();
        inner.sockets = inner.sockets.saturating_sub(1);
        let visitor = address.and_then(|address| inner.addresses.get_mut(&network(address)));
        if let Some(visitor) = visitor {
            visitor.sockets = visitor.sockets.saturating_sub(1);
        }
    }

    /// A connection opens.
    pub(crate) fn enter(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let mut inner = self.lock();
        if inner.connections >= self.limits.connections {
            return Err(Reached { what: "connections to this server", seconds: 30 });
        }
        let elsewhere = inner.elsewhere.connections(network(address), now);
        let visitor = self.visitor(&mut inner, address, now);
        if visitor.connections.saturating_add(elsewhere) >= self.limits.connections_per_address {
            return Err(Reached { what: "connections from your address", seconds: 30 });
        }
        visitor.connections += 1;
        inner.connections += 1;
        Ok(())
    }

    /// A connection is closed.
    pub(crate) fn leave(&self, address: IpAddr) {
        let mut inner = self.lock();
        inner.connections = inner.connections.saturating_sub(1);
        if let Some(visitor) = inner.addresses.get_mut(&network(address)) {
            visitor.connections = visitor.connections.saturating_sub(1);
        }
    }

    pub(crate) fn connections(&self) -> u32 {
        self.lock().connections
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
        let visitor = self.visitor(&mut inner, address, now);
        let reached = |what| move |seconds| Reached { what, seconds };
        visitor
            .purse
            .take(self.limits.address, cost, now)
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

    /// A game is created.
    pub(crate) fn create(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let credits = per_day(self.limits.games_per_address);
        let mut inner = self.lock();
        let visitor = self.visitor(&mut inner, address, now);
        // A game costs as many units as a day has seconds, so that whole units come back every second.
        let reached = |seconds| Reached { what: "games from your address", seconds };
        visitor.games.take(credits, DAY, now).map_err(reached)?;
        inner.spent.note(network(address), |costs| costs.games += 1);
        Ok(())
    }

    /// A guest gets an account.
    pub(crate) fn welcome(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let credits = per_day(self.limits.guests_per_address);
        let mut inner = self.lock();
        let visitor = self.visitor(&mut inner, address, now);
        let reached = |seconds| Reached { what: "new guests from your address", seconds };
        visitor.guests.take(credits, DAY, now).map_err(reached)?;
        inner.spent.note(network(address), |costs| costs.guests += 1);
        Ok(())
    }

    /// A link or recovery code is tried.
    pub(crate) fn try_link(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let credits = self.links();
        let mut inner = self.lock();
        let visitor = self.visitor(&mut inner, address, now);
        let reached = |seconds| Reached { what: "codes from your address", seconds };
        visitor.links.take(credits, LINK, now).map_err(reached)?;
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

    fn visitor<'a>(&self, inner: &'a mut Inner, address: IpAddr, now: Millis) -> &'a mut Visitor {
        inner.addresses.entry(network(address)).or_insert_with(|| Visitor {
            purse: Purse::full(self.limits.address, now),
            games: Purse::full(per_day(self.limits.games_per_address), now),
            guests: Purse::full(per_day(self.limits.guests_per_address), now),
            links: Purse::full(self.links(), now),
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
        inner.addresses.retain(|_, visitor| {
            visitor.connections > 0
                || visitor.sockets > 0
                || !visitor.purse.is_full(limits.address, now)
                || !visitor.games.is_full(games, now)
                || !visitor.guests.is_full(guests, now)
                || !visitor.links.is_full(links, now)
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

    #[test]
    fn addresses_of_one_customer_share_their_limits() {
        let parse = |text: &str| network(text.parse().expect("an address"));
        assert_eq!(parse("2001:db8:1:2:3:4:5:6"), parse("2001:db8:1:2::1"));
        assert_ne!(parse("2001:db8:1:2::1"), parse("2001:db8:1:3::1"));
        assert_eq!(parse("::ffff:127.0.0.1"), HERE);
    }

    #[test]
    fn visitors_who_only_knock_are_forgotten() {
        let ledger = Ledger::new(Limits::default());
        for number in 0..10_000 {
            let address = Some(IpAddr::V4(std::net::Ipv4Addr::from_bits(number)));
            assert_eq!(ledger.arrive(address, 0), Ok(()));
            ledger.depart(address);
        }
        assert!(ledger.lock().addresses.len() < 4096, "all of them are remembered");
    }

    #[test]
    fn connections_from_one_address_are_counted() {
        let ledger = Ledger::new(Limits { connections_per_address: 1, ..Limits::default() });
        assert!(ledger.enter(HERE, 0).is_ok());
        let reached = ledger.enter(HERE, 0).expect_err("one connection is the limit");
        assert_eq!(
            reached.text(),
            "Too many connections from your address: try again in 30 seconds."
        );
        assert_eq!(
            Reached { what: "messages", seconds: 1 }.text(),
            "Too many messages: try again in 1 second."
        );
        ledger.leave(HERE);
        assert!(ledger.enter(HERE, 0).is_ok());
        assert_eq!(ledger.connections(), 1);
    }
}
