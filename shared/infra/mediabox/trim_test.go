package mediabox_test

import (
	"bytes"
	"image"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// trim returns a part of a video and its length.
func trim(t *testing.T, box *mediabox.Box, file []byte, part mediabox.Part) ([]byte, time.Duration) {
	t.Helper()
	into := output(t)
	got, err := box.Trim(t.Context(), write(t, file), part, into)
	require.NoError(t, err)
	data, err := os.ReadFile(into.Name())
	require.NoError(t, err)
	require.EqualValues(t, len(data), got.Size)
	found, err := box.Probe(t.Context(), write(t, data))
	require.NoError(t, err)
	require.Equal(t, got.ContentType, found.ContentType)
	return data, found.Probe.Duration
}

// TestTrim cuts videos with a key frame every two seconds.
func TestTrim(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	between := mediabox.Part{Start: 5300 * time.Millisecond, Length: 3 * time.Second} // key frames
	for extension, test := range map[string]struct {
		codecs []string
		parts  []mediabox.Part
	}{
		"mp4": {
			[]string{"-c:v", "libx264", "-bf", "2", "-c:a", "aac"},
			[]mediabox.Part{
				{Length: 5 * time.Second},
				{Start: 4 * time.Second, Length: 5 * time.Second},
				between,
				{Start: 11 * time.Second, Length: time.Second},
			},
		},
		"mov":  {[]string{"-c:v", "libx264", "-bf", "2", "-c:a", "pcm_s16le"}, []mediabox.Part{between}},
		"webm": {[]string{"-c:v", "libvpx", "-c:a", "libopus"}, []mediabox.Part{between}},
	} {
		t.Run(extension, func(t *testing.T) {
			t.Parallel()
			file := encoded(t, extension, append([]string{
				"-f", "lavfi", "-i", "testsrc=size=64x64:rate=10:duration=12", "-f", "lavfi", "-i", "sine=duration=12", "-g", "20",
				"-keyint_min", "20", "-sc_threshold", "0", "-metadata", "title=secret",
			}, test.codecs...)...)
			for _, part := range test.parts {
				data, lasts := trim(t, box, file, part)
				require.LessOrEqual(t, lasts, part.Length, part)
				require.Greater(t, lasts, part.Length-time.Second, part)
				require.NotContains(t, string(data), "secret")
				require.NotEmpty(t, play(t, data), part)
				require.Equal(t, streams(t, file), streams(t, data), part)
			}
		})
	}
}

// TestTrimBeginsAtKeyFrame checks the first picture of a part: it is that of the key frame before the start.
func TestTrimBeginsAtKeyFrame(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	// Red for four seconds, then blue; the encoder makes the first blue frame a key frame.
	file := encoded(t, "mp4", "-f", "lavfi", "-i", "color=red:size=64x64:rate=10:duration=4", "-f", "lavfi", "-i",
		"color=blue:size=64x64:rate=10:duration=4", "-filter_complex", "[0][1]concat", "-c:v", "libx264", "-g", "40",
		"-keyint_min", "40", "-sc_threshold", "0")
	for start, blue := range map[time.Duration]bool{3 * time.Second: false, 4 * time.Second: true, 6 * time.Second: true} {
		data, _ := trim(t, box, file, mediabox.Part{Start: start, Length: time.Second})
		got, err := box.Render(t.Context(), write(t, data))
		require.NoError(t, err)
		picture, _, err := image.Decode(bytes.NewReader(got.Thumbnail.Data))
		require.NoError(t, err)
		red, _, most, _ := picture.At(32, 32).RGBA()
		require.Equal(t, blue, most > red, "from %s", start)
	}
}

func TestPartsOfOtherFiles(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	part := mediabox.Part{Length: time.Second}
	_, err := box.Trim(t.Context(), write(t, mediaboxtest.JPEG(t, mediaboxtest.Scene(20, 20))), part, output(t))
	requireClass(t, mediabox.Unsupported, err)
	_, err = box.Trim(t.Context(), write(t, mediaboxtest.Fixture(t, "video.mp4")[:200]), part, output(t))
	requireClass(t, mediabox.Broken, err)
	_, err = box.Trim(t.Context(), write(t, mediaboxtest.Fixture(t, "five-seconds.mp4")), mediabox.Part{
		Start: time.Hour, Length: time.Second,
	}, output(t))
	require.NoError(t, err, "the last key frame is before it")
}
