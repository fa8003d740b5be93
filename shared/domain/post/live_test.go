package post_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var liveAt = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func livePost(media ...ident.Media) post.Post {
	return post.Post{
		ID: ident.New[ident.Post](), WorkspaceID: ident.New[ident.Workspace](), Content: "Old", Status: post.Published,
		PublishedAt: liveAt, UpdatedAt: liveAt, PostURL: "https://t.me/acme/1", MediaIDs: media,
	}
}

func TestOnlyPublishedPostsCanChangeLive(t *testing.T) {
	t.Parallel()
	for _, status := range post.Statuses() {
		p := livePost()
		p.Status = status
		for _, action := range []post.LiveAction{post.LiveEdit, post.LiveDelete} {
			change, err := p.ChangeLive(action, "New", liveAt, "Dana")
			require.Equal(t, status == post.Published, err == nil, "%s %s", status, action)
			if err != nil {
				require.True(t, apperr.Is(err, apperr.InvalidState))
				continue
			}
			require.Equal(t, post.LiveRequested, change.State)
			require.Equal(t, post.Actor("Dana"), change.Requested().Actor)
			require.Equal(t, action == post.LiveEdit, change.Text == "New")
			require.Equal(t, action == post.LiveDelete, strings.Contains(change.Requested().Detail, "delete"))
		}
	}
	_, err := livePost().ChangeLive(post.LiveEdit, "Old", liveAt, "Dana")
	require.True(t, apperr.Is(err, apperr.ValidationFailed), "nothing changes")
	_, err = livePost().ChangeLive(post.LiveEdit, " \n", liveAt, "Dana")
	require.True(t, apperr.Is(err, apperr.ValidationFailed), "a text must not be empty")
	_, err = livePost(ident.New[ident.Media]()).ChangeLive(post.LiveEdit, "", liveAt, "Dana")
	require.NoError(t, err, "a caption may be empty")
}

// TestLiveResults checks the state after each result, before and after the budget, with and without an earlier call whose
// response was lost.
func TestLiveResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result                         post.LiveResult
		want, doubtful, late, lateLost post.LiveState
	}{
		"done": {post.LiveResult{State: post.LiveDone}, post.LiveDone, post.LiveDone, post.LiveDone, post.LiveDone},
		"refused": {
			post.LiveResult{State: post.LiveRefused, Code: "X"},
			post.LiveRefused, post.LiveRefused, post.LiveRefused,
			post.LiveRefused,
		},
		"connection lost": {
			post.LiveResult{State: post.LiveRefused, Lasting: true},
			post.LiveRefused, post.LiveUndetermined, post.LiveRefused,
			post.LiveUndetermined,
		},
		"not sent": {
			post.LiveResult{State: post.LiveRequested},
			post.LiveRequested, post.LiveUnknown, post.LiveRefused,
			post.LiveUndetermined,
		},
		"response lost": {
			post.LiveResult{State: post.LiveUnknown},
			post.LiveUnknown, post.LiveUnknown, post.LiveUndetermined,
			post.LiveUndetermined,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			soon, late := liveAt.Add(post.LiveBudget-time.Second), liveAt.Add(post.LiveBudget)
			fresh, lost := post.LiveChange{RequestedAt: liveAt}, post.LiveChange{RequestedAt: liveAt, Doubtful: true}
			require.Equal(t, c.want, fresh.Concluded(c.result, soon).State)
			require.Equal(t, c.doubtful, lost.Concluded(c.result, soon).State)
			require.Equal(t, c.late, fresh.Concluded(c.result, late).State)
			require.Equal(t, c.lateLost, lost.Concluded(c.result, late).State)
			for _, ended := range []post.LiveChange{fresh.Concluded(c.result, soon), lost.Concluded(c.result, late)} {
				require.Equal(t, ended.State.Open(), ended.EndedAt.IsZero())
			}
		})
	}
	require.Equal(t, []post.LiveState{post.LiveRequested, post.LiveSent, post.LiveUnknown}, post.OpenLiveStates())
}

func TestLiveEffects(t *testing.T) {
	t.Parallel()
	p := livePost()
	edit := post.LiveChange{Action: post.LiveEdit, Text: "New", Actor: "Dana", State: post.LiveDone, EndedAt: liveAt}
	effect, err := edit.Effect(p)
	require.NoError(t, err)
	require.Equal(t, "New", effect.Post.Content)
	require.Equal(t, post.Entry{
		At: liveAt, Kind: post.EntryLiveEdited, Actor: "Dana", Detail: "The text of the published post was changed on its network.",
	}, effect.Entry)
	require.True(t, effect.Post.UpdatedAt.After(p.UpdatedAt), "so that a concurrent change is noticed")
	require.Equal(t, event.PostUpdated, effect.Event.Type)

	deletion := edit
	deletion.Action = post.LiveDelete
	effect, err = deletion.Effect(p)
	require.NoError(t, err)
	require.Equal(t, post.Published, effect.Post.Status)
	require.Empty(t, effect.Post.PostURL)
	require.Equal(t, post.EntryLiveDeleted, effect.Entry.Kind)
	var envelope struct{ Data event.PostData }
	require.NoError(t, json.Unmarshal(effect.Event.Body, &envelope))
	require.Nil(t, envelope.Data.PostURL)

	for _, state := range []post.LiveState{post.LiveRefused, post.LiveUndetermined} {
		edit.State, edit.Code, edit.Message = state, "X", "No."
		effect, err = edit.Effect(p)
		require.NoError(t, err)
		require.Equal(t, p, effect.Post)
		require.Nil(t, effect.Event)
		require.Equal(t, post.EntryLiveFailed, effect.Entry.Kind)
		require.Contains(t, effect.Entry.Detail, "X: ")
	}
}
