package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// places returns the next n places of the queue by the numbers of their posts; -1: a free slot.
func (q queue) places(t *testing.T, n int, posts []post.Post) []int {
	t.Helper()
	found, err := q.Queue(t.Context(), q.client, q.accounts[0].ID, start.AddDate(0, 0, 14))
	require.NoError(t, err)
	order := make([]int, n)
	for i := range order {
		order[i] = -1
		for k, one := range posts {
			if found.Places[i].Post.ID == one.ID {
				order[i] = k
			}
		}
	}
	return order
}

func (q queue) moves(t *testing.T, of post.Post, from, to time.Time) ([]app.PostMove, []app.UpdateResult) {
	t.Helper()
	moves, results, err := q.MoveInQueue(t.Context(), q.client, q.accounts[0].ID, app.PostMove{ID: of.ID, From: from, To: to})
	require.NoError(t, err)
	return moves, results
}

// TestMovingInQueue moves posts to places that others have, to a free slot and to the top, and undoes it.
func TestMovingInQueue(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	slots := firstDaily(6)
	posts := []post.Post{q.next(t, 0)[0], q.next(t, 0)[0], q.next(t, 0)[0], q.next(t, 0)[0]}
	require.Equal(t, []int{0, 1, 2, 3, -1, -1}, q.places(t, 6, posts))

	moves, results := q.moves(t, posts[1], slots[1], slots[0])
	require.Equal(t, []app.PostMove{{posts[1].ID, slots[1], slots[0]}, {posts[0].ID, slots[0], slots[1]}}, moves)
	require.Len(t, results, 2)
	require.Equal(t, []int{1, 0, 2, 3, -1, -1}, q.places(t, 6, posts), "neighbors swap")

	q.moves(t, posts[3], slots[3], slots[0])
	require.Equal(t, []int{3, 1, 0, 2, -1, -1}, q.places(t, 6, posts), "to the top: the others move on")
	q.moves(t, posts[1], slots[1], slots[5])
	require.Equal(t, []int{3, -1, 0, 2, -1, 1}, q.places(t, 6, posts), "to a free slot: the others stay")
	moves, _ = q.moves(t, posts[2], slots[3], slots[0])
	require.Equal(t, []int{2, 3, 0, -1, -1, 1}, q.places(t, 6, posts), "the free slot takes the last one that has to move")

	back := make([]app.PostMove, len(moves))
	for i, m := range moves {
		back[i] = m.Back()
	}
	_, err := q.MovePosts(t.Context(), q.client, back)
	require.NoError(t, err)
	require.Equal(t, []int{3, -1, 0, 2, -1, 1}, q.places(t, 6, posts))
}

// TestMovesOfSeveralPostsAreAllOrNone checks that one refusal keeps all posts where they are, without events and timeline
// entries, and that each post has its own outcome.
func TestMovesOfSeveralPostsAreAllOrNone(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	slots := firstDaily(4)
	posts := []post.Post{q.next(t, 0)[0], q.next(t, 0)[0]}
	events := func() []string {
		return postgrestest.Column(t, q.address, `SELECT count(*)::text FROM event UNION ALL SELECT count(*)::text FROM post_timeline`)
	}
	before := events()
	results, err := q.MovePosts(t.Context(), q.client, []app.PostMove{
		{posts[0].ID, slots[0], slots[2]}, {posts[1].ID, slots[1], start.Add(-time.Hour)}, {ident.New[ident.Post](), slots[1], slots[3]},
	})
	require.NoError(t, err)
	require.NoError(t, results[0].Err)
	require.True(t, apperr.Is(results[1].Err, apperr.ScheduledInPast), "%v", results[1].Err)
	require.True(t, apperr.Is(results[2].Err, apperr.NotFound), "%v", results[2].Err)
	require.Equal(t, []int{0, 1}, q.places(t, 2, posts))
	require.Equal(t, before, events())

	_, err = q.MovePosts(t.Context(), q.client, []app.PostMove{{posts[0].ID, slots[0], slots[2]}, {posts[0].ID, slots[0], slots[3]}})
	require.True(t, apperr.Is(err, apperr.ValidationFailed), "%v", err)

	// Someone else moves the post in between: the later one is refused.
	q.moves(t, posts[0], slots[0], slots[2])
	moves, results := q.moves(t, posts[0], slots[0], slots[3])
	require.Len(t, moves, 1)
	require.True(t, apperr.Is(results[0].Err, apperr.PreconditionFailed), "%v", results[0].Err)
	require.Equal(t, slots[1:3], q.held(t, 0))
}

// TestTwoPeopleArrangeAQueueAtOnce checks that of concurrent moves of one post one is made, and that no post gets lost.
func TestTwoPeopleArrangeAQueueAtOnce(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	slots := firstDaily(5)
	posts := q.next(t, 0)
	for range 4 {
		posts = append(posts, q.next(t, 0)...)
	}
	refused := make(chan error, 4)
	runs := make([]func() error, 0, 4)
	for i := range 4 {
		runs = append(runs, func() error {
			_, results, err := q.MoveInQueue(context.WithoutCancel(t.Context()), q.client, q.accounts[0].ID,
				app.PostMove{ID: posts[4].ID, From: slots[4], To: slots[i]})
			if err == nil && results[0].Err != nil {
				refused <- results[0].Err
			}
			return err
		})
	}
	require.Empty(t, together(runs))
	require.Len(t, refused, 3)
	require.True(t, apperr.Is(<-refused, apperr.PreconditionFailed))
	require.Equal(t, slots, q.held(t, 0))
}

// TestShufflingKeepsTheTimes checks that posts get each other's times, that posts in review and published ones stay, and that
// one post alone stays too.
func TestShufflingKeepsTheTimes(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2)
	until := start.AddDate(0, 0, 14)
	posts := []post.Post{q.next(t, 0)[0], q.next(t, 0)[0], q.next(t, 0)[0]}
	q.next(t, 1)
	review, err := q.EditPost(t.Context(), q.client, q.draft(t, 0).ID, func(post.Post) (post.Edit, error) {
		at := start.Add(time.Hour)
		return post.Edit{ScheduledAt: &at}, nil
	})
	require.NoError(t, err)
	_, err = q.RequestApproval(t.Context(), q.client, review.ID)
	require.NoError(t, err)
	moves, results, err := q.ShuffleQueue(t.Context(), q.client, q.accounts[0].ID, until)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(moves), 2)
	for _, r := range results {
		require.NoError(t, r.Err)
		require.NotEqual(t, review.ID, r.Post.ID)
	}
	require.Equal(t, firstDaily(3), q.held(t, 0))
	require.NotEqual(t, []int{0, 1, 2}, q.places(t, 4, posts)[1:])
	moves, _, err = q.ShuffleQueue(t.Context(), q.client, q.accounts[1].ID, until)
	require.NoError(t, err)
	require.Empty(t, moves)

	foreign := q.tenant(t.Context(), t)
	_, _, err = q.ShuffleQueue(t.Context(), foreign, q.accounts[0].ID, until)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	_, err = q.Queue(t.Context(), foreign, q.accounts[0].ID, until)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

// TestNextSlotsOfChannels compares the next free slots of all channels with the ones that posts get.
func TestNextSlotsOfChannels(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3)
	q.next(t, 0)
	q.next(t, 0)
	require.NoError(t, q.PauseChannel(t.Context(), q.client, q.accounts[2].ID))
	found, err := q.Channels(t.Context(), q.client)
	require.NoError(t, err)
	next, err := q.NextSlots(t.Context(), q.client, found)
	require.NoError(t, err)
	require.Equal(t, map[ident.Channel]time.Time{
		q.accounts[0].ID: firstDaily(3)[2], q.accounts[1].ID: firstDaily(1)[0],
	}, next)
}

// TestCopyingASchedule copies weekly times to other channels, all or none.
func TestCopyingASchedule(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3)
	of := func(c int) []slot.Slot {
		found, err := q.ChannelSchedule(t.Context(), q.client, q.accounts[c].ID)
		require.NoError(t, err)
		return found.Slots
	}
	monday := []slot.Slot{{Weekday: time.Monday, Hour: 12}}
	require.NoError(t, q.SetSchedule(t.Context(), q.client, q.accounts[0].ID, monday))
	err := q.CopySchedule(t.Context(), q.client, q.accounts[0].ID, []ident.Channel{q.accounts[1].ID, ident.New[ident.Channel]()})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.Len(t, of(1), 14)
	require.NoError(t, q.CopySchedule(t.Context(), q.client, q.accounts[0].ID, []ident.Channel{q.accounts[1].ID, q.accounts[2].ID}))
	require.Equal(t, monday, of(1))
	require.Equal(t, monday, of(2))
}
