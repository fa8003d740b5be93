package app

import (
	"context"
	"log/slog"
	"time"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// DeliveredAsset is an asset with addresses at which it can be read for a day.
type DeliveredAsset struct {
	media.Asset
	URL          string
	ThumbnailURL string // empty while there is no thumbnail
}

// Media reads one asset; NOT_FOUND when the workspace has none of this id.
func (a *App) Media(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	found, err := a.media.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return DeliveredAsset{}, err
	}
	return a.deliver(found)
}

// MediaList reads assets, newest first.
func (a *App) MediaList(ctx context.Context, p Principal, filter postgres.MediaFilter) ([]DeliveredAsset, error) {
	found, err := a.media.List(ctx, p.WorkspaceID, filter)
	if err != nil {
		return nil, err
	}
	delivered := make([]DeliveredAsset, len(found))
	for i, asset := range found {
		if delivered[i], err = a.deliver(asset); err != nil {
			return nil, err
		}
	}
	return delivered, nil
}

// deliver signs the addresses of an asset. What a browser may show it shows; documents it saves, because a PDF is a program.
func (a *App) deliver(asset media.Asset) (DeliveredAsset, error) {
	whole, err := a.files.PresignGet(objectstore.GetTerms{
		Key: asset.Files.Original.Key, ContentType: asset.ContentType, CacheControl: privately,
		Inline: asset.Type != media.Document, FileName: media.CleanName(asset.Name, asset.ContentType), Expires: media.LinkLife,
	})
	if err != nil {
		return DeliveredAsset{}, err
	}
	delivered := DeliveredAsset{Asset: asset, URL: whole.URL}
	if thumbnail := asset.Files.Thumbnail; !thumbnail.IsZero() {
		small, err := a.files.PresignGet(objectstore.GetTerms{
			Key: thumbnail.Key, ContentType: thumbnail.ContentType, CacheControl: privately, Inline: true, Expires: media.LinkLife,
		})
		if err != nil {
			return DeliveredAsset{}, err
		}
		delivered.ThumbnailURL = small.URL
	}
	return delivered, nil
}

// privately: an address is its reader's alone, and what is behind it never changes.
const privately = "private, max-age=86400, immutable"

// DeleteMedia takes an asset away with its files. NOT_FOUND; MEDIA_IN_USE, with what uses it.
func (a *App) DeleteMedia(ctx context.Context, p Principal, id ident.Media) error {
	keys, err := a.media.Delete(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	a.removeObjects(ctx, keys...)
	return nil
}

// removeTimeout bounds what a request spends on removing objects.
const removeTimeout = 3 * time.Second

// removeObjects deletes objects whose keys are loose, as far as that goes quickly; the clean-up deletes the rest.
func (a *App) removeObjects(ctx context.Context, keys ...string) {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	for _, key := range keys {
		err := a.files.Delete(ctx, key)
		if err == nil {
			err = a.loose.Forget(ctx, key)
		}
		if err != nil {
			a.log.InfoContext(ctx, "an object is left to the clean-up", slog.String("key", key), slog.Any("error", err))
			return
		}
	}
}
