package faults_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

// TestF61TheWorkerDiesWhileItConverts kills the worker before and after it records the rendition of an image that the
// network takes only as JPEG.
func TestF61TheWorkerDiesWhileItConverts(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F61", Title: "The worker dies before and after it records the converted form of an image",
		Expect: "I1 I2 I9: the image is converted again or found; published once, as JPEG; no orphaned object",
	})
	l.Run(2)
	drawn := image.NewRGBA(image.Rect(0, 0, 2_000, 2_500))
	for i := range drawn.Pix {
		drawn.Pix[i] = byte(i/4%251) | byte(i%4/3*0xFF)
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, drawn))
	uploaded := l.Upload("picture.png", "image/png", file.Bytes())
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	l.Arm("convert.before_record=kill#1", "convert.after_record=kill#1")
	p := l.AcceptWith(time.Now().Add(time.Second), channel.InstagramProfessional, fencepost.ContentTypePOST, uploaded.ID)
	l.WaitFiredTimes("convert.before_record", 1, reached)
	l.WaitFiredTimes("convert.after_record", 1, reached)
	l.Settle(recovery)
	accepted := l.Sandbox.Accepted(p.Text)
	require.Len(t, accepted, 1)
	require.Len(t, accepted[0].Media, 1)
	require.Equal(t, []string{accepted[0].Media[0].SHA256},
		l.Query(t, `SELECT encode(sha256, 'hex') FROM media_rendition WHERE form = 'image/jpeg 1440x1800 8388608'`))
	l.Check(lab.AllPublished())
}
