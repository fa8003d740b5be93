package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestLinkDomains claims, verifies and takes turns at checking domains of link pages.
func TestLinkDomains(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, live := postgres.NewLinkDomains(b.db), postgres.NewLivePages(b.db)
	mara, other := b.linkPage(t, "mara"), b.linkPage(t, "other")
	b.changePage(t, mara.ID, b.publish)
	claim := func(page ident.LinkPage, host string) linkpage.Domain {
		d := linkpage.Domain{PageID: page, WorkspaceID: b.ws.ID, Host: host, CreatedAt: b.now}
		require.NoError(t, store.Claim(t.Context(), d))
		return d
	}
	_, err := store.Get(t.Context(), b.ws.ID, mara.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	d, second := claim(mara.ID, "links.mara.test"), claim(other.ID, "links.mara.test")
	got, err := store.Get(t.Context(), b.ws.ID, mara.ID)
	require.NoError(t, err)
	require.Equal(t, d, got)
	_, err = store.Get(t.Context(), ident.New[ident.Workspace](), mara.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "of another workspace")

	due, err := store.Due(t.Context(), b.now, b.now.Add(time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, due)
	due, err = store.Due(t.Context(), b.now.Add(linkpage.RecheckClaimed), b.now.Add(2*time.Hour), 10)
	require.NoError(t, err)
	require.ElementsMatch(t, []linkpage.Domain{d, second}, due)
	due, err = store.Due(t.Context(), b.now.Add(linkpage.RecheckClaimed), b.now.Add(2*time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, due, "another process has them")

	require.NoError(t, store.Checked(t.Context(), d.Checked("", b.now)))
	require.ErrorIs(t, store.Checked(t.Context(), second.Checked("", b.now)), postgres.ErrNameInUse)
	require.NoError(t, store.Checked(t.Context(), second.Checked("Another page shows it.", b.now)))
	got, err = store.Get(t.Context(), b.ws.ID, mara.ID)
	require.NoError(t, err)
	require.Equal(t, d.Checked("", b.now), got)
	served, err := live.Domains(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"links.mara.test": "mara"}, served)
	page, err := live.ByHandle(t.Context(), "mara")
	require.NoError(t, err)
	require.Equal(t, "links.mara.test", page.Host)
	versions, err := live.Versions(t.Context(), []string{"mara"})
	require.NoError(t, err)
	require.Equal(t, map[string]postgres.LiveVersion{"mara": {PageID: mara.ID, Version: 1, Host: "links.mara.test"}}, versions)

	require.NoError(t, store.Claim(t.Context(), d), "the same domain stays verified")
	claim(mara.ID, "new.mara.test")
	require.NoError(t, store.Checked(t.Context(), d.Checked("", b.now)), "of a domain that was replaced meanwhile")
	got, err = store.Get(t.Context(), b.ws.ID, mara.ID)
	require.NoError(t, err)
	require.False(t, got.Verified())
	require.NoError(t, store.Remove(t.Context(), mara.ID))
	require.NoError(t, store.Remove(t.Context(), mara.ID))
	served, err = live.Domains(t.Context())
	require.NoError(t, err)
	require.Empty(t, served)
}
