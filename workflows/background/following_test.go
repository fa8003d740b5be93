package background_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

// sent is a plan that arrives some time after the start.
type plan struct {
	after    time.Duration
	revision int64
	at       time.Duration // after the start; zero: cleared
}

// followed runs the workflow of a follow-up two hours after the start, with plans that arrive and the outcomes of the steps. It
// returns the times of the steps.
func followed(t *testing.T, plans []plan, outcomes ...flow.FollowupOutcome) []time.Duration {
	t.Helper()
	env := environment()
	env.RegisterWorkflowWithOptions(background.Followup, workflow.RegisterOptions{Name: flow.WorkflowFollowup})
	env.RegisterActivityWithOptions(func(flow.FollowupInput) (flow.FollowupOutcome, error) {
		return flow.FollowupOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivityRemind})
	var at []time.Duration
	env.OnActivity(flow.ActivityRemind, mock.Anything, mock.Anything).Return(
		func(in flow.FollowupInput) (flow.FollowupOutcome, error) {
			at = append(at, env.Now().Sub(start))
			require.False(t, env.Now().Before(in.At), "not before its time")
			if len(at) > len(outcomes) {
				return flow.FollowupOutcome{}, nil
			}
			return outcomes[len(at)-1], nil
		})
	in := flow.FollowupInput{LeadID: ident.New[ident.Lead](), Revision: 2, At: start.Add(2 * time.Hour)}
	for _, p := range plans {
		env.RegisterDelayedCallback(func() {
			next := flow.FollowupInput{LeadID: in.LeadID, Revision: p.revision}
			if p.at != 0 {
				next.At = start.Add(p.at)
			}
			env.SignalWorkflow(flow.SignalFollowup, next)
		}, p.after)
	}
	env.ExecuteWorkflow(background.Followup, in)
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	return at
}

func TestFollowups(t *testing.T) {
	t.Parallel()
	const h = time.Hour
	for name, c := range map[string]struct {
		plans    []plan
		outcomes []flow.FollowupOutcome
		want     []time.Duration
	}{
		"at its time":            {nil, nil, []time.Duration{2 * h}},
		"moved to later":         {[]plan{{h, 3, 5 * h}}, nil, []time.Duration{5 * h}},
		"moved to earlier":       {[]plan{{h / 2, 3, h}}, nil, []time.Duration{h}},
		"cleared":                {[]plan{{h, 3, 0}}, nil, nil},
		"cleared and set again":  {[]plan{{h, 4, 3 * h}, {h, 3, 0}}, nil, []time.Duration{3 * h}},
		"an older plan is late":  {[]plan{{h, 1, 9 * h}, {h, 2, 2 * h}}, nil, []time.Duration{2 * h}},
		"the database has moved": {nil, []flow.FollowupOutcome{{At: start.Add(4 * h)}}, []time.Duration{2 * h, 4 * h}},
		"twice":                  {[]plan{{h, 3, 5 * h}, {3 * h, 4, 4 * h}}, nil, []time.Duration{4 * h}},
	} {
		require.Equal(t, c.want, followed(t, c.plans, c.outcomes...), name)
	}
}

// TestLongFollowupContinues checks that a follow-up that is moved very often bounds the history, and loses no plan.
func TestLongFollowupContinues(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterWorkflowWithOptions(background.Followup, workflow.RegisterOptions{Name: flow.WorkflowFollowup})
	in := flow.FollowupInput{LeadID: ident.New[ident.Lead](), Revision: 1, At: start.Add(time.Hour)}
	for i := range int64(101) {
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(flow.SignalFollowup, flow.FollowupInput{LeadID: in.LeadID, Revision: 2 + i, At: start.Add(2 * time.Hour)})
		}, time.Duration(i)*time.Second)
	}
	env.ExecuteWorkflow(background.Followup, in)
	next, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, flow.WorkflowFollowup, next.WorkflowType.Name)
}
