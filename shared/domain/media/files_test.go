package media_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

func TestKeysAreUnique(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 1000 {
		upload, own := media.NewUploadKey(), media.NewKey()
		require.True(t, strings.HasPrefix(upload, media.UploadPrefix))
		require.False(t, strings.HasPrefix(own, media.UploadPrefix), "clients write below that prefix")
		require.GreaterOrEqual(t, len(own)-len("media/"), 26, "a key has 128 random bits at least")
		require.False(t, seen[upload] || seen[own])
		seen[upload], seen[own] = true, true
	}
}

func TestKeysOfAssetAreUnique(t *testing.T) {
	t.Parallel()
	original, other, small := media.Object{Key: "a"}, media.Object{Key: "b"}, media.Object{Key: "c"}
	for name, c := range map[string]struct {
		files media.Files
		want  []string
	}{
		"just arrived":       {media.Files{Original: original}, []string{"a"}},
		"published as it is": {media.Files{Original: original, Published: original, Thumbnail: small}, []string{"a", "c"}},
		"published as a copy": {
			media.Files{Original: original, Published: other, Thumbnail: small}, []string{"a", "b", "c"},
		},
		"without a thumbnail":   {media.Files{Original: original, Published: other}, []string{"a", "b"}},
		"a thumbnail by itself": {media.Files{Original: original, Thumbnail: small}, []string{"a", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.files.Keys())
		})
	}
	require.True(t, media.Object{}.IsZero())
	require.False(t, original.IsZero())
}

func TestProcessedReportsRecordedTime(t *testing.T) {
	t.Parallel()
	require.False(t, media.Asset{}.Processed())
	require.True(t, media.Asset{ProcessedAt: time.Unix(1, 0), Problem: "broken"}.Processed(), "also when it went wrong")
	require.True(t, media.Probe{}.IsZero())
	require.False(t, media.Probe{Frames: 1}.IsZero())
}
