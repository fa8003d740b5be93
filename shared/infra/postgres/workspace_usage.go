package postgres

import (
	"context"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Usage counts the usage of the workspaces' plans.
type Usage struct{ db *DB }

// NewUsage returns the store.
func NewUsage(db *DB) *Usage { return &Usage{db: db} }

// currentUsage are the columns of a workspace's usage; uploads of an earlier month do not count.
const currentUsage = `COALESCE(u.storage_bytes, 0) AS storage_bytes,
	CASE WHEN u.month = date_trunc('month', now())::date THEN u.uploads ELSE 0 END AS uploads,
	(SELECT count(*) FROM webhook h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL) AS webhooks,
	(SELECT count(*) FROM link_page p WHERE p.workspace_id = w.id) AS link_pages,
	date_trunc('month', now()) + interval '1 month' AS uploads_reset_at`

// Get returns the workspace's current usage; NOT_FOUND if the workspace does not exist.
func (s *Usage) Get(ctx context.Context, id ident.Workspace) (workspace.Usage, error) {
	var u workspace.Usage
	result := s.db.conn(ctx).Table("workspace w").Select(currentUsage).
		Joins("LEFT JOIN workspace_usage u ON u.workspace_id = w.id").Where("w.id = ?", id).Scan(&u)
	if result.Error == nil && result.RowsAffected == 0 {
		return u, notFound("workspace")
	}
	return u, classify(result.Error)
}

// addUpload adds an upload to the row of a workspace, whose count of uploads starts again each month.
const addUpload = `ON CONFLICT (workspace_id) DO UPDATE SET
	storage_bytes = workspace_usage.storage_bytes + excluded.storage_bytes,
	uploads = CASE WHEN workspace_usage.month = excluded.month THEN workspace_usage.uploads ELSE 0 END + 1,
	month = excluded.month`

// Reserve counts an upload of the given size before it starts. It returns QUOTA_EXCEEDED, and counts nothing, if the
// upload would exceed the limits. The row's lock makes this hold for concurrent reservations too.
func (s *Usage) Reserve(ctx context.Context, id ident.Workspace, size int64, limits workspace.Limits) error {
	if err := limits.CheckFileSize(size); err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		// The first statement locks the row, so that the values read next are valid until the transaction ends.
		err := s.db.conn(ctx).Table("workspace_usage").Clauses(onConflict(addUpload)).
			Create(map[string]any{"workspace_id": id, "storage_bytes": size, "uploads": 1}).Error
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
	result := s.db.conn(ctx).Table("workspace_usage").Where("workspace_id = ?", id).
		Update("storage_bytes", gorm.Expr("GREATEST(storage_bytes - CAST(? AS bigint), 0)", size))
	if result.Error == nil && result.RowsAffected == 0 {
		return apperr.New(apperr.NotFound, "There is no usage to release.")
	}
	return classify(result.Error)
}
