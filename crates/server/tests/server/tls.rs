//! Tests of a server with a certificate.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;
use skirmish_server::{Database, Limits, TlsFiles};
use tempfile::TempDir;

use crate::support::{Client, PATIENCE, TestServer};

/// Creates a certificate for the loopback address. `None`, with a conspicuous message, if openssl is not installed.
fn certificate(folder: &Path) -> Option<TlsFiles> {
    let files = TlsFiles { cert: folder.join("cert.pem"), key: folder.join("key.pem") };
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
    openssl.args(["-days", "2", "-subj", "/CN=skirmish", "-addext", "subjectAltName=IP:127.0.0.1"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.arg("-out").arg(&files.cert).arg("-keyout").arg(&files.key);
    match openssl.output() {
        Ok(made) => {
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            Some(files)
        }
        Err(error) => {
            eprintln!("== TLS IS NOT TESTED: openssl cannot be run: {error}");
            None
        }
    }
}

/// Starts a server with a new certificate. Returns it with its clients' TLS configuration; `None` without openssl.
fn start(limits: Limits) -> Option<(TestServer, Arc<ClientConfig>)> {
    let folder = TempDir::new().expect("a temporary folder");
    let files = certificate(folder.path())?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&files.cert).expect("a certificate")).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the usual versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Some((TestServer::with_tls(files, limits), Arc::new(config)))
}

fn socket(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

type TlsClient = Client<StreamOwned<ClientConnection, TcpStream>>;

fn connect(server: &TestServer, config: &Arc<ClientConfig>, name: &str) -> TlsClient {
    let host = server.address().ip().into();
    let session = ClientConnection::new(Arc::clone(config), host).expect("a session");
    let url = format!("wss://{}/ws", server.address());
    let mut client = Client::upgrade(StreamOwned::new(session, socket(server)), &url);
    client.hello(&json!({"name": name}));
    client
}

#[test]
fn a_game_is_played_over_tls() {
    let Some((server, config)) = start(Limits::default()) else { return };
    assert_eq!(server.url(), format!("https://{}", server.address()));
    // A handshake that hangs does not delay other clients.
    let _hanging = socket(&server);
    let connect = |name: &str| connect(&server, &config, name);
    let (mut ann, mut bob) = (connect("Ann"), connect("Bob"));
    let created = ann.does(&json!({"type": "create", "game": "command-clash", "seat": "p1"}));
    let code = created["code"].clone();
    bob.does(&json!({"type": "join", "code": code}));
    for client in [&mut ann, &mut bob] {
        client.does(&json!({"type": "act", "code": code, "v": 3, "move": "charge"}));
    }
    assert_eq!(ann.event("turn")["v"], 5);
    // A client without TLS gets no answer, but does no harm.
    let mut plain = socket(&server);
    plain.write_all(b"GET /health HTTP/1.1\r\n\r\n").expect("a request");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    bob.event("turn");
    bob.hears_nothing();
}

#[test]
fn handshakes_that_hang_are_limited() {
    let handshake = Duration::from_mins(10);
    let limits = Limits { handshake, sockets_per_address: 2, ..Limits::default() };
    let Some((server, _)) = start(limits) else { return };
    let hanging = [socket(&server), socket(&server)];
    assert_eq!(socket(&server).read(&mut [0; 64]).expect("it is closed"), 0);
    for mut stream in hanging {
        stream.set_nonblocking(true).expect("a socket");
        let error = stream.read(&mut [0; 64]).expect_err("it is open");
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn handshakes_that_hang_end() {
    let handshake = Duration::from_millis(50);
    let limits = Limits { handshakes: 1, handshake, ..Limits::default() };
    let Some((server, _)) = start(limits) else { return };
    // The second one waits for the first.
    for mut stream in [socket(&server), socket(&server)] {
        assert_eq!(stream.read(&mut [0; 64]).expect("it is closed"), 0);
    }
}

#[test]
fn a_file_that_is_no_certificate_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let cert = folder.path().join("cert.pem");
    std::fs::write(&cert, "not a certificate").expect("a file");
    let key = folder.path().join("missing.pem");
    let config = skirmish_server::Config {
        games: skirmish_rules::GAMES,
        listen: "127.0.0.1:0".parse().expect("an address"),
        database: Database::Folder(folder.path().join("data")),
        url: None,
        tls: Some(TlsFiles { cert: cert.clone(), key }),
        memory: 0,
        metrics: None,
        limits: Limits::default(),
        log: skirmish_server::Log::none(),
    };
    let Err(error) = skirmish_server::Server::start(config) else { panic!("it started") };
    let expected =
        format!("{} cannot be used for TLS: it has no certificate in PEM form", cert.display());
    assert_eq!(error.to_string(), expected);
}
