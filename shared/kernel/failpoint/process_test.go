package failpoint_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/failpoint"
)

// helperHits, if set, turns the test binary into a process that hits the listed points and prints one line for each hit
// that it survives.
const helperHits = "ENGINE_TEST_HITS"

func TestMain(m *testing.M) {
	if hits := os.Getenv(helperHits); hits != "" {
		os.Exit(helper(hits))
	}

	os.Exit(m.Run())
}

func helper(hits string) int {
	points, err := failpoint.NewEngine(failpoint.EngineConfig{
		Entries:  os.Getenv("FAILPOINTS"),
		Log:      os.Getenv("FAILPOINTS_LOG"),
		Injected: errInjected,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)

		return 2
	}

	for hit := range strings.SplitSeq(hits, ",") {
		err := points.Hit(context.Background(), hit)
		if _, err := fmt.Fprintf(os.Stdout, "%s %v\n", hit, err); err != nil {
			return 1
		}
	}

	return 0
}

func helperProcess(t *testing.T, hits, entries, log string) *exec.Cmd {
	t.Helper()

	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), helperHits+"="+hits, "FAILPOINTS="+entries, "FAILPOINTS_LOG="+log)

	return process
}

func TestKill(t *testing.T) {
	t.Parallel()

	log := filepath.Join(t.TempDir(), "log")
	run := func() (string, error) {
		output, err := helperProcess(t, "a,b,a,b", "a=kill#2", log).Output()

		return string(output), err
	}

	output, err := run()
	require.Equal(t, "a <nil>\nb <nil>\n", output)

	exit := new(exec.ExitError)
	require.ErrorAs(t, err, &exit)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.Equal(t, syscall.SIGKILL, status.Signal())

	require.Regexp(t, fmt.Sprintf(`^a %d \d{19} kill#2\n$`, exit.Pid()), read(t, log))

	output, err = run()
	require.NoError(t, err, "after the restart it lives")
	require.Equal(t, "a <nil>\nb <nil>\na <nil>\nb <nil>\n", output)
}

func TestStop(t *testing.T) {
	t.Parallel()

	process := helperProcess(t, "a,b", "b=stop#1", filepath.Join(t.TempDir(), "log"))
	output, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())

	// A stopped child is reported by wait(2) with WUNTRACED, so no polling is needed.
	var status syscall.WaitStatus
	_, err = syscall.Wait4(process.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	require.Equal(t, syscall.SIGSTOP, status.StopSignal())

	lines := bufio.NewScanner(output)
	require.True(t, lines.Scan())
	require.Equal(t, "a <nil>", lines.Text())

	require.NoError(t, process.Process.Signal(syscall.SIGCONT))
	require.True(t, lines.Scan())
	require.Equal(t, "b <nil>", lines.Text())
	require.NoError(t, process.Wait())
}
