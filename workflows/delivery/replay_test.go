package delivery_test

import (
	"io/fs"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/deliveryflow"
	"fencepost.internal/workflows/delivery"
)

// TestReplay replays every recorded history with the current code. Histories that are open at a wait point detect
// changes of the next action of a waiting delivery.
func TestReplay(t *testing.T) {
	t.Parallel()
	histories, err := fs.Glob(os.DirFS("testdata/histories"), "*/*.json")
	require.NoError(t, err)
	for _, scenario := range []string{
		"delivered", "retried", "open_waiting_for_retry", "left_the_line_again", "redelivered", "replayed", "open_replaying",
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
			replayer.RegisterWorkflowWithOptions(delivery.Replay, workflow.RegisterOptions{Name: deliveryflow.WorkflowReplay})
			replayer.RegisterWorkflowWithOptions(delivery.Delivery, workflow.RegisterOptions{Name: deliveryflow.Workflow})
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(logger, "testdata/histories/"+file))
		})
	}
}
