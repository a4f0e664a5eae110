#![doc = include_str!("../README.md")]

mod codes;
mod computer;
mod game;
mod http;
mod hub;
mod limits;
mod listener;
mod lobby;
mod outbox;
mod rating;
mod server;
mod socket;
pub mod storage;

pub use limits::{Credits, Limits};
pub use server::{Config, Log, Server, StartError, TlsFiles};
pub use storage::StorageError;
