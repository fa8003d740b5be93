package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/ident"
)

// TestExpressLaneSharesBetweenWorkspaces reserves two deliveries of each of two workspaces, those of the first one an hour
// earlier. Each workspace has a share of one.
func TestExpressLaneSharesBetweenWorkspaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspaces := []ident.Workspace{b.ws.ID, b.tenant(t).ID}
	for _, id := range workspaces {
		b.endpoint(t, id, "*")
		b.happens(t, id, event.PostFailed)
		b.happens(t, id, event.PostFailed)
	}
	b.fanOut(t)
	n, err := b.deliveries.Admit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET lane = 2`)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET due_at = due_at - interval '1 hour' WHERE workspace_id = $1`,
		b.ws.ID.String())
	claimed, err := b.deliveries.Claim(t.Context(), retry.Turn{Limit: 10, Share: 1})
	require.NoError(t, err)
	var owners []ident.Workspace
	for _, d := range claimed {
		require.NoError(t, d.Sealed)
		owners = append(owners, d.Delivery.WorkspaceID)
	}
	require.ElementsMatch(t, workspaces, owners)
}

// TestExpressLaneSkipsDeliveryBeingRecorded covers a lease that ended during the request, so that a workflow made
// the same attempt.
func TestExpressLaneSkipsDeliveryBeingRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	d := b.sent(t, b.admit(t))[0]
	delivered := []postgres.Delivered{delivered(b, d)}
	commit := hold(t, b.db, func(ctx context.Context) error { return b.record(d, 200, succeeded())(ctx) })
	var recorded, remaining []postgres.Delivered
	second := b.blocked(t, func() (err error) {
		recorded, remaining, err = b.deliveries.RecordDelivered(t.Context(), delivered)
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.Empty(t, recorded)
	require.Equal(t, delivered, remaining)
	got, err := b.deliveries.Get(t.Context(), b.ws.ID, d.Delivery.WebhookID, d.Delivery.ID)
	require.NoError(t, err)
	require.Equal(t, 1, got.Attempts)
}

// delivered returns the success of an attempt by the express lane.
func delivered(b *bundle, d postgres.Dispatch) postgres.Delivered {
	return postgres.Delivered{
		Express: postgres.Express{Dispatch: d}, Attempt: webhook.Attempt{
			Trigger: webhook.Automatic, StartedAt: b.now, StatusCode: 200,
		},
	}
}
