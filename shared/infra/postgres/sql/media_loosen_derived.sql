-- Leaves the derived objects of an earlier inspection to the cleanup. It is one statement, so that their keys are
-- read and registered in one snapshot.
INSERT INTO loose_object (key, delete_after)
SELECT k, now() + interval '1 day' FROM media, unnest(ARRAY[published_key, thumbnail_key]) AS k
WHERE workspace_id = @workspace AND id = @id AND processed_at IS NULL AND k <> object_key
ON CONFLICT DO NOTHING
