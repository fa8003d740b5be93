package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

// SetDeletion sets when a workspace and its test workspace are deleted, and who asked for it; a zero time keeps them.
// NOT_FOUND if the workspace does not exist, or if its time has come.
func (s *Workspaces) SetDeletion(ctx context.Context, id ident.Workspace, at time.Time, by string, now time.Time) error {
	result := s.db.conn(ctx).Table("workspace").Where("(id = ? OR live_id = ?) AND (delete_at IS NULL OR delete_at > ?)", id, id, now).
		Updates(map[string]any{"delete_at": optional(at), "delete_by": by})
	return affected(result, "workspace")
}

// DueForDeletion returns the workspaces whose time has come, each after its test workspace.
func (s *Workspaces) DueForDeletion(ctx context.Context, now time.Time) (due []ident.Workspace, err error) {
	err = s.db.conn(ctx).Table("workspace").Where(`COALESCE(live_id, id) IN
		(SELECT id FROM workspace WHERE delete_at <= ? AND NOT is_test)`, now).
		Order("COALESCE(live_id, id), is_test DESC").Pluck("id", &due).Error
	return due, classify(err)
}

// Contents counts what is deleted with a workspace and its test workspace.
func (s *Workspaces) Contents(ctx context.Context, id ident.Workspace) (of workspace.Contents, err error) {
	err = s.db.conn(ctx).Raw(`WITH of AS (SELECT id FROM workspace WHERE id = @id OR live_id = @id)
		SELECT (SELECT count(*) FROM post WHERE workspace_id IN (SELECT id FROM of) AND root_id IS NULL) AS posts,
			(SELECT count(*) FROM post WHERE workspace_id = @id AND status = 'SCHEDULED' AND root_id IS NULL) AS scheduled,
			(SELECT count(*) FROM media WHERE workspace_id IN (SELECT id FROM of)) AS files,
			(SELECT COALESCE(sum(size), 0) FROM media WHERE workspace_id IN (SELECT id FROM of)) AS bytes,
			(SELECT count(*) FROM channel WHERE workspace_id = @id) AS channels,
			(SELECT count(*) FROM link_page WHERE workspace_id IN (SELECT id FROM of)) AS link_pages,
			(SELECT count(*) FROM lead WHERE workspace_id IN (SELECT id FROM of)) AS leads,
			(SELECT count(*) FROM api_key WHERE workspace_id IN (SELECT id FROM of) AND revoked_at IS NULL) AS keys,
			(SELECT count(*) FROM webhook WHERE workspace_id IN (SELECT id FROM of) AND deleted_at IS NULL) AS webhooks,
			(SELECT count(*) FROM workspace_member WHERE workspace_id = @id) AS members`, map[string]any{"id": id}).Scan(&of).Error
	return of, classify(err)
}

// eraseBatch bounds the rows of a statement, so that none runs for long.
const eraseBatch = 500

// Erase deletes everything of a workspace whose time has come, and the workspace itself. The objects of its files are left
// to the cleanup. It may be called again after a failure, and by several processes at once.
func (s *Workspaces) Erase(ctx context.Context, id ident.Workspace, now time.Time) error {
	steps := []string{
		`DELETE FROM media_reference WHERE ctid IN (SELECT ctid FROM media_reference WHERE workspace_id = @id LIMIT @batch)`,
		`WITH gone AS (DELETE FROM media_rendition WHERE media_id IN
				(SELECT media_id FROM media_rendition JOIN media m ON m.id = media_id WHERE m.workspace_id = @id LIMIT @batch)
			RETURNING object_key)
		INSERT INTO loose_object (key, delete_after) SELECT object_key, now() FROM gone
		ON CONFLICT (key) DO UPDATE SET delete_after = excluded.delete_after`,
		`WITH gone AS (DELETE FROM media WHERE id IN (SELECT id FROM media WHERE workspace_id = @id LIMIT @batch)
			RETURNING object_key, published_key, thumbnail_key)
		INSERT INTO loose_object (key, delete_after)
		SELECT DISTINCT key, now() FROM gone, unnest(ARRAY[object_key, published_key, thumbnail_key]) AS key WHERE key IS NOT NULL
		ON CONFLICT (key) DO UPDATE SET delete_after = excluded.delete_after`,
		`DELETE FROM request_log WHERE id IN (SELECT id FROM request_log WHERE workspace_id = @id LIMIT @batch)`,
		`DELETE FROM post WHERE id IN (SELECT id FROM post WHERE workspace_id = @id LIMIT @batch)`,
		`DELETE FROM event WHERE id IN (SELECT id FROM event WHERE workspace_id = @id LIMIT @batch)`,
		`DELETE FROM idempotency_key WHERE ctid IN (SELECT ctid FROM idempotency_key WHERE workspace_id = @id LIMIT @batch)`,
		`DELETE FROM post_notice WHERE ctid IN (SELECT ctid FROM post_notice WHERE workspace_id = @id LIMIT @batch)`,
		`WITH gone AS (DELETE FROM channel_picture WHERE channel_id IN
				(SELECT channel_id FROM channel_picture JOIN channel c ON c.id = channel_id WHERE c.workspace_id = @id LIMIT @batch)
			RETURNING object_key)
		INSERT INTO loose_object (key, delete_after) SELECT object_key, now() FROM gone WHERE object_key IS NOT NULL
		ON CONFLICT (key) DO UPDATE SET delete_after = excluded.delete_after`,
	}
	params := map[string]any{"id": id, "batch": eraseBatch}
	for _, step := range steps {
		for {
			result := s.db.conn(ctx).Exec(step, params)
			if result.Error != nil {
				return classify(result.Error)
			}
			if result.RowsAffected == 0 {
				break
			}
		}
	}
	return classify(s.db.conn(ctx).Table("workspace").Where("id = ? AND delete_at <= ?", id, now).Delete(nil).Error)
}
