//! The user's identity on a server: a secret token, in a file that only its owner can read.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use skirmish_store::{data_folder, files};

use super::address::ServerAddress;

/// Maximum number of bytes read from a file.
const LARGEST: u64 = 4096;

/// The file with the last server, in the folder of tokens.
const LAST: &str = "last";

/// The file with the name of this device, in the folder of tokens.
const DEVICE: &str = "device";

/// The user's identity on a server.
#[derive(Clone)]
pub(crate) struct Identity {
    file: Option<PathBuf>,
    /// The server that the token is for.
    server: String,
    /// A warning for the user.
    trouble: Arc<Mutex<Option<String>>>,
}

impl Identity {
    /// The identity on a server.
    pub(crate) fn on(address: &ServerAddress) -> Self {
        let server = address.to_string();
        let safe = |letter: char| {
            if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '_' }
        };
        let name: String = server.chars().map(safe).collect();
        let file = folder().ok().map(|folder| folder.join(name));
        Self { file, server, trouble: Arc::default() }
    }

    /// The identity on this program's own server. Its address may change, so the token is in its data folder.
    pub(crate) fn within(data: &Path) -> Self {
        let server = "this server".to_owned();
        Self { file: Some(data.join("host.token")), server, trouble: Arc::default() }
    }

    /// The token, if there is one.
    pub(crate) fn token(&self) -> Option<String> {
        let text = files::read_text(self.file.as_deref()?, LARGEST).ok()?;
        let (server, token) = text.split_once('\n')?;
        let token = token.trim();
        // Different addresses can lead to the same file name, but no server may get another's token.
        (server == self.server && !token.is_empty()).then(|| token.to_owned())
    }

    /// Stores the token.
    pub(crate) fn keep(&self, token: &str) {
        let stored = match &self.file {
            Some(file) => store(file, &format!("{}\n{token}\n", self.server)),
            None => Err(io::Error::other("set HOME or XDG_DATA_HOME")),
        };
        if let Err(error) = stored {
            self.warn(format!(
                "Your identity on {} cannot be stored ({error}): once you leave, you cannot return to your seat.",
                self.server
            ));
        }
    }

    /// Warns the user that the server does not know the token.
    pub(crate) fn is_unknown(&self) {
        self.warn(format!(
            "You are a new guest: {} no longer recognises this device.",
            self.server
        ));
    }

    fn warn(&self, text: String) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// Takes the warning for the user.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Remembers a server for `join CODE`. Failures are ignored: the user can type the address again.
pub(crate) fn remember(address: &ServerAddress) {
    if let Ok(folder) = folder() {
        drop(store(&folder.join(LAST), &format!("{address}\n")));
    }
}

/// The last server.
pub(crate) fn last() -> Option<ServerAddress> {
    files::read_text(&folder().ok()?.join(LAST), LARGEST).ok()?.trim().parse().ok()
}

/// A random identifier of this device, created on first use. `None` if it cannot be stored.
pub(crate) fn device() -> Option<String> {
    let file = folder().ok()?.join(DEVICE);
    if let Ok(text) = files::read_text(&file, LARGEST) {
        return Some(text.trim().to_owned());
    }
    // Not a secret, but hard to guess.
    let part = || RandomState::new().build_hasher().finish();
    let text = format!("{:016x}{:016x}", part(), part());
    store(&file, &format!("{text}\n")).ok().map(|()| text)
}

fn folder() -> io::Result<PathBuf> {
    data_folder().map(|folder| folder.join("servers")).map_err(io::Error::other)
}

fn store(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    files::replace_private(file, text)
}
