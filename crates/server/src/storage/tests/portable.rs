//! Exports, and imports into either kind of database.

use std::io::{self, Write};
use std::path::PathBuf;

use super::super::{BackupError, export, export_to, import, nodes, schema};
use super::games::finished;
use super::*;
use crate::server::Database;

on_both![
    everything_is_imported_and_goes_on,
    an_export_shows_one_moment,
    nothing_is_imported_into_a_database,
    a_damaged_export_leaves_nothing_behind,
    an_older_export_is_brought_up_to_date,
];

/// Adds two accounts with a rated game, a merged guest, and rooms of every kind. Returns Ada and her token.
async fn fill(home: &Home, storage: &Storage) -> (Account, Secret) {
    let token = Secret::token();
    let ada = storage.create_guest("Ada", &token, NOW).await.expect("a guest");
    let registered_ada = storage.register(ada.id, "Ada", &Secret::recovery()).await;
    let ada = registered_ada.expect("registered").expect("a free name");
    let bob = registered(storage, "Bob").await;
    let guest = guest(storage, "Guest").await;
    let mut events = room("ABCDEF", ada.id, bob.id);
    events.push(logged(Some((bob.id, 1)), RoomEvent::Resigned { side: Side::Two }));
    append(storage, "ABCDEF", 0, events).await.expect("appended");
    let seats = Both::new(Some(ada.id), Some(bob.id));
    storage.finish(finished("ABCDEF", 1, seats)).await.expect("finished");
    append(storage, "GHJKLM", 0, room("GHJKLM", guest.id, ada.id)).await.expect("appended");
    // The log of this room cannot be read.
    append(storage, "BROKEN", 0, vec![chose(1, 1)]).await.expect("appended");
    let code = Secret::link();
    storage.create_link(bob.id, &code, NOW).await.expect("a code");
    storage.redeem(&code, &Secret::token(), Some(guest.id), NOW).await.expect("redeemed");
    storage.create_link(ada.id, &Secret::link(), NOW).await.expect("a code");
    let node = storage.join("one", NOW).await.expect("a node");
    home.execute("INSERT INTO outage (began, ended) VALUES (1, 2)");
    home.execute(&format!("UPDATE node SET beat = {NOW}"));
    storage.leave(node).await.expect("left");
    storage.note_due("ABCDEF", Some(NOW)).await.expect("noted");
    (ada, token)
}

/// Creates an export of a database with rows of every kind.
async fn exported(folder: &TempDir) -> PathBuf {
    let home = Home::folder();
    fill(&home, &home.open()).await;
    let file = folder.path().join("export");
    export_to(&file, &home.database()).expect("exported");
    file
}

async fn everything_is_imported_and_goes_on(home: Home) {
    let folder = folder();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let storage = home.open();
    let (ada, token) = fill(&home, &storage).await;
    let logs = async |storage: &Storage| {
        let (one, two) = (storage.log("ABCDEF").await, storage.log("GHJKLM").await);
        (one.expect("a log"), two.expect("a log"))
    };
    let before = logs(&storage).await;
    let history = storage.history(ada.id).await.expect("games");
    let exported = export_to(&first, &home.database()).expect("exported while it is in use");
    assert_eq!((exported.rooms, exported.events), (3, 8));
    assert_eq!(exported.bytes, fs::metadata(&first).expect("a file").len());
    for target in [Home::schema().unwrap_or_else(Home::folder), Home::folder()] {
        assert_eq!(import(&first, &target.database()).expect("imported"), exported);
        export_to(&second, &target.database()).expect("exported");
        assert!(fs::read(&first).expect("a file") == fs::read(&second).expect("a file"));
        fs::remove_file(&second).expect("removed");
        let storage = target.open();
        assert_eq!(logs(&storage).await, before);
        assert_eq!(storage.history(ada.id).await.expect("games"), history);
        let last = storage.read(nodes::last_beat).await.expect("a time");
        assert_eq!(last, NOW);
        let (found, rooms) = storage.sign_in(&token).await.expect("read").expect("an account");
        assert_eq!((found, rooms), (ada.clone(), vec!["ABCDEF".to_owned(), "GHJKLM".to_owned()]));
        // New rows are numbered after the imported ones.
        let carl = guest(&storage, "Carl").await;
        assert_eq!(carl.id, 4);
        append(&storage, "GHJKLM", 3, vec![chose(carl.id, 1)]).await.expect("appended");
        append(&storage, "NEWEST", 0, room("NEWEST", carl.id, ada.id)).await.expect("appended");
        storage.finish(finished("GHJKLM", 1, Both::default())).await.expect("finished");
    }
}

/// An output that adds a room to the database while the export is being written.
struct Disturbed<'a> {
    home: &'a Home,
    text: Vec<u8>,
}

impl Write for Disturbed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.is_empty() {
            self.home.execute(
                "INSERT INTO room (code, stage, public, watchable) VALUES ('LATER', 'over', '1', '1')",
            );
        }
        self.text.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn an_export_shows_one_moment(home: Home) {
    let storage = home.open();
    let moves = (0..200).map(|id| chose(1, id)).collect();
    append(&storage, "ABCDEF", 0, moves).await.expect("appended");
    let mut out = Disturbed { home: &home, text: Vec::new() };
    let exported = export("out".as_ref(), &mut out, &home.database()).expect("exported");
    assert_eq!((exported.rooms, exported.events), (1, 200));
    assert!(!String::from_utf8(out.text).expect("JSON").contains("LATER"));
    assert!(storage.exists("LATER").await.expect("read"));
}

async fn nothing_is_imported_into_a_database(home: Home) {
    let folder = folder();
    let file = exported(&folder).await;
    let storage = home.open();
    for _ in 0..2 {
        let refused = import(&file, &home.database()).expect_err("it is not empty");
        assert!(
            refused.to_string().contains(match (&home, &refused) {
                (Home::Folder(_), BackupError::Storage(_)) => "is in use by another server",
                _ => "already has Skirmish data: choose an empty d",
            }),
            "{refused}"
        );
        storage.clone().close().await;
    }
    assert!(unfinished(&home.open()).await.is_empty());
}

async fn a_damaged_export_leaves_nothing_behind(home: Home) {
    let folder = folder();
    let file = exported(&folder).await;
    let whole = fs::read_to_string(&file).expect("JSON");
    let end = whole.rfind("{\"type\":\"end\"").expect("the last line");
    let account = whole.find("{\"type\":\"row\",\"table\":\"account\"").expect("an account");
    let next = account + whole[account..].find('\n').expect("a line") + 1;
    let damage = [
        (String::new(), "is not a backup"),
        ("Dear diary\n".to_owned(), "is not a backup"),
        (whole[account..].to_owned(), "is not a backup"),
        (whole.replacen("skirmish-export", "other-export", 1), "is not a backup"),
        (whole.replacen("\"schema\":", "\"schema\":9", 1), "written by a newer version"),
        (whole.replacen("\"schema\":", "\"schema\":-", 1), "is not a backup"),
        (whole[..next].to_owned(), "the export is damaged or incomplete: line "),
        (whole[..end].to_owned(), "ends too early"),
        (whole[..whole.len() - 1].to_owned(), "ends too early"),
        (whole[..account].to_owned() + &whole[next..], "checksum"),
        (whole.replacen("\"Ada\"", "\"Eve\"", 1), "checksum"),
        (whole.clone() + "\n", "checksum"),
        (whole[..next].to_owned() + &whole[account..], "UNIQUE|unique"),
        (whole.replacen("\"table\":\"account\"", "\"table\":\"acount\"", 1), "no such table"),
        (whole.replacen("\"name\"", "\"nom\"", 1), "has other columns"),
        (whole.replacen("\"name\"", "\"more\":1,\"name\"", 1), "has other columns"),
        (
            whole.replacen("\"created\":1000000", "\"created\":\"tomorrow\"", 1),
            "cannot store TEXT|cannot convert",
        ),
        (whole.replacen("{\"hex\":\"", "{\"hex\":\"x", 1), "malformed"),
    ];
    for (text, expected) in damage {
        assert_ne!(text, whole, "{expected}");
        fs::write(&file, text).expect("a file");
        let refused = import(&file, &home.database()).expect_err(expected).to_string();
        assert!(expected.split('|').any(|part| refused.contains(part)), "{expected}: {refused}");
    }
    fs::write(&file, whole).expect("a file");
    import(&file, &home.database()).expect("nothing is in the way");
    let deep = folder.path().join("one/two");
    fs::write(&file, "Dear diary").expect("a file");
    import(&file, &Database::Folder(deep)).expect_err("it is not ours");
    assert!(!folder.path().join("one").exists());
}

async fn an_older_export_is_brought_up_to_date(home: Home) {
    let folder = folder();
    let path = folder.path().join("skirmish.db");
    let old = Backend::Sqlite(rusqlite::Connection::open(path).expect("a database"));
    let insert = "INSERT INTO account (name, folded, created) VALUES ('Ann', 'ann', 1)";
    schema::migrate(&old, 0..3).await.expect("older tables");
    old.batch(insert).await.expect("an account");
    let file = folder.path().join("export");
    export_to(&file, &Database::Folder(folder.path().to_owned())).expect("exported");
    import(&file, &home.database()).expect("imported");
    assert!(home.open().is_taken("\u{410}nn").await.expect("read"), "it looks like Ann");
}
