//! The origin of a web page, as sent by browsers.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::Uri;

/// A valid origin: `http` or `https`, a host and, unless it is the default, a port.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageOrigin {
    pub(crate) is_secure: bool,
    /// The host and the port, as in a request's `Host` header.
    pub(crate) authority: String,
    /// Whether the host is an IP address or `localhost` rather than a name.
    pub(crate) is_address: bool,
}

impl PageOrigin {
    /// Parses an `Origin` header. Browsers write origins in one form; any other text is rejected.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let origin = Self::of(text)?;
        let scheme = if origin.is_secure { "https" } else { "http" };
        (text == format!("{scheme}://{}", origin.authority)).then_some(origin)
    }

    /// Returns the origin of the pages at a URL.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let url: Uri = url.to_ascii_lowercase().parse().ok()?;
        let (host, is_secure) = (url.host()?, url.scheme_str()? == "https");
        if !is_secure && url.scheme_str()? != "http" {
            return None;
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_address = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => host == "localhost" || host.parse::<Ipv4Addr>().is_ok(),
        };
        if !is_address && (host.is_empty() || !host.bytes().all(is_plain)) {
            return None;
        }
        let usual = if is_secure { 443 } else { 80 };
        let port = url.port_u16().filter(|port| *port != usual);
        let authority = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Some(Self { is_secure, authority, is_address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_browsers_write_is_an_origin() {
        for (text, is_address) in [
            ("https://play.example", false),
            ("http://play_1.example:8080", false),
            ("http://localhost:7777", true),
            ("http://192.0.2.7", true),
            ("https://[2001:db8::7]:7777", true),
            ("http://[::1]", true),
        ] {
            let origin = PageOrigin::read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(origin.is_address, is_address, "{text}");
        }
        for text in [
            "",
            "null",
            "[evil",
            "http://",
            "http://[evil",
            "http://[evil]",
            "http://[::1",
            "http://[::1]evil:80",
            "http://[::1]:",
            "http://localhost:",
            "http://localhost:80",
            "http://localhost:+81",
            "http://localhost:99999",
            "http://localhost/",
            "HTTP://localhost",
            "http://ann@localhost",
            "http://localhost?x",
            "http://localhost ",
            "ws://localhost",
            "file://",
        ] {
            assert_eq!(PageOrigin::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_url_has_the_origin_of_its_pages() {
        for url in ["https://Play.Example:443/skirmish", "https://play.example"] {
            assert_eq!(PageOrigin::of(url), PageOrigin::read("https://play.example"), "{url}");
        }
    }
}
