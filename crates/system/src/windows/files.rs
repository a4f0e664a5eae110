//! Files: opening, identity, and copying attributes.

use std::fs::{self, File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

pub use dunce::canonicalize as canonical;

use crate::{ErrorCause, FileKind};

/// A flag to open a symbolic link itself, not its target.
pub(crate) const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// A flag that permits opening a folder.
pub(crate) const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// The file extensions of programs that the standard library can run; they may be omitted.
pub(crate) const PROGRAM_EXTENSIONS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Does nothing: opening a file never blocks on Windows.
pub const fn nonblocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Opens a symbolic link itself, not its target.
pub fn nonblocking_no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OPEN_REPARSE_POINT)
}

/// The kind of a file that is not a symbolic link.
#[must_use]
pub fn kind(file: FileType) -> FileKind {
    // Pipes and devices have no ordinary paths: see `names_device`.
    if file.is_dir() { FileKind::Folder } else { FileKind::Regular }
}

/// Whether a path names a device in every folder: `NUL`, `con`, `COM1`, or anything in `\\.\`.
#[must_use]
pub fn names_device(path: &Path) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let is_in_namespace = path.to_string_lossy().starts_with(r"\\.\");
    let Some(name) = path.file_name() else { return is_in_namespace };
    let name = name.to_string_lossy().to_lowercase();
    // Before Windows 11, anything after a dot or a colon is ignored.
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")).unwrap_or_default();
    let is_port = port.len() == 1 && port.bytes().all(|digit| digit.is_ascii_digit());
    is_in_namespace || is_port || DEVICES.contains(&stem)
}

/// Whether two canonical paths are equal, ignoring case.
#[must_use]
pub fn is_same_path(one: &Path, other: &Path) -> bool {
    one.to_string_lossy().to_lowercase() == other.to_string_lossy().to_lowercase()
}

/// The unique identity of a file: volume and file index.
///
/// # Errors
/// If the system call fails.
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    let data = winapi_util::file::information(file)?;
    Ok((data.volume_serial_number(), data.file_index()))
}

/// Whether a path still names an open file.
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    // Request no access, so that locks do not interfere.
    let mut options = OpenOptions::new();
    options.access_mode(0).custom_flags(OPEN_REPARSE_POINT | BACKUP_SEMANTICS);
    let there = options.open(path).and_then(|file| identity(&file)).ok();
    there.is_some() && identity(file).ok() == there
}

/// The number of hard links to a file.
///
/// # Errors
/// If the system call fails.
pub fn links(file: &File) -> io::Result<u64> {
    winapi_util::file::information(file).map(|data| data.number_of_links())
}

/// The permissions to request for a new file: none, because files inherit the permissions of their folder.
#[must_use]
pub const fn new_file_permissions() -> Option<Permissions> {
    None
}

/// Does nothing: a new file inherits the permissions of its folder.
pub const fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Creates a folder, including missing parents. New folders inherit the permissions of the folder that contains them.
///
/// # Errors
/// If the folder cannot be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Checks that a file may be replaced. Nothing needs copying on Windows: both files have the permissions of their
/// folder, and a read-only file cannot be replaced.
///
/// # Errors
/// If the old file is read-only.
pub fn copy_attributes(_new: &File, old: &Metadata) -> io::Result<()> {
    if old.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// Returns `true` immediately: on Windows, writing itself blocks.
///
/// # Errors
/// Never fails.
pub const fn wait_until_writable(_file: &File, _timeout: Option<Duration>) -> io::Result<bool> {
    Ok(true)
}

/// The cause of an error, if it is one of [`ErrorCause`].
#[must_use]
pub fn error_cause(error: &io::Error) -> Option<ErrorCause> {
    const TOO_MANY_OPEN_FILES: i32 = 4;
    const NOT_ENOUGH_MEMORY: i32 = 8;
    const NOT_CONNECTED: i32 = 233;
    const NO_SYSTEM_RESOURCES: i32 = 1450;
    const COMMITMENT_LIMIT: i32 = 1455;
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Some(ErrorCause::BrokenPipe);
    }
    match error.raw_os_error()? {
        NOT_CONNECTED => Some(ErrorCause::BrokenPipe),
        TOO_MANY_OPEN_FILES | NOT_ENOUGH_MEMORY | NO_SYSTEM_RESOURCES | COMMITMENT_LIMIT => {
            Some(ErrorCause::NoResources)
        }
        _ => None,
    }
}

/// Whether a file is executable.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    PROGRAM_EXTENSIONS.contains(&&*extension) && path.is_file()
}
