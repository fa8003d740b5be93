package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// Renditions stores the forms of assets that networks require.
type Renditions struct {
	db    *DB
	loose *Loose
}

// NewRenditions returns the store.
func NewRenditions(db *DB) *Renditions { return &Renditions{db: db, loose: NewLoose(db)} }

// renditionRow is a row of the media_rendition table, as read by statements.
type renditionRow struct {
	MediaID   ident.Media
	Form      string
	ObjectKey string
	Etag      string
	Type      string
	Size      int64
	Sha256    []byte
	Width     int
	Height    int
}

const renditionColumns = `media_id, form, object_key, etag, type, size, sha256, width, height`

// GetMany returns the stored renditions of assets in the wanted form of each. Missing ones are left out.
func (s *Renditions) GetMany(
	ctx context.Context, wanted map[ident.Media]media.Form,
) (map[ident.Media]media.Rendition, error) {
	ids := make([]ident.Media, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	var rows []renditionRow
	err := s.db.conn(ctx).Table("media_rendition").Select(renditionColumns).
		Where("media_id = ANY(CAST(? AS uuid[]))", idArray(ids)).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make(map[ident.Media]media.Rendition, len(wanted))
	for _, r := range rows {
		if form := wanted[r.MediaID]; form.String() == r.Form {
			found[r.MediaID] = media.Rendition{
				Form: form, Width: r.Width, Height: r.Height, Object: media.Object{
					Key: r.ObjectKey, ETag: r.Etag, ContentType: r.Type, Size: r.Size, SHA256: r.Sha256,
				},
			}
		}
	}
	return found, nil
}

// Insert stores a rendition of an asset. It removes the object's key from the loose keys. It returns ErrStale if the
// asset has the form already, or if the object no longer exists, and NOT_FOUND if the asset does not exist.
func (s *Renditions) Insert(ctx context.Context, id ident.Media, r media.Rendition) error {
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.loose.take(ctx, r.Object.Key); err != nil {
			return err
		}
		return s.db.conn(ctx).Table("media_rendition").Create(map[string]any{
			"media_id": id, "form": r.Form.String(), "object_key": r.Object.Key, "etag": r.Object.ETag,
			"type": r.Object.ContentType, "size": r.Object.Size, "sha256": r.Object.SHA256, "width": r.Width,
			"height": r.Height,
		}).Error
	})
	switch {
	case isDuplicate(err):
		return ErrStale
	case isForeignKey(err):
		return notFound("media asset")
	}
	return classify(err)
}

// loosen deletes the renditions of an asset in the context's transaction, and returns the keys of their objects, which
// the cleanup deletes after the given time.
func (s *Renditions) loosen(ctx context.Context, id ident.Media, after time.Duration) ([]string, error) {
	var keys []string
	err := s.db.conn(ctx).Raw(loosenRenditions, map[string]any{"id": id, "after": after.Seconds()}).Scan(&keys).Error
	return keys, classify(err)
}
