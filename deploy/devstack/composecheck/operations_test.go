package composecheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// none marks a table cell of a program without the value.
const none = "–"

// section returns the part of docs/operations.md below a heading of the second level.
func section(t *testing.T, heading string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(raw), "\n## "+heading+"\n")
	require.True(t, found, "docs/operations.md has no section %q", heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// rows returns the cells of every row of a section's tables whose first cell names programs, by program.
func rows(t *testing.T, heading string) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	for line := range strings.Lines(section(t, heading)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 2 {
			continue
		}
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
		for _, program := range named(cells[0]) {
			found[program] = cells[1:]
		}
	}
	return found
}

// named returns the programs that a text names in code quotes, sorted.
func named(text string) []string {
	var programs []string
	for _, quoted := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(text, -1) {
		if slices.Contains(programNames(), quoted[1]) {
			programs = append(programs, quoted[1])
		}
	}
	slices.Sort(programs)
	return slices.Compact(programs)
}

// servers returns the programs that serve health and metrics.
func servers(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(programNames(), func(program string) bool {
		return declared(t,
			program)["OPS_ADDR"].Name == ""
	})
}

func keys(rows map[string][]string) []string {
	var names []string
	for name := range rows {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestMakefileBuildsPrograms(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	list := regexp.MustCompile(`(?m)^SERVICES := (.*)$`).FindSubmatch(raw)
	require.NotNil(t, list)
	require.ElementsMatch(t, programNames(), strings.Fields(string(list[1])))
}

func TestOperationsListsProgramsAndPorts(t *testing.T) {
	t.Parallel()
	table := rows(t, "Programs")
	require.Equal(t, programNames(), keys(table))
	for program, cells := range table {
		public, ops := none, none
		for name, v := range declared(t, program) {
			switch {
			case name == "OPS_ADDR":
				ops = port(v.Default)
			case strings.HasSuffix(name, "_ADDR") && v.Default != "":
				public = port(v.Default)
			}
		}
		require.Equal(t, public, cells[1], "port of %s", program)
		require.Equal(t, ops, cells[2], "OPS_ADDR of %s", program)
	}
}

// TestOperationsListsServers covers the tables in the sections about running processes.
func TestOperationsListsServers(t *testing.T) {
	t.Parallel()
	for _, heading := range []string{"Health", "Stop"} {
		require.Equal(t, servers(t), keys(rows(t, heading)), heading)
	}
}

func TestOperationsListsProgramsOfCommands(t *testing.T) {
	t.Parallel()
	text := section(t, "Start")
	programsOf := func(command string) []string {
		_, row, found := strings.Cut(text, "| `<program> "+command+"` |")
		require.True(t, found, command)
		row, _, _ = strings.Cut(row, "\n")
		return named(row)
	}
	require.Equal(t, servers(t), programsOf("healthcheck"))
	versioned := slices.DeleteFunc(programNames(), func(program string) bool {
		return exec.CommandContext(t.Context(), filepath.Join(bin, program), "version").Run() != nil
	})
	require.Equal(t, versioned, programsOf("version"))
	require.Contains(t, text, "prints the program's variables as JSON (every program)")
}
