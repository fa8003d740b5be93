package media_test

import (
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/workspace"
)

// live returns the memory of reachable heap objects, in bytes.
func live() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestImportMemoryIsBounded imports files that are much larger than the allowed memory. It measures at fixed places of the
// file, and only what is reachable, so that neither the speed of the machine nor the collector's pace matters.
func TestImportMemoryIsBounded(t *testing.T) { //nolint:paralleltest // it measures the memory of the whole process
	const bound, every = 24 << 20, 16 << 20
	for announced, size := range map[bool]int64{true: 128 << 20, false: 96 << 20} {
		b := setup(t, workspace.Growth)
		before := live()
		var mu sync.Mutex // the server is still in its handler when the import has all bytes
		most, measured := uint64(0), 0
		serve := sparse(size, announced)
		i := b.request(t, func(w http.ResponseWriter, r *http.Request) {
			serve(&milestones{ResponseWriter: w, every: every, reached: func() {
				mu.Lock()
				defer mu.Unlock()
				most = max(most, live())
				measured++
			}}, r)
		})
		_, err := b.importer.Import(t.Context(), inputOf(i))
		require.NoError(t, err)
		require.Equal(t, size, b.reload(t, i.ID).Size)
		require.Eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return int64(measured) == size/every
		}, time.Minute, 10*time.Millisecond)
		mu.Lock()
		require.Less(t, most, before+bound)
		t.Logf("%d MiB, announced %t: %d MiB more at most", size>>20, announced, (most-min(most, before))>>20)
		mu.Unlock()
	}
}

// milestones calls reached whenever another number of bytes was written.
type milestones struct {
	http.ResponseWriter

	every, written int
	reached        func()
}

// Write writes the bytes first.
func (m *milestones) Write(p []byte) (int, error) {
	n, err := m.ResponseWriter.Write(p)
	if before := m.written / m.every; (m.written+n)/m.every > before {
		m.reached()
	}
	m.written += n
	return n, err
}
