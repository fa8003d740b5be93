package faults_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
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

// TestF47HostileFilesAndDyingChildren makes the worker process files that require excessive processor time and memory,
// and kills the child processes that do it. Package mediabox tests each single misbehavior of a child, including a full
// disk and zombies.
func TestF47HostileFilesAndDyingChildren(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F47", Title: "files that exhaust time and memory, and killed decoder processes",
		Expect: "I9 I12: the worker lives, leaves no zombies, publishes on time; assets are usable, with or without a " +
			"thumbnail",
	})
	l.Run(1)
	worker := l.Workers[0]
	wanted := []string{
		"jpeg-of-scans", "png-text-bomb", "png-more-pixels-than-it-says", "jpeg-50-megapixels-of-nothing",
		"gif-49-megapixels",
		"mp4-noise", "webm-60000x60000", "heic-grid-of-nothing", "png-deep-and-black",
	}
	hostile := 0
	for _, f := range mediaboxtest.Hostile(t) {
		for _, name := range wanted {
			if f.Name == name && uploads(t, l, f.Name, f.ContentType, f.Data) {
				hostile++
			}
		}
	}
	require.Greater(t, hostile, len(wanted)/2)
	var good []string
	killed := 0
	for n := range 6 {
		good = append(good, l.Upload(fmt.Sprintf("%d.jpg", n), "image/jpeg", harness.Picture(t, n)).ID)
		killed += killChildren(t, worker)
	}
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); <-time.After(30 * time.Millisecond) {
		killed += killChildren(t, worker)
	}
	require.Positive(t, killed)
	l.Injected("%d hostile files; %d children killed", hostile, killed)
	l.Healed()
	p := l.AcceptWith(time.Now().Add(time.Second), channel.Twitter, fencepost.ContentTypePOST, good[0])
	requirePublished(t, l, p)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, 90*time.Second,
		200*time.Millisecond)
	for _, id := range good {
		response, err := l.HTTP.Get(l.Media(id).URL) //nolint:noctx // a file on this machine
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, children(t, worker, "Z"), "zombies") },
		10*time.Second, 100*time.Millisecond)
	require.Equal(t, 1, worker.Starts(), "the worker died")
	l.Settle(20 * time.Second)
	l.Check()
}

// uploads reports whether the file was accepted. Some are rejected because of their first bytes.
func uploads(t *testing.T, l *lab.Lab, name, contentType string, data []byte) bool {
	t.Helper()
	started := l.StartUpload(name, contentType, len(data))
	l.Put(started, data, http.StatusOK)
	_, err := l.API.Media.CompleteUpload(t.Context(), started.MediaID)
	require.NotZero(t, harness.Status(err, http.StatusOK), "%v", err)
	return err == nil
}

// killChildren kills the program's child processes and returns their number.
func killChildren(t *testing.T, p *harness.Process) int {
	t.Helper()
	n := 0
	for _, pid := range children(t, p, "RSD") {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

// children returns the program's child processes that are in one of the states of proc(5).
func children(t *testing.T, p *harness.Process, states string) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && strings.Contains(states, fields[0]) &&
			fields[1] == strconv.Itoa(p.PID()) {
			pids = append(pids, pid)
		}
	}
	return pids
}
