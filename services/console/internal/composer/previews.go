package composer

import (
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// mostPreviews is the number of networks that are previewed beside the common text.
const mostPreviews = 3

// previews draws the posts: that of the channel whose text is written, or those of the first networks,
// or all of them to compare them.
func (c *composer) previews(v *frame.Visit, l *look, found map[string]app.Forecast) error {
	var seen []channel.Network
	target, compare := v.Form("target"), v.Form("compare") != ""
	for _, m := range l.Marks {
		network := m.Type.Network()
		one, picked := found[m.ID.String()]
		chosen := m.ID.String() == target
		aside := target != "" && target != "all" && !chosen || slices.Contains(seen, network) || len(seen) == mostPreviews
		if !picked || aside && !compare {
			continue
		}
		seen = append(seen, network)
		view, known := c.app.Shown(m.Channel, one.Content)
		if !known {
			continue
		}
		shown := preview.Preview{View: view, Account: preview.AccountOf(m.Channel, m.Avatar), At: m.At.In(v.Zone()), Head: true, Notes: true}
		if m.At.IsZero() {
			shown.At = v.Now()
		}
		for _, asset := range one.Content.Media {
			shown.Pictures = append(shown.Pictures, l.picture(asset.ID.String(), asset.AltText))
		}
		if c.app.Takes(m.Channel, post.PartComment) {
			shown.Comment = l.draft.commentOf(m.ID.String()).stored().Content
		}
		for _, part := range l.posted(l.draft.threadOf(m.ID.String())) {
			if of, known := preview.PartOf(c.app, shown, m.Channel, part, l.PartAssets); known {
				shown.Parts = append(shown.Parts, of)
			}
		}
		html, err := preview.Render(shown)
		if err != nil {
			return err
		}
		l.Previews = append(l.Previews, html)
	}
	return nil
}

// picture returns what an attachment looks like.
func (l *look) picture(id, alt string) preview.Picture {
	for _, asset := range l.attached() {
		if asset.ID.String() == id {
			return preview.PictureOf(asset, alt)
		}
	}
	return preview.Picture{Alt: alt}
}
