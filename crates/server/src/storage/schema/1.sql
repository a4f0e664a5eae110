-- When the server last wrote that it is running. Clocks ran until then.
CREATE TABLE heartbeat (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;

-- The rooms, with what lists of them need, so that no log has to be folded for that. The creator is
-- `account_1`; `finished` is the number of the last game that the table of that name has.
CREATE TABLE room (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    stage TEXT NOT NULL CHECK (stage IN ('open', 'playing', 'over')),
    public INTEGER NOT NULL,
    watchable INTEGER NOT NULL,
    account_1 INTEGER,
    account_2 INTEGER,
    finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX room_unfinished ON room (id) WHERE stage <> 'over';
CREATE INDEX room_account_1 ON room (account_1);
CREATE INDEX room_account_2 ON room (account_2);

-- The log: the truth about every room. `body` is an event as JSON. `account` and `message` name the message that led to
-- the event, in the first event of that message only. Rooms that are played at the same time have neighbouring ids, so that
-- a commit changes few pages.
CREATE TABLE event (
    room INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    account INTEGER,
    message TEXT,
    PRIMARY KEY (room, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX event_message ON event (room, account, message) WHERE message IS NOT NULL;

-- `folded` is the name in lower case; it and `recovery` (a hash) are null for guests. An account that was merged stands
-- for the other one wherever a log names it.
CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    folded TEXT UNIQUE,
    recovery BLOB UNIQUE,
    created INTEGER NOT NULL,
    merged_into INTEGER
) STRICT;
CREATE INDEX account_merged ON account (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE credential (
    hash BLOB PRIMARY KEY,
    account INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_account ON credential (account);

CREATE TABLE link (
    account INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    expires INTEGER NOT NULL
) STRICT;

-- Finished games. The ratings are those after the game, null if it was not rated.
CREATE TABLE finished (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    number INTEGER NOT NULL,
    game TEXT NOT NULL,
    name_1 TEXT NOT NULL,
    name_2 TEXT NOT NULL,
    account_1 INTEGER,
    account_2 INTEGER,
    result TEXT NOT NULL,
    termination TEXT NOT NULL,
    date TEXT,
    rating_1 REAL,
    rating_2 REAL
) STRICT;
CREATE INDEX finished_account_1 ON finished (account_1);
CREATE INDEX finished_account_2 ON finished (account_2);

CREATE TABLE rating (
    account INTEGER NOT NULL,
    game TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (account, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_best ON rating (game, rating);
