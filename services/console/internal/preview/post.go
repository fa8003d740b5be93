package preview

import (
	"cmp"
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
	// PartMedia are the attachments of the parts of the thread.
	PartMedia []app.DeliveredAsset
	Notes     bool
	Zone      *time.Location // of the reader
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
	drawn.Comment = s.Post.Comment.Content
	for _, part := range s.Post.Thread {
		if shown, known := PartOf(a, drawn, s.Channel, part, s.PartMedia); known {
			drawn.Parts = append(drawn.Parts, shown)
		}
	}
	return Render(drawn)
}

// PartOf returns the drawing of a part below a post; false for a network without threads. Attached has the attachments of all
// parts.
func PartOf(a *app.App, of Preview, c channel.Channel, part post.Part, attached []app.DeliveredAsset) (Preview, bool) {
	shown := Preview{Account: of.Account, At: of.At}
	content := platform.Content{ContentType: post.ContentPost, Text: part.Content, ReplyTo: &platform.ReplyTo{Kind: post.PartReply}}
	for _, id := range part.MediaIDs {
		for _, asset := range attached {
			if asset.ID == id {
				content.Media = append(content.Media, asset.Asset)
				shown.Pictures = append(shown.Pictures, PictureOf(asset, cmp.Or(part.MediaAltTexts[id], asset.AltText)))
			}
		}
	}
	var known bool
	shown.View, known = a.Shown(c, content)
	return shown, known && a.Takes(c, post.PartReply)
}
