package postgres_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

func keyring(t *testing.T) *secretbox.Keyring {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	return box
}

func (b *bundle) endpoint(t *testing.T, ws ident.Workspace, events ...string) webhook.Endpoint {
	t.Helper()
	e := webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: ws, URL: "https://receiver.test/", Events: events, IsActive: true,
		CreatedAt: b.now.Add(-time.Minute), UpdatedAt: b.now,
	}
	require.NoError(t, postgres.NewWebhooks(b.db, keyring(t)).Insert(t.Context(), e, "whsec_x"))
	return e
}

func (b *bundle) happens(t *testing.T, ws ident.Workspace, typ event.Type) {
	t.Helper()
	e, err := event.New(ws, typ, b.now, event.PostData{})
	require.NoError(t, err)
	require.NoError(t, b.events.Insert(t.Context(), e, ident.Webhook{}))
}

// lanes returns all lanes, deliveries after the urgent ones.
func lanes() []postgres.Lane {
	return []postgres.Lane{postgres.LaneUrgent, postgres.LaneFirst, postgres.LaneDeliveries, postgres.LanePatient}
}

// messages takes all ready messages out of the outbox.
func (b *bundle) messages(t *testing.T) []postgres.Message {
	t.Helper()
	var all []postgres.Message
	for _, lane := range lanes() {
		_, err := b.outbox.Batch(t.Context(), lane, 10_000,
			func(messages []postgres.Message) (done []int64, failed map[int64]postgres.Retry) {
				for _, m := range messages {
					all, done = append(all, m), append(done, m.ID)
				}
				return done, nil
			})
		require.NoError(t, err)
	}
	return all
}

func TestConcurrentFanOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Other", Plan: workspace.Free, Timezone: "UTC", CreatedAt: b.now,
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), second))
	endpoints := []webhook.Endpoint{
		b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, string(event.PostFailed)),
		b.endpoint(t, second.ID, string(event.PostPublished)),
	}
	const events = 150
	for range events {
		b.happens(t, b.ws.ID, event.PostFailed)
		b.happens(t, second.ID, event.PostPublished)
	}
	var relays sync.WaitGroup
	counts := make([]int, 4)
	for i := range counts {
		relays.Go(func() {
			for {
				n, _, err := b.events.FanOut(t.Context(), 20)
				counts[i] += n
				if err != nil || n == 0 {
					return
				}
			}
		})
	}
	relays.Wait()
	for { // events that a relay skipped because another one held them
		n, _, err := b.events.FanOut(t.Context(), 1000)
		require.NoError(t, err)
		if n == 0 {
			break
		}
		counts[0] += n
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Equal(t, 2*events, total)
	waiting := 0
	for _, e := range endpoints {
		n, err := b.deliveries.Waiting(t.Context(), e.ID)
		require.NoError(t, err)
		waiting += n
	}
	require.Equal(t, 3*events, waiting)
	for _, ws := range []ident.Workspace{b.ws.ID, second.ID} {
		first, last, count, err := b.events.Sequence(t.Context(), ws)
		require.NoError(t, err)
		require.Equal(t, []int64{1, events, events}, []int64{first, last, count})
	}
}

// TestFanOutKeepsWorkspacesApart fans out one batch with the events of two workspaces, and of a third one later.
func TestFanOutKeepsWorkspacesApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, idle := b.tenant(t), b.tenant(t)
	ours, theirs := b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, other.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	for range 3 {
		b.happens(t, other.ID, event.PostFailed)
	}
	handled, queued, err := b.events.FanOut(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []int{4, 4}, []int{handled, queued})
	b.happens(t, idle.ID, event.PostFailed)
	b.fanOut(t)
	for of, want := range map[ident.Workspace]int64{b.ws.ID: 1, other.ID: 3, idle.ID: 1} {
		first, last, count, err := b.events.Sequence(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, []int64{1, want, want}, []int64{first, last, count})
	}
	for of, want := range map[ident.Webhook]int{ours.ID: 1, theirs.ID: 3} {
		waiting, err := b.deliveries.Waiting(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, want, waiting)
	}
}

// TestFanOutLocksSequencesInOrder stops a relay at each of the workspaces: it must not hold a later one, for which a second relay
// that holds the earlier one may wait.
func TestFanOutLocksSequencesInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const others = 5
	workspaces := []ident.Workspace{b.ws.ID}
	for range others {
		workspaces = append(workspaces, b.tenant(t).ID)
	}
	ordered := postgrestest.Column(t, b.address, `SELECT workspace_id FROM event_sequence ORDER BY workspace_id`)
	for _, id := range slices.Backward(ordered) { // in the table, the last one is the first
		postgrestest.Exec(t, b.address, `UPDATE event_sequence SET last = last WHERE workspace_id = $1`, id)
	}
	for _, at := range ordered {
		for _, id := range workspaces {
			b.happens(t, id, event.PostFailed)
		}
		release := postgrestest.Hold(t, b.address, `SELECT FROM event_sequence WHERE workspace_id = $1 FOR UPDATE`, at)
		var handled int
		ended := b.blocked(t, func() (err error) {
			handled, _, err = b.events.FanOut(t.Context(), 10)
			return err
		})
		require.NoError(t, postgrestest.Try(t, b.address,
			`SELECT FROM event_sequence WHERE workspace_id > $1 FOR UPDATE NOWAIT`, at))
		release()
		require.NoError(t, <-ended)
		require.Equal(t, 1+others, handled)
	}
}

// TestRepeatedFanOutDeliversOnce takes the number of an event away, as if it were new.
func TestRepeatedFanOutDeliversOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range 2 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	postgrestest.Exec(t, b.address, `UPDATE event SET seq = NULL`)
	handled, queued, err := b.events.FanOut(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []int{2, 0}, []int{handled, queued})
	require.Len(t, b.states(t, e.ID), 2)
}

func TestFanOutRespectsSubscriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, string(event.PostPublished))
	late := b.endpoint(t, b.ws.ID, "*")
	newer, ahead := b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, "*")
	postgrestest.Exec(t, b.address, `UPDATE webhook SET created_at = $1 WHERE id = $2`, b.now.Add(6*time.Second), newer.ID)
	postgrestest.Exec(t, b.address, `UPDATE webhook SET created_at = $1 WHERE id = $2`, b.now.Add(4*time.Second), ahead.ID)
	gone := b.endpoint(t, b.ws.ID, "*")
	require.NoError(t, postgres.NewWebhooks(b.db, keyring(t)).Delete(t.Context(), b.ws.ID, gone.ID))
	b.happens(t, b.ws.ID, event.PostFailed)
	test, err := event.New(b.ws.ID, event.WebhookTest, b.now, event.WebhookTestData{WebhookID: late.ID})
	require.NoError(t, err)
	require.NoError(t, b.events.Insert(t.Context(), test, late.ID))
	n, _, err := b.events.FanOut(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	admitted, err := b.deliveries.Admit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, admitted)
	messages := b.messages(t)
	counts := make(map[ident.Webhook]int)
	for _, m := range messages {
		counts[inputOf[flow.DeliveryInput](t, m).WebhookID]++
		require.Equal(t, byte('7'), inputOf[flow.DeliveryInput](t, m).DeliveryID.String()[14])
	}
	require.Equal(t, map[ident.Webhook]int{late.ID: 2, ahead.ID: 1}, counts)
}

func TestOutboxDeliversMessageOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled(t)
	inside := make(chan struct{})
	release := make(chan struct{})
	go func() {
		_, _ = b.outbox.Batch(t.Context(), postgres.LaneUrgent, 10,
			func(m []postgres.Message) ([]int64, map[int64]postgres.Retry) {
				close(inside)
				<-release
				return nil, map[int64]postgres.Retry{m[0].ID: {After: time.Hour, Cause: "refused"}}
			})
	}()
	<-inside
	require.Empty(t, b.messages(t)) // the other relay holds it
	close(release)
	require.Eventually(t, func() bool {
		depth, err := b.outbox.Depth(t.Context())
		return err == nil && depth.Due == 1
	}, 5*time.Second, 10*time.Millisecond)
	require.Empty(t, b.messages(t)) // it is ready again in an hour
}

// TestSuspendedRelayLosesBatch stops a relay in the middle of a batch, as a frozen process: another relay gets the
// messages, and the first one changes nothing when it goes on.
func TestSuspendedRelayLosesBatch(t *testing.T) {
	t.Parallel()
	for name, lane := range map[string]postgres.Lane{"urgent": postgres.LaneUrgent, "patient": postgres.LanePatient} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.scheduled(t)
			postgrestest.Exec(t, b.address, `UPDATE outbox SET lane = $1`, int(lane))
			outbox := postgres.NewOutbox(b.db)
			outbox.SetIdle(200 * time.Millisecond)
			inside, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				_, err := outbox.Batch(t.Context(), lane, 10,
					func(m []postgres.Message) ([]int64, map[int64]postgres.Retry) {
						close(inside)
						<-release
						return []int64{m[0].ID}, nil
					})
				ended <- err
			}()
			<-inside
			require.Eventually(t, func() bool {
				taken, err := b.outbox.Batch(t.Context(), lane, 10,
					func([]postgres.Message) ([]int64, map[int64]postgres.Retry) { return nil, nil })
				return err == nil && taken == 1
			}, 10*time.Second, 50*time.Millisecond)
			close(release)
			require.True(t, postgres.IsUnavailable(<-ended))
			require.Len(t, b.messages(t), 1)
		})
	}
}

// TestBatchTimeoutIsLimitedToTransaction checks that a connection may idle in a transaction again after a batch.
func TestBatchTimeoutIsLimitedToTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled(t)
	db := b.program(t, b.address, "worker") // one connection
	taken, err := postgres.NewOutbox(db).Batch(t.Context(), postgres.LaneUrgent, 10,
		func([]postgres.Message) ([]int64, map[int64]postgres.Retry) { return nil, nil })
	require.NoError(t, err)
	require.Equal(t, 1, taken)
	limit, err := db.Setting(t.Context(), "idle_in_transaction_session_timeout")
	require.NoError(t, err)
	require.Equal(t, "0", limit)
}

func TestSweepFindsOverduePosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	messages := b.messages(t)
	require.Len(t, messages, 1)
	require.Equal(t, p.Revision, inputOf[postflow.Plan](t, messages[0]).Revision)
	n, err := b.outbox.EnqueueOverdue(t.Context(), time.Hour, 10)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = b.outbox.EnqueueOverdue(t.Context(), time.Millisecond, 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = b.outbox.EnqueueOverdue(t.Context(), time.Millisecond, 10)
	require.NoError(t, err)
	require.Zero(t, n, "it is in the outbox already")
	again := b.messages(t)
	require.Len(t, again, 1)
	require.True(t, again[0].Swept)
	require.Equal(t, inputOf[postflow.Plan](t, messages[0]).ScheduledAt.UTC(), inputOf[postflow.Plan](t, again[0]).ScheduledAt.UTC())
	// A post that waits for a reason is not enqueued.
	job, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	waits := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: b.now.Add(time.Hour)}, true, b.now, "waits")
	require.NoError(t, b.posts.Apply(t.Context(), waits))
	n, err = b.outbox.EnqueueOverdue(t.Context(), time.Millisecond, 10)
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestNewTemporalStoreIsDetected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled(t)
	b.messages(t)
	for _, c := range []struct {
		id      string
		changed bool
	}{{"one", false}, {"one", false}, {"two", true}, {"two", false}} {
		changed, err := b.outbox.SeenStore(t.Context(), "default", c.id)
		require.NoError(t, err)
		require.Equal(t, c.changed, changed)
	}
	require.Len(t, b.messages(t), 1)
}

func TestMigrationsAreReversible(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := postgres.NewMigrator(b.db)
	require.NoError(t, err)
	for {
		undone, err := m.Down(t.Context())
		require.NoError(t, err)
		if len(undone) == 0 {
			break
		}
	}
	require.ErrorIs(t, b.db.CheckSchema(t.Context()), postgres.ErrBehind)
	done, err := m.Up(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, done)
	require.NoError(t, b.db.CheckSchema(t.Context()))
}

// TestWorkspaceWithManyMessagesDelaysNoOther takes batches while one workspace has hundreds of messages: each batch has
// a share of every workspace, also if there are more workspaces than a batch has messages.
func TestWorkspaceWithManyMessagesDelaysNoOther(t *testing.T) {
	t.Parallel()
	t.Run("urgent", func(t *testing.T) { t.Parallel(); turns(t, postgres.LaneUrgent, "replay", 1) })
	t.Run("first", func(t *testing.T) { t.Parallel(); turns(t, postgres.LaneFirst, "delivery", 0) })
	t.Run("deliveries", func(t *testing.T) { t.Parallel(); turns(t, postgres.LaneDeliveries, "delivery", 1) })
}

func turns(t *testing.T, lane postgres.Lane, kind string, tries int) {
	t.Helper()
	b := setup(t)
	postgrestest.Exec(t, b.address, `INSERT INTO outbox (kind, tries, subject, workspace_id, payload)
		SELECT $1, $2, gen_random_uuid(), CAST(repeat(w, 8) || '-0000-4000-8000-000000000000' AS uuid),
			jsonb_build_object('workspaceId', repeat(w, 8) || '-0000-4000-8000-000000000000')
		FROM unnest(ARRAY['a', 'b', 'c', 'd', 'e']) AS w, generate_series(1, CASE WHEN w = 'c' THEN 300 ELSE 2 END)`, kind, tries)
	outbox := postgres.NewOutbox(b.db)
	take := func(limit int) map[string]int { return shares(t, outbox, lane, limit) }
	require.Equal(t, map[string]int{"a": 1, "b": 1}, take(2))
	require.Equal(t, map[string]int{"c": 1, "d": 1}, take(2), "it goes on after the last workspace")
	require.Equal(t, map[string]int{"e": 1, "a": 1}, take(2), "and begins again")
	require.Equal(t, map[string]int{"b": 1, "c": 20, "d": 1, "e": 1}, take(80))
	require.Equal(t, map[string]int{"c": 80}, take(80))
	require.Equal(t, map[string]int{"c": 80}, take(80))
}

// shares takes a batch and returns the number of its messages by workspace.
func shares(t *testing.T, outbox *postgres.Outbox, lane postgres.Lane, limit int) map[string]int {
	t.Helper()
	shares := make(map[string]int)
	_, err := outbox.Batch(t.Context(), lane, limit,
		func(messages []postgres.Message) (done []int64, _ map[int64]postgres.Retry) {
			for _, m := range messages {
				var workspace ident.Workspace
				if strings.HasSuffix(m.Kind, flow.KindDelivery) {
					workspace = inputOf[flow.DeliveryInput](t, m).WorkspaceID
				} else {
					workspace = inputOf[flow.ReplayInput](t, m).WorkspaceID
				}
				shares[workspace.String()[:1]]++
				done = append(done, m.ID)
			}
			return done, nil
		})
	require.NoError(t, err)
	return shares
}

// TestBatchWithoutMessagesPassesTurn takes batches while the messages of the first workspaces are sent later, or held by
// another relay.
func TestBatchWithoutMessagesPassesTurn(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		lane  postgres.Lane
		kind  string
		tries int
	}{
		"urgent": {postgres.LaneUrgent, "replay", 1}, "first": {postgres.LaneFirst, "delivery", 0},
		"deliveries": {postgres.LaneDeliveries, "delivery", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			postgrestest.Exec(t, b.address, `INSERT INTO outbox (kind, tries, subject, workspace_id, payload, not_before)
				SELECT $1, $2, gen_random_uuid(), CAST(w AS uuid), jsonb_build_object('workspaceId', w),
					CASE WHEN n <= 2 THEN now() + interval '1 hour' ELSE '-infinity' END
				FROM (SELECT repeat(l, 8) || '-0000-4000-8000-000000000000' AS w, n
					FROM unnest(ARRAY['a', 'b', 'c', 'd', 'e', 'f']) WITH ORDINALITY AS u(l, n)) x`, of.kind, of.tries)
			release := postgrestest.Hold(t, b.address,
				`SELECT FROM outbox WHERE CAST(workspace_id AS text) ~ '^[cd]' FOR UPDATE`)
			outbox := postgres.NewOutbox(b.db)
			require.Empty(t, shares(t, outbox, of.lane, 2), "a and b are sent later")
			require.Empty(t, shares(t, outbox, of.lane, 2), "another relay holds c and d")
			require.Equal(t, map[string]int{"e": 1, "f": 1}, shares(t, outbox, of.lane, 2))
			release()
			require.Empty(t, shares(t, outbox, of.lane, 2))
			require.Equal(t, map[string]int{"c": 1, "d": 1}, shares(t, outbox, of.lane, 2))
		})
	}
}

// TestPatientMessagesAreSentByDueTime checks the order of the patient lane, and that the urgent lane takes a message over
// once it is due.
func TestPatientMessagesAreSentByDueTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	postgrestest.Exec(t, b.address, `INSERT INTO outbox (kind, subject, payload, lane, due_at)
		SELECT 'delivery', gen_random_uuid(), jsonb_build_object('run', n), 1, now() + n * interval '1 hour' FROM unnest(ARRAY[3, 1, 2]) AS n`)
	runs := func(lane postgres.Lane, limit int) (runs []int) {
		_, err := b.outbox.Batch(t.Context(), lane, limit,
			func(messages []postgres.Message) (done []int64, _ map[int64]postgres.Retry) {
				for _, m := range messages {
					runs, done = append(runs, inputOf[flow.DeliveryInput](t, m).Run), append(done, m.ID)
				}
				return done, nil
			})
		require.NoError(t, err)
		return runs
	}
	require.Empty(t, runs(postgres.LaneUrgent, 8))
	depth, err := b.outbox.Depth(t.Context())
	require.NoError(t, err)
	require.Equal(t, postgres.Depth{Patient: 3}, depth)
	require.Equal(t, []int{1, 2}, runs(postgres.LanePatient, 2))
	postgrestest.Exec(t, b.address,
		`UPDATE outbox SET created_at = now() - interval '1 day', due_at = now() - interval '1 minute'`)
	depth, err = b.outbox.Depth(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, depth.Due)
	require.InDelta(t, time.Minute, depth.Oldest, float64(10*time.Second), "the time since it was due")
	require.Equal(t, []int{3}, runs(postgres.LaneUrgent, 8))
}

// TestPostBeyondHorizonWaitsInDatabase follows a post that is due in 40 days: it gets no message until it comes
// within the horizon, and its later plans are marked for the relay.
func TestPostBeyondHorizonWaitsInDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const horizon, day = postgres.DefaultHorizon, 24 * time.Hour
	far := b.now.Add(horizon + 10*day)
	p := b.scheduledAt(t, far)
	require.Empty(t, b.messages(t))
	near := func() int {
		n, err := b.outbox.EnqueueNear(t.Context(), 10)
		require.NoError(t, err)
		return n
	}
	require.Zero(t, near())
	all, err := b.outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Zero(t, all, "it has no workflow that could be lost")

	moved, err := p.Schedule(far.Add(day), b.now, post.ActorAPI)
	require.NoError(t, err)
	apply(t, b, moved, nil)
	messages := b.messages(t)
	require.Len(t, messages, 1)
	require.True(t, messages[0].Beyond)

	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = now() + interval '29 days'`)
	require.Equal(t, 1, near())
	require.Zero(t, near(), "once")
	messages = b.messages(t)
	require.Len(t, messages, 1)
	require.False(t, messages[0].Beyond)
	require.Equal(t, moved.Post.Revision, inputOf[postflow.Plan](t, messages[0]).Revision)

	moved, err = b.get(t, p.ID).Schedule(far, b.now, post.ActorAPI)
	require.NoError(t, err)
	apply(t, b, moved, nil)
	b.messages(t)
	draft, err := moved.Post.Unschedule(b.now, post.ActorAPI)
	require.NoError(t, err)
	apply(t, b, draft, nil)
	b.messages(t)
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = now()`)
	require.Zero(t, near(), "a draft is not taken over")
}

// inputOf decodes the payload of a message.
func inputOf[In any](t *testing.T, m postgres.Message) (in In) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(m.Payload), &in))
	return in
}
