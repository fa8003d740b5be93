package composer

import (
	"context"
	"net/url"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// A cover is a picture of the library beside the video of a channel's post. It is an attachment of the post, but not one of
// the common files.

// readCovers returns the covers of the form; nil if it has none.
func readCovers(fields url.Values, channels []channel.Channel) (covers map[string]ident.Media, err error) {
	for _, c := range channels {
		text := fields.Get("cover." + c.ID.String())
		if text == "" {
			continue
		}
		id, err := ident.Parse[ident.Media](text)
		if err != nil {
			return nil, noPage()
		}
		if covers == nil {
			covers = make(map[string]ident.Media)
		}
		covers[c.ID.String()] = id
	}
	return covers, nil
}

// kindOf returns the content type of a channel's post.
func (d draft) kindOf(id ident.Channel) post.ContentType {
	if own := d.Own[id.String()].Kind; own != "" {
		return own
	}
	return d.Kind
}

// filesOf returns the common files that a channel's post has.
func (d draft) filesOf(id ident.Channel) []ident.Media {
	if own := d.Own[id.String()].Media; len(own) > 0 {
		return own
	}
	return d.Media
}

// readCovers reads the pictures of the covers. Those that are none any more are left out.
func (c *composer) readCovers(ctx context.Context, p app.Principal, l *look, channels []channel.Channel) error {
	var wanted []ident.Media
	for _, id := range l.draft.Covers {
		wanted = append(wanted, id)
	}
	found, err := c.app.Attachments(ctx, p, wanted)
	if err != nil {
		return err
	}
	l.Covers = make(map[ident.Channel]app.DeliveredAsset)
	for _, one := range channels {
		id, chosen := l.draft.Covers[one.ID.String()]
		at := slices.IndexFunc(found, func(a app.DeliveredAsset) bool { return a.ID == id && a.Type == media.Image })
		if chosen && at < 0 {
			delete(l.draft.Covers, one.ID.String())
		}
		if at >= 0 && c.app.Covered(one, l.draft.kindOf(one.ID)) && l.filmed(l.draft.filesOf(one.ID)) {
			l.Covers[one.ID] = found[at]
		}
	}
	return nil
}

// filmed reports whether one of the files is a video.
func (l *look) filmed(files []ident.Media) bool {
	return slices.ContainsFunc(l.Assets, func(a app.DeliveredAsset) bool {
		return a.Type == media.Video && slices.Contains(files, a.ID)
	})
}

// attached returns the common files and the covers, each once.
func (l *look) attached() []app.DeliveredAsset {
	all := slices.Clone(l.Assets)
	for _, cover := range l.Covers {
		if !slices.ContainsFunc(all, func(a app.DeliveredAsset) bool { return a.ID == cover.ID }) {
			all = append(all, cover)
		}
	}
	return all
}

// uncovered returns posts without the pictures that are covers of their videos, and these pictures by the IDs of the
// channels.
func (c *composer) uncovered(
	v *frame.Visit, posts []post.Post, channelOf func(ident.Channel) channel.Channel,
) ([]post.Post, map[string]ident.Media, error) {
	var files []ident.Media
	for _, p := range posts {
		files = append(files, p.MediaIDs...)
	}
	found, err := c.app.Attachments(v.Request.Context(), v.Principal, files)
	if err != nil {
		return nil, nil, err
	}
	of := func(p post.Post, kind media.Type) ident.Media {
		at := slices.IndexFunc(found, func(a app.DeliveredAsset) bool { return a.Type == kind && slices.Contains(p.MediaIDs, a.ID) })
		if at < 0 {
			return ident.Media{}
		}
		return found[at].ID
	}
	posts, covers := slices.Clone(posts), make(map[string]ident.Media)
	for i, p := range posts {
		cover := of(p, media.Image)
		if cover.IsZero() || of(p, media.Video).IsZero() || !c.app.Covered(channelOf(p.ChannelID), p.ContentType) {
			continue
		}
		covers[p.ChannelID.String()] = cover
		posts[i].MediaIDs = slices.DeleteFunc(slices.Clone(p.MediaIDs), func(id ident.Media) bool { return id == cover })
	}
	return posts, covers, nil
}

// cover is the choice of a channel's cover.
type cover struct {
	Channel ident.Channel
	Kind    post.ContentType
	Asset   *app.DeliveredAsset // nil: none is chosen
}
