package harness

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"

	"github.com/stretchr/testify/require"
)

// AdminRun runs the admin program and returns its output and its exit code. env is appended to the system's environment.
func (s *System) AdminRun(env []string, args ...string) (out []byte, code int) {
	s.t.Helper()
	out, _, code = s.Outcome(env, "admin", args...)
	return out, code
}

// Outcome runs a program of the system to completion and returns what it printed and its exit code.
func (s *System) Outcome(env []string, program string, args ...string) (out, errs []byte, code int) {
	s.t.Helper()
	var printed, faults bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.bin, program), args...)
	cmd.Env = append(append([]string{}, s.env...), env...)
	cmd.Stdout, cmd.Stderr = &printed, &faults
	err := cmd.Run()
	if ended, failed := errors.AsType[*exec.ExitError](err); failed {
		return printed.Bytes(), faults.Bytes(), ended.ExitCode()
	}
	require.NoError(s.t, err)
	return printed.Bytes(), faults.Bytes(), 0
}
