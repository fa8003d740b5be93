package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/workspace"
)

func TestPlans(t *testing.T) {
	t.Parallel()
	require.Equal(t, []workspace.Plan{workspace.Free, workspace.Creator, workspace.Growth, workspace.Agency},
		workspace.Plans())
	for _, p := range workspace.Plans() {
		require.True(t, p.Known())
	}
	require.False(t, workspace.Plan("ENTERPRISE").Known())
	require.False(t, workspace.Plan("free").Known())
}
