//! Online play on the full screen.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Result, anyhow};
use skirmish_room::wire::{ClientMessage, EventView, ServerMessage, StageName};
use skirmish_rules::Catalog;
use skirmish_store::ExitHook;
use skirmish_tui::online::{Link, LinkEvent, OnlineGoal};
use skirmish_tui::{ArcadeEvent, Start};

use super::address::{Invitation, ServerAddress};
use super::connection::{Connection, FreshConnection, Login};
use super::identity::{self, Identity};
use super::record;
use crate::args::ScreenArgs;
use crate::exit::Exit;
use crate::{arcade, output};

/// The arcade's handle to the connection.
struct ArcadeLink {
    connection: Connection,
    address: ServerAddress,
    events: Sender<ArcadeEvent>,
}

impl ArcadeLink {
    /// Starts the connection's threads. The listener gets its events.
    fn of(
        fresh: FreshConnection,
        events: &Sender<ArcadeEvent>,
        listener: impl FnMut(LinkEvent) -> bool + Send + 'static,
    ) -> Result<Box<Self>> {
        let address = fresh.address().clone();
        Ok(Box::new(Self { connection: fresh.listen(listener)?, address, events: events.clone() }))
    }
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

/// The code of the player's unfinished game.
#[derive(Clone, Default)]
struct Unfinished(Arc<Mutex<Option<String>>>);

impl Unfinished {
    fn code(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the code from an event.
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

/// Shows a server on the full screen. `seen` is its address for others; `come_back` says how to return to a game.
///
/// # Errors
/// If the screen cannot be used.
pub(super) fn show(
    fresh: FreshConnection,
    seen: &ServerAddress,
    goal: OnlineGoal,
    come_back: impl Fn(&str) -> String,
    (screen, catalog): (&ScreenArgs, Catalog),
) -> Result<Exit> {
    let identity = fresh.identity().clone();
    let unfinished = Unfinished::default();
    let noting = unfinished.clone();
    let start = |events: &Sender<ArcadeEvent>| {
        let sender = events.clone();
        let pass_on = move |event: LinkEvent| {
            noting.note(&event);
            sender.send(ArcadeEvent::Link(event)).is_ok()
        };
        pass_on(LinkEvent::Connected(fresh.welcome.clone()));
        let link = ArcadeLink::of(fresh, events, pass_on)?;
        Ok(Start::Online { link, goal, server: seen.to_string() })
    };
    let exit = arcade::run_from(screen, start, &ExitHook::default(), true, catalog);
    identity.trouble().into_iter().for_each(output::eprint_line);
    if let Some(code) = &*unfinished.code() {
        output::eprint_line(come_back(code));
    }
    exit
}

/// Returns a function that connects the arcade to a server, in a thread of its own.
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
    let (sender, told) = channel();
    let connected = || -> Result<Start> {
        let Invitation { server, code } = asked.parse()?;
        let unknown = || anyhow!("{asked} does not name a server: enter an address");
        let address = server.or_else(identity::last).ok_or_else(unknown)?;
        let identity = Identity::on(&address);
        let login = Login { address: address.clone(), identity, name: None, link: None };
        let fresh = FreshConnection::open(login)?;
        identity::remember(&address);
        sender.send(LinkEvent::Connected(fresh.welcome.clone()))?;
        let link = ArcadeLink::of(fresh, events, move |event| sender.send(event).is_ok())?;
        let goal = code.map(|code| OnlineGoal::Game { code, watch: false });
        let goal = goal.unwrap_or(OnlineGoal::Lobby);
        Ok(Start::Online { link, goal, server: address.to_string() })
    };
    let result = connected().map(Box::new).map_err(|error| format!("{error:#}"));
    // The arcade must know the server before it receives its events.
    if events.send(ArcadeEvent::Joined { asked, result }).is_err() {
        return;
    }
    for event in told {
        if events.send(ArcadeEvent::Link(event)).is_err() {
            return;
        }
    }
}

/// The address of the last server, or an empty string.
pub(crate) fn last_server() -> String {
    identity::last().map_or_else(String::new, |address| address.to_string())
}
