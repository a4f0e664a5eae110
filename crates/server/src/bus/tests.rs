//! Tests of the bus with a server that is a few lines of this file.

use std::process::Command;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::tls::client_config;

const INFO: &str = "INFO {\"server_id\":\"x\",\"max_payload\":1048576,\"headers\":true}\r\n";

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

async fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// The server's end of a connection.
struct Socket<S>(BufReader<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("sent");
        self.0.flush().await.expect("sent");
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.expect("a line");
        line.trim_end().to_owned()
    }

    /// Reads a client's sign-in and accepts it. Returns the first line.
    async fn accept(&mut self) -> String {
        let first = self.line().await;
        while self.line().await != "PING" {}
        self.send("PONG\r\n").await;
        first
    }
}

async fn accept(listener: &TcpListener) -> Socket<tokio::net::TcpStream> {
    let (socket, _) = listener.accept().await.expect("a client");
    let mut socket = Socket(BufReader::new(socket));
    socket.send(INFO).await;
    socket
}

/// Starts a bus that connects to this port.
async fn bus(port: u16) -> Bus {
    let address: NatsAddress = format!("nats://127.0.0.1:{port}").parse().expect("an address");
    Bus::connect(&address, "test", &Log::none()).await
}

/// Returns a connected bus and the server's end.
async fn connected(listener: &TcpListener, port: u16) -> (Bus, Socket<tokio::net::TcpStream>) {
    let (bus, socket) = tokio::join!(bus(port), async {
        let mut socket = accept(listener).await;
        socket.accept().await;
        socket
    });
    timeout(PATIENCE, bus.link.as_ref().expect("a link").connected()).await.expect("a connection");
    (bus, socket)
}

/// Waits until a condition holds.
async fn until(holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, wait).await.expect("the condition holds in time");
}

#[tokio::test]
async fn a_server_signs_in_as_its_address_says() {
    for (credentials, expected) in [
        ("club:s%40c%2Fret@", "\"user\":\"club\",\"pass\":\"s@c/ret\",\"auth_token\":null"),
        ("s%40cret@", "\"user\":null,\"pass\":null,\"auth_token\":\"s@cret\""),
        ("", "\"user\":null,\"pass\":null,\"auth_token\":null"),
    ] {
        let (listener, port) = listener().await;
        let address = format!("nats://{credentials}127.0.0.1:{port}");
        let address: NatsAddress = address.parse().expect("an address");
        let log = Log::none();
        let (_, line) = tokio::join!(Bus::connect(&address, "test", &log), async {
            accept(&listener).await.accept().await
        });
        assert!(line.starts_with("CONNECT {") && line.contains(expected), "{line}");
    }
}

#[tokio::test]
async fn messages_pass_in_both_directions() {
    let (listener, port) = listener().await;
    let (bus, mut socket) = connected(&listener, port).await;
    bus.tell_all(&"hello");
    assert_eq!(socket.line().await, "PUB skirmish.test.all 7");
    assert_eq!(socket.line().await, "\"hello\"");
    socket
        .send("MSG skirmish.test.room.ABC234 0 2\r\n{}\r\nMSG skirmish.test.all 1 1\r\n7\r\n")
        .await;
    let mut messages = bus.listen().expect("the first listener");
    let heard = messages.next().await.expect("a message");
    assert!(matches!(heard, Heard::Announcement(code, _) if code == "ABC234"));
    let heard = messages.next().await.expect("a message");
    assert!(matches!(heard, Heard::Message(payload) if payload == b"7"));
    assert_eq!((bus.metrics().sent.get(), bus.metrics().received.get()), (1, 2));
}

/// The server keeps the connection open, but says nothing more.
#[tokio::test]
async fn a_silent_server_is_noticed_and_reconnected() {
    let (listener, port) = listener().await;
    let (bus, _silent) = connected(&listener, port).await;
    until(|| bus.is_connected() == Some(false)).await;
    let mut socket = accept(&listener).await;
    socket.accept().await;
    until(|| bus.is_connected() == Some(true)).await;
    assert_eq!(bus.connections(), 2);
}

#[tokio::test]
async fn whatever_ends_or_prevents_a_connection_is_logged_once() {
    let (listener, port) = listener().await;
    let (sender, mut lines) = mpsc::unbounded_channel();
    let log = Log::new(crate::log::Level::Warn, move |entry| {
        let _ = sender.send(format!("{entry:?}"));
    });
    let address: NatsAddress = format!("nats://127.0.0.1:{port}").parse().expect("an address");
    tokio::spawn(async move { Bus::connect(&address, "test", &log).await });
    for (end, is_connected) in [
        ("SSH-2.0-OpenSSH", true),
        ("-ERR 'Authentication Expired'", true),
        ("-ERR 'Authorization Violation'", false),
        ("-ERR 'Authorization Violation'", false),
        ("-ERR 'maximum connections exceeded'", false),
    ] {
        let mut socket = accept(&listener).await;
        if is_connected {
            socket.accept().await;
        }
        socket.send(&format!("{end}\r\n")).await;
    }
    let expected = [
        "the protocol of NATS",
        "Authentication Expired",
        "Authorization Violation",
        "maximum connections exceeded",
    ];
    for part in expected {
        let told = timeout(PATIENCE, lines.recv()).await.expect("it is logged").expect("a line");
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// Nobody waits for a server that does not read, and the memory for what waits is limited.
#[tokio::test]
async fn what_does_not_fit_is_dropped_and_counted() {
    let (listener, port) = listener().await;
    let (bus, mut socket) = connected(&listener, port).await;
    let large = "x".repeat(1 << 20);
    bus.tell_all(&large);
    assert_eq!(bus.metrics().dropped.get(), 1, "the server would not take it");
    for _ in 0..9 {
        bus.tell_all(&&large[..900_000]);
    }
    assert_eq!((bus.metrics().sent.get(), bus.metrics().dropped.get()), (4, 1 + 5));

    // More arrives than anybody listens to. With their subjects, 15 messages fit.
    let payload = "x".repeat(1 << 20);
    let message = format!("MSG skirmish.test.all 1 {}\r\n{payload}\r\n", payload.len());
    for _ in 0..20 {
        socket.send(&message).await;
    }
    until(|| bus.metrics().missed.get() == 20 - 15).await;
}

/// Creates a certificate for the loopback address. `None`, with a conspicuous message, if openssl is not installed.
fn certificate() -> Option<(CertificateDer<'static>, PrivateKeyDer<'static>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let mut openssl = Command::new("openssl");
    openssl.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
    ]);
    openssl.args(["-days", "2", "-subj", "/CN=nats", "-addext", "subjectAltName=IP:127.0.0.1"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    match openssl.arg("-out").arg(&cert).arg("-keyout").arg(&key).output() {
        Ok(made) => assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr)),
        Err(error) => {
            eprintln!("== TLS TO NATS IS NOT TESTED: openssl cannot be run: {error}");
            return None;
        }
    }
    let certificate = CertificateDer::from_pem_file(cert).expect("a certificate");
    Some((certificate, PrivateKeyDer::from_pem_file(key).expect("a key")))
}

#[tokio::test]
async fn the_connection_is_encrypted_if_either_side_wants_that() {
    let Some((certificate, key)) = certificate() else { return };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let required = "INFO {\"tls_required\":true}\r\n";
    for (scheme, info) in [("tls", INFO), ("nats", required)] {
        let (listener, port) = listener().await;
        let address = format!("{scheme}://club:secret@127.0.0.1:{port}");
        let link = Arc::new(Link::new());
        let (sender, _incoming) = mpsc::channel(1);
        let keeper = Keeper {
            link: Arc::clone(&link),
            address: address.parse().expect("an address"),
            subjects: Vec::new(),
            listener: Listener {
                log: Log::none(),
                metrics: Arc::default(),
                told: None,
                sender,
                waiting: Arc::default(),
            },
            tls: client_config(vec![certificate.clone()]),
        };
        tokio::spawn(keeper.run());
        let (mut socket, _) = listener.accept().await.expect("a client");
        socket.write_all(info.as_bytes()).await.expect("sent");
        let socket = acceptor.accept(socket).await.expect("a handshake");
        let mut socket = Socket(BufReader::new(socket));
        let signed = socket.accept().await;
        assert!(signed.contains("\"pass\":\"secret\""), "{signed}");
        timeout(PATIENCE, link.connected()).await.expect("a connection");
        assert!(link.publish("a", b"x"));
        assert_eq!(socket.line().await, "PUB a 1");
    }
}

/// Somebody who can change what passes before the encryption must not speak in the server's name.
#[tokio::test]
async fn what_is_sent_before_the_encryption_is_not_believed() {
    let (listener, port) = listener().await;
    let bus = tokio::spawn(bus(port));
    let (socket, _) = listener.accept().await.expect("a client");
    let mut socket = Socket(BufReader::new(socket));
    socket.send("INFO {\"tls_required\":true}\r\nPONG\r\n").await;
    assert_eq!(socket.line().await, "", "the connection is closed");
    assert_eq!(bus.await.expect("a bus").is_connected(), Some(false));
}
