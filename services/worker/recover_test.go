package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailedRecoveryMayHaveTakenEffect checks the failure message. The response to the last
// statement may have been lost, and running the recovery again is correct in every case.
func TestFailedRecoveryMayHaveTakenEffect(t *testing.T) {
	t.Setenv("DATABASE_URL", "not an address")
	var out bytes.Buffer
	require.Equal(t, 1, Recover(&out))
	require.Contains(t, out.String(), "may be partly changed")
	require.NotContains(t, out.String(), "Nothing was changed")
}
