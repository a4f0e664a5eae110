//! Files on disk: where a path leads, one writer for everything that is written, advisory locks, and reading what may
//! be anything.

mod leftovers;
mod lock;
mod read;
mod target;
mod writer;

#[cfg(test)]
mod tests;

pub use leftovers::{Leftover, remove_leftovers};
pub use lock::{Holder, Lock, LockError, holder, is_lock_file, remove_unheld};
pub use read::{open_regular, read_regular};
pub use target::{PathKind, same_file};
pub use writer::{OutputFile, Overwrite, is_draft, replace, replace_unsynced};
