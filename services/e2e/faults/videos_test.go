package faults_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// filmPoints returns the crash points of an upload and of its publication.
func filmPoints() []point {
	return []point{
		{"publish.after_claim", 1},
		{"publish.after_prepare", 2},
		{"publish.after_handle", 2},
		{"publish.after_segment", 3},
		{"publish.after_intent", 1},
		{"publish.before_write", 1},
		{"publish.after_response", 1},
		{"publish.after_send", 1},
		{"publish.after_record", 1},
	}
}

// withVideo starts the programs and uploads a video of the given size in bytes.
func withVideo(t *testing.T, l *lab.Lab, size int) fencepost.Media {
	t.Helper()
	l.Run(2)
	uploaded := l.Upload("video.mp4", "video/mp4", harness.Enlarged(harness.Video(t, size)))
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	return uploaded
}

// filming publishes videos while workers are killed at each step of their upload and publication. It checks that each
// video is published once with all its bytes.
func filming(t *testing.T, f lab.Fault, typ channel.Type, posts, size int, env ...string) *lab.Lab {
	t.Helper()
	l := lab.Begin(t, f, env...)
	uploaded := withVideo(t, l, size)
	points := filmPoints()
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	first := time.Now().Add(time.Second)
	for i := range posts {
		l.AcceptWith(first.Add(time.Duration(i)*300*time.Millisecond), typ, fencepost.ContentTypeVideo, uploaded.ID)
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
// an upload without a post, and that the quota of the day pays for no more than the uploads and one session per kill.
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
	// A kill loses a session that is not stored yet: that of the post at the crash point, or of another post beside it.
	opened, kills := l.Sandbox.Calls("youtube", "create"), 0
	for _, p := range filmPoints() {
		kills += l.Fired(p.name)
	}
	require.LessOrEqual(t, opened, posts+kills)
	t.Logf("%d upload sessions for %d videos and %d kills", opened, posts, kills)
}

// TestF58ARefusedVideoIsDeletedAfterACrash kills the worker that is about to delete a video whose publication YouTube
// refused. Another one deletes it when the first has had its time.
func TestF58ARefusedVideoIsDeletedAfterACrash(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F58", Title: "A worker is killed after YouTube refused a video, before the private video is deleted",
		Expect: "I1 I2 I4: the post fails once; another worker deletes the video",
	})
	uploaded := withVideo(t, l, 200_000)
	l.Sandbox.Inject(harness.Fault{Platform: "youtube", Step: "commit", Kind: "reject"})
	l.Arm(lab.Kills("publish.before_discard", 1)...)
	l.AcceptWith(time.Now().Add(time.Second), channel.YouTube, fencepost.ContentTypeVideo, uploaded.ID)
	l.WaitFiredTimes("publish.before_discard", 1, recovery)
	l.Settle(2 * recovery)
	require.Len(t, l.Sandbox.Videos("acme"), 1, "the worker died before the deletion")
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Sandbox.Videos("acme")) }, 2*recovery, time.Second)
	require.Empty(t, l.Query(t, `SELECT n FROM publish_attempt WHERE discard_after IS NOT NULL`))
	l.Check()
}

// TestF58TheUploadOfAnEditedVideoIsDeleted edits a post whose publication YouTube refuses for the moment, and kills the
// worker that has uploaded the video again.
func TestF58TheUploadOfAnEditedVideoIsDeleted(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F58", Title: "A post is edited after the upload of its video to YouTube, and the worker dies after the next upload",
		Expect: "I1 I2 I4: the video is published once, with the edited title; the first upload is deleted",
	})
	uploaded := withVideo(t, l, 200_000)
	l.Sandbox.Inject(harness.Fault{Platform: "youtube", Step: "commit", Kind: "unavailable", Times: -1})
	p := l.AcceptWith(time.Now().Add(time.Second), channel.YouTube, fencepost.ContentTypeVideo, uploaded.ID)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		waiting := l.Get(p.ID).Waiting
		require.NotNil(c, waiting)
		require.Equal(c, fencepost.WaitingReasonRetrying, waiting.Reason)
	}, recovery, 100*time.Millisecond)
	require.Len(t, l.Sandbox.Videos("acme"), 1)
	l.Arm(lab.Kills("publish.after_prepare", 1)...)
	edit(t, l, p.ID, fencepost.EditPostRequest{Title: fencepost.Set("Edited")})
	l.Sandbox.Heal()
	l.WaitFiredTimes("publish.after_prepare", 1, recovery)
	l.Settle(2 * recovery)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Len(c, l.Sandbox.Videos("acme"), 1) }, 2*recovery,
		time.Second)
	last := l.Sandbox.Videos("acme")[0]
	require.Equal(t, "Edited", last.Snippet.Title)
	require.Equal(t, "public", last.Status.Privacy)
	require.Empty(t, l.Query(t, `SELECT n FROM publish_attempt WHERE discard_after IS NOT NULL`))
	l.Check(lab.AllPublished())
}

// TestF58TheWorkerDiesAtEachStepOfAVideoForTikTok kills workers between the chunks of uploads whose last chunk publishes.
func TestF58TheWorkerDiesAtEachStepOfAVideoForTikTok(t *testing.T) {
	const posts, size = 14, 11 << 20 // two chunks of the smallest size
	l := filming(t, lab.Fault{
		ID: "F58", Title: "Workers are killed at each step of the upload and the publication of videos to TikTok",
		Expect: "I1 I2 I4: uploads are resumed or restarted; each video is published once; nothing else is in the account",
	}, channel.TikTokPersonal, posts, size, "TIKTOK_UPLOAD_CHUNK_BYTES=5242880")
	t.Logf("%d uploads begun for %d videos", l.Sandbox.Calls("tiktok", "create"), posts)
}

// TestNightF58AGibibyteIsPublished uploads a video of 1 GiB, kills the worker in the middle, and checks that the upload is
// resumed and that the memory of the worker hardly grows.
func TestNightF58AGibibyteIsPublished(t *testing.T) {
	for _, test := range []struct {
		typ    channel.Type
		name   string
		chunks int // of the upload, with the sizes that the programs preset
	}{{channel.YouTube, "YouTube", 64}, {channel.TikTokPersonal, "TikTok", 102}} {
		t.Run(test.name, func(t *testing.T) {
			const gibibyte, most = 1 << 30, 64 << 20
			l := lab.Alone(t, lab.Fault{
				ID: "F58", Title: "A worker is killed in the middle of a video of 1 GiB for " + test.name,
				Expect: "I1 I2 I9: the upload is resumed; published once, with all bytes; the memory grows by 64 MiB at most",
			})
			l.Run(1)
			uploaded := l.UploadFile("video.mp4", "video/mp4", harness.LargeVideo(t, gibibyte-100_000))
			require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, 10*time.Minute,
				200*time.Millisecond)
			memory := l.Workers[0].WatchMemory()
			l.Arm("publish.after_segment=kill#" + strconv.Itoa(test.chunks/2))
			began := time.Now()
			p := l.AcceptWith(time.Now().Add(time.Second), test.typ, fencepost.ContentTypeVideo, uploaded.ID)
			l.WaitFired("publish.after_segment", 5*time.Minute)
			l.Settle(10 * time.Minute)
			elapsed := time.Since(began)
			first, highest := memory()
			accepted := l.Sandbox.Accepted(p.Text)
			require.Len(t, accepted, 1)
			require.InDelta(t, gibibyte, accepted[0].Media[0].Size, 1<<20)
			sums := l.Query(t, `SELECT encode(published_sha256, 'hex') FROM media`)
			require.Equal(t, sums[0], accepted[0].Media[0].SHA256)
			sent := l.Sandbox.Calls(string(test.typ.Network()), "upload")
			t.Logf("%s: %d chunks sent; memory of the worker: %d MiB before, at most %d MiB; %s in all", test.name, sent,
				first>>20, highest>>20, elapsed.Round(time.Second))
			require.LessOrEqual(t, sent, test.chunks+2, "the upload was not resumed")
			require.LessOrEqual(t, highest-first, int64(most))
			l.Check(lab.AllPublished())
		})
	}
}
