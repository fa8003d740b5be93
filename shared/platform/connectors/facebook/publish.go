package facebook

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// created is the response of a call that creates an object.
type created struct {
	ID string `json:"id"`
}

// attached refers to an uploaded photo.
type attached struct {
	ID string `json:"media_fbid"`
}

// finished is the response of the call that publishes a reel or a story.
type finished struct {
	Success bool            `json:"success"`
	PostID  json.RawMessage `json:"post_id"` // a text or a number
}

// story returns the id of a published story.
func (f finished) story() string {
	var text string
	if json.Unmarshal(f.PostID, &text) != nil {
		text = string(f.PostID)
	}
	return text
}

// Commit publishes the post on the Page. After Facebook has confirmed the publication, no later error fails the call: if
// the permalink cannot be read, it is built from the id. The publication of a video is marked as in review, because
// Facebook processes a video before it shows it, and may fail.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if comments.IsFirst(content) {
		return c.commitFirst(ctx, account, content)
	}
	s := sessionOf(handle, content, c.client.Now().Add(-clockMargin))
	if !s.ready() {
		return platform.Publication{}, c.client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, errNotUploaded,
			"Facebook no longer has the attachments of the post.")
	}
	client := c.client
	if s.Form == formVideo {
		client = c.videos
	}
	response, err := client.CommitCall(ctx, c.publishCall(account, content, s))
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.failure(response)
	}
	switch s.Form {
	case formReel, formVideoStory:
		return c.finished(ctx, account, response, s)
	case formPhotoStory:
		return c.photoStory(ctx, account, response, s)
	case formText, formPhotos, formVideo:
	}
	var result created
	err = response.Decode(&result)
	switch {
	case err == nil && s.Form == formVideo && objectPattern.MatchString(result.ID):
		return c.processed(ctx, account, result.ID), nil
	case err == nil && s.Form != formVideo && idPattern.MatchString(result.ID):
		return c.publication(result.ID, c.permalinkOf(ctx, account, result.ID)), nil
	default:
		return platform.Publication{}, c.client.Unclear(response, "success without the post's id")
	}
}

// publishCall returns the irrevocable call.
func (c *Connector) publishCall(account platform.Account, content platform.Content, s session) httpcall.Request {
	edge, form, query := "feed", url.Values{}, url.Values(nil)
	set := func(name, value string) {
		if value != "" {
			form.Set(name, value)
		}
	}
	switch s.Form {
	case formText:
		set("message", content.Text)
		set("link", content.Options.Link)
	case formPhotos:
		photos := make([]attached, len(s.Uploads))
		for i, id := range s.ids() {
			photos[i].ID = id
		}
		list, _ := json.Marshal(photos) // only strings: cannot fail
		set("message", content.Text)
		form.Set("attached_media", string(list))
	case formVideo:
		edge = "videos"
		set("title", content.Title)
		set("description", content.Text)
		form.Set("fbuploader_video_file_chunk", s.Uploads[0].File)
		form.Set("published", "true")
	case formReel:
		edge, query = edgeReels, url.Values{"upload_phase": {"finish"}}
		set("title", content.Title)
		set("description", content.Text)
		form.Set("video_id", s.Uploads[0].ID)
		form.Set("video_state", "PUBLISHED")
	case formVideoStory:
		edge, query = edgeStories, url.Values{"upload_phase": {"finish"}}
		form.Set("video_id", s.Uploads[0].ID)
	case formPhotoStory:
		edge = "photo_stories"
		form.Set("photo_id", s.Uploads[0].ID)
	}
	form.Set("access_token", account.Credentials.AccessToken)
	return httpcall.Request{
		Operation: "publish", Method: http.MethodPost, Path: []string{c.version, account.ExternalID, edge}, Query: query,
		Form: form, Secrets: []string{account.Credentials.AccessToken},
	}
}

// finished returns the publication of a reel or of a video story. Its id was known before.
func (c *Connector) finished(
	ctx context.Context, account platform.Account, response httpcall.Response, s session,
) (platform.Publication, error) {
	var result finished
	if err := response.Decode(&result); err != nil || !result.Success {
		return platform.Publication{}, c.client.Unclear(response, "no confirmation in the response")
	}
	return c.processed(ctx, account, s.Uploads[0].ID), nil
}

// processed returns the publication of an accepted video, which Facebook usually still processes.
func (c *Connector) processed(ctx context.Context, account platform.Account, id string) platform.Publication {
	ctx, cancel := context.WithTimeout(ctx, permalinkTimeout)
	defer cancel()
	found, err := c.video(ctx, "permalink", account, id)
	if err != nil {
		return c.videoPublication(video{ID: id}, true)
	}
	return c.videoPublication(found, !found.public())
}

// photoStory returns the publication of a photo story.
func (c *Connector) photoStory(
	ctx context.Context, account platform.Account, response httpcall.Response, s session,
) (platform.Publication, error) {
	var result finished
	if err := response.Decode(&result); err != nil || !result.Success || !storyPattern.MatchString(result.story()) {
		return platform.Publication{}, c.client.Unclear(response, "success without the story's id")
	}
	ctx, cancel := context.WithTimeout(ctx, permalinkTimeout)
	defer cancel()
	link := ""
	if page, err := c.stories(ctx, "permalink", account, url.Values{}); err == nil {
		link = page.of(s.Uploads[0].ID).URL
	}
	return c.publication(result.story(), link), nil
}

// permalinkOf reads the post's own permalink. It returns an empty string if the call fails or times out.
func (c *Connector) permalinkOf(ctx context.Context, account platform.Account, id string) string {
	ctx, cancel := context.WithTimeout(ctx, permalinkTimeout)
	defer cancel()
	response, err := c.get(ctx, "permalink", account, url.Values{"fields": {"permalink_url"}}, id)
	if err != nil || !response.OK() {
		return ""
	}
	var found listed
	if err := response.Decode(&found); err != nil || found.ID != id {
		return ""
	}
	return found.Permalink
}

// publication returns the publication of the post. Facebook redirects from an id to its post, so there is a URL even
// without the post's own permalink.
func (c *Connector) publication(id, link string) platform.Publication {
	shown := c.client.Permalink(link)
	if shown == "" {
		shown = c.client.Permalink(c.permalink + "/" + url.PathEscape(id))
	}
	return platform.Publication{ExternalID: id, URL: shown}
}
