package youtube

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Discarder = (*Connector)(nil)

const (
	recentUploads = 50              // of one page, the maximum
	clockSkew     = 2 * time.Minute // maximum difference between the clocks
)

// recover looks for the video of an upload whose session YouTube no longer has: the session ends with the upload. If the
// uploads of the channel have none, or several that fit, the upload starts again.
func (w *work) recover(ctx context.Context, cause error) error {
	id, err := w.uploadedVideo(ctx)
	switch {
	case err != nil:
		return err
	case id != "":
		w.session.Video = id
		return nil
	default:
		return w.anew(cause)
	}
}

// uploadedVideo returns the id of the private video with the metadata and the size of the upload that was added since it
// began; empty if there is not exactly one.
func (w *work) uploadedVideo(ctx context.Context) (string, error) {
	var channels struct {
		Items httpcall.Some[struct {
			Details struct {
				Playlists struct {
					Uploads string `json:"uploads"`
				} `json:"relatedPlaylists"`
			} `json:"contentDetails"`
		}] `json:"items"`
	}
	err := w.read(ctx, "channels", url.Values{"part": {"contentDetails"}, "mine": {"true"}}, &channels)
	if err != nil || len(channels.Items) == 0 {
		return "", err
	}
	var uploads struct {
		Items httpcall.Some[struct {
			Snippet struct {
				Title       string    `json:"title"`
				Description string    `json:"description"`
				PublishedAt time.Time `json:"publishedAt"`
			} `json:"snippet"`
			Details struct {
				VideoID string `json:"videoId"`
			} `json:"contentDetails"`
			Status struct {
				Privacy string `json:"privacyStatus"`
			} `json:"status"`
		}] `json:"items"`
	}
	if err := w.read(ctx, "playlistItems", url.Values{
		"part": {"snippet,contentDetails,status"}, "maxResults": {strconv.Itoa(recentUploads)},
		"playlistId": {channels.Items[0].Details.Playlists.Uploads},
	}, &uploads); err != nil {
		return "", err
	}
	since := time.Unix(w.session.Begun, 0).Add(-clockSkew)
	var ids []string
	for _, item := range uploads.Items {
		same := readback.Squeeze(item.Snippet.Title) == readback.Squeeze(w.content.Title) &&
			readback.Squeeze(item.Snippet.Description) == readback.Squeeze(w.content.Text)
		if same && item.Status.Privacy == privacyPrivate && !item.Snippet.PublishedAt.Before(since) &&
			videoID.MatchString(item.Details.VideoID) {
			ids = append(ids, item.Details.VideoID)
		}
	}
	return w.ofSize(ctx, ids)
}

// ofSize returns the one video whose file has the size of the upload; empty if there is not exactly one.
func (w *work) ofSize(ctx context.Context, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", nil
	}
	var found struct {
		Items httpcall.Some[struct {
			ID   string `json:"id"`
			File struct {
				Size string `json:"fileSize"`
			} `json:"fileDetails"`
		}] `json:"items"`
	}
	query := url.Values{"part": {"id,fileDetails"}, "id": {strings.Join(ids, ",")}}
	if err := w.read(ctx, "videos", query, &found); err != nil {
		return "", err
	}
	var fits []string
	for _, v := range found.Items {
		if v.File.Size == strconv.FormatInt(w.session.Size, 10) && slices.Contains(ids, v.ID) {
			fits = append(fits, v.ID)
		}
	}
	if len(fits) != 1 {
		return "", nil
	}
	return fits[0], nil
}

// read makes a call that reads.
func (w *work) read(ctx context.Context, path string, query url.Values, into any) error {
	response, err := w.client.Call(ctx, httpcall.Request{
		Operation: "recover", Path: []string{path}, Query: query, Header: bearer(w.account),
		Secrets: []string{w.account.Credentials.AccessToken},
	})
	if err != nil {
		return err
	}
	if !response.OK() {
		return w.refusal(response)
	}
	if response.Decode(into) != nil {
		return w.client.Unclear(response, "no list in the response")
	}
	return nil
}

// Discard deletes the uploaded video of a post that is not published. It deletes only a private video.
func (c *Connector) Discard(ctx context.Context, account platform.Account, handle platform.Handle) error {
	id := videoOf(handle)
	if id == "" || !usable(account) {
		return nil
	}
	seen, err := c.look(ctx, "discard", account, id)
	if errors.Is(err, errVideoGone) {
		return nil
	}
	if err != nil || seen.Status.Privacy != privacyPrivate {
		return err
	}
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "discard", Method: http.MethodDelete, Path: []string{"videos"}, Query: url.Values{"id": {id}},
		Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return err
	}
	if response.OK() || response.Status == http.StatusNotFound {
		return nil
	}
	return c.refusal(response)
}
