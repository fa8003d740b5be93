package faults_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// tenant is an additional workspace, whose events the scenario creates.
type tenant struct {
	l  *lab.Lab
	id ident.Workspace
}

func newTenant(t *testing.T, l *lab.Lab) tenant {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Tenant", Plan: workspace.Growth, Timezone: "UTC",
		CreatedAt: time.Now().UTC(),
	}
	require.NoError(t, postgres.NewWorkspaces(l.DB).Insert(t.Context(), w))
	return tenant{l: l, id: w.ID}
}

// subscribes adds an endpoint. It subscribes to all events unless types are named.
func (n tenant) subscribes(t *testing.T, address string, types ...event.Type) webhook.Endpoint {
	t.Helper()
	events := []string{webhook.AllEvents}
	for i, typ := range types {
		events = append(events[:i], string(typ))
	}
	now := time.Now().UTC()
	e := webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: n.id, URL: address, Events: events, IsActive: true, CreatedAt: now,
		UpdatedAt: now,
	}
	require.NoError(t, postgres.NewWebhooks(n.l.DB, harness.Keyring(t)).Insert(t.Context(), e, webhook.NewSecret()))
	return e
}

// happen creates events and returns each event's time by the id that receivers see. It commits many in one transaction,
// as a bulk operation does. The events belong to no post and alternate between several types.
func (n tenant) happen(t *testing.T, count int) map[string]time.Time {
	t.Helper()
	const together = 500
	created := make(map[string]time.Time, count)
	store := postgres.NewEvents(n.l.DB)
	for len(created) < count {
		require.NoError(t, n.l.DB.WithinTx(t.Context(), func(ctx context.Context) error {
			for range min(together, count-len(created)) {
				now := time.Now().UTC()
				e, err := event.New(n.id, happening()[len(created)%len(happening())], now, map[string]int{"n": len(created)})
				if err != nil {
					return err
				}
				if err := store.Insert(ctx, e, ident.Webhook{}); err != nil {
					return err
				}
				created[event.ExternalID(e.ID)] = now
			}
			return nil
		}))
	}
	return created
}

// happening returns the types of the events that scenarios create.
func happening() []event.Type {
	return []event.Type{event.ChannelConnected, event.ChannelDisconnected, event.LeadCreated, event.LeadStageChanged}
}

// happenFor creates events one at a time for a duration, at a rate that a busy machine can handle.
func (n tenant) happenFor(t *testing.T, duration time.Duration) map[string]time.Time {
	t.Helper()
	const every = 400 * time.Millisecond
	created := make(map[string]time.Time)
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for end := time.Now().Add(duration); time.Now().Before(end); <-ticks.C {
		for id, at := range n.happen(t, 1) {
			created[id] = at
		}
	}
	return created
}

// arrives waits until the endpoints together received every event. It returns how long each took to its first arrival,
// in ascending order.
func arrives(
	t *testing.T, farm *lab.Farm, created map[string]time.Time, within time.Duration, names ...string,
) []time.Duration {
	t.Helper()
	var elapsed []time.Duration
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		elapsed = elapsed[:0]
		seen := make(map[string]bool)
		for _, name := range names {
			for _, g := range farm.Got(name) {
				if at, known := created[g.ID]; known && !seen[g.ID] {
					seen[g.ID], elapsed = true, append(elapsed, g.At.Sub(at))
				}
			}
		}
		require.Zero(c, len(created)-len(elapsed), "events that did not arrive")
	}, within, 250*time.Millisecond)
	slices.Sort(elapsed)
	return elapsed
}

// percentile returns the p-th percentile of sorted values.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// count returns the number that a query returns.
func count(t require.TestingT, l *lab.Lab, query string, args ...any) int {
	n, err := strconv.Atoi(l.Query(t, query, args...)[0])
	require.NoError(t, err)
	return n
}

// states returns the number of an endpoint's deliveries in each state.
func states(t require.TestingT, l *lab.Lab, e ident.Webhook) map[string]int {
	found := make(map[string]int)
	for _, state := range l.Query(t, `SELECT state FROM delivery WHERE webhook_id = CAST($1 AS uuid)`, e.String()) {
		found[state]++
	}
	return found
}

// requireAcceptedOrRecorded checks I3 for an endpoint of a farm: each event was accepted by the endpoint or is recorded
// as failed.
func requireAcceptedOrRecorded(
	t *testing.T, l *lab.Lab, farm *lab.Farm, name string, e ident.Webhook, created map[string]time.Time,
) {
	t.Helper()
	got := make(map[string]bool)
	for _, g := range farm.Got(name) {
		got[g.ID] = true
	}
	ends := make(map[string]string)
	for _, text := range l.Query(t,
		`SELECT 'evt_' || event_id || ' ' || state FROM delivery WHERE webhook_id = CAST($1 AS uuid)`, e.String()) {
		const id = len("evt_") + 36
		ends[text[:id]] = text[id+1:]
	}
	for id := range created {
		switch ends[id] {
		case "SUCCEEDED":
			require.True(t, got[id], "%s SUCCEEDED at %s, and never arrived", id, name)
		case "FAILED", "CANCELLED", "SKIPPED":
		default:
			require.Fail(t, "lost", "event %s for %s is %q", id, name, ends[id])
		}
	}
}
