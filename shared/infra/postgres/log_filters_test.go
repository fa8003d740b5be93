package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestFilteredLogPageReadsFewRows reads pages of rare types and states in logs that have none, or a few at their far
// ends, before and after the tables have statistics.
func TestFilteredLogPageReadsFewRows(t *testing.T) {
	t.Parallel()
	const many, few = 5000, 3
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	exec := func(statement string, args ...any) { postgrestest.Exec(t, b.address, statement, args...) }
	// Statistics of the tables half-way would be neither of the two cases.
	exec(`ALTER TABLE event SET (autovacuum_enabled = false)`)
	exec(`ALTER TABLE delivery SET (autovacuum_enabled = false)`)
	exec(`INSERT INTO event SELECT copy.* FROM event, generate_series(2, $1::int) n, jsonb_populate_record(event,
		jsonb_build_object('id', CAST(md5(CAST(n AS text)) AS uuid), 'seq', n)) copy`, many)
	exec(`INSERT INTO delivery SELECT copy.* FROM delivery, event e, jsonb_populate_record(delivery,
		jsonb_build_object('id', e.id, 'event_id', e.id)) copy WHERE e.id <> delivery.event_id`)
	exec(`UPDATE delivery SET state = 'SUCCEEDED', lane = NULL, completed_at = now()`)
	exec(`UPDATE event SET type = 'lead.created' WHERE seq > $1`, many-few)
	exec(`UPDATE delivery SET state = 'FAILED' WHERE id IN (SELECT id FROM delivery ORDER BY id LIMIT $1)`, few)

	reads := func(table, filter string, page func(ctx context.Context) int) (found int) {
		require.NoError(t, b.db.WithinTx(t.Context(), func(ctx context.Context) error {
			before, err := b.db.RowsRead(ctx, table)
			require.NoError(t, err)
			found = page(ctx)
			after, err := b.db.RowsRead(ctx, table)
			require.NoError(t, err)
			require.Less(t, after-before, 100, filter)
			return nil
		}))
		return found
	}
	for _, analyzed := range []bool{false, true} {
		states := map[webhook.State]int{webhook.Exhausted: few, webhook.Cancelled: 0, webhook.Skipped: 0, webhook.Pending: 0}
		if analyzed {
			exec(`ANALYZE event, delivery`)
			states[webhook.Succeeded] = 20
		}
		for kind, want := range map[event.Type]int{event.LeadCreated: few, event.PostDeleted: 0} {
			require.Equal(t, want, reads("event", string(kind), func(ctx context.Context) int {
				page, err := b.events.List(ctx, b.ws.ID, postgres.EventFilter{Type: kind, Limit: 20})
				require.NoError(t, err)
				return len(page)
			}), kind)
		}
		types := map[event.Type]int{event.LeadCreated: few, event.PostDeleted: 0, "unknown": 0}
		if analyzed {
			types[event.PostFailed] = 20
		}
		for kind, want := range types {
			for _, table := range []string{"event", "delivery"} {
				require.Equal(t, want, reads(table, string(kind), func(ctx context.Context) int {
					page, err := b.deliveries.List(ctx, b.ws.ID, e.ID, postgres.DeliveryFilter{Type: kind, Limit: 20})
					require.NoError(t, err)
					return len(page)
				}), kind)
			}
		}
		for state, want := range states {
			require.Equal(t, want, reads("delivery", string(state), func(ctx context.Context) int {
				page, err := b.deliveries.List(ctx, b.ws.ID, e.ID, postgres.DeliveryFilter{State: state, Limit: 20})
				require.NoError(t, err)
				return len(page)
			}), state)
		}
	}
}
