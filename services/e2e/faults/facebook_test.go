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
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// TestF60TheWorkerDiesInUploadsToFacebook kills workers at each step of the uploads of reels, of albums and of videos
// for the feed. Facebook deletes unpublished uploads, and none of them counts against its quota of reels.
func TestF60TheWorkerDiesInUploadsToFacebook(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F60", Title: "The worker dies at each step of an upload to Facebook, and in the middle of a video",
		Expect: "I1 I2 I9: the transfer continues at the network's byte; published once, with the complete " +
			"files",
	})
	l.Run(2)
	const size = 3 << 20 // so that a transfer takes more than one write
	reel := l.Upload("reel.mp4", "video/mp4", mediaboxtest.Padded(t, mediaboxtest.Fixture(t, "upright.mp4"), size)).ID
	wide := l.Upload("wide.mp4", "video/mp4", mediaboxtest.Padded(t, mediaboxtest.Fixture(t, "video.mp4"), size)).ID
	var album []string
	for n := range 3 {
		album = append(album, l.Upload("photo.jpg", "image/jpeg", harness.Picture(t, n)).ID)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	points := []point{
		{"publish.after_prepare", 3},
		{"publish.after_handle", 3},
		{"publish.amid_transfer", 3},
		{"publish.after_intent", 1},
		{"publish.before_write", 1},
		{"publish.after_response", 1},
		{"publish.after_send", 1},
		{"publish.after_record", 1},
	}
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	files := make(map[string][]string)
	for n := range 6 {
		at := time.Now().Add(time.Duration(n)*time.Second + time.Second)
		for kind, ids := range map[fencepost.ContentType][]string{
			fencepost.ContentTypeREEL: {reel}, fencepost.ContentTypeVideo: {wide}, fencepost.ContentTypePOST: album,
		} {
			files[l.AcceptWith(at, channel.FacebookPage, kind, ids...).Text] = ids
		}
	}
	for _, p := range points {
		l.WaitFiredTimes(p.name, p.times, 2*reached)
	}
	l.Settle(2 * recovery)
	for text, ids := range files {
		accepted := l.Sandbox.Accepted(text)
		require.Len(t, accepted, 1, text)
		require.Len(t, accepted[0].Media, len(ids), text)
		for i, id := range ids {
			sums := l.Query(t, `SELECT encode(published_sha256, 'hex') FROM media WHERE id = $1`, id)
			require.Equal(t, sums[0], accepted[0].Media[i].SHA256, text)
		}
	}
	require.Len(t, l.Sandbox.Ledger(), len(files), "the Page has other posts")
	l.Check(lab.AllPublished())
}
