package youtube

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// defaultCategory is YouTube's category People & Blogs, which its own clients preset.
const defaultCategory = "22"

// insertBody is the metadata of a new video.
type insertBody struct {
	Snippet snippet `json:"snippet"`
	Status  status  `json:"status"`
}

type snippet struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	CategoryID  string   `json:"categoryId"`
	Tags        []string `json:"tags,omitempty"`
}

// status holds the properties of a video's status part that a client can set. A call that sets the part deletes the
// properties that it omits.
type status struct {
	Privacy     string `json:"privacyStatus"`
	License     string `json:"license"`
	Embeddable  bool   `json:"embeddable"`
	Statistics  bool   `json:"publicStatsViewable"`
	MadeForKids *bool  `json:"selfDeclaredMadeForKids,omitempty"` // nil: the channel's own setting applies
	Synthetic   *bool  `json:"containsSyntheticMedia,omitempty"`
}

// Privacies of a video.
const (
	privacyPrivate = "private"
	privacyPublic  = "public"
)

// statusOf returns the status of the post's video with the given privacy.
func statusOf(content platform.Content, privacy string) status {
	options := content.Options
	s := status{
		Privacy: privacy, License: options.License, Embeddable: true, Statistics: true, MadeForKids: options.MadeForKids,
		Synthetic: options.AIGenerated,
	}
	s.License = cmp.Or(s.License, "youtube")
	if options.AllowEmbedding != nil {
		s.Embeddable = *options.AllowEmbedding
	}
	return s
}

// openSession creates an upload session for the file and returns the query of its address.
func (w *work) openSession(ctx context.Context, file platform.File) (string, error) {
	category := w.content.Options.Category
	category = cmp.Or(category, defaultCategory)
	query := url.Values{"uploadType": {"resumable"}, "part": {"snippet,status"}}
	if notify := w.content.Options.NotifySubscribers; notify != nil {
		query.Set("notifySubscribers", strconv.FormatBool(*notify))
	}
	header := bearer(w.account)
	header.Set("X-Upload-Content-Length", strconv.FormatInt(file.Size(), 10))
	header.Set("X-Upload-Content-Type", file.ContentType())
	response, err := w.uploads.Call(ctx, httpcall.Request{
		Operation: "initialize", Method: http.MethodPost, Path: []string{"videos"}, Query: query, Header: header,
		JSON: insertBody{
			Snippet: snippet{Title: w.content.Title, Description: w.content.Text, CategoryID: category, Tags: w.content.Options.Tags},
			Status:  statusOf(w.content, privacyPrivate),
		},
		Secrets: []string{w.account.Credentials.AccessToken},
	})
	if err != nil {
		return "", err
	}
	if !response.OK() {
		return "", w.refusal(response)
	}
	location, ok := w.sessionQuery(response.Header.Get("Location"))
	if !ok {
		return "", w.client.Unclear(response, "no upload session in the response")
	}
	return location, nil
}

// sessionQuery returns the query of a session's address. It returns false unless the address is the one of the upload
// call, because the token is sent there.
func (c *Connector) sessionQuery(location string) (string, bool) {
	const longest = 4096
	at, err := url.Parse(location)
	if err != nil || len(location) > longest || at.User != nil || at.Query().Get("upload_id") == "" {
		return "", false
	}
	return at.RawQuery, at.Scheme+"://"+at.Host+at.EscapedPath() == c.uploads.BaseURL()+"/videos"
}

// progress is the state of an upload: the id of the video, or the first byte that is missing.
type progress struct {
	video string
	next  int64
}

// probe asks how much of the file YouTube has.
func (w *work) probe(ctx context.Context, query string) (progress, error) {
	header := bearer(w.account)
	header.Set("Content-Range", fmt.Sprintf("bytes */%d", w.session.Size))
	return w.put(ctx, query, httpcall.Request{Operation: "upload_status", Header: header})
}

// chunk sends the next bytes of the file.
func (w *work) chunk(ctx context.Context, query string, file platform.File, from int64) (progress, error) {
	size := min(w.config.ChunkSize, w.session.Size-from)
	header := bearer(w.account)
	header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+size-1, w.session.Size))
	after, err := w.put(ctx, query, httpcall.Request{
		Operation: "append", Header: header,
		Body: &httpcall.Body{
			Size: size, ContentType: file.ContentType(),
			Reader: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, from, size)), nil },
		},
	})
	if err == nil && after.video == "" && after.next <= from {
		return progress{}, w.client.Unavailable(errNoProgress)
	}
	return after, err
}

// put makes a call to the session.
func (w *work) put(ctx context.Context, query string, request httpcall.Request) (progress, error) {
	request.Method, request.Path, request.QueryTail = http.MethodPut, []string{"videos"}, query
	request.Secrets = []string{w.account.Credentials.AccessToken, query, uploadID(query)}
	response, err := w.uploads.Call(ctx, request)
	switch {
	case err != nil:
		return progress{}, err
	case response.Status == http.StatusPermanentRedirect: // "Resume Incomplete"
		next, ok := missingFrom(response.Header.Get("Range"), w.session.Size)
		if !ok {
			return progress{}, w.client.Unclear(response, "no range in the response")
		}
		return progress{next: next}, nil
	case response.OK():
		var created video
		if response.Decode(&created) != nil || !videoID.MatchString(created.ID) {
			return progress{}, w.client.Unclear(response, "no video in the response")
		}
		return progress{video: created.ID}, nil
	case response.Status == http.StatusNotFound, response.Status == http.StatusGone:
		return progress{}, w.goneBecause(response.Cause("no session"))
	default:
		return progress{}, w.refusal(response)
	}
}

// uploadID returns the secret in the query of a session's address.
func uploadID(query string) string {
	values, _ := url.ParseQuery(query) // the malformed part of a query is not sent either
	return values.Get("upload_id")
}

var storedRange = regexp.MustCompile(`^bytes=0-([0-9]{1,15})$`)

// missingFrom returns the first byte after the Range of the bytes that YouTube has. Without a header it has none.
func missingFrom(header string, size int64) (int64, bool) {
	if header == "" {
		return 0, true
	}
	parts := storedRange.FindStringSubmatch(header)
	if parts == nil {
		return 0, false
	}
	last, err := strconv.ParseInt(parts[1], 10, 64)
	return last + 1, err == nil && last+1 < size
}

// setCover sends the thumbnail and records the result. A refusal is no failure of the post: YouTube accepts thumbnails
// only of channels with a verified phone number, and of a Short only after processing.
func (w *work) setCover(ctx context.Context) error {
	file, err := w.content.Files.Open(ctx, w.cover)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	response, err := w.uploads.Call(ctx, httpcall.Request{
		Operation: "thumbnail", Method: http.MethodPost, Path: []string{"thumbnails", "set"},
		Query: url.Values{"videoId": {w.session.Video}}, Header: bearer(w.account),
		Body: &httpcall.Body{
			Size: file.Size(), ContentType: file.ContentType(),
			Reader: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, file.Size())), nil },
		},
		Secrets: []string{w.account.Credentials.AccessToken},
	})
	if err != nil {
		return err
	}
	if response.OK() {
		w.session.Cover = coverSet
		return nil
	}
	failure := w.refusal(response)
	switch failure.Class {
	case platform.ClassTransient, platform.ClassRefresh:
		return failure
	case platform.ClassRejected, platform.ClassRateLimited, platform.ClassReconnect, platform.ClassUser,
		platform.ClassOperator, platform.ClassUnknown:
	}
	w.session.Cover = coverRefused
	return nil
}

// Note reports a thumbnail that YouTube refused.
func (c *Connector) Note(content platform.Content, handle platform.Handle) string {
	if asset, _, ok := attachments(content.Media); !ok || sessionOf(handle, asset, c.client.Now()).Cover != coverRefused {
		return ""
	}
	return "YouTube did not accept the thumbnail. It takes one only from channels with a verified phone number, and for a " +
		"Short only after processing. Set it in YouTube Studio."
}

// mediaFailure returns the failure for YouTube's refusal of the file.
func (c *Connector) mediaFailure(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"YouTube could not use the video. Replace it, or convert it to an MP4 video, then publish the post again.")
}

// mediaGone returns the failure for an upload or a video that YouTube no longer has.
func (c *Connector) mediaGone(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, cause,
		"YouTube no longer has the video of the post.")
}

// isShort reports whether YouTube shows the file as a Short: a vertical or square video of up to three minutes. The
// requested form decides only if the file's properties are unknown.
func isShort(asset media.Asset, requested bool) bool {
	probe := asset.Probe
	if probe.Width <= 0 || probe.Height <= 0 || probe.Duration <= 0 {
		return requested
	}
	return probe.Height >= probe.Width && probe.Duration <= longestShort
}

// plain removes the reason that YouTube reports for a video, unless it is one word of letters.
func plain(reason string) string {
	const longest = 40
	if len(reason) > longest || strings.IndexFunc(reason, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) >= 0 {
		return ""
	}
	return reason
}
