//! Reverse proxies, and the headers with which they describe a client.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;

/// The header in which a proxy lists the addresses of all hops so far; the last is the proxy's own client.
const FORWARDED: &str = "x-forwarded-for";

/// The header in which a proxy says whether its client uses `http` or `https`.
const SCHEME: &str = "x-forwarded-proto";

/// A reverse proxy whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// The proxy with this address.
    Address(IpAddr),
    /// Any proxy on this machine.
    Loopback,
}

/// The error for text that names no proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an IP address such as 192.0.2.7 or 2001:db8::7, or loopback")]
pub struct NotAProxy;

impl FromStr for Proxy {
    type Err = NotAProxy;

    fn from_str(text: &str) -> Result<Self, NotAProxy> {
        if text.eq_ignore_ascii_case("loopback") {
            return Ok(Self::Loopback);
        }
        let address: IpAddr = text.parse().map_err(|_| NotAProxy)?;
        Ok(Self::Address(address.to_canonical()))
    }
}

/// Whether an address belongs to a trusted proxy.
pub(crate) fn is_trusted(proxies: &[Proxy], address: IpAddr) -> bool {
    let address = address.to_canonical();
    proxies.iter().any(|proxy| match proxy {
        Proxy::Address(trusted) => *trusted == address,
        Proxy::Loopback => address.is_loopback(),
    })
}

/// Returns the client's address: that of the peer or, if the peer is a proxy, the last hop that is not a proxy. Earlier hops
/// are only claims by the client. If a hop is unreadable, the proxy that passed it on counts as the client.
pub(crate) fn client(proxies: &[Proxy], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    if !is_trusted(proxies, client) {
        return client;
    }
    for value in headers.get_all(FORWARDED).iter().rev() {
        for hop in value.to_str().unwrap_or_default().rsplit(',') {
            let Some(address) = read(hop) else { return client };
            client = address;
            if !is_trusted(proxies, client) {
                return client;
            }
        }
    }
    client
}

/// Whether the client of a trusted proxy uses HTTPS. `None` without a proxy, or if the proxy does not say.
pub(crate) fn is_secure(proxies: &[Proxy], peer: IpAddr, headers: &HeaderMap) -> Option<bool> {
    let scheme = headers.get(SCHEME).filter(|_| is_trusted(proxies, peer))?;
    Some(scheme.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// Parses an address with an optional port.
fn read(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    let address = bare.parse().ok();
    let address = address.or_else(|| hop.parse().ok().map(|address: SocketAddr| address.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    /// Returns the client behind the proxies 10.0.0.1 and 10.0.0.2, for this peer and these headers.
    fn seen(peer: &str, headers: &[&str]) -> String {
        let proxies =
            ["10.0.0.1", "10.0.0.2", "2001:db8::1"].map(|text| text.parse().expect("a proxy"));
        let values = headers
            .iter()
            .map(|text| (FORWARDED.parse().expect("a name"), text.parse().expect("a value")));
        client(&proxies, address(peer), &values.collect()).to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        assert_eq!(seen("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(seen("10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(seen("::ffff:10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &[]), "10.0.0.1");
        let headers =
            [(FORWARDED.parse().expect("a name"), "198.51.100.7".parse().expect("a value"))];
        let headers: HeaderMap = headers.into_iter().collect();
        assert_eq!(client(&[], address("127.0.0.1"), &headers), address("127.0.0.1"));
    }

    #[test]
    fn the_last_hop_that_is_no_proxy_counts() {
        // The client's own claims come before its address.
        assert_eq!(seen("10.0.0.1", &["1.1.1.1, 198.51.100.7"]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &["1.1.1.1,198.51.100.7 , 10.0.0.2"]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &["10.0.0.2"]), "10.0.0.2", "a proxy asks for itself");
        // Several headers form one list.
        assert_eq!(seen("10.0.0.1", &["198.51.100.7", "198.51.100.8"]), "198.51.100.8");
        assert_eq!(seen("10.0.0.1", &["198.51.100.7", "10.0.0.2"]), "198.51.100.7");
    }

    #[test]
    fn a_trusted_proxy_says_whether_its_client_uses_https() {
        let proxies = [Proxy::Address(address("10.0.0.1"))];
        let seen = |peer, scheme: &str| {
            let header = (SCHEME.parse().expect("a name"), scheme.parse().expect("a value"));
            is_secure(&proxies, address(peer), &[header].into_iter().collect())
        };
        assert_eq!(seen("10.0.0.1", "HTTPS"), Some(true));
        assert_eq!(seen("10.0.0.1", "http"), Some(false));
        assert_eq!(seen("10.0.0.2", "https"), None, "nobody else is believed");
        assert_eq!(is_secure(&proxies, address("10.0.0.1"), &HeaderMap::new()), None);
    }

    #[test]
    fn junk_is_not_an_address() {
        for junk in [
            "",
            ",",
            "unknown",
            "_hidden",
            "198.51.100.7, x",
            "1.2.3",
            "[::1",
            "ä",
            "1.2.3.4 5.6.7.8",
        ] {
            assert_eq!(seen("10.0.0.1", &[junk]), "10.0.0.1", "{junk}");
        }
        // Unreadable text from the client is harmless.
        assert_eq!(seen("10.0.0.1", &["junk, 198.51.100.7"]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &["junk, 10.0.0.2"]), "10.0.0.2", "who asked it is unknown");
    }

    #[test]
    fn addresses_have_ports_and_brackets() {
        assert_eq!(seen("10.0.0.1", &["198.51.100.7:4711"]), "198.51.100.7");
        assert_eq!(seen("2001:db8::1", &["2001:db8:5::7"]), "2001:db8:5::7");
        assert_eq!(seen("2001:db8::1", &["[2001:db8:5::7]"]), "2001:db8:5::7");
        assert_eq!(seen("2001:db8::1", &["[2001:db8:5::7]:4711"]), "2001:db8:5::7");
        assert_eq!(seen("10.0.0.1", &["::ffff:198.51.100.7"]), "198.51.100.7");
    }

    #[test]
    fn a_proxy_is_an_address_or_the_machine_itself() {
        assert_eq!("Loopback".parse(), Ok(Proxy::Loopback));
        for inside in ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"] {
            assert!(is_trusted(&[Proxy::Loopback], address(inside)), "{inside}");
        }
        assert!(!is_trusted(&[Proxy::Loopback], address("192.0.2.1")));
        for text in ["", "localhost", "10.0.0.0/8", "10.0.0.1:80"] {
            assert_eq!(text.parse::<Proxy>(), Err(NotAProxy), "{text}");
        }
    }
}
