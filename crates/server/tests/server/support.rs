//! A real server on a free port, and clients that connect to it over real sockets.

mod pair;

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skirmish_rules::{Catalog, GAMES};
use skirmish_server::{Config, Database, Limits, Proxy, Server, TlsFiles};
use tempfile::TempDir;
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error as WsError, Message, WebSocket};

pub(crate) use self::pair::Pair;
use crate::lines::Lines;

/// How long a client waits for a message before its test fails.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server with its own data folder.
pub(crate) struct TestServer {
    server: Option<Server>,
    folder: TempDir,
    limits: Limits,
    /// The maximum size of solved boards in memory, in bytes.
    pub(crate) memory: u64,
    pub(crate) games: Catalog,
    log: Lines,
}

impl TestServer {
    /// Starts a server with the default limits.
    pub(crate) fn start() -> Self {
        Self::with(Limits::default())
    }

    /// Starts a server with these limits.
    pub(crate) fn with(limits: Limits) -> Self {
        Self::of(limits, GAMES)
    }

    /// Starts a server with these games.
    pub(crate) fn with_games(games: Catalog) -> Self {
        Self::of(apart(), games)
    }

    fn of(limits: Limits, games: Catalog) -> Self {
        let (folder, memory) = (TempDir::new().expect("a temporary folder"), 64 << 20);
        let mut server =
            Self { server: None, folder, limits, memory, games, log: Lines::default() };
        server.start_again(None);
        server
    }

    /// Starts a server that speaks TLS.
    pub(crate) fn with_tls(files: TlsFiles, limits: Limits) -> Self {
        let mut server = Self::with(limits);
        server.stop();
        server.start_again(Some(files));
        server
    }

    fn start_again(&mut self, tls: Option<TlsFiles>) {
        let config = Config {
            games: self.games,
            listen: "127.0.0.1:0".parse().expect("an address"),
            database: Database::Folder(self.folder.path().to_owned()),
            url: None,
            tls,
            memory: self.memory,
            metrics: Some("127.0.0.1:0".parse().expect("an address")),
            limits: self.limits.clone(),
            log: self.log.log(),
        };
        self.server = Some(Server::start(config).expect("the server starts"));
    }

    pub(crate) fn stop(&mut self) {
        self.server.take().expect("the server runs").stop();
    }

    /// Restarts a stopped server, on another port.
    pub(crate) fn resume(&mut self) {
        assert!(self.server.is_none(), "the server was stopped");
        self.start_again(None);
    }

    /// Advances the server's clock.
    pub(crate) fn skip(&self, time: Duration) {
        self.server().skip(time);
    }

    /// A server with a copy of this one's current data, as after a crash. It is not started yet.
    pub(crate) fn crashed(&self) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        for name in ["skirmish.db", "skirmish.db-wal"] {
            std::fs::copy(self.folder().join(name), folder.path().join(name)).expect("a copy");
        }
        let (limits, memory, games) = (self.limits.clone(), self.memory, self.games);
        Self { server: None, folder, limits, memory, games, log: Lines::default() }
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("the server runs")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server().address()
    }

    pub(crate) fn url(&self) -> &str {
        self.server().url()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The lines that the server has logged.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.all()
    }

    /// Opens a connection that has not sent `hello` yet.
    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address()).expect("the server listens");
        Client::over(stream, format!("ws://{}/ws", self.address()))
    }

    /// Connects a guest with this name.
    pub(crate) fn guest(&self, name: &str) -> Client {
        let mut client = self.connect();
        client.hello(&json!({"name": name}));
        client
    }

    /// Registers an account with this name, and returns its connection and recovery code.
    pub(crate) fn member(&self, name: &str) -> (Client, String) {
        let mut client = self.guest(name);
        let recovery = client.register(name);
        (client, recovery)
    }

    /// Connects with this token. Returns the connection and the `welcome` message.
    pub(crate) fn back(&self, token: &str) -> (Client, Value) {
        let mut client = self.connect();
        let welcome = client.hello(&json!({"token": token}));
        client.token = Some(token.to_owned());
        (client, welcome)
    }

    /// Starts a game between two guests; the first is Player 1.
    pub(crate) fn pair(&self, terms: &Value) -> Pair {
        Pair::new(self.guest("Ann"), self.guest("Bob"), terms)
    }

    /// Sends an HTTP request. Returns the status and the whole response.
    pub(crate) fn get(&self, target: &str) -> (u16, String) {
        self.get_with(target, "")
    }

    pub(crate) fn get_with(&self, target: &str, headers: &str) -> (u16, String) {
        get_from(self.address(), target, headers)
    }

    pub(crate) fn metrics_address(&self) -> SocketAddr {
        self.server().metrics().expect("metrics are on")
    }

    /// The metrics that Prometheus would read now.
    pub(crate) fn metrics(&self) -> String {
        let (status, response) = get_from(self.metrics_address(), "/metrics", "");
        assert_eq!(status, 200, "{response}");
        response.split_once("\r\n\r\n").expect("a response has a body").1.to_owned()
    }
}

/// Sends an HTTP request. Returns the status and the whole response.
pub(crate) fn get_from(address: SocketAddr, target: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let request =
        format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("the request is sent");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("a response");
    let response = String::from_utf8_lossy(&response).into_owned();
    let status = response.split(' ').nth(1).and_then(|word| word.parse().ok());
    (status.unwrap_or_else(|| panic!("not a response: {response}")), response)
}

/// Limits that never apply. Each connection appears to come from its own network, because players on one network cannot
/// play rated games.
pub(crate) fn apart() -> Limits {
    Limits { proxies: vec![Proxy::Loopback], ..Limits::none() }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// A client's connection.
pub(crate) struct Client<S: Read + Write = TcpStream> {
    socket: WebSocket<S>,
    /// The client's token, once known.
    pub(crate) token: Option<String>,
    /// A number that makes this connection's message IDs differ from those of the account's other connections.
    number: u64,
    sent: u64,
}

/// The number of connections made so far.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

/// How a connection ended: the code, text and seconds of `bye`, and the code and reason of the close frame.
#[derive(Debug, PartialEq)]
pub(crate) struct Closed {
    pub(crate) code: String,
    pub(crate) text: String,
    pub(crate) seconds: Option<u64>,
    pub(crate) close: u16,
    pub(crate) reason: String,
}

impl Client<TcpStream> {
    pub(crate) fn over(stream: TcpStream, request: impl IntoClientRequest) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_nodelay(true).expect("an option of the socket");
        Self::upgrade(stream, request)
    }

    /// Closes the connection without a goodbye, as if the machine were switched off.
    pub(crate) fn vanish(self) {
        let stream = self.socket.get_ref();
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

impl<S: Read + Write> Client<S> {
    pub(crate) fn upgrade(stream: S, request: impl IntoClientRequest) -> Self {
        let number = CONNECTIONS.fetch_add(1, Relaxed);
        let mut request = request.into_client_request().expect("a valid address");
        // Servers that trust proxies on this machine accept this address.
        let address = Ipv4Addr::from_bits(0x0a00_0000 + u32::try_from(number).expect("small"));
        let address = address.to_string().parse().expect("a header value");
        request.headers_mut().entry("x-forwarded-for").or_insert(address);
        let config = WebSocketConfig::default();
        let upgraded = tungstenite::client::client_with_config(request, stream, Some(config));
        let Ok((socket, _)) = upgraded else { panic!("the connection is not upgraded") };
        Self { socket, token: None, number, sent: 0 }
    }

    /// The underlying socket, for sending bytes that are not a frame.
    pub(crate) fn stream(&mut self) -> &mut S {
        self.socket.get_mut()
    }

    /// Sends `hello` with these additional fields. Returns `welcome`.
    pub(crate) fn hello(&mut self, fields: &Value) -> Value {
        self.send(&with(&json!({"type": "hello", "proto": 2, "client": "tests"}), fields));
        self.until("welcome")
    }

    /// Registers an account with this name. Returns the recovery code.
    pub(crate) fn register(&mut self, name: &str) -> String {
        self.send(&json!({"type": "register", "id": "r", "name": name}));
        let registered = self.until("registered");
        assert_eq!(registered["name"], name);
        registered["recovery"].as_str().expect("a recovery code").to_owned()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.send_frame(Message::text(text)).expect("the message is sent");
    }

    pub(crate) fn send_frame(&mut self, message: Message) -> tungstenite::Result<()> {
        self.socket.send(message)
    }

    /// The next frame that is not a ping.
    fn read(&mut self) -> tungstenite::Result<Message> {
        let begun = Instant::now();
        loop {
            match self.socket.read() {
                // Pings from the server could otherwise keep a client waiting forever.
                Ok(Message::Ping(_) | Message::Pong(_)) => {
                    assert!(begun.elapsed() < PATIENCE, "no message for {PATIENCE:?}");
                }
                // A suspended process resumes in the middle of a system call.
                Err(WsError::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    /// The text of the next message.
    pub(crate) fn next_text(&mut self) -> String {
        match self.read() {
            Ok(Message::Text(text)) => text.as_str().to_owned(),
            other => panic!("instead of a message: {other:?}"),
        }
    }

    pub(crate) fn next(&mut self) -> Value {
        let text = self.next_text();
        let message: Value = serde_json::from_str(&text).expect("a message is JSON");
        if message["type"] == "welcome"
            && let Some(token) = message["token"].as_str()
        {
            self.token = Some(token.to_owned());
        }
        message
    }

    /// The next message of this type. Skips other messages, but panics on refusals.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next();
            if message["type"] == kind {
                return message;
            }
            let is_refusal = message["type"] == "rej" || message["type"] == "bye";
            assert!(!is_refusal, "instead of {kind}: {message}");
        }
    }

    /// The next event of this kind.
    pub(crate) fn event(&mut self, kind: &str) -> Value {
        loop {
            let event = self.until("ev");
            if event["event"] == kind {
                return event;
            }
        }
    }

    /// Sends a message with a new ID. Returns the answer.
    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.sent += 1;
        let id = json!(format!("{}-{}", self.number, self.sent));
        self.send(&with(message, &json!({"id": id})));
        self.answer(&id)
    }

    /// The answer to the message with this ID.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next();
            if &message["id"] == id {
                return message;
            }
        }
    }

    /// Sends a message that must be accepted. Returns the acknowledgement.
    pub(crate) fn does(&mut self, message: &Value) -> Value {
        let answer = self.ask(message);
        assert_eq!(answer["type"], "ack", "{message}: {answer}");
        answer
    }

    /// Sends a message that must be refused with this code. Returns the refusal.
    pub(crate) fn is_refused(&mut self, message: &Value, code: &str) -> Value {
        let answer = self.ask(message);
        assert_eq!((&answer["type"], &answer["code"]), (&json!("rej"), &json!(code)), "{answer}");
        assert!(answer["text"].as_str().is_some_and(|text| text.ends_with('.')), "{answer}");
        answer
    }

    /// Asserts that nothing else has been sent to this client.
    pub(crate) fn hears_nothing(&mut self) {
        self.send(&json!({"type": "ping"}));
        let next = self.next();
        assert_eq!(next["type"], "pong", "{next}");
    }

    /// Reads until the server closes the connection.
    pub(crate) fn closed(&mut self) -> Closed {
        let mut bye = Value::Null;
        loop {
            match self.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(&text).expect("a message is JSON");
                    if message["type"] == "bye" || message["type"] == "restart" {
                        bye = message;
                    }
                }
                Ok(Message::Close(Some(frame))) => {
                    let text = |field: &str| bye[field].as_str().unwrap_or_default().to_owned();
                    return Closed {
                        code: text("code"),
                        text: text("text"),
                        seconds: bye["seconds"].as_u64(),
                        close: frame.code.into(),
                        reason: frame.reason.as_str().to_owned(),
                    };
                }
                Ok(_) => {}
                Err(error) => panic!("closed without a reason: {error}; {bye}"),
            }
        }
    }
}

/// A copy of an object, with the fields of another object added.
pub(crate) fn with(object: &Value, fields: &Value) -> Value {
    let mut object = object.clone();
    let (Value::Object(all), Value::Object(fields)) = (&mut object, fields) else {
        panic!("not objects: {object}, {fields}")
    };
    all.extend(fields.clone());
    object
}
