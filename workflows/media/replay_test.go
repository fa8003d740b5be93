package media_test

import (
	"io/fs"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/mediaflow"
	"fencepost.internal/workflows/media"
)

// TestReplay replays every recorded history with the current code. Histories that are open at a wait point detect
// changes of the next action of a waiting run.
func TestReplay(t *testing.T) {
	t.Parallel()
	histories, err := fs.Glob(os.DirFS("testdata/histories"), "*/*.json")
	require.NoError(t, err)
	for _, scenario := range []string{
		"imported", "import_failed", "open_importing", "open_failing_import", "processed", "given_up", "open_processing",
		"open_giving_up",
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
			replayer.RegisterWorkflowWithOptions(media.Import, workflow.RegisterOptions{Name: mediaflow.WorkflowImport})
			replayer.RegisterWorkflowWithOptions(media.Process, workflow.RegisterOptions{Name: mediaflow.WorkflowProcess})
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(logger, "testdata/histories/"+file))
		})
	}
}
