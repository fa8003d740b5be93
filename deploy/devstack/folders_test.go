package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/stack"
)

func newCheckout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "deploy", "temporal"), 0o750))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "services", "api"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(root, "deploy", "temporal", "dynamic.yaml"), nil, 0o600))
	return root
}

func TestLocateSearchesUpwards(t *testing.T) {
	t.Parallel()
	root := newCheckout(t)
	folders, err := Locate(stack.Folders{}, "/", filepath.Join(root, "services", "api"))
	require.NoError(t, err)
	require.Equal(t, stack.Folders{Root: root, Run: root + "/.run", Bin: root + "/.bin"}, folders)
}

func TestLocateKeepsGivenFolders(t *testing.T) {
	t.Parallel()
	root := newCheckout(t)
	folders, err := Locate(stack.Folders{Root: root, Run: "/somewhere/run", Bin: "/somewhere/bin"})
	require.NoError(t, err)
	require.Equal(t, stack.Folders{Root: root, Run: "/somewhere/run", Bin: "/somewhere/bin"}, folders)
}

func TestLocateOutsideCheckout(t *testing.T) {
	t.Parallel()
	_, err := Locate(stack.Folders{}, t.TempDir())
	require.ErrorIs(t, err, ErrNoRoot)
	_, err = Locate(stack.Folders{Root: t.TempDir()})
	require.ErrorIs(t, err, os.ErrNotExist)
}
