-- Pairing. `terms` is what a room offers to somebody who seeks a game, null if it offers nothing; `seat` is the creator's.
-- It is `offered` while its creator is there, and nobody else gets it before `claimed`.
ALTER TABLE room ADD COLUMN terms TEXT;
ALTER TABLE room ADD COLUMN seat TEXT;
ALTER TABLE room ADD COLUMN offered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE room ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX room_offered ON room (terms, id) WHERE stage = 'open' AND terms IS NOT NULL;

-- The servers that share the database, and when each was last known to run, by the database's clock.
CREATE TABLE node (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    beat INTEGER NOT NULL
) STRICT;

-- Which node owns a room, null if none does. `epoch` grows whenever it changes hands. A server alone has no leases.
-- If the owner before died, clocks ran until `stopped_until`, when the log had reached `stopped_v`.
CREATE TABLE lease (
    room INTEGER PRIMARY KEY,
    node INTEGER,
    epoch INTEGER NOT NULL,
    stopped_until INTEGER,
    stopped_v INTEGER
) STRICT;
CREATE INDEX lease_node ON lease (node) WHERE node IS NOT NULL;

-- Rooms that were taken from a node that was thought to be gone. It reads this when it is back.
CREATE TABLE lost (
    node INTEGER NOT NULL,
    room INTEGER NOT NULL,
    PRIMARY KEY (node, room)
) STRICT, WITHOUT ROWID;

-- Who may not play here any more, and what they are told; empty if nothing.
CREATE TABLE ban (
    account INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;

-- What the operator asks of running servers, each of which reads it every few seconds. `kind` is `ban`, `revoke` (of one
-- credential or of all), `rename`, `merge` (which a server posts when a guest becomes part of an account) or `close`. The
-- last stays until the game is over, the others for some minutes.
CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    account INTEGER,
    credential BLOB,
    code TEXT
) STRICT;
