-- Adds a user to a workspace if both exist. It is one statement, so that the check and the membership are one step. The
-- update changes nothing; without it, an existing membership would not count as a row.
INSERT INTO workspace_member (workspace_id, user_id, role, created_at)
SELECT w.id, u.id, @role, CAST(@now AS timestamptz) FROM workspace w, app_user u WHERE w.id = @workspace AND u.id = @user
ON CONFLICT (user_id, workspace_id) DO UPDATE SET created_at = workspace_member.created_at
