//! JSON reports for the operator of a server.

use super::object::objects;

objects! {
    /// A backup or export that was written or restored.
    pub struct BackupObject {
        file: String = "the file",
        bytes: u64 = "the size of the file or, after `restore`, of the database",
        games: u64 = "the number of games; a match counts once",
        events: u64 = "the number of events in their logs",
    }

    /// The state of an account after a change.
    pub struct AccountObject {
        account: u64 = "its number",
        name: String = "its name",
        registered: bool = "whether the account has a registered name; otherwise it belongs to a guest",
        banned: bool = "whether the account is banned",
        devices: u64 = "the number of devices, including any that were just signed out",
        changed: bool = "whether anything has changed",
    }

    /// The result of a request to close a game.
    pub struct ClosingObject {
        code: String = "its code",
        state: &'static str = "`closed`, `over` if the game was already over, or `later` if no server has closed it yet",
    }

    /// The result of removing abandoned games.
    pub struct PruningObject {
        days: u32 = "the number of days without activity",
        dry_run: bool = "whether the games were only counted",
        games: u64 = "the number of games that were removed, or would be",
        events: u64 = "the number of events in their logs",
    }

    /// The state of a server and its database.
    pub struct StatusObject {
        running: bool = "whether a server is running",
        nodes: Vec<String> = "the addresses of the running servers",
        schema: u64 = "the schema version",
        bytes: u64 = "the size of the database",
        members: u64 = "registered accounts",
        guests: u64 = "accounts of guests",
        banned: u64 = "banned accounts",
        open: u64 = "games waiting for a second player",
        playing: u64 = "games in progress",
        over: u64 = "finished games; a match counts once",
    }
}
