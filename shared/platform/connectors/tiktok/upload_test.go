package tiktok_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	initCall   = "POST /v2/post/publish/video/init/"
	draftCall  = "POST /v2/post/publish/inbox/video/init/"
	photosCall = "POST /v2/post/publish/content/init/"
	statusCall = "POST /v2/post/publish/status/fetch/"
	postsCall  = "POST /v2/video/list/"
	chunkCall  = "PUT /video/"

	unit    = 5 << 20
	created = "v_pub_file~v2-1.1"
)

// publisher is a connector and a post with files.
type publisher struct {
	*bundle

	connector *tiktok.Personal
	content   platform.Content
}

// publishing returns a post with a video of two chunks and a rest, or with the given attachments.
func publishing(t *testing.T, responses map[string][]platformtest.Response, attached ...platformtest.Attachment) *publisher {
	t.Helper()
	if attached == nil {
		attached = []platformtest.Attachment{platformtest.Video(2*unit + 7)}
	}
	if responses[creatorCall] == nil {
		responses[creatorCall] = []platformtest.Response{creator(
			`{"privacy_level_options":["PUBLIC_TO_EVERYONE","SELF_ONLY"],"comment_disabled":true,"max_video_post_duration_sec":60}`)}
	}
	b := personal(t, responses)
	connector, err := tiktok.NewPersonal(tiktok.PersonalConfig{
		Wire: httpcall.Config{BaseURL: b.script.URL, Clock: clocktest.New(now())}, ChunkSize: unit,
	})
	require.NoError(t, err)
	p := &publisher{bundle: b, connector: connector, content: platform.Content{
		ContentType: post.ContentPost, Title: "Title", Text: "Look", Files: platformtest.Files(t, attached...),
	}}
	for _, a := range attached {
		p.content.Media = append(p.content.Media, a.Asset)
	}
	return p
}

func begun(address string) platformtest.Response {
	return creator(`{"publish_id":"` + created + `","upload_url":"` + address + `/video/?upload_id=1&upload_token=secret-token"}`)
}

func state(status string, uploaded int64) platformtest.Response {
	return creator(`{"status":"` + status + `","uploaded_bytes":` + strconv.FormatInt(uploaded, 10) + `}`)
}

// TestLastChunkPublishesVideo follows an upload with a process that continues another one's.
func TestLastChunkPublishesVideo(t *testing.T) {
	t.Parallel()
	p := publishing(t, map[string][]platformtest.Response{
		initCall: {begun(platformtest.ScriptURL)}, statusCall: {state("PROCESSING_UPLOAD", 0)},
		chunkCall: {{Status: http.StatusPartialContent}, {Status: http.StatusCreated}},
	})
	p.content.Options.ThumbOffset = new(int64(2500))
	size := int64(len(platformtest.Video(2*unit + 7).Bytes))
	first, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.NoError(t, err)
	require.False(t, first.Ready, "the upload is stored before a byte is sent")
	init := p.script.Requests()[1]
	require.JSONEq(t, `{"post_info":{"title":"Look","privacy_level":"PUBLIC_TO_EVERYONE","disable_comment":true,
		"disable_duet":false,"disable_stitch":false,"video_cover_timestamp_ms":2500,"brand_content_toggle":false,"brand_organic_toggle":false},
		"source_info":{"source":"FILE_UPLOAD","video_size":`+strconv.FormatInt(size, 10)+`,"chunk_size":5242880,
		"total_chunk_count":2}}`, init.Body)
	second, err := p.connector.Prepare(t.Context(), p.account, p.content, first.Handle)
	require.NoError(t, err)
	require.True(t, second.Ready)
	published, err := p.connector.Commit(t.Context(), p.account, p.content, second.Handle)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: created, InReview: true}, published)
	var ranges []string
	for _, request := range p.script.Requests() {
		if request.Method == http.MethodPut {
			ranges = append(ranges, request.Header.Get("Content-Range"))
			require.Equal(t, "video/mp4", request.Header.Get("Content-Type"))
			require.Empty(t, request.Header.Get("Authorization"), "the address is the credential")
		}
	}
	total := strconv.FormatInt(size, 10)
	require.Equal(t, []string{"bytes 0-5242879/" + total, "bytes 5242880-" + strconv.FormatInt(size-1, 10) + "/" + total}, ranges)
}

// TestRefusedLastChunkIsVerified checks that the state of the upload decides after a refusal that is not about the
// content.
func TestRefusedLastChunkIsVerified(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code  string
		after platformtest.Response
		class platform.Class // of the failure; empty: published
	}{
		{"file_format_check_failed", state("FAILED", unit), platform.ClassRejected},
		{"access_token_invalid", state("PROCESSING_UPLOAD", unit), platform.ClassRefresh},
		{"access_token_invalid", state("PROCESSING_UPLOAD", 1<<40), ""},
		{"spam_risk_user_banned_from_posting", state("PUBLISH_COMPLETE", unit), ""},
		{"scope_not_authorized", personalRefusal(http.StatusInternalServerError, "internal_error"), platform.ClassReconnect},
	} {
		p := publishing(t, map[string][]platformtest.Response{
			initCall: {begun(platformtest.ScriptURL)}, statusCall: {state("PROCESSING_UPLOAD", 0), test.after},
			chunkCall: {{Status: http.StatusPartialContent}, personalRefusal(http.StatusForbidden, test.code)},
		})
		first, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
		require.NoError(t, err)
		second, err := p.connector.Prepare(t.Context(), p.account, p.content, first.Handle)
		require.NoError(t, err)
		published, err := p.connector.Commit(t.Context(), p.account, p.content, second.Handle)
		if test.class != "" {
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, test.code)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, platform.Publication{ExternalID: created, InReview: true}, published)
	}
}

// TestUploadResumesAtReportedState checks the states that TikTok reports for an earlier upload.
func TestUploadResumesAtReportedState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		ready    bool
		again    bool
		class    platform.Class
	}{
		"has all but the last chunk": {state("PROCESSING_UPLOAD", unit), true, false, ""},
		"failed":                     {state("FAILED", unit), false, true, ""},
		"is unknown":                 {personalRefusal(http.StatusBadRequest, "invalid_publish_id"), false, true, ""},
		"is complete":                {state("PUBLISH_COMPLETE", unit), false, false, platform.ClassUnknown},
		"has the last chunk":         {state("PROCESSING_UPLOAD", 1<<40), false, false, platform.ClassUnknown},
		"down":                       {personalRefusal(http.StatusInternalServerError, "internal_error"), false, false, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := publishing(t, map[string][]platformtest.Response{
				initCall: {begun(platformtest.ScriptURL)}, statusCall: {test.response},
			})
			first, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
			require.NoError(t, err)
			second, err := p.connector.Prepare(t.Context(), p.account, p.content, first.Handle)
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.ready, second.Ready)
			require.Equal(t, test.again, second.Handle != first.Handle && !second.Ready)
		})
	}
}

// TestUploadToForeignHostIsRefused checks that the file goes to no host but TikTok's.
func TestUploadToForeignHostIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://example.com", "http://open-upload.tiktokapis.com", "https://tiktokapis.com.example.com",
		"https://user@open-upload.tiktokapis.com", "https://open-upload.tiktokapis.com:8443",
	} {
		p := publishing(t, map[string][]platformtest.Response{initCall: {begun(address)}})
		_, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, address)
	}
	p := publishing(t, map[string][]platformtest.Response{initCall: {begun("https://open-upload.tiktokapis.com")}})
	_, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.NoError(t, err)
}

// TestAccountIsCheckedBeforeUpload checks a private account, a video that is too long, and a draft, which asks for no
// permission.
func TestAccountIsCheckedBeforeUpload(t *testing.T) {
	t.Parallel()
	closed := creator(`{"privacy_level_options":["SELF_ONLY"],"max_video_post_duration_sec":60}`)
	p := publishing(t, map[string][]platformtest.Response{creatorCall: {closed}})
	_, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.Equal(t, tiktok.CodePrivateAccount, platformtest.Failure(t, err).Code)
	require.Len(t, p.script.Requests(), 1)

	p = publishing(t, map[string][]platformtest.Response{})
	p.content.Media[0].Probe.Duration = 61 * time.Second
	_, err = p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
	require.Contains(t, platformtest.Failure(t, err).Message, "1m0s")

	p = publishing(t, map[string][]platformtest.Response{draftCall: {begun(platformtest.ScriptURL)}})
	p.content.Options = post.Options{UploadToDraft: yes(), AllowComments: no()}
	_, err = p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.NoError(t, err)
	require.Len(t, p.script.Requests(), 1, "the creator's settings are not asked for")
	require.NotContains(t, p.script.Requests()[0].Body, "post_info")
}

// TestPhotosArePulledFromURL checks the call that publishes photos, and the search after its response was lost.
func TestPhotosArePulledFromURL(t *testing.T) {
	t.Parallel()
	p := publishing(t, map[string][]platformtest.Response{
		photosCall: {creator(`{"publish_id":"p_pub_url~v2.1"}`)},
		statusCall: {creator(`{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[73]}`)},
		postsCall: {creator(`{"videos":[{"id":"73","create_time":` + strconv.FormatInt(now().Unix(), 10) +
			`,"video_description":"Look","share_url":"` + platformtest.ScriptURL + `/@acme/photo/73"}]}`)},
	}, platformtest.Pictures(t, 2)...)
	p.content.Options.ThumbOffset = new(int64(2500))
	prepared, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.NoError(t, err)
	require.True(t, prepared.Ready)
	published, err := p.connector.Commit(t.Context(), p.account, p.content, prepared.Handle)
	require.NoError(t, err)
	require.True(t, published.InReview)
	body := p.script.Requests()[1].Body
	for _, part := range []string{
		`"media_type":"PHOTO"`, `"post_mode":"DIRECT_POST"`, `"title":"Title"`, `"description":"Look"`,
		`"photo_cover_index":0`, `"source":"PULL_FROM_URL"`, `"disable_comment":true`,
	} {
		require.Contains(t, body, part)
	}
	require.NotContains(t, body, "disable_duet")
	require.NotContains(t, body, "video_cover_timestamp_ms", "photos have no frames")
	seen, err := p.connector.Review(t.Context(), p.account, published.ExternalID)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "73", URL: p.script.URL + "/@acme/photo/73"}, seen)

	sent := platform.Sent{Handle: prepared.Handle, Text: "Look", At: now()}
	evidence, found, err := p.connector.Reconcile(t.Context(), p.account, p.content, sent)
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, "73", found.ExternalID)
	sent.Text = "Something else"
	evidence, _, err = p.connector.Reconcile(t.Context(), p.account, p.content, sent)
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence, "moderation may hide the post")
}

// TestNothingIsSentWithoutFile checks posts that the rules refuse too.
func TestNothingIsSentWithoutFile(t *testing.T) {
	t.Parallel()
	p := publishing(t, map[string][]platformtest.Response{})
	_, err := p.connector.Commit(t.Context(), p.account, p.content, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	p.content.Media = []media.Asset{}
	_, err = p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
	p.account.Credentials.AccessToken = ""
	_, err = p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, p.script.Requests())
	_, err = tiktok.NewPersonal(tiktok.PersonalConfig{Wire: httpcall.Config{Clock: clocktest.New(now())}, ChunkSize: 1})
	require.Error(t, err)
}
