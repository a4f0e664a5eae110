//! The stable JSON interface for other programs: one serde type per object.
//!
//! A test generates the tables of `docs/json.md` from these definitions.

mod admin;
mod analysis;
mod catalogue;
mod check;
mod events;
mod find;
mod lab;
mod map;
mod markdown;
mod object;
mod page;
mod position;
mod puzzle;
mod replay;
mod review;
mod saves;
mod tournament;
mod types;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use serde::Serialize;

pub use self::admin::*;
pub use self::analysis::*;
pub use self::catalogue::*;
pub use self::check::*;
pub use self::events::*;
pub use self::find::*;
pub use self::lab::*;
pub use self::map::*;
pub use self::markdown::*;
pub use self::object::{Described, Description, Part};
pub use self::page::*;
pub use self::position::*;
pub use self::puzzle::*;
pub use self::replay::*;
pub use self::review::*;
pub use self::saves::*;
pub use self::tournament::*;
pub use self::types::{JsonType, Named, Optional, PerPlayer, WordOr};

/// Writes an object on one line without buffering all of it.
///
/// # Errors
/// If writing fails.
pub fn write(object: &impl Serialize, into: impl Write) -> io::Result<()> {
    serde_json::to_writer(into, object).map_err(io::Error::from)
}

/// Serialises an object on one line.
///
/// # Panics
/// Never: every object can be serialised.
#[must_use]
pub fn text(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("every object can be serialised")
}
