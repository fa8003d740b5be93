-- Stores the references of an owner to the assets that its workspace has. The caller compares the number of rows with
-- the number of assets. It is one statement, so that the check of the workspace and the references are one step. An
-- existing reference comes from a concurrent request.
INSERT INTO media_reference (media_id, workspace_id, owner_type, owner_id, label)
SELECT id, workspace_id, CAST(@type AS text), CAST(@owner AS uuid), CAST(@label AS text) FROM media
WHERE workspace_id = @workspace AND id = ANY(CAST(@ids AS uuid[]))
ON CONFLICT (owner_type, owner_id, media_id) DO UPDATE SET label = excluded.label
