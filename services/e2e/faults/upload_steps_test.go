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
	"fencepost.internal/shared/platform/platformtest"
)

// TestF59TheWorkerDiesAtEveryStepOfAnUploadToLinkedIn publishes an album, a document and a video while workers are
// killed at every step, and compares the bytes.
func TestF59TheWorkerDiesAtEveryStepOfAnUploadToLinkedIn(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F59", Title: "The worker dies at every step of uploads to LinkedIn",
		Expect: "I1 I2 I9: each upload is continued or restarted; every post once, with the correct bytes in order",
	})
	l.Run(2)
	var album []string
	for n := range 3 {
		album = append(album, l.Upload(fmt.Sprintf("%d.jpg", n), "image/jpeg", harness.Picture(t, n)).ID)
	}
	paper := l.Upload("prices.pdf", "application/pdf", platformtest.Document().Bytes).ID
	video := l.Upload("video.mp4", "video/mp4", harness.Video(t, segments*segmentSize+segmentSize/2)).ID
	deaths := []point{
		{"publish.after_upload_begin", 1},
		{"publish.after_segment", 2},
		{"publish.after_upload_end", 1},
		{"publish.after_prepare", 1},
		{"publish.after_handle", 1},
		{"publish.after_response", 1},
	}
	accept := func(files []string) lab.Accepted {
		return l.AcceptWith(time.Now().Add(time.Second), channel.LinkedInPage, fencepost.ContentTypePOST, files...)
	}
	killedUploads(t, l, deaths, accept, [][]string{{video}, album, {paper}})
}

// TestF59TheWorkerDiesAtEveryStepOfAnUploadToPinterest publishes a video and a carousel while workers are killed at
// every step, and compares the bytes.
func TestF59TheWorkerDiesAtEveryStepOfAnUploadToPinterest(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F59", Title: "The worker dies at every step of uploads to Pinterest",
		Expect: "I1 I2 I9: each upload is continued or restarted; every pin once, with the correct bytes in order",
	})
	l.Run(2)
	var carousel []string
	for n := range 2 {
		carousel = append(carousel, l.Upload(fmt.Sprintf("%d.jpg", n), "image/jpeg", harness.Picture(t, n)).ID)
	}
	video := l.Upload("video.mp4", "video/mp4", harness.Video(t, 0)).ID
	other := l.Upload("other.mp4", "video/mp4", harness.Video(t, 100)).ID
	deaths := []point{
		{"publish.after_upload_begin", 1},
		{"publish.after_segment", 1},
		{"publish.after_prepare", 1},
		{"publish.after_handle", 1},
		{"publish.after_response", 1},
	}
	accept := func(files []string) lab.Accepted { return acceptPin(t, l, files...) }
	killedUploads(t, l, deaths, accept, [][]string{{video}, carousel, {other}})
}

// acceptPin creates a pin on the first board of the account.
func acceptPin(t *testing.T, l *lab.Lab, files ...string) lab.Accepted {
	t.Helper()
	id, text, at := l.Channels[channel.Pinterest].ID.String(), l.Text(), time.Now().Add(time.Second)
	listed, err := l.API.Channels.ListPinterestBoards(t.Context(), id)
	require.NoError(t, err)
	board := listed[0].ID
	created, err := l.API.Posts.CreatePinterest(t.Context(), fencepost.CreatePinterestRequest{
		ChannelID: id, BoardID: board, Content: text, MediaIDs: files, Schedule: harness.At(at),
	})
	require.NoError(t, err)
	a := lab.Accepted{ID: created.ID, Text: text, Type: channel.Pinterest, At: at}
	l.Remember(a)
	return a
}

// killedUploads publishes a post for each group of files while workers are killed at the points, and compares the
// network's bytes with those in the store.
func killedUploads(
	t *testing.T, l *lab.Lab, points []point, accept func(files []string) lab.Accepted, groups [][]string,
) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, recovery,
		100*time.Millisecond)
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	posts := make([]lab.Accepted, len(groups))
	for i, files := range groups {
		posts[i] = accept(files)
	}
	for _, p := range points {
		l.WaitFiredTimes(p.name, p.times, 2*reached)
	}
	l.Settle(2 * recovery)
	for i, p := range posts {
		accepted := l.Sandbox.Accepted(p.Text)
		require.Len(t, accepted, 1)
		require.Len(t, accepted[0].Media, len(groups[i]))
		for n, id := range groups[i] {
			require.Equal(t, []string{accepted[0].Media[n].SHA256},
				l.Query(t, `SELECT encode(published_sha256, 'hex') FROM media WHERE id = '`+id+`'`))
		}
	}
	l.Check(lab.AllPublished())
}
