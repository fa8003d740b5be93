package mastodon

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/rules/textlen"
)

// limitsFor is the time for which the limits of a server are kept.
const limitsFor = time.Hour

var errLimit = errors.New("beyond a limit of the server")

// limits are a server's own limits (docs.joinmastodon.org/entities/Instance). Zero: the server names none.
type limits struct {
	Statuses struct {
		Characters int `json:"max_characters"`
		Media      int `json:"max_media_attachments"`
		PerURL     int `json:"characters_reserved_per_url"`
	} `json:"statuses"`
	Media struct {
		Types       []string `json:"supported_mime_types"`
		ImageSize   int64    `json:"image_size_limit"`
		VideoSize   int64    `json:"video_size_limit"`
		ImagePixels int      `json:"image_matrix_limit"`
		VideoPixels int      `json:"video_matrix_limit"`
		Description int      `json:"description_limit"`
	} `json:"media_attachments"`

	Polls struct {
		Options    int `json:"max_options"`
		Characters int `json:"max_characters_per_option"`
	} `json:"polls"`

	until time.Time
}

// limitsOf returns the limits of the account's server.
func (c *Connector) limitsOf(ctx context.Context, s session) (limits, error) {
	now := s.Now()
	c.mu.Lock()
	known := c.limits[s.BaseURL()]
	c.mu.Unlock()
	if now.Before(known.until) {
		return known, nil
	}
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "limits"}, "v2", "instance"))
	if err != nil {
		return limits{}, err
	}
	var instance struct {
		Configuration limits `json:"configuration"`
	}
	switch {
	case response.Status == http.StatusNotFound: // older software
	case !response.OK():
		return limits{}, failure(s.Client, response)
	case response.Decode(&instance) != nil:
		return limits{}, s.Unclear(response, "not the description of a server")
	}
	found := instance.Configuration
	found.until = now.Add(limitsFor)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limits[s.BaseURL()] = found
	return found, nil
}

// check returns the failure of content that the server would refuse.
func (s session) check(content platform.Content, of limits) *platform.Failure {
	if most := of.Statuses.Characters; most > 0 {
		length := textlen.Mastodon(content.Text, of.Statuses.PerURL) + textlen.Characters(content.Options.ContentWarning)
		if length > most {
			return s.Fail(platform.ClassRejected, CodeRefused, errLimit,
				"The text counts as %d characters, and the account's Mastodon server allows %d. Shorten it, then publish the "+
					"post again.", length, most)
		}
	}
	if most := of.Statuses.Media; most > 0 && len(content.Media) > most {
		return s.Fail(platform.ClassRejected, platform.CodeMediaRefused, errLimit,
			"The post has %d attachments, and the account's Mastodon server allows %d. Remove some, then publish it again.",
			len(content.Media), most)
	}
	if refused := s.checkPoll(content.Options, of); refused != nil {
		return refused
	}
	for i, asset := range content.Media {
		most, pixels := of.Media.ImageSize, of.Media.ImagePixels
		if asset.Type == media.Video {
			most, pixels = of.Media.VideoSize, of.Media.VideoPixels
		}
		if has := asset.Probe.Width * asset.Probe.Height; pixels > 0 && has > pixels {
			return s.Fail(platform.ClassRejected, platform.CodeMediaRefused, errLimit,
				"Attachment %d has %d × %d pixels, and the account's Mastodon server allows %d in total. Replace it with a smaller "+
					"one, then publish the post again.", i+1, asset.Probe.Width, asset.Probe.Height, pixels)
		}
		if most > 0 && asset.Size > most {
			return s.Fail(platform.ClassRejected, platform.CodeMediaRefused, errLimit,
				"Attachment %d has %d bytes, and the account's Mastodon server allows %d. Replace it, then publish the post again.",
				i+1, asset.Size, most)
		}
		if types := of.Media.Types; len(types) > 0 && !slices.Contains(types, asset.ContentType) {
			return s.mediaFailure(i+1, errLimit)
		}
	}
	return nil
}
