//! Writes whole files; every file that is written as a whole goes through this module.
//!
//! A regular file is replaced atomically: the new content goes to a draft beside it, which takes on the old file's
//! mode, owner and group and is then renamed over it. Other hard links to the old file keep the old content, as backups
//! made of hard links expect. If replacing would change the owner, or the folder does not permit it, the file is
//! written in place, unless it has other hard links. Symbolic links are followed, so the link itself remains. Pipes and
//! devices are written to directly.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_system::files::{
    copy_attributes, new_file_permissions, nonblocking, nonblocking_no_follow, wait_until_writable,
};
use skirmish_system::{ErrorCause, OpenFolder, error_cause, unlinked_file};
use tempfile::{Builder, NamedTempFile, PersistError};

use super::leftovers::Leftover;
use super::target::{Stream, Target};

/// The prefix of draft file names.
const DRAFT: &str = ".unfinished-";

/// How long a pipe may stay full before writing fails.
const READER_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a file is a draft, possibly left behind by a program that was killed.
#[must_use]
pub fn is_draft(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DRAFT))
}

/// Checks that files can be created in a folder, by creating one and removing it immediately.
///
/// # Errors
/// If files cannot be created.
pub fn check_writable(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

/// Replaces or creates a file. Even after a power failure it holds either the old content or the new.
///
/// # Errors
/// If the file cannot be written or must not be replaced.
pub fn replace(path: &Path, text: &str, overwrite: Overwrite) -> io::Result<()> {
    let mut file = OutputFile::create(path, overwrite)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

/// Creates a file in an untrusted folder, without following links or replacing files. The file is not synced: it may be
/// empty after a power failure, though not after a crash of the program.
///
/// # Errors
/// If the name is taken, or the file cannot be written.
pub fn create_in(folder: &OpenFolder, name: &str, text: &str) -> io::Result<File> {
    let draft = format!("{DRAFT}{name}");
    let mut file = folder.create_new(&draft)?;
    let _leftover = Leftover::register(&folder.path().join(&draft));
    let written = file.write_all(text.as_bytes()).and_then(|()| folder.rename(&draft, name));
    if written.is_err() {
        // A draft that cannot be removed is harmless.
        drop(folder.remove(&draft));
    }
    written.map(|()| file)
}

/// Like `replace`, but for a secret: on Unix, only the owner may read or write the file, whatever its previous mode.
///
/// # Errors
/// If the file cannot be replaced.
pub fn replace_private(path: &Path, text: &str) -> io::Result<()> {
    let path = match Target::resolve(path)? {
        Target::New(path) | Target::Regular(path, _) => path,
        Target::Stream(_) => return Err(io::Error::other("it is not a regular file")),
    };
    let mut file = OutputFile::private_draft(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// An existing file may be replaced.
    Allowed,
    /// An existing file is an error of the kind `AlreadyExists`. Pipes and devices are still written to.
    Refused,
}

impl Overwrite {
    /// `Allowed` if `force` is set, as by `--force`.
    #[must_use]
    pub const fn if_forced(force: bool) -> Self {
        if force { Self::Allowed } else { Self::Refused }
    }
}

/// A file being written. A regular file changes only on `commit`.
pub struct OutputFile(Form);

enum Form {
    Draft {
        draft: BufWriter<NamedTempFile>,
        path: PathBuf,
        overwrite: Overwrite,
        _leftover: Leftover,
    },
    /// A file that can be written but not replaced; its new content is kept in an unnamed temporary file.
    InPlace {
        file: File,
        draft: BufWriter<File>,
    },
    Stream(BufWriter<Box<dyn Write + Send>>),
}

impl OutputFile {
    /// Checks whether `create` would succeed, as far as this can be known without writing.
    ///
    /// # Errors
    /// If the path's target cannot be written, or is an existing file that must not be replaced.
    pub fn check(path: &Path, overwrite: Overwrite) -> io::Result<()> {
        let target = Target::resolve(path)?;
        if matches!(target, Target::Regular(..)) && overwrite == Overwrite::Refused {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(())
    }

    /// Opens a file for writing. Rejects a pipe without a reader.
    ///
    /// # Errors
    /// As for `check`, and if the file or its draft cannot be opened.
    pub fn create(path: &Path, overwrite: Overwrite) -> io::Result<Self> {
        Self::open(path, overwrite, None)
    }

    /// Like `create`, but writing times out while a pipe stays full, instead of blocking forever.
    ///
    /// # Errors
    /// As for `create`.
    pub fn create_with_timeout(path: &Path, overwrite: Overwrite) -> io::Result<Self> {
        Self::open(path, overwrite, Some(READER_TIMEOUT))
    }

    fn open(path: &Path, overwrite: Overwrite, timeout: Option<Duration>) -> io::Result<Self> {
        match Target::resolve(path)? {
            Target::New(path) => Self::draft(path, None, overwrite),
            Target::Regular(..) if overwrite == Overwrite::Refused => {
                Err(io::ErrorKind::AlreadyExists.into())
            }
            Target::Regular(path, old) => match Self::draft(path.clone(), Some(&old), overwrite) {
                Err(error) if is_forbidden(&error) => Self::in_place(&path),
                draft => draft,
            },
            Target::Stream(stream) => {
                Ok(Self(Form::Stream(BufWriter::new(open_stream(&stream, timeout)?))))
            }
        }
    }

    fn draft(path: PathBuf, old: Option<&Metadata>, overwrite: Overwrite) -> io::Result<Self> {
        let mut builder = Builder::new();
        if let Some(permissions) = new_file_permissions() {
            builder.permissions(permissions);
        }
        let draft = draft_beside(&path, &mut builder)?;
        if let Some(old) = old {
            copy_attributes(draft.as_file(), old)?;
        }
        Ok(Self::drafted(draft, path, overwrite))
    }

    /// A draft with the mode of temporary files, which only the owner can read.
    fn private_draft(path: PathBuf) -> io::Result<Self> {
        let draft = draft_beside(&path, &mut Builder::new())?;
        Ok(Self::drafted(draft, path, Overwrite::Allowed))
    }

    fn drafted(draft: NamedTempFile, path: PathBuf, overwrite: Overwrite) -> Self {
        let leftover = Leftover::register(draft.path());
        Self(Form::Draft { draft: BufWriter::new(draft), path, overwrite, _leftover: leftover })
    }

    fn in_place(path: &Path) -> io::Result<Self> {
        let file = open_in_place(path)?;
        Ok(Self(Form::InPlace { file, draft: BufWriter::new(tempfile::tempfile()?) }))
    }

    /// Moves the written content into place and syncs it to disk.
    ///
    /// # Errors
    /// If the file cannot be written, or a file that must not be replaced has appeared in the meantime.
    pub fn commit(self) -> io::Result<()> {
        match self.0 {
            Form::Draft { draft, path, overwrite, _leftover } => {
                let draft =
                    draft.into_inner().map_err(|failed| without_path(failed.into_error()))?;
                // Without fsync, a power failure could leave the new name with empty content.
                draft.as_file().sync_data()?;
                persist(draft, &path, overwrite)?;
                // Windows syncs directory entries itself, and does not allow opening a folder this way.
                if let Some(folder) = path.parent()
                    && let Ok(folder) = File::open(folder)
                {
                    drop(folder.sync_all());
                }
                Ok(())
            }
            Form::InPlace { file, draft } => {
                let mut draft = draft.into_inner().map_err(io::IntoInnerError::into_error)?;
                copy_into(file, &mut draft)
            }
            Form::Stream(mut stream) => stream.flush(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Form::Draft { draft, .. } => draft,
            Form::InPlace { draft, .. } => draft,
            Form::Stream(stream) => stream,
        }
    }
}

fn draft_beside(path: &Path, builder: &mut Builder) -> io::Result<NamedTempFile> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    builder.prefix(DRAFT).tempfile_in(folder).map_err(without_path)
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes).map_err(without_path)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush().map_err(without_path)
    }
}

/// Renames a draft to its final path. If this is not permitted (another user's file in a sticky folder such as `/tmp`,
/// a bind-mounted file), copies its content into the existing file.
fn persist(draft: NamedTempFile, path: &Path, overwrite: Overwrite) -> io::Result<()> {
    if overwrite == Overwrite::Refused {
        return draft.persist_noclobber(path).map(drop).map_err(|failed| failed.error);
    }
    let Err(PersistError { error, file: mut draft }) = draft.persist(path) else { return Ok(()) };
    if !is_forbidden(&error) {
        return Err(error);
    }
    copy_into(open_in_place(path)?, draft.as_file_mut())
}

/// Opens a file to write it in place. The caller has resolved symbolic links: in a folder that others can write to, a
/// link that has appeared since, or another hard link to the file, may be an attack.
pub(super) fn open_in_place(path: &Path) -> io::Result<File> {
    unlinked_file(nonblocking_no_follow(OpenOptions::new().write(true)).open(path)?)
}

/// Copies a draft's content into an existing file, in place.
fn copy_into(mut file: File, draft: &mut File) -> io::Result<()> {
    draft.rewind()?;
    let length = io::copy(draft, &mut file)?;
    file.set_len(length)?;
    file.sync_data()
}

/// Whether replacing a file failed for a reason that may still permit writing it in place.
fn is_forbidden(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | ResourceBusy | CrossesDevices)
}

/// Opens a target that is written to directly.
fn open_stream(stream: &Stream, timeout: Option<Duration>) -> io::Result<Box<dyn Write + Send>> {
    let path = match stream {
        Stream::StandardOutput => return Ok(Box::new(io::stdout())),
        Stream::StandardError => return Ok(Box::new(io::stderr())),
        Stream::Descriptor(path) | Stream::Pipe(path) | Stream::Device(path) => path,
    };
    // Append, so that a regular file behind a descriptor keeps its content.
    let opened = nonblocking(OpenOptions::new().append(true)).open(path);
    let file = opened.map_err(|error| match stream {
        Stream::Pipe(_) | Stream::Descriptor(_)
            if error_cause(&error) == Some(ErrorCause::NoReader) =>
        {
            io::Error::other("no process reads from this pipe")
        }
        _ => error,
    })?;
    Ok(Box::new(Waiting { file, timeout }))
}

/// A pipe or device. Writing to it waits while it is full.
struct Waiting {
    file: File,
    /// How long a write may block; forever if `None`.
    timeout: Option<Duration>,
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !wait_until_writable(&self.file, self.timeout)? {
                        let why = "its reader has stopped reading";
                        return Err(io::Error::new(io::ErrorKind::TimedOut, why));
                    }
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Removes the temporary file's path, which `tempfile` adds and which would only confuse users.
fn without_path(error: io::Error) -> io::Error {
    let message = error.to_string();
    match message.split_once(" at path \"") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}
