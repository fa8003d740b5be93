package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// asset stores a file of the workspace.
func (b *bundle) asset(t *testing.T, ws ident.Workspace, typ media.Type) media.Asset {
	t.Helper()
	return postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: ws, Name: "a \"name\"\n.bin", Type: typ, ContentType: "image/png",
		Size: 5 << 30, CreatedAt: b.now,
	})
}

func TestMediaAreFoundOnlyByTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	other := b.tenant(t)
	theirs := b.asset(t, other.ID, media.Image)
	var ours []media.Asset
	var ids []ident.Media
	for _, typ := range media.Types() {
		a := b.asset(t, b.ws.ID, typ)
		ours, ids = append(ours, a), append(ids, a.ID)
	}
	found, err := store.GetMany(t.Context(), b.ws.ID, append(ids, theirs.ID, ident.New[ident.Media]()))
	require.NoError(t, err)
	require.Len(t, found, len(ours))
	for _, a := range ours {
		require.Equal(t, a, found[a.ID])
	}
	found, err = store.GetMany(t.Context(), other.ID, ids)
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = store.GetMany(t.Context(), b.ws.ID, nil)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestMediaKeepOrderOfPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	first, second, third := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Video), b.asset(t, b.ws.ID,
		media.GIF)
	theirs := b.asset(t, b.tenant(t).ID, media.Image)
	got, err := store.InOrder(t.Context(), b.ws.ID,
		[]ident.Media{third.ID, theirs.ID, first.ID, ident.New[ident.Media](), second.ID, first.ID})
	require.NoError(t, err)
	require.Equal(t, []media.Asset{third, first, second, first}, got)
	for _, ids := range [][]ident.Media{nil, {}, {theirs.ID}} {
		got, err = store.InOrder(t.Context(), b.ws.ID, ids)
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

// TestReprocessingLeavesNoObjects covers a repeated inspection, which an operator can request by hand.
func TestReprocessingLeavesNoObjects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, loose := postgres.NewMedia(b.db), postgres.NewLoose(b.db)
	a := b.asset(t, b.ws.ID, media.Image)
	look := func(thumbnail string) {
		require.NoError(t, loose.Register(t.Context(), thumbnail, time.Hour))
		a.Files.Published = a.Files.Original
		a.Files.Thumbnail = media.Object{Key: thumbnail, ContentType: media.ContentTypeJPEG, Size: 10}
		require.NoError(t, store.Processed(t.Context(), a, b.now))
	}
	look("media/first")
	require.Empty(t, b.looseKeys(t))
	postgrestest.Exec(t, b.address, `UPDATE media SET processed_at = NULL, process_again = now()`)
	look("media/second")
	require.Equal(t, []string{"media/first"}, b.looseKeys(t), "the original stays, the first thumbnail goes")
	postgrestest.Exec(t, b.address, `UPDATE media SET processed_at = NULL, process_again = now()`)
	require.NoError(t, loose.Register(t.Context(), "media/second", time.Hour), "a run that ended halfway registers it")
	look("media/third")
	require.Equal(t, []string{"media/first", "media/second"}, b.looseKeys(t))
}
