-- The name before the operator changed it, null if they have not. Guests do not change the operator's choice.
ALTER TABLE account ADD COLUMN renamed_from TEXT;
