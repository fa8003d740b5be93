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
	"strings"
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

// TestStripOfHostileFiles checks that a file that cannot be walked is a failure, and that others have the announced
// length.
func TestStripOfHostileFiles(t *testing.T) {
	t.Parallel()
	for _, file := range mediaboxtest.Hostile(t) {
		stripped, err := mediabox.Strip(bytes.NewReader(file.Data), int64(len(file.Data)))
		if err != nil {
			_, failure := mediabox.ClassOf(err)
			require.True(t, failure, "%s: %v", file.Name, err)
			continue
		}
		n, err := io.Copy(io.Discard, stripped.NewReader())
		require.NoError(t, err, file.Name)
		require.Equal(t, stripped.Size, n, file.Name)
	}
}

// strip removes the metadata of a file.
func strip(t testing.TB, file []byte) []byte {
	t.Helper()
	stripped, err := mediabox.Strip(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	data, err := io.ReadAll(stripped.NewReader())
	require.NoError(t, err)
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
			after, err := box.Render(t.Context(), write(t, strip(t, file.Data)))
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	}
	for _, contentType := range media.ContentTypes() {
		require.Equal(t, media.Opens(contentType), seen[contentType], contentType)
	}
}

func TestMetadataIsRemoved(t *testing.T) {
	t.Parallel()
	for _, file := range mediaboxtest.Talkative(t) {
		require.True(t, bytes.Contains(file.Data, []byte(mediaboxtest.Canary)), file.Name)
		data := strip(t, file.Data)
		for _, word := range []string{mediaboxtest.Canary, mediaboxtest.Place} {
			require.False(t, bytes.Contains(data, []byte(word)), "%s says %s", file.Name, word)
		}
	}
}

// TestStrippedVideosPlay checks that all frames and audio of a video are unchanged, and that FFmpeg prints no warnings.
func TestStrippedVideosPlay(t *testing.T) {
	t.Parallel()
	play := func(t *testing.T, data []byte) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "warning", "-i", write(t, data), "-map",
			"0:v", "-map", "0:a?",
			"-fflags", "+bitexact", "-f", "framemd5", "-")
		var complaint strings.Builder
		command.Stderr = &complaint
		sums, err := command.Output()
		require.NoError(t, err, complaint.String())
		require.Empty(t, complaint.String())
		return string(sums)
	}
	for _, name := range []string{
		"talkative.mp4", "fragments.mp4", "talkative.mov", "talkative.webm", "live.webm", "video.mp4", "turned.mov",
		"short.webm",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := mediaboxtest.Fixture(t, name)
			require.Equal(t, play(t, file), play(t, strip(t, file)))
		})
	}
}

func TestStrippedHEICOpens(t *testing.T) {
	t.Parallel()
	path := write(t, strip(t, mediaboxtest.Fixture(t, "talkative.heic")))
	picture := filepath.Join(t.TempDir(), "picture.png")
	printed, err := exec.CommandContext(t.Context(), "heif-convert", path, picture).CombinedOutput()
	require.NoError(t, err, string(printed))
	require.FileExists(t, picture)
}
