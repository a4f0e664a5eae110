//! Safe reading of untrusted files, which may be pipes, devices or far too large.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use skirmish_system::files::nonblocking;
use skirmish_system::regular_file;

/// Opens a regular file for reading. Rejects anything else without blocking.
///
/// # Errors
/// If the file cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular_file(nonblocking(OpenOptions::new().read(true)).open(path)?)
}

/// Opens a file named by the user: a regular file, or a file that this process has open, such as `/dev/stdin`. Rejects
/// a named pipe, since opening it would wait for a writer.
///
/// # Errors
/// If the file cannot be opened, or is of another kind.
pub fn open_named(path: &Path) -> io::Result<File> {
    let is_open = |place| path.starts_with(place);
    if ["/dev/stdin", "/dev/fd", "/proc/self/fd"].into_iter().any(is_open) {
        return File::open(path);
    }
    open_regular(path)
}

/// Reads the text of a regular file of at most `largest` bytes.
///
/// # Errors
/// If the file cannot be read, is too large, or is not UTF-8 text.
pub fn read_text(path: &Path, largest: u64) -> io::Result<String> {
    text_of(open_regular(path)?, largest)
}

/// Reads the text of an open file of at most `largest` bytes.
///
/// # Errors
/// If the file cannot be read, is too large, or is not UTF-8 text.
pub fn text_of(file: File, largest: u64) -> io::Result<String> {
    let bytes = read_at_most(file, largest)?;
    let malformed = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(bytes).map_err(malformed)
}

/// Reads the bytes of a file of at most `largest` bytes.
pub(crate) fn read_at_most(file: File, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.metadata()?.len() <= largest {
        file.take(largest + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= largest {
            return Ok(bytes);
        }
    }
    Err(io::ErrorKind::FileTooLarge.into())
}
