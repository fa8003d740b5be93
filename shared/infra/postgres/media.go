package postgres

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Media stores the metadata of the workspaces' files. The files themselves are in object storage.
type Media struct {
	db         *DB
	loose      *Loose
	usage      *Usage
	renditions *Renditions
	events     *Events
	labels     *Labels
}

// NewMedia returns the store.
func NewMedia(db *DB) *Media {
	return &Media{
		db: db, loose: NewLoose(db), usage: NewUsage(db), renditions: NewRenditions(db), events: NewEvents(db), labels: NewLabels(db),
	}
}

// Insert stores a new asset whose original has been uploaded. It removes the object's key from the loose keys and
// starts the inspection of the file. It returns ErrStale if the key is missing, because the object waited too long and
// was deleted.
func (s *Media) Insert(ctx context.Context, a media.Asset) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.loose.take(ctx, a.Files.Original.Key); err != nil {
			return err
		}
		err := s.db.conn(ctx).Table("media").Create(map[string]any{
			"id": a.ID, "workspace_id": a.WorkspaceID, "name": a.Name, "type": string(a.Type),
			"content_type": a.ContentType, "size": a.Size, "created_at": a.CreatedAt,
			"source_url": optional(a.SourceURL), "object_key": a.Files.Original.Key, "etag": a.Files.Original.ETag,
			"sha256": a.Files.Original.SHA256, "alt_text": optional(a.AltText),
		}).Error
		if err != nil {
			return classify(err)
		}
		return enqueue(ctx, s.db, flow.MediaInput{MediaID: a.ID, WorkspaceID: a.WorkspaceID}.Process())
	})
}

// Get returns one asset of the workspace; NOT_FOUND if it does not exist.
func (s *Media) Get(ctx context.Context, workspace ident.Workspace, id ident.Media) (media.Asset, error) {
	return s.get(ctx, workspace, id, "")
}

// Lock is Get, and keeps others from changing the asset until the transaction ends.
func (s *Media) Lock(ctx context.Context, workspace ident.Workspace, id ident.Media) (media.Asset, error) {
	return s.get(ctx, workspace, id, "FOR UPDATE")
}

func (s *Media) get(
	ctx context.Context, workspace ident.Workspace, id ident.Media, lock locking,
) (media.Asset, error) {
	var row mediaRow
	err := s.db.conn(ctx).Table("media").Select(mediaColumns).
		Where("id = ? AND workspace_id = ?", id, workspace).Clauses(lock).Take(&row).Error
	if err != nil {
		return media.Asset{}, rowError(err, "media asset")
	}
	return fromMediaRow(row), nil
}

// Edit changes the description of an asset, and returns the asset. NOT_FOUND if it does not exist.
func (s *Media) Edit(
	ctx context.Context, workspace ident.Workspace, id ident.Media, edit media.Edit,
) (media.Asset, error) {
	columns := map[string]any{}
	if edit.Name != nil {
		columns["name"] = *edit.Name
	}
	if edit.AltText != nil {
		columns["alt_text"] = optional(*edit.AltText)
	}
	if edit.Labels != nil {
		columns["labels"], columns["label_keys"] = append(textArray{}, *edit.Labels...), textArray(post.LabelKeys(*edit.Labels))
	}
	if len(columns) == 0 {
		return s.Get(ctx, workspace, id)
	}
	var rows []mediaRow
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("media").Model(&rows).Clauses(returning(mediaColumns)).
			Where("id = ? AND workspace_id = ?", id, workspace).Updates(columns).Error
		switch {
		case err != nil:
			return classify(err)
		case len(rows) == 0:
			return notFound("media asset")
		}
		return s.labels.create(ctx, workspace, rows[0].Labels)
	})
	if err != nil {
		return media.Asset{}, err
	}
	return fromMediaRow(rows[0]), nil
}

// GetMany returns the assets with the given IDs, by ID. IDs that do not belong to the workspace are left out.
func (s *Media) GetMany(
	ctx context.Context, workspace ident.Workspace, ids []ident.Media,
) (map[ident.Media]media.Asset, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []mediaRow
	err := s.db.conn(ctx).Table("media").Select(mediaColumns).
		Where("workspace_id = ? AND id = ANY(CAST(? AS uuid[]))", workspace, idArray(ids)).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make(map[ident.Media]media.Asset, len(rows))
	for _, r := range rows {
		found[r.ID] = fromMediaRow(r)
	}
	return found, nil
}

// InOrder returns the assets with the given IDs, in the order of the IDs. IDs that do not belong to the workspace are
// left out.
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

// Processed records the result of inspecting a file: a.Files, a.Probe and a.Problem. The keys of its new objects are
// removed from the loose keys, and the event about the result is written. Only the first record is accepted: Processed returns ErrStale for a second one, or if an
// object no longer exists, and writes nothing. It returns NOT_FOUND if the asset was deleted in the meantime.
func (s *Media) Processed(ctx context.Context, a media.Asset, at time.Time) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		for _, key := range a.Files.Keys() {
			if key == a.Files.Original.Key {
				continue
			}
			if err := s.loose.take(ctx, key); err != nil {
				return err
			}
		}
		// When an operator has a file inspected again, the earlier derived objects are replaced.
		err := s.db.conn(ctx).Exec(loosenDerived, map[string]any{"workspace": a.WorkspaceID, "id": a.ID}).Error
		if err != nil {
			return classify(err)
		}
		result := s.db.conn(ctx).Table("media").
			Where("id = ? AND workspace_id = ? AND processed_at IS NULL", a.ID, a.WorkspaceID).
			Updates(processedColumns(a, at))
		if result.Error != nil {
			return classify(result.Error)
		}
		if result.RowsAffected == 1 {
			if _, err := s.renditions.loosen(ctx, a.ID, looseDerived); err != nil {
				return err
			}
			e, err := a.Event(at)
			if err != nil {
				return err
			}
			return s.events.Insert(ctx, e, ident.Webhook{})
		}
		if _, err := s.Get(ctx, a.WorkspaceID, a.ID); err != nil {
			return err
		}
		return ErrStale
	})
}

// looseDerived is the time for which objects of an earlier inspection remain, because a post may be sending them.
const looseDerived = 24 * time.Hour

// processedColumns returns the columns that the inspection of a file sets.
func processedColumns(a media.Asset, at time.Time) map[string]any {
	published, thumbnail, probe := a.Files.Published, a.Files.Thumbnail, a.Probe
	return map[string]any{
		"sha256": a.Files.Original.SHA256, "published_key": optional(published.Key),
		"published_etag": optional(published.ETag), "published_size": optional(published.Size),
		"published_sha256": published.SHA256, "thumbnail_key": optional(thumbnail.Key),
		"thumbnail_type": optional(thumbnail.ContentType), "thumbnail_size": optional(thumbnail.Size),
		"width": optional(probe.Width), "height": optional(probe.Height),
		"duration_ms": optional(probe.Duration.Milliseconds()), "frames": optional(probe.Frames), "turned": probe.Turned,
		"processed_at": at, "problem": optional(a.Problem), "process_again": nil,
	}
}

// Delete deletes an asset, releases its storage, leaves its objects to the cleanup and returns their keys. It returns
// NOT_FOUND if the asset does not exist, and MEDIA_IN_USE with all references if it is in use; nothing is deleted then.
func (s *Media) Delete(ctx context.Context, workspace ident.Workspace, id ident.Media) ([]string, error) {
	var keys []string
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		of := func() *gorm.DB {
			return s.db.conn(ctx).Table("media").Where("id = ? AND workspace_id = ?", id, workspace)
		}
		// The lock keeps new renditions away.
		var locked []ident.Media
		if err := of().Clauses(locking("FOR UPDATE")).Pluck("id", &locked).Error; err != nil {
			return classify(err)
		}
		if len(locked) == 0 {
			return notFound("media asset")
		}
		forms, err := s.renditions.loosen(ctx, id, 0)
		if err != nil {
			return err
		}
		var rows []mediaRow
		err = of().Clauses(returning(mediaColumns)).Delete(&rows).Error
		switch {
		case isForeignKey(err):
			return errInUse
		case err != nil:
			return classify(err)
		}
		a := fromMediaRow(rows[0])
		for _, key := range a.Files.Keys() {
			if err := s.loose.Register(ctx, key, 0); err != nil {
				return err
			}
		}
		keys = append(a.Files.Keys(), forms...)
		// NOT_FOUND: nothing was counted, so there is nothing to release.
		if err := s.usage.Release(ctx, workspace, a.Size); !apperr.Is(err, apperr.NotFound) {
			return err
		}
		return nil
	})
	if errors.Is(err, errInUse) {
		return nil, s.inUse(ctx, workspace, id)
	}
	return keys, err
}

var errInUse = errors.New("the asset is in use")

func (s *Media) inUse(ctx context.Context, workspace ident.Workspace, id ident.Media) error {
	references, err := NewReferences(s.db).Of(ctx, workspace, id)
	if err != nil {
		return err
	}
	return apperr.InUse(id.String(), references)
}
