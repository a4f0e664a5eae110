//! Reports to the operator of a server.

use super::object::objects;

objects! {
    /// A backup or export that was written or restored.
    pub struct BackupObject {
        file: String = "the file",
        bytes: u64 = "its size; after `restore`, that of the database",
        games: u64 = "how many games it holds, matches counted once",
        events: u64 = "how many events their logs have",
    }

    /// An account after a change.
    pub struct AccountObject {
        account: u64 = "its number",
        name: String = "its name",
        registered: bool = "whether it has a name of its own; otherwise it is a guest's",
        banned: bool = "whether it is banned",
        devices: u64 = "how many devices it has, or had before they were signed out",
        changed: bool = "whether anything has changed",
    }

    /// The result of a request to close a game.
    pub struct ClosingObject {
        code: String = "its code",
        state: &'static str = "`closed`, `over` if it was over already, or `later` if no server has closed it yet",
    }

    /// Removed abandoned games.
    pub struct PruningObject {
        days: u32 = "for how many days nobody did anything in them",
        dry_run: bool = "whether they were only counted",
        games: u64 = "how many games were removed, or would be",
        events: u64 = "how many events their logs had",
    }

    /// The contents of a server's database.
    pub struct StatusObject {
        running: bool = "whether a server is running",
        nodes: Vec<String> = "the servers that are running, by address",
        schema: u64 = "the version of the tables",
        bytes: u64 = "the size of the database",
        members: u64 = "registered accounts",
        guests: u64 = "accounts of guests",
        banned: u64 = "banned accounts",
        open: u64 = "games that wait for a second player",
        playing: u64 = "games that are being played",
        over: u64 = "games that are over, matches counted once",
    }
}
