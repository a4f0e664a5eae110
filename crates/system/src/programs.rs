//! Finding programs.

use std::path::{Path, PathBuf};

use crate::files::program_at;

/// The path of a program, as the system would find it: at a path, or by name in the folders of `PATH`.
#[must_use]
pub fn find_program(program: &str) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    if is_path(program) {
        return program_at(Path::new(program));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).find_map(|folder| program_at(&folder.join(program)))
}

/// Whether a program is named by a path, and so not searched for in the folders of `PATH`.
#[must_use]
pub fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator) || Path::new(program).is_absolute()
}
