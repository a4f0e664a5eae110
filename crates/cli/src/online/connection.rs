//! The connection to a server. It comes back by itself when it is lost.

mod watchdog;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use skirmish_room::RejectionCode;
use skirmish_room::wire::{ClientMessage, Hello, PROTO, Rej, ServerMessage, Welcome};

use super::address::ServerAddress;
use super::identity::{self, Identity};
use super::pace::Pace;
use super::wire::{Bell, Incoming, PATIENCE, Wire};
use skirmish_tui::online::LinkEvent;
use watchdog::{HURRIED, RunningClocks, Verdict, Watchdog};

/// How long to wait for each answer until a connection is established, while a clock runs.
const HURRIED_PATIENCE: Duration = Duration::from_secs(6);

/// The first and the longest pause before the next attempt to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// The longest pause that a server can ask for.
const LONGEST_WAIT: u32 = 60;

/// How long the end of a connection may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Whom to connect to, and as whom.
pub(crate) struct Login {
    /// The server.
    pub(crate) address: ServerAddress,
    /// Who one is there.
    pub(crate) identity: Identity,
    /// The name that a guest wants.
    pub(crate) name: Option<String>,
    /// A code that joins this device to an account.
    pub(crate) link: Option<String>,
}

/// A connection to a server. Dropping it closes it, after everything has been sent.
pub(crate) struct Connection {
    outgoing: Option<Sender<ClientMessage>>,
    shared: Arc<Shared>,
    writer: Option<thread::JoinHandle<()>>,
    /// Disconnected once the reader has ended.
    reader: Receiver<()>,
}

/// What reader and writer share.
#[derive(Default)]
struct Shared {
    /// The wire while there is a connection.
    wire: Mutex<Option<Wire>>,
    clocks: Mutex<RunningClocks>,
    is_closing: Mutex<bool>,
    closes: Condvar,
}

/// Receives events. Returns whether anybody still listens.
type Listener = Box<dyn FnMut(LinkEvent) -> bool + Send>;

impl Connection {
    /// Connects. The listener is told when the connection is established or has failed, and of everything after that.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(crate) fn open(
        login: Login,
        listener: impl FnMut(LinkEvent) -> bool + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (outgoing, messages) = channel();
        let (running, reader) = channel();
        let Login { address, identity, name, link } = login;
        let token = identity.token();
        let keeper = Keeper {
            address,
            identity,
            token,
            name,
            link,
            shared: shared.clone(),
            listener: Box::new(listener),
            wait: None,
        };
        let work = move || {
            keeper.run();
            drop(running);
        };
        thread::Builder::new().name("connection".to_owned()).spawn(work)?;
        let own = shared.clone();
        let work = move || own.write_all(&messages);
        let writer = thread::Builder::new().name("sender".to_owned()).spawn(work)?;
        Ok(Self { outgoing: Some(outgoing), shared, writer: Some(writer), reader })
    }

    /// Sends a message. While there is no connection it is lost: whoever sent it sends it again when it is back.
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

    /// Waits, unless the connection is being closed.
    fn pause(&self, pause: Duration) {
        let is_closing = self.is_closing.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.closes.wait_timeout_while(is_closing, pause, |is_closing| !*is_closing));
    }

    /// Sends messages until there will be no more.
    fn write_all(&self, messages: &Receiver<ClientMessage>) {
        let mut pace = Pace::new(Instant::now());
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
            // The reader notices.
            wire.cut();
        }
    }
}

/// Keeps the connection: establishes it, reads from it, and establishes it again.
struct Keeper {
    address: ServerAddress,
    identity: Identity,
    token: Option<String>,
    name: Option<String>,
    link: Option<String>,
    shared: Arc<Shared>,
    listener: Listener,
    /// When the server wants us back.
    wait: Option<Duration>,
}

/// Why there is no connection.
struct Trouble {
    text: String,
    /// Whether another attempt is pointless.
    is_final: bool,
}

impl Trouble {
    const fn passing(text: String) -> Self {
        Self { text, is_final: false }
    }

    const fn lasting(text: String) -> Self {
        Self { text, is_final: true }
    }

    /// The server closes the connection, for this reason.
    fn bye(code: RejectionCode, text: String) -> Self {
        use RejectionCode::{Account, Hello, Malformed, Name, Proto, Token, TooLong, Unknown};
        let is_final =
            matches!(code, Account | Hello | Malformed | Name | Proto | Token | TooLong | Unknown);
        Self { text, is_final }
    }
}

impl Keeper {
    fn run(mut self) {
        let mut was_connected = false;
        let mut pause = PAUSES.0;
        loop {
            let connected = self.establish(was_connected);
            if self.shared.is_closing() {
                return;
            }
            let trouble = match connected {
                Ok((welcome, bell)) => {
                    was_connected = true;
                    pause = PAUSES.0;
                    if !(self.listener)(LinkEvent::Connected(welcome)) {
                        return;
                    }
                    let Some(trouble) = self.listen(&bell) else { return };
                    *self.shared.wire() = None;
                    if self.shared.is_closing() {
                        return;
                    }
                    if !trouble.is_final
                        && !(self.listener)(LinkEvent::Lost { text: trouble.text.clone() })
                    {
                        return;
                    }
                    trouble
                }
                Err(trouble) => trouble,
            };
            if trouble.is_final || !was_connected {
                (self.listener)(LinkEvent::Failed { text: trouble.text });
                return;
            }
            self.shared.pause(self.wait.take().unwrap_or(pause));
            pause = (pause * 2).min(PAUSES.1);
            if self.shared.is_closing() {
                return;
            }
        }
    }

    /// Connects and introduces us. An unknown token makes us a new guest, but not in the middle of a game.
    fn establish(&mut self, was_connected: bool) -> Result<(Welcome, Bell), Trouble> {
        match self.introduce() {
            Err((trouble, Some(RejectionCode::Token)))
                if !was_connected && self.link.is_none() && self.token.take().is_some() =>
            {
                drop(trouble);
                self.identity.is_unknown();
                self.introduce().map_err(|(trouble, _)| trouble)
            }
            result => result.map_err(|(trouble, _)| trouble),
        }
    }

    fn introduce(&mut self) -> Result<(Welcome, Bell), (Trouble, Option<RejectionCode>)> {
        let passing = |text: String| (Trouble::passing(text), None);
        let is_hurried = self.shared.clocks().pace() == HURRIED;
        let patience = if is_hurried { HURRIED_PATIENCE } else { PATIENCE };
        let mut wire = Wire::open(&self.address, patience).map_err(passing)?;
        let hello = ClientMessage::Hello(Hello {
            proto: PROTO,
            token: self.token.clone(),
            client: concat!("skirmish ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: self.name.clone(),
            device: identity::device(),
            link: self.link.clone(),
        });
        wire.send(&hello).map_err(passing)?;
        let welcome = loop {
            let message = match wire.receive() {
                Incoming::Message(message) => *message,
                Incoming::Unknown => continue,
                Incoming::Over(text) => {
                    let text = format!("no connection to {}: {text}", self.address);
                    return Err(passing(text));
                }
                Incoming::Nonsense(text) => return Err((self.nonsense(&text), None)),
            };
            match message {
                ServerMessage::Welcome(welcome) => break welcome,
                ServerMessage::Bye { code, text, seconds }
                | ServerMessage::Rej(Rej { code, text, seconds, .. }) => {
                    self.wait = seconds.map(pause);
                    return Err((Trouble::bye(code, text), Some(code)));
                }
                ServerMessage::Restart { seconds } => {
                    self.wait = Some(pause(seconds));
                    return Err(passing(
                        "the server is not ready: try again in a moment".to_owned(),
                    ));
                }
                _ => {}
            }
        };
        let bell = wire.bell().map_err(|error| passing(error.to_string()))?;
        self.link = None;
        self.keep(&welcome);
        *self.shared.wire() = Some(wire);
        Ok((welcome, bell))
    }

    /// Stores a new token. A guest gets one with the first game.
    fn keep(&mut self, welcome: &Welcome) {
        if let Some(token) = &welcome.token {
            self.identity.keep(token);
            self.token = Some(token.clone());
        }
    }

    fn nonsense(&self, text: &str) -> Trouble {
        Trouble::lasting(format!("{} does not speak our protocol: {text}", self.address))
    }

    /// Reads until the connection is lost. Returns why, unless nobody listens any more.
    fn listen(&mut self, bell: &Bell) -> Option<Trouble> {
        let mut watchdog = Watchdog::new(Instant::now());
        loop {
            let incoming = match &mut *self.shared.wire() {
                Some(wire) => wire.receive_all(),
                None => return Some(Trouble::passing("it was closed".to_owned())),
            };
            if !incoming.is_empty() {
                watchdog.hear(Instant::now());
            }
            for incoming in incoming {
                match incoming {
                    Incoming::Message(message) => match *message {
                        ServerMessage::Bye { code, text, seconds } => {
                            self.wait = seconds.map(pause);
                            return Some(Trouble::bye(code, text));
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
                            if !(self.listener)(LinkEvent::Message(message)) {
                                return None;
                            }
                        }
                    },
                    Incoming::Unknown => {}
                    Incoming::Over(text) => return Some(Trouble::passing(text)),
                    Incoming::Nonsense(text) => return Some(self.nonsense(&text)),
                }
            }
            if bell.wait() {
                continue;
            }
            let pace = self.shared.clocks().pace();
            match watchdog.look(Instant::now(), pace) {
                Verdict::Wait => {}
                Verdict::Ask => self.shared.write(&ClientMessage::Ping),
                Verdict::Leave => {
                    return Some(Trouble::passing("the server does not answer".to_owned()));
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
