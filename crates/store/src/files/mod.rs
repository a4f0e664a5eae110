//! Files on disk: path resolution, the one writer for all files, advisory locks, and safe reading of arbitrary files.

mod leftovers;
mod lock;
mod read;
mod target;
mod writer;

#[cfg(test)]
mod tests;

pub use leftovers::{Leftover, remove_leftovers};
pub use lock::{Holder, Lock, LockError, holder, is_lock_file, remove_unheld};
pub(crate) use read::read_at_most;
pub use read::{open_named, open_regular, read_text, text_of};
pub use target::{PathKind, same_file};
pub use writer::{
    OutputFile, Overwrite, check_writable, create_in, is_draft, replace, replace_private,
};
