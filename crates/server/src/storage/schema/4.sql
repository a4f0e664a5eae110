-- Names that look alike are the same name: `folded` is how a name looks in lower case, and `looks` how it looks as it is
-- written. An account whose name looks like an older one's keeps its name, and has its id in both columns.
ALTER TABLE account ADD COLUMN looks TEXT;
CREATE UNIQUE INDEX account_looks ON account (looks);
UPDATE account SET folded = '#' || id, looks = '#' || id WHERE folded IS NOT NULL;

-- The name before the operator changed it; null if they have not. A guest cannot undo the operator's change.
ALTER TABLE account ADD COLUMN renamed_from TEXT;

-- A rating is provisional until it comes from several opponents.
ALTER TABLE rating ADD COLUMN opponents INTEGER NOT NULL DEFAULT 0;
UPDATE rating SET opponents =
    (SELECT count(DISTINCT CASE account_1 WHEN rating.account THEN account_2 ELSE account_1 END)
     FROM finished WHERE game = rating.game AND rating_1 IS NOT NULL
        AND rating.account IN (account_1, account_2));

-- Who has aborted rated games lately.
CREATE TABLE aborted (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX aborted_account ON aborted (account, at);

-- The key with which networks are hashed, so that logs contain no addresses. All nodes share it.
CREATE TABLE network_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
) STRICT;
