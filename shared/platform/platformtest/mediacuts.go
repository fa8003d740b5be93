package platformtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
)

// testMediaCuts closes the connection of each call before the irrevocable one, once before the sandbox receives the
// call and once after it took effect. The worker fails with it. Another worker then continues from the last stored
// handle.
func testMediaCuts(t *testing.T, b *bench) {
	t.Helper()
	_, err := prepared(t.Context(), b, b.content, "")
	require.NoError(t, err)
	calls := int(b.front.calls.Load())
	for _, when := range []struct {
		name   string
		passed bool
	}{{"before", false}, {"after", true}} {
		for call := 1; call <= calls; call++ {
			t.Run(fmt.Sprintf("%s call %d", when.name, call), func(t *testing.T) {
				t.Parallel()

				own := newBench(t, b.Harness, strings.Join([]string{b.kind.Name, "cut", when.name, spelled(call)}, " "))
				own.carry(t, b.kind)
				own.front.cutCall(call, when.passed)
				own.survive(t)
				require.Zero(t, own.storage.Unclosed(), "files were not closed")
			})
		}
	}
}

// survive publishes the post with a new connector for every step, as if each worker crashed after its step.
func (b *bench) survive(t *testing.T) {
	t.Helper()
	const most = 200
	handle := platform.Handle("")
	for range most {
		b.connector = b.Connector(t, b.config)
		preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		if err != nil {
			b.requireFailure(t, err, platform.ClassTransient)
			continue
		}
		handle = preparation.Handle
		if preparation.Ready {
			b.connector = b.Connector(t, b.config)
			_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
			require.NoError(t, err)
			b.requireWhole(t)
			return
		}
		require.True(t, pause(t.Context(), min(preparation.Wait, longestPause)))
	}
	require.Fail(t, "the post was never ready")
}

// spelled encodes a number in letters, for the name of an account.
func spelled(number int) string {
	return strings.Repeat("i", number)
}
