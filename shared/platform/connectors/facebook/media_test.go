package facebook_test

import (
	"io"
	"mime"
	"mime/multipart"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/facebook"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	photosCall  = "POST /v26.0/42/photos"
	photoCall   = "GET /v26.0/71"
	reelsCall   = "POST /v26.0/42/video_reels"
	videoCall   = "GET /v26.0/72"
	bytesCall   = "POST /rupload/video-upload/v26.0/72"
	uploadsCall = "POST /v26.0/123/uploads"
	sessionGet  = "GET /v26.0/upload:abc="
	sessionPost = "POST /v26.0/upload:abc="
	videosCall  = "POST /v26.0/42/videos"
	storyCall   = "POST /v26.0/42/photo_stories"
	storiesCall = "GET /v26.0/42/stories"

	uploading = `{"id":"72","status":{"video_status":"uploading","uploading_phase":{"status":"in_progress","bytes_transferred":0}}}`
	uploaded  = `{"id":"72","status":{"video_status":"upload_complete","uploading_phase":{"status":"complete"},` +
		`"publishing_phase":{"status":"not_started"}}}`
	public = `{"id":"72","permalink_url":"/reel/72/","status":{"video_status":"ready",` +
		`"publishing_phase":{"status":"complete","publish_status":"published"}}}`
	broken = `{"id":"72","status":{"video_status":"error","processing_phase":{"status":"error",` +
		`"errors":[{"message":"unsupported format"}]}}}`
)

// carrying is a bundle whose post has attachments.
type carrying struct {
	*bundle

	clock *clocktest.Fake
}

func carry(
	t *testing.T, kind post.ContentType, responses map[string][]platformtest.Response, files ...platformtest.Attachment,
) *carrying {
	t.Helper()
	c := &carrying{bundle: setup(t, responses), clock: clocktest.New(now())}
	connector, err := facebook.New(facebook.Config{
		Wire: httpcall.Config{BaseURL: c.script.URL, Clock: c.clock}, PermalinkURL: "https://www.facebook.com/",
		AppToken: "123|app/secret",
	})
	require.NoError(t, err)
	storage := platformtest.Files(t, files...)
	c.connector, c.content.Files, c.content.ContentType = connector, storage, kind
	for _, file := range files {
		c.content.Media = append(c.content.Media, file.Asset)
	}
	t.Cleanup(func() { require.Zero(t, storage.Unclosed(), "files were not closed") })
	return c
}

// prepare prepares the post for as long as it needs no wait, and returns the last preparation.
func (c *carrying) prepare(t *testing.T, handle platform.Handle) platform.Preparation {
	t.Helper()
	for {
		preparation, err := c.connector.Prepare(t.Context(), c.account, c.content, handle)
		require.NoError(t, err)
		if preparation.Ready || preparation.Handle == handle || preparation.Wait > 0 {
			return preparation
		}
		handle = preparation.Handle
	}
}

func (c *carrying) calls() []string {
	var calls []string
	for _, r := range c.script.Requests() {
		calls = append(calls, r.Method+" "+r.Path)
	}
	return calls
}

// wideVideo returns a video that does not fit into a reel.
func wideVideo() platformtest.Attachment {
	video := platformtest.Video(3000)
	video.Asset.Probe.Width, video.Asset.Probe.Height = 1280, 720
	return video
}

func fieldsOf(t *testing.T, r platformtest.Recorded) map[string]string {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	require.NoError(t, err)
	reader, found := multipart.NewReader(strings.NewReader(r.Body), parameters["boundary"]), make(map[string]string)
	for {
		part, err := reader.NextPart()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return found
		}
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		found[part.FormName()] = string(content)
	}
}

func TestPhotosArePostedWithAltTexts(t *testing.T) {
	t.Parallel()

	described, plain := platformtest.Picture(t, 1), platformtest.Picture(t, 2)
	described.Asset.AltText = "Blue tiles & a wall"
	c := carry(t, post.ContentPost, map[string][]platformtest.Response{
		photosCall: {ok(`{"id":"71"}`), ok(`{"id":"73"}`)}, publishCall: {ok(`{"id":"42_180"}`)},
		postCall: {ok(`{"id":"42_180","permalink_url":"https://www.facebook.com/p"}`)},
	}, described, plain)
	ready := c.prepare(t, "")
	require.True(t, ready.Ready)
	publication, err := c.connector.Commit(t.Context(), c.account, c.content, ready.Handle)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "42_180", URL: "https://www.facebook.com/p"}, publication)

	requests := c.script.Requests()
	require.Equal(t, map[string]string{
		"published": "false", "alt_text_custom": "Blue tiles & a wall", "source": string(described.Bytes),
	}, fieldsOf(t, requests[0]))
	require.Equal(t, map[string]string{"published": "false", "source": string(plain.Bytes)}, fieldsOf(t, requests[1]))
	require.JSONEq(t, `[{"media_fbid":"71"},{"media_fbid":"73"}]`, requests[2].Form(t).Get("attached_media"))
	require.Equal(t, "Hello & welcome", requests[2].Form(t).Get("message"))
}

// TestTransferContinues checks that the rest of an interrupted transfer is sent from the byte that Facebook has.
func TestTransferContinues(t *testing.T) {
	t.Parallel()

	video := platformtest.Video(5000)
	partly := ok(`{"id":"72","status":{"video_status":"uploading","uploading_phase":{"bytes_transferred":1200}}}`)
	c := carry(t, post.ContentReel, map[string][]platformtest.Response{
		reelsCall: {ok(`{"video_id":"72","upload_url":"https://elsewhere.example/72"}`), ok(`{"success":true}`)},
		videoCall: {ok(uploading), partly, ok(uploaded), ok(public)}, bytesCall: {{Status: 503}, ok(`{"success":true}`)},
	}, video)
	started := c.prepareOnce(t, "")
	require.False(t, started.Ready)
	require.Contains(t, string(started.Handle), `"id":"72"`, "the id is stored before the transfer")
	_, err := c.connector.Prepare(t.Context(), c.account, c.content, started.Handle)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	ready := c.prepareOnce(t, started.Handle)
	require.True(t, ready.Ready)

	c.content.Title = "A title"
	publication, err := c.connector.Commit(t.Context(), c.account, c.content, ready.Handle)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "72", URL: "https://www.facebook.com/reel/72/"}, publication)
	require.Equal(t, []string{
		reelsCall, videoCall, bytesCall, videoCall, bytesCall, videoCall, reelsCall, videoCall,
	}, c.calls())
	requests := c.script.Requests()
	require.Equal(t, "start", requests[0].Query.Get("upload_phase"))
	for i, from := range map[int]int{2: 0, 4: 1200} {
		require.Equal(t, string(video.Bytes[from:]), requests[i].Body)
		require.Equal(t, "OAuth token/1", requests[i].Header.Get("Authorization"))
		require.Equal(t, "5000", requests[i].Header.Get("File_size"))
	}
	require.Equal(t, "1200", requests[4].Header.Get("Offset"))
	form := requests[6].Form(t)
	require.Equal(t, "finish", requests[6].Query.Get("upload_phase"))
	require.Equal(t, []string{"72", "PUBLISHED", "Hello & welcome", "A title", "token/1"}, []string{
		form.Get("video_id"), form.Get("video_state"), form.Get("description"), form.Get("title"), form.Get("access_token"),
	})
}

func (c *carrying) prepareOnce(t *testing.T, handle platform.Handle) platform.Preparation {
	t.Helper()
	preparation, err := c.connector.Prepare(t.Context(), c.account, c.content, handle)
	require.NoError(t, err)
	return preparation
}

func TestApplicationUploadsFeedVideo(t *testing.T) {
	t.Parallel()

	video := wideVideo()
	c := carry(t, post.ContentVideo, map[string][]platformtest.Response{
		uploadsCall: {ok(`{"id":"upload:abc=?sig=xyz"}`)}, sessionGet: {ok(`{"id":"upload:abc=","file_offset":7}`)},
		sessionPost: {ok(`{"h":"4:handle=="}`)}, videosCall: {ok(`{"id":"72"}`)}, videoCall: {ok(uploaded)},
	}, video)
	ready := c.prepare(t, "")
	require.True(t, ready.Ready)
	publication, err := c.connector.Commit(t.Context(), c.account, c.content, ready.Handle)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{
		ExternalID: "72", URL: "https://www.facebook.com/reel/72", InReview: true,
	}, publication)
	requests := c.script.Requests()
	require.Equal(t, []string{uploadsCall, sessionGet, sessionPost, videosCall, videoCall}, c.calls())
	require.Equal(t, []string{"3000", "video/mp4"}, []string{
		requests[0].Form(t).Get("file_length"), requests[0].Form(t).Get("file_type"),
	})
	for _, r := range requests[:3] {
		require.Equal(t, "OAuth 123|app/secret", r.Header.Get("Authorization"))
	}
	require.Equal(t, "xyz", requests[2].Query.Get("sig"))
	require.Equal(t, "7", requests[2].Header.Get("File_offset"))
	require.Equal(t, string(video.Bytes[7:]), requests[2].Body)
	require.Equal(t, "4:handle==", requests[3].Form(t).Get("fbuploader_video_file_chunk"))

	_, err = c.withoutApp(t).Prepare(t.Context(), c.account, c.content, "")
	require.Equal(t, platform.ClassOperator, platformtest.Failure(t, err).Class)
}

func (c *carrying) withoutApp(t *testing.T) *facebook.Connector {
	t.Helper()
	connector, err := facebook.New(facebook.Config{Wire: httpcall.Config{BaseURL: c.script.URL, Clock: c.clock}})
	require.NoError(t, err)
	return connector
}

// TestReelsAreDistinguishedFromVideos checks which videos become reels.
func TestReelsAreDistinguishedFromVideos(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		kind   post.ContentType
		change func(*media.Asset)
		call   string
	}{
		"reel":           {post.ContentReel, func(*media.Asset) {}, reelsCall},
		"fits":           {post.ContentVideo, func(*media.Asset) {}, reelsCall},
		"fits a post":    {post.ContentPost, func(*media.Asset) {}, reelsCall},
		"story":          {post.ContentStory, func(*media.Asset) {}, "POST /v26.0/42/video_stories"},
		"long":           {post.ContentVideo, func(a *media.Asset) { a.Probe.Duration = 91 * time.Second }, uploadsCall},
		"long reel":      {post.ContentReel, func(a *media.Asset) { a.Probe.Duration = 91 * time.Second }, reelsCall},
		"short":          {post.ContentVideo, func(a *media.Asset) { a.Probe.Duration = 2 * time.Second }, uploadsCall},
		"narrow":         {post.ContentVideo, func(a *media.Asset) { a.Probe.Width = 500 }, uploadsCall},
		"small":          {post.ContentVideo, func(a *media.Asset) { a.Probe.Width, a.Probe.Height = 270, 480 }, uploadsCall},
		"another format": {post.ContentVideo, func(a *media.Asset) { a.ContentType = media.ContentTypeMOV }, uploadsCall},
		"unknown":        {post.ContentVideo, func(a *media.Asset) { a.Probe = media.Probe{} }, uploadsCall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := carry(t, test.kind, nil, platformtest.Video(2000))
			test.change(&c.content.Media[0])
			_, err := c.connector.Prepare(t.Context(), c.account, c.content, "")
			require.Error(t, err, "the script has no answer")
			require.Equal(t, []string{test.call}, c.calls())
		})
	}
}

// TestRefusedVideoIsReplacedOnce checks that a draft that Facebook cannot use is replaced once.
func TestRefusedVideoIsReplacedOnce(t *testing.T) {
	t.Parallel()

	ended := platformtest.Response{Status: 400, Body: `{"debug_info":{"retriable":false,"type":"ProcessingFailedError"}}`}
	offset := platformtest.Response{Status: 400, Body: `{"debug_info":{"retriable":false,"type":"OffsetInvalidError"}}`}
	for name, test := range map[string]struct {
		responses map[string][]platformtest.Response
		starts    int
		class     platform.Class
	}{
		"error":     {map[string][]platformtest.Response{videoCall: {ok(broken)}}, 2, platform.ClassRejected},
		"gone":      {map[string][]platformtest.Response{videoCall: {graph(400, 100, 33, "gone")}}, 2, platform.ClassRejected},
		"transfer":  {map[string][]platformtest.Response{videoCall: {ok(uploading)}, bytesCall: {ended}}, 2, platform.ClassRejected},
		"an offset": {map[string][]platformtest.Response{videoCall: {ok(uploading)}, bytesCall: {offset}}, 1, platform.ClassTransient},
		"too much": {map[string][]platformtest.Response{videoCall: {
			ok(`{"id":"72","status":{"video_status":"uploading","uploading_phase":{"bytes_transferred":2001}}}`),
		}}, 2, platform.ClassRejected},
		"reconnect": {map[string][]platformtest.Response{videoCall: {graph(400, 190, 463, "expired")}}, 1, platform.ClassReconnect},
		"unclear":   {map[string][]platformtest.Response{videoCall: {ok("{}")}}, 1, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			test.responses[reelsCall] = []platformtest.Response{ok(`{"video_id":"72"}`)}
			c := carry(t, post.ContentReel, test.responses, platformtest.Video(2000))
			var handle platform.Handle
			for range 6 {
				preparation, err := c.connector.Prepare(t.Context(), c.account, c.content, handle)
				if err != nil {
					require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
					starts := 0
					for _, call := range c.calls() {
						if call == reelsCall {
							starts++
						}
					}
					require.Equal(t, test.starts, starts)
					return
				}
				require.False(t, preparation.Ready)
				handle = preparation.Handle
			}
			require.Fail(t, "no failure")
		})
	}
}

// TestExpiringUploadIsRepeated checks that uploads are not used shortly before Facebook deletes them.
func TestExpiringUploadIsRepeated(t *testing.T) {
	t.Parallel()

	c := carry(t, post.ContentPost, map[string][]platformtest.Response{photosCall: {ok(`{"id":"71"}`)}},
		platformtest.Picture(t, 1))
	ready := c.prepare(t, "")
	c.clock.Advance(22 * time.Hour)
	require.Equal(t, ready, c.prepare(t, ready.Handle))
	c.clock.Advance(time.Hour)
	require.NotEqual(t, ready.Handle, c.prepare(t, ready.Handle).Handle)
	require.Len(t, c.script.Requests(), 2)
	c.clock.Advance(2 * time.Hour)
	_, err := c.connector.Commit(t.Context(), c.account, c.content, ready.Handle)
	require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code)
}

func TestPhotoStories(t *testing.T) {
	t.Parallel()

	const list = `{"data":[{"post_id":"900","media_id":"70","url":"https://www.facebook.com/stories/1"},` +
		`{"post_id":"901","media_id":"71","url":"https://www.facebook.com/stories/2"}]}`
	c := carry(t, post.ContentStory, map[string][]platformtest.Response{
		photosCall: {ok(`{"id":"71"}`)}, storyCall: {ok(`{"success":true,"post_id":901}`)},
		storiesCall: {ok(list), ok(list), ok(`{"data":[]}`)},
	}, platformtest.Picture(t, 1))
	ready := c.prepare(t, "")
	publication, err := c.connector.Commit(t.Context(), c.account, c.content, ready.Handle)
	require.NoError(t, err)
	want := platform.Publication{ExternalID: "901", URL: "https://www.facebook.com/stories/2"}
	require.Equal(t, want, publication)
	require.Equal(t, "71", c.script.Requests()[1].Form(t).Get("photo_id"))

	sent := platform.Sent{Handle: ready.Handle, At: now()}
	evidence, found, err := c.connector.Reconcile(t.Context(), c.account, c.content, sent)
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, want, found)
	evidence, _, err = c.connector.Reconcile(t.Context(), c.account, c.content, sent)
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceAbsent, evidence)
	c.clock.Advance(25 * time.Hour)
	evidence, _, err = c.connector.Reconcile(t.Context(), c.account, c.content, sent)
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence, "older stories are not listed")
}

func TestReconcilePhotos(t *testing.T) {
	t.Parallel()

	const at = `"created_time":"2026-03-01T09:00:05+0000"`
	album := func(text, photo string) string {
		return `{"id":"42_180","message":"` + text + `",` + at + `,"attachments":{"data":[{"media_type":"album",` +
			`"subattachments":{"data":[{"target":{"id":"5"}},{"target":{"id":"` + photo + `"}}]}}]}}`
	}
	for name, test := range map[string]struct {
		photo, list platformtest.Response
		want        platform.Evidence
	}{
		"of a post":       {ok(`{"id":"71","page_story_id":"42_180"}`), ok("{}"), platform.EvidenceFound},
		"in an album":     {ok(`{"id":"71"}`), page(false, album("Edited", "71")), platform.EvidenceFound},
		"others":          {ok(`{"id":"71"}`), page(false, album("Hello", "70")), platform.EvidenceAbsent},
		"nothing":         {ok(`{"id":"71"}`), page(false), platform.EvidenceAbsent},
		"deleted":         {graph(400, 100, 33, "gone"), page(false), platform.EvidenceUnclear},
		"deleted, listed": {graph(400, 100, 33, "gone"), page(false, album("Hello", "71")), platform.EvidenceFound},
		"hostile":         {ok(`{"id":"71","page_story_id":"../me"}`), page(false), platform.EvidenceAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := carry(t, post.ContentPost, map[string][]platformtest.Response{
				photosCall: {ok(`{"id":"71"}`)}, photoCall: {test.photo}, listCall: {test.list},
			}, platformtest.Picture(t, 1))
			evidence, found, err := c.connector.Reconcile(t.Context(), c.account, c.content,
				platform.Sent{Handle: c.prepare(t, "").Handle, Text: "Hello", At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "42_180")
		})
	}
}

func TestReconcileReel(t *testing.T) {
	t.Parallel()

	const state = `{"id":"72","status":{"video_status":"processing","publishing_phase":{"status":"`
	for name, test := range map[string]struct {
		video platformtest.Response
		want  platform.Evidence
	}{
		"published":    {ok(public), platform.EvidenceFound},
		"publishing":   {ok(state + `in_progress"}}}`), platform.EvidenceFound},
		"processing":   {ok(state + `not_started"}}}`), platform.EvidenceUnclear},
		"not finished": {ok(uploaded), platform.EvidenceAbsent},
		"failed":       {ok(broken), platform.EvidenceAbsent},
		"deleted":      {graph(400, 100, 33, "gone"), platform.EvidenceUnclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := carry(t, post.ContentReel, map[string][]platformtest.Response{
				reelsCall: {ok(`{"video_id":"72"}`)}, videoCall: {ok(uploaded), test.video},
			}, platformtest.Video(2000))
			evidence, found, err := c.connector.Reconcile(t.Context(), c.account, c.content,
				platform.Sent{Handle: c.prepare(t, "").Handle, At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "72")
			require.Equal(t, name == "publishing", found.InReview)
		})
	}

	c := carry(t, post.ContentReel, nil, platformtest.Video(2000))
	evidence, _, err := c.connector.Reconcile(t.Context(), c.account, c.content, platform.Sent{Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence, "without a handle nothing identifies the reel")
}

func TestReview(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		video platformtest.Response
		want  platform.Publication
		class platform.Class
	}{
		"published": {
			ok(public), platform.Publication{ExternalID: "72", URL: "https://www.facebook.com/reel/72/"}, "",
		},
		"processing": {ok(uploaded), platform.Publication{
			ExternalID: "72", URL: "https://www.facebook.com/reel/72", InReview: true,
		}, ""},
		"failed":  {ok(broken), platform.Publication{}, platform.ClassRejected},
		"refused": {graph(400, 190, 463, "expired"), platform.Publication{}, platform.ClassTransient},
		"gone":    {graph(400, 100, 33, "gone"), platform.Publication{}, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{videoCall: {test.video}})
			seen, err := b.connector.Review(t.Context(), b.account, "72")
			require.Equal(t, test.want, seen)
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
		})
	}
	b := setup(t, map[string][]platformtest.Response{postCall: {ok(`{"id":"42_180","permalink_url":"https://www.facebook.com/p"}`)}})
	seen, err := b.connector.Review(t.Context(), b.account, "42_180")
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "42_180", URL: "https://www.facebook.com/p"}, seen)
}

func TestLinkIsSentOnlyWithText(t *testing.T) {
	t.Parallel()

	c := carry(t, post.ContentPost, map[string][]platformtest.Response{
		photosCall: {ok(`{"id":"71"}`)}, publishCall: {ok(`{"id":"42_180"}`)},
	}, platformtest.Picture(t, 1))
	c.content.Options.Link = "https://example.com/"
	_, err := c.connector.Commit(t.Context(), c.account, c.content, c.prepare(t, "").Handle)
	require.NoError(t, err)
	require.False(t, c.script.Requests()[1].Form(t).Has("link"))
	c.content.Media = nil
	_, err = c.connector.Commit(t.Context(), c.account, c.content, "")
	require.NoError(t, err)
	require.Equal(t, "https://example.com/", c.script.Requests()[3].Form(t).Get("link"))
}

// TestFileInManyChunks checks the text that identifies a large file: Facebook returns a line for each internal chunk.
func TestFileInManyChunks(t *testing.T) {
	t.Parallel()

	handle := strings.Repeat("4:aGFuZGxl:dmlkZW8vbXA0:ARZ-abc_123==:e:1772355600:123:ARa\n", 200)
	c := carry(t, post.ContentVideo, map[string][]platformtest.Response{
		uploadsCall: {ok(`{"id":"upload:abc=?sig=xyz"}`)}, sessionGet: {ok(`{"id":"upload:abc=","file_offset":0}`)},
		sessionPost: {ok(`{"h":` + strconv.Quote(handle) + `}`)}, videosCall: {ok(`{"id":"72"}`)}, videoCall: {ok(public)},
	}, wideVideo())
	prepared := c.prepare(t, "")
	require.True(t, prepared.Ready)
	_, err := c.connector.Commit(t.Context(), c.account, c.content, prepared.Handle)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(handle), c.script.Requests()[3].Form(t).Get("fbuploader_video_file_chunk"))
}

// TestPersonUploadsFeedVideo checks that the person's token uploads the file of a feed video, and the application's
// after the person's has ended.
func TestPersonUploadsFeedVideo(t *testing.T) {
	t.Parallel()

	const person, app = "OAuth person/token", "OAuth 123|app/secret"
	expired := graph(400, 190, 463, "expired")
	for name, test := range map[string]struct {
		uploads, reads []platformtest.Response
		want           []string
	}{
		"valid": {
			[]platformtest.Response{ok(`{"id":"upload:abc=?sig=xyz"}`)},
			[]platformtest.Response{ok(`{"file_offset":0}`)},
			[]string{person, person, person},
		},
		"ended": {
			[]platformtest.Response{expired, ok(`{"id":"upload:abc=?sig=xyz"}`)},
			[]platformtest.Response{ok(`{"file_offset":0}`)},
			[]string{person, app, app, app},
		},
		"ended meanwhile": {
			[]platformtest.Response{ok(`{"id":"upload:abc=?sig=xyz"}`)},
			[]platformtest.Response{expired, ok(`{"file_offset":0}`)},
			[]string{person, person, app, app, app},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := carry(t, post.ContentVideo, map[string][]platformtest.Response{
				uploadsCall: test.uploads, sessionGet: test.reads, sessionPost: {ok(`{"h":"4:handle=="}`)},
			}, wideVideo())
			c.account.Credentials.UserToken = "person/token"
			require.True(t, c.prepare(t, "").Ready)
			tokens := make([]string, 0, len(test.want))
			for _, r := range c.script.Requests() {
				tokens = append(tokens, r.Header.Get("Authorization"))
			}
			require.Equal(t, test.want, tokens)
		})
	}
}
