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

pub(crate) use database::{database, unusable};
pub(crate) use full::{joiner, last_server};
pub(crate) use host::run as host;
pub(crate) use join::run as join;
pub(crate) use serve::run as serve;
