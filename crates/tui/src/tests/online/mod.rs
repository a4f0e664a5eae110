//! Arcades that play with each other on a server.

mod club;
mod pictures;
mod play;
mod records;
