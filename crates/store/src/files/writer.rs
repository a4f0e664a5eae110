//! The one writer for every file that is written as a whole.
//!
//! A regular file is replaced atomically: the new content goes to a draft beside it, which is renamed over the old file
//! and has its mode, owner and group. Other names of the old file (hard links) keep the old content, as backups made of
//! hard links expect. Where replacing would change the owner, or the folder does not permit it, the file is written in
//! place. Symbolic links are followed, so that the link stays. Pipes and devices are written plainly.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_system::files::{
    copy_attributes, is_without_reader, new_file_permissions, nonblocking, sync_folder,
    wait_until_writable,
};
use tempfile::{Builder, NamedTempFile, PersistError};

use super::leftovers::Leftover;
use super::target::{Stream, Target};

/// How the names of drafts begin.
const DRAFT: &str = ".unfinished-";

/// How long a pipe may be full before its reader is given up on.
const READER_PATIENCE: Duration = Duration::from_secs(2);

/// Whether a file was being written when the program was ended.
pub fn is_draft(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DRAFT))
}

/// Replaces a file's content, or makes the file. Even if the machine fails, it holds either the old content or the new.
pub fn replace(path: &Path, text: &str, overwrite: Overwrite) -> io::Result<()> {
    let mut file = OutputFile::create(path, overwrite)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

/// The same for files of which many are written: if the machine fails, though not if the program does, the file may be
/// left empty.
pub fn replace_unsynced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OutputFile::create(path, Overwrite::Allowed)?;
    file.write_all(text.as_bytes())?;
    file.finish(Sync::No)
}

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It may.
    Allowed,
    /// It may not: the error is of the kind `AlreadyExists`. Pipes and devices are written all the same.
    Refused,
}

impl Overwrite {
    /// Allowed if this is true, as for `--force`.
    #[must_use]
    pub const fn if_forced(force: bool) -> Self {
        if force { Self::Allowed } else { Self::Refused }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sync {
    Yes,
    No,
}

/// A file being written. Until it is committed, a regular file stays as it was.
pub struct OutputFile(Form);

enum Form {
    Draft {
        draft: BufWriter<NamedTempFile>,
        path: PathBuf,
        overwrite: Overwrite,
        _leftover: Leftover,
    },
    /// A file that can be written but not replaced, and its new content in a file without a name.
    InPlace {
        file: File,
        draft: BufWriter<File>,
    },
    Stream(BufWriter<Plain>),
}

impl OutputFile {
    /// Finds out whether a file can be created with `create`, as far as that can be known without writing.
    ///
    /// # Errors
    /// If the path leads nowhere or to something that cannot be written, or a file is there that must not be replaced.
    pub fn check(path: &Path, overwrite: Overwrite) -> io::Result<()> {
        let target = Target::resolve(path)?;
        if matches!(target, Target::Regular(..)) && overwrite == Overwrite::Refused {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(())
    }

    /// Begins to write. A pipe that nobody reads from is refused.
    ///
    /// # Errors
    /// As `check`, and if the file or its draft cannot be opened.
    pub fn create(path: &Path, overwrite: Overwrite) -> io::Result<Self> {
        match Target::resolve(path)? {
            Target::New(path) => Self::draft(path, None, overwrite),
            Target::Regular(..) if overwrite == Overwrite::Refused => {
                Err(io::ErrorKind::AlreadyExists.into())
            }
            Target::Regular(path, old) => match Self::draft(path.clone(), Some(&old), overwrite) {
                Err(error) if is_forbidden(&error) => Self::in_place(&path),
                draft => draft,
            },
            Target::Stream(stream) => Ok(Self(Form::Stream(BufWriter::new(Plain::open(&stream)?)))),
        }
    }

    fn draft(path: PathBuf, old: Option<&Metadata>, overwrite: Overwrite) -> io::Result<Self> {
        let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
        let mut builder = Builder::new();
        builder.prefix(DRAFT);
        if let Some(permissions) = new_file_permissions() {
            builder.permissions(permissions);
        }
        let draft = builder.tempfile_in(folder).map_err(without_path)?;
        if let Some(old) = old {
            copy_attributes(draft.as_file(), old)?;
        }
        Ok(Self(Form::Draft {
            _leftover: Leftover::register(draft.path()),
            draft: BufWriter::new(draft),
            path,
            overwrite,
        }))
    }

    fn in_place(path: &Path) -> io::Result<Self> {
        let file = nonblocking(OpenOptions::new().write(true)).open(path)?;
        Ok(Self(Form::InPlace { file, draft: BufWriter::new(tempfile::tempfile()?) }))
    }

    /// Fails, instead of waiting for ever, when a pipe is full and its reader does not read.
    #[must_use]
    pub fn giving_up_on_readers(mut self) -> Self {
        if let Form::Stream(stream) = &mut self.0
            && let Plain::File { patience, .. } = stream.get_mut()
        {
            *patience = Some(READER_PATIENCE);
        }
        self
    }

    /// Puts what was written in its place, and on the disk.
    ///
    /// # Errors
    /// If that fails, or if a file has appeared that must not be replaced.
    pub fn commit(self) -> io::Result<()> {
        self.finish(Sync::Yes)
    }

    fn finish(self, sync: Sync) -> io::Result<()> {
        match self.0 {
            Form::Draft { draft, path, overwrite, _leftover } => {
                let draft =
                    draft.into_inner().map_err(|failed| without_path(failed.into_error()))?;
                if sync == Sync::Yes {
                    // Without this the new name could be left with none of the new content.
                    draft.as_file().sync_data()?;
                }
                persist(draft, &path, overwrite)?;
                if let Some(folder) = path.parent().filter(|_| sync == Sync::Yes) {
                    sync_folder(folder);
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
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Form::Draft { draft, .. } => draft.write(bytes).map_err(without_path),
            Form::InPlace { draft, .. } => draft.write(bytes),
            Form::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Form::Draft { draft, .. } => draft.flush().map_err(without_path),
            Form::InPlace { draft, .. } => draft.flush(),
            Form::Stream(stream) => stream.flush(),
        }
    }
}

/// Renames a draft. Where that is not permitted (somebody else's file in a shared folder such as `/tmp`, a file that is
/// mounted by itself), its content is copied into the file that is there.
fn persist(draft: NamedTempFile, path: &Path, overwrite: Overwrite) -> io::Result<()> {
    if overwrite == Overwrite::Refused {
        return draft.persist_noclobber(path).map(drop).map_err(|failed| failed.error);
    }
    let Err(PersistError { error, file: mut draft }) = draft.persist(path) else { return Ok(()) };
    if !is_forbidden(&error) {
        return Err(error);
    }
    let file = nonblocking(OpenOptions::new().write(true)).open(path)?;
    copy_into(file, draft.as_file_mut())
}

/// Gives a file the content of a draft, in place.
fn copy_into(mut file: File, draft: &mut File) -> io::Result<()> {
    draft.rewind()?;
    let length = io::copy(draft, &mut file)?;
    file.set_len(length)?;
    file.sync_data()
}

/// Whether a file may not be replaced, though perhaps written.
fn is_forbidden(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | ResourceBusy | CrossesDevices)
}

/// Something that is written plainly.
enum Plain {
    StandardOutput,
    StandardError,
    File {
        file: File,
        /// How long to wait for a reader; for ever if there is none.
        patience: Option<Duration>,
    },
}

impl Plain {
    fn open(stream: &Stream) -> io::Result<Self> {
        let path = match stream {
            Stream::StandardOutput => return Ok(Self::StandardOutput),
            Stream::StandardError => return Ok(Self::StandardError),
            Stream::Descriptor(path) | Stream::Pipe(path) | Stream::Device(path) => path,
        };
        // Appending matters to a descriptor of a regular file: what was written there before stays.
        let opened = nonblocking(OpenOptions::new().append(true)).open(path);
        let file = opened.map_err(|error| match stream {
            Stream::Pipe(_) | Stream::Descriptor(_) if is_without_reader(&error) => {
                io::Error::other("nobody reads from this pipe")
            }
            _ => error,
        })?;
        Ok(Self::File { file, patience: None })
    }
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::StandardOutput => io::stdout().write(bytes),
            Self::StandardError => io::stderr().write(bytes),
            Self::File { file, patience } => loop {
                match file.write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        wait_for_reader(file, *patience)?;
                    }
                    written => return written,
                }
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::StandardOutput => io::stdout().flush(),
            Self::StandardError => io::stderr().flush(),
            Self::File { file, .. } => file.flush(),
        }
    }
}

/// Waits until a full pipe has room.
fn wait_for_reader(file: &File, patience: Option<Duration>) -> io::Result<()> {
    if wait_until_writable(file, patience)? {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::TimedOut, "its reader has stopped reading"))
    }
}

/// The cause alone: the name of a temporary file, which `tempfile` adds, would only puzzle the reader.
fn without_path(error: io::Error) -> io::Error {
    let said = error.to_string();
    match said.split_once(" at path \"") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}
