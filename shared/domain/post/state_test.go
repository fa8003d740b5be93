package post_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func in(status post.Status) post.Post {
	p := post.Post{
		ID: ident.New[ident.Post](), WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](),
		Content: "Hello", ContentType: post.ContentPost, Status: status, CreatedAt: now.Add(-time.Hour),
		UpdatedAt: now.Add(-time.Hour), Revision: 7,
	}
	switch status {
	case post.Scheduled, post.PendingApproval:
		p.ScheduledAt = now.Add(time.Hour)
	case post.Failed:
		p.Error = &post.Error{Code: "X", Message: "x", Retryable: true}
	case post.Published:
		p.PublishedAt = now.Add(-time.Minute)
	case post.Archived:
		p.ArchivedFrom = post.Draft
	case post.Draft:
	}
	return p
}

// do applies an action like its use case does.
func do(p post.Post, action post.Action) (post.Change, error) {
	switch action {
	case post.ActionSchedule:
		return p.Schedule(now.Add(2*time.Hour), now, post.ActorAPI)
	case post.ActionPublish:
		return p.PublishNow(now, post.ActorAPI)
	case post.ActionUnschedule:
		return p.Unschedule(now, post.ActorAPI)
	case post.ActionRequestApproval:
		return p.RequestApproval(now, post.ActorAPI)
	case post.ActionApprove:
		return p.Approve(approval.Party{}, "fine", time.Time{}, now, post.ActorAPI)
	case post.ActionReject:
		return p.Reject("no", now, post.ActorAPI)
	case post.ActionEdit:
		change, _, err := p.Edit(post.Edit{Content: new("Another text")}, now, post.ActorAPI)
		return change, err
	case post.ActionDelete:
		return p.Delete(now)
	case post.ActionArchive:
		return p.Archive(now, post.ActorAPI)
	case post.ActionUnarchive:
		return p.Unarchive(now, post.ActorAPI)
	case post.ActionComplete:
		return p.Complete("https://network.test/1", true, now)
	case post.ActionFail:
		return p.Fail(post.Error{Code: "REJECTED", Message: "refused"}, now)
	case post.ActionAwait:
		return p.Await(false, now)
	case post.ActionRemove:
		return p.Remove("YouTube", "The video breaks its rules.", now)
	default:
		return post.Change{}, errors.New("the test does not know the action " + string(action))
	}
}

// cell is the result of an action in a state (docs/contract.md, Post states).
type cell struct {
	to   post.Status // empty: the post is deleted
	emit event.Type  // of several, with spaces between; empty: no event
	// wakes reports whether the post's workflow has to wait for something else, or no longer has to wait.
	wakes bool
}

// cells returns the state table, independently written by hand. A missing cell must be refused with INVALID_STATE.
func cells() map[post.Status]map[post.Action]cell {
	return map[post.Status]map[post.Action]cell{
		post.Draft: {
			post.ActionSchedule:        {post.Scheduled, event.PostScheduled, true},
			post.ActionPublish:         {post.Scheduled, event.PostScheduled, true},
			post.ActionRequestApproval: {post.PendingApproval, event.PostApprovalRequested, true},
			post.ActionEdit:            {post.Draft, event.PostUpdated, false},
			post.ActionDelete:          {"", event.PostDeleted, false},
			post.ActionArchive:         {post.Archived, "", false},
		},
		post.PendingApproval: {
			post.ActionApprove: {post.Scheduled, event.PostApproved + " " + event.PostScheduled, true},
			post.ActionReject:  {post.Draft, event.PostRejected, true},
			post.ActionEdit:    {post.PendingApproval, event.PostUpdated, false},
			post.ActionDelete:  {"", event.PostDeleted, true},
		},
		post.Scheduled: {
			post.ActionSchedule:   {post.Scheduled, event.PostScheduled, true},
			post.ActionPublish:    {post.Scheduled, event.PostScheduled, true},
			post.ActionUnschedule: {post.Draft, event.PostUnscheduled, true},
			post.ActionEdit:       {post.Scheduled, event.PostUpdated, false},
			post.ActionDelete:     {"", event.PostDeleted, true},
			post.ActionComplete:   {post.Published, event.PostPublished, false},
			post.ActionFail:       {post.Failed, event.PostFailed, false},
			post.ActionAwait:      {post.PendingApproval, event.PostApprovalRequested, true},
		},
		post.Published: {
			post.ActionArchive: {post.Archived, "", false},
			post.ActionRemove:  {post.Failed, event.PostFailed, false},
		},
		post.Failed: {
			post.ActionSchedule: {post.Scheduled, event.PostScheduled, true},
			post.ActionPublish:  {post.Scheduled, event.PostScheduled, true},
			post.ActionEdit:     {post.Failed, event.PostUpdated, false},
			post.ActionDelete:   {"", event.PostDeleted, false},
			post.ActionArchive:  {post.Archived, "", false},
		},
		post.Archived: {
			post.ActionUnarchive: {post.Draft, "", false}, // the state from which in archives it
			post.ActionDelete:    {"", event.PostDeleted, false},
		},
	}
}

func TestEveryCellOfStateTable(t *testing.T) {
	t.Parallel()
	for _, from := range post.Statuses() {
		for _, action := range post.Actions() {
			t.Run(string(from)+"/"+string(action), func(t *testing.T) {
				t.Parallel()
				want, allowed := cells()[from][action]
				require.Equal(t, allowed, from.Allows(action))
				if !allowed && (action == post.ActionComplete || action == post.ActionFail) {
					return // decisions of the protocol; the store refuses them by the expected status
				}
				before := in(from)
				change, err := do(before, action)
				if !allowed {
					var e *apperr.Error
					require.ErrorAs(t, err, &e)
					require.Equal(t, apperr.InvalidState, e.Code)
					require.Equal(t, string(from), e.CurrentStatus)
					require.Contains(t, e.Message, string(action))
					require.Zero(t, change)
					return
				}
				require.NoError(t, err)
				require.Equal(t, before, change.From)
				require.Equal(t, now, change.Post.UpdatedAt)
				require.Equal(t, want.wakes, change.Wake)
				require.Equal(t, from == post.Failed && want.wakes, change.Release)
				require.Equal(t, action == post.ActionComplete || action == post.ActionFail, change.Claimed)
				if action == post.ActionEdit {
					require.Equal(t, before.Revision, change.Post.Revision, "the plan is the same")
				} else {
					require.Equal(t, before.Revision+1, change.Post.Revision)
				}
				if want.to == "" {
					require.Empty(t, change.Timeline, "it goes with the post")
				} else {
					require.Equal(t, want.to, change.Post.Status)
					require.Len(t, change.Timeline, 1)
				}
				status := want.to
				if status == "" {
					status = from // of a deleted post, its last state
				}
				for _, e := range change.Events {
					require.Equal(t, before.WorkspaceID, e.WorkspaceID)
					require.JSONEq(t, `"`+string(status)+`"`, field(t, e, "status"))
				}
				require.Equal(t, string(want.emit), emitted(change))
			})
		}
	}
}

// TestStateTableTargetsMatch checks that the targets of every row match the second table.
func TestStateTableTargetsMatch(t *testing.T) {
	t.Parallel()
	several := map[post.Action][]post.Status{
		post.ActionApprove:   {post.Scheduled, post.Draft, post.PendingApproval},
		post.ActionUnarchive: {post.Draft, post.Published, post.Failed},
	}
	rows := 0
	for _, row := range post.Transitions() {
		rows++
		want := cells()[row.From][row.Action]
		targets, ok := several[row.Action]
		if row.Action == post.ActionEdit && (row.From == post.Draft || row.From == post.Scheduled) { // changed after the approval
			targets, ok = []post.Status{row.From, post.PendingApproval}, true
		}
		switch {
		case ok:
			require.Equal(t, targets, row.To)
		case want.to == "":
			require.Empty(t, row.To)
		default:
			require.Equal(t, []post.Status{want.to}, row.To)
		}
	}
	for _, actions := range cells() {
		rows -= len(actions)
	}
	require.Zero(t, rows, "each cell once")
	require.Len(t, post.Actions(), 14)
}

func TestInvalidStateNamesStatus(t *testing.T) {
	t.Parallel()
	_, err := in(post.Draft).Unschedule(now, post.ActorAPI)
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "DRAFT", e.CurrentStatus)
}

func TestChangesAreRefusedWhilePublishing(t *testing.T) {
	t.Parallel()
	p := in(post.Scheduled)
	p.PublishingSince = now
	for _, action := range []post.Action{
		post.ActionSchedule, post.ActionPublish, post.ActionUnschedule, post.ActionEdit, post.ActionDelete,
	} {
		_, err := do(p, action)
		require.True(t, apperr.Is(err, apperr.PublishInProgress), "%s: %v", action, err)
	}
}

func TestApproveDependsOnTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at   time.Time
		want post.Status
		kept time.Time
	}{
		"future":  {now.Add(time.Minute), post.Scheduled, now.Add(time.Minute)},
		"present": {now, post.Draft, time.Time{}},
		"past":    {now.Add(-time.Minute), post.Draft, time.Time{}},
		"none":    {time.Time{}, post.Draft, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := in(post.PendingApproval)
			p.ScheduledAt = c.at
			change, err := p.Approve(approval.Party{}, "", time.Time{}, now, post.ActorAPI)
			require.NoError(t, err)
			require.Equal(t, c.want, change.Post.Status)
			require.Equal(t, c.kept, change.Post.ScheduledAt)
			require.Equal(t, post.ApprovalApproved, change.Post.Approval.Status)
			require.True(t, change.Wake)
		})
	}
}

func TestScheduleRefusesPast(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{now, now.Add(-time.Millisecond), now.Add(-time.Hour)} {
		_, err := in(post.Draft).Schedule(at, now, post.ActorAPI)
		require.True(t, apperr.Is(err, apperr.ScheduledInPast), "%v", err)
	}
}

func TestUnscheduleClearsTime(t *testing.T) {
	t.Parallel()
	change, err := in(post.Scheduled).Unschedule(now, post.ActorAPI)
	require.NoError(t, err)
	require.True(t, change.Post.ScheduledAt.IsZero())
	require.True(t, change.Wake)
}

func TestRejectKeepsIntendedTime(t *testing.T) {
	t.Parallel()
	p := in(post.PendingApproval)
	change, err := p.Reject("not yet", now, post.ActorAPI)
	require.NoError(t, err)
	require.Equal(t, p.ScheduledAt, change.Post.ScheduledAt)
	require.JSONEq(t, `"not yet"`, field(t, change.Events[0], "comment"))
}

func TestRetryOfFailedPostReleasesAttempt(t *testing.T) {
	t.Parallel()
	change, err := in(post.Failed).PublishNow(now, post.ActorAPI)
	require.NoError(t, err)
	require.Nil(t, change.Post.Error)
	require.True(t, change.Release)
	require.Equal(t, now, change.Post.ScheduledAt)
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at     time.Time
		now    bool
		status post.Status
		wake   bool
		events string
	}{
		"draft":     {time.Time{}, false, post.Draft, false, "post.created"},
		"scheduled": {now.Add(time.Hour), false, post.Scheduled, true, "post.created post.scheduled"},
		"now":       {now, true, post.Scheduled, true, "post.created post.scheduled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := post.Create(post.NewPost{ContentType: post.ContentPost, ScheduleAt: c.at, Now: c.now}, now,
				post.ActorAPI)
			require.NoError(t, err)
			require.Equal(t, c.status, change.Post.Status)
			require.Equal(t, c.wake, change.Wake)
			require.Equal(t, c.events, emitted(change))
			require.Equal(t, 1, change.Post.Revision)
			require.Len(t, change.Timeline, 1)
		})
	}
}

func TestCreateRecordsWhetherOptionsWereGiven(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options post.Options
		given   bool
		want    bool
	}{
		"none":           {post.Options{}, false, false},
		"empty":          {post.Options{}, true, true},
		"some":           {post.Options{Visibility: "public"}, false, true},
		"some, and said": {post.Options{Visibility: "public"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := post.Create(post.NewPost{
				ContentType: post.ContentPost, Options: c.options, HasOptions: c.given,
			}, now, post.ActorAPI)
			require.NoError(t, err)
			require.Equal(t, c.want, change.Post.HasOptions)
		})
	}
}

// TestCheckTime checks that only a time in the past, without another fault, has a code of its own.
func TestCheckTime(t *testing.T) {
	t.Parallel()
	other := []apperr.Field{{Pointer: "/content", Message: "is empty"}}
	ahead, past, tooFar := now.Add(time.Hour), now.Add(-time.Hour), now.AddDate(6, 0, 0)
	require.NoError(t, post.CheckTime(nil, "scheduledAt", ahead, now))
	for name, c := range map[string]struct {
		faults []apperr.Field
		at     time.Time
		code   apperr.Code
	}{
		"past":                    {nil, past, apperr.ScheduledInPast},
		"past and another fault":  {other, past, apperr.ValidationFailed},
		"far":                     {nil, tooFar, apperr.ValidationFailed},
		"far and another fault":   {other, tooFar, apperr.ValidationFailed},
		"ahead and another fault": {other, ahead, apperr.ValidationFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := post.CheckTime(c.faults, "scheduledAt", c.at, now)
			require.True(t, apperr.Is(err, c.code), "%v", err)
		})
	}
}

func TestTimelineDetails(t *testing.T) {
	t.Parallel()
	pending, scheduled := in(post.PendingApproval), in(post.Scheduled)
	for want, decide := range map[string]func() (post.Change, error){
		"Rejected: not yet.": func() (post.Change, error) { return pending.Reject("not yet.", now, post.ActorAPI) },
		"Rejected.":          func() (post.Change, error) { return pending.Reject("", now, post.ActorAPI) },
		"Published at https://network.test/1": func() (post.Change, error) {
			return scheduled.Complete("https://network.test/1", true, now)
		},
		"Published.": func() (post.Change, error) { return scheduled.Complete("", true, now) },
	} {
		change, err := decide()
		require.NoError(t, err)
		require.Equal(t, want, change.Timeline[0].Detail)
	}
}

func TestCompleteReleasesClaim(t *testing.T) {
	t.Parallel()
	p := in(post.Scheduled)
	p.PublishingSince = now.Add(-time.Second)
	p.Waiting = &post.Waiting{Reason: post.WaitReconciling, Until: now}
	change, err := p.Complete("https://network.test/1", true, now)
	require.NoError(t, err)
	require.True(t, change.Claimed)
	require.True(t, change.Post.PublishingSince.IsZero())
	require.Nil(t, change.Post.Waiting)
	require.Equal(t, now, change.Post.PublishedAt)
	require.JSONEq(t, `"https://network.test/1"`, field(t, change.Events[0], "postUrl"))
	require.JSONEq(t, `true`, field(t, change.Events[0], "confirmed"))
	require.JSONEq(t, `null`, field(t, change.Events[0], "error"))
}

func TestFailReportsReason(t *testing.T) {
	t.Parallel()
	change, err := in(post.Scheduled).Fail(post.Error{Code: "REJECTED", Message: "too long", Retryable: false}, now)
	require.NoError(t, err)
	require.JSONEq(t, `{"code":"REJECTED","message":"too long","retryable":false}`, field(t, change.Events[0], "error"))
	require.JSONEq(t, `"FAILED"`, field(t, change.Events[0], "status"))
}

// TestRemovedPostIsNotPublished checks that a removed post keeps nothing of its publication.
func TestRemovedPostIsNotPublished(t *testing.T) {
	t.Parallel()
	p := in(post.Published)
	p.PostURL, p.Confirmed = "https://network.test/1", new(true)
	change, err := p.Remove("YouTube", "The video breaks its rules.", now)
	require.NoError(t, err)
	require.Equal(t, &post.Error{
		Code: "PLATFORM_REMOVED", Message: "YouTube removed the post after it was published: The video breaks its rules.",
	}, change.Post.Error)
	require.Zero(t, change.Post.PublishedAt)
	require.Empty(t, change.Post.PostURL)
	require.Nil(t, change.Post.Confirmed)
	require.False(t, change.Claimed, "a person may act on the post meanwhile")
}

// TestPostInReviewRefusesChanges checks that the refusal says how long the review may take.
func TestPostInReviewRefusesChanges(t *testing.T) {
	t.Parallel()
	p := in(post.Scheduled)
	p.PublishingSince = now
	p.Waiting = &post.Waiting{Reason: post.WaitReview, Until: now, Deadline: now.Add(24 * time.Hour)}
	require.Equal(t, now.Add(24*time.Hour), p.EffectiveWaiting().Until)
	_, err := p.Unschedule(now, post.ActorAPI)
	require.True(t, apperr.Is(err, apperr.PublishInProgress))
	require.ErrorContains(t, err, "reviews it")
	require.ErrorContains(t, err, event.FormatTime(p.Waiting.Deadline))
}

func TestPostponeKeepsStatus(t *testing.T) {
	t.Parallel()
	p := in(post.Scheduled)
	p.PublishingSince = now
	for release, since := range map[bool]time.Time{true: {}, false: now} {
		change := p.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: now.Add(time.Minute)}, release, now,
			"The network is down.")
		require.Equal(t, p.Revision, change.Post.Revision)
		require.Equal(t, post.Scheduled, change.Post.Status)
		require.Empty(t, change.Events)
		require.Equal(t, since, change.Post.PublishingSince)
	}
}

func TestEffectiveWaiting(t *testing.T) {
	t.Parallel()
	require.Nil(t, in(post.Draft).EffectiveWaiting())
	p := in(post.Scheduled)
	require.Equal(t, &post.Waiting{Reason: post.WaitTime, Until: p.ScheduledAt}, p.EffectiveWaiting())
	p.Waiting = &post.Waiting{Reason: post.WaitRetrying, Until: now}
	require.Equal(t, post.WaitRetrying, p.EffectiveWaiting().Reason)
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []post.ContentType{post.ContentPost, post.ContentReel, post.ContentStory, post.ContentVideo} {
		require.True(t, c.Known())
	}
	require.False(t, post.ContentType("POLL").Known())
	require.False(t, post.Status("LIVE").Known())
}
