//! Files that appear whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

/// How the names of files begin that are being written.
const UNFINISHED: &str = ".unfinished-";

/// Whether a file was being written when the program was ended.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
}

/// Replaces a file's content. Whatever goes wrong, the file holds either the old content or the new.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    put(path, text, Care::Crash)
}

/// Replaces a file's content. Whatever happens to the program, the file holds either the old content or the new;
/// only if the machine itself fails it may be empty.
pub(crate) fn replace_quickly(path: &Path, text: &str) -> io::Result<()> {
    put(path, text, Care::Kill)
}

/// What a file must survive while it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// The end of the machine.
    Crash,
    /// The end of the program.
    Kill,
}

fn put(path: &Path, text: &str, care: Care) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = Builder::new().prefix(UNFINISHED).tempfile_in(folder).map_err(without_path)?;
    file.write_all(text.as_bytes())?;
    if care == Care::Crash {
        // Without this the new name could be left with none of the new content.
        file.as_file().sync_data()?;
    }
    file.persist(path)?;
    Ok(())
}

/// The cause alone: the name of a temporary file, which `tempfile` adds, would only puzzle the reader.
fn without_path(error: io::Error) -> io::Error {
    let said = error.to_string();
    match said.split_once(" at path \"") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}
