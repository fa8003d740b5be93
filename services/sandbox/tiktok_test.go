package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const tokChunk = 5 << 20

// tok makes a publishing call as acme.
func (b *bundle) tok(t *testing.T, path, body string) reply {
	t.Helper()
	return b.tokAs(t, "acme", path, body)
}

func (b *bundle) tokAs(t *testing.T, account, path, body string) reply {
	t.Helper()
	return b.call(t.Context(), t, http.MethodPost, "/tiktok/v2/post/publish/"+path, "sandbox-tiktok-"+account,
		"application/json", body)
}

func tokInit(size, chunk, chunks int) string {
	return fmt.Sprintf(`{"post_info":{"title":"Look","privacy_level":"PUBLIC_TO_EVERYONE"},"source_info":`+
		`{"source":"FILE_UPLOAD","video_size":%d,"chunk_size":%d,"total_chunk_count":%d}}`, size, chunk, chunks)
}

// tokChunkTo sends a chunk to an upload address.
func (b *bundle) tokChunkTo(t *testing.T, begun reply, contentRange, body string) reply {
	t.Helper()
	require.Equal(t, http.StatusOK, begun.status, begun.body)
	at, err := url.Parse(begun.text(t, "data", "upload_url"))
	require.NoError(t, err)
	return b.raw(t, http.MethodPut, at.RequestURI(), body, "Content-Type", "video/mp4", "Content-Range", contentRange)
}

func (b *bundle) tokStatus(t *testing.T, begun reply) reply {
	t.Helper()
	return b.tok(t, "status/fetch/", `{"publish_id":"`+begun.text(t, "data", "publish_id")+`"}`)
}

func TestTikTokPublishesWithLastChunk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := platformtest.Video(2*tokChunk + 9)
	size, content := len(file.Bytes), string(file.Bytes)
	begun := b.tok(t, "video/init/", tokInit(size, tokChunk, 2))
	first := fmt.Sprintf("bytes 0-%d/%d", tokChunk-1, size)
	last := fmt.Sprintf("bytes %d-%d/%d", tokChunk, size-1, size)
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, b.tokChunkTo(t, begun, last, content[tokChunk:]).status, "not the first")
	require.Equal(t, http.StatusBadRequest, b.tokChunkTo(t, begun, fmt.Sprintf("bytes 0-99/%d", size), content[:100]).status)
	require.Equal(t, http.StatusBadRequest, b.tokChunkTo(t, begun, first, content[:100]).status, "a short body")
	require.Equal(t, http.StatusPartialContent, b.tokChunkTo(t, begun, first, content[:tokChunk]).status)
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, b.tokChunkTo(t, begun, first, content[:tokChunk]).status, "again")
	b.restart(t)
	require.InDelta(t, tokChunk, b.tokStatus(t, begun).at(t, "data", "uploaded_bytes"), 0)
	require.Empty(t, b.posts(t, ""))

	b.inject(t, `{"platform":"tiktok","step":"commit","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, b.tokChunkTo(t, begun, last, content[tokChunk:]).status)
	require.Equal(t, "PROCESSING_UPLOAD", b.tokStatus(t, begun).text(t, "data", "status"))
	posts := b.posts(t, "")
	require.Len(t, posts, 1)
	require.Contains(t, fmt.Sprint(posts[0]["media"]), file.SHA256())
	b.clock.Advance(200 * time.Millisecond)
	require.NotContains(t, b.tokStatus(t, begun).body, "publicaly_available_post_id", "moderated")
	b.clock.Advance(time.Second)
	done := b.tokStatus(t, begun)
	require.Equal(t, "PUBLISH_COMPLETE", done.text(t, "data", "status"))
	require.Contains(t, done.body, fmt.Sprintf(`"publicaly_available_post_id":[%s]`, posts[0]["id"]))
	list := b.call(t.Context(), t, http.MethodPost, "/tiktok/v2/video/list/?fields=id,video_description", "sandbox-tiktok-acme",
		"application/json", `{"max_count":20}`)
	require.Contains(t, list.body, `"video_description":"Look"`)
}

func TestTikTokDraftsGoToInbox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := platformtest.Video(1)
	size := len(file.Bytes)
	body := fmt.Sprintf(`{"source_info":{"source":"FILE_UPLOAD","video_size":%d,"chunk_size":%d,"total_chunk_count":1}}`, size, size)
	begun := b.tokAs(t, "acme", "inbox/video/init/", body)
	ended := b.tokChunkTo(t, begun, fmt.Sprintf("bytes 0-%d/%d", size-1, size), string(file.Bytes))
	require.Equal(t, http.StatusCreated, ended.status)
	b.clock.Advance(time.Second)
	require.Equal(t, "SEND_TO_USER_INBOX", b.tokStatus(t, begun).text(t, "data", "status"))
	require.Equal(t, "DRAFT", b.posts(t, "")[0]["visibility"])
	require.Equal(t, http.StatusBadRequest, b.tok(t, "inbox/video/init/", tokInit(size, size, 1)).status, "a draft has no settings")
}

func TestTikTokRefusesPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, body := range map[string]string{
		"no post_info":     `{"source_info":{"source":"FILE_UPLOAD","video_size":9,"chunk_size":9,"total_chunk_count":1}}`,
		"a long title":     strings.Replace(tokInit(9, 9, 1), "Look", strings.Repeat("x", 2201), 1),
		"a cover":          strings.Replace(tokInit(9, 9, 1), `"post_info":{`, `"post_info":{"video_cover_timestamp_ms":-1,`, 1),
		"a far cover":      strings.Replace(tokInit(9, 9, 1), `"post_info":{`, `"post_info":{"video_cover_timestamp_ms":3000000000,`, 1),
		"small chunks":     tokInit(2*tokChunk, tokChunk-1, 2),
		"a wrong count":    tokInit(2*tokChunk+1, tokChunk, 3),
		"a large chunk":    tokInit(65<<20, 65<<20, 1),
		"another source":   strings.Replace(tokInit(9, 9, 1), "FILE_UPLOAD", "EMAIL", 1),
		"too many chunks":  tokInit(1001*tokChunk, tokChunk, 1001),
		"a file too large": tokInit(5<<30, 64<<20, 80),
	} {
		require.Contains(t, b.tok(t, "video/init/", body).body, "invalid_params", name)
	}
	for account, code := range map[string]string{
		"private": "privacy_level_option_mismatch", "banned": "spam_risk_user_banned_from_posting",
		"unaudited": "unaudited_client_can_only_post_to_private_accounts", "nocomment": "invalid_params",
	} {
		require.Contains(t, b.tokAs(t, account, "video/init/", tokInit(9, 9, 1)).body, code)
	}
	photos := `{"media_type":"PHOTO","post_mode":"DIRECT_POST","post_info":{"privacy_level":"PUBLIC_TO_EVERYONE"},` +
		`"source_info":{"source":"PULL_FROM_URL","photo_images":["http://127.0.0.1:1/a.jpg"],"photo_cover_index":0}}`
	require.Contains(t, b.tokAs(t, "unverified", "content/init/", photos).body, "url_ownership_unverified")
	pulled := b.tok(t, "content/init/", photos)
	b.clock.Advance(time.Second)
	require.Equal(t, "photo_pull_failed", b.tokStatus(t, pulled).text(t, "data", "fail_reason"))
	require.Contains(t, b.tok(t, "status/fetch/", `{"publish_id":"v_pub_file~v2-1.9"}`).body, "invalid_publish_id")
	require.Equal(t, http.StatusNotFound, b.raw(t, http.MethodPut, "/tiktok/upload/?upload_id=1&upload_token=2", "x").status)

	begun := b.tok(t, "video/init/", tokInit(9, 9, 1))
	broken := b.tokChunkTo(t, begun, "bytes 0-8/9", "123456789")
	require.Equal(t, http.StatusCreated, broken.status)
	b.clock.Advance(time.Second)
	require.Equal(t, "file_format_check_failed", b.tokStatus(t, begun).text(t, "data", "fail_reason"))
	late := b.tok(t, "video/init/", tokInit(9, 9, 1))
	b.clock.Advance(time.Hour + time.Second)
	require.Equal(t, http.StatusForbidden, b.tokChunkTo(t, late, "bytes 0-8/9", "123456789").status)
	require.Empty(t, b.posts(t, ""))
}

// TestTikTokCapsPosts checks the caps of an account, over all applications.
func TestTikTokCapsPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(t.Context(), t, http.MethodPost, "/_sandbox/limits", "", "application/json", `{"strict":true}`)
	file := platformtest.Video(1)
	size := len(file.Bytes)
	for range 15 {
		b.clock.Advance(time.Minute)
		begun := b.tok(t, "video/init/", tokInit(size, size, 1))
		require.Equal(t, http.StatusCreated, b.tokChunkTo(t, begun, fmt.Sprintf("bytes 0-%d/%d", size-1, size), string(file.Bytes)).status)
	}
	b.clock.Advance(time.Minute)
	require.Contains(t, b.tok(t, "video/init/", tokInit(size, size, 1)).body, "spam_risk_too_many_posts")
}
