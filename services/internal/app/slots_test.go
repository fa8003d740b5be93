package app_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// queue is a client with channels whose posts use the next free slot.
type queue struct {
	*bundle

	client   app.Principal
	accounts []channel.Channel
}

// daily returns the same two slots for every day.
func daily() []slot.Slot {
	var slots []slot.Slot
	for weekday := range 7 {
		slots = append(slots, slot.Slot{Weekday: time.Weekday(weekday), Hour: 9},
			slot.Slot{Weekday: time.Weekday(weekday), Hour: 17, Minute: 30})
	}
	return slots
}

// firstDaily returns the first n instants of the daily slots in UTC after start, 1 March 2024 at 08:30.
func firstDaily(n int) []time.Time {
	var times []time.Time
	for i := range n {
		at := time.Date(2024, time.March, 1+i/2, 9, 0, 0, 0, time.UTC)
		if i%2 == 1 {
			at = at.Add(8*time.Hour + 30*time.Minute)
		}
		times = append(times, at)
	}
	return times
}

func newQueue(t *testing.T, channels int) queue {
	t.Helper()
	b := setup(t)
	q := queue{bundle: b, client: b.tenant(t.Context(), t)}
	for range channels {
		q.accounts = append(q.accounts, b.channel(t.Context(), t, q.client, "UTC", daily()...))
	}
	return q
}

func (q queue) request(kind app.ScheduleKind, channels ...int) app.CreatePosts {
	in := app.CreatePosts{
		Content: "Hello", ContentType: post.ContentPost, MediaIDs: []ident.Media{}, Schedule: app.Schedule{Kind: kind},
	}
	for _, c := range channels {
		in.ChannelIDs = append(in.ChannelIDs, q.accounts[c].ID)
	}
	return in
}

// next creates posts in the next free slots of the channels.
func (q queue) next(t *testing.T, channels ...int) []post.Post {
	t.Helper()
	created, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, channels...))
	require.NoError(t, err)
	return created
}

func (q queue) draft(t *testing.T, c int) post.Post {
	t.Helper()
	created, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleDraft, c))
	require.NoError(t, err)
	return created[0]
}

// held returns the times that SCHEDULED posts of the channel hold, in order.
func (q queue) held(t *testing.T, c int) []time.Time {
	t.Helper()
	times, err := q.postStore.TimesHeld(t.Context(), q.accounts[c].ID, start, start.Add(365*24*time.Hour))
	require.NoError(t, err)
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// together runs all functions concurrently and returns their errors.
func together(runs []func() error) []error {
	errs := make([]error, len(runs))
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i, run := range runs {
		group.Go(func() {
			<-begin
			errs[i] = run()
		})
	}
	close(begin)
	group.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// TestConcurrentRequestsGetDistinctSlots checks that twenty concurrent requests for a slot, of every kind, get the first twenty slots,
// each a different one.
func TestConcurrentRequestsGetDistinctSlots(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	var runs []func() error
	for i := range 20 {
		switch draft := q.draft(t, 0); i % 4 {
		case 0:
			runs = append(runs, func() error {
				_, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, 0))
				return err
			})
		case 1:
			runs = append(runs, func() error {
				_, err := q.SchedulePostNext(t.Context(), q.client, draft.ID, true)
				return err
			})
		case 2:
			runs = append(runs, func() error { return q.bulk(t.Context(), "", q.request(app.ScheduleNextSlot, 0)) })
		case 3:
			runs = append(runs, func() error {
				return q.bulk(t.Context(), draft.ID.String(),
					q.request(app.ScheduleNextSlot, 0))
			})
		}
	}
	require.Empty(t, together(runs))
	require.Equal(t, firstDaily(20), q.held(t, 0))
}

// bulk creates one post per item, in one transaction if there is a key, and returns the first error of any item.
func (q queue) bulk(ctx context.Context, key string, items ...app.CreatePosts) error {
	var bulk []app.BulkItem
	for _, item := range items {
		bulk = append(bulk, app.BulkItem{Create: item})
	}
	var errs []error
	run := func(ctx context.Context) error {
		results, err := q.CreateBulk(ctx, q.client, bulk)
		for _, result := range results {
			errs = append(errs, result.Err)
		}
		return err
	}
	if key == "" {
		return errors.Join(run(ctx), errors.Join(errs...))
	}
	_, _, err := q.Once(ctx, q.client, app.Once{Operation: "bulk", Key: key, Fingerprint: sha256.Sum256([]byte(key))},
		func(ctx context.Context, _ app.Creator) (app.Response, error) {
			return app.Response{Status: 200}, run(ctx)
		})
	return errors.Join(err, errors.Join(errs...))
}

// TestOppositeOrdersDoNotDeadlock checks that requests that name the same channels in different orders do not deadlock.
func TestOppositeOrdersDoNotDeadlock(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3)
	var runs []func() error
	for i := range 16 {
		channels := [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}}[i%4]
		if i < 8 {
			runs = append(runs, func() error {
				_, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, channels...))
				return err
			})
			continue
		}
		var items []app.CreatePosts
		for _, c := range channels {
			items = append(items, q.request(app.ScheduleNextSlot, c))
		}
		key := ""
		if i%2 == 0 {
			key = ident.New[ident.Event]().String()
		}
		runs = append(runs, func() error { return q.bulk(t.Context(), key, items...) })
	}
	require.Empty(t, together(runs))
	for c := range q.accounts {
		require.Equal(t, firstDaily(16), q.held(t, c))
	}
}

func TestFailedItemReleasesSlot(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"items of their own": "", "one transaction": "key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 1)
			empty := q.request(app.ScheduleNextSlot, 0)
			empty.Content = ""
			foreign := q.request(app.ScheduleNextSlot, 0)
			foreign.ChannelIDs = append(foreign.ChannelIDs, ident.New[ident.Channel]())
			err := q.bulk(t.Context(), key, q.request(app.ScheduleNextSlot, 0), empty, q.request(app.ScheduleNextSlot, 0),
				foreign,
				q.request(app.ScheduleDraft, 0), q.request(app.ScheduleNextSlot, 0))
			require.ErrorContains(t, err, "VALIDATION_FAILED")
			require.ErrorContains(t, err, "NOT_FOUND")
			require.Equal(t, firstDaily(3), q.held(t, 0))
		})
	}
}

// TestFailedStatementAffectsOnlyItsItem also covers items in one transaction, which a failed statement would abort.
func TestFailedStatementAffectsOnlyItsItem(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"items of their own": "", "one transaction": "key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 2)
			q.draft(t, 1) // caches its type
			postgrestest.Exec(t, q.address, `DELETE FROM channel WHERE id = $1`, q.accounts[1].ID.String())
			err := q.bulk(t.Context(), key, q.request(app.ScheduleDraft, 0), q.request(app.ScheduleDraft, 1),
				q.request(app.ScheduleNextSlot, 0))
			require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
			page, err := q.Posts(t.Context(), q.client, postgres.PostFilter{Limit: 10})
			require.NoError(t, err)
			require.Len(t, page, 2)
		})
	}
}

func TestSlotsAreAllOrNothing(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2)
	require.NoError(t, q.channelStore.SetSlots(t.Context(), q.accounts[1].ID, nil))
	for _, channels := range [][]int{{0, 1}, {1, 0}} {
		_, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, channels...))
		require.True(t, apperr.Is(err, apperr.NoFreeSlot), "%v", err)
		require.ErrorContains(t, err, q.accounts[1].ID.String(), "it names the channel")
	}
	require.Empty(t, q.held(t, 0))
}

// TestReleasedSlotsAreReused checks that the next post gets a slot that another post has left, for any reason.
func TestReleasedSlotsAreReused(t *testing.T) {
	t.Parallel()
	first := firstDaily(2)
	for name, leave := range map[string]func(q queue, id ident.Post) error{
		"unscheduled": func(q queue, id ident.Post) error {
			_, err := q.UnschedulePost(t.Context(), q.client, id)
			return err
		},
		"deleted": func(q queue, id ident.Post) error { return q.DeletePost(t.Context(), q.client, id) },
		"published at once": func(q queue, id ident.Post) error {
			_, err := q.PublishPost(t.Context(), q.client, id)
			return err
		},
		"moved": func(q queue, id ident.Post) error {
			_, err := q.SchedulePost(t.Context(), q.client, id, first[0].Add(time.Minute))
			return err
		},
		"edited": func(q queue, id ident.Post) error {
			_, err := q.EditPost(t.Context(), q.client, id, func(post.Post) (post.Edit, error) {
				return post.Edit{ScheduledAt: new(first[0].Add(time.Minute))}, nil
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 1)
			p := q.next(t, 0)[0]
			require.Equal(t, first[0], p.ScheduledAt)
			require.NoError(t, leave(q, p.ID))
			require.Equal(t, first[0], q.next(t, 0)[0].ScheduledAt)
			require.Equal(t, first[1], q.next(t, 0)[0].ScheduledAt)
		})
	}
}

func TestExplicitTimeCanHoldSlot(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	first := firstDaily(3)
	_, err := q.SchedulePost(t.Context(), q.client, q.draft(t, 0).ID, first[0])
	require.NoError(t, err)
	// a time next to a slot is not the slot
	_, err = q.SchedulePost(t.Context(), q.client, q.draft(t, 0).ID, first[1].Add(time.Millisecond))
	require.NoError(t, err)
	_, err = q.EditPost(t.Context(), q.client, q.draft(t, 0).ID, func(post.Post) (post.Edit, error) {
		return post.Edit{ScheduledAt: &first[1]}, nil // the intended time of a draft holds no slot
	})
	require.NoError(t, err)
	require.Equal(t, first[1], q.next(t, 0)[0].ScheduledAt)
	moved, err := q.SchedulePostNext(t.Context(), q.client, q.next(t, 0)[0].ID, true)
	require.NoError(t, err)
	require.Equal(t, firstDaily(4)[3], moved.ScheduledAt, "a post's own slot is held, by itself")
}

func TestQueuesWithoutFreeSlot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, q queue)
		code    apperr.Code
	}{
		"no slots": {func(t *testing.T, q queue) {
			t.Helper()
			require.NoError(t, q.channelStore.SetSlots(t.Context(), q.accounts[0].ID, nil))
		}, apperr.NoFreeSlot},
		"paused": {func(t *testing.T, q queue) {
			t.Helper()
			require.NoError(t, q.channelStore.Pause(t.Context(), q.client.WorkspaceID, q.accounts[0].ID, true))
		}, apperr.QueuePaused},
		"ninety days full": {func(t *testing.T, q queue) {
			t.Helper()
			require.NoError(t, q.channelStore.SetSlots(t.Context(), q.accounts[0].ID,
				[]slot.Slot{{Weekday: time.Saturday, Hour: 8}}))
			for week := range 13 { // the thirteenth Saturday is 85 days ahead, the next one 92
				require.Equal(t, time.Date(2024, time.March, 2+7*week, 8, 0, 0, 0, time.UTC), q.next(t, 0)[0].ScheduledAt)
			}
		}, apperr.NoFreeSlot},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 1)
			draft := q.draft(t, 0)
			c.prepare(t, q)
			before := q.held(t, 0)
			_, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, 0))
			require.True(t, apperr.Is(err, c.code), "%v", err)
			_, err = q.SchedulePostNext(t.Context(), q.client, draft.ID, true)
			require.True(t, apperr.Is(err, c.code), "%v", err)
			found, err := q.ValidatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, 0))
			require.NoError(t, err)
			require.False(t, found[0].Valid())
			require.Equal(t, c.code, found[0].Findings[0].Code)
			schedule, err := q.ChannelSchedule(t.Context(), q.client, q.accounts[0].ID)
			require.NoError(t, err)
			require.True(t, schedule.NextAt().IsZero())
			require.Equal(t, before, q.held(t, 0))
		})
	}
}

// TestRequestWaitsForLastSlot checks that a request waits for the last slot while another transaction reserves it,
// because that transaction may roll back.
func TestRequestWaitsForLastSlot(t *testing.T) {
	t.Parallel()
	errGivenBack := errors.New("given back")
	for name, end := range map[string]error{"it is given back": errGivenBack, "it is held": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 1)
			require.NoError(t, q.channelStore.SetSlots(t.Context(), q.accounts[0].ID,
				[]slot.Slot{{Weekday: time.Saturday, Hour: 8}}))
			for range 12 { // of the thirteen Saturdays within ninety days
				q.next(t, 0)
			}
			create := func(ctx context.Context) error {
				_, err := q.CreatePosts(ctx, q.client, q.request(app.ScheduleNextSlot, 0))
				return err
			}
			taken, release, first, second := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
			go func() {
				first <- q.db.WithinTx(t.Context(), func(ctx context.Context) error {
					err := create(ctx)
					close(taken)
					<-release
					return errors.Join(err, end)
				})
			}()
			<-taken
			go func() { second <- create(t.Context()) }()
			require.Never(t, func() bool { return len(second) == 1 }, 200*time.Millisecond, 10*time.Millisecond, "it waits")
			close(release)
			require.ErrorIs(t, <-first, end)
			if err := <-second; end == nil {
				require.True(t, apperr.Is(err, apperr.NoFreeSlot), "%v", err)
			} else {
				require.NoError(t, err)
			}
			require.Len(t, q.held(t, 0), 13)
		})
	}
}

// TestSlotsAcrossDSTChanges has instants that were computed by hand from the zones' history
// (docs/contract.md, Posting schedule).
func TestSlotsAcrossDSTChanges(t *testing.T) {
	t.Parallel()
	at := func(weekday time.Weekday, hour, minute int) slot.Slot {
		return slot.Slot{Weekday: weekday, Hour: hour, Minute: minute}
	}
	for name, c := range map[string]struct {
		zone  string
		now   string
		slots []slot.Slot
		want  []string
	}{
		"New York, a slot in the gap": {
			"America/New_York", "2026-03-07T12:00:00Z",
			[]slot.Slot{at(time.Sunday, 2, 30)},
			[]string{"2026-03-08T07:00:00Z", "2026-03-15T06:30:00Z"},
		},
		"New York, three slots that the gap makes one": {
			"America/New_York", "2026-03-07T12:00:00Z",
			[]slot.Slot{at(time.Sunday, 2, 0), at(time.Sunday, 2, 30), at(time.Sunday, 3, 0)},
			[]string{"2026-03-08T07:00:00Z", "2026-03-15T06:00:00Z", "2026-03-15T06:30:00Z", "2026-03-15T07:00:00Z"},
		},
		"New York, an hour that comes twice": {
			"America/New_York", "2026-10-31T12:00:00Z",
			[]slot.Slot{at(time.Sunday, 1, 30)},
			[]string{"2026-11-01T05:30:00Z", "2026-11-08T06:30:00Z"},
		},
		"New York, between the first and the second": {
			"America/New_York", "2026-11-01T05:45:00Z",
			[]slot.Slot{at(time.Sunday, 1, 30)},
			[]string{"2026-11-08T06:30:00Z"},
		},
		"Berlin, a slot in the gap": {
			"Europe/Berlin", "2026-03-28T12:00:00Z",
			[]slot.Slot{at(time.Sunday, 2, 30), at(time.Sunday, 9, 0)},
			[]string{"2026-03-29T01:00:00Z", "2026-03-29T07:00:00Z", "2026-04-05T00:30:00Z"},
		},
		"Berlin, an hour that comes twice": {
			"Europe/Berlin", "2026-10-24T12:00:00Z",
			[]slot.Slot{at(time.Sunday, 2, 30)},
			[]string{"2026-10-25T00:30:00Z", "2026-11-01T01:30:00Z"},
		},
		"Lord Howe, a gap of half an hour": {
			"Australia/Lord_Howe", "2026-10-03T00:00:00Z",
			[]slot.Slot{at(time.Sunday, 2, 15)},
			[]string{"2026-10-03T15:30:00Z", "2026-10-10T15:15:00Z"},
		},
		"Lord Howe, half an hour that comes twice": {
			"Australia/Lord_Howe", "2026-04-04T00:00:00Z",
			[]slot.Slot{at(time.Sunday, 1, 45)},
			[]string{"2026-04-04T14:45:00Z", "2026-04-11T15:15:00Z"},
		},
		"Apia, a Friday that never was": {
			"Pacific/Apia", "2011-12-29T12:00:00Z",
			[]slot.Slot{at(time.Friday, 9, 0), at(time.Saturday, 9, 0)},
			[]string{"2011-12-30T19:00:00Z", "2012-01-05T19:00:00Z", "2012-01-06T19:00:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			client := b.tenant(t.Context(), t)
			q := queue{
				bundle: b, client: client, accounts: []channel.Channel{b.channel(t.Context(), t, client, c.zone, c.slots...)},
			}
			now, err := time.Parse(time.RFC3339, c.now)
			require.NoError(t, err)
			b.clock.Set(now)
			for _, want := range c.want {
				schedule, err := q.ChannelSchedule(t.Context(), client, q.accounts[0].ID)
				require.NoError(t, err)
				got := q.next(t, 0)[0].ScheduledAt
				require.Equal(t, want, got.Format(time.RFC3339))
				require.Equal(t, got, schedule.NextAt(), "the schedule announces the assigned slot")
				require.True(t, slices.IsSortedFunc(schedule.Free, time.Time.Compare))
				require.LessOrEqual(t, len(schedule.Free), 10)
			}
		})
	}
}
