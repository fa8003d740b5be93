package app

import (
	"context"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// mediaUseCases are those of files: uploads, imports, assets, the pictures of brands and pages.
type mediaUseCases struct {
	*Records

	channels   *postgres.Channels
	uploads    *postgres.Uploads
	imports    *postgres.Imports
	loose      *postgres.Loose
	files      *objectstore.Store
	references *postgres.References
	usage      *postgres.Usage
	egress     *egress.Policy
	log        *slog.Logger
}

// DeliveredAsset is an asset with URLs that are valid for a day.
type DeliveredAsset struct {
	media.Asset
	URL          string
	ThumbnailURL string // empty until there is a thumbnail
}

// Media returns one asset; NOT_FOUND when the workspace has no such asset.
func (a *mediaUseCases) Media(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	found, err := a.media.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return DeliveredAsset{}, err
	}
	return a.deliver(found)
}

// Attachments returns assets in the given order. Those that the workspace does not have, or no longer, are left out.
func (a *mediaUseCases) Attachments(ctx context.Context, p Principal, ids []ident.Media) ([]DeliveredAsset, error) {
	found, err := a.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	delivered := make([]DeliveredAsset, 0, len(ids))
	for _, id := range ids {
		asset, ok := found[id]
		if !ok {
			continue
		}
		one, err := a.deliver(asset)
		if err != nil {
			return nil, err
		}
		delivered = append(delivered, one)
	}
	return delivered, nil
}

// MediaList returns assets in the order of the filter.
func (a *mediaUseCases) MediaList(ctx context.Context, p Principal, filter postgres.MediaFilter) ([]DeliveredAsset, error) {
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

// EditMedia changes the name, the alternative text or the labels of an asset. NOT_FOUND when the workspace has no such asset.
func (a *mediaUseCases) EditMedia(ctx context.Context, p Principal, id ident.Media, edit media.Edit) (DeliveredAsset, error) {
	var found media.Asset
	if edit.Labels != nil {
		labels, err := a.spelled(ctx, p, *edit.Labels)
		if err != nil {
			return DeliveredAsset{}, err
		}
		edit.Labels = &labels
	}
	err := a.changeMedia(ctx, p, id, func(ctx context.Context) (err error) {
		found, err = a.media.Edit(ctx, p.WorkspaceID, id, edit)
		return err
	})
	if err != nil {
		return DeliveredAsset{}, err
	}
	return a.deliver(found)
}

// changeMedia changes an asset if it has the version that the client expects.
func (a *mediaUseCases) changeMedia(
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
func (a *mediaUseCases) deliver(asset media.Asset) (DeliveredAsset, error) {
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
func (a *mediaUseCases) ThumbnailURL(thumbnail media.Object) (string, error) {
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
func (a *mediaUseCases) DeleteMedia(ctx context.Context, p Principal, id ident.Media) error {
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
func (a *mediaUseCases) removeObjects(ctx context.Context, keys ...string) {
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
