package mediabox_test

import (
	"bytes"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// TestHostileFiles checks that each file fails with its class or renders, and that no file causes a request to the
// address that some of them refer to.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(canary.Close)
	t.Cleanup(func() { require.Zero(t, calls.Load(), "a request was made") })
	box := setup(t, func(config *mediabox.Config) { config.Limits.CPU = 3 * time.Second })
	files := mediaboxtest.HostileTo(t, canary.URL)
	const fewest = 170 // so that no test loses its files unnoticed
	require.GreaterOrEqual(t, len(files), fewest)
	for _, file := range files {
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			result, err := box.Render(t.Context(), write(t, file.Data))
			class, found := file.Class, mediabox.Class("")
			if err != nil {
				found, _ = mediabox.ClassOf(err)
			}
			if slices.Contains(file.Other, found) {
				class = found
			}
			if class != "" {
				requireClass(t, class, err)
				require.Empty(t, result.Thumbnail)
				return
			}
			require.NoError(t, err)
			decoded, _, err := image.Decode(bytes.NewReader(result.Thumbnail.Data))
			require.NoError(t, err)
			require.LessOrEqual(t, max(decoded.Bounds().Dx(), decoded.Bounds().Dy()), mediabox.Side)
		})
	}
}

// TestStripOfHostileFiles checks that a file that cannot be stripped is a failure, and that others have the announced
// length.
func TestStripOfHostileFiles(t *testing.T) {
	t.Parallel()
	box := setup(t, func(config *mediabox.Config) { config.Limits.VideoCPU = 3 * time.Second })
	for _, file := range mediaboxtest.Hostile(t) {
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			into := output(t)
			stripped, err := box.Strip(t.Context(), write(t, file.Data), into)
			if err != nil {
				_, failure := mediabox.ClassOf(err)
				require.True(t, failure, "%v", err)
				return
			}
			info, err := into.Stat()
			require.NoError(t, err)
			require.Equal(t, stripped.Size, info.Size())
		})
	}
}

// strip removes the metadata of a file.
func strip(t testing.TB, box *mediabox.Box, file []byte) []byte {
	t.Helper()
	into := output(t)
	stripped, err := box.Strip(t.Context(), write(t, file), into)
	require.NoError(t, err)
	data, err := io.ReadAll(io.NewSectionReader(into, 0, stripped.Size+1))
	require.NoError(t, err)
	require.Len(t, data, int(stripped.Size))
	_, contentType, _ := media.Sniff(data)
	require.Equal(t, stripped.ContentType, contentType)
	return data
}

// TestGoodFilesAreUnchanged checks that every supported type renders, and that a file without its metadata looks the
// same.
func TestGoodFilesAreUnchanged(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	seen := map[string]bool{}
	for _, file := range mediaboxtest.Good(t) {
		seen[file.ContentType] = true
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			before, err := box.Render(t.Context(), write(t, file.Data))
			require.NoError(t, err)
			require.Equal(t, file.ContentType, before.ContentType)
			if file.ContentType == media.ContentTypePDF {
				return // published unchanged
			}
			after, err := box.Render(t.Context(), write(t, strip(t, box, file.Data)))
			require.NoError(t, err)
			if file.Name == "fragments.mp4" { // its tables have no duration
				require.InDelta(t, before.Probe.Duration, after.Probe.Duration, float64(300*time.Millisecond))
				before.Probe.Duration, before.Thumbnail.Data = after.Probe.Duration, after.Thumbnail.Data
			}
			require.InDelta(t, before.Probe.Duration, after.Probe.Duration, float64(20*time.Millisecond))
			before.Probe.Duration = after.Probe.Duration
			require.Equal(t, before, after)
		})
	}
	for _, contentType := range media.ContentTypes() {
		require.Equal(t, media.Opens(contentType), seen[contentType], contentType)
	}
}

func TestStrippedHEICOpens(t *testing.T) {
	t.Parallel()
	path := write(t, strip(t, setup(t, nil), mediaboxtest.Fixture(t, "talkative.heic")))
	picture := filepath.Join(t.TempDir(), "picture.png")
	printed, err := exec.CommandContext(t.Context(), "heif-convert", path, picture).CombinedOutput()
	require.NoError(t, err, string(printed))
	require.FileExists(t, picture)
}
