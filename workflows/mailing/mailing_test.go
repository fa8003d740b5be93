package mailing_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow/mailflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/mailing"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func setup(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(start)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(mailing.Mail, workflow.RegisterOptions{Name: mailflow.Workflow})
	env.RegisterActivityWithOptions(func(mailflow.Input) (mailflow.Outcome, error) {
		return mailflow.Outcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: mailflow.ActivitySend})
	return env
}

func input() mailflow.Input {
	return mailflow.Input{MailID: ident.New[ident.Mail](), Kind: mail.Invitation}
}

// TestTriesFollowWaits checks the times of the tries, and that each knows the number of those that failed.
func TestTriesFollowWaits(t *testing.T) {
	t.Parallel()
	env := setup(t)
	outcomes := []mailflow.Outcome{{Wait: 10 * time.Second}, {Wait: 15 * time.Minute}, {Done: true}}
	var at []time.Duration
	var tries []int
	env.OnActivity(mailflow.ActivitySend, mock.Anything, mock.Anything).Return(
		func(in mailflow.Input) (mailflow.Outcome, error) {
			at, tries = append(at, env.Now().Sub(start)), append(tries, in.Tries)
			return outcomes[len(at)-1], nil
		})
	env.ExecuteWorkflow(mailing.Mail, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 10 * time.Second, 15*time.Minute + 10*time.Second}, at)
	require.Equal(t, []int{0, 1, 2}, tries)
}

// TestGivenUpMailFailsWorkflow checks that operators find it among the failed workflows.
func TestGivenUpMailFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(mailflow.ActivitySend, mock.Anything, mock.Anything).Return(
		mailflow.Outcome{Done: true, Refused: true, Note: "The mail server refused the mail with code 550."}, nil)
	env.ExecuteWorkflow(mailing.Mail, input())
	refused, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, "MAIL_NOT_SENT", refused.Type())
	require.ErrorContains(t, refused, "550")
	env.AssertNumberOfCalls(t, mailflow.ActivitySend, 1)
}

func TestDatabaseOutageIsRetried(t *testing.T) {
	t.Parallel()
	env, calls := setup(t), 0
	env.OnActivity(mailflow.ActivitySend, mock.Anything, mock.Anything).Return(
		func(mailflow.Input) (mailflow.Outcome, error) {
			if calls++; calls < 10 {
				return mailflow.Outcome{}, errors.New("the database is down")
			}
			return mailflow.Outcome{Done: true}, nil
		})
	env.ExecuteWorkflow(mailing.Mail, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+16+32+60+60+60)*time.Second, env.Now().Sub(start))
}

func TestLongOutageContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(mailflow.ActivitySend, mock.Anything, mock.Anything).Return(mailflow.Outcome{Wait: time.Minute}, nil)
	env.ExecuteWorkflow(mailing.Mail, input())
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, mailflow.Workflow, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, mailflow.ActivitySend, 100)
}

func TestCanceledMailEnds(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(mailflow.ActivitySend, mock.Anything, mock.Anything).Return(mailflow.Outcome{Wait: time.Hour}, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(mailing.Mail, input())
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	env.AssertNumberOfCalls(t, mailflow.ActivitySend, 1)
}

// TestFailedActivityFailsWorkflow checks errors that no retry helps against.
func TestFailedActivityFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(mailflow.ActivitySend, mock.Anything, mock.Anything).Return(mailflow.Outcome{},
		temporal.NewNonRetryableApplicationError("broken", "Broken", nil))
	env.ExecuteWorkflow(mailing.Mail, input())
	require.ErrorContains(t, env.GetWorkflowError(), "broken")
}
