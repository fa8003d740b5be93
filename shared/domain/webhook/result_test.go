package webhook_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/webhook"
)

// TestResultTransitions spells out the whole table: one row per position, one column per result.
func TestResultTransitions(t *testing.T) {
	t.Parallel()
	const keep webhook.State = "" // the attempt is recorded, and the delivery stays as it is
	// The columns are succeeded, retry, exhausted, refused.
	table := map[webhook.Position][]webhook.State{
		webhook.PositionOpen:      {webhook.Succeeded, webhook.Pending, webhook.Exhausted, keep},
		webhook.PositionQueued:    {webhook.Succeeded, keep, keep, keep},
		webhook.PositionSucceeded: {keep, keep, keep, keep},
		webhook.PositionExhausted: {webhook.Succeeded, keep, keep, keep},
		webhook.PositionCancelled: {webhook.Succeeded, keep, keep, keep},
		webhook.PositionSkipped:   {webhook.Succeeded, keep, keep, keep},
	}
	require.Len(t, table, len(webhook.Positions()))
	for from, row := range table {
		require.Len(t, row, len(webhook.Results()), from)
		for i, result := range webhook.Results() {
			got := keep
			for _, transition := range webhook.ResultTransitions() {
				if transition.From == from && transition.Result == result {
					require.Equal(t, keep, got, "%s %s: two rows", from, result)
					got = transition.To
				}
			}
			require.Equal(t, row[i], got, "%s %s", from, result)
			positions, to := webhook.PositionsBefore(result, false)
			require.Equal(t, row[i] != keep, slices.Contains(positions, from), "%s %s", from, result)
			require.True(t, row[i] == keep || row[i] == to, "%s %s", from, result)
			again, _ := webhook.PositionsBefore(result, true)
			require.Equal(t, row[i] == webhook.Succeeded, slices.Contains(again, from), "only a success may be repeated")
		}
	}
}

func TestPositionsMatchDeliveryStates(t *testing.T) {
	t.Parallel()
	for _, state := range webhook.States() {
		position := slices.Contains(webhook.Positions(), webhook.Position(state))
		require.Equal(t, state != webhook.Pending, position, "%s: a pending delivery is open or queued", state)
	}
}

func TestResultOf(t *testing.T) {
	t.Parallel()
	for state, want := range map[webhook.State][2]webhook.Result{
		webhook.Succeeded: {webhook.ResultSucceeded, webhook.ResultSucceeded},
		webhook.Pending:   {webhook.ResultRetry, webhook.ResultRefused},
		webhook.Exhausted: {webhook.ResultExhausted, webhook.ResultRefused},
	} {
		require.Equal(t, want, [2]webhook.Result{webhook.ResultOf(state, false), webhook.ResultOf(state, true)}, state)
	}
}

func TestEffectsOnEndpoint(t *testing.T) {
	t.Parallel()
	failing, counted := webhook.EndpointEffect{Failing: true}, webhook.EndpointEffect{Failing: true, Counts: true}
	want := map[webhook.Result][2]webhook.EndpointEffect{ // of an event, of an exempt delivery
		webhook.ResultSucceeded: {{Reset: true}, {Reset: true}},
		webhook.ResultRetry:     {failing, failing},
		webhook.ResultExhausted: {counted, failing},
		webhook.ResultRefused:   {failing, failing},
	}
	require.Len(t, want, len(webhook.Results()))
	for result, effects := range want {
		got := [2]webhook.EndpointEffect{result.Effect(false), result.Effect(true)}
		require.Equal(t, effects, got, result)
	}
}

// TestEndpointStateChanges covers every state and every change of it.
func TestEndpointStateChanges(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	active := webhook.Endpoint{IsActive: true, ConsecutiveFailures: 3}
	disabled := webhook.Endpoint{ConsecutiveFailures: 10, DisabledAt: at, DisabledReason: webhook.ReasonFailures}
	fresh := webhook.Endpoint{IsActive: true}
	manual := webhook.Endpoint{ConsecutiveFailures: 3, DisabledReason: webhook.ReasonManual}
	on, off := webhook.Change{IsActive: new(true)}, webhook.Change{IsActive: new(false)}
	for _, c := range []struct {
		before webhook.Endpoint
		change webhook.Change
		after  webhook.Endpoint
	}{
		{active, webhook.Change{}, active},
		{active, on, fresh},
		{active, off, manual},
		{disabled, webhook.Change{}, disabled},
		{disabled, on, fresh},
		{disabled, off, disabled},
	} {
		require.Equal(t, c.after, c.before.Changed(c.change))
	}
	text := webhook.Change{URL: new("https://a.test"), Description: new("A"), Events: []string{"*"}}
	want := active
	want.URL, want.Description, want.Events = "https://a.test", "A", []string{"*"}
	require.Equal(t, want, active.Changed(text))
}

func TestChangeThatClearsFailure(t *testing.T) {
	t.Parallel()
	require.True(t, webhook.Change{IsActive: new(true)}.Relieves())
	require.True(t, webhook.Change{URL: new("https://a.test")}.Relieves())
	require.False(t, webhook.Change{IsActive: new(false)}.Relieves())
	require.False(t, webhook.Change{Description: new("A")}.Relieves())
}
