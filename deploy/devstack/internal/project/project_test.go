package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/project"
)

func newCheckout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "deploy", "temporal"), 0o750))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "services", "api"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(root, "deploy", "temporal", "dynamic.yaml"), nil, 0o600))
	return root
}

func TestLocateLooksUpwards(t *testing.T) {
	t.Parallel()
	root := newCheckout(t)
	folders, err := project.Locate("", "", "", "/", filepath.Join(root, "services", "api"))
	require.NoError(t, err)
	require.Equal(t, project.Folders{Root: root, Run: root + "/.run", Bin: root + "/.bin"}, folders)
	require.Equal(t, root+"/deploy/temporal/dynamic.yaml", folders.DynamicConfig())
	require.Equal(t, root+"/.run/logs", folders.Logs())
}

func TestLocateTakesWhatIsGiven(t *testing.T) {
	t.Parallel()
	root := newCheckout(t)
	folders, err := project.Locate(root, "/somewhere/run", "/somewhere/bin")
	require.NoError(t, err)
	require.Equal(t, project.Folders{Root: root, Run: "/somewhere/run", Bin: "/somewhere/bin"}, folders)
}

func TestLocateOutsideOfACheckout(t *testing.T) {
	t.Parallel()
	_, err := project.Locate("", "", "", t.TempDir())
	require.ErrorIs(t, err, project.ErrNoRoot)
	_, err = project.Locate(t.TempDir(), "", "")
	require.ErrorIs(t, err, os.ErrNotExist)
}
