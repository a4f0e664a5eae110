//! Resolves a path through symbolic links to the target that is finally written.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use skirmish_system::FileKind;
use skirmish_system::files::{canonical, is_same_path, kind, names_device, nonblocking};

/// Maximum number of symbolic links to follow, as in Linux.
const MOST_LINKS: usize = 40;

/// The path that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// The target that a path resolves to.
#[derive(Debug)]
pub(super) enum Target {
    /// No file exists yet, but its folder does.
    New(PathBuf),
    Regular(PathBuf, Box<Metadata>),
    Stream(Stream),
}

/// A target that is written to directly, because it cannot be replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stream {
    StandardOutput,
    StandardError,
    /// A file that some process has open, such as `/dev/fd/3`.
    Descriptor(PathBuf),
    Pipe(PathBuf),
    Device(PathBuf),
}

/// The kind of target that a path resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// No file exists yet.
    New,
    /// A regular file.
    File,
    /// Standard output: `-`, or `/dev/stdout` and the like.
    StandardOutput,
    /// A terminal.
    Terminal,
    /// A writable pipe or device.
    Stream,
}

impl PathKind {
    /// The kind of target that `path` resolves to.
    ///
    /// # Errors
    /// If the target cannot be written: its folder is missing, links form a loop, or the target is a folder, a socket
    /// or a block device.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(match Target::resolve(path)? {
            Target::New(_) => Self::New,
            Target::Regular(..) => Self::File,
            Target::Stream(Stream::StandardOutput) => Self::StandardOutput,
            Target::Stream(Stream::StandardError) if io::stderr().is_terminal() => Self::Terminal,
            Target::Stream(Stream::Device(path)) if is_terminal(&path) => Self::Terminal,
            Target::Stream(_) => Self::Stream,
        })
    }
}

impl Target {
    pub(super) fn resolve(given: &Path) -> io::Result<Self> {
        if given == Path::new(STANDARD_OUTPUT) {
            return Ok(Self::Stream(Stream::StandardOutput));
        }
        if names_device(given) {
            return Ok(Self::Stream(Stream::Device(given.to_owned())));
        }
        let mut path = given.to_owned();
        for _ in 0..MOST_LINKS {
            if names_folder(&path) && !fs::metadata(&path)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            let Some(name) = path.file_name() else { return Self::of(path) };
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let folder = canonical(folder.unwrap_or(Path::new(".")))?;
            path = folder.join(name);
            if let Some(stream) = descriptor(&path) {
                return Ok(Self::Stream(stream));
            }
            match fs::read_link(&path) {
                Ok(link) => path = folder.join(link),
                Err(_) => return Self::of(path),
            }
        }
        // The system has a similar limit; prefer its own error message.
        fs::metadata(given).and(Err(io::Error::other("too many levels of symbolic links")))
    }

    /// The target of a path that is not a symbolic link.
    fn of(path: PathBuf) -> io::Result<Self> {
        let data = match fs::symlink_metadata(&path) {
            Ok(data) => data,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::New(path)),
            Err(error) => return Err(error),
        };
        match kind(data.file_type()) {
            FileKind::Regular => Ok(Self::Regular(path, Box::new(data))),
            FileKind::Pipe => Ok(Self::Stream(Stream::Pipe(path))),
            FileKind::Device => Ok(Self::Stream(Stream::Device(path))),
            FileKind::Folder => Err(io::ErrorKind::IsADirectory.into()),
            FileKind::Socket => Err(io::Error::other("it is a socket")),
            FileKind::BlockDevice => Err(io::Error::other("it is a block device")),
        }
    }

    /// The path of the file, whether or not it exists; `None` for a stream.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::New(path) | Self::Regular(path, _) => Some(path),
            Self::Stream(_) => None,
        }
    }
}

/// Whether a path can only name a folder: `x/` or `x/.`
fn names_folder(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.strip_suffix('.').unwrap_or(&path).ends_with(std::path::is_separator)
}

fn is_terminal(device: &Path) -> bool {
    let opened = nonblocking(OpenOptions::new().read(true)).open(device);
    opened.is_ok_and(|file| file.is_terminal())
}

/// The open file that a path in `/proc` stands for. Such links must not be followed by name: the file may have been
/// renamed or removed, and replacing it would leave the process that has it open with the old file.
fn descriptor(path: &Path) -> Option<Stream> {
    let (folder, number) = (path.parent()?, path.file_name()?.to_str()?);
    let process = folder.strip_prefix("/proc").ok()?.components().next()?.as_os_str().to_str()?;
    if !folder.ends_with("fd") {
        return None;
    }
    let is_ours = process.parse() == Ok(std::process::id());
    Some(match number {
        "1" if is_ours => Stream::StandardOutput,
        "2" if is_ours => Stream::StandardError,
        _ => Stream::Descriptor(path.to_owned()),
    })
}

/// Whether two paths resolve to the same file, whether or not it exists.
#[must_use]
pub fn same_file(one: &Path, other: &Path) -> bool {
    let file = |path| Target::resolve(path).ok()?.file().map(Path::to_owned);
    file(one).zip(file(other)).is_some_and(|(one, other)| is_same_path(&one, &other))
}
