package faults_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/kernel/ident"
)

// mediaCrashPoints returns crash points at every step of imports and of file processing. Each acts at the first hit,
// because it is random how often a process reaches a step before it is killed at another.
func mediaCrashPoints() []string {
	return []string{
		"import.before_store=kill#1", "import.after_store=kill#1", "import.after_record=kill#1",
		"process.after_open=kill#1", "process.before_record=kill#1", "process.after_record=kill#1",
	}
}

// TestNightFilesSurviveEveryDeath uploads and imports files while workers and the API are killed, and then compares
// rows with objects.
func TestNightFilesSurviveEveryDeath(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "FILES", Title: "Workers and the API die at every step of uploads, imports and processing",
		Expect: "I7 I9: every file once, every row with its objects, no orphaned object",
	})
	l.Run(2)
	l.Arm(mediaCrashPoints()...)
	source := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(harness.Picture(t, 7)) }))
	t.Cleanup(source.Close)

	const files = 6
	ids := make(chan string, 2*files)
	var group sync.WaitGroup
	for range files {
		group.Go(func() { ids <- importThrough(t, l, source.URL+"/picture.jpg") })
	}
	for i := range files {
		data := harness.Picture(t, i)
		started := l.StartUpload(fmt.Sprintf("%d.jpg", i), "image/jpeg", len(data))
		l.Put(started, data, http.StatusOK)
		if i == files/2 {
			l.APIProcess.Kill()
		}
		ids <- completeThrough(t, l, started.MediaID)
	}
	group.Wait()
	close(ids)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, 3*time.Minute,
		200*time.Millisecond)
	seen := make(map[string]bool)
	for id := range ids {
		require.NotNil(t, l.Media(id).ThumbnailURL, "a whole picture has a thumbnail")
		seen[id] = true
	}
	require.Len(t, seen, 2*files)
	list, err := harness.All(l.API.Media.List(t.Context(), fencepost.ListMediaParams{}))
	require.NoError(t, err)
	require.Len(t, list, 2*files, "a file was imported twice")
	l.Injected("%d crash points of imports and processing; API killed once", len(mediaCrashPoints()))
	l.Settle(recovery)
	l.Check()
}

// importThrough imports a file and repeats the request with the same key until there is a response.
func importThrough(t *testing.T, l *lab.Lab, address string) (id string) {
	t.Helper()
	key := fencepost.IdempotencyKey(ident.New[ident.Event]().String())
	deadline := time.Now().Add(3 * time.Minute)
	for time.Now().Before(deadline) {
		got, err := l.API.Media.Import(t.Context(), fencepost.ImportMediaRequest{URL: address}, key)
		if err == nil {
			return got.ID
		}
		<-time.After(500 * time.Millisecond)
	}
	t.Error("the import got no response")
	return ""
}

// completeThrough completes an upload and repeats the request until there is a response. Repeated requests create only
// one asset.
func completeThrough(t *testing.T, l *lab.Lab, id string) string {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NoError(c, harness.Failure(l.API.Media.CompleteUpload(t.Context(), id)))
	}, time.Minute, 200*time.Millisecond)
	return id
}
