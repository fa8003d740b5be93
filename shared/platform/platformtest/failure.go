package platformtest

import (
	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/platform"
)

// Failure returns the failure of an error, and ends the test when there is no error: platform.FailureOf reads nil as a failure of
// unknown outcome, so an assertion about its class could hold for a success.
func Failure(t require.TestingT, err error) *platform.Failure {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	require.Error(t, err)
	return platform.FailureOf(err)
}
