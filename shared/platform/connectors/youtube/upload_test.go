package youtube_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	openCall   = "POST /upload/v3/videos"
	chunkCall  = "PUT /upload/v3/videos"
	coverCall  = "POST /upload/v3/thumbnails/set"
	updateCall = "PUT /v3/videos"

	chunk     = 256 << 10
	secretID  = "ADPycdsecret"
	createdID = "dQw4w9WgXcQ"
)

// reversed is a Sealer whose output does not contain the secret.
type reversed struct{}

func (reversed) Seal(secret string, asset media.Asset) (string, error) {
	return base64.StdEncoding.EncodeToString([]byte(asset.ID.String() + secret)), nil
}

func (reversed) Open(sealed string, asset media.Asset) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	return strings.TrimPrefix(string(raw), asset.ID.String()), err
}

// uploading returns a bundle whose connector sends small chunks, and a post with a video of two and a half chunks.
func uploading(t *testing.T, responses map[string][]platformtest.Response, more ...platformtest.Attachment) (*bundle, platform.Content) {
	t.Helper()
	b := setup(t, responses)
	var err error
	b.connector, err = youtube.New(youtube.Config{
		Wire:      httpcall.Config{BaseURL: b.script.URL + "/v3", Clock: clocktest.New(now())},
		ChunkSize: chunk, Sealer: reversed{},
	})
	require.NoError(t, err)
	attached := append([]platformtest.Attachment{platformtest.Video(chunk*2 + chunk/2)}, more...)
	content := platform.Content{
		ContentType: post.ContentVideo, Title: "A title", Text: "A text", Files: platformtest.Files(t, attached...),
	}
	for _, a := range attached {
		content.Media = append(content.Media, a.Asset)
	}
	return b, content
}

func located(url string) platformtest.Response {
	return platformtest.Response{Header: map[string]string{
		"Location": url + "/upload/v3/videos?uploadType=resumable&part=snippet,status&upload_id=" + secretID,
	}}
}

func incomplete(stored string) platformtest.Response {
	header := map[string]string{}
	if stored != "" {
		header["Range"] = "bytes=0-" + stored
	}
	return platformtest.Response{Status: http.StatusPermanentRedirect, Header: header}
}

func created(privacy, upload string) string {
	return `{"id":"` + createdID + `","status":{"privacyStatus":"` + privacy + `","uploadStatus":"` + upload + `"}}`
}

// TestUploadMetadata checks the options of the post in the request for a session.
func TestUploadMetadata(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, test := range map[string]struct {
		options      post.Options
		status, want string
		notify       string
		category     string
		tags         string
	}{
		"nothing": {
			post.Options{},
			`{"privacyStatus":"private","license":"youtube","embeddable":true,"publicStatsViewable":true}`,
			`{"privacyStatus":"public","license":"youtube","embeddable":true,"publicStatsViewable":true}`, "", "22", "",
		},
		"everything": {
			post.Options{
				Category: "10", License: "creativeCommon", NotifySubscribers: &no, AllowEmbedding: &no, MadeForKids: &yes,
				Visibility: "unlisted", AIGenerated: &yes, Tags: []string{"tiles", "new kitchen"},
			},
			`{"privacyStatus":"private","license":"creativeCommon","embeddable":false,"publicStatsViewable":true,"selfDeclaredMadeForKids":true,"containsSyntheticMedia":true}`,
			`{"privacyStatus":"unlisted","license":"creativeCommon","embeddable":false,"publicStatsViewable":true,"selfDeclaredMadeForKids":true,"containsSyntheticMedia":true}`,
			"false", "10", `,"tags":["tiles","new kitchen"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			responses := map[string][]platformtest.Response{updateCall: {ok(created("public", "processed"))}}
			b, content := uploading(t, responses)
			content.Options = test.options
			_, err := b.connector.Prepare(t.Context(), b.account, content, "")
			require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, "no session in the response")
			request := b.script.Requests()[0]
			require.Equal(t, "655360", request.Header.Get("X-Upload-Content-Length"))
			require.Equal(t, "video/mp4", request.Header.Get("X-Upload-Content-Type"))
			require.Equal(t, "resumable", request.Query.Get("uploadType"))
			require.Equal(t, test.notify, request.Query.Get("notifySubscribers"))
			require.JSONEq(t, `{"snippet":{"title":"A title","description":"A text","categoryId":"`+test.category+`"`+test.tags+
				`},"status":`+test.status+`}`, request.Body)

			handle := platform.Handle(`{"v":1,"asset":"` + content.Media[0].ID.String() + `","video":"` + createdID + `"}`)
			_, _ = b.connector.Commit(t.Context(), b.account, content, handle)
			update := b.script.Requests()[1]
			require.Equal(t, "status", update.Query.Get("part"))
			require.JSONEq(t, `{"id":"`+createdID+`","status":`+test.want+`}`, update.Body)
		})
	}
}

// TestUploadResumes checks that a new process asks for the state of the upload, and sends only what is missing.
func TestUploadResumes(t *testing.T) {
	t.Parallel()
	b, content := uploading(t, map[string][]platformtest.Response{
		chunkCall:  {incomplete("262143"), incomplete("524287"), {Status: http.StatusCreated, Body: created("private", "uploaded")}},
		videosCall: {ok(`{"items":[` + created("private", "uploaded") + `]}`)},
	})
	b.script.Set(openCall, located(b.script.URL))
	begun, err := b.connector.Prepare(t.Context(), b.account, content, "")
	require.NoError(t, err)
	require.False(t, begun.Ready, "the session is stored before a byte is sent")
	require.NotContains(t, string(begun.Handle), secretID)
	require.Len(t, b.script.Requests(), 1)

	sent, err := b.connector.Prepare(t.Context(), b.account, content, begun.Handle)
	require.NoError(t, err)
	require.True(t, sent.Ready)
	var ranges []string
	for _, request := range b.script.Requests()[1:] {
		require.Equal(t, secretID, request.Query.Get("upload_id"))
		ranges = append(ranges, request.Header.Get("Content-Range"))
	}
	require.Equal(t, []string{"bytes */655360", "bytes 262144-524287/655360", "bytes 524288-655359/655360"}, ranges)
	again, err := b.connector.Prepare(t.Context(), b.account, content, sent.Handle)
	require.NoError(t, err)
	require.Equal(t, sent, again)
}

// TestSessionAtForeignHostIsRefused checks that the token goes to no other address than that of the upload call.
func TestSessionAtForeignHostIsRefused(t *testing.T) {
	t.Parallel()
	for _, location := range []string{
		"", "https://example.com/upload/v3/videos?upload_id=1", "/upload/v3/videos?upload_id=1",
		"SELF/upload/v3/videos", "SELF/upload/v3/other?upload_id=1", "http://user@HOST/upload/v3/videos?upload_id=1",
	} {
		b, content := uploading(t, nil)
		location = strings.ReplaceAll(location, "SELF", b.script.URL)
		location = strings.ReplaceAll(location, "HOST", strings.TrimPrefix(b.script.URL, "http://"))
		b.script.Set(openCall, platformtest.Response{Header: map[string]string{"Location": location}})
		_, err := b.connector.Prepare(t.Context(), b.account, content, "")
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, location)
		require.Len(t, b.script.Requests(), 1)
	}
}

// TestLostSessionIsRestartedOnce checks an upload that YouTube no longer has, and a video that was deleted.
func TestLostSessionIsRestartedOnce(t *testing.T) {
	t.Parallel()
	for name, responses := range map[string]map[string][]platformtest.Response{
		"session": {
			chunkCall: {{Status: http.StatusGone}}, channelsCall: {ok(uploadsPlaylist)}, playlistCall: {ok(`{"items":[]}`)},
		},
		"video": {
			chunkCall:  {{Status: http.StatusCreated, Body: created("private", "uploaded")}},
			videosCall: {ok(`{"items":[]}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, content := uploading(t, responses)
			b.script.Set(openCall, located(b.script.URL))
			opened := 0
			var handle platform.Handle
			for range 12 {
				preparation, err := b.connector.Prepare(t.Context(), b.account, content, handle)
				if err != nil {
					require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code)
					require.NotContains(t, err.Error(), secretID)
					break
				}
				handle = preparation.Handle
			}
			for _, request := range b.script.Requests() {
				if request.Method == http.MethodPost {
					opened++
				}
			}
			require.Equal(t, 2, opened)
		})
	}
}

// TestRefusedThumbnailIsNotFailure checks that a refused thumbnail is a note, and that a passing failure is not.
func TestRefusedThumbnailIsNotFailure(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		noted    bool
		class    platform.Class
	}{
		"accepted":       {ok(`{}`), false, ""},
		"not verified":   {refusal(http.StatusForbidden, "forbidden"), true, ""},
		"too large":      {refusal(http.StatusBadRequest, "invalidImage"), true, ""},
		"a limit":        {refusal(http.StatusTooManyRequests, "uploadRateLimitExceeded"), true, ""},
		"down":           {refusal(http.StatusServiceUnavailable, "backendError"), false, platform.ClassTransient},
		"an ended token": {refusal(http.StatusUnauthorized, "authError"), false, platform.ClassRefresh},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, content := uploading(t, map[string][]platformtest.Response{
				videosCall: {ok(`{"items":[` + created("private", "processed") + `]}`)}, coverCall: {test.response},
			}, platformtest.Picture(t, 1))
			uploaded := platform.Handle(`{"v":1,"asset":"` + content.Media[0].ID.String() + `","video":"` + createdID + `"}`)
			require.Empty(t, b.connector.Note(content, uploaded))
			preparation, err := b.connector.Prepare(t.Context(), b.account, content, uploaded)
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.noted, b.connector.Note(content, preparation.Handle) != "")
			preparation, err = b.connector.Prepare(t.Context(), b.account, content, preparation.Handle)
			require.NoError(t, err)
			require.True(t, preparation.Ready)
			sent := b.script.Requests()[1]
			require.Equal(t, createdID, sent.Query.Get("videoId"))
			require.Equal(t, "image/jpeg", sent.Header.Get("Content-Type"))
			require.Len(t, b.script.Requests(), 3, "it is sent once")
		})
	}
}

// TestThumbnailOfShortIsDelayed checks that the thumbnail of a Short is sent after processing, or after five minutes,
// and that of another video at once.
func TestThumbnailOfShortIsDelayed(t *testing.T) {
	t.Parallel()
	processing, processed := ok(`{"items":[`+created("private", "uploaded")+`]}`), ok(`{"items":[`+created("private", "processed")+`]}`)
	b, content := uploading(t, map[string][]platformtest.Response{
		videosCall: {processing, processing, processed}, coverCall: {ok(`{}`)},
	}, platformtest.Picture(t, 1))
	uploaded := platform.Handle(`{"v":1,"asset":"` + content.Media[0].ID.String() + `","video":"` + createdID + `"}`)
	handle := uploaded
	for range 2 {
		preparation, err := b.connector.Prepare(t.Context(), b.account, content, handle)
		require.NoError(t, err)
		require.False(t, preparation.Ready)
		require.Equal(t, 5*time.Second, preparation.Wait)
		handle = preparation.Handle
	}
	require.Len(t, b.script.Requests(), 2, "no thumbnail yet")
	preparation, err := b.connector.Prepare(t.Context(), b.account, content, handle)
	require.NoError(t, err)
	require.Contains(t, string(preparation.Handle), `"cover":"set"`)

	late := strings.Replace(string(uploaded), `"video"`, fmt.Sprintf(`"waits":%d,"video"`, now().Add(-6*time.Minute).Unix()), 1)
	for name, test := range map[string]struct {
		handle platform.Handle
		width  int
	}{"for too long": {platform.Handle(late), 720}, "no Short": {uploaded, 1920}} {
		b, content := uploading(t, map[string][]platformtest.Response{
			videosCall: {processing}, coverCall: {refusal(http.StatusForbidden, "forbidden")},
		}, platformtest.Picture(t, 1))
		content.Media[0].Probe.Width = test.width
		handle := strings.Replace(string(test.handle), jsonAsset(string(test.handle)), content.Media[0].ID.String(), 1)
		preparation, err := b.connector.Prepare(t.Context(), b.account, content, platform.Handle(handle))
		require.NoError(t, err, name)
		require.Contains(t, b.connector.Note(content, preparation.Handle), "YouTube Studio", name)
	}
}

// jsonAsset returns the asset in a handle.
func jsonAsset(handle string) string {
	_, rest, _ := strings.Cut(handle, `"asset":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// TestDailyQuotaEndsAtPacificMidnight checks the end of the project's day, which is the one in California.
func TestDailyQuotaEndsAtPacificMidnight(t *testing.T) {
	t.Parallel()
	b, content := uploading(t, map[string][]platformtest.Response{openCall: {refusal(http.StatusForbidden, "quotaExceeded")}})
	_, err := b.connector.Prepare(t.Context(), b.account, content, "")
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.ClassRateLimited, failure.Class)
	require.Equal(t, post.CodeDailyQuota, failure.Code)
	require.Equal(t, time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), failure.Until)
}

// TestShortsURL checks that the file decides whether a video is a Short.
func TestShortsURL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		probe media.Probe
		as    post.ContentType
		short bool
	}{
		"upright and short": {media.Probe{Width: 720, Height: 1280, Duration: 3 * time.Minute}, post.ContentVideo, true},
		"square":            {media.Probe{Width: 720, Height: 720, Duration: time.Second}, post.ContentVideo, true},
		"wide":              {media.Probe{Width: 1280, Height: 720, Duration: time.Second}, post.ContentReel, false},
		"long":              {media.Probe{Width: 720, Height: 1280, Duration: 181 * time.Second}, post.ContentReel, false},
		"unknown":           {media.Probe{}, post.ContentVideo, false},
		"unknown, a Short":  {media.Probe{}, post.ContentReel, true},
	} {
		b, content := uploading(t, map[string][]platformtest.Response{updateCall: {ok(created("public", "processed"))}})
		content.Media[0].Probe, content.ContentType = test.probe, test.as
		handle, err := json.Marshal(map[string]any{"v": 1, "asset": content.Media[0].ID.String(), "video": createdID})
		require.NoError(t, err)
		published, err := b.connector.Commit(t.Context(), b.account, content, platform.Handle(handle))
		require.NoError(t, err)
		want := b.script.URL + "/v3/watch?v=" + createdID
		if test.short {
			want = b.script.URL + "/v3/shorts/" + createdID
		}
		require.Equal(t, want, published.URL, name)
	}
}

// TestNothingIsSentWithoutVideo checks posts that the rules refuse too.
func TestNothingIsSentWithoutVideo(t *testing.T) {
	t.Parallel()
	b, content := uploading(t, nil)
	content.Media = nil
	_, err := b.connector.Prepare(t.Context(), b.account, content, "")
	require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
	_, err = b.connector.Commit(t.Context(), b.account, content, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, content, platform.Sent{})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence, "no handle names a video")
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Prepare(t.Context(), b.account, content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

func TestNewValidatesChunkSize(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{-chunk, 1, chunk + 1} {
		_, err := youtube.New(youtube.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}, ChunkSize: size})
		require.Error(t, err)
	}
}
