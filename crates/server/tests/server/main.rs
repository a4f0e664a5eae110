//! The real server on a free port with real clients.

mod accounts;
mod bytes;
mod dialogues;
mod frames;
mod http;
mod kill;
mod limits;
mod refusals;
mod restart;
mod support;
mod tables;
mod tls;
