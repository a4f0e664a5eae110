//! A server on the full screen.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anyhow::{Result, bail};
use skirmish_room::wire::ClientMessage;
use skirmish_rules::Catalog;
use skirmish_store::ExitHook;
use skirmish_tui::online::{Link, LinkEvent, OnlineGoal};
use skirmish_tui::{ArcadeEvent, Start};

use super::address::ServerAddress;
use super::connection::{Connection, Login};
use crate::args::ScreenArgs;
use crate::exit::Exit;
use crate::{arcade, output};

/// The connection, as the arcade sees it.
struct ArcadeLink(Connection);

impl Link for ArcadeLink {
    fn send(&mut self, message: ClientMessage) {
        self.0.send(message);
    }
}

/// Shows a server on the full screen. `address` is how others see it.
///
/// # Errors
/// If there is no connection.
pub(super) fn show(
    login: Login,
    address: &ServerAddress,
    goal: OnlineGoal,
    screen: &ScreenArgs,
    catalog: Catalog,
) -> Result<Exit> {
    let identity = login.identity.clone();
    let (sender, told) = channel();
    let connection = Connection::open(login, move |event| sender.send(event).is_ok())?;
    // Whoever mistypes an address is told before the screen is taken.
    let first = match told.recv()? {
        LinkEvent::Failed { text } | LinkEvent::Lost { text } => bail!("{text}"),
        first @ (LinkEvent::Connected(_) | LinkEvent::Message(_)) => first,
    };
    let server = address.to_string();
    let start = |events: &Sender<ArcadeEvent>| {
        pass_on(first, told, events.clone())?;
        Ok(Start::Online { link: Box::new(ArcadeLink(connection)), goal, server })
    };
    let exit = arcade::run_from(screen, start, &ExitHook::default(), true, catalog);
    identity.trouble().into_iter().for_each(output::eprint_line);
    exit
}

/// Passes the events of a connection to the arcade.
fn pass_on(
    first: LinkEvent,
    told: Receiver<LinkEvent>,
    events: Sender<ArcadeEvent>,
) -> std::io::Result<()> {
    let work = move || {
        for event in std::iter::once(first).chain(told) {
            if events.send(ArcadeEvent::Link(event)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("link".to_owned()).spawn(work).map(drop)
}
