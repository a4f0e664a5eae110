//! Finds programs as the system would.

use std::path::{Path, PathBuf};

use crate::files::{PROGRAM_EXTENSIONS, is_program};

/// The path of a program that is given by its path or by its name in the folders of `PATH`.
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

/// The program at a path; the file extension may be omitted.
fn program_at(path: &Path) -> Option<PathBuf> {
    let with = |extension| {
        let mut named = path.as_os_str().to_owned();
        named.push(".");
        named.push(extension);
        PathBuf::from(named)
    };
    let candidates = std::iter::once(path.to_owned()).chain(PROGRAM_EXTENSIONS.map(with));
    candidates.into_iter().find(|path| is_program(path))
}

/// Whether a program is given by its path, in which case `PATH` is not searched.
#[must_use]
pub fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator) || Path::new(program).is_absolute()
}
