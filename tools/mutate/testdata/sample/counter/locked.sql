-- A comment has no mutants: FOR UPDATE, workspace_id = @workspace.
SELECT id FROM note
WHERE workspace_id = @workspace FOR NO KEY UPDATE
