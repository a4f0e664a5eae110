//! The networks whose clients share limits.

use std::net::{IpAddr, Ipv6Addr};

use super::Credits;

/// The prefix lengths of the IPv6 networks that are counted, each with its multiple of the limits of one address. Providers
/// assign customers networks from /64 up to /48, so a /64 alone does not identify a customer.
const PREFIXES: [(u8, u32); 3] = [(64, 1), (56, 2), (48, 4)];

/// An IPv4 address, or an IPv6 network with one of the counted prefix lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Network {
    pub(super) base: IpAddr,
    factor: u32,
}

impl Network {
    /// Returns the networks of an address, smallest first.
    pub(super) fn of(address: IpAddr) -> impl Iterator<Item = Self> {
        let address = address.to_canonical();
        let count = if address.is_ipv4() { 1 } else { PREFIXES.len() };
        PREFIXES.into_iter().take(count).map(move |(prefix, factor)| match address {
            IpAddr::V4(_) => Self { base: address, factor },
            IpAddr::V6(address) => {
                let bits = address.to_bits() & (u128::MAX << (128 - prefix));
                Self { base: Ipv6Addr::from_bits(bits).into(), factor }
            }
        })
    }

    pub(super) const fn is_smallest(&self) -> bool {
        self.factor == 1
    }

    /// This network's limit, given the limit of one address.
    pub(super) const fn times(&self, limit: u32) -> u32 {
        limit.saturating_mul(self.factor)
    }

    pub(super) const fn credits(&self, credits: Credits) -> Credits {
        Credits { most: self.times(credits.most), per_second: self.times(credits.per_second) }
    }
}

/// Returns the smallest network of an address: the address itself, or its IPv6 /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    Network::of(address).next().map_or(address, |network| network.base)
}

/// Returns the largest network that one customer may have: the address itself, or its IPv6 /48.
pub(crate) fn customer(address: IpAddr) -> IpAddr {
    Network::of(address).last().map_or(address, |network| network.base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_customer_share_their_networks() {
        let shared = |one: &str, two: &str| {
            let [one, two] = [one, two].map(|text| text.parse().expect("an address"));
            Network::of(one).zip(Network::of(two)).map(|(one, two)| one == two).collect::<Vec<_>>()
        };
        assert_eq!(shared("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1"), [true, true, true]);
        assert_eq!(shared("2001:db8:1:2::1", "2001:db8:1:3::1"), [false, true, true]);
        assert_eq!(shared("2001:db8:1:2::1", "2001:db8:1:302::1"), [false, false, true]);
        assert_eq!(shared("2001:db8:1::1", "2001:db8:2::1"), [false, false, false]);
        assert_eq!(shared("::ffff:192.0.2.1", "192.0.2.1"), [true]);
        assert_eq!(shared("192.0.2.1", "192.0.2.2"), [false]);
    }
}
