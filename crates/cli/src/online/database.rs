//! Locates a server's data from the command line or the environment. Addresses may contain a password, so errors never
//! quote them.

use std::env::{self, VarError};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use skirmish_server::{Database, NatsAddress, Shared, StorageError};
use skirmish_store::data_folder;

use crate::args::{DatabaseArgs, ServeArgs};
use crate::exit::usage;

/// Environment variables that name a database and a NATS server.
const DATABASE: &str = "SKIRMISH_DATABASE";
const NATS: &str = "SKIRMISH_NATS";

/// The value of an environment variable; `None` if it is empty.
fn variable(name: &str) -> Result<Option<String>> {
    match env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(usage(format!("{name} is not valid UTF-8"))),
    }
}

/// The database of a server. The command line overrides the environment.
pub(crate) fn database(args: &DatabaseArgs) -> Result<Database> {
    if let Some(folder) = &args.data {
        // Otherwise this mistake would create a folder with the password in its name.
        if folder.to_string_lossy().contains("://") {
            return Err(usage(
                "--data: expected a folder; the address of a database is for --database",
            ));
        }
        return Ok(Database::Folder(folder.clone()));
    }
    let database = args.database.clone().map_or_else(|| variable(DATABASE), |url| Ok(Some(url)))?;
    Ok(match database {
        Some(database) => Database::Postgres(Shared { database, nats: None }),
        None => Database::Folder(folder(None, "server")?),
    })
}

/// Adds a NATS server, if one is named.
pub(super) fn with_bus(database: Database, args: &ServeArgs) -> Result<Database> {
    let (name, nats) = match &args.nats {
        Some(url) => ("--nats", Some(url.clone())),
        // With a data folder, the variable may be meant for other servers.
        None if args.database.data.is_some() => (NATS, None),
        None => (NATS, variable(NATS)?),
    };
    let Some(nats) = nats else { return Ok(database) };
    let nats = nats.parse::<NatsAddress>().map_err(|error| usage(format!("{name}: {error}")))?;
    match database {
        Database::Postgres(shared) => Ok(Database::Postgres(Shared { nats: Some(nats), ..shared })),
        Database::Folder(_) => Err(usage(format!(
            "{name}: a server with a data folder is alone: name a database with --database or {DATABASE}, or leave out NATS"
        ))),
    }
}

/// A server's data folder.
pub(super) fn folder(given: Option<PathBuf>, name: &str) -> Result<PathBuf> {
    Ok(match given {
        Some(folder) => folder,
        None => data_folder()?.join(name),
    })
}

/// The error for an unusable database. A malformed address is a usage error.
pub(crate) fn unusable(error: &StorageError) -> anyhow::Error {
    match error {
        StorageError::Address { .. } => usage(error),
        // The reader of an export has closed the pipe.
        StorageError::Unusable { source, .. } if source.kind() == ErrorKind::BrokenPipe => {
            io::Error::from(ErrorKind::BrokenPipe).into()
        }
        error => anyhow!("{error}"),
    }
}
