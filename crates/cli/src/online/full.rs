//! A server on the full screen.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Result, anyhow, bail};
use skirmish_room::wire::{ClientMessage, EventView, ServerMessage, StageName};
use skirmish_rules::Catalog;
use skirmish_store::ExitHook;
use skirmish_tui::online::{Link, LinkEvent, OnlineGoal};
use skirmish_tui::{ArcadeEvent, Start};

use super::address::{Invitation, ServerAddress};
use super::connection::{Connection, Login};
use super::identity::{self, Identity};
use super::record;
use crate::args::ScreenArgs;
use crate::exit::Exit;
use crate::{arcade, output};

/// The connection, as the arcade sees it.
struct ArcadeLink {
    connection: Connection,
    address: ServerAddress,
    events: Sender<ArcadeEvent>,
}

impl Link for ArcadeLink {
    fn send(&mut self, message: ClientMessage) {
        self.connection.send(message);
    }

    fn fetch(&mut self, code: &str, number: u32) {
        let (address, code) = (self.address.clone(), code.to_owned());
        let events = self.events.clone();
        let answer = move |code, text| {
            drop(events.send(ArcadeEvent::Link(LinkEvent::Record { code, number, text })));
        };
        let (later, asked) = (answer.clone(), code.clone());
        let work = move || {
            let text = record::fetch(&address, &asked, Some(number));
            later(asked, text);
        };
        if let Err(error) = thread::Builder::new().name("record".to_owned()).spawn(work) {
            answer(code, Err(error.to_string()));
        }
    }
}

/// The code of the player's game, if it is not over.
#[derive(Clone, Default)]
struct Unfinished(Arc<Mutex<Option<String>>>);

impl Unfinished {
    fn code(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what the server says.
    fn note(&self, event: &LinkEvent) {
        let (code, is_over) = match event {
            LinkEvent::Message(ServerMessage::Snap(snap)) if snap.you.is_some() => {
                (&snap.code, matches!(snap.stage, StageName::Over | StageName::Closed))
            }
            LinkEvent::Message(ServerMessage::Ev(ev)) => {
                if ev.end.is_none() && !matches!(ev.event, EventView::Closed) {
                    return;
                }
                (&ev.code, true)
            }
            _ => return,
        };
        let mut last = self.code();
        if !is_over {
            *last = Some(code.clone());
        } else if last.as_ref() == Some(code) {
            *last = None;
        }
    }
}

/// A server that can be shown on the full screen.
pub(super) struct FullScreen {
    address: ServerAddress,
    identity: Identity,
    connection: Connection,
    first: LinkEvent,
    told: Receiver<LinkEvent>,
}

impl FullScreen {
    /// Connects to a server. Whoever mistypes an address is told before the screen is taken.
    ///
    /// # Errors
    /// If there is no connection.
    pub(super) fn connect(login: Login) -> Result<Self> {
        let (address, identity) = (login.address.clone(), login.identity.clone());
        let (sender, told) = channel();
        let connection = Connection::open(login, move |event| sender.send(event).is_ok())?;
        let first = match told.recv()? {
            LinkEvent::Failed { text } | LinkEvent::Lost { text } => bail!("{text}"),
            first
            @ (LinkEvent::Connected(_) | LinkEvent::Message(_) | LinkEvent::Record { .. }) => first,
        };
        Ok(Self { address, identity, connection, first, told })
    }
}

/// Shows a server on the full screen. `seen` is its address as others see it; `come_back` says how to come back to a game.
///
/// # Errors
/// If the screen cannot be used.
pub(super) fn show(
    FullScreen { address, identity, connection, first, told }: FullScreen,
    seen: &ServerAddress,
    goal: OnlineGoal,
    come_back: impl Fn(&str) -> String,
    (screen, catalog): (&ScreenArgs, Catalog),
) -> Result<Exit> {
    let server = seen.to_string();
    let unfinished = Unfinished::default();
    let noting = unfinished.clone();
    let start = |events: &Sender<ArcadeEvent>| {
        let sender = events.clone();
        let work = move || pass_on(first, told, &noting, &sender);
        thread::Builder::new().name("link".to_owned()).spawn(work)?;
        let link = Box::new(ArcadeLink { connection, address, events: events.clone() });
        Ok(Start::Online { link, goal, server })
    };
    let exit = arcade::run_from(screen, start, &ExitHook::default(), true, catalog);
    identity.trouble().into_iter().for_each(output::eprint_line);
    if let Some(code) = &*unfinished.code() {
        output::eprint_line(come_back(code));
    }
    exit
}

/// Passes the events of a connection to the arcade.
fn pass_on(
    first: LinkEvent,
    told: Receiver<LinkEvent>,
    unfinished: &Unfinished,
    events: &Sender<ArcadeEvent>,
) {
    for event in std::iter::once(first).chain(told) {
        unfinished.note(&event);
        if events.send(ArcadeEvent::Link(event)).is_err() {
            return;
        }
    }
}

/// Connects to servers for the arcade, each time in a thread of its own.
pub(crate) fn joiner(events: &Sender<ArcadeEvent>) -> Box<dyn Fn(String) + Send> {
    let events = events.clone();
    Box::new(move |asked| {
        let (sender, named) = (events.clone(), asked.clone());
        if let Err(error) =
            thread::Builder::new().name("link".to_owned()).spawn(move || join(named, &sender))
        {
            drop(events.send(ArcadeEvent::Joined { asked, result: Err(error.to_string()) }));
        }
    })
}

/// Connects to a server, hands it to the arcade, and passes its events on.
fn join(asked: String, events: &Sender<ArcadeEvent>) {
    let connected = || -> Result<(FullScreen, OnlineGoal)> {
        let Invitation { server, code } = asked.parse()?;
        let unknown = || anyhow!("{asked} does not name a server: enter an address");
        let address = server.or_else(identity::last).ok_or_else(unknown)?;
        let identity = Identity::on(&address);
        let login = Login { address, identity, name: None, link: None };
        let goal = code.map(|code| OnlineGoal::Game { code, watch: false });
        Ok((FullScreen::connect(login)?, goal.unwrap_or(OnlineGoal::Lobby)))
    };
    match connected() {
        Ok((FullScreen { address, connection, first, told, .. }, goal)) => {
            identity::remember(&address);
            let server = address.to_string();
            let link = Box::new(ArcadeLink { connection, address, events: events.clone() });
            let result = Ok(Box::new(Start::Online { link, goal, server }));
            // The arcade has to know the server before it gets its events.
            if events.send(ArcadeEvent::Joined { asked, result }).is_ok() {
                pass_on(first, told, &Unfinished::default(), events);
            }
        }
        Err(error) => {
            drop(events.send(ArcadeEvent::Joined { asked, result: Err(format!("{error:#}")) }));
        }
    }
}

/// The address of the last server, or nothing.
pub(crate) fn last_server() -> String {
    identity::last().map_or_else(String::new, |address| address.to_string())
}
