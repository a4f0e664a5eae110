//! Where a server keeps its data, as the command line or the environment says it. Addresses may contain a password: they are
//! not quoted.

use std::env::{self, VarError};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use skirmish_server::{Database, NatsAddress, Shared, StorageError};
use skirmish_store::data_folder;

use crate::args::{DatabaseArgs, ServeArgs};
use crate::exit::usage;

/// The variables that name a database and a NATS server, unless the command line says where the data is.
const DATABASE: &str = "SKIRMISH_DATABASE";
const NATS: &str = "SKIRMISH_NATS";

/// The value of a variable; none if it is empty.
fn variable(name: &str) -> Result<Option<String>> {
    match env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(usage(format!("{name} is not valid UTF-8"))),
    }
}

/// Where a server keeps its data. What the command line says wins over the environment.
pub(crate) fn database(args: &DatabaseArgs) -> Result<Database> {
    if let Some(folder) = &args.data {
        // A mistake would put the password into the name of a folder.
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

/// The same with a NATS server, if there is one.
pub(super) fn with_bus(database: Database, args: &ServeArgs) -> Result<Database> {
    let (name, nats) = match &args.nats {
        Some(url) => ("--nats", Some(url.clone())),
        // The environment may be that of other servers.
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

/// The folder of a server's data.
pub(super) fn folder(given: Option<PathBuf>, name: &str) -> Result<PathBuf> {
    Ok(match given {
        Some(folder) => folder,
        None => data_folder()?.join(name),
    })
}

/// Why a database cannot be used. That its address makes no sense is the command line's fault.
pub(crate) fn unusable(error: &StorageError) -> anyhow::Error {
    match error {
        StorageError::Address { .. } => usage(error),
        // Whoever reads an export may have seen enough of it.
        StorageError::Unusable { source, .. } if source.kind() == ErrorKind::BrokenPipe => {
            io::Error::from(ErrorKind::BrokenPipe).into()
        }
        error => anyhow!("{error}"),
    }
}
