package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

// businessPost makes a call of the business product about a post.
func (b *bundle) businessPost(t *testing.T, account, path, body string) reply {
	t.Helper()
	return b.raw(t, http.MethodPost, business+"/business/"+path, body,
		"Access-Token", "sandbox-tiktok-"+account+"@business", "Content-Type", "application/json")
}

// businessStatus reads the state of the post that a call made.
func (b *bundle) businessStatus(t *testing.T, created reply) reply {
	t.Helper()
	return b.raw(t, http.MethodGet, business+"/business/publish/status/?business_id=acme&publish_id="+
		created.text(t, "data", "share_id"), "", "Access-Token", businessToken)
}

// businessSettings are the settings of a post that are mandatory.
const businessSettings = `"is_brand_organic":false,"is_branded_content":false`

func businessVideo(address, settings string) string {
	return fmt.Sprintf(`{"business_id":"acme","video_url":%q,"post_info":{"caption":"Look",%s}}`, address, settings)
}

func businessPhotos(settings string, addresses ...string) string {
	images, _ := json.Marshal(addresses) // strings: cannot fail
	return fmt.Sprintf(`{"business_id":"acme","photo_images":%s,"photo_cover_index":0,"post_info":{"title":"Title",`+
		`"caption":"Look","privacy_level":"PUBLIC_TO_EVERYONE",%s}}`, images, settings)
}

// businessPublishes publishes a video.
func businessPublishes(t *testing.T, b *bundle) reply {
	t.Helper()
	return b.businessPost(t, "acme", "video/publish/", businessVideo(web(t, files(t))+"video.mp4", businessSettings))
}

func TestTikTokBusinessPublishesWithOneCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all := files(t)
	created := businessPublishes(t, b)
	require.InDelta(t, 0, created.at(t, "code"), 0, created.body)
	require.Equal(t, "PROCESSING_DOWNLOAD", b.businessStatus(t, created).text(t, "data", "status"))
	posts := b.posts(t, "")
	require.Len(t, posts, 1)
	require.Contains(t, fmt.Sprint(posts[0]["media"]), hash(all["video.mp4"]))
	b.clock.Advance(200 * time.Millisecond)
	moderated := b.businessStatus(t, created)
	require.Equal(t, "PUBLISH_COMPLETE", moderated.text(t, "data", "status"))
	require.Contains(t, moderated.body, `"post_ids":[]`)
	b.restart(t)
	b.clock.Advance(time.Second)
	require.Contains(t, b.businessStatus(t, created).body, fmt.Sprintf(`"post_ids":[%q]`, posts[0]["id"]))

	server := web(t, all)
	photos := businessPhotos(businessSettings, server+"good.jpg", server+"other.jpg")
	b.inject(t, `{"platform":"tiktok","step":"commit","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, b.businessPost(t, "acme", "photo/publish/", photos).status)
	posts = b.posts(t, "")
	require.Len(t, posts, 2)
	require.Contains(t, fmt.Sprint(posts[0]["media"]), hash(all["good.jpg"]))
	require.Contains(t, fmt.Sprint(posts[0]["media"]), hash(all["other.jpg"]))
	list := b.raw(t, http.MethodGet, business+`/business/video/list/?business_id=acme&fields=["item_id","caption"]`, "",
		"Access-Token", businessToken)
	require.Contains(t, list.body, fmt.Sprintf(`{"caption":"Look","item_id":%q}`, posts[0]["id"]))

	b.inject(t, `{"platform":"tiktok","step":"commit","kind":"timeout_before","delayMs":1}`)
	require.Zero(t, b.businessPost(t, "acme", "photo/publish/", photos).status)
	require.Len(t, b.posts(t, ""), 2)
}

// TestTikTokBusinessDraftsGoToInbox checks that a draft of a video has no caption, and that none is listed.
func TestTikTokBusinessDraftsGoToInbox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := web(t, files(t))
	for path, body := range map[string]string{
		"video/publish/": businessVideo(server+"video.mp4", `"upload_to_draft":true,`+businessSettings),
		"photo/publish/": businessPhotos(`"is_draft":true,`+businessSettings, server+"good.jpg"),
	} {
		created := b.businessPost(t, "acme", path, body)
		b.clock.Advance(time.Second)
		require.Equal(t, "SEND_TO_USER_INBOX", b.businessStatus(t, created).text(t, "data", "status"), created.body)
		require.Equal(t, "DRAFT", b.posts(t, "")[0]["visibility"])
		require.Equal(t, path == "photo/publish/", b.posts(t, "")[0]["text"] == "Look", "only drafts of photos have a text")
	}
	list := b.raw(t, http.MethodGet, business+`/business/video/list/?business_id=acme&fields=["item_id"]`, "",
		"Access-Token", businessToken)
	require.Contains(t, list.body, `"videos":[]`)
}

func TestTikTokBusinessRefusesPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := web(t, files(t))
	video, photos := businessVideo(server+"video.mp4", businessSettings), businessPhotos(businessSettings, server+"good.jpg")
	for name, c := range map[string]struct {
		account, path, body string
		code                float64
	}{
		"no settings":         {"acme", "video/publish/", `{"business_id":"acme","video_url":"` + server + `video.mp4"}`, 40002},
		"no brand flags":      {"acme", "video/publish/", businessVideo(server+"video.mp4", `"disable_duet":true`), 40002},
		"no video":            {"acme", "video/publish/", businessVideo("", businessSettings), 40002},
		"a long caption":      {"acme", "video/publish/", strings.Replace(video, "Look", strings.Repeat("x", 2201), 1), 40002},
		"another's account":   {"acme", "video/publish/", strings.Replace(video, `"acme"`, `"other"`, 1), 40001},
		"not JSON":            {"acme", "video/publish/", "video_url=x", 40002},
		"no photos":           {"acme", "photo/publish/", businessPhotos(businessSettings), 40002},
		"too many photos":     {"acme", "photo/publish/", businessPhotos(businessSettings, slices.Repeat([]string{server}, 36)...), 40002},
		"a wrong cover":       {"acme", "photo/publish/", strings.Replace(photos, `index":0`, `index":1`, 1), 40002},
		"a long title":        {"acme", "photo/publish/", strings.Replace(photos, "Title", strings.Repeat("x", 91), 1), 40002},
		"a long text":         {"acme", "photo/publish/", strings.Replace(photos, "Look", strings.Repeat("x", 4001), 1), 40002},
		"photos without view": {"acme", "photo/publish/", strings.Replace(photos, "PUBLIC_TO_EVERYONE", "", 1), 40002},
		"a banned account":    {"banned", "video/publish/", strings.Replace(video, `"acme"`, `"banned"`, 1), 40002},
		"unverified address":  {"unverified", "video/publish/", strings.Replace(video, `"acme"`, `"unverified"`, 1), 40002},
		"comments disabled":   {"nocomment", "video/publish/", strings.Replace(video, `"acme"`, `"nocomment"`, 1), 40002},
		"a private account":   {"private", "photo/publish/", strings.Replace(photos, `"acme"`, `"private"`, 1), 40002},
	} {
		response := b.businessPost(t, c.account, c.path, c.body)
		require.Equal(t, http.StatusOK, response.status, name)
		require.InDelta(t, c.code, response.at(t, "code"), 0, "%s: %s", name, response.body)
	}
	form := b.raw(t, http.MethodPost, business+"/business/video/publish/", video, "Access-Token", businessToken)
	require.InDelta(t, 40002, form.at(t, "code"), 0, "without a content type")
	require.NotEqual(t, http.StatusOK, b.businessPost(t, "acme", "video/publish", video).status, "without the last slash")

	for file, c := range map[string]struct{ path, body, reason string }{
		"no video":        {"video/publish/", businessVideo(server+"missing.mp4", businessSettings), "video_pull_failed"},
		"moved":           {"photo/publish/", businessPhotos(businessSettings, server+"moved"), "photo_pull_failed"},
		"a photo":         {"video/publish/", businessVideo(server+"good.jpg", businessSettings), "file_format_check_failed"},
		"a PNG":           {"photo/publish/", businessPhotos(businessSettings, server+"good.png"), "file_format_check_failed"},
		"not any picture": {"photo/publish/", businessPhotos(businessSettings, server+"page.jpg"), "photo_pull_failed"},
	} {
		created := b.businessPost(t, "acme", c.path, c.body)
		b.clock.Advance(time.Second)
		state := b.businessStatus(t, created)
		require.Equal(t, "FAILED", state.text(t, "data", "status"), "%s: %s", file, state.body)
		require.Equal(t, c.reason, state.text(t, "data", "reason"), file)
	}
	require.Empty(t, b.posts(t, ""))
}

// TestTikTokBusinessCapsPosts checks the caps of an account, which fail a post that the call accepted, and the limit of
// calls.
func TestTikTokBusinessCapsPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(t.Context(), t, http.MethodPost, "/_sandbox/limits", "", "application/json", `{"strict":true}`)
	server := web(t, files(t))
	publish := func(settings string) string {
		b.clock.Advance(time.Minute)
		created := b.businessPost(t, "acme", "video/publish/", businessVideo(server+"video.mp4", settings))
		b.clock.Advance(time.Second)
		state := b.businessStatus(t, created)
		return state.text(t, "data", "status") + state.text(t, "data", "reason")
	}
	for range 15 {
		require.Equal(t, "PUBLISH_COMPLETE", publish(businessSettings))
	}
	require.Equal(t, "FAILEDspam_risk_too_many_posts", publish(businessSettings))
	for range 5 {
		require.Equal(t, "SEND_TO_USER_INBOX", publish(`"upload_to_draft":true,`+businessSettings))
	}
	require.Equal(t, "FAILEDspam_risk_too_many_pending_share", publish(`"upload_to_draft":true,`+businessSettings))

	b.clock.Advance(time.Minute)
	settings := func() reply {
		return b.raw(t, http.MethodGet, business+"/business/video/settings/?business_id=acme", "", "Access-Token", businessToken)
	}
	for range 40 {
		require.InDelta(t, 0, settings().at(t, "code"), 0)
	}
	require.InDelta(t, 40100, settings().at(t, "code"), 0)
	require.InDelta(t, 0, b.raw(t, http.MethodGet, business+"/business/get/?business_id=acme", "", "Access-Token",
		businessToken).at(t, "code"), 0, "another call")
}

// hash returns the SHA-256 of a file, in hexadecimal.
func hash(file []byte) string { return platformtest.Attachment{Bytes: file}.SHA256() }
