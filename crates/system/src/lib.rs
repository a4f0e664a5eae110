#![doc = include_str!("../README.md")]

mod common;
mod environment;
pub mod folders;
mod memory;
mod programs;
pub mod words;

pub use common::{Attempt, FileKind, HANG_UP, INTERRUPT, Signal, TERMINATE, Watched};
pub use environment::{is_dumb, speaks_unicode};
pub use memory::spare_memory;
pub use programs::{find_program, is_path};

#[cfg(unix)]
#[path = "unix"]
mod family {
    pub mod files;
    pub mod lock;
    pub mod machine;
    pub(crate) mod memory;
    pub(crate) mod owned;
    pub mod process;
    pub mod signals;
    pub mod terminal;
}

#[cfg(windows)]
#[path = "windows"]
mod family {
    pub mod files;
    pub mod lock;
    pub mod machine;
    pub(crate) mod memory;
    pub(crate) mod pipes;
    pub mod process;
    pub mod signals;
    pub mod terminal;
}

pub use family::{files, lock, machine, process, signals, terminal};
