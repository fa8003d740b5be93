package composecheck_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	units = root + "/deploy/systemd"
	// exposure is the highest rating of systemd-analyze security that is accepted, in tenths; 10.0 is a unit without
	// sandbox.
	exposure = 20
	// unsandboxed is the rating of a unit without any setting, below which no threshold would be exceeded.
	unsandboxed = 90
)

// unitNames returns the programs with a unit.
func unitNames() []string {
	return []string{"api", "console", "files", "inbound", "mcp", "migrate", "pages", "worker"}
}

// machine returns the root folder of a machine on which the units are installed, with empty programs.
func machine(t *testing.T) string {
	t.Helper()
	install := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "install.sh"), "systemd")
	output, err := install.CombinedOutput()
	require.NoError(t, err, string(output))
	folder := t.TempDir()
	system := filepath.Join(folder, "etc", "systemd", "system")
	require.NoError(t, os.CopyFS(system, os.DirFS(units)))
	for _, target := range []string{
		"network-online", "network", "sysinit", "basic", "shutdown", "multi-user", "sockets", "timers", "paths", "slices",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(system, target+".target"), []byte("[Unit]\n"), 0o600))
	}
	programs := filepath.Join(folder, "usr", "lib", "fencepost")
	require.NoError(t, os.MkdirAll(programs, 0o750))
	for _, program := range unitNames() {
		path := filepath.Join(programs, program)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // it is executable
	}
	return folder
}

// analyze runs systemd-analyze on a unit of a machine, which needs no running systemd.
func analyze(t *testing.T, machine, unit string, command ...string) (stdout, stderr string) {
	t.Helper()
	arguments := append(slices.Clone(command), "--root="+machine, unit)
	run := exec.CommandContext(t.Context(), "systemd-analyze", arguments...)
	var out, problems bytes.Buffer
	run.Stdout, run.Stderr = &out, &problems
	require.NoError(t, run.Run(), problems.String())
	return out.String(), problems.String()
}

func TestUnitsAreValid(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	for _, program := range unitNames() {
		_, problems := analyze(t, folder, "fencepost-"+program+".service", "verify", "--man=no")
		require.Empty(t, problems, program)
	}
	// A key that systemd does not know, in a drop-in.
	dropIn := filepath.Join(folder, "etc", "systemd", "system", "fencepost-.service.d", "10-sandbox.conf")
	raw, err := os.ReadFile(dropIn)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dropIn, append(raw, "ProtectHomes=yes\n"...), 0o600))
	_, problems := analyze(t, folder, "fencepost-api.service", "verify", "--man=no")
	require.Contains(t, problems, "ProtectHomes")
}

// rating returns the exposure of a unit in tenths, and the names of the settings that contribute to it.
func rating(t *testing.T, machine, unit string) (tenths int, exposed []string) {
	t.Helper()
	text, _ := analyze(t, machine, unit, "security", "--offline=yes", "--no-pager")
	overall := regexp.MustCompile(`Overall exposure level for \S+: (\d+)\.(\d)`).FindStringSubmatch(text)
	require.NotNil(t, overall, text)
	tenths, err := strconv.Atoi(overall[1] + overall[2])
	require.NoError(t, err)
	list, _ := analyze(t, machine, unit, "security", "--offline=yes", "--json=short")
	var settings []struct {
		Set  *bool
		Name string
	}
	require.NoError(t, json.Unmarshal([]byte(list), &settings))
	for _, setting := range settings {
		if setting.Set != nil && !*setting.Set {
			exposed = append(exposed, setting.Name)
		}
	}
	return tenths, exposed
}

func TestUnitsAreSandboxed(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	// Every unit needs the network, and Go reads the machine's addresses through netlink.
	shared := []string{
		"DeviceAllow=", "IPAddressDeny=", "PrivateNetwork=", "RestrictAddressFamilies=~AF_(INET|INET6)",
		"RestrictAddressFamilies=~AF_NETLINK", "RestrictAddressFamilies=~AF_UNIX", "RootDirectory=/RootImage=",
	}
	// The worker starts programs in namespaces.
	worker := []string{
		"MemoryDenyWriteExecute=", "PrivateUsers=", "RestrictNamespaces=~ipc", "RestrictNamespaces=~net",
		"RestrictNamespaces=~pid", "RestrictNamespaces=~user", "RestrictNamespaces=~uts", "SystemCallFilter=~@resources",
	}
	for _, program := range unitNames() {
		tenths, exposed := rating(t, folder, "fencepost-"+program+".service")
		require.LessOrEqual(t, tenths, exposure, program)
		allowed := shared
		if program == "worker" {
			allowed = append(slices.Clone(shared), worker...)
		}
		require.Subset(t, allowed, exposed, program)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "etc", "systemd", "system", "fencepost-.service.d")))
	tenths, _ := rating(t, folder, "fencepost-api.service")
	require.Greater(t, tenths, unsandboxed, "the rating comes from the sandbox")
}

// settings returns the values of a key in a unit file.
func settings(t *testing.T, program, key string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(units, "fencepost-"+program+".service"))
	require.NoError(t, err)
	var values []string
	for _, found := range regexp.MustCompile(`(?m)^`+key+`=(.*)$`).FindAllStringSubmatch(string(raw), -1) {
		values = append(values, found[1])
	}
	return values
}

// TestUnitsPassSecrets compares the credentials with the declarations of the programs.
func TestUnitsPassSecrets(t *testing.T) {
	t.Parallel()
	needed := make(map[string]bool) // secrets that every installation has
	for _, program := range unitNames() {
		for name, v := range declared(t, program) {
			needed[name] = needed[name] || v.Required && v.Secret
		}
	}
	for _, program := range unitNames() {
		var credentials, files []string
		for name := range declared(t, program) {
			if needed[name] {
				credentials = append(credentials, name+":/etc/fencepost/credentials/"+name)
				files = append(files, name+"_FILE=%d/"+name)
			}
		}
		require.ElementsMatch(t, credentials, settings(t, program, "LoadCredential"), program)
		if program == "worker" {
			files = append(files, "MEDIA_FOLDER=%C/fencepost-worker")
		}
		require.ElementsMatch(t, files, settings(t, program, "Environment"), program)
	}
}

// TestUnitsSetRequiredVariables checks fencepost.env.example: required variables, and no unknown ones or
// secrets.
func TestUnitsSetRequiredVariables(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(units, "fencepost.env.example"))
	require.NoError(t, err)
	set := make(map[string]bool)
	for _, found := range regexp.MustCompile(`(?m)^([A-Z0-9_]+)=.`).FindAllStringSubmatch(string(raw), -1) {
		set[found[1]] = true
	}
	known := make(map[string]variable)
	for _, program := range unitNames() {
		variables := declared(t, program)
		maps.Copy(known, variables)
		for _, name := range required(variables) {
			require.NotEqual(t, variables[name].Secret, set[name], "%s of %s", name, program)
		}
	}
	for name := range set {
		require.Contains(t, known, name)
	}
	optional, err := os.ReadFile(filepath.Join(units, "optional-secrets.conf.example"))
	require.NoError(t, err)
	files := regexp.MustCompile(`(?m)^Environment=([A-Z0-9_]+)=%d/(\S+)$`)
	for _, found := range files.FindAllStringSubmatch(string(optional), -1) {
		plain, isFile := known[found[1]]
		require.True(t, isFile && !plain.Secret || known[strings.TrimSuffix(found[1], "_FILE")].Secret, found[1])
		require.Contains(t, string(optional), "LoadCredential="+found[2]+":/etc/fencepost/credentials/"+found[2]+"\n")
	}
}

// TestUnitsStopWithinGracePeriod compares TimeoutStopSec with the table of docs/operations.md.
func TestUnitsStopWithinGracePeriod(t *testing.T) {
	t.Parallel()
	const drain = 10 * time.Second // DRAIN_DELAY of fencepost.env.example
	table := rows(t, "Stop")
	for _, program := range unitNames() {
		cells, stops := table[program]
		if !stops {
			continue
		}
		grace, err := time.ParseDuration(strings.ReplaceAll(cells[len(cells)-1], " ", ""))
		require.NoError(t, err)
		timeout, err := time.ParseDuration(settings(t, program, "TimeoutStopSec")[0] + "s")
		require.NoError(t, err)
		require.GreaterOrEqual(t, timeout, grace+drain, program)
	}
}
