package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/faults/lab"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/domain/channel"
)

// filming publishes videos while workers are killed at each step of their upload and publication. It checks that each
// video is published once with all its bytes.
func filming(t *testing.T, f lab.Fault, typ channel.Type, posts, size int, env ...string) *lab.Lab {
	t.Helper()
	l := lab.Begin(t, f, env...)
	l.Run(2)
	uploaded := l.Upload("film.mp4", "video/mp4", harness.Film(t, size))
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	points := []point{
		{"publish.after_claim", 1}, {"publish.after_prepare", 2}, {"publish.after_handle", 2}, {"publish.after_segment", 3},
		{"publish.after_intent", 1}, {"publish.before_write", 1}, {"publish.after_response", 1}, {"publish.after_send", 1},
		{"publish.after_record", 1},
	}
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	first := time.Now().Add(time.Second)
	for i := range posts {
		l.AcceptWith(first.Add(time.Duration(i)*300*time.Millisecond), typ, apiclient.ContentTypeVIDEO, uploaded.ID)
	}
	for _, p := range points {
		l.WaitFiredTimes(p.name, p.times, recovery)
	}
	l.Settle(2 * recovery)
	sums := l.Query(t, `SELECT encode(published_sha256, 'hex') FROM media`)
	entriesOf := l.Sandbox.Ledger()
	require.Len(t, entriesOf, posts)
	for _, entry := range entriesOf {
		require.Len(t, entry.Media, 1)
		require.Equal(t, sums[0], entry.Media[0].SHA256)
	}
	l.Check(lab.AllPublished())
	return l
}

// TestF58TheWorkerDiesAtEachStepOfAVideoForYouTube also checks that no video stays private on the channel, which would be
// an upload without a post, and that the quota of the day pays for no more than the uploads and the kills before a new
// session is stored.
func TestF58TheWorkerDiesAtEachStepOfAVideoForYouTube(t *testing.T) {
	const posts = 14
	l := filming(t, lab.Fault{
		ID: "F58", Title: "Workers are killed at each step of the upload and the publication of videos to YouTube",
		Expect: "I1 I2 I4: uploads are resumed; each video is published once; no private video is left",
	}, channel.YouTube, posts, 700_000, "YOUTUBE_UPLOAD_CHUNK_BYTES=262144")
	videos := l.Sandbox.Videos("acme")
	require.Len(t, videos, posts)
	for _, v := range videos {
		require.Equal(t, "public", v.Status.Privacy, v.Snippet.Description)
	}
	opened := l.Sandbox.Calls("youtube", "create")
	require.LessOrEqual(t, opened, posts+l.Fired("publish.after_prepare"))
	t.Logf("%d upload sessions for %d videos", opened, posts)
}
