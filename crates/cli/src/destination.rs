//! The output files of `--table`, `--svg`, `--annotate` and `--record`.

use std::io;
use std::path::Path;

use anyhow::{Result, anyhow};
use skirmish_store::{OutputFile, Overwrite, PathKind, StoreError};

use crate::exit::usage;
use crate::output;

/// An output file, checked before the work begins.
pub(crate) struct Destination<'a> {
    pub(crate) path: &'a Path,
    pub(crate) overwrite: Overwrite,
    is_standard_output: bool,
}

impl<'a> Destination<'a> {
    /// The file that an option names. Nothing is replaced without `--force`.
    pub(crate) fn of(option: &str, path: &'a Path, force: bool, json: bool) -> Result<Self> {
        let kind = PathKind::of(path).map_err(|cause| failed(path, cause))?;
        let is_standard_output = kind == PathKind::StandardOutput;
        if is_standard_output && json {
            return Err(usage(format!(
                "{option} and --json cannot both write to standard output: name a file for {option}"
            )));
        }
        Ok(Self { path, overwrite: Overwrite::if_forced(force), is_standard_output })
    }

    /// Fails if the file cannot be written.
    pub(crate) fn check(&self) -> Result<()> {
        OutputFile::check(self.path, self.overwrite).map_err(|cause| failed(self.path, cause))
    }

    /// Whether this is standard output, so that everything else must go to standard error.
    pub(crate) const fn is_standard_output(&self) -> bool {
        self.is_standard_output
    }

    /// Writes the file.
    pub(crate) fn write(
        &self,
        content: impl FnOnce(&mut OutputFile) -> io::Result<()>,
    ) -> Result<()> {
        let written = OutputFile::create(self.path, self.overwrite).and_then(|mut file| {
            content(&mut file)?;
            file.commit()
        });
        written.map_err(|cause| failed(self.path, cause))
    }
}

/// Prints a text to standard output, or to standard error if `file` is standard output.
pub(crate) fn print_beside(file: Option<&Destination>, text: &str) -> io::Result<()> {
    if file.is_some_and(|file| file.is_standard_output) {
        output::eprint_line(text);
        return Ok(());
    }
    output::print_line(text)
}

fn failed(path: &Path, cause: io::Error) -> anyhow::Error {
    if cause.kind() == io::ErrorKind::AlreadyExists {
        return exists(path);
    }
    anyhow::Error::new(cause).context(format!("cannot write {}", path.display()))
}

fn exists(path: &Path) -> anyhow::Error {
    anyhow!("{} exists already: choose another name, or use --force to replace it", path.display())
}

/// Advises `--force` in the error for a file that exists already.
pub(crate) fn forceable(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Exists(path) => exists(&path),
        other => other.into(),
    }
}
