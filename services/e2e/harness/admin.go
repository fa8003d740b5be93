package harness

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stretchr/testify/require"
)

// Admin runs the admin program on the system's workspace and returns the record that it prints.
func (s *System) Admin(command, verb string, args ...string) map[string]any {
	s.t.Helper()
	out, err := s.RunAdmin(command, verb, args...)
	if ended, failed := errors.AsType[*exec.ExitError](err); failed {
		require.Fail(s.t, "admin failed", "%s: %s", args, ended.Stderr)
	}
	require.NoError(s.t, err)
	var record map[string]any
	require.NoError(s.t, json.Unmarshal(out, &record), "%s", out)
	return record
}

// RunAdmin runs the admin program on the system's workspace and returns its output. The program may fail.
func (s *System) RunAdmin(command, verb string, args ...string) ([]byte, error) {
	args = append([]string{command, verb, "--json", "--workspace", s.Workspace.String()}, args...)
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.bin, "admin"), args...)
	cmd.Env = s.env
	return cmd.Output()
}

// Secret writes a text to its own file, the form in which the admin program accepts secrets.
func (s *System) Secret(text string) (path string) {
	s.t.Helper()
	file, err := os.CreateTemp(s.dir, "secret-")
	require.NoError(s.t, err)
	_, err = file.WriteString(text)
	require.NoError(s.t, err)
	require.NoError(s.t, file.Close())
	return file.Name()
}
