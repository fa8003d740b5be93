package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

func TestF11TheWorkerDiesInTheMidstOfAnUpload(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F11", Title: "The worker dies between the segments of an upload to X",
		Expect: "I1 I2 I9: the upload is resumed or restarted; published once, with the complete video",
	})
	l.Run(2)
	video := harness.Video(t, segments*segmentSize+segmentSize/2)
	uploaded := l.Upload("video.mp4", "video/mp4", video)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	const deaths = 2
	l.Arm(lab.Kills("publish.after_segment", deaths)...)
	p := l.AcceptWith(time.Now().Add(time.Second), channel.Twitter, fencepost.ContentTypeVideo, uploaded.ID)
	l.WaitFiredTimes("publish.after_segment", deaths, reached)
	l.Settle(recovery)
	accepted := l.Sandbox.Accepted(p.Text)
	require.Len(t, accepted, 1)
	require.Len(t, accepted[0].Media, 1)
	require.Equal(t, []string{accepted[0].Media[0].SHA256},
		l.Query(t, `SELECT encode(published_sha256, 'hex') FROM media`))
	require.Greater(t, accepted[0].Media[0].Size, int64(segments*segmentSize), "the video was sent in one segment")
	l.Check(lab.AllPublished())
}

const (
	segments    = 2       // the upload has more segments, so that a crash occurs between them
	segmentSize = 4 << 20 // of uploads to X
)
