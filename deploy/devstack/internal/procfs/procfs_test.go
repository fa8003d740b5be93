package procfs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/procfs"
)

func TestDescendants(t *testing.T) {
	t.Parallel()
	root := fakeProc(t, map[int]string{
		10: "10 (postgres) S 1 10 10",
		11: "11 (a) b (c)) S 10 11 11", // a name may contain any character
		12: "12 (grandchild) S 11 12 12",
		13: "13 (other) S 1 13 13",
		14: "14 (dead) Z 10 14 14",
	})
	system := procfs.New(root)
	require.ElementsMatch(t, []int{11, 12, 14}, system.Descendants(10))
	require.Empty(t, system.Descendants(13))
	require.True(t, system.Alive(11))
	require.False(t, system.Alive(14), "a zombie is not alive")
	require.False(t, system.Alive(99))
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	root := fakeProc(t, map[int]string{10: "10 (x) S 1"})
	write(t, filepath.Join(root, "10", "cmdline"), "postgres\x00-D\x00/data\x00")
	system := procfs.New(root)
	require.Equal(t, "postgres -D /data", system.CommandLine(10))
	require.Empty(t, system.CommandLine(11))
}

func TestResidentBytes(t *testing.T) {
	t.Parallel()
	root := fakeProc(t, map[int]string{10: "10 (x) S 1", 11: "11 (y) S 1"})
	write(t, filepath.Join(root, "10", "smaps_rollup"), "00-ff ---p\nRss:    900 kB\nPss:                 300 kB\n")
	write(t, filepath.Join(root, "11", "status"), "Name:\ty\nVmRSS:\t     200 kB\n")
	system := procfs.New(root)
	require.EqualValues(t, 300<<10, system.ResidentBytes(10))
	require.EqualValues(t, 200<<10, system.ResidentBytes(11))
	require.Zero(t, system.ResidentBytes(12))
}

func TestListenerOn(t *testing.T) {
	t.Parallel()
	const header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	root := fakeProc(t, map[int]string{10: "10 (x) S 1"})
	write(t, filepath.Join(root, "10", "cmdline"), "api\x00")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "10", "fd"), 0o750))
	require.NoError(t, os.Symlink("socket:[777]", filepath.Join(root, "10", "fd", "3")))
	write(t, filepath.Join(root, "net", "tcp"), header+
		// connected
		"   0: 0100007F:1F90 00000000:0000 01 00000000:00000000 00:00000000 00000000     0        0 776 1\n"+
		"   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 777 1\n")
	write(t, filepath.Join(root, "net", "tcp6"), header+
		"   0: 00000000000000000000000000000000:2328 00000000000000000000000000000000:0000 0A 0:0 00:0 0  1000        0 "+
		"888 1\n")
	system := procfs.New(root)

	found, err := system.ListenerOn(8080)
	require.NoError(t, err)
	require.Equal(t, "pid 10 (api)", found.String())

	found, err = system.ListenerOn(9000)
	require.NoError(t, err)
	require.Equal(t, "a process of user id 1000", found.String(), "its descriptors cannot be read")

	_, err = system.ListenerOn(1234)
	require.ErrorIs(t, err, procfs.ErrNoListener)
}

func TestListenerStringCutsLongCommands(t *testing.T) {
	t.Parallel()
	text := procfs.Listener{PID: 1, Command: strings.Repeat("x", 500)}.String()
	require.Less(t, len(text), 150)
}

func fakeProc(t *testing.T, stats map[int]string) string {
	t.Helper()
	root := t.TempDir()
	for pid, stat := range stats {
		write(t, filepath.Join(root, strconv.Itoa(pid), "stat"), stat)
	}
	return root
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
