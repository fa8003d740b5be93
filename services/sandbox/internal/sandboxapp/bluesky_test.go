package sandboxapp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/platform/platformtest"
)

const skyToken = "sandbox-bluesky-acme"

// sky returns a record with further members.
func sky(text string, more map[string]any) map[string]any {
	record := map[string]any{"$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-03-01T09:00:00.000Z"}
	for name, value := range more {
		record[name] = value
	}
	return record
}

func facet(start, end int, feature map[string]any) map[string]any {
	feature["$type"] = fmt.Sprint("app.bsky.richtext.facet#", feature["$type"])
	return map[string]any{"facets": []any{map[string]any{
		"index": map[string]int{"byteStart": start, "byteEnd": end}, "features": []any{feature},
	}}}
}

// blob uploads a file and returns the reference to it.
func (b *bundle) blob(t *testing.T, a platformtest.Attachment) any {
	t.Helper()
	answer := b.call(t.Context(), t, http.MethodPost, "/bluesky/xrpc/com.atproto.repo.uploadBlob", skyToken,
		a.Asset.ContentType, string(a.Bytes))
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	return answer.at(t, "blob")
}

func imagesOf(blobs ...any) map[string]any {
	images := make([]any, len(blobs))
	for i, blob := range blobs {
		images[i] = map[string]any{"image": blob, "alt": "A cat"}
	}
	return map[string]any{"embed": map[string]any{"$type": "app.bsky.embed.images", "images": images}}
}

// TestBlueskyRefuses checks that malformed records have no effect.
func TestBlueskyRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture := b.blob(t, platformtest.Picture(t, 1))
	wrong := map[string]any{
		"$type": "blob", "ref": map[string]string{"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"},
		"mimeType": "image/jpeg", "size": 1,
	}
	const key = "3mtestkey2222"
	for name, c := range map[string]struct {
		key    string
		record map[string]any
		code   string
	}{
		"no TID":          {"mykey", sky("a", nil), "InvalidRequest"},
		"no text":         {key, map[string]any{"$type": "app.bsky.feed.post", "createdAt": "2026-03-01T09:00:00Z"}, "InvalidRequest"},
		"another type":    {key, sky("a", map[string]any{"$type": "app.bsky.feed.like"}), "InvalidRequest"},
		"no time":         {key, sky("a", map[string]any{"createdAt": "now"}), "InvalidRequest"},
		"too many bytes":  {key, sky(strings.Repeat("👩‍👩‍👧‍👦", 121), nil), "InvalidRequest"},
		"offset in an ä":  {key, sky("ä a.com", facet(1, 8, map[string]any{"$type": "link", "uri": "https://a.com"})), "InvalidRequest"},
		"beyond the end":  {key, sky("a.com", facet(0, 6, map[string]any{"$type": "link", "uri": "https://a.com"})), "InvalidRequest"},
		"another link":    {key, sky("a.com", facet(0, 5, map[string]any{"$type": "link", "uri": "https://b.com"})), "InvalidRequest"},
		"mention":         {key, sky("@b.sandbox.test", facet(0, 15, map[string]any{"$type": "mention", "did": "did:plc:c"})), "InvalidRequest"},
		"tag":             {key, sky("#a", facet(0, 2, map[string]any{"$type": "tag", "tag": "b"})), "InvalidRequest"},
		"five images":     {key, sky("a", imagesOf(picture, picture, picture, picture, picture)), "InvalidRequest"},
		"unknown blob":    {key, sky("a", imagesOf(wrong)), "BlobNotFound"},
		"video of images": {key, sky("a", map[string]any{"embed": map[string]any{"$type": "app.bsky.embed.video", "video": picture}}), "InvalidMimeType"},
	} {
		answer := b.skeet(t, c.key, c.record)
		require.Equal(t, http.StatusBadRequest, answer.status, "%s: %s", name, answer.body)
		require.Equal(t, c.code, answer.text(t, "error"), "%s: %s", name, answer.body)
	}
	require.Empty(t, b.posts(t, ""))

	other := b.call(t.Context(), t, http.MethodPost, "/bluesky/xrpc/com.atproto.repo.createRecord", "sandbox-bluesky-other",
		"application/json", `{"repo":"did:plc:acme","collection":"app.bsky.feed.post","rkey":"`+key+`","record":{}}`)
	require.Equal(t, http.StatusUnauthorized, other.status)
	require.Equal(t, http.StatusUnauthorized, b.get(t, "/bluesky/xrpc/com.atproto.server.getSession", "").status)
	require.Equal(t, "InvalidToken", b.get(t, "/bluesky/xrpc/com.atproto.server.getSession", "x").text(t, "error"))
	require.Equal(t, http.StatusNotImplemented, b.get(t, "/bluesky/xrpc/no.such.method", skyToken).status)
}

// TestBlueskyKeepsFiles checks that a file that no record refers to is deleted, and that files and records survive a
// restart.
func TestBlueskyKeepsFiles(t *testing.T) {
	t.Parallel()

	b := setup(t)
	first := b.blob(t, platformtest.Picture(t, 1))
	b.restart(t)
	made := b.skeet(t, "3mtestkey2222", sky("Grüße @bob.sandbox.test", facet(8, 25, map[string]any{
		"$type": "mention", "did": "did:plc:bob",
	})))
	require.Equal(t, http.StatusOK, made.status, made.body)
	require.Equal(t, http.StatusOK, b.skeet(t, "3mtestkey2223", sky("a", imagesOf(first))).status)
	second := b.blob(t, platformtest.Picture(t, 2))
	b.clock.Advance(61 * time.Minute)
	require.Equal(t, http.StatusOK, b.skeet(t, "3mtestkey2224", sky("b", imagesOf(first))).status, "in use")
	gone := b.skeet(t, "3mtestkey2225", sky("c", imagesOf(second)))
	require.Equal(t, "BlobNotFound", gone.text(t, "error"))
	b.restart(t)
	require.Equal(t, http.StatusInternalServerError, b.skeet(t, "3mtestkey2222", sky("again", nil)).status)
	posts := b.posts(t, "?platform=bluesky")
	require.Len(t, posts, 3)
	raw, err := json.Marshal(posts[0]["media"])
	require.NoError(t, err)
	require.Contains(t, string(raw), `"altText":"A cat"`)
	require.Equal(t, "/p/bluesky/3mtestkey2222", b.get(t, "/bluesky/profile/did:plc:acme/post/3mtestkey2222", "").header.Get("Location"))
}
