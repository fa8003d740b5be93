package postgres_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// draft creates a draft.
func (b *bundle) draft(t *testing.T, options post.Options) post.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		Policy:      approval.Optional,
		WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, ChannelType: string(channel.Twitter), Content: "Hello", ContentType: post.ContentPost, MediaIDs: []ident.Media{},
		Options: options,
	}, b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	return change.Post
}

func (b *bundle) get(t *testing.T, id ident.Post) post.Post {
	t.Helper()
	p, err := b.posts.Get(t.Context(), b.ws.ID, id)
	require.NoError(t, err)
	return p
}

// eventTypes returns the types of all events of the workspace, in order.
func (b *bundle) eventTypes(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT type FROM event ORDER BY ordinal`)
}

func edit(t *testing.T, p post.Post, e post.Edit, now time.Time) post.Change {
	t.Helper()
	change, ok, err := p.Edit(e, now, post.ActorAPI)
	require.NoError(t, err)
	require.True(t, ok)
	return change
}

func apply(t *testing.T, b *bundle, change post.Change, err error) post.Post {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	require.Equal(t, change.Post, b.get(t, change.Post.ID), "the stored post equals the decided one")
	return change.Post
}

func TestEditWritesPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.draft(t, post.Options{})
	ids := []ident.Media{b.asset(t, b.ws.ID, media.Image).ID, b.asset(t, b.ws.ID, media.Video).ID}
	later := b.now.Add(time.Second)
	all := post.Edit{
		Content: new("Bye \"world\"\n🎈"), Title: new("A title"), ContentType: new(post.ContentVideo), MediaIDs: &ids,
		Options: &post.Options{VideoType: "short", MadeForKids: new(false)}, ScheduledAt: new(b.now.Add(time.Hour)),
	}
	p = apply(t, b, edit(t, p, all, later), nil)
	none := post.Edit{
		Content: new(""), Title: new(""), MediaIDs: &[]ident.Media{}, Options: &post.Options{},
		ScheduledAt: new(time.Time{}),
	}
	apply(t, b, edit(t, p, none, later), nil)
	require.Equal(t, []string{"post.created", "post.updated", "post.updated"}, b.eventTypes(t))
	for _, m := range b.messages(t) {
		require.Equal(t, "media", m.Kind, "drafts have no workflow, only the files that they have do")
	}
	entries, err := b.posts.Timeline(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, entries, 3)
}

func TestEditIsRefusedAfterConcurrentEdit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, clocks := range map[string][2]time.Time{
		"later":              {b.now.Add(time.Second), b.now.Add(2 * time.Second)},
		"in one millisecond": {b.now, b.now},
		"by a slow clock":    {b.now.Add(time.Second), b.now.Add(-time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := b.draft(t, post.Options{})
			first := edit(t, read, post.Edit{Title: new("Mine")}, clocks[0])
			second := edit(t, read, post.Edit{Content: new("Yours")}, clocks[1])
			require.NoError(t, b.posts.Apply(t.Context(), first))
			require.ErrorIs(t, b.posts.Apply(t.Context(), second), postgres.ErrStale)
			require.Equal(t, first.Post, b.get(t, read.ID))
			again := edit(t, b.get(t, read.ID), post.Edit{Content: new("Yours")}, clocks[1])
			require.NoError(t, b.posts.Apply(t.Context(), again))
			got := b.get(t, read.ID)
			require.Equal(t, []string{"Mine", "Yours"}, []string{got.Title, got.Content}, "nothing is lost")
		})
	}
}

// TestConcurrentEditsLoseNothing checks that no edit is lost when each adds a letter to the content that it read.
func TestConcurrentEditsLoseNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.draft(t, post.Options{})
	var group sync.WaitGroup
	var applied atomic.Int32
	for range 8 {
		group.Go(func() {
			for {
				read, err := b.posts.Get(t.Context(), b.ws.ID, p.ID)
				if err != nil {
					return
				}
				change, _, err := read.Edit(post.Edit{Content: new(read.Content + "!")}, b.now, post.ActorAPI)
				if err != nil {
					return
				}
				if b.posts.Apply(t.Context(), change) == nil {
					applied.Add(1)
					return
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 8, applied.Load())
	require.Equal(t, "Hello!!!!!!!!", b.get(t, p.ID).Content)
}

func TestEditOfTimeSupersedesPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := b.scheduled(t)
	moved := edit(t, read, post.Edit{ScheduledAt: new(b.now.Add(time.Hour))}, b.now)
	unscheduled, err := read.Unschedule(b.now, post.ActorAPI)
	require.NoError(t, err)
	b.messages(t)
	apply(t, b, moved, nil)
	require.ErrorIs(t, b.posts.Apply(t.Context(), unscheduled), postgres.ErrStale)
	messages := b.messages(t)
	require.Len(t, messages, 1)
	require.Equal(t, moved.Post.Revision, inputOf[postflow.Plan](t, messages[0]).Revision)
	require.True(t, moved.Post.ScheduledAt.Equal(inputOf[postflow.Plan](t, messages[0]).ScheduledAt))
}

func TestEditDuringPublish(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := b.scheduled(t)
	decided := edit(t, read, post.Edit{Content: new("Too late")}, b.now)
	deleted, err := read.Delete(b.now)
	require.NoError(t, err)
	_, err = b.attempts.Claim(t.Context(), read.ID, read.Revision)
	require.NoError(t, err)
	require.ErrorIs(t, b.posts.Apply(t.Context(), decided), postgres.ErrStale,
		"decided before the claim, written after it")
	require.ErrorIs(t, b.posts.Delete(t.Context(), deleted), postgres.ErrStale)
	claimed := b.get(t, read.ID)
	require.Equal(t, read.Content, claimed.Content)
	_, _, err = claimed.Edit(post.Edit{Content: new("Too late")}, b.now, post.ActorAPI)
	require.True(t, apperr.Is(err, apperr.PublishInProgress))
	_, err = claimed.Delete(b.now)
	require.True(t, apperr.Is(err, apperr.PublishInProgress))
}

// An edit changes no plan: a worker that received the plan publishes the content that it claims.
func TestClaimReturnsEditedContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := b.scheduled(t)
	apply(t, b, edit(t, read, post.Edit{Content: new("Edited")}, b.now), nil)
	job, err := b.attempts.Claim(t.Context(), read.ID, read.Revision)
	require.NoError(t, err)
	require.Equal(t, "Edited", job.Post.Content)
}

func TestDeleteKeepsOnlyEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(1, "")))
	failed, err := job.Post.Fail(post.Error{Code: "TOO_LONG", Message: "m"}, b.now)
	require.NoError(t, err)
	require.NoError(t, b.posts.Record(t.Context(), failed,
		postgres.AttemptResult{N: 1, State: post.AttemptRejected, Code: "TOO_LONG"}))
	b.messages(t)
	change, err := b.get(t, p.ID).Delete(b.now)
	require.NoError(t, err)
	require.NoError(t, b.posts.Delete(t.Context(), change))
	_, err = b.posts.Get(t.Context(), b.ws.ID, p.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.ErrorIs(t, b.posts.Delete(t.Context(), change), postgres.ErrStale, "once")
	for _, table := range []string{"post_timeline", "publish_attempt"} {
		require.Empty(t, postgrestest.Column(t, b.address, `SELECT 1 FROM `+table), table)
	}
	require.Equal(t, []string{"post.created", "post.scheduled", "post.failed", "post.deleted"}, b.eventTypes(t))
	require.Empty(t, b.messages(t), "the workflow of a failed post has ended")
}

// TestWorkflowOfDeletedPostIsSignaled checks that the relay carries a plan with nothing left to wait for, and no
// earlier plan.
func TestWorkflowOfDeletedPostIsSignaled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pending, err := b.draft(t, post.Options{}).RequestApproval(b.now, post.ActorAPI)
	require.NoError(t, err)
	for name, p := range map[string]post.Post{"scheduled": b.scheduled(t), "pending": apply(t, b, pending, nil)} {
		change, err := p.Delete(b.now)
		require.NoError(t, err, name)
		require.NoError(t, b.posts.Delete(t.Context(), change), name)
		messages := b.messages(t) // the first plan was not carried yet
		at := slices.IndexFunc(messages, func(m postgres.Message) bool {
			return m.Subject == p.ID.String() && inputOf[postflow.Plan](t, m).Revision > p.Revision // the relay drops the older one
		})
		require.GreaterOrEqual(t, at, 0, name)
		require.Equal(t, post.Draft, inputOf[postflow.Plan](t, messages[at]).Status, name)
		require.Equal(t, p.Revision+1, inputOf[postflow.Plan](t, messages[at]).Revision, "newer than every plan the workflow has")
		require.False(t, messages[at].Swept, name)
		depth, err := b.outbox.Depth(t.Context())
		require.NoError(t, err)
		require.Equal(t, postgres.Depth{}, depth, "%s: nothing stays behind", name)
	}
}

func TestDeleteIsRefusedAfterConcurrentChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := b.scheduled(t)
	change, err := read.Delete(b.now)
	require.NoError(t, err)
	moved, err := read.Schedule(b.now.Add(time.Hour), b.now, post.ActorAPI)
	require.NoError(t, err)
	apply(t, b, moved, nil)
	b.messages(t)
	require.ErrorIs(t, b.posts.Delete(t.Context(), change), postgres.ErrStale)
	require.Equal(t, moved.Post, b.get(t, read.ID))
	require.Equal(t, []string{"post.created", "post.scheduled", "post.scheduled"}, b.eventTypes(t))
	require.Empty(t, b.messages(t))
}

// TestDeleteRacesClaim checks that a post deleted at its due time is either not published or not deleted.
func TestDeleteRacesClaim(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 {
		p := b.scheduled(t)
		change, err := p.Delete(b.now)
		require.NoError(t, err)
		var deleted, claimed error
		var group sync.WaitGroup
		group.Go(func() { deleted = b.posts.Delete(t.Context(), change) })
		group.Go(func() { _, claimed = b.attempts.Claim(t.Context(), p.ID, p.Revision) })
		group.Wait()
		if deleted == nil {
			require.ErrorIs(t, claimed, postgres.ErrStale)
			continue
		}
		require.ErrorIs(t, deleted, postgres.ErrStale)
		require.NoError(t, claimed)
	}
}

func TestOptionsRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	every := post.Options{
		VideoType: "video", Category: "22", License: "creativeCommon", NotifySubscribers: new(false),
		AllowEmbedding: new(true),
		MadeForKids:    new(false), Visibility: "unlisted", AllowComments: new(true), AllowDuet: new(false),
		AllowStitch: new(true), LongText: new(false),
		BrandContent: new(false), BrandOrganic: new(true), UploadToDraft: new(false), BoardID: "1234",
		Link:    "https://example.com/?a=1&b=<2>",
		AltText: "a \"cat\" \\ 🐈",
	}
	for name, options := range map[string]post.Options{
		"none": {}, "one": {BoardID: "1"}, "a flag that says no": {MadeForKids: new(false)}, "every": every,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inserted := b.draft(t, options)
			require.Equal(t, options, b.get(t, inserted.ID).Options)
			edited := b.draft(t, post.Options{Visibility: "other"})
			apply(t, b, edit(t, edited, post.Edit{Options: &options}, b.now), nil)
			page, err := b.posts.List(t.Context(), b.ws.ID, postgres.PostFilter{Limit: 100})
			require.NoError(t, err)
			for _, id := range []ident.Post{inserted.ID, edited.ID} {
				at := slices.IndexFunc(page, func(p post.Post) bool { return p.ID == id })
				require.Equal(t, options, page[at].Options)
			}
			job, err := b.attempts.Load(t.Context(), inserted.ID)
			require.NoError(t, err)
			require.Equal(t, options, job.Post.Options, "what the publisher reads")
			require.Equal(t, !options.IsZero(), b.get(t, inserted.ID).HasOptions)
			require.True(t, b.get(t, edited.ID).HasOptions, "a set of options stays one when it is emptied")
		})
	}
}

func TestOtherChangesKeepContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := b.draft(t, post.Options{Visibility: "PUBLIC"})
	edited := edit(t, read, post.Edit{Content: new("Edited"), Options: &post.Options{Visibility: "CONNECTIONS"}}, b.now)
	apply(t, b, edited, nil)
	// Decided before the edit; the plan is the same. The event of a change would have the content from before the edit.
	next, err := read.Schedule(b.now.Add(time.Hour), b.now, post.ActorAPI)
	require.NoError(t, err)
	require.ErrorIs(t, b.posts.Apply(t.Context(), next), postgres.ErrStale)
	next, err = b.get(t, read.ID).Schedule(b.now.Add(time.Hour), b.now, post.ActorAPI)
	read = apply(t, b, next, err)
	apply(t, b, edit(t, read, post.Edit{Content: new("Edited again")}, b.now.Add(time.Second)), nil)
	require.NoError(t, b.posts.Apply(t.Context(), read.Resume(post.WaitProcessing, b.now, "A change without an event.")))
	got := b.get(t, read.ID)
	require.Equal(t, post.Scheduled, got.Status)
	require.NotNil(t, got.Waiting)
	require.Equal(t, "Edited again", got.Content)
	require.Equal(t, "CONNECTIONS", got.Options.Visibility)
}

func TestUnarchiveRestoresPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	published, failed := b.scheduled(t), b.scheduled(t)
	for i, p := range []post.Post{published, failed} {
		job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
		require.NoError(t, err)
		change, err := job.Post.Complete("https://x.test/1", true, b.now)
		if i == 1 {
			change, err = job.Post.Fail(post.Error{Code: "REJECTED", Message: "m", Retryable: true}, b.now)
		}
		require.NoError(t, err)
		require.NoError(t, b.posts.Apply(t.Context(), change))
	}
	b.messages(t)
	happened := len(b.eventTypes(t))
	for status, id := range map[post.Status]ident.Post{
		post.Draft: b.draft(t, post.Options{}).ID, post.Published: published.ID, post.Failed: failed.ID,
	} {
		before := b.get(t, id)
		require.Equal(t, status, before.Status)
		change, err := before.Archive(b.now, post.ActorAPI)
		archived := apply(t, b, change, err)
		page, err := b.posts.List(t.Context(), b.ws.ID, postgres.PostFilter{Statuses: []post.Status{post.Archived}, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, []post.Post{archived}, page)
		change, err = archived.Unarchive(b.now, post.ActorAPI)
		back := apply(t, b, change, err)
		before.Revision, before.UpdatedAt = back.Revision, back.UpdatedAt
		require.Equal(t, before, back)
	}
	require.Len(t, b.eventTypes(t), happened+1, "the draft's creation; archiving fires none")
	require.Empty(t, b.messages(t))
}

// TestRetryAbandonsUnknownOutcomes checks that an attempt with an unknown outcome no longer counts after a person
// decided to retry.
func TestRetryAbandonsUnknownOutcomes(t *testing.T) {
	t.Parallel()
	for state, want := range map[post.AttemptState]post.AttemptState{
		post.AttemptUndetermined: post.AttemptAbandoned, post.AttemptUnknown: post.AttemptAbandoned,
		post.AttemptRejected: post.AttemptRejected, post.AttemptConfirmed: post.AttemptConfirmed,
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			p := b.scheduled(t)
			job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
			require.NoError(t, err)
			require.NoError(t, b.attempts.Intend(t.Context(), job, intent(1, "")))
			failed, err := job.Post.Fail(post.Error{Code: post.ErrorOutcomeUnknown}, b.now)
			require.NoError(t, err)
			require.NoError(t, b.posts.Record(t.Context(), failed, postgres.AttemptResult{N: 1, State: state, ExternalID: "1"}))
			again, err := b.get(t, p.ID).PublishNow(b.now, post.ActorAPI)
			apply(t, b, again, err)
			attempts, err := b.attempts.ListByPost(t.Context(), p.ID)
			require.NoError(t, err)
			require.Equal(t, want, attempts[0].State)
		})
	}
}

// TestPreparationOfEditedContentIsReplaced also covers an execution that was suspended while the content was edited
// again, perhaps back to what is prepared.
func TestPreparationOfEditedContentIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	now := b.now
	tick := func() time.Time {
		now = now.Add(time.Second)
		return now
	}
	postpone := func(job postgres.Job, result postgres.AttemptResult) error {
		change := job.Post.Postpone(post.Waiting{Reason: post.WaitProcessing, Until: b.now}, !result.Edited, tick(), "Waits.")
		return b.posts.Record(t.Context(), change, result)
	}
	claim := func() postgres.Job {
		job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
		require.NoError(t, err)
		return job
	}
	edit := func(text string) {
		change, _, err := b.get(t, p.ID).Edit(post.Edit{Content: &text}, tick(), post.ActorAPI)
		apply(t, b, change, err)
	}
	remaining := func() []string {
		return postgrestest.Column(t, b.address, `SELECT state FROM publish_attempt WHERE discard_after IS NOT NULL`)
	}
	replaced := postgres.AttemptResult{N: 1, State: post.AttemptRejected, Code: "EDITED", Leaves: true, Edited: true}

	job := claim()
	require.NoError(t, b.attempts.Prepared(t.Context(), job, intent(1, "upload")))
	require.NoError(t, postpone(job, postgres.AttemptResult{}))
	edit("Another text")
	suspended := claim()
	require.NoError(t, postpone(suspended, postgres.AttemptResult{}))
	edit("Back again")
	require.ErrorIs(t, postpone(suspended, replaced), postgres.ErrStale)
	require.Empty(t, remaining())
	job = claim()
	require.ErrorIs(t, postpone(suspended, replaced), postgres.ErrStale, "also while another execution holds the claim")
	require.Equal(t, post.AttemptPrepared, job.Attempt.State)
	require.NoError(t, postpone(job, replaced))
	require.Equal(t, []string{"REJECTED"}, remaining())
	job = claim()
	require.Equal(t, "EDITED", job.Attempt.Code)
	require.NoError(t, postpone(job, postgres.AttemptResult{N: 1, State: post.AttemptRejected, Code: "LATE"}))
	require.Equal(t, "EDITED", claim().Attempt.Code, "it has ended")

	job = claim()
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(2, "")))
	replaced.N = 2
	require.NoError(t, postpone(job, replaced))
	require.Equal(t, post.AttemptSent, claim().Attempt.State, "the network may have the post")
}
