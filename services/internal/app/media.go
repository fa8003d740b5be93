package app

import (
	"context"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// DeliveredAsset is an asset with URLs that are valid for a day.
type DeliveredAsset struct {
	media.Asset
	URL          string
	ThumbnailURL string // empty until there is a thumbnail
}

// Media returns one asset; NOT_FOUND when the workspace has no such asset.
func (a *App) Media(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	found, err := a.media.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return DeliveredAsset{}, err
	}
	return a.deliver(found)
}

// MediaList returns assets, newest first.
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

// DescribeMedia changes the alternative text of an asset; an empty text removes it. NOT_FOUND when the workspace has no
// such asset.
func (a *App) DescribeMedia(ctx context.Context, p Principal, id ident.Media, altText string) (DeliveredAsset, error) {
	var found media.Asset
	err := a.changeMedia(ctx, p, id, func(ctx context.Context) (err error) {
		found, err = a.media.SetAltText(ctx, p.WorkspaceID, id, altText)
		return err
	})
	if err != nil {
		return DeliveredAsset{}, err
	}
	return a.deliver(found)
}

// changeMedia changes an asset if it has the version that the client expects.
func (a *App) changeMedia(
	ctx context.Context, p Principal, id ident.Media, change func(ctx context.Context) error,
) error {
	if !expecting(ctx) {
		return change(ctx)
	}
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		before, err := a.media.Lock(ctx, p.WorkspaceID, id)
		if err == nil {
			err = expected(ctx, MediaTag(before))
		}
		if err != nil {
			return err
		}
		return change(ctx)
	})
}

// deliver signs the URLs of an asset. Browsers display images and videos, but download documents, because a PDF can
// contain scripts.
func (a *App) deliver(asset media.Asset) (DeliveredAsset, error) {
	whole, err := a.files.PresignGet(objectstore.GetTerms{
		Key: asset.Files.Original.Key, ContentType: asset.ContentType, CacheControl: privately,
		Inline: asset.Type != media.Document, FileName: media.CleanName(asset.Name, asset.ContentType),
		Expires: media.LinkLife,
	})
	if err != nil {
		return DeliveredAsset{}, err
	}
	delivered := DeliveredAsset{Asset: asset, URL: whole.URL}
	delivered.ThumbnailURL, err = a.ThumbnailURL(asset.Files.Thumbnail)
	return delivered, err
}

// ThumbnailURL returns the address of a thumbnail; empty if there is none.
func (a *App) ThumbnailURL(thumbnail media.Object) (string, error) {
	if thumbnail.IsZero() {
		return "", nil
	}
	small, err := a.files.PresignGet(objectstore.GetTerms{
		Key: thumbnail.Key, ContentType: thumbnail.ContentType, CacheControl: privately, Inline: true,
		Expires: media.LinkLife,
	})
	return small.URL, err
}

// privately is for URLs that belong to one reader and whose content never changes.
const privately = "private, max-age=86400, immutable"

// DeleteMedia deletes an asset and its files. Errors: NOT_FOUND, and MEDIA_IN_USE with the references.
func (a *App) DeleteMedia(ctx context.Context, p Principal, id ident.Media) error {
	var keys []string
	err := a.changeMedia(ctx, p, id, func(ctx context.Context) (err error) {
		keys, err = a.media.Delete(ctx, p.WorkspaceID, id)
		return err
	})
	if err != nil {
		return err
	}
	a.removeObjects(ctx, keys...)
	return nil
}

// removeTimeout limits the time that a request spends deleting objects.
const removeTimeout = 3 * time.Second

// removeObjects deletes objects whose keys are registered as loose, until the timeout or an error. The clean-up deletes
// the rest.
func (a *App) removeObjects(ctx context.Context, keys ...string) {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	for _, key := range keys {
		err := a.files.Delete(ctx, key)
		if err == nil {
			err = a.loose.Remove(ctx, key)
		}
		if err != nil {
			a.log.InfoContext(ctx, "object left to the cleanup", slog.String("key", key), slog.Any("error", err))
			return
		}
	}
}
