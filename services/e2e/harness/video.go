package harness

import (
	"bytes"
	"encoding/binary"
	"testing"

	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// Video returns a video of five seconds with the given number of unused bytes.
func Video(t testing.TB, padding int) []byte {
	t.Helper()
	const header = 8
	box := binary.BigEndian.AppendUint32(nil, uint32(header+padding)) //nolint:gosec // G115: megabytes
	video := append(mediaboxtest.Fixture(t, "five-seconds.mp4"), box...)
	return append(append(video, "mdat"...), bytes.Repeat([]byte{0x5a}, padding)...)
}
