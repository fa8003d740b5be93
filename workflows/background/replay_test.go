package background_test

import (
	"io/fs"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/workflows/background"
)

// TestReplay replays every recorded history with the current code. Histories that are open at a wait point detect
// changes of the next action of a waiting run.
func TestReplay(t *testing.T) {
	t.Parallel()
	histories, err := fs.Glob(os.DirFS("testdata/histories"), "*/*.json")
	require.NoError(t, err)
	for _, scenario := range []string{
		"mail_sent", "mail_retried", "mail_given_up", "mail_open_waiting_for_the_server", "mail_open_sending",
		"reply_sent", "reply_retried", "reply_refused", "reply_open_waiting_for_the_network", "reply_open_sending",
		"followup_reminded", "followup_moved", "followup_open_waiting_for_its_time", "followup_open_reminding",
		"renewal_swept", "renewal_swept_nothing", "renewal_open_sweeping", "renewal_renewed", "renewal_retried",
		"renewal_refused", "renewal_open_waiting_for_its_turn", "renewal_open_waiting_for_the_network",
		"renewal_open_renewing",
		"insights_collected", "insights_rate_limited", "insights_stopped", "insights_open_waiting_for_the_network",
		"insights_open_reading",
		"media_imported", "media_import_failed", "media_open_importing", "media_open_failing_import",
		"delivery_delivered", "delivery_retried", "delivery_open_waiting_for_retry", "delivery_left_the_line_again",
		"delivery_redelivered", "delivery_replayed", "delivery_open_replaying",
		"media_processed", "media_given_up", "media_open_processing", "media_open_giving_up",
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
			for name, of := range map[string]any{
				flow.WorkflowReply: background.Reply, flow.WorkflowFollowup: background.Followup, flow.WorkflowMail: background.Mail, flow.WorkflowRenewal: background.Renewal,
				flow.WorkflowRenewalSweep: background.RenewalSweep, flow.WorkflowInsights: background.Insights,
				flow.WorkflowDelivery: background.Delivery, flow.WorkflowReplay: background.Replay,
				flow.WorkflowImport: background.ImportFile, flow.WorkflowProcess: background.ProcessFile,
			} {
				replayer.RegisterWorkflowWithOptions(of, workflow.RegisterOptions{Name: name})
			}
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(logger, "testdata/histories/"+file))
		})
	}
}
