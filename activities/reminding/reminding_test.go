package reminding_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/reminding"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// memory returns the given results, one after another.
type memory struct {
	results []postgres.Reminder
	err     error
}

func (m *memory) Remind(context.Context, flow.FollowupInput, time.Time) (postgres.Reminder, error) {
	if m.err != nil {
		return postgres.Reminder{}, m.err
	}
	next := m.results[0]
	m.results = m.results[1:]
	return next, nil
}

func TestRemind(t *testing.T) {
	t.Parallel()
	_, err := reminding.New(nil, clock.System(), prometheus.NewRegistry())
	require.Error(t, err)
	later := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	store, reg := &memory{results: []postgres.Reminder{
		{What: postgres.ReminderSent}, {What: postgres.ReminderSuperseded, Next: later}, {What: postgres.ReminderNoOwner},
	}}, prometheus.NewRegistry()
	r, err := reminding.New(store, clock.System(), reg)
	require.NoError(t, err)
	in := flow.FollowupInput{LeadID: ident.New[ident.Lead](), At: later}
	for _, want := range []flow.FollowupOutcome{
		{Note: "The owner was reminded."},
		{At: later, Note: "The follow-up was moved, removed, or ended with the lead."},
		{Note: "No member is reminded: the lead has no owner who may see it."},
	} {
		got, err := r.Remind(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	store.err = errors.New("down")
	_, err = r.Remind(t.Context(), in)
	require.ErrorIs(t, err, store.err, "Temporal tries again")
	count, err := testutil.GatherAndCount(reg, "lead_reminders_total")
	require.NoError(t, err)
	require.Equal(t, 3, count)
}
