package postgres

import (
	"context"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// References stores which objects use which assets. The references of posts are written by the statements that write
// the posts.
type References struct{ db *DB }

// NewReferences returns the store.
func NewReferences(db *DB) *References { return &References{db: db} }

// Owner is an object that uses assets.
type Owner struct {
	WorkspaceID ident.Workspace
	Type        media.OwnerType
	ID          string // a UUID
	Label       string // display name, for owners without their own table
}

// Set replaces the assets that the owner uses. It returns NOT_FOUND, and changes nothing, for an asset that the
// workspace does not have.
func (s *References) Set(ctx context.Context, owner Owner, ids []ident.Media) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("media_reference").
			Where("owner_type = ? AND owner_id = ? AND workspace_id = ?", string(owner.Type), owner.ID, owner.WorkspaceID).
			Delete(nil).Error
		if err != nil || len(ids) == 0 {
			return err
		}
		wanted := make(map[ident.Media]bool, len(ids))
		for _, id := range ids {
			wanted[id] = true
		}
		result := s.db.conn(ctx).Exec(referMedia, map[string]any{
			"type": string(owner.Type), "owner": owner.ID, "label": owner.Label, "workspace": owner.WorkspaceID,
			"ids": idArray(ids),
		})
		if isForeignKey(result.Error) || result.Error == nil && int(result.RowsAffected) < len(wanted) {
			return notFound("media asset")
		}
		return result.Error
	})
}

// Get returns the assets that the owner uses, oldest first.
func (s *References) Get(ctx context.Context, owner Owner) ([]ident.Media, error) {
	var ids []ident.Media
	err := s.db.conn(ctx).Table("media_reference").
		Where("owner_type = ? AND owner_id = ? AND workspace_id = ?", string(owner.Type), owner.ID, owner.WorkspaceID).
		Order("media_id").Pluck("media_id", &ids).Error
	return ids, classify(err)
}

// All returns the assets that the owner uses as each type, oldest first. The owner's own type is ignored.
func (s *References) All(ctx context.Context, owner Owner) (map[media.OwnerType][]ident.Media, error) {
	var rows []struct {
		OwnerType string
		MediaID   ident.Media
	}
	err := s.db.conn(ctx).Table("media_reference").Select("owner_type, media_id").
		Where("owner_id = ? AND workspace_id = ?", owner.ID, owner.WorkspaceID).Order("media_id").Scan(&rows).Error
	found := make(map[media.OwnerType][]ident.Media)
	for _, r := range rows {
		found[media.OwnerType(r.OwnerType)] = append(found[media.OwnerType(r.OwnerType)], r.MediaID)
	}
	return found, classify(err)
}

// Avatars returns the pictures shown for the workspace's channels: those that people chose, else those of the accounts at
// their networks. A channel without one is missing.
func (s *References) Avatars(ctx context.Context, workspace ident.Workspace) (map[ident.Channel]media.Object, error) {
	var rows []struct {
		ID   ident.Channel
		Key  string
		Type string
	}
	err := s.db.conn(ctx).Table("channel c").
		Joins("LEFT JOIN media_reference r ON r.owner_type = ? AND r.owner_id = c.id", string(media.OwnerChannelAvatar)).
		Joins("LEFT JOIN media m ON m.id = r.media_id").Joins("LEFT JOIN channel_picture p ON p.channel_id = c.id").
		Select("c.id, COALESCE(m.thumbnail_key, p.object_key) AS key, COALESCE(m.thumbnail_type, ?) AS type", media.ContentTypeJPEG).
		Where("c.workspace_id = ? AND COALESCE(m.thumbnail_key, p.object_key) IS NOT NULL", workspace).Scan(&rows).Error
	found := make(map[ident.Channel]media.Object, len(rows))
	for _, r := range rows {
		found[r.ID] = media.Object{Key: r.Key, ContentType: r.Type}
	}
	return found, classify(err)
}

// maxReferences is the maximum number of references that an error lists.
const maxReferences = 50

// Of returns the references to the asset, posts first, at most 50.
func (s *References) Of(ctx context.Context, workspace ident.Workspace, id ident.Media) ([]apperr.Reference, error) {
	var rows []struct{ OwnerType, OwnerID, Name string }
	err := s.db.conn(ctx).Table("media_reference r").
		Joins("LEFT JOIN post p ON r.owner_type = 'POST' AND p.id = r.owner_id").
		Joins("LEFT JOIN workspace w ON r.owner_type = 'WORKSPACE_LOGO' AND w.id = r.owner_id").
		Joins("LEFT JOIN channel c ON (r.owner_type = 'CHANNEL_AVATAR' OR r.owner_type LIKE 'BRAND%') AND c.id = r.owner_id").
		Select(`r.owner_type, r.owner_id,
			COALESCE(NULLIF(p.title, ''), NULLIF(left(p.content, 80), ''), w.name, c.name, r.label) AS name`).
		Where("r.media_id = ? AND r.workspace_id = ?", id, workspace).
		Order("r.owner_type <> 'POST', r.owner_type, r.owner_id").Limit(maxReferences).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	references := make([]apperr.Reference, len(rows))
	for i, r := range rows {
		references[i] = apperr.Reference{Type: r.OwnerType, ID: r.OwnerID, Name: r.Name}
	}
	return references, nil
}

// Counts returns how many owners of each type use assets. An asset that nothing uses is missing.
func (s *References) Counts(
	ctx context.Context, workspace ident.Workspace, ids []ident.Media,
) (map[ident.Media]map[media.OwnerType]int, error) {
	var rows []struct {
		MediaID   ident.Media
		OwnerType string
		Number    int
	}
	err := s.db.conn(ctx).Table("media_reference").Select("media_id, owner_type, count(*) AS number").
		Where("workspace_id = ? AND media_id = ANY(CAST(? AS uuid[]))", workspace, idArray(ids)).
		Group("media_id, owner_type").Scan(&rows).Error
	found := make(map[ident.Media]map[media.OwnerType]int)
	for _, r := range rows {
		if found[r.MediaID] == nil {
			found[r.MediaID] = make(map[media.OwnerType]int)
		}
		found[r.MediaID][media.OwnerType(r.OwnerType)] = r.Number
	}
	return found, classify(err)
}

// Posts returns up to limit posts that use an asset and have one of the states, newest first.
func (s *References) Posts(
	ctx context.Context, workspace ident.Workspace, id ident.Media, states []post.Status, limit int,
) (ids []ident.Post, err error) {
	names := make([]string, len(states))
	for i, state := range states {
		names[i] = string(state)
	}
	err = s.db.conn(ctx).Table("media_reference r").Joins("JOIN post p ON p.id = r.owner_id").
		Where("r.owner_type = 'POST' AND r.media_id = ? AND r.workspace_id = ? AND p.status IN ?", id, workspace, names).
		Order("p.id DESC").Limit(limit).Pluck("p.id", &ids).Error
	return ids, classify(err)
}
