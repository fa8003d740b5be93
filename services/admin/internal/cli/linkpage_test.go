package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// linkPages returns the link pages of a workspace.
func (b *bundle) linkPages(t *testing.T, workspace string) []linkpage.Summary {
	t.Helper()
	id, err := ident.Parse[ident.Workspace](workspace)
	require.NoError(t, err)
	listed, err := postgres.NewLinkPages(b.db).List(t.Context(), id)
	require.NoError(t, err)
	return listed
}

// TestSeededLinkPages checks the pages of the seed through the operator's commands and the stores.
func TestSeededLinkPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := decode[seeded](t, b.ok(t, "seed", "--json"))
	live := postgres.NewLivePages(b.db)
	for i, handle := range []string{"acme-studio", "corner-bakery"} {
		listed := b.linkPages(t, created.Workspaces[i].ID)
		require.Len(t, listed, 1)
		require.Equal(t, []any{handle, true, handle}, []any{listed[0].Handle, listed[0].Live, listed[0].LiveHandle})
		found, err := live.ByHandle(t.Context(), handle)
		require.NoError(t, err)
		period, err := linkpage.NewPeriod(found.PublishedAt.AddDate(0, 0, -20), found.PublishedAt, found.PublishedAt)
		require.NoError(t, err)
		days, clicks, err := postgres.NewVisits(b.db).Read(t.Context(), found.ID, period)
		require.NoError(t, err)
		require.Len(t, days, 21)
		require.NotEmpty(t, clicks)
		for _, d := range days {
			require.Greater(t, d.Views, d.Visitors)
			require.Greater(t, d.Visitors, d.Clicks/2)
			require.Positive(t, d.Clicks)
		}
	}
	studio, err := live.ByHandle(t.Context(), "acme-studio")
	require.NoError(t, err)
	types := map[linkpage.BlockType]bool{}
	for _, block := range studio.Content.Blocks {
		types[block.Type()] = true
	}
	require.Len(t, types, len(linkpage.BlockTypes()), "one of every type")
	posts, err := live.Posts(t.Context(), studio.WorkspaceID, studio.Content.Posts())
	require.NoError(t, err)
	require.Len(t, posts, 1, "the post is shown")

	again := decode[seeded](t, b.ok(t, "seed", "--json"))
	require.Regexp(t, `^acme-studio-[a-z0-9]{6}$`, b.linkPages(t, again.Workspaces[0].ID)[0].Handle)
}

func TestLinkPageCommands(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := decode[seeded](t, b.ok(t, "seed", "--json")).Workspaces[0]
	shown := b.one(t, "link-page", "show", "Acme-Studio")
	require.Equal(t, created.ID, shown["workspaceId"])
	require.Contains(t, b.ok(t, "link-page", "show", "acme-studio"), "of workspace "+created.ID+": Acme Studio, version 1.")
	require.Contains(t, b.ok(t, "link-page", "unpublish", "acme-studio"), "is no longer published")
	failed(t, b.run(t, "link-page", "unpublish", "acme-studio"), "No link page is published at")
	failed(t, b.run(t, "link-page", "show", "unknown"), "The handle is the last part of the page's address.")
	require.False(t, b.linkPages(t, created.ID)[0].Live)
}
