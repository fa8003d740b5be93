package postgres_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/devstack/internal/packages"
	"socialpub.internal/devstack/internal/postgres"
)

func notInPath(string) (string, error) { return "", exec.ErrNotFound }

func install(t *testing.T, versions ...string) postgres.Binaries {
	t.Helper()
	root := t.TempDir()
	for _, version := range versions {
		folder := filepath.Join(root, version, "bin")
		require.NoError(t, os.MkdirAll(folder, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "postgres"), nil, 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "18", "bin"), 0o750)) // a client without a server
	return postgres.Binaries{Pattern: filepath.Join(root, "*", "bin"), LookPath: notInPath}
}

func TestFindPrefersTheNewestVersion(t *testing.T) {
	t.Parallel()
	folder, err := install(t, "9", "15", "17").Find(0)
	require.NoError(t, err)
	require.Equal(t, "17/bin", lastTwo(folder))
}

func TestFindTakesTheVersionOfTheData(t *testing.T) {
	t.Parallel()
	binaries := install(t, "15", "17")
	folder, err := binaries.Find(15)
	require.NoError(t, err)
	require.Equal(t, "15/bin", lastTwo(folder))
	_, err = binaries.Find(16)
	require.ErrorIs(t, err, postgres.ErrNotInstalled)
}

func TestFindFallsBackToPath(t *testing.T) {
	t.Parallel()
	binaries := install(t)
	_, err := binaries.Find(0)
	require.ErrorIs(t, err, postgres.ErrNotInstalled)
	binaries.LookPath = func(name string) (string, error) { return "/opt/pg/bin/" + name, nil }
	folder, err := binaries.Find(0)
	require.NoError(t, err)
	require.Equal(t, "/opt/pg/bin", folder)
}

func lastTwo(path string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}

type installation struct{ commands []string }

func (i *installation) run(_ context.Context, _ []string, name string, args ...string) error {
	i.commands = append(i.commands, name+" "+strings.Join(args, " "))
	return nil
}

func installer(t *testing.T, done *installation) postgres.Installer {
	t.Helper()
	return postgres.Installer{
		Packages: packages.Installer{
			Root: true, LookPath: func(name string) (string, error) { return "/usr/bin/" + name, nil }, Run: done.run, Report: func(string) {},
		},
		ClusterConfig: filepath.Join(t.TempDir(), "postgresql-common", "createcluster.conf"),
	}
}

func TestInstallWithoutAClusterOfDebiansOwn(t *testing.T) {
	t.Parallel()
	var done installation
	i := installer(t, &done)
	require.NoError(t, i.Install(t.Context()))
	require.Contains(t, done.commands[len(done.commands)-1], "apt-get install")
	require.Contains(t, done.commands[len(done.commands)-1], " postgresql")
	raw, err := os.ReadFile(i.ClusterConfig)
	require.NoError(t, err)
	require.Contains(t, string(raw), "create_main_cluster = false")
}

func TestInstallKeepsAnExistingClusterConfiguration(t *testing.T) {
	t.Parallel()
	var done installation
	i := installer(t, &done)
	require.NoError(t, os.MkdirAll(filepath.Dir(i.ClusterConfig), 0o750))
	require.NoError(t, os.WriteFile(i.ClusterConfig, []byte("theirs"), 0o600))
	require.NoError(t, i.Install(t.Context()))
	raw, err := os.ReadFile(i.ClusterConfig)
	require.NoError(t, err)
	require.Equal(t, "theirs", string(raw))
}

func TestInstallSaysWhatToDoWhereItCannot(t *testing.T) {
	t.Parallel()
	var done installation
	i := installer(t, &done)
	i.Packages.Root = false
	err := i.Install(t.Context())
	require.ErrorIs(t, err, postgres.ErrNotInstalled)
	require.ErrorContains(t, err, "sudo apt-get install -y postgresql")

	i.Packages.LookPath = notInPath
	err = i.Install(t.Context())
	require.ErrorIs(t, err, postgres.ErrNotInstalled)
	require.ErrorContains(t, err, "package manager")
	require.Empty(t, done.commands)
}
