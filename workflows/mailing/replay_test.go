package mailing_test

import (
	"io/fs"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/mailflow"
	"fencepost.internal/workflows/mailing"
)

// TestReplay replays every recorded history with the current code. Histories that are open at a wait point detect
// changes of the next action of a waiting run.
func TestReplay(t *testing.T) {
	t.Parallel()
	histories, err := fs.Glob(os.DirFS("testdata/histories"), "*/*.json")
	require.NoError(t, err)
	for _, scenario := range []string{
		"sent", "retried", "given_up", "open_waiting_for_the_server", "open_sending",
	} {
		require.Contains(t, histories, "v1/"+scenario+".json")
	}
	for _, file := range histories {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
				DisableDeadlockDetection: true,
			})
			require.NoError(t, err)
			replayer.RegisterWorkflowWithOptions(mailing.Mail, workflow.RegisterOptions{Name: mailflow.Workflow})
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(logger, "testdata/histories/"+file))
		})
	}
}
