-- Somebody's games that are not over are found without looking at all the others.
CREATE INDEX room_unfinished_1 ON room (account_1) WHERE stage <> 'over';
CREATE INDEX room_unfinished_2 ON room (account_2) WHERE stage <> 'over';
