#![doc = include_str!("../README.md")]

mod api;
mod bus;
mod codes;
mod computer;
mod game;
mod health;
mod http;
mod hub;
mod limits;
mod listener;
mod lobby;
mod lock;
mod log;
mod metered;
mod metrics;
mod nodes;
mod outbox;
mod packed;
mod page;
mod proxy;
mod qr;
mod rating;
mod records;
mod request_id;
mod server;
mod socket;
pub mod storage;
mod tls;

pub use bus::{NatsAddress, NotNats};
pub use limits::{Credits, Limits};
pub use log::{Entry, Level, Log, LogFormat};
pub use proxy::{NotAProxy, Proxy};
pub use server::{Cluster, Config, Database, Server, StartError, TlsFiles};
pub use storage::StorageError;
