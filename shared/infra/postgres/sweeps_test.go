package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// sweep is a statement that takes a batch of rows, and how a test makes two rows for it.
type sweep struct {
	prepare func(t *testing.T, b *bundle)
	table   string
	run     func(ctx context.Context, db *postgres.DB) (int, error)
}

// TestSweepsSkipLockedRows makes two rows for each sweep and locks one of them in another transaction. The sweep must take the
// other row and must not wait.
func TestSweepsSkipLockedRows(t *testing.T) {
	t.Parallel()
	for name, s := range sweeps(keyring(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s.prepare(t, b)
			release := postgrestest.Hold(t, b.address,
				`SELECT FROM `+s.table+` WHERE ctid = (SELECT min(ctid) FROM `+s.table+`) FOR UPDATE`)
			impatient := b.impatient(t, 200*time.Millisecond)
			n, err := s.run(t.Context(), impatient)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			release()
			n, err = s.run(t.Context(), impatient)
			require.NoError(t, err)
			require.Equal(t, 1, n)
		})
	}
}

func sweeps(box *secretbox.Keyring) map[string]sweep {
	return map[string]sweep{
		"old events": {oldEvents, "event", func(ctx context.Context, db *postgres.DB) (int, error) {
			return postgres.NewEvents(db).Prune(ctx, -time.Minute, 10)
		}},
		"old requests": {oldRequests, "request_log", pruneRequests},
		"ended imports": {endedImports, "media_import", func(ctx context.Context, db *postgres.DB) (int, error) {
			return postgres.NewImports(db, nil).Prune(ctx, time.Hour, 10)
		}},
		"late uploads": {lateUploads, "media_upload", func(ctx context.Context, db *postgres.DB) (int, error) {
			return postgres.NewUploads(db).Expire(ctx, 10)
		}},
		"full buckets": {
			fullBuckets, "rate_bucket",
			func(ctx context.Context, db *postgres.DB) (int, error) { return postgres.NewRateLimits(db).Prune(ctx) },
		},
		"channel days": {oldChannelDays, "channel_insight", pruneInsights},
		"post days":    {oldPostDays, "post_insight", pruneInsights},
		"schedules": {surplusSchedules, "insight_schedule", func(ctx context.Context, db *postgres.DB) (int, error) {
			return postgres.NewInsights(db).EnqueueSchedules(ctx, time.Hour, 10)
		}},
		"lines":                            {waitingInLine, "delivery", admitOnce},
		"places":                           {waitingForOnePlace, "webhook_place", admitOnce},
		"messages":                         {urgentMessages, "outbox", batchOnce(postgres.LaneUrgent)},
		"delayed messages":                 {delayedMessages, "outbox", batchOnce(postgres.LaneUrgent)},
		"due messages of the patient lane": {dueMessages, "outbox", batchOnce(postgres.LaneUrgent)},
		"patient messages":                 {patientMessages, "outbox", batchOnce(postgres.LanePatient)},
		"deliveries of an express lane that ended":  {endedLeases, "outbox", batchOnce(postgres.LaneDeliveries)},
		"deliveries for an express lane that ended": {reservedDeliveries, "outbox", batchOnce(postgres.LaneDeliveries)},
		"deliveries for the express lane": {
			reservedDeliveries, "outbox",
			func(ctx context.Context, db *postgres.DB) (int, error) {
				claimed, err := postgres.NewDeliveries(db, box).Claim(ctx, retry.Turn{Limit: 10, Share: 10})
				return len(claimed), err
			},
		},
		"deliveries that Temporal has not taken":   {untakenDeliveries, "outbox", reserveOnce},
		"deliveries that an express lane has lost": {endedLeases, "outbox", reserveOnce},
		"posts within the horizon": {nearPosts, "post", func(ctx context.Context, db *postgres.DB) (int, error) {
			return postgres.NewOutbox(db).EnqueueNear(ctx, 10)
		}},
		"leftovers": {leftovers, "publish_attempt", func(ctx context.Context, db *postgres.DB) (int, error) {
			taken, err := postgres.NewLeftovers(db, box).Claim(ctx, retry.Turn{Limit: 10, Share: 10}, time.Hour, 24*time.Hour)
			return len(taken), err
		}},
		"posts":            {latePosts, "post", overdue},
		"deliveries":       {lateDeliveries, "delivery", overdue},
		"redeliveries":     {lateRedeliveries, "redelivery", overdue},
		"replays":          {lateReplays, "webhook_replay", overdue},
		"mails":            {lateMails, "mail", overdue},
		"all deliveries":   {lateDeliveries, "delivery", enqueueAll},
		"all redeliveries": {lateRedeliveries, "redelivery", enqueueAll},
		"all replays":      {lateReplays, "webhook_replay", enqueueAll},
		"all mails":        {lateMails, "mail", enqueueAll},
	}
}

func pruneInsights(ctx context.Context, db *postgres.DB) (int, error) {
	return postgres.NewInsights(db).Prune(ctx, 24*time.Hour, 10)
}

func overdue(ctx context.Context, db *postgres.DB) (int, error) {
	return postgres.NewOutbox(db).EnqueueOverdue(ctx, time.Minute, 10)
}

func admitOnce(ctx context.Context, db *postgres.DB) (int, error) {
	return postgres.NewDeliveries(db, nil).Admit(ctx)
}

func enqueueAll(ctx context.Context, db *postgres.DB) (int, error) {
	return postgres.NewOutbox(db).EnqueueAll(ctx)
}

func reserveOnce(ctx context.Context, db *postgres.DB) (int, error) {
	return postgres.NewDeliveries(db, nil).Reserve(ctx)
}

func batchOnce(lane postgres.Lane) func(ctx context.Context, db *postgres.DB) (int, error) {
	return func(ctx context.Context, db *postgres.DB) (int, error) {
		return postgres.NewOutbox(db).Batch(ctx, lane, 8,
			func(messages []postgres.Message) (done []int64, _ map[int64]postgres.Retry) {
				for _, m := range messages {
					done = append(done, m.ID)
				}
				return done, nil
			})
	}
}

func oldEvents(t *testing.T, b *bundle) {
	t.Helper()
	b.happens(t, b.ws.ID, event.PostFailed)
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
}

func endedImports(t *testing.T, b *bundle) {
	t.Helper()
	for range 2 {
		require.NoError(t, b.imports(t).Fail(t.Context(), b.ws.ID, b.begin(t, nil).ID, apperr.ImportFailed, "no"))
	}
	postgrestest.Exec(t, b.address,
		`UPDATE media_import SET created_at = created_at - interval '1 day', deadline = deadline - interval '1 day',
		finished_at = finished_at - interval '1 day'`)
}

func lateUploads(t *testing.T, b *bundle) {
	t.Helper()
	b.upload(t, 10)
	b.upload(t, 10)
	postgrestest.Exec(t, b.address, `UPDATE media_upload SET expires_at = now() - interval '1 day'`)
}

func fullBuckets(t *testing.T, b *bundle) {
	t.Helper()
	for _, subject := range []string{"one", "two"} {
		_, err := postgres.NewRateLimits(b.db).Lease(t.Context(), subject, ratelimit.Limit{PerMinute: 1, Burst: 1}, 1)
		require.NoError(t, err)
	}
	postgrestest.Exec(t, b.address, `UPDATE rate_bucket SET at = at - interval '1 day'`)
}

func oldChannelDays(t *testing.T, b *bundle) {
	t.Helper()
	today := analytics.DateOf(b.now)
	days := []analytics.ChannelDay{{Date: today.Add(-9), CollectedAt: b.now}, {Date: today.Add(-10), CollectedAt: b.now}}
	require.NoError(t, b.insights().SaveChannel(t.Context(), b.ch.ID, days, today))
}

func oldPostDays(t *testing.T, b *bundle) {
	t.Helper()
	p := b.published(t, b.ch.ID, b.now)
	for _, ago := range []int{9, 10} {
		day := analytics.PostDay{Date: analytics.DateOf(b.now).Add(-ago), CollectedAt: b.now}
		require.NoError(t, b.insights().SavePosts(t.Context(), b.ch.ID, map[ident.Post]analytics.PostDay{p.ID: day}))
	}
}

// surplusSchedules has the schedules of two channels removed.
func surplusSchedules(t *testing.T, b *bundle) {
	t.Helper()
	b.another(t)
	n, err := b.insights().EnqueueSchedules(t.Context(), time.Hour, 10)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	postgrestest.Exec(t, b.address, `UPDATE channel SET is_connected = false`)
}

func waitingInLine(t *testing.T, b *bundle) {
	t.Helper()
	b.endpoint(t, b.ws.ID, "*")
	oldEvents(t, b)
}

// waitingForOnePlace has a delivery wait for each of two failing endpoints, which have one place each.
func waitingForOnePlace(t *testing.T, b *bundle) {
	t.Helper()
	b.endpoint(t, b.ws.ID, "*")
	b.endpoint(t, b.ws.ID, "*")
	postgrestest.Exec(t, b.address, `UPDATE webhook SET is_failing = true`)
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
}

func urgentMessages(t *testing.T, b *bundle) {
	t.Helper()
	b.scheduled(t)
	b.scheduled(t)
}

func delayedMessages(t *testing.T, b *bundle) {
	t.Helper()
	urgentMessages(t, b)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET not_before = now() - interval '1 second'`)
}

func patientMessages(t *testing.T, b *bundle) {
	t.Helper()
	b.scheduledAt(t, b.now.Add(time.Hour))
	b.scheduledAt(t, b.now.Add(time.Hour))
}

// dueMessages are in the patient lane, and have become due.
func dueMessages(t *testing.T, b *bundle) {
	t.Helper()
	patientMessages(t, b)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET due_at = now()`)
}

// untakenDeliveries were admitted an hour ago.
func untakenDeliveries(t *testing.T, b *bundle) {
	t.Helper()
	waitingInLine(t, b)
	n, err := b.deliveries.Admit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET created_at = now() - interval '1 hour'`)
}

func reservedDeliveries(t *testing.T, b *bundle) {
	t.Helper()
	untakenDeliveries(t, b)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET lane = 2`)
}

// endedLeases are deliveries that a dead process leased.
func endedLeases(t *testing.T, b *bundle) {
	t.Helper()
	untakenDeliveries(t, b)
	postgrestest.Exec(t, b.address, `UPDATE outbox SET lane = 3, not_before = now() - interval '1 hour'`)
}

// nearPosts were beyond the horizon when they were scheduled.
func nearPosts(t *testing.T, b *bundle) {
	t.Helper()
	for range 2 {
		b.scheduledAt(t, b.now.Add(postgres.DefaultHorizon+time.Hour))
	}
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = now() + interval '1 hour'`)
}

func latePosts(t *testing.T, b *bundle) {
	t.Helper()
	urgentMessages(t, b)
	b.messages(t)
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = now() - interval '1 hour', updated_at = now() - interval '1 hour'`)
}

func leftovers(t *testing.T, b *bundle) {
	t.Helper()
	b.published(t, b.ch.ID, b.now)
	b.published(t, b.ch.ID, b.now)
	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET state = 'REJECTED', discard_after = now()`)
}

func lateMails(t *testing.T, b *bundle) {
	t.Helper()
	for range 2 {
		m := mail.New(mail.PasswordReset, ident.Workspace{}, mail.Content{To: "a@example.com"}, b.now, time.Time{})
		require.NoError(t, b.mails(t).Enqueue(t.Context(), m))
	}
	b.messages(t)
	postgrestest.Exec(t, b.address, `UPDATE mail SET next_at = now() - interval '1 hour'`)
}

func lateDeliveries(t *testing.T, b *bundle) {
	t.Helper()
	b.endpoint(t, b.ws.ID, "*")
	oldEvents(t, b)
	require.Len(t, b.admit(t), 2)
	postgrestest.Exec(t, b.address, `UPDATE delivery SET next_attempt_at = now() - interval '1 hour'`)
	postgrestest.Exec(t, b.address, `UPDATE webhook_place SET held_by = NULL, held_until = '-infinity'`)
}

func lateRedeliveries(t *testing.T, b *bundle) {
	t.Helper()
	b.endpoint(t, b.ws.ID, "*")
	oldEvents(t, b)
	for _, in := range b.admit(t) {
		b.redeliver(t, in)
	}
	postgrestest.Exec(t, b.address, `UPDATE redelivery SET heard_at = now() - interval '1 hour'`)
	postgrestest.Exec(t, b.address, `UPDATE delivery SET state = 'FAILED', completed_at = now()`)
}

func lateReplays(t *testing.T, b *bundle) {
	t.Helper()
	for range 2 {
		b.running(t, b.endpoint(t, b.ws.ID, "*").ID)
	}
	postgrestest.Exec(t, b.address, `UPDATE webhook_replay SET heard_at = now() - interval '1 hour'`)
}
