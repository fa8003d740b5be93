package e2e_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// TestFailedPostFailsWorkflow checks that a failed post's workflow fails, and that another run starts when the
// post is published again.
func TestFailedPostFailsWorkflow(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "commit", Kind: "reject"})
	p := s.Create(channel.Threads, "Refuse me once", "now")
	failed := *settled(t, s, p.ID, soon).Error
	_, err := s.PostEnd(p.ID)
	failure, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, failed.Code, failure.Type())
	require.Equal(t, failed.Message, failure.Message())
	requireFound(t, s, `WorkflowType = "Post" AND ExecutionStatus = "Failed"`, p.ID)

	s.Publish(p.ID)
	published := settled(t, s, p.ID, soon)
	require.Equal(t, fencepost.PostStatusPublished, published.Status)
	result, err := s.PostEnd(p.ID)
	require.NoError(t, err)
	url := *published.PostURL
	require.Equal(t, postflow.Result{Status: post.Published, URL: url, Note: "Published at " + url}, result)
	status, err := s.Workflow(p.ID)
	require.NoError(t, err)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, status)
}

// TestSavedViews checks that Temporal accepts every filter in the documentation unchanged.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	s := running(t)
	raw, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(raw), "| Looking for | Filter |")
	require.True(t, found)
	table, _, _ := strings.Cut(rest, "\n\n")
	filters := regexp.MustCompile("(?m)^\\|[^|]+\\| `([^`]+)` \\|$").FindAllStringSubmatch(table, -1)
	require.Greater(t, len(filters), 10)
	for _, filter := range filters {
		_, err := s.FindWorkflows(filter[1])
		require.NoError(t, err, "%s", filter[1])
	}
	p := s.Create(channel.Threads, "Please approve", "draft")
	s.RequestApproval(p.ID)
	requireFound(t, s, `WorkflowType = "Post" AND ExecutionStatus = "Running" AND PostStatus = "PENDING_APPROVAL"`, p.ID)
}

func requireFound(t *testing.T, s *harness.System, filter, postID string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		found, err := s.FindWorkflows(filter)
		require.NoError(c, err)
		require.Contains(c, found, "post/"+postID)
	}, soon, 100*time.Millisecond)
}
