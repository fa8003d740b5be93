package workerapp_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/worker/internal/workerapp"
)

// TestARecoveryThatFailsDoesNotPromiseThatNothingHappened: the answer to its last word may have been lost, and running it again is what
// helps in every case.
func TestARecoveryThatFailsDoesNotPromiseThatNothingHappened(t *testing.T) {
	t.Setenv("DATABASE_URL", "not an address")
	var out bytes.Buffer
	require.Equal(t, 1, workerapp.Recover(&out))
	require.Contains(t, out.String(), "may have been changed; run it again")
	require.NotContains(t, out.String(), "Nothing was changed")
}
