package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

// TestPartsCoverLargeUploads checks that parts follow one another without a gap up to the last byte.
func TestPartsCoverLargeUploads(t *testing.T) {
	t.Parallel()
	require.Empty(t, media.Upload{Key: "u", Size: media.PartSize}.Parts(), "it is sent at once")
	for _, size := range []int64{3 * media.PartSize, 3*media.PartSize + 1, 10*media.PartSize - 1} {
		var end int64
		keys := make(map[string]bool)
		for i, part := range (media.Upload{Key: "u", Size: size}).Parts() {
			require.Equal(t, i+1, part.Number)
			require.Equal(t, end, part.Offset)
			require.Positive(t, part.Size)
			require.LessOrEqual(t, part.Size, int64(media.PartSize))
			end += part.Size
			keys[part.Key] = true
		}
		require.Equal(t, size, end)
		require.Len(t, keys, int((size+media.PartSize-1)/media.PartSize))
	}
}
