package web_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
)

func picture(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, 8, 8))))
	return out.Bytes()
}

// send sends the bytes to an upload's URL, with its headers and no others.
func (b *bundle) send(t testing.TB, started object, data []byte) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), textAt(t, started, "method"), textAt(t, started, "uploadUrl"),
		bytes.NewReader(data))
	require.NoError(t, err)
	headers, ok := started["headers"].(object)
	require.True(t, ok)
	for name := range headers {
		r.Header.Set(name, textAt(t, headers, name))
	}
	res, err := (&http.Client{Transport: objectstoretest.Transport(t)}).Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode
}

// TestUploads uploads to a real object store and posts the asset.
func TestUploads(t *testing.T) {
	t.Parallel()
	b := withStore(t, objectstoretest.Open(t))
	data := picture(t)
	start := func(size int) object {
		return b.did(t, "create_media_upload", object{
			"fileName": "spring.png", "contentType": media.ContentTypePNG, "sizeBytes": size,
		})
	}
	started := start(len(data))
	id := textAt(t, started, "mediaId")
	got := b.refused(t, "complete_media_upload", object{"mediaId": id}, "UPLOAD_NOT_RECEIVED")
	require.Contains(t, got.Next, "uploadUrl")
	b.refused(t, "create_post", object{"channelIds": []any{b.ours.channel}, "mediaIds": []any{id}}, "NOT_FOUND")
	require.Equal(t, http.StatusOK, b.send(t, started, data))
	done := b.did(t, "complete_media_upload", object{"mediaId": id})
	require.Equal(t, id, textAt(t, done, "media", "id"))
	again := b.did(t, "complete_media_upload", object{"mediaId": id})
	require.Equal(t, id, textAt(t, again, "media", "id"))
	created := b.did(t, "create_post", object{"channelIds": []any{b.ours.channel}, "content": "x", "mediaIds": []any{id}})
	require.Equal(t, []any{id}, at(t, created, "posts", 0, "mediaIds"))
	require.Equal(t, object{}, at(t, created, "posts", 0, "mediaAltTexts"))
	described := object{"channelIds": []any{b.ours.channel}, "mediaIds": []any{id}, "mediaAltTexts": object{id: "Tiles"}}
	created = b.did(t, "create_post", described)
	require.Equal(t, object{id: "Tiles"}, at(t, created, "posts", 0, "mediaAltTexts"))
	described["mediaIds"] = []any{}
	b.refused(t, "create_post", described, "VALIDATION_FAILED")

	text := start(len(data))
	require.Equal(t, http.StatusOK, b.send(t, text, bytes.Repeat([]byte("x"), len(data))))
	got = b.refused(t, "complete_media_upload", object{"mediaId": textAt(t, text, "mediaId")}, "UPLOAD_MISMATCH")
	require.Contains(t, got.Next, "create_media_upload")
}

func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		arguments object
		want      []string
	}{
		{object{}, []string{"/fileName", "/contentType", "/sizeBytes"}},
		{object{"fileName": "a.svg", "contentType": "image/svg+xml", "sizeBytes": 1}, []string{"/contentType"}},
		{object{"fileName": "", "contentType": "image/png", "sizeBytes": 0}, []string{"/fileName", "/sizeBytes"}},
	} {
		require.ElementsMatch(t, c.want, b.refused(t, "create_media_upload", c.arguments, "VALIDATION_FAILED").pointers())
	}
	b.exec(t,
		`INSERT INTO workspace_usage (workspace_id, storage_bytes, uploads) VALUES ($1, $2, 0) ON CONFLICT (workspace_id) DO UPDATE SET storage_bytes = $2`, b.theirs.id.String(), int64(1)<<50)
	full := b.refusedAs(t, b.theirs.key, "create_media_upload",
		object{"fileName": "a.png", "contentType": "image/png", "sizeBytes": 10}, "QUOTA_EXCEEDED")
	require.Contains(t, full.Next, "plan")
	huge := b.do(t, callOf(t, newest, b.ours.key, "create_media_upload",
		object{"fileName": "a.mp4", "contentType": "video/mp4", "sizeBytes": int64(1) << 50}))
	require.True(t, b.resultOf(t, "create_media_upload", huge).IsError)
	away := b.did(t, "create_media_upload", object{"fileName": "a.png", "contentType": "image/png", "sizeBytes": 10})
	got := b.refused(t, "complete_media_upload", object{"mediaId": away["mediaId"]}, "UNAVAILABLE")
	require.Contains(t, got.Next, "again with the same arguments")
	require.Contains(t, b.logs.String(), "call failed", "operators see it in the logs")
	require.NotContains(t, got.Detail, "127.0.0.1", "which agents need not know")
}
