package pinterest

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// createBody is a pin.
type createBody struct {
	BoardID     string      `json:"board_id"`
	SectionID   string      `json:"board_section_id,omitempty"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Link        string      `json:"link,omitempty"`
	AltText     string      `json:"alt_text,omitempty"`
	Source      mediaSource `json:"media_source"`
}

type mediaSource struct {
	Type string `json:"source_type"`
	imageItem
	Items   []imageItem `json:"items,omitempty"`
	Index   *int        `json:"index,omitempty"`
	MediaID string      `json:"media_id,omitempty"`
	// KeyFrame is the time of the cover in seconds. Pinterest refuses a video without a cover.
	KeyFrame *float64 `json:"cover_image_key_frame_time,omitempty"`
	CoverURL string   `json:"cover_image_url,omitempty"`
}

type imageItem struct {
	URL         string `json:"url,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Data        string `json:"data,omitempty"`
}

// escapeMarks removes the mark from the texts of the pin. It is not a valid character of them.
func (b *createBody) escapeMarks() {
	for _, text := range []*string{&b.Title, &b.Description, &b.Link, &b.AltText} {
		*text = strings.ReplaceAll(*text, bytesMark, "")
	}
}

// pinOf returns the pin without its media. A pin has one alternative text: that of the option, or of the video, or of the
// first attachment.
func pinOf(content platform.Content) createBody {
	alt := content.Options.AltText
	if alt == "" && len(content.Media) > 0 {
		alt = content.Media[0].AltText
	}
	if video, _, ok := videoOf(content); ok && content.Options.AltText == "" {
		alt = video.AltText
	}
	return createBody{
		BoardID: content.Options.BoardID, SectionID: content.Options.BoardSectionID, Title: content.Title,
		Description: content.Text, Link: content.Options.Link, AltText: alt,
	}
}

// Commit creates the pin. Images are part of the call; a video was uploaded before.
//
// Success is a 2xx response that names the pin. Any other 2xx leaves the outcome unknown.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	switch {
	case account.Credentials.AccessToken == "":
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	case len(content.Media) == 0:
		return platform.Publication{}, c.noMedia()
	case !digits.MatchString(content.Options.BoardID),
		content.Options.BoardSectionID != "" && !digits.MatchString(content.Options.BoardSectionID):
		return platform.Publication{}, c.boardGone(nil)
	}
	request := httpcall.Request{
		Operation: "publish", Method: http.MethodPost, Path: []string{version, "pins"}, Header: bearer(account),
		Secrets: []string{account.Credentials.AccessToken},
	}
	pin := pinOf(content)
	if video, cover, ok := videoOf(content); ok {
		id, err := videoIn(handle, video, c.client.Now())
		if err != nil {
			return platform.Publication{}, c.client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, err,
				"Pinterest no longer has the video of the post.")
		}
		pin.Source = mediaSource{Type: "video_id", MediaID: id}
		if err := pin.Source.cover(ctx, content, cover); err != nil {
			return platform.Publication{}, err
		}
		request.JSON = pin
		request.Secrets = append(request.Secrets, pin.Source.CoverURL)
		return c.commit(ctx, request)
	}
	all, err := c.open(ctx, content)
	if err != nil {
		return platform.Publication{}, err
	}
	defer all.close()
	pin.Source = all.source()
	if request.Body, err = all.body(pin); err != nil {
		return platform.Publication{}, c.client.Unreadable(err)
	}
	return c.commit(ctx, request)
}

// coverAt is the time of a video's cover in seconds, if the post has no cover of its own.
const coverAt = 1.0

// cover sets the cover of a video: the picture beside it, or a frame.
func (s *mediaSource) cover(ctx context.Context, content platform.Content, picture media.Asset) (err error) {
	if picture.Type != "" {
		s.CoverURL, err = content.Files.Link(ctx, picture)
		return err
	}
	at := coverAt
	if chosen := content.Options.ThumbOffset; chosen != nil {
		at = (time.Duration(*chosen) * time.Millisecond).Seconds()
	}
	s.KeyFrame = &at
	return nil
}

func (c *Connector) commit(ctx context.Context, request httpcall.Request) (platform.Publication, error) {
	response, err := c.client.CommitCall(ctx, request)
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.pinFailure(response)
	}
	var result struct {
		ID string `json:"id"`
	}
	if err := response.Decode(&result); err != nil || !digits.MatchString(result.ID) {
		return platform.Publication{}, c.client.Unclear(response, "success without the pin's id")
	}
	return c.publication(result.ID), nil
}

func (c *Connector) publication(id string) platform.Publication {
	return platform.Publication{ExternalID: id, URL: c.client.Permalink(c.permalink + "/pin/" + id + "/")}
}

// permalinkOf returns the base URL of pins.
func permalinkOf(configured, api string) string {
	if api == OfficialAPI {
		api = officialWeb
	}
	return strings.TrimRight(cmp.Or(configured, api), "/")
}
