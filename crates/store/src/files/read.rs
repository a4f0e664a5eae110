//! Reading files that nobody named: what lies in a folder of ours may be a pipe, a device or far too large.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use skirmish_system::files::nonblocking;

/// Opens a regular file for reading. Anything else is refused, and never waited for.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = nonblocking(OpenOptions::new().read(true)).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

/// The content of a regular file, if it has at most so many bytes.
pub fn read_regular(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    if file.metadata()?.len() > largest {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}
