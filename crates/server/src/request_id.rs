//! Ids of HTTP requests, and of the connections that they may become. They appear in the log, and in the `x-request-id`
//! header for the client.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::codes;
use crate::proxy::{self, Proxy};

/// The header with the id.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length of an id given by a proxy.
const LONGEST: usize = 64;

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestId(Arc<str>);

impl RequestId {
    /// Returns the id given by a trusted proxy, or a new one.
    pub(crate) fn of(proxies: &[Proxy], peer: IpAddr, headers: &HeaderMap) -> Self {
        let given = headers.get(HEADER).filter(|_| proxy::is_trusted(proxies, peer));
        given.and_then(|given| Self::read(given.to_str().ok()?)).unwrap_or_else(Self::new)
    }

    /// Generates an id.
    pub(crate) fn new() -> Self {
        Self(format!("{:016x}", u64::from_le_bytes(codes::random())).into())
    }

    /// Accepts an id that is safe to log unescaped.
    fn read(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_id = (1..=LONGEST).contains(&text.len()) && text.bytes().all(fits);
        is_id.then(|| Self(text.into()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("an id has only letters, digits and a few signs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(id: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(HEADER, HeaderValue::from_static(id))])
    }

    #[test]
    fn only_a_trusted_proxy_names_requests() {
        let peer: IpAddr = "127.0.0.1".parse().expect("an address");
        let trusted = ["loopback".parse::<Proxy>().expect("a proxy")];
        let given = headers("abc-123");
        assert_eq!(RequestId::of(&trusted, peer, &given).text(), "abc-123");
        assert_ne!(RequestId::of(&[], peer, &given).text(), "abc-123");
    }

    #[test]
    fn an_id_that_does_not_belong_into_a_log_is_replaced() {
        let peer: IpAddr = "127.0.0.1".parse().expect("an address");
        let trusted = ["loopback".parse::<Proxy>().expect("a proxy")];
        for given in ["", "a b", "level=error", "\"", LONG] {
            let id = RequestId::of(&trusted, peer, &headers(given));
            assert_eq!(id.text().len(), 16, "{given}");
        }
    }

    const LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
}
