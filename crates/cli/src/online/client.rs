//! A client in line mode: its connection and its console.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::{io, thread};

use anyhow::bail;
use skirmish_room::wire::{ClientMessage, MessageId, Rej, ServerMessage, Welcome};
use skirmish_room::words::RECONNECTING;
use skirmish_store::ExitHook;

use super::address::ServerAddress;
use super::connection::{Connection, FreshConnection, Login};
use super::identity::Identity;
use super::record;
use crate::line::{Console, InputLine, Typed, read_line};
use skirmish_tui::online::LinkEvent;

/// Maximum number of lines read ahead.
const READ_AHEAD: usize = 64;

/// An event for the client.
pub(super) enum Happening {
    Line(io::Result<InputLine>),
    Typed(Typed),
    Link(LinkEvent),
}

/// A client in line mode.
pub(super) struct Client {
    connection: Connection,
    happenings: Receiver<Happening>,
    lines: VecDeque<InputLine>,
    /// The sender for the input thread, until the thread starts.
    happened: Option<Sender<Happening>>,
    permits: Option<Sender<()>>,
    identity: Identity,
    sent: u64,
    nonce: String,
    pub(super) console: Console,
    pub(super) welcome: Welcome,
    /// The address that this client connects to.
    reached: ServerAddress,
    /// The server's address for others.
    pub(super) address: ServerAddress,
    pub(super) is_connected: bool,
    /// Seconds until reconnecting, if the server has announced a restart.
    restart: Option<u32>,
    /// Whether the program is ending and stops its own server.
    pub(super) ends: Arc<AtomicBool>,
    /// Whether to show the address with the next game.
    pub(super) shows_address: bool,
    pub(super) exit_hook: ExitHook,
}

impl Client {
    /// Connects to a server. `address` is its address for others.
    ///
    /// # Errors
    /// If there is no connection.
    pub(super) fn connect(
        login: Login,
        address: ServerAddress,
        is_json: bool,
        exit_hook: ExitHook,
    ) -> anyhow::Result<Self> {
        let (happened, happenings) = channel();
        let (reached, identity) = (login.address.clone(), login.identity.clone());
        let link = happened.clone();
        let listener = move |event| link.send(Happening::Link(event)).is_ok();
        let fresh = FreshConnection::open(login)?;
        let welcome = fresh.welcome.clone();
        let connection = fresh.listen(listener)?;
        let nonce = format!("{:x}", skirmish_store::fresh_chance()?.seed());
        let mut client = Self {
            connection,
            happenings,
            lines: VecDeque::new(),
            happened: Some(happened),
            permits: None,
            identity,
            sent: 0,
            nonce,
            console: Console::new(is_json, true),
            welcome,
            reached,
            address,
            is_connected: true,
            restart: None,
            ends: Arc::default(),
            shows_address: false,
            exit_hook,
        };
        client.report_trouble()?;
        Ok(client)
    }

    /// Starts reading the input.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(super) fn read_input(&mut self) -> io::Result<()> {
        if let Some(happened) = self.happened.take() {
            if self.console.take_keys() {
                read_keys(happened)?;
            } else {
                self.permits = Some(read_lines(happened, self.console.is_terminal())?);
            }
        }
        Ok(())
    }

    fn report_trouble(&mut self) -> io::Result<()> {
        self.identity.trouble().map_or(Ok(()), |text| self.console.warn(&text))
    }

    /// A string that is unique among the account's clients.
    pub(super) fn nonce(&mut self) -> String {
        self.sent += 1;
        format!("{}.{}", self.nonce, self.sent)
    }

    /// A new message id.
    pub(super) fn id(&mut self) -> MessageId {
        MessageId::Text(self.nonce())
    }

    /// Sends a message.
    pub(super) fn send(&self, message: ClientMessage) {
        self.connection.send(message);
    }

    /// The next line of input, if one has been read.
    pub(super) fn next_line(&self) -> Option<&InputLine> {
        self.lines.front()
    }

    /// Takes the next line. The end of the input stays in the queue.
    pub(super) fn take_line(&mut self) -> io::Result<Option<InputLine>> {
        if matches!(self.lines.front(), Some(InputLine::End)) {
            return Ok(Some(InputLine::End));
        }
        let line = self.lines.pop_front();
        if let (Some(_), Some(permits)) = (&line, &self.permits) {
            let _ = permits.send(());
        }
        line.iter().try_for_each(|line| self.console.echo(line))?;
        Ok(line)
    }

    /// Waits until something happens. Returns the event of the connection, which the player has been told about; `None` if
    /// a line was entered, which is in the queue.
    ///
    /// # Errors
    /// If the connection has failed for good, or the input cannot be read.
    pub(super) fn wait(&mut self) -> anyhow::Result<Option<LinkEvent>> {
        self.console.show_input()?;
        let event = loop {
            let line = match self.happenings.recv()? {
                Happening::Line(line) => Some(line?),
                Happening::Typed(typed) => self.console.take(typed)?,
                Happening::Link(event) => break event,
            };
            if let Some(line) = line {
                self.lines.push_back(line);
                return Ok(None);
            }
        };
        match &event {
            LinkEvent::Connected(welcome) => {
                self.welcome = welcome.clone();
                self.is_connected = true;
                if self.restart.take() != Some(0) {
                    self.console.note("Connected again.")?;
                }
                self.report_trouble()?;
            }
            LinkEvent::Lost { text } => {
                self.is_connected = false;
                let text = match self.restart {
                    // This device has joined another account.
                    Some(0) => None,
                    Some(_) => Some(RECONNECTING.to_owned()),
                    None => Some(format!("Connection lost ({text}); trying again.")),
                };
                if let Some(text) = text.filter(|_| !self.ends.load(Ordering::Relaxed)) {
                    self.console.note(&text)?;
                }
            }
            LinkEvent::Message(ServerMessage::Welcome(welcome)) => {
                // A guest has received a name and a token.
                self.welcome = welcome.clone();
                self.report_trouble()?;
            }
            LinkEvent::Message(ServerMessage::Restart { seconds }) => self.restart = Some(*seconds),
            LinkEvent::Failed { text } => bail!("{text}"),
            // Only the full screen fetches records in the background.
            LinkEvent::Message(_) | LinkEvent::Record { .. } => {}
        }
        Ok(Some(event))
    }

    /// Fetches the record of a room's game; without a number, of its last game.
    pub(super) fn record(&self, code: &str, number: Option<u32>) -> Result<String, String> {
        record::fetch(&self.reached, code, number)
    }

    /// Asks for a line and waits for it.
    ///
    /// # Errors
    /// Like [`Client::wait`].
    pub(super) fn line(&mut self, prompt: &str) -> anyhow::Result<InputLine> {
        loop {
            if !self.console.is_open() {
                self.console.prompt(prompt)?;
            }
            if let Some(line) = self.take_line()? {
                return Ok(line);
            }
            self.wait()?;
        }
    }

    /// Sends a message and waits for its answer: a refusal, or a message that satisfies the condition. After a lost
    /// connection, the message is sent again.
    ///
    /// # Errors
    /// Like [`Client::wait`].
    pub(super) fn request(
        &mut self,
        message: &ClientMessage,
        is_answer: impl Fn(&ServerMessage) -> bool,
    ) -> anyhow::Result<Result<ServerMessage, Rej>> {
        let own = message.id();
        self.send(message.clone());
        loop {
            match self.wait()? {
                Some(LinkEvent::Connected(_)) => self.send(message.clone()),
                Some(LinkEvent::Message(ServerMessage::Rej(rej)))
                    if rej.may_answer() || rej.id.is_some() && rej.id.as_ref() == own =>
                {
                    return Ok(Err(rej));
                }
                Some(LinkEvent::Message(answer)) if is_answer(&answer) => return Ok(Ok(answer)),
                _ => {}
            }
        }
    }

    /// Creates or seeks a game and returns its code.
    ///
    /// # Errors
    /// Like [`Client::wait`].
    pub(super) fn create(
        &mut self,
        message: &ClientMessage,
    ) -> anyhow::Result<Result<String, Rej>> {
        let own = message.id().cloned();
        let is_answer = |answer: &ServerMessage| matches!(answer, ServerMessage::Ack { id, .. } if Some(id) == own.as_ref());
        Ok(match self.request(message, is_answer)? {
            Ok(ServerMessage::Ack { code: Some(code), .. }) => Ok(code),
            Ok(_) => bail!("the server did not say which game it created"),
            Err(rej) => Err(rej),
        })
    }
}

/// Starts the thread that reads keys.
fn read_keys(happened: Sender<Happening>) -> io::Result<()> {
    let work = move || {
        loop {
            let typed = Typed::next();
            let is_last = matches!(typed, Ok(Typed::Gone) | Err(_));
            let happening =
                typed.map_or_else(|error| Happening::Line(Err(error)), Happening::Typed);
            if happened.send(happening).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(work).map(drop)
}

/// Starts the thread that reads lines. Each takes a permit, which limits how far it reads ahead.
fn read_lines(happened: Sender<Happening>, is_terminal: bool) -> io::Result<Sender<()>> {
    let (permits, permitted) = channel();
    for _ in 0..READ_AHEAD {
        let _ = permits.send(());
    }
    let work = move || {
        for () in permitted {
            let line = read_line(is_terminal);
            let is_last = matches!(line, Ok(InputLine::End) | Err(_));
            if happened.send(Happening::Line(line)).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(work)?;
    Ok(permits)
}
