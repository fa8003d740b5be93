package harness

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
)

// Infrastructure sends a command for a server to the development stack, such as "temporal/kill" or
// "postgres/stop?mode=immediate".
func Infrastructure(t testing.TB, what string) {
	t.Helper()
	base := os.Getenv("DEVSTACK_CONTROL")
	require.NotEmpty(t, base, "DEVSTACK_CONTROL is not set: run the tests with `make test`")
	address, err := url.Parse(base + "/" + what)
	require.NoError(t, err)
	// Not the test's context: clean-ups restart servers after it has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // the stack's control address on this machine
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	raw, _ := io.ReadAll(response.Body)
	require.Less(t, response.StatusCode, 300, "%s: %s", what, raw)
}

// Workflow returns the status of a post's workflow in Temporal, or an error if there is none.
func (s *System) Workflow(postID string) (enums.WorkflowExecutionStatus, error) {
	s.t.Helper()
	id, err := ident.Parse[ident.Post](postID)
	require.NoError(s.t, err)
	temporal := s.temporal()
	defer temporal.Close()
	found, err := temporal.DescribeWorkflowExecution(s.t.Context(), postflow.ID(id), "")
	return found.GetWorkflowExecutionInfo().GetStatus(), err
}

// Steps waits for the end of a workflow and returns the types of the events in its history, without those of workflow
// tasks, which Temporal repeats on a busy machine.
func (s *System) Steps(workflowID string) []enums.EventType {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	var steps []enums.EventType
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	events := temporal.GetWorkflowHistory(ctx, workflowID, "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(s.t, err)
		if kind := event.GetEventType(); !strings.HasPrefix(kind.String(), "WorkflowTask") {
			steps = append(steps, kind)
		}
	}
	return steps
}

// SignalPost signals a plan to the workflow of a post, as the relay does. Tests send old and repeated plans with it.
func (s *System) SignalPost(postID string, plan postflow.Plan) {
	s.t.Helper()
	id, err := ident.Parse[ident.Post](postID)
	require.NoError(s.t, err)
	temporal := s.temporal()
	defer temporal.Close()
	require.NoError(s.t, temporal.SignalWorkflow(s.t.Context(), postflow.ID(id), "", string(postflow.SignalChanged), plan))
}

// Histories returns the histories of up to limit workflows in Temporal, as readable text by workflow id.
func (s *System) Histories(limit int) map[string]string {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	list, err := temporal.ListWorkflow(s.t.Context(),
		&workflowservice.ListWorkflowExecutionsRequest{PageSize: int32(limit)}) //nolint:gosec // G115: a small number
	require.NoError(s.t, err)
	histories := make(map[string]string)
	for _, found := range list.GetExecutions() {
		id := found.GetExecution().GetWorkflowId()
		var text strings.Builder
		events := temporal.GetWorkflowHistory(s.t.Context(), id, found.GetExecution().GetRunId(), false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			require.NoError(s.t, err)
			text.WriteString(event.String()) // payloads are JSON and appear unchanged in the text
		}
		histories[id] = text.String()
	}
	return histories
}

func (s *System) temporal() client.Client {
	s.t.Helper()
	temporal, err := client.DialContext(s.t.Context(), client.Options{
		HostPort: requireEnv(s.t, "TEST_TEMPORAL_ADDRESS"), Namespace: s.Namespace,
		Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(s.t, err)
	return temporal
}

// Schedules returns the ids of all of the system's schedules in Temporal.
func (s *System) Schedules() []string {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	list, err := temporal.ScheduleClient().List(s.t.Context(), client.ScheduleListOptions{PageSize: 1000})
	require.NoError(s.t, err)
	var ids []string
	for list.HasNext() {
		found, err := list.Next()
		require.NoError(s.t, err)
		ids = append(ids, found.ID)
	}
	return ids
}

// FindWorkflows returns the ids of the workflows that match a filter in the syntax of Temporal's UI.
func (s *System) FindWorkflows(filter string) ([]string, error) {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	list, err := temporal.ListWorkflow(s.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: filter})
	var ids []string
	for _, found := range list.GetExecutions() {
		ids = append(ids, found.GetExecution().GetWorkflowId())
	}
	return ids, err
}

// PostEnd returns the result of the latest run of a post's workflow, or the error with which it ended.
func (s *System) PostEnd(postID string) (result postflow.Result, err error) {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	err = temporal.GetWorkflow(s.t.Context(), "post/"+postID, "").Get(s.t.Context(), &result)
	return result, err
}
