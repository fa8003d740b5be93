//go:build failpoint

package failpoint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/failpoint"
)

func TestHitObeysEnvironmentWithBuildTag(t *testing.T) {
	t.Setenv("FAILPOINTS", "publish.after_intent=error#2")
	t.Setenv("FAILPOINTS_FILE", "")
	t.Setenv("FAILPOINTS_LOG", "")

	require.True(t, failpoint.Enabled)
	require.NoError(t, failpoint.Hit(t.Context(), "publish.after_intent"))
	require.ErrorIs(t, failpoint.Hit(t.Context(), "publish.after_intent"), failpoint.ErrInjected)
	require.NoError(t, failpoint.Hit(t.Context(), "publish.after_intent"))
	require.NoError(t, failpoint.Hit(t.Context(), "publish.before_intent"))
}
