package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// KnownPost is a post that an import finds again.
type KnownPost struct {
	ID         ident.Post
	ChannelID  ident.Channel
	ExternalID string
	CreatedAt  time.Time
}

// Known returns the posts of a workspace with one of the external ids, or one of the ids.
func (s *Posts) Known(
	ctx context.Context, workspace ident.Workspace, externalIDs []string, ids []ident.Post,
) ([]KnownPost, error) {
	var rows []KnownPost
	const columns = "id, channel_id, COALESCE(external_id, '') AS external_id, created_at"
	err := s.db.conn(ctx).Raw(`SELECT `+columns+` FROM post WHERE workspace_id = @workspace AND external_id = ANY(@external)
		UNION SELECT `+columns+` FROM post WHERE workspace_id = @workspace AND id = ANY(CAST(@ids AS uuid[]))`,
		map[string]any{"workspace": workspace, "external": toArray(externalIDs), "ids": idArray(ids)}).Scan(&rows).Error
	return rows, classify(err)
}

// NamedMedia is an asset with its name.
type NamedMedia struct {
	ID   ident.Media
	Name string
}

// Named returns the assets of a workspace with one of the names, or one of the ids.
func (s *Media) Named(
	ctx context.Context, workspace ident.Workspace, names []string, ids []ident.Media,
) ([]NamedMedia, error) {
	var rows []NamedMedia
	err := s.db.conn(ctx).Table("media").Select("id, name").
		Where("workspace_id = ? AND (name = ANY(?) OR id = ANY(CAST(? AS uuid[])))", workspace, toArray(names), idArray(ids)).
		Find(&rows).Error
	return rows, classify(err)
}
