//! Server addresses and invitations, in all forms that people write.

use std::fmt;
use std::str::FromStr;

use skirmish_rules::quotable;

/// The default port of a server.
pub(crate) const USUAL_PORT: u16 = 7777;

/// The number of characters in the code of a game.
const CODE_LENGTH: usize = 6;

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    /// Whether the connection is encrypted.
    pub(crate) is_secure: bool,
    /// The host's name or IP address; IPv6 without brackets.
    pub(crate) host: String,
    /// The port.
    pub(crate) port: u16,
    /// The path at which a proxy serves it, without a trailing slash; usually empty.
    path: String,
}

/// An invitation: the address of a server, the code of a game, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invitation {
    /// The server.
    pub(crate) server: Option<ServerAddress>,
    /// The game.
    pub(crate) code: Option<String>,
}

/// Why an address cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is neither an address nor a code: expected an address such as http://host:7777/g/ABC234, host:7777 or \
     host:7777/ABC234, or a code of {CODE_LENGTH} letters and digits"
)]
pub(crate) struct AddressError(String);

impl ServerAddress {
    /// A server on this machine.
    pub(crate) fn loopback(port: u16) -> Self {
        let host = "127.0.0.1".to_owned();
        Self { is_secure: false, host, port, path: String::new() }
    }

    /// The same address with TLS toggled.
    pub(crate) fn with_other_scheme(&self) -> Self {
        let is_usual = self.port == usual_port(self.is_secure);
        let port = if is_usual { usual_port(!self.is_secure) } else { self.port };
        Self { is_secure: !self.is_secure, port, ..self.clone() }
    }

    /// The URL of the WebSocket.
    pub(crate) fn socket_url(&self) -> String {
        let scheme = if self.is_secure { "wss" } else { "ws" };
        format!("{scheme}://{}{}/ws", self.authority(), self.path)
    }

    /// The URL that invites a player to a game.
    pub(crate) fn invitation(&self, code: &str) -> String {
        format!("{self}/g/{code}")
    }

    /// The URL path of a game's record; without a number, of the room's last game.
    pub(crate) fn record_path(&self, code: &str, number: Option<u32>) -> String {
        let which = number.map_or_else(String::new, |number| format!("?game={number}"));
        format!("{}/g/{code}.skr{which}", self.path)
    }

    /// Host and port as they are written in addresses.
    pub(crate) fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == usual_port(self.is_secure) { host } else { format!("{host}:{}", self.port) }
    }
}

/// Formats the address as `http://host:port`, without a trailing slash.
impl fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(formatter, "{scheme}://{}{}", self.authority(), self.path)
    }
}

impl FromStr for ServerAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let invitation: Invitation = text.parse()?;
        invitation.server.ok_or_else(|| wrong(text))
    }
}

impl FromStr for Invitation {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let is_secure = match scheme.as_deref() {
            None | Some("http" | "ws") => false,
            Some("https" | "wss") => true,
            Some(_) => return Err(wrong(text)),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = authority == "localhost" || authority.contains(['.', ':']);
        if scheme.is_none() && !rest.contains('/') && !is_name {
            let code = code(rest).ok_or_else(|| wrong(text))?;
            return Ok(Self { server: None, code: Some(code) });
        }
        let port = if scheme.is_some() { usual_port(is_secure) } else { USUAL_PORT };
        let (host, port) = host_and_port(authority, port).ok_or_else(|| wrong(text))?;
        let (path, code) = path_and_code(path).ok_or_else(|| wrong(text))?;
        Ok(Self { server: Some(ServerAddress { is_secure, host, port, path }), code })
    }
}

/// Converts a typed game code to capitals; `None` if it is not one.
pub(crate) fn code(text: &str) -> Option<String> {
    let is_code = text.len() == CODE_LENGTH && text.bytes().all(|it| it.is_ascii_alphanumeric());
    is_code.then(|| text.to_ascii_uppercase())
}

const fn usual_port(is_secure: bool) -> u16 {
    if is_secure { 443 } else { 80 }
}

fn wrong(text: &str) -> AddressError {
    AddressError(quotable(text))
}

fn host_and_port(authority: &str, usual: u16) -> Option<(String, u16)> {
    let (host, rest) = if let Some(bracketed) = authority.strip_prefix('[') {
        let (host, rest) = bracketed.split_once(']')?;
        (host.parse::<std::net::Ipv6Addr>().ok()?.to_string(), rest)
    } else {
        let (host, rest) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_host) {
            return None;
        }
        (host.to_ascii_lowercase(), rest)
    };
    if rest.is_empty() {
        return Some((host, usual));
    }
    let port = rest.strip_prefix(':')?.parse().ok().filter(|&port: &u16| port > 0)?;
    Some((host, port))
}

/// Splits a URL path into the server's path and the game's code.
fn path_and_code(path: &str) -> Option<(String, Option<String>)> {
    let is_usable = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}?#".contains(&byte);
    if !path.bytes().all(is_usable) {
        return None;
    }
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = None;
    if let [.., "g", last] = *parts {
        found = Some(code(last.strip_suffix(".skr").unwrap_or(last))?);
        parts.truncate(parts.len() - 2);
    } else if let [only] = *parts
        && let Some(code) = code(only)
    {
        found = Some(code);
        parts.clear();
    } else if parts.last() == Some(&"ws") {
        parts.pop();
    }
    let server: String = parts.iter().flat_map(|part| ["/", *part]).collect();
    Some((server, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, Option<String>) {
        let invitation: Invitation = text.parse().expect("an invitation");
        (invitation.server.map(|server| server.to_string()), invitation.code)
    }

    #[test]
    fn invitations_are_read_in_every_form() {
        for (text, server, code) in [
            ("http://192.168.1.5:7777/g/ABC234", "http://192.168.1.5:7777", Some("ABC234")),
            ("https://play.example.org/g/abc234", "https://play.example.org", Some("ABC234")),
            ("HTTPS://Play.Example.org:443/", "https://play.example.org", None),
            ("ws://localhost:7777/ws", "http://localhost:7777", None),
            ("wss://example.org/games/ws", "https://example.org/games", None),
            ("https://example.org/games/g/ABC234", "https://example.org/games", Some("ABC234")),
            ("localhost", "http://localhost:7777", None),
            ("example.org", "http://example.org:7777", None),
            ("box:80", "http://box", None),
            ("box:8000/abc234", "http://box:8000", Some("ABC234")),
            ("127.0.0.1:7777/g/ABC234", "http://127.0.0.1:7777", Some("ABC234")),
            ("http://[::1]:7777/g/ABC234", "http://[::1]:7777", Some("ABC234")),
        ] {
            let expected = (Some(server.to_owned()), code.map(str::to_owned));
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(read(" abc234 "), (None, Some("ABC234".to_owned())));
    }

    #[test]
    fn addresses_that_make_no_sense_are_refused() {
        for text in [
            "",
            "ABC",
            "ABCDEFG",
            "ftp://example.org",
            "http://",
            "http://:7777",
            "box:0",
            "box:70000",
            "box:7777/g/ABC",
            "http://user@example.org",
            "http://example.org/a b",
            "http://[::1",
            "box:7777/\u{1b}[2J",
        ] {
            let error = text.parse::<Invitation>().expect_err(text);
            assert!(error.to_string().contains("expected an address such as"), "{error}");
        }
    }

    #[test]
    fn a_code_alone_is_no_server() {
        assert!("ABC234".parse::<ServerAddress>().is_err());
        assert_eq!(ServerAddress::loopback(1).socket_url(), "ws://127.0.0.1:1/ws");
        let secure: ServerAddress = "https://example.org/a".parse().expect("an address");
        assert_eq!(secure.socket_url(), "wss://example.org/a/ws");
        assert_eq!(secure.with_other_scheme().to_string(), "http://example.org/a");
        assert_eq!(secure.invitation("ABC234"), "https://example.org/a/g/ABC234");
        assert_eq!(secure.record_path("ABC234", None), "/a/g/ABC234.skr");
        assert_eq!(secure.record_path("ABC234", Some(2)), "/a/g/ABC234.skr?game=2");
    }
}
