package media_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/workspace"
)

// heap returns the memory used by heap objects, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestMemoryStaysFlat imports files that are much larger than the allowed memory.
func TestMemoryStaysFlat(t *testing.T) { //nolint:paralleltest // it measures the memory of the whole process
	const bound = 64 << 20
	for announced, size := range map[bool]int64{true: 512 << 20, false: 256 << 20} {
		b := setup(t, workspace.Growth)
		i := b.request(t, sparse(size, announced))
		runtime.GC()
		before, most := heap(), uint64(0)
		done, watched := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(watched)
			ticker := time.NewTicker(20 * time.Millisecond)
			defer ticker.Stop()
			for {
				select {
				case <-done:
					return
				case <-ticker.C:
					most = max(most, heap())
				}
			}
		}()
		started := time.Now()
		_, err := b.importer.Import(t.Context(), inputOf(i))
		close(done)
		<-watched
		require.NoError(t, err)
		require.Equal(t, size, b.reload(t, i.ID).Size)
		require.Less(t, most, before+bound)
		t.Logf("%d MiB, announced %t: %d MiB more at most, %s", size>>20, announced, (most-min(most, before))>>20,
			time.Since(started).Round(10*time.Millisecond))
	}
}
