//! Migration from nodes that own rooms to appends at an expected version.

use super::super::postgres::Address;
use skirmish_room::Outage;

use super::super::{BackupError, export_to, import, nodes, schema};
use super::home::Schema;
use super::*;
use crate::server::Database;

/// Creates the tables of the older version, with these rows.
async fn older(backend: &Backend, rows: &str) {
    schema::migrate(backend, 0..4).await.expect("older tables");
    backend.batch(rows).await.expect("rows");
}

/// Creates a folder as left by a single server of the older version.
async fn older_folder(rows: &str) -> TempDir {
    let folder = folder();
    let path = folder.path().join("skirmish.db");
    older(&Backend::Sqlite(rusqlite::Connection::open(path).expect("a database")), rows).await;
    folder
}

/// Creates a `PostgreSQL` schema as left by nodes of the older version.
async fn older_schema(schema: &Schema, rows: &str) {
    let address = Address::parse(&schema.url()).expect("an address");
    let (backend, 0) = schema::begin(&address).await.expect("an empty schema") else {
        panic!("it has tables")
    };
    older(&backend, rows).await;
    backend.batch("COMMIT").await.expect("older tables");
}

async fn first_outage(storage: &Storage, now: u64) -> Outage {
    let node = storage.join("one", now).await.expect("a node");
    storage.beat(node, "one", now).await.expect("a heartbeat").outage
}

#[tokio::test]
async fn a_server_alone_goes_on_from_its_last_heartbeat() {
    let folder = older_folder("INSERT INTO heartbeat VALUES (1, 5000)").await;
    let storage = open(&folder);
    assert_eq!(storage.newest(), 5000);
    assert!(storage.nodes().await.expect("nodes").is_empty());
    assert_eq!(first_outage(&storage, 5100).await, Outage { id: 1, began: 5000, ended: 5100 });
    let new = open(&self::folder());
    assert_eq!(first_outage(&new, 5100).await, Outage::default(), "nobody was there before");
}

#[tokio::test]
async fn nodes_go_on_from_the_last_sign_of_life() {
    for (rows, began) in [
        ("INSERT INTO node (name, beat) VALUES ('one', 5000), ('two', 4000)", 5000),
        // The node has departed. A game that it could not pause has stood still since.
        ("INSERT INTO lease (room, epoch, stopped_until) VALUES (1, 1, 6000), (2, 1, NULL)", 6000),
    ] {
        let Some(schema) = Schema::create() else { return };
        older_schema(&schema, rows).await;
        let storage = Storage::connect(&schema.url()).expect("nobody uses it");
        let outage = first_outage(&storage, 0).await;
        assert_eq!((outage.id, outage.began), (1, began));
    }
}

#[tokio::test]
async fn a_database_that_older_nodes_use_is_refused_and_kept() {
    let Some(schema) = Schema::create() else { return };
    let rows = "INSERT INTO node (name, beat) VALUES ('old', 1), ('two', 9000000000000), ('one', 9000000000000)";
    older_schema(&schema, rows).await;
    for connect in [Storage::connect, Storage::connect_to_existing] {
        let error = connect(&schema.url()).expect_err("older nodes use it");
        assert!(matches!(&error, StorageError::OlderNodes(nodes) if nodes == &["one", "two"]));
        let text = error.to_string();
        assert!(text.contains("(one, two): stop all of them, and then start"), "{text}");
    }
    assert_eq!(schema.number("SELECT version FROM skirmish_schema"), 4);
    schema.execute("UPDATE node SET beat = 1");
    let storage = Storage::connect(&schema.url()).expect("nobody uses it any more");
    assert_eq!(schema.number("SELECT version FROM skirmish_schema"), 5);
    assert_eq!(first_outage(&storage, 0).await.began, 1);
}

#[tokio::test]
async fn an_export_of_older_nodes_is_imported_while_they_run() {
    let rows = "INSERT INTO node (name, beat) VALUES ('one', 9000000000000);
                INSERT INTO heartbeat VALUES (1, 5000)";
    let older = older_folder(rows).await;
    let file = older.path().join("export");
    export_to(&file, &Database::Folder(older.path().to_owned())).expect("exported");
    for home in [Some(Home::folder()), Home::schema()].into_iter().flatten() {
        let imported: Result<_, BackupError> = import(&file, &home.database());
        imported.expect("imported");
        let last = home.open().read(nodes::last_beat).await.expect("a time");
        assert_eq!(last, 9_000_000_000_000);
    }
}
