package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// TestActionOnSelectedPostsTellsWhatHappenedToEach moves fifty posts, of which some cannot be moved.
func TestActionOnSelectedPostsTellsWhatHappenedToEach(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, other := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	created := b.setOf(t, p, 50)
	foreign := b.setOf(t, other, 2)[0].ID
	at := b.clock.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	ids := make([]ident.Post, 0, 52)
	for i, of := range created {
		if i%2 == 0 {
			_, err := b.SchedulePost(t.Context(), p, of.ID, at)
			require.NoError(t, err)
		}
		ids = append(ids, of.ID)
	}
	ids = append(ids, ids[0], foreign)
	day, err := wallclock.ParseShift("P1D")
	require.NoError(t, err)
	results, err := b.ActOnPosts(t.Context(), p, ids, app.PostsAction{ShiftBy: day})
	require.NoError(t, err)
	require.Len(t, results, 51, "each post once")
	for i, r := range results[:50] {
		require.Equal(t, created[i].ID, r.Before.ID)
		if i%2 == 0 {
			require.NoError(t, r.Err)
			require.Equal(t, at.Add(24*time.Hour), r.After.ScheduledAt)
			continue
		}
		require.True(t, apperr.Is(r.Err, apperr.ValidationFailed), "a draft without a time: %v", r.Err)
		require.False(t, r.Changed)
	}
	require.True(t, apperr.Is(results[50].Err, apperr.NotFound), results[50].Err)
	got, err := b.Post(t.Context(), other, foreign)
	require.NoError(t, err)
	require.True(t, got.ScheduledAt.IsZero())

	_, err = b.ActOnPosts(t.Context(), p, []ident.Post{foreign}, app.PostsAction{Do: post.ActionDelete})
	require.True(t, apperr.Is(err, apperr.NotFound), err)
	_, err = b.DuplicatePosts(t.Context(), p, []ident.Post{foreign})
	require.True(t, apperr.Is(err, apperr.NotFound), err)
}

func TestSelectedPostsHaveALimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	ids := make([]ident.Post, app.MaxSelected+1)
	for i := range ids {
		ids[i] = ident.New[ident.Post]()
	}
	_, err := b.ActOnPosts(t.Context(), p, ids, app.PostsAction{Do: post.ActionDelete})
	require.Equal(t, "/posts", apperr.FieldsOf(err)[0].Pointer)
	_, err = b.ActOnPosts(t.Context(), p, ids[:1], app.PostsAction{AddLabel: "a\nb"})
	require.Equal(t, "/label", apperr.FieldsOf(err)[0].Pointer)
}

// TestLabelsOfSelectedPosts adds and removes a label, in the spelling of the workspace and up to the limit of a post.
func TestLabelsOfSelectedPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	created := b.setOf(t, p, 2)
	full := make([]string, post.MaxLabels)
	for i := range full {
		full[i] = fmt.Sprintf("Label %d", i)
	}
	_, err := b.EditPost(t.Context(), p, created[1].ID, func(post.Post) (post.Edit, error) { return post.Edit{Labels: &full}, nil })
	require.NoError(t, err)
	ids := []ident.Post{created[0].ID, created[1].ID}
	results, err := b.ActOnPosts(t.Context(), p, ids, app.PostsAction{AddLabel: "Autumn"})
	require.NoError(t, err)
	require.Equal(t, []string{"Spring", "Autumn"}, results[0].After.Labels)
	require.True(t, apperr.Is(results[1].Err, apperr.ValidationFailed), results[1].Err)
	results, err = b.ActOnPosts(t.Context(), p, ids, app.PostsAction{AddLabel: "SPRING"})
	require.NoError(t, err)
	require.False(t, results[0].Changed)
	results, err = b.ActOnPosts(t.Context(), p, ids, app.PostsAction{RemoveLabel: "autumn"})
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, []bool{results[0].Changed, results[1].Changed})
	require.Equal(t, []string{"Spring"}, results[0].After.Labels)
}

// TestDuplicatesOfOneSetAreASet duplicates two posts of a set and one of another.
func TestDuplicatesOfOneSetAreASet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	first, second := b.setOf(t, p, 3), b.setOf(t, p, 2)
	results, err := b.DuplicatePosts(t.Context(), p, []ident.Post{first[0].ID, second[0].ID, first[2].ID})
	require.NoError(t, err)
	require.Len(t, results, 3)
	require.Equal(t, results[0].After.GroupID, results[2].After.GroupID)
	require.True(t, results[0].After.InSet())
	require.False(t, results[1].After.InSet())
	require.NotEqual(t, first[0].GroupID, results[0].After.GroupID)
}
