//! Online games: the commands `serve`, `host` and `join`.

mod address;
mod client;
mod connection;
mod credits;
mod database;
mod full;
mod game;
mod host;
mod identity;
mod invite;
mod join;
mod lobby;
mod record;
mod serve;
mod terms;
mod wire;

use std::ops::ControlFlow;

use skirmish_tui::online::OnlineGoal;

use crate::exit::Exit;

pub(crate) use database::{database, unusable};
pub(crate) use full::{joiner, last_server};
pub(crate) use host::run as host;
pub(crate) use join::run as join;
pub(crate) use serve::run as serve;

/// What follows a game or a visit to the lobby: another destination, or the end of the program.
type Next = ControlFlow<Exit, OnlineGoal>;
