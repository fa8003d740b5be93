package platform_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
)

func TestTransferTime(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]time.Duration{
		-1: 0, 0: 0, 128 << 10: 500 * time.Millisecond, 50 << 20: 200 * time.Second, 1 << 30: 30 * time.Minute,
		1<<63 - 1: 30 * time.Minute,
	} {
		require.Equal(t, want, platform.TransferTime(size))
	}
}
