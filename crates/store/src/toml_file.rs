//! TOML files that this program writes and people may edit. An unreadable file is never replaced.

use std::path::PathBuf;
use std::{fs, io};

use skirmish_rules::quotable;
use toml::{Table, Value};

use crate::StoreError;
use crate::files::{self, Overwrite};

/// A TOML file.
#[derive(Clone, Debug)]
pub(crate) struct TomlFile {
    pub(crate) path: PathBuf,
    /// The comment at the beginning of the file.
    pub(crate) head: &'static str,
    /// Maximum number of bytes to read.
    pub(crate) largest: u64,
}

impl TomlFile {
    /// Reads the file as a table; empty if there is no file.
    pub(crate) fn table(&self) -> Result<Table, StoreError> {
        let text = match files::read_text(&self.path, self.largest) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Table::new()),
            Err(cause) => return Err(StoreError::reading(&self.path)(cause)),
        };
        text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count() + 1;
            let cause = error.message().replace(char::is_control, " ");
            StoreError::Syntax(self.path.clone(), line, cause)
        })
    }

    /// Reads the file with `read`, which adds a message for each invalid value. Returns the valid values and the error.
    pub(crate) fn read<T: Default>(
        &self,
        read: impl FnOnce(&Table, &mut Vec<String>) -> T,
    ) -> (T, Option<StoreError>) {
        let table = match self.table() {
            Ok(table) => table,
            Err(error) => return (T::default(), Some(error)),
        };
        let mut faults = Vec::new();
        let value = read(&table, &mut faults);
        let error = (!faults.is_empty()).then(|| StoreError::Values(self.path.clone(), faults));
        (value, error)
    }

    /// Writes the file atomically.
    pub(crate) fn write(&self, table: &Table) -> Result<(), StoreError> {
        let folder = self.path.parent().map_or(Ok(()), fs::create_dir_all);
        let text = format!("{}{table}", self.head);
        folder
            .and_then(|()| files::replace(&self.path, &text, Overwrite::Allowed))
            .map_err(StoreError::writing(&self.path))
    }
}

/// The value of a key, if present and valid. An invalid value adds a message to `faults`.
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
