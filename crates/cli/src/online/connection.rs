//! The connection to a server, with automatic reconnection.

mod watchdog;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use skirmish_room::RejectionCode;
use skirmish_room::wire::{ClientMessage, Hello, PROTO, Rej, ServerMessage, Welcome};

use super::address::ServerAddress;
use super::credits::SendCredits;
use super::identity::{self, Identity};
use super::wire::{Incoming, PATIENCE, ReadWaiter, Wire};
use skirmish_tui::online::LinkEvent;
use watchdog::{HURRIED, Reaction, RunningClocks, Watchdog};

/// The timeout for each step of connecting while a clock runs.
const HURRIED_PATIENCE: Duration = Duration::from_secs(6);

/// The first and the longest pause between attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// The longest pause in seconds that a server can ask for.
const LONGEST_WAIT: u32 = 60;

/// How long closing a connection may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// The server to connect to, and the user's identity there.
pub(crate) struct Login {
    /// The server.
    pub(crate) address: ServerAddress,
    /// The user's identity there.
    pub(crate) identity: Identity,
    /// A guest's name.
    pub(crate) name: Option<String>,
    /// A link code, which joins this device to an account.
    pub(crate) link: Option<String>,
}

/// A connection to a server. Dropping it sends everything that is queued and closes it.
pub(crate) struct Connection {
    outgoing: Option<Sender<ClientMessage>>,
    shared: Arc<Shared>,
    writer: Option<thread::JoinHandle<()>>,
    /// Disconnected once the reader has ended.
    reader: Receiver<()>,
}

/// The state that reader and writer share.
#[derive(Default)]
struct Shared {
    /// The open WebSocket, if there is a connection.
    wire: Mutex<Option<Wire>>,
    clocks: Mutex<RunningClocks>,
    is_closing: Mutex<bool>,
    closes: Condvar,
}

/// A connection that has just been established. Nobody listens to it yet.
pub(crate) struct FreshConnection {
    reconnector: Reconnector,
    waiter: ReadWaiter,
    /// The server's greeting.
    pub(crate) welcome: Welcome,
}

impl FreshConnection {
    /// Connects. If the server does not know the token, the user becomes a new guest.
    ///
    /// # Errors
    /// If there is no connection.
    pub(crate) fn open(login: Login) -> anyhow::Result<Self> {
        let (token, shared) = (login.identity.token(), Arc::new(Shared::default()));
        let mut reconnector = Reconnector { login, token, shared, wait: None };
        let (welcome, waiter) = match reconnector.introduce() {
            Err(LinkFailure { code: Some(RejectionCode::Token), .. })
                if reconnector.login.link.is_none() && reconnector.token.take().is_some() =>
            {
                reconnector.login.identity.is_unknown();
                reconnector.introduce()
            }
            result => result,
        }
        .map_err(|trouble| anyhow!(trouble.text))?;
        Ok(Self { reconnector, waiter, welcome })
    }

    /// The server.
    pub(crate) const fn address(&self) -> &ServerAddress {
        &self.reconnector.login.address
    }

    /// The user's identity there.
    pub(crate) const fn identity(&self) -> &Identity {
        &self.reconnector.login.identity
    }

    /// Starts the threads that maintain the connection. The listener receives every event, and returns whether it wants
    /// more.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(crate) fn listen(
        self,
        listener: impl FnMut(LinkEvent) -> bool + Send + 'static,
    ) -> std::io::Result<Connection> {
        let Self { reconnector, waiter, welcome: _ } = self;
        let shared = reconnector.shared.clone();
        let (outgoing, messages) = channel();
        let (running, reader) = channel();
        let work = move || {
            reconnector.run(waiter, listener);
            drop(running);
        };
        thread::Builder::new().name("connection".to_owned()).spawn(work)?;
        let own = shared.clone();
        let work = move || own.write_all(&messages);
        let writer = thread::Builder::new().name("sender".to_owned()).spawn(work)?;
        Ok(Connection { outgoing: Some(outgoing), shared, writer: Some(writer), reader })
    }
}

impl Connection {
    /// Sends a message. Without a connection, the message is lost, and the caller must repeat it after reconnecting.
    pub(crate) fn send(&self, message: ClientMessage) {
        if let Some(outgoing) = &self.outgoing {
            drop(outgoing.send(message));
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.close();
        self.outgoing = None;
        let was_connected = self.writer.take().is_some_and(|writer| writer.join().is_ok())
            && self.shared.wire().is_some();
        if was_connected
            && self.reader.recv_timeout(FAREWELL) == Err(RecvTimeoutError::Timeout)
            && let Some(wire) = &*self.shared.wire()
        {
            wire.cut();
        }
    }
}

impl Shared {
    fn wire(&self) -> MutexGuard<'_, Option<Wire>> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clocks(&self) -> MutexGuard<'_, RunningClocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        *self.is_closing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        *self.is_closing.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.closes.notify_all();
    }

    /// Waits for this long, or until the connection is being closed.
    fn pause(&self, pause: Duration) {
        let is_closing = self.is_closing.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.closes.wait_timeout_while(is_closing, pause, |is_closing| !*is_closing));
    }

    /// Sends messages until the channel closes.
    fn write_all(&self, messages: &Receiver<ClientMessage>) {
        let mut pace = SendCredits::new(Instant::now());
        for message in messages {
            thread::sleep(pace.take(&message, Instant::now()));
            self.clocks().send(&message);
            self.write(&message);
        }
        if let Some(wire) = &mut *self.wire() {
            wire.close();
        }
    }

    fn write(&self, message: &ClientMessage) {
        if let Some(wire) = &mut *self.wire()
            && wire.send(message).is_err()
        {
            // The reader reports the failure.
            wire.cut();
        }
    }
}

/// Maintains the connection: reads from it, and reconnects when it is lost.
struct Reconnector {
    /// The link code is removed once it has been used.
    login: Login,
    token: Option<String>,
    shared: Arc<Shared>,
    /// The pause that the server has asked for.
    wait: Option<Duration>,
}

/// Why there is no connection.
struct LinkFailure {
    text: String,
    /// The server's reason.
    code: Option<RejectionCode>,
    /// Whether another attempt is pointless.
    is_final: bool,
}

impl LinkFailure {
    const fn passing(text: String) -> Self {
        Self { text, code: None, is_final: false }
    }

    const fn lasting(text: String) -> Self {
        Self { text, code: None, is_final: true }
    }

    /// The server has closed the connection, for this reason.
    fn bye(code: RejectionCode, text: String) -> Self {
        use RejectionCode::{Account, Hello, Malformed, Name, Proto, Token, TooLong, Unknown};
        let is_final =
            matches!(code, Account | Hello | Malformed | Name | Proto | Token | TooLong | Unknown);
        Self { text, code: Some(code), is_final }
    }
}

impl Reconnector {
    fn run(mut self, mut waiter: ReadWaiter, mut listener: impl FnMut(LinkEvent) -> bool) {
        loop {
            let Some(trouble) = self.listen(&waiter, &mut listener) else { return };
            *self.shared.wire() = None;
            if self.shared.is_closing() {
                return;
            }
            if trouble.is_final {
                listener(LinkEvent::Failed { text: trouble.text });
                return;
            }
            if !listener(LinkEvent::Lost { text: trouble.text }) {
                return;
            }
            let Some(again) = self.reconnect(&mut listener) else { return };
            waiter = again;
        }
    }

    /// Retries until connected. Returns `None` if retrying is pointless or nobody listens any more.
    fn reconnect(&mut self, listener: &mut impl FnMut(LinkEvent) -> bool) -> Option<ReadWaiter> {
        let mut pause = PAUSES.0;
        loop {
            let next = self.next_pause(&mut pause);
            self.shared.pause(next);
            if self.shared.is_closing() {
                return None;
            }
            let connected = self.introduce();
            if self.shared.is_closing() {
                return None;
            }
            match connected {
                Ok((welcome, waiter)) => {
                    return listener(LinkEvent::Connected(welcome)).then_some(waiter);
                }
                Err(LinkFailure { text, is_final: true, .. }) => {
                    listener(LinkEvent::Failed { text });
                    return None;
                }
                Err(_) => {}
            }
        }
    }

    /// The pause before the next attempt: the server's, or else `own`, which doubles each time.
    fn next_pause(&mut self, own: &mut Duration) -> Duration {
        let next = self.wait.take().unwrap_or(*own);
        *own = (*own * 2).min(PAUSES.1);
        next
    }

    /// Connects and sends `hello`.
    fn introduce(&mut self) -> Result<(Welcome, ReadWaiter), LinkFailure> {
        let is_hurried = self.shared.clocks().pace() == HURRIED;
        let patience = if is_hurried { HURRIED_PATIENCE } else { PATIENCE };
        let mut wire = Wire::open(&self.login.address, patience).map_err(LinkFailure::passing)?;
        let hello = ClientMessage::Hello(Hello {
            proto: PROTO,
            token: self.token.clone(),
            client: concat!("skirmish ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: self.login.name.clone(),
            device: identity::device(),
            link: self.login.link.clone(),
        });
        wire.send(&hello).map_err(LinkFailure::passing)?;
        let welcome = loop {
            let message = match wire.receive() {
                Incoming::Message(message) => *message,
                Incoming::Unknown => continue,
                Incoming::Over(text) => {
                    let text = format!("no connection to {}: {text}", self.login.address);
                    return Err(LinkFailure::passing(text));
                }
                Incoming::Nonsense(text) => return Err(self.nonsense(&text)),
            };
            match message {
                ServerMessage::Welcome(welcome) => break welcome,
                ServerMessage::Bye { code, text, seconds }
                | ServerMessage::Rej(Rej { code, text, seconds, .. }) => {
                    self.wait = seconds.map(pause);
                    return Err(LinkFailure::bye(code, text));
                }
                ServerMessage::Restart { seconds } => {
                    self.wait = Some(pause(seconds));
                    let text = "the server is not ready: try again in a moment";
                    return Err(LinkFailure::passing(text.to_owned()));
                }
                _ => {}
            }
        };
        let waiter = wire.read_waiter().map_err(|error| LinkFailure::passing(error.to_string()))?;
        self.login.link = None;
        self.keep(&welcome);
        *self.shared.wire() = Some(wire);
        Ok((welcome, waiter))
    }

    /// Stores a new token. A guest gets one with the first game.
    fn keep(&mut self, welcome: &Welcome) {
        if let Some(token) = &welcome.token {
            self.login.identity.keep(token);
            self.token = Some(token.clone());
        }
    }

    fn nonsense(&self, text: &str) -> LinkFailure {
        LinkFailure::lasting(format!("{} does not speak our protocol: {text}", self.login.address))
    }

    /// Reads until the connection is lost. Returns why, unless nobody listens any more.
    fn listen(
        &mut self,
        waiter: &ReadWaiter,
        listener: &mut impl FnMut(LinkEvent) -> bool,
    ) -> Option<LinkFailure> {
        let mut watchdog = Watchdog::new(Instant::now());
        loop {
            let incoming = match &mut *self.shared.wire() {
                Some(wire) => wire.receive_all(),
                None => return Some(LinkFailure::passing("it was closed".to_owned())),
            };
            if !incoming.is_empty() {
                watchdog.hear(Instant::now());
            }
            for incoming in incoming {
                match incoming {
                    Incoming::Message(message) => match *message {
                        ServerMessage::Bye { code, text, seconds } => {
                            self.wait = seconds.map(pause);
                            return Some(LinkFailure::bye(code, text));
                        }
                        message => {
                            self.shared.clocks().receive(&message);
                            match &message {
                                ServerMessage::Restart { seconds } => {
                                    self.wait = Some(pause(*seconds));
                                }
                                ServerMessage::Welcome(welcome) => self.keep(welcome),
                                _ => {}
                            }
                            if !listener(LinkEvent::Message(message)) {
                                return None;
                            }
                        }
                    },
                    Incoming::Unknown => {}
                    Incoming::Over(text) => return Some(LinkFailure::passing(text)),
                    Incoming::Nonsense(text) => return Some(self.nonsense(&text)),
                }
            }
            if waiter.wait() {
                continue;
            }
            let pace = self.shared.clocks().pace();
            match watchdog.look(Instant::now(), pace) {
                Reaction::Wait => {}
                Reaction::Ask => self.shared.write(&ClientMessage::Ping),
                Reaction::Leave => {
                    return Some(LinkFailure::passing("the server does not answer".to_owned()));
                }
            }
        }
    }
}

fn pause(seconds: u32) -> Duration {
    Duration::from_secs(seconds.min(LONGEST_WAIT).into()).max(PAUSES.0)
}

#[cfg(test)]
mod tests;
