package faults_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// atOnce runs all functions concurrently and returns their results.
func atOnce[T any](runs ...func() T) []T {
	results := make([]T, len(runs))
	var group sync.WaitGroup
	for i, run := range runs {
		group.Go(func() { results[i] = run() })
	}
	group.Wait()
	return results
}

// times returns n copies of the function.
func times[T any](n int, run func() T) []func() T {
	runs := make([]func() T, n)
	for i := range runs {
		runs[i] = run
	}
	return runs
}

// schedule reschedules a post and returns the response's status; 0 if there was none.
func schedule(t *testing.T, l *lab.Lab, id string, at time.Time) int {
	t.Helper()
	return harness.Status(harness.Failure(l.API.Posts.Schedule(t.Context(), id,
		fencepost.SchedulePostRequest{ScheduledAt: at.Format(time.RFC3339Nano)})), http.StatusOK)
}

// publish publishes a post and returns the response's status; 0 if there was none.
func publish(t *testing.T, l *lab.Lab, id string) int {
	t.Helper()
	return harness.Status(harness.Failure(l.API.Posts.Publish(t.Context(), id)), http.StatusOK)
}

// unschedule unschedules a post and returns the response's status; 0 if there was none.
func unschedule(t *testing.T, l *lab.Lab, id string) int {
	t.Helper()
	return harness.Status(harness.Failure(l.API.Posts.Unschedule(t.Context(), id)), http.StatusOK)
}

func TestF29EverySignalComesThreeTimes(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID:     "F29",
		Title:  "Duplicate and reordered signals: publish, schedule and unschedule three times, old plans sent again",
		Expect: "I1 I10: one effect; published once, at the last accepted time",
	})
	l.Run(2)
	const posts, copies = 6, 3
	for i := range posts {
		typ := texts()[i%3]
		draft := l.Create(typ, l.Text(), "draft")
		for _, status := range atOnce(times(copies, func() int { return publish(t, l, draft.ID) })...) {
			require.Contains(t, []int{http.StatusOK, http.StatusConflict}, status)
		}
		moved := l.Create(typ, l.Text(), harness.At(time.Now().Add(time.Hour)))
		atOnce(times(copies, func() int { return schedule(t, l, moved.ID, time.Now().Add(10*time.Minute)) })...)
		atOnce(times(copies, func() int { return unschedule(t, l, moved.ID) })...)
		at := time.Now().Add(2 * time.Second)
		require.Contains(t, atOnce(times(copies, func() int { return schedule(t, l, moved.ID, at) })...), http.StatusOK)
	}
	sent := sendOldPlans(t, l, posts, copies)
	l.Injected("%d signals of old plans; publish, schedule and unschedule %d times at once on %d posts", sent, copies,
		2*posts)
	l.Settle(recovery)
	l.Check(lab.AllPublished())
}

// sendOldPlans reschedules posts to a later time and signals the current plan and the previous one to their workflows,
// in the wrong order and several times. It returns the number of signals.
func sendOldPlans(t *testing.T, l *lab.Lab, posts, copies int) int {
	t.Helper()
	sent := 0
	early := time.Now().Add(6 * time.Second)
	late := early.Add(2 * time.Second)
	created := l.Accept(posts, early, 0, texts()...)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Query(c, `SELECT id FROM outbox`)) }, reached,
		20*time.Millisecond)
	for _, p := range created {
		require.Equal(t, http.StatusOK, schedule(t, l, p.ID, late))
		for range copies {
			l.SignalPost(p.ID, postflow.Plan{Revision: 2, Status: post.Scheduled, ScheduledAt: late})
			l.SignalPost(p.ID, postflow.Plan{Revision: 1, Status: post.Scheduled, ScheduledAt: early})
			sent += 2
		}
	}
	return sent
}

func TestF30UnscheduleRacesWithThePublishMoment(t *testing.T) {
	unscheduleRace(t, 60)
}

func TestNightF30UnscheduleRacesWithThePublishMoment(t *testing.T) {
	unscheduleRace(t, 1000)
}

// unscheduleRace unschedules posts at about the time of their claim, to which it converges from round to round. After
// status 200 the post must not be on the network, after 409 it must be.
func unscheduleRace(t *testing.T, posts int) {
	t.Helper()
	l := lab.Begin(t, lab.Fault{
		ID: "F30", Title: "Unschedule races with the publish moment",
		Expect: "I6: 200 and never on the network, or 409 and published",
	})
	l.Run(2)
	const batch, lead, every = 20, 2 * time.Second, 100 * time.Millisecond
	want := make(map[string]fencepost.PostStatus)
	var aim lab.Aim
	for range posts / batch {
		for _, p := range l.Accept(batch, time.Now().Add(lead), every, channel.TelegramChannel) {
			<-time.After(time.Until(p.At.Add(aim.Offset())))
			switch unschedule(t, l, p.ID) {
			case http.StatusOK:
				want[p.ID] = fencepost.PostStatusDraft
				aim.Won()
			case http.StatusConflict:
				want[p.ID] = fencepost.PostStatusPublished
				aim.Lost()
			default:
				require.Fail(t, "neither won nor lost")
			}
		}
	}
	won, lost := aim.Outcomes()
	l.Injected("%d posts unscheduled around the time of their claim: %d won, %d lost", posts, won, lost)
	require.True(t, aim.Balanced(), "each outcome must happen in more than 10 %% of the rounds: %d won, %d lost", won,
		lost)
	l.Settle(recovery)
	<-time.After(2 * time.Second) // time in which an incorrect publication would show
	for id, status := range want {
		require.Equal(t, status, l.Get(id).Status)
	}
	l.Check()
}

func TestF31RescheduleRacesWithTheTimer(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F31", Title: "A post is moved, or published at once, while its timer fires",
		Expect: "I1 I10: published once, at the last accepted time",
	})
	l.Run(2)
	const posts, batch, lead = 45, 5, 2 * time.Second // a few at a time, as a busy machine accepts them slowly
	agreed, networks := make(map[string]time.Time), texts()
	var aim lab.Aim // and claims them late
	for len(agreed) < posts {
		var created []lab.Accepted
		for i := range batch {
			created = append(created, l.AcceptOne(time.Now().Add(lead), networks[(len(agreed)+i)%len(networks)]))
		}
		for _, p := range created {
			<-time.After(time.Until(p.At.Add(aim.Offset())))
			at, moved := move(t, l, p.ID, len(agreed))
			agreed[p.ID] = p.At
			if moved {
				agreed[p.ID] = at
				aim.Won()
			} else {
				aim.Lost()
			}
		}
	}
	won, lost := aim.Outcomes()
	l.Injected("%d posts moved or published around the time of their claim: %d won, %d lost", posts, won, lost)
	require.Positive(t, won)
	require.Positive(t, lost)
	l.Settle(recovery)
	for id, at := range agreed {
		require.WithinDuration(t, at, *l.Get(id).ScheduledAt, time.Millisecond)
	}
	l.Check(lab.AllPublished())
}

// move requests another publish time in one of three ways and returns the resulting time.
func move(t *testing.T, l *lab.Lab, id string, behavior int) (at time.Time, moved bool) {
	t.Helper()
	if behavior%3 == 0 {
		published, err := l.API.Posts.Publish(t.Context(), id)
		if err != nil {
			require.Equal(t, http.StatusConflict, harness.Status(err, http.StatusOK), "%v", err)
			return time.Time{}, false
		}
		return *published.ScheduledAt, true
	}
	at = time.Now().Add(time.Duration(behavior%3) * 600 * time.Millisecond).Truncate(time.Millisecond)
	status := schedule(t, l, id, at)
	require.Contains(t, []int{http.StatusOK, http.StatusConflict}, status)
	return at, status == http.StatusOK
}

func TestF32ApproveAndRejectAtOnce(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F32", Title: "Approve and reject at once; approve after the time has passed",
		Expect: "I5: one decision, one event, the other gets 409; after its time, a draft that is not published",
	})
	l.Run(1)
	const posts = 16
	for i := range posts {
		id := pending(t, l, texts()[i%3], time.Now().Add(4*time.Second))
		statuses := atOnce(func() int { return approve(t, l, id) }, func() int { return reject(t, l, id) })
		require.ElementsMatch(t, []int{http.StatusOK, http.StatusConflict}, statuses)
	}
	passed := time.Now().Add(1500 * time.Millisecond)
	late := pending(t, l, channel.Threads, passed)
	<-time.After(time.Until(passed.Add(100 * time.Millisecond)))
	require.Equal(t, http.StatusOK, approve(t, l, late))
	got := l.Get(late)
	require.Equal(t, fencepost.PostStatusDraft, got.Status)
	require.Nil(t, got.ScheduledAt)
	l.Injected("approve and reject sent at once for %d posts; one approved after its time", posts)
	l.Settle(recovery)
	decisions := l.Query(t,
		`SELECT count(*) FROM event WHERE type IN ('post.approved', 'post.rejected') GROUP BY convert_from(body, 'UTF8')::jsonb #>> '{data,postId}'`)
	require.Len(t, decisions, posts+1)
	for _, n := range decisions {
		require.Equal(t, "1", n)
	}
	l.Check()
}

// pending creates a post that waits for approval and has a publish time.
func pending(t *testing.T, l *lab.Lab, typ channel.Type, at time.Time) string {
	t.Helper()
	draft := l.Create(typ, l.Text(), "draft")
	edit(t, l, draft.ID, fencepost.EditPostRequest{ScheduledAt: fencepost.Set(at.Format(time.RFC3339Nano))})
	return l.RequestApproval(draft.ID).ID
}

// edit changes a post.
func edit(t *testing.T, l *lab.Lab, id string, change fencepost.EditPostRequest) {
	t.Helper()
	require.NoError(t, harness.Failure(l.API.Posts.Edit(t.Context(), id, change)))
}

func approve(t *testing.T, l *lab.Lab, id string) int {
	t.Helper()
	return harness.Status(harness.Failure(l.API.Posts.Approve(t.Context(), id, fencepost.DecisionRequest{})), http.StatusOK)
}

func reject(t *testing.T, l *lab.Lab, id string) int {
	t.Helper()
	return harness.Status(harness.Failure(l.API.Posts.Reject(t.Context(), id, fencepost.DecisionRequest{})), http.StatusOK)
}
