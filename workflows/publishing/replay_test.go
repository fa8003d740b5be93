package publishing_test

import (
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/workflows/publishing"
)

// TestReplay replays every recorded history with the current code. Histories that are open at a wait point detect
// changes of the next action of a waiting post.
func TestReplay(t *testing.T) {
	t.Parallel()
	histories, err := fs.Glob(os.DirFS("testdata/histories"), "*/*.json")
	require.NoError(t, err)
	common := []string{
		"published", "failed", "at_once", "retried", "processed", "reconciled", "unscheduled", "rescheduled", "approved",
		"rejected", "superseded",
		"open_waiting_for_approval", "open_waiting_for_time", "open_approved_waiting_for_time",
		"open_rescheduled_waiting_for_time",
		"open_publishing", "open_waiting_for_retry", "open_waiting_for_processing", "open_waiting_to_reconcile",
		"open_superseded",
	}
	for set, more := range map[string][]string{
		"v1": nil,
		// A post that ends FAILED fails its workflow, and signals identify the kind of change.
		"v2": {
			"failed_after_retry", "failed_after_processing", "failed_after_reconciling", "deleted", "published_at_once",
			"told_by_an_older_relay",
		},
		// The first step starts before the post is due, and a worker holds it.
		"v3": {
			"failed_after_retry", "failed_after_processing", "failed_after_reconciling", "deleted", "published_at_once",
			"told_by_an_older_relay", "held", "held_and_retried", "rescheduled_while_held", "unscheduled_while_held",
			"open_waiting_to_be_held", "open_held",
		},
		// A post waits for its channel to be connected again.
		"v4": {
			"failed_after_retry", "failed_after_processing", "failed_after_reconciling", "deleted", "published_at_once",
			"told_by_an_older_relay", "held", "held_and_retried", "rescheduled_while_held", "unscheduled_while_held",
			"open_waiting_to_be_held", "open_held", "on_hold_until_reconnected", "on_hold_until_given_up", "open_on_hold",
		},
	} {
		for _, scenario := range slices.Concat(common, more) {
			require.Contains(t, histories, set+"/"+scenario+".json")
		}
	}
	for _, file := range histories {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
				DisableDeadlockDetection: true,
			})
			require.NoError(t, err)
			replayer.RegisterWorkflowWithOptions(publishing.Post, workflow.RegisterOptions{Name: postflow.Workflow})
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(logger, "testdata/histories/"+file))
		})
	}
}
