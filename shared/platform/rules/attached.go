package rules

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// Undescribed returns the indices of the attachments that the network shows with an alternative text and that have none.
func (t Table) Undescribed(kind channel.Type, content platform.Content) (missing []int) {
	row, ok := t.Of(kind)
	if !ok {
		return nil
	}
	for i, asset := range content.Media {
		if row.AltText.Takes(asset.Type, content.ContentType) && strings.TrimSpace(asset.AltText) == "" {
			missing = append(missing, i)
		}
	}
	return missing
}

// Fitting returns the indices of the attachments that the network accepts together: each one that it accepts beside those
// before it. It returns nil if the network accepts all of them, or none.
func (t Table) Fitting(kind channel.Type, content platform.Content) (kept []int) {
	if len(content.Media) == 0 || t.accepts(kind, content, content.Media) {
		return nil
	}
	var files []media.Asset
	for i, asset := range content.Media {
		with := slices.Concat(files, []media.Asset{asset})
		if t.accepts(kind, content, with) {
			files, kept = with, append(kept, i)
		}
	}
	return kept
}

// accepts reports whether the rules have nothing against attachments.
func (t Table) accepts(kind channel.Type, content platform.Content, files []media.Asset) bool {
	content.Media = files
	return !slices.ContainsFunc(t.Check(kind, content), func(f platform.Finding) bool {
		return !f.Warning && strings.HasPrefix(f.Member, "mediaIds")
	})
}

// Covered reports whether the network takes a picture beside a video as its cover, in posts of the content type.
func (t Table) Covered(kind channel.Type, as post.ContentType) bool {
	row, _ := t.Of(kind)
	return slices.ContainsFunc(row.Forms, func(f Form) bool { return slices.Contains(f.As, as) && f.Media.Cover.Type != "" })
}

// CoverFault says why the network does not take a picture as the cover of a video; empty if it does.
func (t Table) CoverFault(kind channel.Type, as post.ContentType, picture media.Asset) string {
	content := platform.Content{ContentType: as, Media: []media.Asset{{Type: media.Video}, picture}}
	for _, f := range t.Check(kind, content) {
		if !f.Warning && f.Member == pointer(1) {
			return strings.Replace(f.Message, "Attachment 2", "The picture", 1)
		}
	}
	return ""
}

// Trimmed returns the greatest length of a video with which the network has no longer this finding about it; zero if its
// length is not the reason.
func (t Table) Trimmed(kind channel.Type, content platform.Content, i int, message string) (longest time.Duration) {
	row, ok := t.Of(kind)
	if !ok || content.Media[i].Type != media.Video {
		return 0
	}
	if row.Known != nil {
		row.Known(&row, content.Facts)
	}
	whole := content.Media[i].Probe.Duration
	content.Media = slices.Clone(content.Media)
	for _, form := range row.LongestVideos() {
		if form.Max <= longest || form.Max >= whole {
			continue
		}
		content.Media[i].Probe.Duration = form.Max
		if !slices.ContainsFunc(t.Check(kind, content), func(f platform.Finding) bool { return f.Message == message }) {
			longest = form.Max
		}
	}
	return longest
}
