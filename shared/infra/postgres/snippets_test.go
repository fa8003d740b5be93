package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestSnippets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, other := postgres.NewSnippets(b.db), b.tenant(t)
	text := func(of ident.Workspace, kind snippet.Kind, name string) snippet.Snippet {
		return snippet.Snippet{
			ID: ident.New[ident.Snippet](), WorkspaceID: of, Kind: kind, Name: name, Text: "Words", CreatedAt: b.now, UpdatedAt: b.now,
			Settings: snippet.Settings{Handles: map[string]string{"one": "acme"}, Channels: []ident.Channel{b.ch.ID}, Automatic: true},
		}
	}
	mention, group, theirs := text(b.ws.ID, snippet.Mention, "Österreich"), text(b.ws.ID, snippet.Hashtags, "Acme"), text(other.ID, snippet.Mention, "österreich")
	for _, one := range []snippet.Snippet{mention, group, theirs} {
		require.NoError(t, store.Insert(t.Context(), one))
	}
	list, err := store.List(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, []snippet.Snippet{group, mention}, list)

	require.ErrorIs(t, store.Insert(t.Context(), text(b.ws.ID, snippet.Mention, "öSTERREICH")), postgres.ErrNameInUse)
	renamed := group
	renamed.Name, renamed.Text, renamed.Settings, renamed.UpdatedAt = "ÖSTERREICH", "Other words", snippet.Settings{}, b.now.Add(1000)
	require.NoError(t, store.Update(t.Context(), renamed), "another kind has the name")
	got, err := store.Get(t.Context(), b.ws.ID, group.ID)
	require.NoError(t, err)
	require.Equal(t, renamed, got)
	again := text(b.ws.ID, snippet.Hashtags, "Second")
	require.NoError(t, store.Insert(t.Context(), again))
	again.Name = "österreich"
	require.ErrorIs(t, store.Update(t.Context(), again), postgres.ErrNameInUse)

	_, err = store.Get(t.Context(), b.ws.ID, theirs.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	foreign := theirs
	foreign.WorkspaceID = b.ws.ID
	require.True(t, apperr.Is(store.Update(t.Context(), foreign), apperr.NotFound))
	require.True(t, apperr.Is(store.Delete(t.Context(), b.ws.ID, theirs.ID), apperr.NotFound))
	require.NoError(t, store.Delete(t.Context(), b.ws.ID, mention.ID))
	require.True(t, apperr.Is(store.Delete(t.Context(), b.ws.ID, mention.ID), apperr.NotFound))
}

func TestLinkRules(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, other := postgres.NewSnippets(b.db), b.tenant(t)
	rule := snippet.LinkRule{Source: "{network}", Medium: "social", Except: []string{"acme.example"}, Automatic: true}
	require.NoError(t, store.SetLinkRule(t.Context(), b.ws.ID, snippet.LinkRule{Source: "x"}, b.now))
	require.NoError(t, store.SetLinkRule(t.Context(), b.ws.ID, rule, b.now))
	got, err := store.LinkRule(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, rule, got)
	got, err = store.LinkRule(t.Context(), other.ID)
	require.NoError(t, err)
	require.Equal(t, snippet.LinkRule{}, got)
}
