//go:build !failpoint

package failpoint_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/failpoint"
)

func TestHitDoesNothingWithoutBuildTag(t *testing.T) {
	t.Setenv("FAILPOINTS", "publish.after_intent=error")

	require.False(t, failpoint.Enabled)
	require.NoError(t, failpoint.Hit(t.Context(), "publish.after_intent"))
}

func TestOrdinaryBuildHasNoEngine(t *testing.T) {
	t.Parallel()

	dependencies, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	require.NoError(t, err, "%s", dependencies)
	require.NotContains(t, string(dependencies), "failpoint/internal/engine")
}
