package tiktok_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	businessVideoCall  = "POST /open_api/v1.3/business/video/publish/"
	businessPhotoCall  = "POST /open_api/v1.3/business/photo/publish/"
	businessStatusCall = "GET /open_api/v1.3/business/publish/status/"
	businessListCall   = "GET /open_api/v1.3/business/video/list/"
)

// businessBench is a post of a business account.
type businessBench struct {
	script    *platformtest.Script
	connector *tiktok.Business
	account   platform.Account
	content   platform.Content
}

// publishingBusiness returns a bench whose account may do everything.
func publishingBusiness(
	t *testing.T, responses map[string][]platformtest.Response, files ...platformtest.Attachment,
) *businessBench {
	t.Helper()
	if responses[settingsCall] == nil {
		responses[settingsCall] = []platformtest.Response{done(
			`{"privacy_level_options":["PUBLIC_TO_EVERYONE","SELF_ONLY"],"max_video_post_duration_sec":600}`)}
	}
	responses[profileCall] = []platformtest.Response{done(`{"display_name":"Acme"}`)}
	script := platformtest.NewScript(t, responses)
	connector, err := tiktok.NewBusiness(tiktok.BusinessConfig{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, AppID: "7123", Secret: "app/secret",
	})
	require.NoError(t, err)
	b := &businessBench{script: script, connector: connector, account: account(channel.TikTokBusiness)}
	b.content = platform.Content{ContentType: post.ContentPost, Text: "Look", Title: "Title", Files: platformtest.Files(t, files...)}
	for _, file := range files {
		b.content.Media = append(b.content.Media, file.Asset)
	}
	return b
}

// commit prepares and publishes the post.
func (b *businessBench) commit(t *testing.T) (platform.Publication, error) {
	t.Helper()
	prepared, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.True(t, prepared.Ready, "nothing is uploaded")
	return b.connector.Commit(t.Context(), b.account, b.content, prepared.Handle)
}

// sent returns the body of the call that publishes, without the addresses of the files.
func (b *businessBench) sent(t *testing.T, addresses string, want int) map[string]any {
	t.Helper()
	requests := b.script.Requests()
	last := requests[len(requests)-1]
	require.Equal(t, http.MethodPost, last.Method)
	require.Equal(t, "access/1", last.Header.Get("Access-Token"))
	var body map[string]any
	require.NoError(t, json.Unmarshal([]byte(last.Body), &body))
	switch links := body[addresses].(type) {
	case string:
		require.NotEmpty(t, links)
		require.Equal(t, 1, want)
	case []any:
		require.Len(t, links, want)
	default:
		require.Fail(t, "no addresses of files", last.Body)
	}
	delete(body, addresses)
	return body
}

func TestBusinessPublishesVideo(t *testing.T) {
	t.Parallel()
	b := publishingBusiness(t, map[string][]platformtest.Response{
		businessVideoCall: {done(`{"share_id":"v_pub_url~v2.1"}`)},
	}, platformtest.Video(9))
	b.content.Options = post.Options{AllowComments: no(), ThumbOffset: new(int64(2500))}
	published, err := b.commit(t)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "v_pub_url~v2.1", InReview: true}, published)
	require.Equal(t, map[string]any{"business_id": "_000abc", "thumbnail_offset": 2500.0, "post_info": map[string]any{
		"caption": "Look", "is_brand_organic": false, "is_branded_content": false, "disable_comment": true,
		"disable_duet": false, "disable_stitch": false,
	}}, b.sent(t, "video_url", 1))
}

func TestBusinessPublishesPhotos(t *testing.T) {
	t.Parallel()
	b := publishingBusiness(t, map[string][]platformtest.Response{
		businessPhotoCall: {done(`{"share_id":"p_pub_url~v2.1"}`)},
	}, platformtest.Pictures(t, 2)...)
	published, err := b.commit(t)
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "p_pub_url~v2.1", InReview: true}, published)
	body := b.sent(t, "photo_images", 2)
	require.InDelta(t, 0, body["photo_cover_index"], 0)
	info, _ := body["post_info"].(map[string]any)
	require.Equal(t, "Title", info["title"])
	require.Equal(t, "PUBLIC_TO_EVERYONE", info["privacy_level"])
	require.NotContains(t, info, "disable_duet")
}

func TestRefusedBusinessPosts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"parameter":     {businessRefusal(40002, "caption"), platform.ClassRejected, tiktok.CodeContentRefused},
		"permission":    {businessRefusal(40001, "No permission"), platform.ClassReconnect, post.ErrorNeedsReconnect},
		"our own app":   {businessRefusal(40101, "app"), platform.ClassOperator, tiktok.CodeAppAccess},
		"expired token": {businessRefusal(40102, "expired"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"limit":         {businessRefusal(40100, "Too many"), platform.ClassRateLimited, post.ErrorRateLimited},
		"internal":      {businessRefusal(50000, "internal"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"a page":        {ok("<html>"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"no id":         {done(`{}`), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"a hostile id":  {done(`{"share_id":"../me"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := publishingBusiness(t, map[string][]platformtest.Response{businessVideoCall: {test.response}}, platformtest.Video(9))
			_, err := b.commit(t)
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			requireSafe(t, err)
		})
	}
}

func TestBusinessPostStates(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		want     platform.Publication
		class    platform.Class
	}{
		"in the making": {done(`{"status":"PROCESSING_DOWNLOAD"}`), platform.Publication{ExternalID: "p_1", InReview: true}, ""},
		"moderated":     {done(`{"status":"PUBLISH_COMPLETE"}`), platform.Publication{ExternalID: "p_1", InReview: true}, ""},
		"a draft":       {done(`{"status":"SEND_TO_USER_INBOX"}`), platform.Publication{ExternalID: "p_1", Unconfirmed: true}, ""},
		"public": {
			done(`{"status":"PUBLISH_COMPLETE","post_ids":["73"]}`),
			platform.Publication{ExternalID: "73", URL: "/@acme/photo/73"},
			"",
		},
		"a hostile id": {
			done(`{"status":"PUBLISH_COMPLETE","post_ids":["../me"]}`), platform.Publication{ExternalID: "p_1", InReview: true}, "",
		},
		"failed": {done(`{"status":"FAILED","reason":"photo_pull_failed"}`), platform.Publication{}, platform.ClassRejected},
		"down":   {platformtest.Response{Status: 503}, platform.Publication{}, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := publishingBusiness(t, map[string][]platformtest.Response{businessStatusCall: {test.response}})
			seen, err := b.connector.Review(t.Context(), b.account, "p_1")
			require.Equal(t, "p_1", b.script.Requests()[0].Query.Get("publish_id"))
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
				return
			}
			require.NoError(t, err)
			if test.want.URL != "" {
				test.want.URL = b.script.URL + test.want.URL
			}
			require.Equal(t, test.want, seen)
		})
	}
}

// TestLostBusinessPostIsReconciled checks that its absence is never certain, because moderation may hide the post.
func TestLostBusinessPostIsReconciled(t *testing.T) {
	t.Parallel()
	listed := func(text, created string) platformtest.Response {
		return done(`{"videos":[{"item_id":"73","caption":"` + text + `","create_time":` + created + `,"share_url":"` +
			platformtest.ScriptURL + `/@acme/video/73"}]}`)
	}
	at := strconv.FormatInt(now().Unix(), 10)
	for name, test := range map[string]struct {
		response platformtest.Response
		want     platform.Evidence
	}{
		"found":             {listed("Look", at), platform.EvidenceFound},
		"its time as text":  {listed("Look", `"`+at+`"`), platform.EvidenceFound},
		"another text":      {listed("Elsewhere", at), platform.EvidenceUnclear},
		"of another time":   {listed("Look", "1"), platform.EvidenceUnclear},
		"nothing is listed": {done(`{"videos":[]}`), platform.EvidenceUnclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := publishingBusiness(t, map[string][]platformtest.Response{businessListCall: {test.response}})
			evidence, found, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Look", At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "73")
		})
	}
	b := publishingBusiness(t, map[string][]platformtest.Response{businessListCall: {businessRefusal(40001, "No permission")}})
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Look", At: now()})
	require.Equal(t, platform.EvidenceUnclear, evidence)
	require.Equal(t, platform.CodeReadRefused, platformtest.Failure(t, err).Code)
}

// TestBusinessPostRequiresFields checks that nothing is sent without a token, a file or a readable handle.
func TestBusinessPostRequiresFields(t *testing.T) {
	t.Parallel()
	b := publishingBusiness(t, map[string][]platformtest.Response{}, platformtest.Video(9))
	for _, handle := range []platform.Handle{"", "{}", "null", `{"v":2}`, "\x00"} {
		_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, "%q", handle)
	}
	b.content.Media = nil
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
	_, err = b.connector.Commit(t.Context(), b.account, b.content, `{"v":1}`)
	require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, err = b.connector.Commit(t.Context(), b.account, b.content, `{"v":1}`)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, err = b.connector.Review(t.Context(), b.account, "p_1")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, _, err = b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}
