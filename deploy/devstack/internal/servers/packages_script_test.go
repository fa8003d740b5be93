package servers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

const list = "../../../../tools/install.sh"

// machine is the environment of tools/install.sh: a separate file system root and PATH.
type machine struct{ root, bin string }

// newMachine returns a Debian machine with a fake apt-get that records its arguments, and the user root.
func newMachine(t *testing.T) machine {
	t.Helper()
	m := machine{root: t.TempDir(), bin: t.TempDir()}
	for _, tool := range []string{"grep", "flock", "mkdir", "cat"} {
		path, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(m.bin, tool)))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(m.root, "var", "lib", "dpkg"), 0o750))
	m.program(t, "id", "echo 0")
	m.program(t, "apt-get", `echo "$DEBIAN_FRONTEND apt-get $*" >>"$MACHINE_ROOT/commands"`)
	return m
}

func (m machine) program(t *testing.T, name, script string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(m.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700)) //nolint:gosec // it is executed
}

func (m machine) folder(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(m.root, name), 0o750))
}

// run runs the script. failed reports whether it returned an error.
func (m machine) run(t *testing.T, args ...string) (output string, failed bool) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), bash, append([]string{list}, args...)...)
	command.Env = []string{"PATH=" + m.bin, "MACHINE_ROOT=" + m.root}
	raw, err := command.CombinedOutput()
	return string(raw), err != nil
}

// commands returns the calls of apt-get.
func (m machine) commands(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(m.root, "commands"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func TestScriptInstallsMissingPackages(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, program := range []string{"ffmpeg", "ffprobe", "heif-info", "pdfinfo", "pdftoppm"} {
		m.program(t, program, "")
	}
	m.folder(t, "usr/share/fonts/opentype/urw-base35")
	output, failed := m.run(t, "media", "chromium")
	require.False(t, failed, output)
	require.Equal(t, "installing libheif-examples poppler-data chromium\n", output)
	commands := m.commands(t)
	require.Len(t, commands, 2)
	require.Equal(t, "noninteractive apt-get update -qq", commands[0])
	require.Contains(t, commands[1], "noninteractive apt-get install -qq -y --no-install-recommends ")
	require.True(t, strings.HasSuffix(commands[1], " libheif-examples poppler-data chromium"), commands[1])
}

func TestScriptSkipsInstalledPackages(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program(t, "google-chrome", "")
	m.folder(t, "usr/lib/postgresql/15/bin/initdb")
	output, failed := m.run(t, "chromium", "postgresql")
	require.False(t, failed, output)
	require.Empty(t, output)
	require.Empty(t, m.commands(t))
}

func TestScriptNamesPackagesItCannotInstall(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program(t, "id", "echo 1000")
	output, failed := m.run(t, "clock", "php")
	require.True(t, failed)
	require.Equal(t, "missing: faketime php-cli; run: sudo apt-get install -y faketime php-cli\n", output)

	require.NoError(t, os.Remove(filepath.Join(m.bin, "apt-get")))
	output, failed = m.run(t, "clock", "php")
	require.True(t, failed)
	require.Equal(t,
		"missing: faketime php-cli (names of Debian's packages); install them with the package manager of this machine\n",
		output)
}

func TestScriptFailsWithAptGet(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"update", "install"} {
		m := newMachine(t)
		m.program(t, "apt-get", `case $1 in `+step+`) echo "no network" >&2; exit 100 ;; esac`)
		output, failed := m.run(t, "php")
		require.True(t, failed, step)
		require.Contains(t, output, "no network", step)
	}
}

func TestScriptCreatesNoCluster(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	config := filepath.Join(m.root, "etc", "postgresql-common", "createcluster.conf")
	m.program(t, "apt-get", `cat "$MACHINE_ROOT/etc/postgresql-common/createcluster.conf"  >>"$MACHINE_ROOT/commands"`)
	output, failed := m.run(t, "postgresql")
	require.False(t, failed, output)
	require.Equal(t, []string{"create_main_cluster = false", "create_main_cluster = false"}, m.commands(t),
		"known before apt-get runs")

	require.NoError(t, os.WriteFile(config, []byte("theirs\n"), 0o600))
	output, failed = m.run(t, "postgresql")
	require.False(t, failed, output)
	raw, err := os.ReadFile(config)
	require.NoError(t, err)
	require.Equal(t, "theirs\n", string(raw))
}

func TestScriptStartsNoServices(t *testing.T) {
	t.Parallel()
	ln, err := exec.LookPath("ln")
	require.NoError(t, err)
	for group, units := range map[string][]string{
		"metrics": {"prometheus.service"},
		"rival":   {"redis-server.service", "rabbitmq-server.service", "epmd.service", "epmd.socket"},
	} {
		m := newMachine(t)
		require.NoError(t, os.Symlink(ln, filepath.Join(m.bin, "ln")))
		m.program(t, "apt-get", `for unit in `+strings.Join(units, " ")+`; do
			test -L "$MACHINE_ROOT/etc/systemd/system/$unit" && echo "masked $unit" >>"$MACHINE_ROOT/commands"
		done`)
		output, failed := m.run(t, group)
		require.False(t, failed, output)
		var masked []string
		for _, unit := range units {
			masked = append(masked, "masked "+unit)
			target, err := os.Readlink(filepath.Join(m.root, "etc", "systemd", "system", unit))
			require.NoError(t, err)
			require.Equal(t, os.DevNull, target)
		}
		require.Equal(t, append(masked, masked...), m.commands(t), "before apt-get runs")
	}
}

func TestScriptRefusesUnknownGroup(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, args := range [][]string{{"nothing"}, {"--list", "nothing"}, {}} {
		_, failed := m.run(t, args...)
		require.True(t, failed, args)
	}
	require.Empty(t, m.commands(t))
}

func TestScriptHasGroupsOfStack(t *testing.T) {
	t.Parallel()
	output, failed := newMachine(t).run(t, "--list", servers.PostgreSQL, servers.Media)
	require.False(t, failed, output)
	require.Equal(t, "postgresql\nffmpeg\nfonts-urw-base35\nlibheif-examples\npoppler-data\npoppler-utils\n", output)
}
