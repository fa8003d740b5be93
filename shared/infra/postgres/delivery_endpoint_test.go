package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// twoSent returns two deliveries of one endpoint that workers are sending.
func (b *bundle) twoSent(t *testing.T) (webhook.Endpoint, []postgres.Dispatch) {
	t.Helper()
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	sent := b.sent(t, b.admit(t))
	require.Len(t, sent, 2)
	return e, sent
}

func gone() postgres.Verdict {
	return postgres.Verdict{State: webhook.Exhausted, Disable: webhook.ReasonGone}
}

// TestEndpointIsLockedBeforeDelivery stops the record of an attempt that changes the endpoint at the endpoint. It must not
// hold the delivery, for which a transaction that turns the endpoint off may wait.
func TestEndpointIsLockedBeforeDelivery(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]func(t *testing.T, b *bundle, d postgres.Dispatch) func() error{
		"an automatic attempt": func(t *testing.T, b *bundle, d postgres.Dispatch) func() error {
			t.Helper()
			return func() error { return b.record(d, 410, gone())(t.Context()) }
		},
		"a redelivery": func(t *testing.T, b *bundle, d postgres.Dispatch) func() error {
			t.Helper()
			requested := b.sent(t, []flow.DeliveryInput{b.redeliver(t, d.Input())})[0]
			return func() error { return b.record(requested, 410, gone())(t.Context()) }
		},
		"the express lane": func(t *testing.T, b *bundle, d postgres.Dispatch) func() error {
			t.Helper()
			postgrestest.Exec(t, b.address, `UPDATE webhook SET is_failing = true`)
			return func() error {
				_, _, err := b.deliveries.RecordDelivered(t.Context(), []postgres.Delivered{delivered(b, d)})
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			_, sent := b.twoSent(t)
			do := record(t, b, sent[0])
			release := postgrestest.Hold(t, b.address, `SELECT FROM webhook FOR NO KEY UPDATE`)
			ended := b.blocked(t, do)
			require.NoError(t, postgrestest.Try(t, b.address, `SELECT FROM delivery FOR UPDATE NOWAIT`))
			require.NoError(t, postgrestest.Try(t, b.address, `SELECT FROM redelivery FOR UPDATE NOWAIT`))
			release()
			require.NoError(t, <-ended)
		})
	}
}

// TestSucceedingDeliveryIsNotCanceled has an endpoint turned off while the success of one of its deliveries is recorded.
func TestSucceedingDeliveryIsNotCanceled(t *testing.T) {
	t.Parallel()
	for name, turnOff := range map[string]func(b *bundle, e webhook.Endpoint, other postgres.Dispatch) func(context.Context) error{
		"by an attempt": func(b *bundle, _ webhook.Endpoint, other postgres.Dispatch) func(context.Context) error {
			return b.record(other, 410, gone())
		},
		"by a person": func(b *bundle, e webhook.Endpoint, _ postgres.Dispatch) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := b.webhooks.Update(ctx, b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			e, sent := b.twoSent(t)
			commit := hold(t, b.db, b.record(sent[0], 200, succeeded()))
			ended := b.blocked(t, func() error { return turnOff(b, e, sent[1])(t.Context()) })
			commit()
			require.NoError(t, <-ended)
			got, err := b.deliveries.Get(t.Context(), b.ws.ID, e.ID, sent[0].Delivery.ID)
			require.NoError(t, err)
			require.Equal(t, webhook.Succeeded, got.State)
		})
	}
}
