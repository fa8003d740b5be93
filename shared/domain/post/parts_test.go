package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

func wholeThread(t *testing.T) post.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](), Content: "One", ContentType: post.ContentPost,
		Thread:  []post.Part{{Content: "Two", MediaIDs: []ident.Media{{1}}}, {Content: "Three", MediaIDs: []ident.Media{{1}, {2}}}},
		Comment: post.Comment{Content: "Four", Delay: time.Minute}, Options: post.Options{
			Visibility: "unlisted", Sensitive: new(true), Quote: "https://social.test/1", PollOptions: []string{"A", "B"},
		}, ScheduleAt: time.Now().Add(time.Hour),
	}, time.Now(), post.ActorAPI)
	require.NoError(t, err)
	return change.Post
}

// TestPartsFollowInOrder checks the parts of a published post: each waits for the one before, with the options of the thread.
func TestPartsFollowInOrder(t *testing.T) {
	t.Parallel()
	p := wholeThread(t)
	require.Equal(t, []ident.Media{{1}, {2}}, p.PartMedia())
	require.Equal(t, post.PartsPending, p.PartsState)
	require.Len(t, p.Parts, 4)
	change, err := p.Complete("https://social.test/2", true, time.Now())
	require.NoError(t, err)
	require.Equal(t, post.PartsInProgress, change.Post.PartsState)
	require.Len(t, change.Parts, 3)
	before := p.ID
	for i, part := range change.Parts {
		require.Equal(t, before, part.Post.After.PostID)
		require.Equal(t, p.ID, part.Post.PartOf.RootID)
		require.Equal(t, i+1, part.Post.PartOf.Index)
		require.Equal(t, i == 0, part.Wake)
		require.Equal(t, i != 0, part.Post.Waiting != nil)
		require.Equal(t, "unlisted", part.Post.Options.Visibility)
		require.Equal(t, i < 2, part.Post.Options.Sensitive != nil, "of attachments")
		require.Empty(t, part.Post.Options.Quote)
		require.Empty(t, part.Post.Options.PollOptions)
		before = part.Post.ID
	}
	require.Equal(t, post.PartComment, change.Parts[2].Post.PartOf.Kind)
	require.Equal(t, time.Minute, change.Parts[2].Post.After.Delay)

	removed, err := change.Post.Remove("X", "Spam.", time.Now())
	require.NoError(t, err)
	require.Equal(t, post.PartsPending, removed.Post.PartsState, "the parts are published again with the post")
}

// TestEventsOfParts checks that parts send the events of their root, and only those that end it or need a decision.
func TestEventsOfParts(t *testing.T) {
	t.Parallel()
	part := post.Post{
		ID: ident.New[ident.Post](), WorkspaceID: ident.New[ident.Workspace](), Status: post.Scheduled, Revision: 1, Policy: approval.TwoStep,
		PartOf: post.PartOf{RootID: ident.New[ident.Post](), Index: 2, Kind: post.PartReply},
	}
	require.True(t, part.Cleared(), "it was approved with its post")
	types := func(change post.Change, err error) []event.Type {
		require.NoError(t, err)
		var found []event.Type
		for _, e := range change.Events {
			found = append(found, e.Type)
		}
		return found
	}
	done, err := part.Complete("", true, time.Now())
	require.Empty(t, types(done, err))
	require.Empty(t, done.RootState())
	failed, err := part.Fail(post.Error{Code: post.ErrorOutcomeUnknown}, time.Now())
	require.Equal(t, []event.Type{event.PostPartFailed}, types(failed, err))
	require.Contains(t, string(failed.Events[0].Body), `"part":{"index":2,"kind":"REPLY","status":"UNKNOWN"`)
	require.Equal(t, post.PartsIncomplete, failed.RootState())
	again, err := failed.Post.ContinuePart(time.Now(), post.ActorAPI)
	require.Empty(t, types(again, err))
	require.Equal(t, post.PartsInProgress, again.RootState())
	require.True(t, again.Release, "of the attempt of unknown result")
	_, err = part.ContinuePart(time.Now(), post.ActorAPI)
	require.NoError(t, err)
	part.PartOf.Last = true
	last, err := part.Complete("", true, time.Now())
	require.Equal(t, []event.Type{event.PostCompleted}, types(last, err))
	require.Equal(t, post.PartsComplete, last.RootState())
	_, err = done.Post.ContinuePart(time.Now(), post.ActorAPI)
	require.Error(t, err)
}

// TestEndOfParts ends a thread at its second part, and a post at its first.
func TestEndOfParts(t *testing.T) {
	t.Parallel()
	p := wholeThread(t)
	known := []post.PartState{
		{Index: 1, Kind: post.PartReply, Status: post.PartPublished, URL: "https://social.test/3"},
		{Index: 2, Kind: post.PartReply, Status: post.PartFailed},
		{Index: 9},
	}
	p.Parts = p.States(known)
	require.Equal(t, post.PartPending, p.Parts[3].Status)
	ended, err := p.EndParts(2, time.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.Equal(t, post.PartsComplete, ended.Post.PartsState)
	require.Len(t, ended.Post.Thread, 1)
	require.Len(t, ended.Post.Parts, 2)
	require.True(t, ended.Post.Comment.IsZero())
	require.Equal(t, event.PostCompleted, ended.Events[0].Type)
	alone, err := p.EndParts(1, time.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.Empty(t, alone.Post.PartsState)
	require.Nil(t, alone.Post.Parts)
}

// TestApprovalIsOfAllParts checks that a change of a part ends the approvals of a post, and that of a delay does not.
func TestApprovalIsOfAllParts(t *testing.T) {
	t.Parallel()
	p := wholeThread(t)
	hash := p.ContentHash()
	other := p
	other.Comment.Delay = time.Hour
	require.Equal(t, hash, other.ContentHash())
	other.Comment.Content = "Five"
	require.NotEqual(t, hash, other.ContentHash())
	thread := []post.Part{{Content: "Two", MediaAltTexts: post.AltTexts{{7}: "x"}}}
	_, _, err := p.Edit(post.Edit{Thread: &thread}, time.Now(), post.ActorAPI)
	require.ErrorContains(t, err, "VALIDATION_FAILED")
	require.Equal(t, "/thread/0/mediaAltTexts/"+ident.Media{7}.String(), post.PartFaults(thread)[0].Pointer)
}
