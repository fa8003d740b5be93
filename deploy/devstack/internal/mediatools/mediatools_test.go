package mediatools_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/devstack/internal/mediatools"
	"socialpub.internal/devstack/internal/packages"
)

func everything(string) (string, error) { return "/usr/bin/it", nil }

// machine has the data of some packages, and records what is installed.
func machine(t *testing.T, installed *packages.Set, folders ...string) mediatools.Machine {
	t.Helper()
	root := t.TempDir()
	for _, folder := range folders {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o750))
	}
	return mediatools.Machine{LookPath: everything, Root: root, Install: func(_ context.Context, set packages.Set) error {
		*installed = set
		return nil
	}}
}

const (
	fonts    = "usr/share/fonts/opentype/urw-base35"
	encoding = "usr/share/poppler/cMap"
)

func TestEnsureInstallsNothingThatIsThere(t *testing.T) {
	t.Parallel()
	var installed packages.Set
	require.NoError(t, machine(t, &installed, fonts, encoding).Ensure(t.Context()))
	require.Empty(t, installed.Debian)
}

func TestEnsureInstallsWhatIsMissing(t *testing.T) {
	t.Parallel()
	var installed packages.Set
	m := machine(t, &installed, encoding)
	m.LookPath = func(name string) (string, error) {
		if name == "ffprobe" || name == "heif-convert" {
			return "", exec.ErrNotFound
		}
		return everything(name)
	}
	require.NoError(t, m.Ensure(t.Context()))
	require.Equal(t, []string{"ffmpeg", "fonts-urw-base35", "libheif-examples"}, installed.Debian)

	m.Root, m.LookPath = t.TempDir(), func(string) (string, error) { return "", exec.ErrNotFound }
	require.NoError(t, m.Ensure(t.Context()))
	require.Equal(t, mediatools.Packages(), installed.Debian)
}

func TestEnsureSaysWhatToDoWhereItCannot(t *testing.T) {
	t.Parallel()
	var installed packages.Set
	m := machine(t, &installed, fonts)
	m.Install = packages.Installer{LookPath: everything}.Install
	err := m.Ensure(t.Context())
	require.ErrorIs(t, err, mediatools.ErrMissing)
	require.ErrorIs(t, err, packages.ErrByHand)
	require.EqualError(t, err, "programs for media are missing (poppler-data): to be installed by hand: run: sudo apt-get install -y poppler-data")
}
