//! The real server on a free port with real clients.

mod dialogues;
mod support;
mod tables;
