#![doc = include_str!("../README.md")]

mod common;
pub mod folders;
pub mod machine;
mod programs;
pub mod terminal;
pub mod words;

pub use common::{
    Attempt, ErrorCause, FileKind, HANG_UP, INTERRUPT, Signal, Started, TERMINATE, Watched,
    refuse_link, regular_file, unlinked_file,
};
pub use machine::spare_memory;
pub use programs::{find_program, is_path};
pub use terminal::{is_dumb, speaks_unicode};

#[cfg(unix)]
#[path = "unix"]
mod family {
    pub mod files;
    pub(crate) mod folder;
    pub mod lock;
    pub(crate) mod machine;
    pub(crate) mod memory;
    pub(crate) mod owned;
    pub mod process;
    pub mod signals;
    pub(crate) mod terminal;
}

#[cfg(windows)]
#[path = "windows"]
mod family {
    pub mod files;
    pub(crate) mod folder;
    pub mod lock;
    pub(crate) mod machine;
    pub(crate) mod pipes;
    pub mod process;
    pub mod signals;
    pub(crate) mod terminal;
}

pub use family::files::error_cause;
pub use family::folder::OpenFolder;
pub use family::{files, lock, process, signals};
