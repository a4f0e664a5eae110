//! A WebSocket to a server: opening it, with TLS if the address says so, and reading and writing messages.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value;
use skirmish_room::wire::{ClientMessage, ServerMessage};
use skirmish_rules::{columns, printable};
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::HandshakeError;
use tungstenite::handshake::client::Response;
use tungstenite::http::StatusCode;
use tungstenite::http::header::CONTENT_TYPE;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket};

use super::address::ServerAddress;

/// The default timeout.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The interval at which a waiting reader wakes up.
const TICK: Duration = Duration::from_millis(500);

/// The longest message accepted from a server.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Maximum width of a server's reason, in columns.
const LONGEST_REASON: usize = 200;

/// Maximum number of messages read before the writer gets its turn.
const MOST_AT_ONCE: usize = 64;

/// Bytes to and from a server, encrypted or not.
pub(super) trait ByteStream: Read + Write + Send {}

impl<T: Read + Write + Send> ByteStream for T {}

/// A WebSocket.
pub(super) struct Wire {
    socket: WebSocket<Box<dyn ByteStream>>,
    tcp: TcpStream,
}

/// A message or the end of the connection.
pub(super) enum Incoming {
    /// A message.
    Message(Box<ServerMessage>),
    /// An unknown message, from a newer server.
    Unknown,
    /// The connection has ended, for this reason.
    Over(String),
    /// The server does not speak the protocol.
    Nonsense(String),
}

/// Waits for bytes without holding the lock that writers need.
pub(super) struct ReadWaiter(TcpStream);

impl ReadWaiter {
    /// Waits until bytes arrive or a tick has passed. Returns whether there may be something to read.
    pub(super) fn wait(&self) -> bool {
        match self.0.peek(&mut [0]) {
            Ok(_) => true,
            Err(error) => !is_timeout(&error),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

impl Wire {
    /// Opens a WebSocket. `patience` is how long to wait for a connection, for each answer, and for a message to be sent.
    ///
    /// # Errors
    /// If the connection cannot be opened. The text says why.
    pub(super) fn open(address: &ServerAddress, patience: Duration) -> Result<Self, String> {
        let (tcp, stream) = connect(address, patience)?;
        let config = WebSocketConfig::default()
            .read_buffer_size(4096)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST_MESSAGE))
            .max_frame_size(Some(LONGEST_MESSAGE));
        let request = address.socket_url().into_client_request();
        let request = request.map_err(|error| format!("{address} cannot be used: {error}"))?;
        match tungstenite::client::client_with_config(request, stream, Some(config)) {
            Ok((socket, _)) => Ok(Self { socket, tcp }),
            Err(HandshakeError::Interrupted(_)) => Err(format!("{address} does not answer")),
            Err(HandshakeError::Failure(error)) => Err(refused(address, &error)),
        }
    }

    /// Waits for the next message, for a limited time.
    pub(super) fn receive(&mut self) -> Incoming {
        loop {
            match self.socket.read() {
                Ok(message) => {
                    if let Some(incoming) = read(message) {
                        return incoming;
                    }
                }
                Err(error) => return over(&error).unwrap_or_else(|| Incoming::Over(silent())),
            }
        }
    }

    /// Returns a waiter for a reader that waits while others write.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(super) fn read_waiter(&self) -> io::Result<ReadWaiter> {
        self.tcp.set_read_timeout(Some(TICK))?;
        self.tcp.try_clone().map(ReadWaiter)
    }

    /// Reads everything that has arrived. If it ends with [`Incoming::Over`] or [`Incoming::Nonsense`], nothing follows.
    pub(super) fn receive_all(&mut self) -> Vec<Incoming> {
        let mut incoming = Vec::new();
        if let Err(error) = self.tcp.set_nonblocking(true) {
            return vec![Incoming::Over(error.to_string())];
        }
        while incoming.len() < MOST_AT_ONCE {
            match self.socket.read() {
                Ok(message) => incoming.extend(read(message)),
                Err(error) => {
                    incoming.extend(over(&error));
                    break;
                }
            }
            let ends = matches!(incoming.last(), Some(Incoming::Over(_) | Incoming::Nonsense(_)));
            if ends {
                break;
            }
        }
        // The answers to the server's pings go out with the next write or flush.
        let flushed = self.tcp.set_nonblocking(false).is_ok() && self.socket.flush().is_ok();
        if !flushed && !matches!(incoming.last(), Some(Incoming::Over(_) | Incoming::Nonsense(_))) {
            incoming.push(Incoming::Over("it was closed".to_owned()));
        }
        incoming
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(super) fn send(&mut self, message: &ClientMessage) -> Result<(), String> {
        let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
        self.socket.send(Message::text(text)).map_err(|error| error.to_string())
    }

    /// Closes the connection. A reader then sees its end.
    pub(super) fn close(&mut self) {
        drop(self.socket.close(None));
        drop(self.socket.flush());
        drop(self.tcp.shutdown(Shutdown::Write));
    }

    /// Breaks the connection, which also wakes a waiting reader.
    pub(super) fn cut(&self) {
        drop(self.tcp.shutdown(Shutdown::Both));
    }
}

fn silent() -> String {
    "the server does not answer".to_owned()
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

fn unreadable(error: &serde_json::Error) -> Incoming {
    Incoming::Nonsense(format!("a message is not readable: {error}"))
}

/// The content of a frame; `None` for pings and pongs.
fn read(message: Message) -> Option<Incoming> {
    match message {
        Message::Text(text) => Some(match serde_json::from_str::<Value>(&text) {
            Ok(mut object) => {
                disarm(&mut object);
                let is_object = object["type"].is_string();
                match serde_json::from_value(object) {
                    Ok(message) => Incoming::Message(Box::new(message)),
                    Err(_) if is_object => Incoming::Unknown,
                    Err(error) => unreadable(&error),
                }
            }
            Err(error) => unreadable(&error),
        }),
        Message::Binary(_) => Some(Incoming::Nonsense("a message is not text".to_owned())),
        Message::Close(frame) => Some(Incoming::Over(match frame {
            Some(frame) if !frame.reason.is_empty() => {
                format!("the server closed it: {}", printable(&frame.reason))
            }
            _ => "the server closed it".to_owned(),
        })),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => None,
    }
}

/// The event that an error stands for; `None` if there is nothing to read yet.
fn over(error: &Error) -> Option<Incoming> {
    match error {
        Error::Io(error) if is_timeout(error) => None,
        Error::Io(error) => Some(Incoming::Over(error.to_string())),
        Error::ConnectionClosed | Error::AlreadyClosed => {
            Some(Incoming::Over("the server closed it".to_owned()))
        }
        Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake) => {
            Some(Incoming::Over("the server is gone".to_owned()))
        }
        error => Some(Incoming::Nonsense(error.to_string())),
    }
}

/// Connects to a server, with TLS if the address says so. Returns the socket and the stream over it.
///
/// # Errors
/// If the connection cannot be opened. The text says why.
pub(super) fn connect(
    address: &ServerAddress,
    patience: Duration,
) -> Result<(TcpStream, Box<dyn ByteStream>), String> {
    let tcp = reach(address, patience)?;
    let cannot = |error: io::Error| format!("cannot use the connection to {address}: {error}");
    // A move is one small message and must not be delayed.
    tcp.set_nodelay(true).map_err(cannot)?;
    tcp.set_read_timeout(Some(patience)).map_err(cannot)?;
    tcp.set_write_timeout(Some(patience)).map_err(cannot)?;
    let own = tcp.try_clone().map_err(cannot)?;
    let stream: Box<dyn ByteStream> =
        if address.is_secure { Box::new(encrypted(address, own)?) } else { Box::new(own) };
    Ok((tcp, stream))
}

fn reach(address: &ServerAddress, patience: Duration) -> Result<TcpStream, String> {
    let found = (address.host.as_str(), address.port).to_socket_addrs();
    let found = found.map_err(|error| format!("cannot find {}: {error}", address.host))?;
    let mut last = None;
    for socket in found {
        match TcpStream::connect_timeout(&socket, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    let why = last.map_or_else(|| "it has no address".to_owned(), |error| error.to_string());
    Err(format!("cannot connect to {address}: {why}"))
}

fn encrypted(
    address: &ServerAddress,
    tcp: TcpStream,
) -> Result<StreamOwned<ClientConnection, TcpStream>, String> {
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
    let tls = ClientConnection::new(Arc::new(config), name);
    let tls = tls.map_err(|error| cannot(error.to_string()))?;
    let mut stream = StreamOwned::new(tls, tcp);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock).map_err(|error| {
            let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
            match tls {
                _ if is_timeout(&error) => cannot(silent()),
                Some(rustls::Error::InvalidMessage(_)) => {
                    format!("{address} is no Skirmish server{}", other_scheme(address))
                }
                _ => cannot(error.to_string()),
            }
        })?;
    }
    Ok(stream)
}

/// Why a handshake failed.
fn refused(address: &ServerAddress, error: &Error) -> String {
    match error {
        Error::Http(response) => answered(address, response),
        Error::Io(error) if is_timeout(error) => format!("{address} does not answer"),
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
        let Some(Incoming::Message(message)) = read(Message::text(text)) else {
            panic!("it is readable");
        };
        let ServerMessage::Rej(rej) = *message else { panic!("it refuses something") };
        assert_eq!(rej.text, "\u{fffd}[2J\u{fffd}31mred\u{fffd}\u{fffd}\nnext");
        assert_eq!(rej.legal, ["\u{fffd}]0;x"]);
    }

    #[test]
    fn a_message_of_a_newer_server_is_no_nonsense() {
        let reads = |text: &str| read(Message::text(text.to_owned()));
        assert!(matches!(reads(r#"{"type":"later"}"#), Some(Incoming::Unknown)));
        assert!(matches!(reads("[1]"), Some(Incoming::Nonsense(_))));
        assert!(matches!(reads("{"), Some(Incoming::Nonsense(_))));
    }
}
