package graph

import (
	"context"
	"errors"
	"net/url"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

var errNoFiles = errors.New("the content has media without their files")

// WithFile adds the file's URL to a form. The network fetches the file from there.
func WithFile(ctx context.Context, content platform.Content, asset media.Asset, form url.Values) (url.Values, error) {
	if content.Files == nil {
		return nil, errNoFiles
	}
	link, err := content.Files.Link(ctx, asset)
	if err != nil {
		return nil, err
	}
	name := "image_url"
	if asset.Type == media.Video {
		name = "video_url"
	}
	form.Set(name, link)
	return form, nil
}

// Items returns the forms of a carousel's items. The parameter form returns an item's form without the file's URL.
func Items(content platform.Content, form func(media.Asset) url.Values) []Form {
	items := make([]Form, 0, len(content.Media))
	for _, asset := range content.Media {
		items = append(items, func(ctx context.Context) (url.Values, error) {
			item := form(asset)
			item.Set("is_carousel_item", "true")
			return WithFile(ctx, content, asset, item)
		})
	}
	return items
}
