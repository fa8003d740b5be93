-- Deletes the renditions of an asset and leaves their objects to the cleanup. It is one statement, so that an object
-- never has neither.
WITH gone AS (
	DELETE FROM media_rendition WHERE media_id = @id RETURNING object_key
)
INSERT INTO loose_object (key, delete_after)
SELECT object_key, now() + CAST(@after AS float8) * interval '1 second' FROM gone
ON CONFLICT (key) DO UPDATE SET delete_after = excluded.delete_after
RETURNING key
