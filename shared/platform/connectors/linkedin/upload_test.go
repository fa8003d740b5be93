package linkedin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	imageCalls = "POST /rest/images"
	videoCalls = "POST /rest/videos"
	imageURN   = "urn:li:image:C1"
	videoURN   = "urn:li:video:C2"
	paperURN   = "urn:li:document:C3"
	putCall    = "PUT /dms/0"
)

// uploading is a bundle whose post has attachments, on the page's connector unless it is that of a profile.
type uploading struct {
	*bundle

	connector platform.Connector
	account   platform.Account
	clock     *clocktest.Fake
	storage   *platformtest.Storage
}

func setupUpload(t *testing.T, responses map[string][]platformtest.Response, files ...platformtest.Attachment) *uploading {
	t.Helper()
	all := map[string][]platformtest.Response{
		imageCalls:                        {invitation("image", imageURN)},
		"POST /rest/documents":            {invitation("document", paperURN)},
		putCall:                           {{Status: http.StatusCreated}},
		"GET /rest/images/" + imageURN:    {state("AVAILABLE")},
		"GET /rest/documents/" + paperURN: {state("AVAILABLE")},
		"GET /rest/videos/" + videoURN:    {state("AVAILABLE")},
		publishCall:                       {created("x-restli-id", urn)},
	}
	for key, list := range responses {
		all[key] = list
	}
	u := &uploading{bundle: setup(t, all), clock: clocktest.New(now()), storage: platformtest.Files(t, files...)}
	page, err := linkedin.NewPage(linkedin.Config{
		Wire: httpcall.Config{BaseURL: u.script.URL, Clock: u.clock}, Version: "202609",
	})
	require.NoError(t, err)
	u.connector, u.account = page, u.firm
	u.content.Files = u.storage
	for _, file := range files {
		u.content.Media = append(u.content.Media, file.Asset)
	}
	t.Cleanup(func() { require.Zero(t, u.storage.Unclosed(), "files were not closed") })
	return u
}

func invitation(kind, urn string) platformtest.Response {
	return platformtest.Response{Body: fmt.Sprintf(`{"value":{"uploadUrlExpiresAt":1,"uploadUrl":"%s/dms/0?ut=a&sync=0",%q:%q}}`,
		platformtest.ScriptURL, kind, urn)}
}

func state(status string) platformtest.Response {
	return platformtest.Response{Body: fmt.Sprintf(`{"status":%q,"processingFailureReason":"bad file"}`, status)}
}

func refusal(status int, code string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(`{"status":%d,"code":%q,"message":"no"}`, status, code)}
}

// ready prepares the post until it is ready, and advances the clock by each wait.
func (u *uploading) ready(t *testing.T) platform.Handle {
	t.Helper()
	handle := platform.Handle("")
	for range 20 {
		preparation, err := u.connector.Prepare(t.Context(), u.account, u.content, handle)
		require.NoError(t, err)
		if handle = preparation.Handle; preparation.Ready {
			return handle
		}
		u.clock.Advance(max(preparation.Wait, time.Second))
	}
	require.Fail(t, "the post was never ready")
	return ""
}

// sent publishes the post and returns the content of the request.
func (u *uploading) sent(t *testing.T) string {
	t.Helper()
	_, err := u.connector.Commit(t.Context(), u.account, u.content, u.ready(t))
	require.NoError(t, err)
	requests := u.script.Requests()
	var body struct {
		Content json.RawMessage `json:"content"`
	}
	require.NoError(t, json.Unmarshal([]byte(requests[len(requests)-1].Body), &body))
	return string(body.Content)
}

func TestPictureIsUploadedAndPosted(t *testing.T) {
	t.Parallel()

	picture := platformtest.Picture(t, 1)
	picture.Asset.AltText = "Blue tiles"
	u := setupUpload(t, nil, picture)
	require.JSONEq(t, `{"media":{"id":"`+imageURN+`","altText":"Blue tiles"}}`, u.sent(t))
	requests := u.script.Requests()
	require.Len(t, requests, 4)
	require.JSONEq(t, `{"initializeUploadRequest":{"owner":"urn:li:organization:1234"}}`, requests[0].Body)
	require.Equal(t, "initializeUpload", requests[0].Query.Get("action"))
	require.Equal(t, "202609", requests[0].Header.Get("LinkedIn-Version"))
	require.Equal(t, string(picture.Bytes), requests[1].Body)
	require.Equal(t, "ut=a&sync=0", requests[1].RawQuery, "the address is sent unchanged")
	require.Equal(t, "image/jpeg", requests[1].Header.Get("Content-Type"))
	require.Equal(t, "Bearer access-1", requests[1].Header.Get("Authorization"))
	require.Equal(t, "/rest/images/urn%3Ali%3Aimage%3AC1", requests[2].Path)
}

func TestPicturesKeepOrder(t *testing.T) {
	t.Parallel()

	pictures := platformtest.Pictures(t, 2)
	pictures[1].Asset.AltText = "Second"
	const second = "urn:li:image:C9"
	u := setupUpload(t, map[string][]platformtest.Response{
		imageCalls: {invitation("image", imageURN), invitation("image", second)}, "GET /rest/images/" + second: {state("AVAILABLE")},
	}, pictures...)
	require.JSONEq(t, `{"multiImage":{"images":[{"id":"`+imageURN+`"},{"id":"`+second+`","altText":"Second"}]}}`, u.sent(t))
}

func TestDocumentHasTitle(t *testing.T) {
	t.Parallel()

	for given, want := range map[string]string{"": "Document", "Our prices": "Our prices"} {
		u := setupUpload(t, nil, platformtest.Document())
		u.content.Title = given
		require.JSONEq(t, `{"media":{"id":"`+paperURN+`","title":"`+want+`"}}`, u.sent(t))
	}
}

func TestVideoUploadResumes(t *testing.T) {
	t.Parallel()

	const size = 100_000
	video := platformtest.Video(size)
	invited := fmt.Sprintf(`{"value":{"video":%q,"uploadToken":"token","uploadInstructions":[
		{"uploadUrl":"%[2]s/dms/0","firstByte":0,"lastByte":59999},
		{"uploadUrl":"%[2]s/dms/1","firstByte":60000,"lastByte":99999}]}}`, videoURN, platformtest.ScriptURL)
	tagged := func(tag string) platformtest.Response {
		return platformtest.Response{Header: map[string]string{"ETag": tag}}
	}
	down := platformtest.Response{Status: http.StatusServiceUnavailable}
	u := setupUpload(t, map[string][]platformtest.Response{
		videoCalls: {{Body: invited}, down, {}}, putCall: {tagged("/signed/1")}, "PUT /dms/1": {down, tagged("/signed/2")},
		"GET /rest/videos/" + videoURN: {state("PROCESSING"), state("AVAILABLE")},
	}, video)
	u.content.ContentType, u.content.Title = post.ContentVideo, "Our video"
	begun, err := u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.NoError(t, err)
	require.Len(t, u.script.Requests(), 1, "the addresses are stored before the first part")
	require.Contains(t, string(begun.Handle), "/dms/1")
	handle := begun.Handle
	for range 10 {
		preparation, err := u.connector.Prepare(t.Context(), u.account, u.content, handle)
		if err != nil {
			require.Equal(t, platform.ClassTransient, platform.FailureOf(err).Class)
			continue
		}
		if handle = preparation.Handle; preparation.Ready {
			break
		}
	}
	var calls []string
	for _, r := range u.script.Requests() {
		name := r.Method + " " + r.Path
		switch {
		case r.Method == http.MethodPut:
			require.Empty(t, r.Header.Get("Authorization"), "the address is signed")
			require.Equal(t, "application/octet-stream", r.Header.Get("Content-Type"))
		case r.Query.Get("action") == "finalizeUpload":
			require.JSONEq(t, `{"finalizeUploadRequest":{"video":"`+videoURN+`","uploadToken":"token",
				"uploadedPartIds":["/signed/1","/signed/2"]}}`, r.Body)
			name = "finalize"
		}
		calls = append(calls, name)
	}
	status := "GET /rest/videos/urn%3Ali%3Avideo%3AC2"
	require.Equal(t, []string{
		"POST /rest/videos", "PUT /dms/0", "PUT /dms/1", "PUT /dms/1", "finalize", "finalize", status, status,
	}, calls)
	parts := u.script.Requests()
	require.Equal(t, string(video.Bytes), parts[1].Body+parts[3].Body)
	require.JSONEq(t, `{"initializeUploadRequest":{"owner":"urn:li:organization:1234","fileSizeBytes":100000,
		"uploadCaptions":false,"uploadThumbnail":false}}`, parts[0].Body)
	_, err = u.connector.Commit(t.Context(), u.account, u.content, handle)
	require.NoError(t, err)
	require.Contains(t, u.script.Requests()[8].Body, `"content":{"media":{"id":"`+videoURN+`","title":"Our video"}}`)
}

// TestUploadsGoOnlyToLinkedIn checks the hosts that may receive files.
func TestUploadsGoOnlyToLinkedIn(t *testing.T) {
	t.Parallel()

	official, err := linkedin.NewPage(linkedin.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}, Version: "202609"})
	require.NoError(t, err)
	for address, want := range map[string]bool{
		"https://www.linkedin.com/dms-uploads/sp/C5/uploaded-image/0?ca=vector": true,
		"https://api.linkedin.com/mediaUpload/C5":                               true,
		"https://media.licdn.com:443/x":                                         true,
		"http://www.linkedin.com/x":                                             false,
		"https://linkedin.com.example.org/x":                                    false,
		"https://notlinkedin.com/x":                                             false,
		"https://user@www.linkedin.com/x":                                       false,
		"https://www.linkedin.com:8443/x":                                       false,
		"file:///etc/passwd":                                                    false,
		"":                                                                      false,
		"https://www.linkedin.com/" + strings.Repeat("a", 9000):                 false,
	} {
		require.Equal(t, want, official.MayUploadTo(address), "%.80s", address)
	}

	foreign := strings.ReplaceAll(invitation("image", imageURN).Body, platformtest.ScriptURL, "http://127.0.0.1:1")
	u := setupUpload(t, map[string][]platformtest.Response{imageCalls: {{Body: foreign}}}, platformtest.Picture(t, 1))
	_, err = u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	require.Len(t, u.script.Requests(), 1)
}

// TestMembersWaitForUnreadableMedia checks the pause that replaces the state of an image.
func TestMembersWaitForUnreadableMedia(t *testing.T) {
	t.Parallel()

	u := setupUpload(t, map[string][]platformtest.Response{
		"GET /rest/images/" + imageURN: {refusal(http.StatusForbidden, "ACCESS_DENIED")},
	}, platformtest.Picture(t, 1))
	first, err := u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.NoError(t, err)
	require.False(t, first.Ready)
	require.Equal(t, linkedin.DefaultGrace, first.Wait)
	u.clock.Advance(linkedin.DefaultGrace - time.Second)
	second, err := u.connector.Prepare(t.Context(), u.account, u.content, first.Handle)
	require.NoError(t, err)
	require.Equal(t, time.Second, second.Wait)
	u.clock.Advance(time.Second)
	third, err := u.connector.Prepare(t.Context(), u.account, u.content, second.Handle)
	require.NoError(t, err)
	require.True(t, third.Ready)
	require.Len(t, u.script.Requests(), 3, "the state is read once")
}

func TestRefusedMedia(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		responses map[string][]platformtest.Response
		class     platform.Class
		code      string
		calls     int
	}{
		"processing failed": {
			map[string][]platformtest.Response{"GET /rest/images/" + imageURN: {state("PROCESSING_FAILED")}},
			platform.ClassRejected, platform.CodeMediaRefused, 3,
		},
		"not created": {
			map[string][]platformtest.Response{imageCalls: {refusal(http.StatusBadRequest, "INVALID_INPUT")}},
			platform.ClassRejected, platform.CodeMediaRefused, 1,
		},
		"bytes refused twice": {
			map[string][]platformtest.Response{putCall: {{Status: http.StatusForbidden, Body: "Forbidden"}}},
			platform.ClassRejected, platform.CodeMediaRefused, 4,
		},
		"expired token": {
			map[string][]platformtest.Response{imageCalls: {refusal(http.StatusUnauthorized, "EXPIRED_ACCESS_TOKEN")}},
			platform.ClassRefresh, "TOKEN_EXPIRED", 1,
		},
		"no such upload address": {
			map[string][]platformtest.Response{imageCalls: {{Body: `{"value":{"image":"urn:li:image:1"}}`}}},
			platform.ClassTransient, post.ErrorPlatformDown, 1,
		},
		"another urn": {
			map[string][]platformtest.Response{imageCalls: {invitation("image", "urn:li:share:1")}},
			platform.ClassTransient, post.ErrorPlatformDown, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, test.responses, platformtest.Picture(t, 1))
			handle, failure := platform.Handle(""), (*platform.Failure)(nil)
			for range 5 {
				preparation, err := u.connector.Prepare(t.Context(), u.account, u.content, handle)
				if err != nil {
					failure = platformtest.Failure(t, err)
					break
				}
				handle = preparation.Handle
			}
			require.NotNil(t, failure)
			require.Equal(t, test.class, failure.Class)
			require.Equal(t, test.code, failure.Code)
			require.Len(t, u.script.Requests(), test.calls)
		})
	}
}

// TestUploadIsRestartedOnce checks an upload whose address has expired.
func TestUploadIsRestartedOnce(t *testing.T) {
	t.Parallel()

	u := setupUpload(t, map[string][]platformtest.Response{
		putCall: {refusal(http.StatusGone, ""), {Status: http.StatusCreated}},
	}, platformtest.Picture(t, 1))
	u.ready(t)
	require.Len(t, u.script.Requests(), 5)
}

func TestCards(t *testing.T) {
	t.Parallel()

	const link = "https://example.com/a?b=c"
	picture := platformtest.Picture(t, 1)
	picture.Asset.AltText = "Tiles"
	for name, test := range map[string]struct {
		content platform.Content
		files   []platformtest.Attachment
		want    string
	}{
		"a text with a title": {
			platform.Content{Text: "See " + link + ".", Title: "T"}, nil, `{"article":{"source":"` + link + `","title":"T"}}`,
		},
		"a text without a title": {platform.Content{Text: "See " + link}, nil, ""},
		"a title without a link": {platform.Content{Text: "See", Title: "T"}, nil, ""},
		"a link":                 {platform.Content{Text: "See", Options: post.Options{Link: link}}, nil, `{"article":{"source":"` + link + `","title":"example.com"}}`},
		"a link with an image": {
			platform.Content{Title: "T", Options: post.Options{Link: link}},
			[]platformtest.Attachment{picture},
			`{"article":{"source":"` + link + `","title":"T","thumbnail":"` + imageURN + `","thumbnailAltText":"Tiles"}}`,
		},
		"an image with a link in its text": {
			platform.Content{Text: "See " + link, Title: "T"},
			[]platformtest.Attachment{picture},
			`{"media":{"id":"` + imageURN + `","altText":"Tiles"}}`,
		},
		"a document with a link": {
			platform.Content{Title: "T", Options: post.Options{Link: link}},
			[]platformtest.Attachment{platformtest.Document()},
			`{"media":{"id":"` + paperURN + `","title":"T"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, nil, test.files...)
			test.content.Files, test.content.Media = u.content.Files, u.content.Media
			u.content = test.content
			if got := u.sent(t); test.want != "" {
				require.JSONEq(t, test.want, got)
			} else {
				require.Empty(t, got)
			}
		})
	}
}

// TestReconcileByMedia checks that the URNs of the media identify the post.
func TestReconcileByMedia(t *testing.T) {
	t.Parallel()

	with := func(commentary, content string) string {
		return strings.TrimSuffix(listed(urn, commentary, 0), "}") + `,"content":` + content + "}"
	}
	image := `{"media":{"id":"` + imageURN + `"}}`
	for name, test := range map[string]struct {
		listed string
		want   platform.Evidence
		lost   bool // the handle is unknown
	}{
		"the media":                      {with("Hello (world)", image), platform.EvidenceFound, false},
		"the media, with a changed text": {with("Other", image), platform.EvidenceFound, false},
		"the thumbnail": {
			with("Hello (world)", `{"article":{"thumbnail":"`+imageURN+`"}}`), platform.EvidenceFound, false,
		},
		"the text with other media":   {with("Hello (world)", `{"media":{"id":"urn:li:image:other"}}`), platform.EvidenceUnclear, false},
		"the text without media":      {listed(urn, "Hello (world)", 0), platform.EvidenceUnclear, false},
		"other posts":                 {with("Other", `{"media":{"id":"urn:li:image:other"}}`), platform.EvidenceAbsent, false},
		"the text, the media unknown": {with("Hello (world)", image), platform.EvidenceFound, true},
		"more media than were sent": {
			with("Hello (world)", `{"multiImage":{"images":[{"id":"urn:li:image:1"},{"id":"urn:li:image:2"}]}}`),
			platform.EvidenceUnclear, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, map[string][]platformtest.Response{listCall: {page(test.listed), page()}}, platformtest.Picture(t, 1))
			sent := platform.Sent{Text: u.content.Text, At: now(), Handle: u.ready(t)}
			if test.lost {
				sent.Handle = ""
			}
			sent.At = u.clock.Now()
			evidence, _, err := u.connector.Reconcile(t.Context(), u.account, u.content, sent)
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
		})
	}
}

func TestOldHandlesAreNotUsed(t *testing.T) {
	t.Parallel()

	u := setupUpload(t, nil, platformtest.Picture(t, 1))
	handle := u.ready(t)
	u.clock.Advance(25 * time.Hour)
	_, err := u.connector.Commit(t.Context(), u.account, u.content, handle)
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.ClassTransient, failure.Class)
	require.Equal(t, platform.CodeMediaNotUploaded, failure.Code)
	preparation, err := u.connector.Prepare(t.Context(), u.account, u.content, handle)
	require.NoError(t, err)
	require.NotEqual(t, handle, preparation.Handle, "uploaded again")
}

func TestContentRequiresFiles(t *testing.T) {
	t.Parallel()

	u := setupUpload(t, nil, platformtest.Picture(t, 1))
	u.content.Files = nil
	_, err := u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Error(t, err)
	u.account = platform.Account{Type: channel.LinkedInPage, ExternalID: "1"}
	_, err = u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}
