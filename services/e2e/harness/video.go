package harness

import (
	"testing"

	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// Video returns a video of five seconds with the given number of additional bytes, which networks get too.
func Video(t testing.TB, padding int) []byte {
	t.Helper()
	return mediaboxtest.Padded(t, mediaboxtest.Fixture(t, "five-seconds.mp4"), padding)
}
