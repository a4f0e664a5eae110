//! `skirmish host GAME`: starts a server, creates a game and takes a seat.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use skirmish_room::wire::ClientMessage;
use skirmish_rules::Catalog;
use skirmish_server::{Database, Log, Server, StartError};
use skirmish_store::shell::{Screen, quoted};
use skirmish_store::{ExitHook, command};
use skirmish_tui::online::OnlineGoal;

use super::address::{ServerAddress, USUAL_PORT};
use super::client::Client;
use super::connection::{FreshConnection, Login};
use super::full;
use super::identity::Identity;
use super::invite::seen_from_outside;
use super::{database, join, serve, terms};
use crate::args::{HostArgs, ScreenArgs};
use crate::exit::Exit;
use crate::signals;

/// Sent to the guests when the host leaves.
const FAREWELL: &str = "The host has stopped this server. Unfinished games are saved, and resume when the host returns.";

pub(crate) fn run(args: &HostArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let terms = match &args.game {
        Some(game) => Some(terms::terms(game, &args.terms, catalog)?),
        None => None,
    };
    let data = database::folder(args.data.clone(), "host")?;
    let start = |listen| {
        let database = Database::Folder(data.clone());
        Server::start(serve::config(catalog, listen, database, (None, None), Log::none()))
    };
    let server = match start(args.listen.unwrap_or_else(usual_address)) {
        // Another program has taken the port since it was checked.
        Err(StartError::Listen { .. }) if args.listen.is_none() => start(free_address()),
        result => result,
    };
    let server = server.map_err(serve::failure)?;
    let listening = server.address();
    let running = OwnServer(Arc::new(Mutex::new(Some(server))));
    let exit_hook = ExitHook::default();
    let ends = Arc::new(AtomicBool::new(false));
    if !args.tui {
        let (ending, ends) = (running.clone(), ends.clone());
        signals::watch_and(exit_hook.clone(), move || {
            ends.store(true, Ordering::Relaxed);
            ending.stop();
        })?;
    }
    let login = || Login {
        address: own_address(listening),
        identity: Identity::within(&data),
        name: args.name.clone(),
        link: None,
    };
    let address = seen_from_outside(listening);
    let mut client = Client::connect(login(), address.clone(), args.json, exit_hook)?;
    (client.ends, client.shows_address) = (ends, args.resume);
    let code = match terms {
        Some(terms) => {
            let id = client.id();
            match client.create(&ClientMessage::Create { id, terms })? {
                Ok(code) => code,
                Err(rej) => bail!("{}", rej.text),
            }
        }
        None => match client.welcome.games.last() {
            Some(code) => code.clone(),
            None => {
                bail!("there is no unfinished game to resume: name a game to host a new one")
            }
        },
    };
    let come_back = |_: &str| format!("To go on: {}", go_on(args));
    let goal = OnlineGoal::Game { code, watch: false };
    if args.tui {
        drop(client);
        let fresh = FreshConnection::open(login())?;
        return full::show(fresh, &address, goal, come_back, (screen, catalog));
    }
    join::visit(client, goal, come_back, catalog)
}

/// The command that resumes the last game.
fn go_on(args: &HostArgs) -> String {
    let data =
        args.data.as_ref().map(|data| format!(" --data {}", quoted(&data.to_string_lossy())));
    let listen = args.listen.map(|address| format!(" --listen {address}"));
    let screen = Screen::from(args.tui).option();
    let (listen, data) = (listen.unwrap_or_default(), data.unwrap_or_default());
    command(&format!("host --resume{listen}{data}{screen}"))
}

/// A server that is stopped once, by a signal or on drop.
#[derive(Clone)]
struct OwnServer(Arc<Mutex<Option<Server>>>);

impl OwnServer {
    fn stop(&self) {
        let server = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(server) = server {
            server.stop_with(Some(FAREWELL));
        }
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// All interfaces, on the default port if it is free, so that guests find the game again after a restart.
fn usual_address() -> SocketAddr {
    let usual = everywhere(USUAL_PORT);
    if TcpListener::bind(usual).is_ok() { usual } else { free_address() }
}

/// All interfaces, on a free port.
fn free_address() -> SocketAddr {
    let free = TcpListener::bind(everywhere(0));
    free.and_then(|listener| listener.local_addr()).unwrap_or_else(|_| everywhere(0))
}

fn everywhere(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))
}

/// The server's address as seen from this machine.
fn own_address(listening: SocketAddr) -> ServerAddress {
    if listening.ip().is_unspecified() {
        ServerAddress::loopback(listening.port())
    } else {
        seen_from_outside(listening)
    }
}
