-- Names that look alike are the same name: `folded` is how a name looks in lower case, and `looks` how it looks as it is
-- written. An account whose name looks like an older one's keeps its name, and has its id in both columns.
ALTER TABLE account ADD COLUMN looks TEXT;
CREATE UNIQUE INDEX account_looks ON account (looks);
UPDATE account SET folded = '#' || id, looks = '#' || id WHERE folded IS NOT NULL;

-- The name before the operator changed it; null if they have not. A guest cannot undo the operator's change.
ALTER TABLE account ADD COLUMN renamed_from TEXT;
