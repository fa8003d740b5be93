package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

func after(delay time.Duration, then post.OnFailure) post.After {
	return post.After{PostID: ident.New[ident.Post](), Delay: delay, OnFailure: then}
}

func TestTurnAfterPredecessor(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	published := func(at time.Time) post.Predecessor { return post.Predecessor{Status: post.Published, PublishedAt: at} }
	for name, c := range map[string]struct {
		after  post.After
		before post.Predecessor
		turn   post.Turn
		at     time.Time
	}{
		"no predecessor":           {turn: post.TurnPublish, at: due},
		"published before":         {after(0, post.HoldOnFailure), published(due.Add(-time.Hour)), post.TurnPublish, due},
		"published late":           {after(0, post.HoldOnFailure), published(due.Add(time.Hour)), post.TurnPublish, due.Add(time.Hour)},
		"delay":                    {after(time.Minute, post.HoldOnFailure), published(due), post.TurnPublish, due.Add(time.Minute)},
		"delay over":               {after(time.Minute, post.HoldOnFailure), published(due.Add(-time.Hour)), post.TurnPublish, due},
		"archived after":           {after(0, post.HoldOnFailure), post.Predecessor{Status: post.Archived, PublishedAt: due}, post.TurnPublish, due},
		"draft":                    {after(0, post.CancelOnFailure), post.Predecessor{Status: post.Draft}, post.TurnWait, time.Time{}},
		"waits for approval":       {after(0, post.PublishOnFailure), post.Predecessor{Status: post.PendingApproval}, post.TurnWait, time.Time{}},
		"scheduled":                {after(0, post.PublishOnFailure), post.Predecessor{Status: post.Scheduled}, post.TurnWait, time.Time{}},
		"failed, hold":             {after(0, post.HoldOnFailure), post.Predecessor{Status: post.Failed}, post.TurnWait, time.Time{}},
		"failed, cancel":           {after(0, post.CancelOnFailure), post.Predecessor{Status: post.Failed}, post.TurnCancel, time.Time{}},
		"failed, publish":          {after(time.Hour, post.PublishOnFailure), post.Predecessor{Status: post.Failed}, post.TurnPublish, due},
		"deleted, hold":            {after(0, post.HoldOnFailure), post.Predecessor{}, post.TurnWait, time.Time{}},
		"deleted, cancel":          {after(0, post.CancelOnFailure), post.Predecessor{}, post.TurnCancel, time.Time{}},
		"deleted, publish":         {after(0, post.PublishOnFailure), post.Predecessor{}, post.TurnPublish, due},
		"archived as a draft":      {after(0, post.CancelOnFailure), post.Predecessor{Status: post.Archived}, post.TurnCancel, time.Time{}},
		"failed after publication": {after(0, post.HoldOnFailure), post.Predecessor{Status: post.Failed}, post.TurnWait, time.Time{}},
	} {
		turn, at := post.Post{Status: post.Scheduled, ScheduledAt: due, After: c.after}.TurnAfter(c.before)
		require.Equal(t, c.turn, turn, name)
		require.Equal(t, c.at, at, name)
	}
}

func TestTextHasAddressOfPredecessor(t *testing.T) {
	t.Parallel()
	p := post.Post{Content: "New video: {{url}} ({{url}})", After: after(0, post.HoldOnFailure)}
	require.True(t, p.Refers())
	require.Equal(t, "New video: https://a.test/1 (https://a.test/1)", p.With("https://a.test/1").Content)
	require.Regexp(t, `^New video: https://\S{40,60} `, p.With("").Content, "as long as an address")
	thread := post.Post{
		Content: "No address", After: p.After, Thread: []post.Part{{Content: "Watch {{url}}"}}, Comment: post.Comment{Content: "{{url}}"},
	}
	require.True(t, thread.Refers())
	resolved := thread.With("https://a.test/1")
	require.Equal(t, "No address\nWatch https://a.test/1\nhttps://a.test/1", resolved.Texts())
	require.Equal(t, "Watch {{url}}", thread.Thread[0].Content, "the post stays as it is")
	alone := post.Post{Content: "The placeholder is {{url}}."}
	require.False(t, alone.Refers())
	require.Equal(t, alone.Content, alone.With("https://a.test/1").Content, "without a predecessor it is a text")
	require.Empty(t, p.After.Fault(p.Content))
	require.Empty(t, post.After{}.Fault(p.Content))
	require.Contains(t, after(0, post.PublishOnFailure).Fault(p.Content), "{{url}}")
	require.Empty(t, after(0, post.PublishOnFailure).Fault("No address"))
}

func TestCancelReturnsPostToDraft(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	p := post.Post{ID: ident.New[ident.Post](), Status: post.Scheduled, ScheduledAt: now, PublishingSince: now, Revision: 3}
	change, err := p.Cancel(now)
	require.NoError(t, err)
	require.Equal(t, post.Draft, change.Post.Status)
	require.True(t, change.Post.ScheduledAt.IsZero() && change.Post.PublishingSince.IsZero())
	require.True(t, change.Claimed && change.Wake && change.GivesUp())
	require.Equal(t, 4, change.Post.Revision)
	require.Equal(t, event.PostUnscheduled, change.Events[0].Type)
}

// TestChangeOfPredecessorIsNewPlan edits what a scheduled post waits for: its workflow must learn of it.
func TestChangeOfPredecessorIsNewPlan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	first := after(time.Minute, post.HoldOnFailure)
	p := post.Post{
		ID: ident.New[ident.Post](), Status: post.Scheduled, ScheduledAt: now, Revision: 3, After: first,
		Waiting: &post.Waiting{Reason: post.WaitAfterPost},
	}
	change, changed, err := p.Edit(post.Edit{After: &post.After{}}, now, post.ActorAPI)
	require.NoError(t, err)
	require.True(t, changed && change.Wake)
	require.Equal(t, 4, change.Post.Revision)
	require.Nil(t, change.Post.Waiting)
	require.True(t, change.Post.After.IsZero())
	_, changed, err = p.Edit(post.Edit{After: &first}, now, post.ActorAPI)
	require.NoError(t, err)
	require.False(t, changed)
	draft := post.Post{ID: p.ID, Status: post.Draft}
	change, changed, err = draft.Edit(post.Edit{After: &first}, now, post.ActorAPI)
	require.NoError(t, err)
	require.True(t, changed)
	require.False(t, change.Wake, "a draft has no workflow")
	require.Equal(t, first, change.Post.After)
}

func TestWaitForAnotherPostIsNoDelay(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	p := post.Post{Status: post.Scheduled, ScheduledAt: due, Waiting: &post.Waiting{Reason: post.WaitAfterPost, Until: due.Add(48 * time.Hour)}}
	require.Equal(t, due.Add(48*time.Hour), p.DueAt())
	p.Waiting.Until = time.Time{}
	require.Equal(t, due, p.DueAt())
}
