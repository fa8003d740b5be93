package faults_test

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"socialpub.internal/services/e2e/faults/lab"
)

func dumpSlow(t *testing.T, l *lab.Lab, ws string) {
	c, err := client.DialContext(t.Context(), client.Options{HostPort: os.Getenv("TEST_TEMPORAL_ADDRESS"), Namespace: l.Namespace, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	require.NoError(t, err)
	defer c.Close()
	for _, id := range l.Query(t, `SELECT d.id FROM delivery d JOIN delivery_attempt a ON a.delivery_id = d.id WHERE d.workspace_id = CAST($1 AS uuid) AND a.started_at - d.created_at > interval '2 s' ORDER BY d.created_at LIMIT 8`, ws) {
		t.Log(l.Query(t, `SELECT 'line ' || d.created_at || ' attempt ' || a.started_at || ' run ' || run || ' took ' || duration_ms FROM delivery d JOIN delivery_attempt a ON a.delivery_id = d.id WHERE d.id = CAST($1 AS uuid)`, id))
		events := c.GetWorkflowHistory(t.Context(), "delivery/"+id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			require.NoError(t, err)
			who := e.GetWorkflowTaskStartedEventAttributes().GetIdentity() + e.GetActivityTaskStartedEventAttributes().GetIdentity() + e.GetWorkflowExecutionStartedEventAttributes().GetIdentity() + e.GetWorkflowTaskScheduledEventAttributes().GetTaskQueue().GetName()
			t.Log("    ", e.GetEventTime().AsTime().Format("15:04:05.000"), e.GetEventType(), who)
		}
	}
}
