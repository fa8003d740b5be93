package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// setOf creates a set of drafts on channels of X, the last of which has its own text.
func (b *bundle) setOf(t *testing.T, p app.Principal, n int) []post.Post {
	t.Helper()
	in := app.CreatePosts{Content: "base", Title: "base", ContentType: post.ContentPost, Labels: []string{"Spring"}}
	for range n {
		in.ChannelIDs = append(in.ChannelIDs, b.channel(t.Context(), t, p, "UTC").ID)
	}
	in.Variants = []app.Variant{{ChannelID: in.ChannelIDs[n-1], Content: new("own")}}
	created, err := b.CreatePosts(t.Context(), p, in)
	require.NoError(t, err)
	return created
}

// TestBaseChangesKeepWhatDiffers changes the base of a set and single posts at random, and compares them with a model that
// knows of each member of a post whether it is the post's own.
func TestBaseChangesKeepWhatDiffers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	rapid.Check(t, func(rt *rapid.T) {
		created := b.setOf(t, p, 3)
		group := created[0].GroupID
		type member struct {
			text string
			own  bool
		}
		contents := []member{{text: "base"}, {text: "base"}, {text: "own", own: true}}
		titles := []member{{text: "base"}, {text: "base"}, {text: "base"}}
		for range rapid.IntRange(1, 8).Draw(rt, "edits") {
			text := rapid.StringMatching(`[a-c]{1,2}`).Draw(rt, "text")
			which, of := contents, func() post.Edit { return post.Edit{Content: &text} }
			if rapid.Bool().Draw(rt, "title") {
				which, of = titles, func() post.Edit { return post.Edit{Title: &text} }
			}
			if at := rapid.IntRange(-1, 2).Draw(rt, "post"); at >= 0 {
				_, err := b.EditPost(t.Context(), p, created[at].ID, func(post.Post) (post.Edit, error) { return of(), nil })
				require.NoError(rt, err)
				which[at] = member{text: text, own: which[at].own || which[at].text != text}
				continue
			}
			results, err := b.EditSet(t.Context(), p, group, of())
			require.NoError(rt, err)
			require.Len(rt, results, 3)
			for i, r := range results {
				require.NoError(rt, r.Err)
				require.Equal(rt, which[i].own, len(r.Kept) > 0)
				require.Equal(rt, !which[i].own && which[i].text != text, r.Changed)
				if !which[i].own {
					which[i].text = text
				}
			}
		}
		got, err := b.SetPosts(t.Context(), p, group)
		require.NoError(rt, err)
		for i, of := range got {
			require.Equal(rt, created[i].ID, of.ID)
			require.Equal(rt, member{of.Content, slices.Contains(of.Own, post.MemberContent)}, contents[i])
			require.Equal(rt, member{of.Title, slices.Contains(of.Own, post.MemberTitle)}, titles[i])
		}
	})
}

func TestActionsOnSetTellWhatHappenedToEachPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	created := b.setOf(t, p, 2)
	group := created[0].GroupID
	at := b.clock.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	_, err := b.SchedulePost(t.Context(), p, created[0].ID, at)
	require.NoError(t, err)

	moved, err := b.MoveSet(t.Context(), p, group, func(post.Post) time.Time { return at.Add(time.Hour) })
	require.NoError(t, err)
	require.Equal(t, []bool{true, true}, []bool{moved[0].Changed, moved[1].Changed})
	require.Equal(t, post.Scheduled, moved[0].After.Status)
	require.Equal(t, post.Draft, moved[1].After.Status, "a draft gets its intended time")
	require.Equal(t, moved[0].After.ScheduledAt, moved[1].After.ScheduledAt)

	requested, err := b.RequestApprovalOfSet(t.Context(), p, group)
	require.NoError(t, err)
	require.True(t, apperr.Is(requested[0].Err, apperr.InvalidState), requested[0].Err)
	require.False(t, requested[0].Changed)
	require.Equal(t, post.PendingApproval, requested[1].After.Status)

	copied, err := b.DuplicateSet(t.Context(), p, group)
	require.NoError(t, err)
	require.Len(t, copied, 2)
	require.NotEqual(t, group, copied[0].After.GroupID)
	require.Equal(t, copied[0].After.GroupID, copied[1].After.GroupID)
	for i, c := range copied {
		require.Equal(t, created[i].ID, c.Before.ID)
		require.Equal(t, post.Draft, c.After.Status)
		require.Equal(t, created[i].Content, c.After.Content)
		require.Equal(t, created[i].Own, c.After.Own)
		require.Equal(t, []string{"Spring"}, c.After.Labels)
	}

	deleted, err := b.DeleteSet(t.Context(), p, group)
	require.NoError(t, err)
	require.Equal(t, []bool{true, true}, []bool{deleted[0].Changed, deleted[1].Changed})
	_, err = b.SetPosts(t.Context(), p, group)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestSetsAreApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	created := b.setOf(t, ours, 2)
	for name, id := range map[string]ident.Group{
		"of another workspace": created[0].GroupID, "a post of a set is no set": ident.Group(created[0].ID),
		"unknown": ident.New[ident.Group](),
	} {
		p := ours
		if name == "of another workspace" {
			p = theirs
		}
		_, err := b.DeleteSet(t.Context(), p, id)
		require.True(t, apperr.Is(err, apperr.NotFound), "%s: %v", name, err)
	}
	alone, err := b.CreatePosts(t.Context(), ours, app.CreatePosts{ChannelIDs: []ident.Channel{created[0].ChannelID}})
	require.NoError(t, err)
	found, err := b.SetPosts(t.Context(), ours, alone[0].GroupID)
	require.NoError(t, err)
	require.Len(t, found, 1, "a post that was created alone is a set of its own")
}

func TestLabelsOfPostsFollow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, other := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	created := b.setOf(t, p, 2)
	foreign := b.setOf(t, other, 2)
	labelsOf := func(who app.Principal, id ident.Post) []string {
		got, err := b.Post(t.Context(), who, id)
		require.NoError(t, err)
		return got.Labels
	}
	_, err := b.EditPost(t.Context(), p, created[1].ID, func(post.Post) (post.Edit, error) {
		return post.Edit{Labels: &[]string{"SPRING", "Sale"}}, nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"Spring", "Sale"}, labelsOf(p, created[1].ID), "in the spelling of the workspace")

	color := post.LabelColors()[3]
	require.NoError(t, b.ChangeLabel(t.Context(), p, "spring", post.Label{Name: "Frühling", Color: color}))
	require.Equal(t, []string{"Frühling"}, labelsOf(p, created[0].ID))
	require.Equal(t, []string{"Frühling", "Sale"}, labelsOf(p, created[1].ID))
	require.Equal(t, []string{"Spring"}, labelsOf(other, foreign[0].ID), "labels belong to a workspace")

	require.NoError(t, b.ChangeLabel(t.Context(), p, "SALE", post.Label{Name: "Sale", Color: color}))
	require.NoError(t, b.AddLabel(t.Context(), p, post.Label{Name: "Zebra ", Color: color}))
	list, err := b.LabelUses(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []postgres.LabelUse{
		{Label: post.Label{Name: "Frühling", Color: color}, Posts: 2},
		{Label: post.Label{Name: "Sale", Color: color}, Posts: 1},
		{Label: post.Label{Name: "Zebra", Color: color}},
	}, list)
	names, err := b.Labels(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []post.Label{list[0].Label, list[1].Label, list[2].Label}, names)

	for name, err := range map[string]error{
		"unknown":    b.ChangeLabel(t.Context(), p, "none", post.Label{Name: "x", Color: color}),
		"of another": b.DeleteLabel(t.Context(), other, "Sale"),
	} {
		require.True(t, apperr.Is(err, apperr.NotFound), "%s: %v", name, err)
	}
	for name, err := range map[string]error{
		"/name":            b.ChangeLabel(t.Context(), p, "Sale", post.Label{Name: "FRÜHLING", Color: color}),
		"/name /color":     b.ChangeLabel(t.Context(), p, "Sale", post.Label{Name: " ", Color: "#000"}),
		"/name (added)":    b.AddLabel(t.Context(), p, post.Label{Name: "SALE", Color: color}),
		"/color":           b.AddLabel(t.Context(), p, post.Label{Name: "New"}),
		"/into":            b.MergeLabels(t.Context(), p, "Sale", "sale"),
		"/into (no label)": b.MergeLabels(t.Context(), p, "Sale", "none"),
	} {
		var got []string
		for _, f := range apperr.FieldsOf(err) {
			got = append(got, f.Pointer)
		}
		want, _, _ := strings.Cut(name, " (")
		require.Equal(t, want, strings.Join(got, " "), "%s: %v", name, err)
	}
	viewer := p
	viewer.Key.Scopes = []credential.Scope{credential.PostsWrite}
	for _, err := range []error{
		b.AddLabel(t.Context(), viewer, post.Label{Name: "New", Color: color}), b.DeleteLabel(t.Context(), viewer, "Sale"),
	} {
		require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
	}

	require.NoError(t, b.MergeLabels(t.Context(), p, "Sale", "Frühling"))
	require.Equal(t, []string{"Frühling"}, labelsOf(p, created[1].ID), "once")
	require.NoError(t, b.ChangeLabel(t.Context(), p, "frühling", post.Label{Name: "FRÜHLING", Color: color}))
	require.Equal(t, []string{"FRÜHLING"}, labelsOf(p, created[0].ID))
	require.NoError(t, b.DeleteLabel(t.Context(), p, "Frühling"))
	require.NoError(t, b.DeleteLabel(t.Context(), p, "zebra"))
	require.Empty(t, labelsOf(p, created[0].ID))
	list, err = b.LabelUses(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, list)
}
