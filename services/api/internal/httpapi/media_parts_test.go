package httpapi_test

import (
	"crypto/sha256"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
)

// large returns a picture with bytes behind it, which differ from part to part.
func large(t *testing.T, size int) []byte {
	t.Helper()
	data := append(picture(t, 1), make([]byte, size)...)[:size]
	for i := 1 << 20; i < size; i += 1 << 20 {
		data[i] = byte(i >> 20)
	}
	return data
}

// sendPart sends a part of a file to its own URL.
func (b *bundle) sendPart(t *testing.T, u begun, number int, data []byte) int {
	t.Helper()
	part := u.Parts[number-1]
	u.UploadURL = part.URL
	return b.send(t, u, data[part.Offset:part.Offset+part.SizeBytes], nil)
}

// TestLargeUploadInParts sends a file of 70 MiB in parts in any order. A part that was cut is sent again alone.
func TestLargeUploadInParts(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := large(t, 70<<20)
	started := b.post(t, "/v1/media/uploads", uploadBody(t, "spring.png", media.ContentTypePNG, len(data)))
	require.ElementsMatch(t, []string{"mediaId", "uploadUrl", "method", "headers", "expiresInSeconds", "parts"},
		slices.Collect(maps.Keys(started.object(t))))
	var u begun
	started.into(t, &u)
	require.Len(t, u.Parts, 3)
	var end int64
	for i, part := range u.Parts {
		require.Equal(t, i+1, part.Number)
		require.Equal(t, end, part.Offset)
		end += part.SizeBytes
	}
	require.EqualValues(t, len(data), end)
	require.Equal(t, 4, b.count(t, `loose_object`), "the file and its parts are swept if the upload is not completed")

	require.Equal(t, http.StatusOK, b.sendPart(t, u, 3, data))
	cut := u
	cut.UploadURL = u.Parts[0].URL
	require.Equal(t, http.StatusForbidden, b.send(t, cut, data[:1<<20], nil), "a part that was cut")
	require.Equal(t, http.StatusForbidden, b.send(t, cut, data[:u.Parts[0].SizeBytes], func(r *http.Request) {
		r.Header.Set("Content-Type", "text/html")
	}))
	p := requireProblem(t, b.complete(t, u.MediaID), http.StatusConflict, "UPLOAD_NOT_RECEIVED")
	require.Contains(t, p["detail"], "Of 3 parts, these are not in storage: 1, 2.")
	for _, number := range []int{2, 1, 2} {
		require.Equal(t, http.StatusOK, b.sendPart(t, u, number, data), "also repeatedly")
	}
	b.ours, b.theirs = b.theirs, b.ours
	requireProblem(t, b.complete(t, u.MediaID), http.StatusNotFound, "NOT_FOUND")
	b.ours, b.theirs = b.theirs, b.ours
	done := b.complete(t, u.MediaID)
	require.Equal(t, http.StatusOK, done.status, done.body)
	asset := done.object(t)
	require.InDelta(t, len(data), asset["size"], 0)
	require.Equal(t, sha256.Sum256(data), sha256.Sum256([]byte(download(t, text(t, asset, "url")).body)), "the parts are joined in their order")
	require.Equal(t, u.MediaID, b.complete(t, u.MediaID).object(t)["id"])
	require.Equal(t, [2]int{len(data), 1}, b.used(t, b.ours))

	b.exec(t, `UPDATE loose_object SET delete_after = now() - interval '1 minute'`)
	swept, err := postgres.NewLoose(b.db).Sweep(t.Context(), 10, b.files.Delete)
	require.NoError(t, err)
	require.Equal(t, 4, swept)
	require.Len(t, b.stored(t), 1, "the asset remains")
}

// TestLargeUploadAtOnce sends a large file whole, as before there were parts, and one whose parts are no picture.
func TestLargeUploadAtOnce(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := large(t, 65<<20)
	u := b.startUpload(t, b.ours, data)
	require.Len(t, u.Parts, 3)
	require.Equal(t, http.StatusOK, b.sendPart(t, u, 1, data))
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	require.Equal(t, http.StatusOK, b.complete(t, u.MediaID).status)

	require.Empty(t, b.startUpload(t, b.ours, data[:media.WholeSize]).Parts)
	foreign := []byte(strings.Repeat("x", len(data)))
	u = b.startUpload(t, b.ours, foreign)
	for number := range u.Parts {
		require.Equal(t, http.StatusOK, b.sendPart(t, u, number+1, foreign))
	}
	requireProblem(t, b.complete(t, u.MediaID), http.StatusUnprocessableEntity, "UPLOAD_MISMATCH")
}
