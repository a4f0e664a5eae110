//! The connection to a server, with automatic reconnection.

mod watchdog;

use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use skirmish_room::RejectionCode;
use skirmish_room::wire::{ClientMessage, Hello, PROTO, Rej, ServerMessage, Welcome};
use skirmish_tui::online::LinkEvent;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{interval, sleep, timeout};

use super::address::ServerAddress;
use super::credits::SendCredits;
use super::identity::{self, Identity};
use super::wire::{self, LinkFailure, PATIENCE, Wire};
use watchdog::{HURRIED, Reaction, RunningClocks, Watchdog};

/// The timeout for each step of connecting while a clock runs.
const HURRIED_PATIENCE: Duration = Duration::from_secs(6);

/// The first and the longest pause between attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// The longest pause in seconds that a server can ask for.
const LONGEST_WAIT: u32 = 60;

/// The interval at which the silence of a server is checked.
const TICK: Duration = Duration::from_millis(500);

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
    /// Dropped first, which ends the thread.
    outgoing: Option<UnboundedSender<ClientMessage>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// A connection that has just been established. Nobody listens to it yet.
pub(crate) struct FreshConnection {
    runtime: Runtime,
    reconnector: Reconnector,
    wire: Wire,
    /// The server's greeting.
    pub(crate) welcome: Welcome,
}

impl FreshConnection {
    /// Connects. If the server does not know the token, the user becomes a new guest.
    ///
    /// # Errors
    /// If there is no connection.
    pub(crate) fn open(login: Login) -> anyhow::Result<Self> {
        let runtime = wire::runtime()?;
        let token = login.identity.token();
        let mut reconnector = Reconnector { login, token, wait: None };
        let (welcome, wire) = match runtime.block_on(reconnector.introduce(PATIENCE)) {
            Err(LinkFailure::Bye(RejectionCode::Token, _))
                if reconnector.login.link.is_none() && reconnector.token.take().is_some() =>
            {
                reconnector.login.identity.is_unknown();
                runtime.block_on(reconnector.introduce(PATIENCE))
            }
            result => result,
        }
        .map_err(|failure| anyhow!(failure.text(&reconnector.login.address)))?;
        Ok(Self { runtime, reconnector, wire, welcome })
    }

    /// The server.
    pub(crate) const fn address(&self) -> &ServerAddress {
        &self.reconnector.login.address
    }

    /// The user's identity there.
    pub(crate) const fn identity(&self) -> &Identity {
        &self.reconnector.login.identity
    }

    /// Starts the thread that maintains the connection. The listener receives every event, and returns whether it wants
    /// more.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(crate) fn listen(
        self,
        listener: impl FnMut(LinkEvent) -> bool + Send + 'static,
    ) -> std::io::Result<Connection> {
        let Self { runtime, reconnector, wire, welcome: _ } = self;
        let (outgoing, messages) = unbounded_channel();
        let work = move || {
            runtime.block_on(reconnector.run(wire, Outbox::new(messages), listener));
            // Do not wait for the lookup of a name.
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("connection".to_owned()).spawn(work)?;
        Ok(Connection { outgoing: Some(outgoing), thread: Some(thread) })
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
        self.outgoing = None;
        self.thread.take().map(thread::JoinHandle::join);
    }
}

/// The messages to send, and what limits and hurries them.
struct Outbox {
    messages: UnboundedReceiver<ClientMessage>,
    credits: SendCredits,
    clocks: RunningClocks,
}

impl Outbox {
    fn new(messages: UnboundedReceiver<ClientMessage>) -> Self {
        let credits = SendCredits::new(Instant::now());
        Self { messages, credits, clocks: RunningClocks::default() }
    }

    /// The next message; `None` once the connection has been dropped.
    async fn next(&mut self) -> Option<ClientMessage> {
        let message = self.messages.recv().await?;
        self.clocks.send(&message);
        Some(message)
    }

    /// Discards messages until the connection is dropped.
    async fn discard(&mut self) {
        while self.next().await.is_some() {}
    }

    /// How long each step of connecting may take.
    fn patience(&self) -> Duration {
        if self.clocks.pace() == HURRIED { HURRIED_PATIENCE } else { PATIENCE }
    }
}

/// Maintains the connection: reads from it, writes to it, and reconnects when it is lost.
struct Reconnector {
    /// The link code is removed once it has been used.
    login: Login,
    token: Option<String>,
    /// The pause that the server has asked for.
    wait: Option<Duration>,
}

impl Reconnector {
    async fn run(
        mut self,
        mut wire: Wire,
        mut outbox: Outbox,
        mut listener: impl FnMut(LinkEvent) -> bool,
    ) {
        loop {
            let ended = self.converse(wire, &mut outbox, &mut listener).await;
            let Err(failure) = ended else { return };
            if outbox.messages.is_closed() {
                return;
            }
            let is_final = failure.is_final();
            let text = failure.text(&self.login.address);
            if is_final {
                listener(LinkEvent::Failed { text });
                return;
            }
            if !listener(LinkEvent::Lost { text }) {
                return;
            }
            let patience = outbox.patience();
            let connected = tokio::select! {
                biased;
                () = outbox.discard() => return,
                connected = self.reconnect(patience) => connected,
            };
            match connected {
                Ok((welcome, again)) => {
                    wire = again;
                    if !listener(LinkEvent::Connected(welcome)) {
                        return;
                    }
                }
                Err(failure) => {
                    listener(LinkEvent::Failed { text: failure.text(&self.login.address) });
                    return;
                }
            }
        }
    }

    /// Retries until connected. Fails if retrying is pointless.
    async fn reconnect(&mut self, patience: Duration) -> Result<(Welcome, Wire), LinkFailure> {
        let mut pause = PAUSES.0;
        loop {
            sleep(self.next_pause(&mut pause)).await;
            match self.introduce(patience).await {
                Err(failure) if !failure.is_final() => {}
                connected => return connected,
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
    async fn introduce(&mut self, patience: Duration) -> Result<(Welcome, Wire), LinkFailure> {
        let wire = Wire::open(&self.login.address, patience).await;
        let mut wire = wire.map_err(LinkFailure::Lost)?;
        let hello = ClientMessage::Hello(Hello {
            proto: PROTO,
            token: self.token.clone(),
            client: concat!("skirmish ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: self.login.name.clone(),
            device: identity::device(),
            link: self.login.link.clone(),
        });
        wire.send(&hello).await?;
        let welcome = loop {
            let received = timeout(patience, wire.receive()).await;
            let received = received.unwrap_or_else(|_| Err(LinkFailure::silence()));
            let message = received.map_err(|failure| match failure {
                LinkFailure::Lost(text) => {
                    LinkFailure::Lost(format!("no connection to {}: {text}", self.login.address))
                }
                failure => failure,
            })?;
            match message {
                ServerMessage::Welcome(welcome) => break welcome,
                ServerMessage::Bye { code, text, seconds }
                | ServerMessage::Rej(Rej { code, text, seconds, .. }) => {
                    self.wait = seconds.map(pause);
                    return Err(LinkFailure::Bye(code, text));
                }
                ServerMessage::Restart { seconds } => {
                    self.wait = Some(pause(seconds));
                    let text = "the server is not ready: try again in a moment";
                    return Err(LinkFailure::Lost(text.to_owned()));
                }
                _ => {}
            }
        };
        self.login.link = None;
        self.keep(&welcome);
        Ok((welcome, wire))
    }

    /// Stores a new token. A guest gets one with the first game.
    fn keep(&mut self, welcome: &Welcome) {
        if let Some(token) = &welcome.token {
            self.login.identity.keep(token);
            self.token = Some(token.clone());
        }
    }

    /// Reads and writes until the connection is lost. Succeeds if it was closed here, or nobody listens any more.
    async fn converse(
        &mut self,
        mut wire: Wire,
        outbox: &mut Outbox,
        listener: &mut impl FnMut(LinkEvent) -> bool,
    ) -> Result<(), LinkFailure> {
        let mut watchdog = Watchdog::new(Instant::now());
        let mut ticks = interval(TICK);
        loop {
            tokio::select! {
                message = outbox.next() => {
                    let Some(message) = message else {
                        wire.close().await;
                        return Ok(());
                    };
                    sleep(outbox.credits.take(&message, Instant::now())).await;
                    wire.send(&message).await?;
                }
                received = wire.receive() => {
                    let message = received?;
                    watchdog.hear(Instant::now());
                    outbox.clocks.receive(&message);
                    self.hear(&message)?;
                    if !listener(LinkEvent::Message(message)) {
                        return Ok(());
                    }
                }
                _ = ticks.tick() => match watchdog.look(Instant::now(), outbox.clocks.pace()) {
                    Reaction::Wait => {}
                    Reaction::Ask => wire.send(&ClientMessage::Ping).await?,
                    Reaction::Leave => return Err(LinkFailure::silence()),
                },
            }
        }
    }

    /// Notes what a message says about the connection.
    fn hear(&mut self, message: &ServerMessage) -> Result<(), LinkFailure> {
        match message {
            ServerMessage::Bye { code, text, seconds } => {
                self.wait = seconds.map(pause);
                return Err(LinkFailure::Bye(*code, text.clone()));
            }
            ServerMessage::Restart { seconds } => self.wait = Some(pause(*seconds)),
            ServerMessage::Welcome(welcome) => self.keep(welcome),
            _ => {}
        }
        Ok(())
    }
}

fn pause(seconds: u32) -> Duration {
    Duration::from_secs(seconds.min(LONGEST_WAIT).into()).max(PAUSES.0)
}

#[cfg(test)]
mod tests;
