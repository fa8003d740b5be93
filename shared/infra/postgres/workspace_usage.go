package postgres

import (
	"context"

	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Usage counts the usage of the workspaces' plans.
type Usage struct{ db *DB }

// NewUsage returns the store.
func NewUsage(db *DB) *Usage { return &Usage{db: db} }

// currentUsage reads a workspace's usage; uploads of an earlier month do not count.
const currentUsage = `SELECT COALESCE(u.storage_bytes, 0) AS storage_bytes,
	CASE WHEN u.month = date_trunc('month', now())::date THEN u.uploads ELSE 0 END AS uploads,
	(SELECT count(*) FROM webhook h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL) AS webhooks,
	(SELECT count(*) FROM link_page p WHERE p.workspace_id = w.id) AS link_pages,
	date_trunc('month', now()) + interval '1 month' AS uploads_reset_at
	FROM workspace w LEFT JOIN workspace_usage u ON u.workspace_id = w.id WHERE w.id = ?`

// Get returns the workspace's current usage; NOT_FOUND if the workspace does not exist.
func (s *Usage) Get(ctx context.Context, id ident.Workspace) (workspace.Usage, error) {
	var u workspace.Usage
	result := s.db.conn(ctx).Raw(currentUsage, id).Scan(&u)
	if result.Error == nil && result.RowsAffected == 0 {
		return u, notFound("workspace")
	}
	return u, classify(result.Error)
}

// Reserve counts an upload of the given size before it starts. It returns QUOTA_EXCEEDED, and counts nothing, if the
// upload would exceed the limits. The row's lock makes this hold for concurrent reservations too.
func (s *Usage) Reserve(ctx context.Context, id ident.Workspace, size int64, limits workspace.Limits) error {
	if err := limits.CheckFileSize(size); err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		// The first statement locks the row, so that the values read next are valid until the transaction ends.
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

// Release releases storage after an asset was deleted or an upload did not arrive. Started uploads still count.
func (s *Usage) Release(ctx context.Context, id ident.Workspace, size int64) error {
	result := s.db.conn(ctx).Exec(`UPDATE workspace_usage SET storage_bytes = GREATEST(storage_bytes - ?, 0) WHERE workspace_id = ?`, size, id)
	if result.Error == nil && result.RowsAffected == 0 {
		return apperr.New(apperr.NotFound, "There is no usage to release.")
	}
	return classify(result.Error)
}
