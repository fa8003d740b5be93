package mediabox_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// plainPhotograph returns a JPEG file of the size and the subsampling of a phone's. It has no detail, so that it is made
// quickly: the memory that it takes depends on its size alone.
func plainPhotograph(t testing.TB, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	picture := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	require.NoError(t, jpeg.Encode(&file, picture, &jpeg.Options{Quality: 80}))
	return file.Bytes()
}

// TestPhotographsOfPhones opens and converts a photograph of a phone with 108 megapixels, within the standard limit of
// memory, to the largest size that a network accepts.
func TestPhotographsOfPhones(t *testing.T) {
	t.Parallel()
	const width, height, toWidth, toHeight = 12_000, 9_000, 6_650, 4_987
	box := setup(t, func(config *mediabox.Config) {
		config.Limits.CPU, config.Limits.VideoCPU = time.Minute, time.Minute
		config.Limits.Wall, config.Limits.VideoWall = 10*time.Minute, 10*time.Minute
	})
	path := write(t, plainPhotograph(t, width, height))
	result, err := box.Render(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, mediabox.Probe{Width: width, Height: height}, result.Probe)
	created, err := box.Convert(t.Context(), path, mediabox.Target{Width: toWidth, Height: toHeight}, output(t))
	require.NoError(t, err)
	require.Equal(t, []int{toWidth, toHeight}, []int{created.Width, created.Height})
}

// TestAnimationBecomesAVideo checks that a GIF is shown until networks accept its duration, in even pixels.
func TestAnimationBecomesAVideo(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	path := write(t, mediaboxtest.GIF(t, 101, 75, 3))
	to := mediabox.Target{ContentType: media.ContentTypeMP4, Width: 102, Height: 76, Loops: media.Loops(300 * time.Millisecond)}
	file := output(t)
	created, err := box.Convert(t.Context(), path, to, file)
	require.NoError(t, err)
	require.Equal(t, mediabox.Converted{ContentType: media.ContentTypeMP4, Width: 102, Height: 76, Size: created.Size}, created)
	data, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<30))
	require.NoError(t, err)
	require.Len(t, data, int(created.Size))
	shown, err := box.Render(t.Context(), write(t, data))
	require.NoError(t, err)
	require.Equal(t, []int{102, 76}, []int{shown.Probe.Width, shown.Probe.Height})
	require.InDelta(t, 4.2, shown.Probe.Duration.Seconds(), 0.1)

	for _, other := range []string{
		write(t, mediaboxtest.PNG(t, mediaboxtest.Scene(8, 8))), fixture("video.mp4"), fixture("moving.webp"),
	} {
		_, err := box.Convert(t.Context(), other, to, output(t))
		requireClass(t, mediabox.Unsupported, err)
	}
	for _, hostile := range mediaboxtest.Hostile(t) {
		if hostile.ContentType == media.ContentTypeGIF {
			_, err := box.Convert(t.Context(), write(t, hostile.Data), to, output(t))
			if _, ownFault := mediabox.ClassOf(err); err != nil {
				require.True(t, ownFault, "%s: %v", hostile.Name, err)
			}
		}
	}
}

// TestDurationIsMeasured checks videos as browsers record them, which do not state their duration.
func TestDurationIsMeasured(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for name, seconds := range map[string]float64{"recorded.webm": 700, "recorded.mp4": 60.5} {
		result, err := box.Render(t.Context(), fixture(name))
		require.NoError(t, err)
		require.InDelta(t, seconds, result.Probe.Duration.Seconds(), 1, name)
	}
}

// TestTruncatedVideosAreBroken checks videos whose transfer was interrupted. Their size and duration are known.
func TestTruncatedVideosAreBroken(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for _, name := range []string{"video.mp4", "turned.mov", "short.webm"} {
		data := mediaboxtest.Fixture(t, name)
		if name == "turned.mov" { // its tables come last
			data = data[:len(data)/2]
		} else {
			data = data[:len(data)*9/10]
		}
		_, err := box.Render(t.Context(), write(t, data))
		requireClass(t, mediabox.Broken, err)
	}
}

// TestLockedDocument checks that a document which requires a password is named as such, by its own bytes.
func TestLockedDocument(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	locked := mediaboxtest.LockedPDF()
	_, err := box.Render(t.Context(), write(t, locked))
	requireClass(t, mediabox.Locked, err)
	_, err = box.Render(t.Context(), write(t, []byte("%PDF-1.7\nnothing else")))
	requireClass(t, mediabox.Broken, err)
}
