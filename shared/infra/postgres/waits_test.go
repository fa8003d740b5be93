package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// The tests of this file let a statement wait for a transaction that has not committed, and check that it sees what the transaction
// left. They are deterministic: the transaction commits only when the statement waits.

// TestFiguresOfDeletedChannelAreIgnored checks that they are not recorded, which is no error.
func TestFiguresOfDeletedChannelAreIgnored(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]func(ctx context.Context, b *bundle, p ident.Post) error{
		"the days of the channel": func(ctx context.Context, b *bundle, _ ident.Post) error {
			today := analytics.DateOf(b.now)
			return b.insights().SaveChannel(ctx, b.ch.ID, []analytics.ChannelDay{{Date: today, CollectedAt: b.now}}, today)
		},
		"the days of its posts": func(ctx context.Context, b *bundle, p ident.Post) error {
			day := analytics.PostDay{Date: analytics.DateOf(b.now), CollectedAt: b.now}
			return b.insights().SavePosts(ctx, b.ch.ID, map[ident.Post]analytics.PostDay{p: day})
		},
		"the id of a post": func(ctx context.Context, b *bundle, p ident.Post) error {
			renamed, err := b.insights().Rename(ctx, postgres.Renaming{Post: p, From: "a", To: "b", At: b.now})
			if renamed {
				return errors.New("a post that is gone was renamed")
			}
			return err
		},
		"the end": func(ctx context.Context, b *bundle, _ ident.Post) error {
			return b.insights().Finish(ctx, b.ch.ID, b.now)
		},
		"a heartbeat": func(ctx context.Context, b *bundle, _ ident.Post) error { return b.insights().Heard(ctx, b.ch.ID) },
		"a refusal": func(ctx context.Context, b *bundle, _ ident.Post) error {
			return b.insights().Stop(ctx, b.ch.ID, 1, "no")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			p := b.published(t, b.ch.ID, b.now)
			commit := postgrestest.HoldToCommit(t, b.address, `DELETE FROM channel WHERE id = $1`, b.ch.ID.String())
			recorded := b.blocked(t, func() error { return record(t.Context(), b, p.ID) })
			commit()
			require.NoError(t, <-recorded)
		})
	}
}

// TestVisitsOfDeletedPageAreIgnored checks that they are not counted, which is no error.
func TestVisitsOfDeletedPageAreIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, today := b.linkPage(t, "mara"), b.now.Format(time.DateOnly)
	commit := postgrestest.HoldToCommit(t, b.address, `DELETE FROM link_page WHERE id = $1`, page.ID.String())
	added := b.blocked(t, func() error {
		return postgres.NewVisits(b.db).Add(t.Context(),
			postgres.VisitBatch{ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page.ID, Day: today, Views: 1}}})
	})
	commit()
	require.NoError(t, <-added)
}

// TestConcurrentVisitorsAreSerialized has two processes add visitors of one source: the second one sees those of the first.
func TestConcurrentVisitorsAreSerialized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	visits, page, today := postgres.NewVisits(b.db), b.linkPage(t, "mara"), b.now.Format(time.DateOnly)
	batch := func(from int) postgres.VisitBatch {
		out := postgres.VisitBatch{ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page.ID, Day: today, Views: 1}}}
		for n := range linkpage.MaxSourceVisitors {
			out.Visitors = append(out.Visitors, postgres.VisitorSeen{
				PageID: page.ID, Day: today, Visitor: visitor(from + n), Source: visitor(0),
			})
		}
		return out
	}
	commit := hold(t, b.db, func(ctx context.Context) error { return visits.Add(ctx, batch(0)) })
	second := b.blocked(t, func() error { return visits.Add(t.Context(), batch(linkpage.MaxSourceVisitors)) })
	commit()
	require.NoError(t, <-second)
	require.Equal(t, []string{strconv.Itoa(linkpage.MaxSourceVisitors)},
		postgrestest.Column(t, b.address, `SELECT visitors::text FROM page_view_day`))
}

func TestDeleteOfChangingPageChecksRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, page := postgres.NewLinkPages(b.db), b.linkPage(t, "mara")
	commit := hold(t, b.db, func(ctx context.Context) error {
		_, err := store.Change(ctx, b.ws.ID, page.ID, func(_ context.Context, p linkpage.Page) (linkpage.Page, error) {
			return p.Edit(linkpage.Edit{Title: new("New")}, b.now)
		})
		return err
	})
	deleted := b.blocked(t, func() error { return store.Delete(t.Context(), b.ws.ID, page.ID, page.Revision) })
	commit()
	err := <-deleted
	require.True(t, apperr.Is(err, apperr.PreconditionFailed), "%v", err)
	_, err = store.Get(t.Context(), b.ws.ID, page.ID)
	require.NoError(t, err)
}

// TestLinkPageQuotaIsSerialized also covers pages of other workspaces, which take no place of the plan.
func TestLinkPageQuotaIsSerialized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	free := b.tenant(t)
	for i := range free.Plan.Limits().LinkPages {
		b.linkPage(t, "ours-"+strconv.Itoa(i))
	}
	insert := func(ctx context.Context, n int) error {
		page, err := linkpage.Create(linkpage.New{WorkspaceID: free.ID, Handle: "page-" + strconv.Itoa(n), Title: "A"}, b.now)
		require.NoError(t, err)
		return postgres.NewLinkPages(b.db).Insert(ctx, page)
	}
	commit := hold(t, b.db, func(ctx context.Context) error {
		for n := range free.Plan.Limits().LinkPages {
			if err := insert(ctx, n); err != nil {
				return err
			}
		}
		return nil
	})
	second := b.blocked(t, func() error { return insert(t.Context(), free.Plan.Limits().LinkPages) })
	commit()
	err := <-second
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)
}

// TestEndpointQuotaIsSerialized also covers endpoints of other workspaces, which take no place of the plan.
func TestEndpointQuotaIsSerialized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	free := b.tenant(t)
	limit := free.Plan.Limits().Webhooks
	for range limit {
		b.endpoint(t, b.ws.ID, "*")
	}
	insert := func(ctx context.Context) error {
		return b.webhooks.Insert(ctx, webhook.Endpoint{
			ID: ident.New[ident.Webhook](), WorkspaceID: free.ID, URL: "https://receiver.test/", Events: []string{"*"},
			IsActive: true, CreatedAt: b.now, UpdatedAt: b.now,
		}, "whsec_x")
	}
	commit := hold(t, b.db, func(ctx context.Context) error {
		for range limit {
			if err := insert(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	second := b.blocked(t, func() error { return insert(t.Context()) })
	commit()
	err := <-second
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)
}

// TestNewTemporalStoreIsDetectedOnce has two processes notice it at the same time.
func TestNewTemporalStoreIsDetectedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.outbox.SeenStore(t.Context(), "default", "one")
	require.NoError(t, err)
	commit := hold(t, b.db, func(ctx context.Context) error {
		changed, err := b.outbox.SeenStore(ctx, "default", "two")
		require.True(t, changed)
		return err
	})
	var changed bool
	second := b.blocked(t, func() (err error) {
		changed, err = b.outbox.SeenStore(t.Context(), "default", "two")
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.False(t, changed)
}

// TestOneProcessProbesLimit has two processes ask for a turn at the same time.
func TestOneProcessProbesLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, time.Minute))
	b.passed(t)
	commit := hold(t, b.db, func(ctx context.Context) error {
		wait, err := b.attempts.Turn(ctx, b.ch.ID, second)
		require.Zero(t, wait)
		return err
	})
	var wait time.Duration
	other := b.blocked(t, func() (err error) {
		wait, err = b.attempts.Turn(t.Context(), b.ch.ID, second)
		return err
	})
	commit()
	require.NoError(t, <-other)
	require.Positive(t, wait)
}

func TestRedeliveryDuringDisableIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	commit := hold(t, b.db, func(ctx context.Context) error {
		_, err := b.webhooks.Update(ctx, b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
		return err
	})
	requested := b.blocked(t, func() error {
		_, err := b.deliveries.Redeliver(t.Context(), b.ws.ID, e.ID, in.DeliveryID)
		return err
	})
	commit()
	err := <-requested
	require.True(t, apperr.Is(err, apperr.InvalidState), "%v", err)
}

// TestDisableDuringEnableCancelsDeliveries covers a test delivery, which waits although its endpoint is disabled.
func TestDisableDuringEnableCancelsDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	activate := func(ctx context.Context, active bool) error {
		_, err := b.webhooks.Update(ctx, b.ws.ID, e.ID, webhook.Change{IsActive: &active})
		return err
	}
	require.NoError(t, activate(t.Context(), false))
	test, err := event.New(b.ws.ID, event.WebhookTest, b.now, event.WebhookTestData{WebhookID: e.ID})
	require.NoError(t, err)
	require.NoError(t, b.events.Insert(t.Context(), test, e.ID))
	b.fanOut(t)
	require.Equal(t, []webhook.State{webhook.Pending}, b.states(t, e.ID))
	commit := hold(t, b.db, func(ctx context.Context) error { return activate(ctx, true) })
	disabled := b.blocked(t, func() error { return activate(t.Context(), false) })
	commit()
	require.NoError(t, <-disabled)
	require.Equal(t, []webhook.State{webhook.Cancelled}, b.states(t, e.ID))
}

// TestReplayPagesAreSerialized has two workers continue a replay at the same time, of which the second goes on after the first.
func TestReplayPagesAreSerialized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, string(event.PostPublished))
	for range 4 {
		b.happens(t, b.ws.ID, event.PostFailed)
		b.happens(t, b.tenant(t).ID, event.PostFailed)
	}
	b.fanOut(t)
	_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{Events: []string{"*"}})
	require.NoError(t, err)
	r := b.running(t, e.ID)
	commit := hold(t, b.db, func(ctx context.Context) error {
		_, queued, err := b.deliveries.ContinueReplay(ctx, r.ID, 2)
		require.Equal(t, 2, queued)
		return err
	})
	var queued int
	second := b.blocked(t, func() (err error) {
		_, queued, err = b.deliveries.ContinueReplay(t.Context(), r.ID, 2)
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.Equal(t, 4, queued)
	state, queued, err := b.deliveries.ContinueReplay(t.Context(), r.ID, 2)
	require.NoError(t, err)
	require.Equal(t, webhook.ReplayCompleted, state)
	require.Equal(t, 4, queued, "events of other workspaces are not replayed")
}

// TestReplayWaitsForEndpointChange covers the order of locks: the endpoint comes before its deliveries.
func TestReplayWaitsForEndpointChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	r := b.running(t, e.ID)
	release := postgrestest.Hold(t, b.address, `SELECT FROM webhook WHERE id = $1 FOR NO KEY UPDATE`, e.ID.String())
	deliveries := postgres.NewDeliveries(b.impatient(t, 100*time.Millisecond), keyring(t))
	_, _, err := deliveries.ContinueReplay(t.Context(), r.ID, 2)
	require.True(t, postgres.IsContention(err), "%v", err)
	release()
	_, _, err = deliveries.ContinueReplay(t.Context(), r.ID, 2)
	require.NoError(t, err)
}

// TestLockedPlaceIsSkipped covers an attempt that must not wait while another one gets its place.
func TestLockedPlaceIsSkipped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	require.NoError(t, b.deliveries.GiveBack(t.Context(), in))
	postgrestest.Hold(t, b.address, `SELECT FROM webhook_place WHERE webhook_id = $1 AND n = 1 FOR UPDATE`, e.ID.String())
	taken, err := postgres.NewDeliveries(b.impatient(t, 100*time.Millisecond), keyring(t)).TakePlace(t.Context(), in)
	require.NoError(t, err)
	require.True(t, taken)
}

// TestBucketsAreLockedInOrder stops a process at the first bucket: it must not hold another one, for which a second process that
// holds the first one may wait.
func TestBucketsAreLockedInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewRateLimits(b.db)
	subjects := []string{"a", "b", "c", "d", "e"}
	var unused []ratelimit.Unused
	for _, subject := range slices.Backward(subjects) {
		_, err := store.Lease(t.Context(), subject, onceAMinute, 5)
		require.NoError(t, err)
		unused = append(unused, ratelimit.Unused{Subject: subject, Tokens: 1})
	}
	release := postgrestest.Hold(t, b.address, `SELECT FROM rate_bucket WHERE subject = $1 FOR UPDATE`, subjects[0])
	given := b.blocked(t, func() error { return store.GiveBack(t.Context(), unused) })
	require.NoError(t, postgrestest.Try(t, b.address, `SELECT FROM rate_bucket WHERE subject <> $1 FOR UPDATE NOWAIT`,
		subjects[0]))
	release()
	require.NoError(t, <-given)
}
