package preview

import (
	"context"
	"html/template"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// Shown is a post to draw for a reader.
type Shown struct {
	Post    post.Post
	Channel channel.Channel
	Media   []app.DeliveredAsset
	Notes   bool
	Zone    *time.Location // of the reader
}

// OfPost draws a stored post; empty for a channel that cannot be published to.
func OfPost(ctx context.Context, a *app.App, p app.Principal, s Shown) (template.HTML, error) {
	assets := make([]media.Asset, len(s.Media))
	pictures := PicturesOf(s.Media)
	for i, m := range s.Media {
		assets[i] = m.Asset
		if text, own := s.Post.MediaAltTexts[m.ID]; own {
			pictures[i].Alt = text
		}
	}
	view, known := a.Shown(s.Channel, platform.ContentOf(s.Post, assets))
	if !known {
		return "", nil
	}
	avatars, err := a.Avatars(ctx, p)
	if err != nil {
		return "", err
	}
	drawn := Preview{View: view, Account: AccountOf(s.Channel, avatars[s.Channel.ID]), Pictures: pictures, Notes: s.Notes}
	if !s.Post.PublishedAt.IsZero() {
		drawn.At = s.Post.PublishedAt.In(s.Zone)
	}
	return Render(drawn)
}
