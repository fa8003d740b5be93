package postgres

import (
	"context"

	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Usage counts what workspaces use of their plans.
type Usage struct{ db *DB }

// NewUsage makes the store.
func NewUsage(db *DB) *Usage { return &Usage{db: db} }

// currentUsage reads a workspace's usage; uploads of an earlier month do not count.
const currentUsage = `SELECT COALESCE(u.storage_bytes, 0) AS storage_bytes,
	CASE WHEN u.month = date_trunc('month', now())::date THEN u.uploads ELSE 0 END AS uploads,
	(SELECT count(*) FROM webhook h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL) AS webhooks,
	(SELECT count(*) FROM link_page p WHERE p.workspace_id = w.id) AS link_pages,
	date_trunc('month', now()) + interval '1 month' AS uploads_reset_at
	FROM workspace w LEFT JOIN workspace_usage u ON u.workspace_id = w.id WHERE w.id = ?`

// Get reads what the workspace uses at this moment; NOT_FOUND when there is no such workspace.
func (s *Usage) Get(ctx context.Context, id ident.Workspace) (workspace.Usage, error) {
	var u workspace.Usage
	result := s.db.conn(ctx).Raw(currentUsage, id).Scan(&u)
	if result.Error == nil && result.RowsAffected == 0 {
		return u, notFound("workspace")
	}
	return u, classify(result.Error)
}

// Reserve counts an upload of the size before it begins. QUOTA_EXCEEDED, and nothing counted, when it would go beyond the
// limits: also when many are reserved at once, because the row decides.
func (s *Usage) Reserve(ctx context.Context, id ident.Workspace, size int64, limits workspace.Limits) error {
	if err := limits.CheckFileSize(size); err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		// The first statement takes the row's lock, so that what is read next stands until the transaction ends.
		err := s.db.conn(ctx).Exec(`INSERT INTO workspace_usage (workspace_id, storage_bytes, uploads) VALUES (?, ?, 1)
			ON CONFLICT (workspace_id) DO UPDATE SET storage_bytes = workspace_usage.storage_bytes + excluded.storage_bytes,
				uploads = CASE WHEN workspace_usage.month = excluded.month THEN workspace_usage.uploads ELSE 0 END + 1,
				month = excluded.month`, id, size).Error
		if isForeignKey(err) {
			return notFound("workspace")
		}
		if err != nil {
			return classify(err)
		}
		after, err := s.Get(ctx, id)
		if err != nil {
			return err
		}
		return limits.CheckUpload(after, size)
	})
}

// Release gives storage back: an asset was deleted, or an upload never arrived. Uploads that were begun stay counted.
func (s *Usage) Release(ctx context.Context, id ident.Workspace, size int64) error {
	result := s.db.conn(ctx).Exec(`UPDATE workspace_usage SET storage_bytes = GREATEST(storage_bytes - ?, 0) WHERE workspace_id = ?`, size, id)
	if result.Error == nil && result.RowsAffected == 0 {
		return apperr.New(apperr.NotFound, "There is no usage to give back.")
	}
	return classify(result.Error)
}
