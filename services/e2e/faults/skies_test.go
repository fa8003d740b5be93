package faults_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestF57TheWorkerDiesAtEveryStepOfABlueskyPost kills the worker after each upload of posts with four images, after the
// intent, and after the network accepted the post.
func TestF57TheWorkerDiesAtEveryStepOfABlueskyPost(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F57", Title: "The worker dies after every step of a post with four images to Bluesky, and responses are lost",
		Expect: "I1 I2 I4 I9: the stored uploads are used; published once, with all images in order",
	})
	l.Run(2)
	const images = 4
	ids := make([]string, images)
	for i := range ids {
		ids[i] = l.Upload(fmt.Sprintf("%d.jpg", i), "image/jpeg", harness.Picture(t, i)).ID
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	points := []point{
		{"publish.after_handle", 5},
		{"publish.after_prepare", 2},
		{"publish.after_intent", 1},
		{"publish.before_write", 1},
		{"publish.after_response", 1},
		{"publish.after_send", 1},
	}
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	l.Sandbox.Inject(harness.Fault{Platform: "bluesky", Step: "commit", Kind: "timeout_after_accept", Times: 2, DelayMs: 100})
	for n := range 3 * len(entries) {
		l.AcceptWith(time.Now().Add(time.Second+time.Duration(n)*100*time.Millisecond), channel.Bluesky,
			fencepost.ContentTypePOST, ids...)
	}
	for _, p := range points {
		l.WaitFiredTimes(p.name, p.times, reached)
	}
	l.Settle(recovery)
	sums := l.Query(t, `SELECT encode(published_sha256, 'hex') FROM media ORDER BY name`)
	for _, p := range l.Posts() {
		accepted := l.Sandbox.Accepted(p.Text)
		require.Len(t, accepted, 1)
		var sent []string
		for _, file := range accepted[0].Media {
			sent = append(sent, file.SHA256)
		}
		require.Equal(t, sums, sent)
	}
	l.Check(lab.AllPublished())
}
