//! `skirmish join`: a game on a server, or its lobby.

use anyhow::{Result, anyhow};
use skirmish_rules::Catalog;
use skirmish_store::shell::Screen;
use skirmish_store::{ExitHook, command};
use skirmish_tui::online::OnlineGoal;

use super::address::{Invitation, ServerAddress, USUAL_PORT};
use super::client::Client;
use super::connection::{FreshConnection, Login};
use super::identity::{self, Identity};
use super::{Next, full, game, lobby};
use crate::args::{JoinArgs, ScreenArgs};
use crate::exit::{Exit, usage};
use crate::signals;

pub(crate) fn run(args: &JoinArgs, screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let (address, code) = destination(args)?;
    let is_named = address.is_some();
    let address = address.or_else(identity::last);
    let address = address.unwrap_or_else(|| ServerAddress::loopback(USUAL_PORT));
    let login = Login {
        identity: Identity::on(&address),
        address: address.clone(),
        name: args.name.clone(),
        link: args.link.clone(),
    };
    let come_back = |code: &str| {
        format!(
            "To come back: {}",
            command(&format!(
                "join {}{}",
                address.invitation(code),
                Screen::from(args.tui).option()
            ))
        )
    };
    // If the user named no server, the error says how to name one.
    let with_advice = |error: anyhow::Error| {
        let host = command("host GAME");
        let advice = format!("Name a server with --server URL, or host a game with {host}");
        let why = format!("{error:#}");
        if is_named { error } else { anyhow!("{}. {advice}", why.trim_end_matches('.')) }
    };
    let goal = match code {
        Some(code) => OnlineGoal::Game { code, watch: args.watch },
        None => OnlineGoal::Lobby,
    };
    if args.tui {
        let server = FreshConnection::open(login).map_err(with_advice)?;
        identity::remember(&address);
        return full::show(server, &address, goal, come_back, (screen, catalog));
    }
    let exit_hook = ExitHook::default();
    signals::watch(exit_hook.clone())?;
    let client = Client::connect(login, address.clone(), args.json, exit_hook);
    let mut client = client.map_err(with_advice)?;
    identity::remember(&address);
    if let Some(seen) = client.welcome.url.as_deref().and_then(|url| url.parse().ok()) {
        client.address = seen;
    }
    visit(client, goal, come_back, catalog)
}

/// The server and the game named by the arguments, if any.
fn destination(args: &JoinArgs) -> Result<(Option<ServerAddress>, Option<String>)> {
    let invitation = match &args.invitation {
        Some(text) => text.parse().map_err(usage)?,
        None => Invitation::default(),
    };
    let named = args.server.as_deref().map(str::parse::<ServerAddress>);
    let named = named.transpose().map_err(|error| usage(format!("--server: {error}")))?;
    let address = match (invitation.server, named) {
        (Some(one), Some(other)) if one != other => {
            return Err(usage(format!(
                "{one} and --server {other} are different servers: name only one"
            )));
        }
        (address, named) => address.or(named),
    };
    Ok((address, invitation.code))
}

/// Visits the lobby and plays games, until the player leaves. `come_back` says how to return to a game.
pub(super) fn visit(
    mut client: Client,
    mut goal: OnlineGoal,
    come_back: impl Fn(&str) -> String,
    catalog: Catalog,
) -> Result<Exit> {
    client.read_input()?;
    loop {
        let next = match goal {
            OnlineGoal::Lobby => lobby::visit(&mut client, catalog)?,
            OnlineGoal::Game { code, watch } => {
                game::play(&mut client, catalog, &code, watch, &come_back(&code))?
            }
        };
        match next {
            Next::Continue(next) => goal = next,
            Next::Break(exit) => return Ok(exit),
        }
    }
}
