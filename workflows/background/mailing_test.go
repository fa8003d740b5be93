package background_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

func setup(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterWorkflowWithOptions(background.Mail, workflow.RegisterOptions{Name: flow.WorkflowMail})
	env.RegisterActivityWithOptions(func(flow.MailInput) (flow.MailOutcome, error) {
		return flow.MailOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivitySendMail})
	return env
}

func input() flow.MailInput {
	return flow.MailInput{MailID: ident.New[ident.Mail](), Kind: mail.Invitation}
}

// TestTriesFollowWaits checks the times of the tries, and that each knows the number of those that failed.
func TestTriesFollowWaits(t *testing.T) {
	t.Parallel()
	env := setup(t)
	outcomes := []flow.MailOutcome{{Wait: 10 * time.Second}, {Wait: 15 * time.Minute}, {Done: true}}
	var at []time.Duration
	var tries []int
	env.OnActivity(flow.ActivitySendMail, mock.Anything, mock.Anything).Return(
		func(in flow.MailInput) (flow.MailOutcome, error) {
			at, tries = append(at, env.Now().Sub(start)), append(tries, in.Tries)
			return outcomes[len(at)-1], nil
		})
	env.ExecuteWorkflow(background.Mail, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 10 * time.Second, 15*time.Minute + 10*time.Second}, at)
	require.Equal(t, []int{0, 1, 2}, tries)
}

// TestGivenUpMailFailsWorkflow checks that operators find it among the failed workflows.
func TestGivenUpMailFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(flow.ActivitySendMail, mock.Anything, mock.Anything).Return(
		flow.MailOutcome{Done: true, Refused: true, Note: "The mail server refused the mail with code 550."}, nil)
	env.ExecuteWorkflow(background.Mail, input())
	refused, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, "MAIL_NOT_SENT", refused.Type())
	require.ErrorContains(t, refused, "550")
	env.AssertNumberOfCalls(t, flow.ActivitySendMail, 1)
}

func TestDatabaseOutageIsRetried(t *testing.T) {
	t.Parallel()
	env, calls := setup(t), 0
	env.OnActivity(flow.ActivitySendMail, mock.Anything, mock.Anything).Return(
		func(flow.MailInput) (flow.MailOutcome, error) {
			if calls++; calls < 10 {
				return flow.MailOutcome{}, errors.New("the database is down")
			}
			return flow.MailOutcome{Done: true}, nil
		})
	env.ExecuteWorkflow(background.Mail, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+16+32+60+60+60)*time.Second, env.Now().Sub(start))
}

func TestLongOutageContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(flow.ActivitySendMail, mock.Anything, mock.Anything).Return(flow.MailOutcome{Wait: time.Minute}, nil)
	env.ExecuteWorkflow(background.Mail, input())
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, flow.WorkflowMail, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, flow.ActivitySendMail, 100)
}

func TestCanceledMailEnds(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(flow.ActivitySendMail, mock.Anything, mock.Anything).Return(flow.MailOutcome{Wait: time.Hour}, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(background.Mail, input())
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	env.AssertNumberOfCalls(t, flow.ActivitySendMail, 1)
}

// TestFailedActivityFailsWorkflow checks errors that no retry helps against.
func TestFailedActivityFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(flow.ActivitySendMail, mock.Anything, mock.Anything).Return(flow.MailOutcome{},
		temporal.NewNonRetryableApplicationError("broken", "Broken", nil))
	env.ExecuteWorkflow(background.Mail, input())
	require.ErrorContains(t, env.GetWorkflowError(), "broken")
}
