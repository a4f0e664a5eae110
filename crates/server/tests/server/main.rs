//! Tests a real server on a free port with real clients.

mod accounts;
mod admin;
mod api;
mod backup;
mod bytes;
mod chaos;
mod cluster;
mod dialogues;
mod drain;
mod fair_play;
mod frames;
mod hearing;
mod http;
mod kill;
mod limits;
mod line;
mod lines;
mod merging;
mod metrics;
mod newcomer;
mod nodes;
mod outages;
mod page;
mod players;
mod process;
mod refusals;
mod restart;
mod solving;
mod stalling;
mod support;
mod tables;
mod tls;

/// A test game that is known only through the catalogue.
#[path = "../../../rules/tests/sixth/mod.rs"]
mod sixth;
