package faults_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// The deployed change: the workflow of a post executes one more step at its start.
const (
	before   = "func (r *postRun) run(ctx workflow.Context) error {\n"
	extra    = "if err := r.announce(ctx, r.plan.Status); err != nil { return err }"
	careless = before + extra + "\n"
	careful  = before + `if workflow.GetVersion(ctx, "announce-first", workflow.DefaultVersion, 1) == 1 {` + extra +
		"}\n"
	workflowIn = "publishing/post.go"
)

// overlay returns an overlay for the go command in which the post workflow has another beginning.
func overlay(t *testing.T, beginning string) string {
	t.Helper()
	folder := goOutput(t, "list", "-m", "-f", "{{.Dir}}", "fencepost.internal/workflows")
	original := filepath.Join(strings.TrimSpace(folder), workflowIn)
	source, err := os.ReadFile(original)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(source), before), "the first lines of the workflow changed")
	dir := t.TempDir()
	changed := filepath.Join(dir, "post.go")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(source), before, beginning, 1)), 0o600))
	mapping, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, mapping, 0o600))
	return file
}

// worker builds the worker with another beginning of the post workflow.
func worker(t *testing.T, beginning string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "worker")
	goOutput(t, "build", "-tags", "failpoint", "-overlay", overlay(t, beginning), "-o", path,
		"fencepost.internal/services/worker")
	return path
}

func goOutput(t *testing.T, args ...string) string {
	t.Helper()
	out, err := goCommand(t, args...)
	require.NoError(t, err, "%s", out)
	return out
}

func goCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// TestF34TheReplayTestSeesTheChange checks that the replay test, which guards deployments, fails on the careless change
// and passes on the careful one.
func TestF34TheReplayTestSeesTheChange(t *testing.T) {
	lab.Report(t, lab.Fault{
		ID: "F34", Title: "an incompatible change of workflow code, before its deployment",
		Expect: "the replay test fails for every open history, and passes for the versioned change",
	}, "an additional first step in the post workflow, without and with GetVersion")
	replay := func(beginning string) (string, error) {
		return goCommand(t, "test", "-count=1", "-overlay", overlay(t, beginning), "-run", "^TestReplay$",
			"fencepost.internal/workflows/publishing")
	}
	out, err := replay(careless)
	require.Error(t, err, "the replay test passes on a change that would block every open run")
	require.Contains(t, out, "TMPRL1100")
	for _, open := range []string{"open_waiting_for_time", "open_waiting_for_approval", "open_waiting_to_reconcile"} {
		require.Contains(t, out, "--- FAIL: TestReplay/v1/"+open+".json")
	}
	out, err = replay(careful)
	require.NoError(t, err, "%s", out)
}

// TestF34AWorkerWithChangedWorkflowCode deploys the careless change while posts wait, and rolls it back.
func TestF34AWorkerWithChangedWorkflowCode(t *testing.T) {
	changed := worker(t, careless)
	l := lab.Begin(t, lab.Fault{
		ID: "F34", Title: "a worker with changed workflow code, without GetVersion, while posts are scheduled",
		Expect: "I1 I2: open runs block and send nothing, new runs publish; a rollback resumes all",
	})
	l.Run(1)
	waiting := l.Accept(6, time.Now().Add(time.Hour), 0)
	requireRunning(t, l, waiting)
	l.Workers[0].Stop()
	wrong := l.StartProgram(changed).Ready()
	l.Injected("the workflow changed without GetVersion under %d open runs", len(waiting))
	fresh := l.AcceptOne(time.Now().Add(time.Second), channel.Threads)
	fallDue(t, l, waiting)
	requirePublished(t, l, fresh)
	requireBlocked(t, l, wrong, waiting)

	wrong.Stop()
	l.Start("worker", "").Ready()
	l.Healed()
	requirePublished(t, l, waiting...)
	l.Settle(30 * time.Second)
	l.Check()
}

// TestF35TheWorkerIsRolledBack deploys the careful change, with which open runs continue, and rolls it back while runs
// of the new version wait.
func TestF35TheWorkerIsRolledBack(t *testing.T) {
	versioned := worker(t, careful)
	l := lab.Begin(t, lab.Fault{
		ID: "F35", Title: "the workflow changed behind GetVersion, and rolled back while runs of the newer version wait",
		Expect: "I1 I2: older runs continue on both; newer runs block on the old code and send nothing, until " +
			"the newer code resumes them",
	})
	l.Run(1)
	older := l.Accept(4, time.Now().Add(time.Hour), 0)
	requireRunning(t, l, older)
	l.Workers[0].Stop()
	newer := l.StartProgram(versioned).Ready()
	l.Injected("the workflow changed with GetVersion under %d open runs", len(older))
	newest := l.Accept(4, time.Now().Add(time.Hour), 0)
	fallDue(t, l, older[:2])
	requirePublished(t, l, older[:2]...)
	requireRunning(t, l, newest)
	newer.Stop()
	old := l.Start("worker", "").Ready()
	l.Injected("back to the version before with %d runs of the newer one open", len(newest))
	fallDue(t, l, newest)
	fallDue(t, l, older[2:])
	requirePublished(t, l, older[2:]...)
	requireBlocked(t, l, old, newest)
	old.Stop()
	l.StartProgram(versioned).Ready()
	l.Healed()
	requirePublished(t, l, newest...)
	l.Settle(30 * time.Second)
	l.Check()
}

// requireRunning waits until each post has a running workflow.
func requireRunning(t *testing.T, l *lab.Lab, posts []lab.Accepted) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range posts {
			status, err := l.Workflow(p.ID)
			require.NoError(c, err)
			require.Equal(c, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, status)
		}
		require.Empty(c, l.Query(c, `SELECT id FROM outbox`))
	}, 20*time.Second, 100*time.Millisecond)
}

// fallDue reschedules the posts to the next second and waits until they have been due for some time.
func fallDue(t *testing.T, l *lab.Lab, posts []lab.Accepted) {
	t.Helper()
	const aWhile = 4 * time.Second // time in which an incorrect publication would show
	for i, p := range posts {
		at := time.Now().Add(time.Second)
		require.NoError(t, harness.Failure(l.API.Posts.Schedule(t.Context(), p.ID,
			fencepost.SchedulePostRequest{ScheduledAt: at.Format(time.RFC3339Nano)})))
		posts[i].At = at
	}
	<-time.After(aWhile)
}

// requireBlocked checks that no post was sent or lost, and that the worker's log contains the reason.
func requireBlocked(t *testing.T, l *lab.Lab, worker *harness.Process, posts []lab.Accepted) {
	t.Helper()
	require.Contains(t, worker.WholeLog(), "TMPRL1100")
	for _, p := range posts {
		require.Zero(t, l.Sandbox.Count(p.Text), "%s was sent", p.Text)
		require.Equal(t, fencepost.PostStatusScheduled, l.Get(p.ID).Status)
		status, err := l.Workflow(p.ID)
		require.NoError(t, err)
		require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, status)
	}
}

func requirePublished(t *testing.T, l *lab.Lab, posts ...lab.Accepted) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range posts {
			require.Equal(c, fencepost.PostStatusPublished, l.Get(p.ID).Status, "%s: %+v", p.Text, l.Get(p.ID).Error)
		}
	}, 75*time.Second, 200*time.Millisecond)
}
