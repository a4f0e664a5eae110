//! TOML files that this program writes and people may edit. A file that cannot be understood is never replaced.

use std::path::{Path, PathBuf};
use std::{fs, io};

use skirmish_rules::quotable;
use toml::{Table, Value};

use crate::files::{self, Overwrite};
use crate::store::{StoreError, shown};

/// Why a TOML file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TomlError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] StoreError),
    /// The file is not TOML.
    #[error("{}, line {line}: {cause}", shown(path))]
    Syntax {
        /// Which.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// Some values are invalid.
    #[error("{}: {}", shown(path), faults.join("; "))]
    Values {
        /// In which file.
        path: PathBuf,
        /// One message for each.
        faults: Vec<String>,
    },
}

impl TomlError {
    /// The error for invalid values, if there are any.
    pub(crate) fn of(path: &Path, faults: Vec<String>) -> Option<Self> {
        (!faults.is_empty()).then(|| Self::Values { path: path.to_owned(), faults })
    }
}

/// Parses a file of at most `largest` bytes; empty if there is none.
pub(crate) fn read(path: &Path, largest: u64) -> Result<Table, TomlError> {
    let text = match files::read_text(path, largest) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Table::new()),
        Err(cause) => return Err(StoreError::Read { path: path.to_owned(), cause }.into()),
    };
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let cause = error.message().replace(char::is_control, " ");
        TomlError::Syntax { path: path.to_owned(), line, cause }
    })
}

/// Writes a file atomically, with this header.
pub(crate) fn write(path: &Path, head: &str, table: &Table) -> Result<(), StoreError> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| files::replace(path, &format!("{head}{table}"), Overwrite::Allowed))
        .map_err(|cause| StoreError::Write { path: path.to_owned(), cause })
}

/// The value of a key, if present and valid. An invalid one adds a message to `faults`.
pub(crate) fn look_up<T>(
    table: &Table,
    key: &str,
    expected: &str,
    faults: &mut Vec<String>,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let value = table.get(key)?;
    let read = read(value);
    if read.is_none() {
        faults.push(format!("{key}: expected {expected}, not {}", quotable(&value.to_string())));
    }
    read
}
