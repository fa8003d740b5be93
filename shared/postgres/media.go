package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/media"
)

// Media keeps what is known of the workspaces' files; the files themselves are in object storage.
type Media struct{ db *DB }

// NewMedia makes the store.
func NewMedia(db *DB) *Media { return &Media{db: db} }

type mediaRow struct {
	ID          ident.Media
	WorkspaceID ident.Workspace
	Name        string
	Type        string
	ContentType string
	Size        int64
	CreatedAt   time.Time
}

// Insert keeps a new asset.
func (s *Media) Insert(ctx context.Context, a media.Asset) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO media (id, workspace_id, name, type, content_type, size, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, a.ID, a.WorkspaceID, a.Name, string(a.Type), a.ContentType, a.Size, a.CreatedAt).Error)
}

// GetMany reads the assets of the ids that belong to the workspace, by id; those that do not are absent.
func (s *Media) GetMany(ctx context.Context, workspace ident.Workspace, ids []ident.Media) (map[ident.Media]media.Asset, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []mediaRow
	err := s.db.conn(ctx).Raw(`SELECT id, workspace_id, name, type, content_type, size, created_at FROM media
		WHERE workspace_id = ? AND id = ANY(CAST(? AS uuid[]))`, workspace, idArray(ids)).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make(map[ident.Media]media.Asset, len(rows))
	for _, r := range rows {
		found[r.ID] = media.Asset{
			ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Type: media.Type(r.Type), ContentType: r.ContentType,
			Size: r.Size, CreatedAt: r.CreatedAt,
		}
	}
	return found, nil
}

// InOrder reads the assets of the ids that belong to the workspace, in the ids' order; those that do not are left out.
func (s *Media) InOrder(ctx context.Context, workspace ident.Workspace, ids []ident.Media) ([]media.Asset, error) {
	found, err := s.GetMany(ctx, workspace, ids)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	assets := make([]media.Asset, 0, len(found))
	for _, id := range ids {
		if a, ok := found[id]; ok {
			assets = append(assets, a)
		}
	}
	return assets, nil
}
