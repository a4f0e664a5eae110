//! A WebSocket to a server: opening it, with TLS if the address says so, and reading and writing messages.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use skirmish_room::RejectionCode;
use skirmish_room::wire::{ClientMessage, ServerMessage};
use skirmish_rules::{columns, printable};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::Response;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::http::header::CONTENT_TYPE;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::address::ServerAddress;

/// The default timeout.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How long closing a connection may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// The longest message accepted from a server.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Maximum width of a server's reason, in columns.
const LONGEST_REASON: usize = 200;

const SILENT: &str = "the server does not answer";

/// Bytes to and from a server, encrypted or not.
pub(super) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// A WebSocket.
pub(super) struct Wire(WebSocketStream<Box<dyn ByteStream>>);

/// Why a connection cannot be opened, or has ended.
pub(super) enum LinkFailure {
    /// The network has failed, or the server is gone.
    Lost(String),
    /// The server does not speak the protocol.
    Nonsense(String),
    /// The server has refused or closed it, for this reason.
    Bye(RejectionCode, String),
}

impl LinkFailure {
    /// The server is silent.
    pub(super) fn silence() -> Self {
        Self::Lost(SILENT.to_owned())
    }

    /// Whether another attempt is pointless.
    pub(super) fn is_final(&self) -> bool {
        use RejectionCode::{Account, Hello, Malformed, Name, Proto, Token, TooLong, Unknown};
        match self {
            Self::Lost(_) => false,
            Self::Nonsense(_) => true,
            Self::Bye(code, _) => matches!(
                code,
                Account | Hello | Malformed | Name | Proto | Token | TooLong | Unknown
            ),
        }
    }

    /// The reason, for a connection to this server.
    pub(super) fn text(self, address: &ServerAddress) -> String {
        match self {
            Self::Lost(text) | Self::Bye(_, text) => text,
            Self::Nonsense(text) => format!("{address} does not speak our protocol: {text}"),
        }
    }
}

/// A runtime for one connection, on the thread that uses it.
///
/// # Errors
/// If the system lacks resources.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

impl Wire {
    /// Opens a WebSocket. `patience` is how long each step may take.
    ///
    /// # Errors
    /// If the connection cannot be opened. The text says why.
    pub(super) async fn open(address: &ServerAddress, patience: Duration) -> Result<Self, String> {
        let stream = connect(address, patience).await?;
        let config = WebSocketConfig::default()
            .read_buffer_size(4096)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST_MESSAGE))
            .max_frame_size(Some(LONGEST_MESSAGE));
        let request = address.socket_url().into_client_request();
        let request = request.map_err(|error| format!("{address} cannot be used: {error}"))?;
        match timeout(patience, client_async_with_config(request, stream, Some(config))).await {
            Ok(Ok((socket, _))) => Ok(Self(socket)),
            Ok(Err(error)) => Err(refused(address, &error)),
            Err(_) => Err(format!("{address} does not answer")),
        }
    }

    /// Waits for the next message. Ignores unknown messages, which come from newer servers.
    pub(super) async fn receive(&mut self) -> Result<ServerMessage, LinkFailure> {
        loop {
            let frame = self.0.next().await.unwrap_or(Err(Error::ConnectionClosed));
            if let Some(message) = read(frame.map_err(|error| over(&error))?)? {
                return Ok(message);
            }
        }
    }

    /// Sends a message. If the connection is broken, reading says why.
    ///
    /// # Errors
    /// If the server does not read.
    pub(super) async fn send(&mut self, message: &ClientMessage) -> Result<(), LinkFailure> {
        let text = serde_json::to_string(message).expect("messages can be represented in JSON");
        let sent = timeout(PATIENCE, self.0.send(Message::text(text))).await;
        sent.map(drop).map_err(|_| LinkFailure::silence())
    }

    /// Closes the connection, and waits a moment for the server to do the same.
    pub(super) async fn close(mut self) {
        let farewell = async {
            drop(self.0.close(None).await);
            while let Some(Ok(_)) = self.0.next().await {}
        };
        drop(timeout(FAREWELL, farewell).await);
    }
}

/// Replaces control characters in all texts, so that a server cannot control the terminal. Line feeds stay.
fn disarm(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(is_dangerous) => {
            *text = text.replace(is_dangerous, "\u{fffd}");
        }
        Value::Array(values) => values.iter_mut().for_each(disarm),
        Value::Object(fields) => fields.values_mut().for_each(disarm),
        _ => {}
    }
}

fn is_dangerous(letter: char) -> bool {
    letter.is_control() && letter != '\n'
}

/// The message in a frame; `None` for an unknown message, a ping or a pong.
fn read(frame: Message) -> Result<Option<ServerMessage>, LinkFailure> {
    match frame {
        Message::Text(text) => {
            let unreadable = |error: serde_json::Error| {
                LinkFailure::Nonsense(format!("a message is not readable: {error}"))
            };
            let mut object = serde_json::from_str(&text).map_err(unreadable)?;
            disarm(&mut object);
            let has_type = object["type"].is_string();
            match serde_json::from_value(object) {
                Ok(message) => Ok(Some(message)),
                Err(_) if has_type => Ok(None),
                Err(error) => Err(unreadable(error)),
            }
        }
        Message::Binary(_) => Err(LinkFailure::Nonsense("a message is not text".to_owned())),
        Message::Close(frame) => Err(LinkFailure::Lost(match frame {
            Some(frame) if !frame.reason.is_empty() => {
                format!("the server closed it: {}", printable(&frame.reason))
            }
            _ => "the server closed it".to_owned(),
        })),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(None),
    }
}

/// The end of the connection that an error stands for.
fn over(error: &Error) -> LinkFailure {
    match error {
        Error::Io(error) => LinkFailure::Lost(error.to_string()),
        Error::ConnectionClosed | Error::AlreadyClosed => {
            LinkFailure::Lost("the server closed it".to_owned())
        }
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            LinkFailure::Lost("the server is gone".to_owned())
        }
        error => LinkFailure::Nonsense(error.to_string()),
    }
}

/// Connects to a server, with TLS if the address says so.
///
/// # Errors
/// If the connection cannot be opened. The text says why.
pub(super) async fn connect(
    address: &ServerAddress,
    patience: Duration,
) -> Result<Box<dyn ByteStream>, String> {
    let tcp = reach(address, patience).await?;
    // A move is one small message and must not be delayed.
    tcp.set_nodelay(true)
        .map_err(|error| format!("cannot use the connection to {address}: {error}"))?;
    if !address.is_secure {
        return Ok(Box::new(tcp));
    }
    encrypted(address, tcp, patience).await
}

async fn reach(address: &ServerAddress, patience: Duration) -> Result<TcpStream, String> {
    let found = lookup_host((address.host.as_str(), address.port)).await;
    let found = found.map_err(|error| format!("cannot find {}: {error}", address.host))?;
    let mut why = "it has no address".to_owned();
    for socket in found {
        match timeout(patience, TcpStream::connect(socket)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => why = error.to_string(),
            Err(_) => why = SILENT.into(),
        }
    }
    Err(format!("cannot connect to {address}: {why}"))
}

async fn encrypted(
    address: &ServerAddress,
    tcp: TcpStream,
    patience: Duration,
) -> Result<Box<dyn ByteStream>, String> {
    let cannot = |why: String| format!("cannot connect to {address} securely: {why}");
    let mut roots = RootCertStore::empty();
    let trusted = rustls_native_certs::load_native_certs();
    let (count, _) = roots.add_parsable_certificates(trusted.certs);
    if count == 0 {
        let why = "this system has no list of trusted certificates; SSL_CERT_FILE can name one";
        return Err(cannot(why.to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| cannot(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(address.host.clone());
    let name = name.map_err(|error| cannot(error.to_string()))?;
    let error =
        match timeout(patience, TlsConnector::from(Arc::new(config)).connect(name, tcp)).await {
            Ok(Ok(stream)) => return Ok(Box::new(stream)),
            Ok(Err(error)) => error,
            Err(_) => return Err(cannot(SILENT.to_owned())),
        };
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    Err(match tls {
        Some(rustls::Error::InvalidMessage(_)) => {
            format!("{address} is no Skirmish server{}", other_scheme(address))
        }
        _ => cannot(error.to_string()),
    })
}

/// Why a handshake failed.
fn refused(address: &ServerAddress, error: &Error) -> String {
    match error {
        Error::Http(response) => answered(address, response),
        Error::Io(error) => format!("cannot connect to {address}: {error}"),
        _ => format!("{address} is no Skirmish server{}", other_scheme(address)),
    }
}

/// Explains a response that does not open a WebSocket.
fn answered(address: &ServerAddress, response: &Response) -> String {
    let status = response.status();
    match status {
        // The server or its proxy reports a temporary problem.
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => {
            let why = sentence(response).unwrap_or_else(|| {
                let status = status.as_u16();
                format!("it answered with HTTP status {status}. Try again in a few seconds")
            });
            format!("no connection to {address}: {why}")
        }
        _ => {
            let status = status.as_u16();
            format!("{address} is no Skirmish server: it answered with HTTP status {status}")
        }
    }
}

/// The text of a response, as far as it arrived with the headers.
fn sentence(response: &Response) -> Option<String> {
    let kind = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let body = response.body().as_deref().filter(|_| kind.starts_with("text/plain"))?;
    let text = reason(&String::from_utf8_lossy(body));
    Some(text).filter(|text| !text.is_empty())
}

/// A server's reason, safe to show: short and on one line.
pub(super) fn reason(text: &str) -> String {
    columns::shorten(&printable(text.trim()), LONGEST_REASON)
}

/// Suggests the address with the other scheme.
fn other_scheme(address: &ServerAddress) -> String {
    let other = address.with_other_scheme();
    if address.is_secure {
        format!(", or does not speak TLS: try {other}")
    } else {
        format!(", or it speaks TLS: try {other}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_server_reaches_the_terminal_with_its_texts() {
        let text = r#"{"type":"rej","code":"storage","text":"\u001b[2J\u009b31mred\u0007\r\nnext","legal":["\u001b]0;x"]}"#;
        let Ok(Some(ServerMessage::Rej(rej))) = read(Message::text(text)) else {
            panic!("it refuses something");
        };
        assert_eq!(rej.text, "\u{fffd}[2J\u{fffd}31mred\u{fffd}\u{fffd}\nnext");
        assert_eq!(rej.legal, ["\u{fffd}]0;x"]);
    }

    #[test]
    fn a_message_of_a_newer_server_is_no_nonsense() {
        let reads = |text: &str| read(Message::text(text.to_owned()));
        assert!(matches!(reads(r#"{"type":"later"}"#), Ok(None)));
        assert!(matches!(reads("[1]"), Err(LinkFailure::Nonsense(_))));
        assert!(matches!(reads("{"), Err(LinkFailure::Nonsense(_))));
    }
}
