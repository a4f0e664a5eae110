-- Nobody owns a room any more: the log decides. The last heartbeat of the server alone becomes that of a node that has
-- left, so that the first node to join stores an outage from then on.
ALTER TABLE node ADD COLUMN departed INTEGER NOT NULL DEFAULT 0;
INSERT INTO node (name, beat, departed)
    SELECT '', last, 1 FROM
        (SELECT max(at) AS last FROM
            (SELECT at FROM heartbeat UNION ALL SELECT stopped_until FROM lease) AS times) AS times
    WHERE last IS NOT NULL;
DROP TABLE heartbeat;
DROP TABLE lease;
DROP TABLE lost;

-- Times in which no node wrote a heartbeat: no clock ran.
CREATE TABLE outage (
    id INTEGER PRIMARY KEY,
    began INTEGER NOT NULL,
    ended INTEGER NOT NULL
) STRICT;

-- When something is due in a room even if nobody does anything.
ALTER TABLE room ADD COLUMN due INTEGER;
CREATE INDEX room_due ON room (due) WHERE stage <> 'over' AND due IS NOT NULL;
