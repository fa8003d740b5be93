package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/workspace"
)

func TestPlans(t *testing.T) {
	t.Parallel()
	require.Equal(t, []workspace.Plan{"FREE", "CREATOR", "GROWTH", "AGENCY"}, workspace.Plans())
	for _, plan := range workspace.Plans() {
		require.True(t, plan.Known())
	}
	require.False(t, workspace.Plan("free").Known())
	require.False(t, workspace.Plan("").Known())
}
