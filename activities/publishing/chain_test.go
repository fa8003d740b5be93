package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/platform"
)

// successor creates a due post that waits for another one.
func (b *bundle) successor(t *testing.T, of post.Post, text string, delay time.Duration, then post.OnFailure) post.Post {
	t.Helper()
	return b.waiting(t, post.NewPost{Content: text}, post.After{PostID: of.ID, Delay: delay, OnFailure: then})
}

// successorOf is successor for a post with the given content, at once and only after the other one.
func (b *bundle) successorOf(t *testing.T, of post.Post, in post.NewPost) post.Post {
	t.Helper()
	return b.waiting(t, in, post.After{PostID: of.ID, OnFailure: post.HoldOnFailure})
}

func (b *bundle) waiting(t *testing.T, in post.NewPost, after post.After) post.Post {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	in.WorkspaceID, in.ChannelID, in.ContentType, in.ScheduleAt = b.ch.WorkspaceID, b.ch.ID, post.ContentPost, now.Add(-time.Second)
	change, err := post.Create(in, now, post.ActorAPI)
	require.NoError(t, err)
	change = change.Chained(after)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	return change.Post
}

// TestSuccessorIsPublishedAfterItsPredecessor publishes a chain in the wrong order: the second post waits, and the publication of the
// first one wakes it, with its address.
func TestSuccessorIsPublishedAfterItsPredecessor(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setup(t, net)
	first := b.due(t, time.Second)
	second := b.successor(t, first, "See {{url}}", 0, post.HoldOnFailure)
	third := b.successor(t, second, "And {{url}}", 0, post.HoldOnFailure)
	for range 2 { // a step may be repeated
		for _, p := range []post.Post{third, second} {
			out := b.publish(t, p)
			require.Equal(t, postflow.NextPublish, out.Next)
			require.True(t, out.At.IsZero(), "no time ends the wait")
			held := b.reload(t, p).Post
			require.Equal(t, post.WaitAfterPost, held.Waiting.Reason)
			require.True(t, held.PublishingSince.IsZero(), "the post can be changed while it waits")
		}
	}
	require.Zero(t, net.commits.Load())
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, first))
	require.Equal(t, []string{"1 SCHEDULED scheduled", "2 SCHEDULED resumed"}, b.plans(t, second))
	require.Equal(t, []string{"1 SCHEDULED scheduled"}, b.plans(t, third))
	second.Revision = 2
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, second))
	got := b.reload(t, second).Post
	require.Equal(t, post.Published, got.Status)
	require.Equal(t, "See https://network.test/1", got.Content, "the text that the network shows")
	third.Revision = 2
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, third))
	require.Equal(t, "And https://network.test/1", b.reload(t, third).Post.Content)
	require.Len(t, net.contents, 3)
	require.Equal(t, "See https://network.test/1", net.contents[1].Text)
}

func TestSuccessorWaitsForItsDelay(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	first := b.due(t, time.Second)
	b.follow(t, first)
	second := b.successor(t, first, "Later", time.Hour, post.HoldOnFailure)
	out := b.publish(t, second)
	at := b.reload(t, first).Post.PublishedAt.Add(time.Hour)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.WithinDuration(t, at, out.At, time.Second, "the worker's clock, after the database's reply")
	require.False(t, out.At.Before(at))
	require.Equal(t, post.WaitAfterPost, b.reload(t, second).Post.Waiting.Reason)
	soon := b.successor(t, first, "Soon", time.Second, post.HoldOnFailure)
	require.Equal(t, []postflow.Next{postflow.NextPublish, postflow.NextDone}, b.follow(t, soon))
}

// TestSuccessorOfUnpublishedPost lets the first post fail, or deletes it, while another one waits for it.
func TestSuccessorOfUnpublishedPost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, b *bundle, first post.Post){
		"failed": func(t *testing.T, b *bundle, first post.Post) {
			t.Helper()
			b.net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
				return platform.Publication{}, fails(platform.ClassRejected, "NO")
			}
			b.follow(t, first)
			b.net.commit = nil
			require.Equal(t, post.Failed, b.reload(t, first).Post.Status)
		},
		"deleted": func(t *testing.T, b *bundle, first post.Post) {
			t.Helper()
			change, err := b.reload(t, first).Post.Delete(time.Now())
			require.NoError(t, err)
			require.NoError(t, b.posts.Delete(t.Context(), change))
		},
	} {
		for _, then := range []post.OnFailure{post.HoldOnFailure, post.CancelOnFailure, post.PublishOnFailure} {
			t.Run(name+", "+string(then), func(t *testing.T) {
				t.Parallel()
				b := setup(t, &network{})
				first := b.due(t, time.Second)
				second := b.successor(t, first, "After it", 0, then)
				require.Equal(t, postflow.NextPublish, b.publish(t, second).Next)
				end(t, b, first)
				require.Equal(t, "2 SCHEDULED resumed", b.plans(t, second)[1])
				second.Revision = 2
				out := b.publish(t, second)
				got := b.reload(t, second).Post
				switch then {
				case post.HoldOnFailure:
					require.Equal(t, postflow.NextPublish, out.Next)
					require.True(t, out.At.IsZero())
					require.Contains(t, out.Note, "was not published")
					require.Equal(t, post.WaitAfterPost, got.Waiting.Reason)
				case post.CancelOnFailure:
					require.Equal(t, postflow.NextSuperseded, out.Next)
					require.Equal(t, post.Draft, got.Status)
					require.Equal(t, "3 DRAFT unscheduled", b.plans(t, second)[2])
				case post.PublishOnFailure:
					require.Equal(t, postflow.NextDone, out.Next)
					require.Equal(t, post.Published, got.Status)
				}
			})
		}
	}
}

// TestHeldSuccessorGoesOnAfterRetry publishes the first post at a second try.
func TestHeldSuccessorGoesOnAfterRetry(t *testing.T) {
	t.Parallel()
	refused := &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, fails(platform.ClassRejected, "NO")
	}}
	b := setup(t, refused)
	first := b.due(t, time.Second)
	second := b.successor(t, first, "After it", 0, post.HoldOnFailure)
	b.follow(t, first)
	b.publish(t, second)
	refused.commit = nil
	again, err := b.reload(t, first).Post.PublishNow(time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, again.Post))
	second.Revision = 2
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, second))
	require.Equal(t, post.Published, b.reload(t, second).Post.Status)
}

// TestAddressOfPredecessorIsRequired fails a post whose text needs an address that the network does not report.
func TestAddressOfPredecessorIsRequired(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{ExternalID: "1"}, nil
	}})
	first := b.due(t, time.Second)
	b.follow(t, first)
	second := b.successor(t, first, "See {{url}}", 0, post.HoldOnFailure)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, second))
	got := b.reload(t, second).Post
	require.Equal(t, post.ErrorContentInvalid, got.Error.Code)
	require.Contains(t, got.Error.Message, "{{url}}")
	require.EqualValues(t, 1, b.net.commits.Load())
}

// TestLostResponseOfSuccessorIsNotRepeatedWithoutAddress deletes the first post after the response to the second was lost: its text
// is no longer known, so that its absence is not certain.
func TestLostResponseOfSuccessorIsNotRepeatedWithoutAddress(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileMatch, reconcile: absentAlways})
	first := b.due(t, time.Second)
	b.follow(t, first)
	second := b.successor(t, first, "See {{url}}", 0, post.HoldOnFailure)
	b.net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, fails(platform.ClassUnknown, "LOST")
	}
	require.Equal(t, postflow.NextReconcile, b.publish(t, second).Next)
	archived, err := b.reload(t, first).Post.Archive(time.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), archived))
	gone, err := archived.Post.Delete(time.Now())
	require.NoError(t, err)
	require.NoError(t, b.posts.Delete(t.Context(), gone))
	job := b.reload(t, second)
	require.Equal(t, post.AttemptUnknown, job.Attempt.State)
	require.Equal(t, post.Predecessor{}, job.Predecessor)
	for range 5 {
		<-time.After(50 * time.Millisecond) // longer than the network may hide a post
		out, err := b.Reconcile(t.Context(), step(second))
		require.NoError(t, err)
		require.Equal(t, postflow.NextReconcile, out.Next)
	}
	require.Equal(t, post.AttemptUnknown, b.reload(t, second).Attempt.State)
	require.EqualValues(t, 2, b.net.commits.Load(), "it is not sent again")
}
