//! The address of a NATS server, with the user and password or the token in it.

use axum::http::uri::Authority;
use percent_encoding::percent_decode_str;

use crate::credentials;

/// The default port of a server.
const PORT: u16 = 4222;

/// Why a text is not a usable NATS address.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotNats {
    /// The text is not the URL of a NATS server.
    #[error(
        "it is not the address of a NATS server: expected nats://HOST:PORT, such as nats://127.0.0.1:4222, or tls://HOST:PORT"
    )]
    Form,
    /// It is unclear where the password ends.
    #[error("it is not the address of a NATS server: {}", credentials::UNCLEAR)]
    Credentials,
}

/// The address of a NATS server.
#[derive(Clone)]
pub struct NatsAddress {
    /// Whether the connection must be encrypted. It also is if the server requires that.
    pub(super) is_tls: bool,
    /// A name or an IP address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// A user or, without a password, a token.
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
}

impl std::str::FromStr for NatsAddress {
    type Err = NotNats;

    fn from_str(text: &str) -> Result<Self, NotNats> {
        // Without a scheme, almost any text would be a valid host name.
        let (scheme, rest) = text.trim().split_once("://").ok_or(NotNats::Form)?;
        if !credentials::are_clear(text) {
            return Err(NotNats::Credentials);
        }
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "nats" => false,
            "tls" => true,
            _ => return Err(NotNats::Form),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (credentials, server) = rest.rsplit_once('@').unwrap_or(("", rest));
        // Rejects paths, parameters and lists of servers.
        let server: Authority = server.parse().map_err(|_| NotNats::Form)?;
        let port = match server.port() {
            Some(port) => port.as_u16(),
            None if server.as_str() == server.host() => PORT,
            None => return Err(NotNats::Form),
        };
        let host = server.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() || port == 0 {
            return Err(NotNats::Form);
        }
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (user, password) = match credentials.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (credentials, None),
        };
        let [user, password] =
            [Some(user), password].map(|it| it.filter(|it| !it.is_empty()).map(decoded));
        Ok(Self { is_tls, host, port, user, password })
    }
}

impl std::fmt::Debug for NatsAddress {
    /// Omits the user name and password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_addresses_of_nats_are_taken() {
        for (text, host, port) in [
            ("nats://127.0.0.1", "127.0.0.1", 4222),
            (" nats://127.0.0.1:4222/ ", "127.0.0.1", 4222),
            ("tls://user:secret@nats.internal:4223", "nats.internal", 4223),
            ("nats://user:s%40c%2Fret@nats.internal", "nats.internal", 4222),
            ("nats://[::1]:4222", "::1", 4222),
        ] {
            let address: NatsAddress = text.parse().expect(text);
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
            assert_eq!(address.is_tls, text.starts_with("tls"), "{text}");
            assert!(!format!("{address:?}").contains("user"), "{address:?}");
        }
        for text in [
            "",
            "host",
            "host:4222",
            "nats//host",
            "nats:/host",
            "nats:host:4222",
            "nats://",
            "nats://:4222",
            "nats:///host",
            "nats://host:",
            "nats://host:0",
            "nats://host:99999",
            "nats://host:4222x",
            "nats://two hosts",
            "nats://host/path",
            "nats://host?x=1",
            "http://host:4222",
            "ws://host:4222",
            "postgres://user:secret@host/name",
            "nats://one:4222,nats://two:4222",
        ] {
            let refused =
                text.parse::<NatsAddress>().map(|_| ()).map_err(|error| error.to_string());
            let error = refused.expect_err(text);
            assert!(error.contains("expected nats://HOST:PORT"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_password_that_ends_too_early_is_not_shown() {
        for text in ["nats://u:s3@cret@host", "nats://u:s3/cret@host", "nats://u:1?cret@host:4222"]
        {
            let refused = text.parse::<NatsAddress>();
            let error = refused.map(|_| ()).expect_err(text).to_string();
            assert!(error.contains("%40, %2F and %3F"), "{error}");
            assert!(!error.contains("cret"), "{error}");
        }
    }
}
