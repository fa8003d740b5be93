-- Creates the key of a day, or reads it. It is one statement, because every process must get the same key. The update
-- changes nothing; without it, an existing row would not be returned.
INSERT INTO link_visit_salt (day, salt) VALUES (CAST(@day AS date), @salt)
ON CONFLICT (day) DO UPDATE SET day = excluded.day RETURNING salt
