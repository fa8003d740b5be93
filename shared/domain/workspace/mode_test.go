package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

func TestModeOfWorkspace(t *testing.T) {
	t.Parallel()
	live := workspace.Workspace{ID: ident.New[ident.Workspace]()}
	twin := workspace.Workspace{ID: ident.New[ident.Workspace](), LiveID: live.ID}
	require.Equal(t, workspace.Live, live.Mode())
	require.Equal(t, workspace.Test, twin.Mode())
}
