package postgres_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// sent loads admitted deliveries, as workers do before sending them.
func (b *bundle) sent(t *testing.T, admitted []flow.DeliveryInput) []postgres.Dispatch {
	t.Helper()
	var all []postgres.Dispatch
	for _, in := range admitted {
		d, err := b.deliveries.Load(t.Context(), in)
		require.NoError(t, err)
		require.True(t, d.Due)
		all = append(all, d)
	}
	return all
}

// atOnce runs all functions concurrently and returns their errors.
func atOnce(do ...func(ctx context.Context) error) error {
	errs := make([]error, len(do))
	start := make(chan struct{})
	var work sync.WaitGroup
	for i, f := range do {
		work.Go(func() {
			<-start
			errs[i] = f(context.Background())
		})
	}
	close(start)
	work.Wait()
	return errors.Join(errs...)
}

func (b *bundle) record(d postgres.Dispatch, status int, v postgres.Verdict) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := b.deliveries.Record(ctx, d, webhook.Attempt{
			Trigger: webhook.Automatic, StartedAt: b.now, StatusCode: status,
		}, v)
		return err
	}
}

// TestNoDeadlocks checks that attempts that disable their endpoint, and changes, deletions and replays of it, lock
// its row before any delivery, and that they lock deliveries in the same order as records of the express lane, and before
// their redeliveries.
func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	gone := postgres.Verdict{State: webhook.Exhausted, Disable: webhook.ReasonGone}
	for round := range 25 {
		for range 3 * webhook.MaxInFlight {
			b.happens(t, b.ws.ID, event.PostFailed)
		}
		b.fanOut(t)
		dispatches := b.sent(t, b.admit(t))
		require.Len(t, dispatches, webhook.MaxInFlight)
		again := b.sent(t, []flow.DeliveryInput{b.redeliver(t, dispatches[3].Input())})[0]
		r := b.running(t, e.ID)
		work := []func(ctx context.Context) error{
			func(ctx context.Context) error {
				_, err := b.webhooks.Update(ctx, b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
				return err
			},
			func(ctx context.Context) error {
				_, _, err := b.deliveries.ContinueReplay(ctx, r.ID, 1000)
				return err
			},
		}
		dispatches, express := dispatches[:2], dispatches[2:]
		for _, d := range dispatches {
			work = append(work, b.record(d, 410, gone))
		}
		work = append(work, func(ctx context.Context) error {
			_, _, err := b.deliveries.RecordDelivered(ctx, []postgres.Delivered{
				{Express: postgres.Express{Dispatch: express[1]}, Attempt: webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now}},
				{Express: postgres.Express{Dispatch: express[0]}, Attempt: webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now}},
			})
			return err
		}, b.record(again, 200, succeeded()))
		require.NoError(t, atOnce(work...), "round %d", round)
		_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(true)})
		require.NoError(t, err)
		for _, d := range dispatches {
			attempts, err := b.deliveries.Attempts(t.Context(), d.Delivery.ID, math.MaxInt32)
			require.NoError(t, err)
			require.Len(t, attempts, 1, "what was sent is in the log, whatever happened meanwhile")
		}
		for _, d := range express { // their records were left out if they were canceled before
			require.NoError(t, b.deliveries.GiveBack(t.Context(), d.Input()))
		}
	}
}

// TestDeliveriesAreLockedInOrder stops each statement that changes several deliveries of an endpoint at the first of them. It
// must not hold another one, or a redelivery, for which a transaction that holds the first one may wait.
func TestDeliveriesAreLockedInOrder(t *testing.T) {
	t.Parallel()
	type work = func(b *bundle, e ident.Webhook) func() error
	for name, prepare := range map[string]work{
		"disable": func(b *bundle, e ident.Webhook) func() error {
			return func() error {
				_, err := b.webhooks.Update(t.Context(), b.ws.ID, e, webhook.Change{IsActive: new(false)})
				return err
			}
		},
		"delete": func(b *bundle, e ident.Webhook) func() error {
			return func() error { return b.webhooks.Delete(t.Context(), b.ws.ID, e) }
		},
		"gone": func(b *bundle, e ident.Webhook) func() error {
			b.happens(t, b.ws.ID, event.PostPublished)
			b.fanOut(t)
			postgrestest.Exec(t, b.address, `UPDATE delivery SET lane = 0 WHERE event_id =
				(SELECT id FROM event WHERE type = 'post.published')`)
			d := b.sent(t, b.admit(t))[0]
			return func() error {
				return b.record(d, 410, postgres.Verdict{State: webhook.Exhausted, Disable: webhook.ReasonGone})(t.Context())
			}
		},
		"replay": func(b *bundle, e ident.Webhook) func() error {
			postgrestest.Exec(t, b.address, `UPDATE delivery SET state = 'FAILED', lane = NULL, completed_at = now()`)
			postgrestest.Exec(t, b.address, `UPDATE event SET seq = 1000 - seq`)
			r := b.running(t, e)
			return func() error {
				_, _, err := b.deliveries.ContinueReplay(t.Context(), r.ID, 1000)
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			e := b.endpoint(t, b.ws.ID, "*")
			for range 5 {
				b.happens(t, b.ws.ID, event.PostFailed)
			}
			b.fanOut(t)
			do := prepare(b, e.ID)
			ids := postgrestest.Column(t, b.address, `SELECT d.id FROM delivery d JOIN event e ON e.id = d.event_id
				WHERE e.type = 'post.failed' AND d.next_attempt_at IS NULL ORDER BY d.id`)
			for _, id := range slices.Backward(ids) { // in the table, the last one is the first
				postgrestest.Exec(t, b.address, `UPDATE delivery SET attempts = attempts WHERE id = $1`, id)
			}
			last, err := ident.Parse[ident.Delivery](ids[len(ids)-1])
			require.NoError(t, err)
			_, err = b.deliveries.Redeliver(t.Context(), b.ws.ID, e.ID, last)
			require.NoError(t, err)
			release := postgrestest.Hold(t, b.address, `SELECT FROM delivery WHERE id = $1 FOR UPDATE`, ids[0])
			ended := b.blocked(t, do)
			require.NoError(t, postgrestest.Try(t, b.address,
				`SELECT FROM delivery WHERE id = ANY(CAST($1 AS uuid[])) FOR UPDATE NOWAIT`, "{"+strings.Join(ids[1:], ",")+"}"))
			require.NoError(t, postgrestest.Try(t, b.address, `SELECT FROM redelivery FOR UPDATE NOWAIT`))
			release()
			require.NoError(t, <-ended)
		})
	}
}

// TestRedeliveryIsLockedAfterItsDelivery stops the record of a redelivery at its delivery, as a transaction that turns the
// endpoint off does.
func TestRedeliveryIsLockedAfterItsDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	b.attempt(t, in, exhausted())
	d := b.sent(t, []flow.DeliveryInput{b.redeliver(t, in)})[0]
	release := postgrestest.Hold(t, b.address, `SELECT FROM delivery WHERE id = $1 FOR UPDATE`, in.DeliveryID.String())
	ended := b.blocked(t, func() error { return b.record(d, 200, succeeded())(t.Context()) })
	require.NoError(t, postgrestest.Try(t, b.address, `SELECT FROM redelivery FOR UPDATE NOWAIT`))
	release()
	require.NoError(t, <-ended)
	require.Equal(t, []string{"DONE"}, postgrestest.Column(t, b.address, `SELECT state FROM redelivery`))
}

// running returns a running replay of all events.
func (b *bundle) running(t *testing.T, e ident.Webhook) webhook.Replay {
	t.Helper()
	r := webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: b.ws.ID, WebhookID: e, Since: b.now.Add(-time.Hour),
		Until: b.now.Add(time.Hour),
		State: webhook.ReplayRunning, CreatedAt: b.now,
	}
	require.NoError(t, b.deliveries.StartReplay(t.Context(), r))
	b.messages(t)
	return r
}

func TestResultCountsAfterEndpointWasDisabled(t *testing.T) {
	t.Parallel()
	for _, verdict := range []postgres.Verdict{succeeded(), failed(time.Hour), exhausted()} {
		t.Run(string(verdict.State), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			e := b.endpoint(t, b.ws.ID, "*")
			b.happens(t, b.ws.ID, event.PostFailed)
			b.fanOut(t)
			d := b.sent(t, b.admit(t))[0]
			_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
			require.NoError(t, err)
			for _, first := range []bool{true, false} {
				recorded, err := b.deliveries.Record(t.Context(), d, webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now},
					verdict)
				require.NoError(t, err)
				require.Equal(t, first, recorded)
			}
			got, err := b.deliveries.Get(t.Context(), b.ws.ID, e.ID, d.Delivery.ID)
			require.NoError(t, err)
			want := webhook.Cancelled
			if verdict.State == webhook.Succeeded {
				want = webhook.Succeeded
			}
			require.Equal(t, want, got.State)
			require.Equal(t, 1, got.Attempts)
			endpoint, err := b.webhooks.Get(t.Context(), b.ws.ID, e.ID)
			require.NoError(t, err)
			require.Zero(t, endpoint.ConsecutiveFailures)
		})
	}
}

// TestRunKeepsPlaceOfNextRun covers a delivery that was canceled while waiting, enabled again and
// replayed, and has two workflows for a while.
func TestRunKeepsPlaceOfNextRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	before := b.admit(t)[0]
	b.attempt(t, before, failed(time.Hour))
	for _, active := range []bool{false, true} {
		_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: &active})
		require.NoError(t, err)
	}
	require.Equal(t, 1, b.replay(t, e.ID, b.now.Add(-time.Hour), b.now.Add(time.Hour), true))
	again := b.admit(t)[0]
	stale, err := b.deliveries.Load(t.Context(), before)
	require.NoError(t, err)
	require.False(t, stale.Due)
	require.False(t, stale.Placed)
	require.NoError(t, b.deliveries.GiveBack(t.Context(), before))
	require.NoError(t, b.deliveries.Cancel(t.Context(), before))
	require.NoError(t, b.deliveries.Requeue(t.Context(), before))
	d, err := b.deliveries.Load(t.Context(), again)
	require.NoError(t, err)
	require.True(t, d.Due)
	require.True(t, d.Placed)
}

func TestLongQueueLeavesPlaceForRedelivery(t *testing.T) {
	t.Parallel()
	for _, failing := range []bool{false, true} {
		t.Run("failing "+strconv.FormatBool(failing), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.endpoint(t, b.ws.ID, "*")
			for range 5 * webhook.MaxInFlight {
				b.happens(t, b.ws.ID, event.PostFailed)
			}
			b.fanOut(t)
			admitted := b.admit(t)
			_, err := b.deliveries.Redeliver(t.Context(), b.ws.ID, admitted[0].WebhookID, admitted[0].DeliveryID)
			require.NoError(t, err)
			requested := inputOf[flow.DeliveryInput](t, b.messages(t)[0])
			placed, err := b.deliveries.TakePlace(t.Context(), requested)
			require.NoError(t, err)
			require.False(t, placed)
			for _, in := range admitted {
				b.attempt(t, in, map[bool]postgres.Verdict{false: succeeded(), true: failed(time.Hour)}[failing])
			}
			require.Len(t, b.admit(t), map[bool]int{false: webhook.MaxInFlight - 1, true: 0}[failing])
			placed, err = b.deliveries.TakePlace(t.Context(), requested)
			require.NoError(t, err)
			require.True(t, placed)
			b.attempt(t, requested, succeeded())
			require.NotEmpty(t, b.admit(t), "the line goes on")
		})
	}
}

func TestExpiringPlaceIsExtended(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	postgrestest.Exec(t, b.address,
		`UPDATE webhook_place SET held_until = now() + interval '10 seconds' WHERE held_by IS NOT NULL`)
	d, err := b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	require.False(t, d.Placed, "it would end while the request is under way")
	placed, err := b.deliveries.TakePlace(t.Context(), in)
	require.NoError(t, err)
	require.True(t, placed)
	d, err = b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	require.True(t, d.Placed)
}

func TestSweepSkipsDeliveriesWithPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range webhook.MaxInFlight {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	admitted := b.admit(t)
	long := func(what string) {
		postgrestest.Exec(t, b.address,
			`UPDATE delivery SET next_attempt_at = now() - interval '1 hour' WHERE next_attempt_at IS NOT NULL`)
		postgrestest.Exec(t, b.address, what)
	}
	sweep := func() int {
		n, err := b.outbox.EnqueueOverdue(t.Context(), 15*time.Second, 100)
		require.NoError(t, err)
		require.Len(t, b.messages(t), n)
		return n
	}
	b.attempt(t, admitted[0], failed(0))
	b.attempt(t, admitted[1], failed(time.Hour))
	long(`UPDATE delivery SET next_attempt_at = now() + interval '1 hour' WHERE id = '` + admitted[1].DeliveryID.String() +
		`'`)
	require.Equal(t, 1, sweep(), "the one whose retry is late; two are under way, one is not due")
	require.Zero(t, sweep(), "it was found a moment ago")
	long(`UPDATE webhook_place SET held_until = now() - interval '1 second' WHERE webhook_id = '` + e.ID.String() + `'`)
	require.Equal(t, webhook.MaxInFlight, sweep(), "their places were lost")
}
