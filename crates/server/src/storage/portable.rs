//! Exports of a whole database as JSON lines, which can be imported into either kind of database.
//!
//! The first line names the format and the schema version. The last line has the number of rows and a checksum. All other
//! lines are rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write};
use std::path::Path;

use futures_util::future::try_join_all;
use rusqlite::OpenFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use skirmish_store::files::open_named;

use super::backup::{Part, create_in};
use super::folder::DATABASE;
use super::opening::run_in_thread;
use super::postgres::Address;
use super::value::{Value, hex};
use super::{Backend, Backup, BackupError, Place, Result, Row, StorageError, schema, sqlite};
use crate::server::Database;

const FORMAT: &str = "skirmish-export";

/// Maximum length of an imported line. Every valid row is far shorter.
const LONGEST_LINE: u64 = 16 << 20;

/// Maximum number of unacknowledged rows sent to `PostgreSQL`.
const BATCH: usize = 500;

/// Makes `PostgreSQL` continue its numbering after the imported rows.
const SEQUENCES: &str = "DO $$ DECLARE found record; BEGIN
    FOR found IN SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND is_identity = 'YES'
    LOOP
        EXECUTE format('SELECT setval(pg_get_serial_sequence(%1$L, %2$L), coalesce(max(%2$I), 0) + 1, false) FROM %1$I',
            found.table_name, found.column_name);
    END LOOP;
END $$";

/// A line of an export.
#[derive(Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Header {
        format: String,
        schema: i32,
        program: String,
    },
    Row {
        table: String,
        columns: BTreeMap<String, Value>,
    },
    End {
        rows: BTreeMap<String, u64>,
        /// The checksum of all lines before this one.
        sha256: String,
    },
}

/// Returns the tables of a schema version, and their columns, which are the same in both databases.
fn tables(version: usize) -> Result<BTreeMap<String, Vec<String>>> {
    let mut tables = BTreeMap::<String, Vec<String>>::new();
    let model = schema::model(version)?;
    let columns = model.query::<(String, String)>(
        "SELECT list.name, info.name
         FROM pragma_table_list AS list JOIN pragma_table_info(list.name) AS info
         WHERE list.schema = 'main' AND list.name NOT LIKE 'sqlite_%' ORDER BY info.cid",
        vec![],
    );
    for (table, column) in sqlite::ready(columns)? {
        tables.entry(table).or_default().push(column);
    }
    Ok(tables)
}

fn insert(table: &str, names: &[String]) -> String {
    let values: Vec<_> = (1..=names.len()).map(|number| format!("${number}")).collect();
    let (names, values) = (names.join("\", \""), values.join(", "));
    format!("INSERT INTO \"{table}\" (\"{names}\") VALUES ({values})")
}

/// Exports the database, as of one moment, to a new private file. A server may be running. On error, there is no file.
///
/// # Errors
/// If `file` already exists, or the file or the database cannot be used.
pub fn export_to(file: &Path, from: &Database) -> Result<Backup, BackupError> {
    let part = Part::create(file)?;
    let exported = export(file, part.open()?, from)?;
    Ok(Backup { bytes: part.keep(file)?, ..exported })
}

/// Exports the database to `out`, which errors call `name`. The size is not counted.
///
/// # Errors
/// If the output or the database cannot be used.
pub fn export(name: &Path, out: impl Write + Send, from: &Database) -> Result<Backup, BackupError> {
    let mut output = Output { name, out: BufWriter::new(out), hash: Sha256::new() };
    run_in_thread(async || {
        let (backend, schema) = open_snapshot(from).await?;
        Ok(output.write_all(&backend, schema).await?)
    })
}

/// Opens a read-only transaction on a consistent snapshot. Also returns the schema version.
async fn open_snapshot(from: &Database) -> Result<(Backend, usize)> {
    match from {
        Database::Folder(folder) => {
            let path = folder.join(DATABASE);
            let connection = schema::open_for_copying(&path)?;
            connection.execute_batch("BEGIN")?;
            let version = schema::version(&connection, &path)?;
            Ok((Backend::Sqlite(connection), version))
        }
        Database::Postgres(shared) => {
            let address = Address::parse(&shared.database)?;
            let client = address.connect_first().await?;
            let begin = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
                         BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
            client.batch(begin).await?;
            match schema::postgres_version(&client, address.place()).await? {
                0 => Err(StorageError::Missing(address.place().clone())),
                version => Ok((Backend::Postgres(client), version)),
            }
        }
    }
}

/// An export being written.
struct Output<'a, W: Write> {
    name: &'a Path,
    out: BufWriter<W>,
    hash: Sha256,
}

impl<W: Write> Output<'_, W> {
    async fn write_all(&mut self, backend: &Backend, schema: usize) -> Result<Backup> {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let version = i32::try_from(schema).expect("a handful of migrations");
        self.write(&Line::Header { format: FORMAT.to_owned(), schema: version, program })?;
        let mut rows = BTreeMap::new();
        for (table, names) in tables(schema)? {
            // The primary key is among the first two columns, and rows sorted by it are quick to import.
            let select =
                format!("SELECT \"{}\" FROM \"{table}\" ORDER BY 1, 2", names.join("\", \""));
            let mut count = 0;
            let mut read = |row: Row| {
                count += 1;
                let columns = names.iter().cloned().zip(row.into_values()).collect();
                self.write(&Line::Row { table: table.clone(), columns })
            };
            backend.scan(&table, &select, &mut read).await?;
            rows.insert(table, count);
        }
        let exported = Backup { bytes: 0, rooms: rows["room"], events: rows["event"] };
        let sha256 = hex(&self.hash.clone().finalize());
        self.write(&Line::End { rows, sha256 })?;
        self.out.flush().map_err(StorageError::unusable(self.name))?;
        Ok(exported)
    }

    fn write(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_vec(line).expect("a line is valid JSON");
        text.push(b'\n');
        self.hash.update(&text);
        self.out.write_all(&text).map_err(StorageError::unusable(self.name))
    }
}

/// Imports an export into an empty data folder or database, in one transaction, and brings the tables up to date.
///
/// # Errors
/// If a database already exists, or the file is damaged, truncated or newer than this program. Nothing is left behind then.
pub fn import(file: &Path, to: &Database) -> Result<Backup, BackupError> {
    let source = BufReader::new(open_named(file).map_err(BackupError::file(file))?);
    let mut input = Input { file, source, hash: Sha256::new(), number: 0, bytes: 0 };
    let schema = match input.line() {
        Ok(Line::Header { format, schema, .. }) if format == FORMAT && schema > 0 => schema,
        Err(error @ BackupError::File { .. }) => return Err(error),
        Ok(_) | Err(_) => return Err(BackupError::Foreign(file.to_owned())),
    };
    let schema = schema::known(schema, Place::File(file.to_owned()))?;
    match to {
        Database::Folder(folder) => {
            let build = |part: &Part| {
                let connection = sqlite::connect(&part.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
                connection.execute_batch("BEGIN")?;
                run_in_thread(async || input.read_all(&Backend::Sqlite(connection), schema).await)
            };
            create_in(folder, build).map(|(imported, _)| imported)
        }
        Database::Postgres(shared) => run_in_thread(async || {
            let address = Address::parse(&shared.database)?;
            match schema::begin(&address).await? {
                (backend, 0) => input.read_all(&backend, schema).await,
                _ => Err(BackupError::NotEmpty(address.place().clone())),
            }
        }),
    }
}

/// An export being read.
struct Input<'a> {
    file: &'a Path,
    source: BufReader<File>,
    hash: Sha256,
    /// Lines and bytes read so far.
    number: u64,
    bytes: u64,
}

impl Input<'_> {
    async fn read_all(&mut self, backend: &Backend, schema: usize) -> Result<Backup, BackupError> {
        schema::migrate(backend, 0..schema).await?;
        let tables = tables(schema)?;
        let mut rows: BTreeMap<String, u64> = tables.keys().map(|name| (name.clone(), 0)).collect();
        let mut batch = Vec::with_capacity(BATCH);
        let (declared, sha256) = loop {
            let (table, mut columns) = match self.line()? {
                Line::Row { table, columns } => (table, columns),
                Line::End { rows, sha256 } => break (rows, sha256),
                Line::Header { .. } => return Err(self.damaged("a second header")),
            };
            let Some(names) = tables.get(&table) else {
                return Err(self.damaged("no such table"));
            };
            let values: Vec<_> = names.iter().filter_map(|name| columns.remove(name)).collect();
            if values.len() < names.len() || !columns.is_empty() {
                return Err(self.damaged("its table has other columns"));
            }
            batch.push((insert(&table, names), values));
            *rows.entry(table).or_default() += 1;
            if batch.len() == BATCH {
                self.insert(backend, &mut batch).await?;
            }
        };
        self.insert(backend, &mut batch).await?;
        let is_at_end = self.source.fill_buf().is_ok_and(<[u8]>::is_empty);
        if rows != declared || sha256 != hex(&self.hash.clone().finalize()) || !is_at_end {
            return Err(self.damaged("the checksum or the number of rows is wrong"));
        }
        // SQLite needs no statistics: it plans well without them, and would not keep those of an import up to date.
        let is_postgres = matches!(backend, Backend::Postgres(_));
        if is_postgres {
            backend.batch(SEQUENCES).await?;
        }
        schema::migrate(backend, schema..schema::NEWEST).await?;
        // None of these nodes uses the imported database.
        backend.batch("UPDATE node SET departed = TRUE").await?;
        if is_postgres {
            backend.batch("ANALYZE").await?;
        }
        backend.batch("COMMIT").await?;
        Ok(Backup { bytes: self.bytes, rooms: rows["room"], events: rows["event"] })
    }

    async fn insert(
        &self,
        backend: &Backend,
        batch: &mut Vec<(String, Vec<Value>)>,
    ) -> Result<(), BackupError> {
        let inserts =
            batch.drain(..).map(async |(sql, values)| backend.execute(&sql, values).await);
        let inserted = try_join_all(inserts).await.map(drop);
        inserted.map_err(|error| match error {
            StorageError::Constraint(what) | StorageError::Database(what) => {
                BackupError::DamagedExport(what)
            }
            error => BackupError::Storage(error),
        })
    }

    fn line(&mut self) -> Result<Line, BackupError> {
        let mut text = Vec::new();
        let read = self.source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
        self.bytes += read.map_err(BackupError::file(self.file))? as u64;
        self.number += 1;
        if !text.ends_with(b"\n") {
            return Err(self.damaged("the file ends too early"));
        }
        let line = serde_json::from_slice(&text).map_err(|_| self.damaged("malformed"))?;
        if !matches!(line, Line::End { .. }) {
            self.hash.update(&text);
        }
        Ok(line)
    }

    fn damaged(&self, what: &str) -> BackupError {
        BackupError::DamagedExport(format!("line {}: {what}", self.number))
    }
}
