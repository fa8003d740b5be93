package harness

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// Enlarged changes the dimensions that a video states from 240 × 320 to 480 × 640 pixels, because some networks accept no
// smaller ones. It returns the same bytes.
func Enlarged(video []byte) []byte {
	for from, to := range map[string]string{
		"\x00\xf0\x00\x00\x01\x40\x00\x00": "\x01\xe0\x00\x00\x02\x80\x00\x00", // of the track
		"\x00\xf0\x01\x40\x00\x48\x00\x00": "\x01\xe0\x02\x80\x00\x48\x00\x00", // of its samples
	} {
		if at := bytes.Index(video, []byte(from)); at >= 0 {
			copy(video[at:], to)
		}
	}
	return video
}

// LargeVideo writes a video with size additional bytes, which networks get too, and returns the path of the file.
func LargeVideo(t testing.TB, size int) string {
	t.Helper()
	before, after := mediaboxtest.AroundPadding(t, Enlarged(mediaboxtest.Fixture(t, "five-seconds.mp4")), size)
	path := filepath.Join(t.TempDir(), "video.mp4")
	file, err := os.Create(path)
	require.NoError(t, err)
	_, err = file.Write(before)
	require.NoError(t, err)
	padding := bytes.Repeat([]byte("some unused data"), 1<<16)
	for remaining := size; remaining > 0; remaining -= len(padding) {
		_, err = file.Write(padding[:min(remaining, len(padding))])
		require.NoError(t, err)
	}
	_, err = file.Write(after)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return path
}

// UploadFile is Upload for a file on disk, which is not held in memory.
func (s *System) UploadFile(name, contentType, path string) fencepost.Media {
	s.t.Helper()
	file, err := os.Open(path)
	require.NoError(s.t, err)
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	require.NoError(s.t, err)
	started := s.StartUpload(name, contentType, int(info.Size()))
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, started.UploadURL, file)
	require.NoError(s.t, err)
	request.ContentLength = info.Size()
	for header, value := range started.Headers {
		request.Header.Set(header, value)
	}
	response, err := (&http.Client{}).Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, response.Body.Close())
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	const timeout = 10 * time.Minute // the service reads the whole file
	client := *s.HTTP
	client.Timeout = timeout
	slow := *s
	slow.HTTP = &client
	return Result(slow.Client(s.Key).Media.CompleteUpload(s.t.Context(), started.MediaID))(s.t)
}

// WatchMemory samples the resident memory of the program and of those that replace it. The returned function ends the
// samples and returns the first and the highest, in bytes.
func (p *Process) WatchMemory() func() (first, highest int64) {
	done, result := make(chan struct{}), make(chan int64, 1)
	first := resident(p.PID())
	go func() {
		highest, ticker := first, time.NewTicker(50*time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				result <- highest
				return
			case <-ticker.C:
				highest = max(highest, resident(p.PID()))
			}
		}
	}()
	return func() (int64, int64) {
		close(done)
		return first, <-result
	}
}

// resident returns the resident memory of a process in bytes; 0 if it has ended.
func resident(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
