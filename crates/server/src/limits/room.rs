//! Limits on the number of sockets and connections, in total and per network.

use std::net::IpAddr;
use std::time::Duration;

use skirmish_room::Millis;

use super::{Ledger, Network, Reached, Use};

/// Cost of a socket.
const SOCKET: u32 = 1;

/// A network may hold one socket or connection for every `FREE_PER_HELD` free ones, but always at least one. As more are
/// taken, each network may hold fewer, so that some remain for new networks.
const FREE_PER_HELD: u32 = 4;

/// Minimum time for the head of a request, as a fraction of the usual time.
const LEAST_PATIENCE: f64 = 0.1;

impl Ledger {
    /// Accepts a socket and counts it for its address; `None` for a proxy's. Returns how long the head of a request may take:
    /// the fewer sockets are free, the less.
    pub(crate) fn arrive(&self, address: Option<IpAddr>, now: Millis) -> Result<Duration, Reached> {
        let mut inner = self.lock();
        let limits = &self.limits;
        let free = limits.sockets.saturating_sub(inner.sockets);
        let full = Reached { what: "requests to this server", seconds: 10 };
        if free == 0 {
            return Err(full);
        }
        if let Some(address) = address {
            for network in Network::of(address) {
                let held = self.visitor(&mut inner, network, now).sockets;
                if held >= network.times(limits.sockets_per_address) {
                    return Err(Reached { what: "requests from your address", seconds: 10 });
                }
                if held > free / FREE_PER_HELD {
                    return Err(full);
                }
            }
            self.charge_in(&mut inner, address, Use::Requests, SOCKET, now)?;
            for network in Network::of(address) {
                self.visitor(&mut inner, network, now).sockets += 1;
            }
        }
        inner.sockets += 1;
        let share = 2.0 * f64::from(free) / f64::from(limits.sockets);
        Ok(limits.request.mul_f64(share.clamp(LEAST_PATIENCE, 1.0)))
    }

    /// Releases a socket that was closed or has become a connection.
    pub(crate) fn depart(&self, address: Option<IpAddr>) {
        let mut inner = self.lock();
        inner.sockets = inner.sockets.saturating_sub(1);
        for network in address.into_iter().flat_map(Network::of) {
            if let Some(visitor) = inner.addresses.get_mut(&network) {
                visitor.sockets = visitor.sockets.saturating_sub(1);
            }
        }
    }

    /// Accepts a connection and counts it for its address.
    pub(crate) fn enter(&self, address: IpAddr, now: Millis) -> Result<(), Reached> {
        let mut inner = self.lock();
        let limits = &self.limits;
        let free = limits.connections.saturating_sub(inner.connections);
        let full = Reached { what: "connections to this server", seconds: 30 };
        if free == 0 {
            return Err(full);
        }
        for network in Network::of(address) {
            let elsewhere = inner.reported.connections(network, now);
            let held = self.visitor(&mut inner, network, now).connections;
            let most = network.times(limits.connections_per_address);
            if held.saturating_add(elsewhere) >= most {
                return Err(Reached { what: "connections from your address", seconds: 30 });
            }
            if held > free / FREE_PER_HELD {
                return Err(full);
            }
        }
        for network in Network::of(address) {
            self.visitor(&mut inner, network, now).connections += 1;
        }
        inner.connections += 1;
        Ok(())
    }

    /// Releases a closed connection.
    pub(crate) fn leave(&self, address: IpAddr) {
        let mut inner = self.lock();
        inner.connections = inner.connections.saturating_sub(1);
        for network in Network::of(address) {
            if let Some(visitor) = inner.addresses.get_mut(&network) {
                visitor.connections = visitor.connections.saturating_sub(1);
            }
        }
    }

    pub(crate) fn connections(&self) -> u32 {
        self.lock().connections
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Credits, Limits};
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    const FREE: Credits = Credits { most: u32::MAX / 4, per_second: 1 };

    /// Returns an address in a /64 of the /48 network `2001:db8::`.
    fn part(number: u16) -> IpAddr {
        std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, number, 0, 0, 0, 1).into()
    }

    #[test]
    fn a_large_network_is_not_many_people() {
        // Open as many connections and sockets, and send as many messages, as possible from 40 networks of one customer.
        let most = |prefix: u32| {
            let ledger = Ledger::new(Limits { requests: FREE, ..Limits::default() });
            let parts = (0..40).map(|number| part(number << (64 - prefix)));
            let count = |accepts: &dyn Fn(IpAddr) -> bool| -> usize {
                parts.clone().map(|part| (0..2_000).take_while(|_| accepts(part)).count()).sum()
            };
            [
                count(&|part| ledger.enter(part, 0).is_ok()),
                count(&|part| ledger.arrive(Some(part), 0).is_ok()),
                count(&|part| ledger.take(part, None, 1, 0).is_ok()),
                count(&|part| ledger.charge(part, Use::Games, 1, 0).is_ok()),
            ]
        };
        assert_eq!(most(64), [400, 301, 2_000, 2_000], "of one /56");
        assert_eq!(most(56), [800, 301, 4_000, 4_000], "of one /48");
    }

    #[test]
    fn eight_addresses_leave_room_for_others() {
        let ledger = Ledger::new(Limits::default());
        let address = |number: u8| IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, number));
        for number in 1..=8 {
            let refused = (0..200).filter(|_| ledger.arrive(Some(address(number)), 0).is_err());
            let refused = refused.count();
            assert!(
                number < 4 || refused > 0,
                "address {number} holds as much as others before it"
            );
        }
        let usual = Limits::default().request;
        let shorter = ledger.arrive(Some(address(9)), 0).expect("there is room");
        assert!(shorter < usual, "room is tight: {shorter:?}");
        for number in 10..110 {
            assert!(ledger.arrive(Some(address(number)), 0).is_ok(), "{number}");
        }
        for number in 1..=3 {
            (0..200).for_each(|_| ledger.depart(Some(address(number))));
        }
        assert_eq!(ledger.arrive(Some(address(1)), 0), Ok(usual), "there is room again");
    }

    #[test]
    fn visitors_who_only_knock_are_forgotten() {
        let ledger = Ledger::new(Limits::default());
        for number in 0..10_000 {
            let address = Some(IpAddr::V4(std::net::Ipv4Addr::from_bits(number)));
            // A socket's credit is restored after 5 ms.
            assert!(ledger.arrive(address, number.into()).is_ok());
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
