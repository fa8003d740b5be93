package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
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
	response := b.call(t.Context(), t, http.MethodPost, "/bluesky/xrpc/com.atproto.repo.uploadBlob", skyToken,
		a.Asset.ContentType, string(a.Bytes))
	require.Equal(t, http.StatusOK, response.status, response.body)
	return response.at(t, "blob")
}

func imagesOf(blobs ...any) map[string]any {
	images := make([]any, len(blobs))
	for i, blob := range blobs {
		images[i] = map[string]any{"image": blob, "alt": "A cat"}
	}
	return map[string]any{"embed": map[string]any{"$type": "app.bsky.embed.images", "images": images}}
}

func galleryOf(blobs ...any) map[string]any {
	items := make([]any, len(blobs))
	for i, blob := range blobs {
		items[i] = map[string]any{
			"$type": "app.bsky.embed.gallery#image", "image": blob, "alt": "", "aspectRatio": map[string]int{"width": 4, "height": 3},
		}
	}
	return map[string]any{"embed": map[string]any{"$type": "app.bsky.embed.gallery", "items": items}}
}

// TestBlueskyTakesVideosInParts checks the calls for files that one call does not take.
func TestBlueskyTakesVideosInParts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const xrpc, part = "/bluesky/xrpc/", 5 << 20
	video := platformtest.Video(part + 1000).Bytes
	service := func(name string) string {
		auth := b.get(t, xrpc+"com.atproto.server.getServiceAuth?aud=did:web:pds.sandbox.test&lxm=com.atproto.repo.uploadBlob&exp="+
			strconv.FormatInt(b.clock.Now().Add(time.Minute).Unix(), 10), "sandbox-bluesky-"+name)
		return auth.text(t, "token")
	}
	send := func(method, key, kind, body string) reply {
		return b.call(t.Context(), t, http.MethodPost, xrpc+"app.bsky.video."+method, key, kind, body)
	}
	key := service("acme")
	for _, c := range [][3]string{
		{"unconfirmed", `{"sizeBytes":1,"mimeType":"video/mp4"}`, "unconfirmed_email"},
		{"profileless", `{"sizeBytes":1,"mimeType":"video/mp4"}`, "profile_not_found"},
		{"acme", `{"sizeBytes":300000001,"mimeType":"video/mp4"}`, "VideoTooLarge"},
		{"acme", `{"sizeBytes":1,"mimeType":"image/png"}`, "UnsupportedContentType"},
	} {
		require.Equal(t, c[2], send("startUpload", service(c[0]), "application/json", c[1]).text(t, "error"))
	}
	begun := send("startUpload", key, "application/json", fmt.Sprintf(`{"sizeBytes":%d,"mimeType":"video/mp4"}`, len(video)))
	id := begun.text(t, "jobId")
	const bytes = "application/octet-stream"
	first := "uploadPart?partNumber=1&jobId=" + id
	require.Equal(t, "PartSizeMismatch", send(first, key, bytes, "a").text(t, "error"))
	require.Equal(t, "InvalidPartNumber", send("uploadPart?partNumber=3&jobId="+id, key, bytes, "a").text(t, "error"))
	require.Equal(t, "UploadNotFound", send(first, service("other"), bytes, "a").text(t, "error"))
	require.Equal(t, http.StatusOK, send(first, key, bytes, string(video[:part])).status)
	finish := `{"jobId":"` + id + `"}`
	require.Equal(t, "MissingParts", send("finishUpload", key, "application/json", finish).text(t, "error"))
	b.restart(t)
	require.Equal(t, http.StatusOK, send("uploadPart?partNumber=2&jobId="+id, key, bytes, string(video[part:])).status)
	for range 2 {
		done := send("finishUpload", key, "application/json", finish)
		require.Equal(t, http.StatusOK, done.status, done.body)
		job := b.get(t, xrpc+"app.bsky.video.getJobStatus?jobId="+done.text(t, "completedJobId"), "")
		require.Equal(t, http.StatusOK, job.status, job.body)
	}
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
		"gallery of 11":   {key, sky("a", galleryOf(slices.Repeat([]any{picture}, 11)...)), "InvalidRequest"},
		"unknown blob":    {key, sky("a", imagesOf(wrong)), "BlobNotFound"},
		"video of images": {key, sky("a", map[string]any{"embed": map[string]any{"$type": "app.bsky.embed.video", "video": picture}}), "InvalidMimeType"},
	} {
		response := b.skeet(t, c.key, c.record)
		require.Equal(t, http.StatusBadRequest, response.status, "%s: %s", name, response.body)
		require.Equal(t, c.code, response.text(t, "error"), "%s: %s", name, response.body)
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
	created := b.skeet(t, "3mtestkey2222", sky("Grüße @bob.sandbox.test", facet(8, 25, map[string]any{
		"$type": "mention", "did": "did:plc:bob",
	})))
	require.Equal(t, http.StatusOK, created.status, created.body)
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
