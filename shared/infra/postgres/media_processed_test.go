package postgres_test

import (
	"context"
	"crypto/sha256"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// looked returns the asset with an inspection result, with separate objects for the published file and the thumbnail.
func (b *bundle) looked(t *testing.T, a media.Asset) media.Asset {
	t.Helper()
	sum := sha256.Sum256([]byte(a.ID.String()))
	a.Files.Original.SHA256 = sum[:]
	a.Files.Published = media.Object{
		Key: media.NewKey(), ETag: "published", ContentType: a.ContentType, Size: a.Size - 1, SHA256: sum[:],
	}
	a.Files.Thumbnail = media.Object{Key: media.NewKey(), ContentType: media.ContentTypePNG, Size: 7}
	a.Probe = media.Probe{Width: 400, Height: 300, Duration: 1500 * time.Millisecond, Frames: 3}
	a.ProcessedAt = b.now
	for _, key := range []string{a.Files.Published.Key, a.Files.Thumbnail.Key} {
		require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), key, time.Hour))
	}
	return a
}

func TestProcessedStoresResult(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(a *media.Asset){
		"everything": func(*media.Asset) {},
		"the original is published": func(a *media.Asset) {
			a.Files.Published = a.Files.Original
		},
		"nothing can be made of it": func(a *media.Asset) {
			a.Files.Published, a.Files.Thumbnail, a.Probe, a.Problem = media.Object{}, media.Object{}, media.Probe{}, "unreadable"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			store := postgres.NewMedia(b.db)
			a := b.looked(t, b.asset(t, b.ws.ID, media.GIF))
			change(&a)
			require.NoError(t, store.Processed(t.Context(), a, a.ProcessedAt))
			got, err := store.Get(t.Context(), b.ws.ID, a.ID)
			require.NoError(t, err)
			require.Equal(t, a, got)
			require.True(t, got.Processed())
			require.Equal(t, []string{map[bool]string{true: "media.ready", false: "media.failed"}[a.Problem == ""]}, b.eventTypes(t))
			loose := b.looseKeys(t)
			for _, key := range a.Files.Keys() {
				require.NotContains(t, loose, key)
			}
			page, err := store.List(t.Context(), b.ws.ID, postgres.MediaFilter{Limit: 5})
			require.NoError(t, err)
			require.Equal(t, []media.Asset{a}, page)
		})
	}
}

// TestProcessedKeepsFirstRecord checks that the objects of a late run stay loose.
func TestProcessedKeepsFirstRecord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	a := b.asset(t, b.ws.ID, media.Image)
	runs, errs := make([]media.Asset, 20), make([]error, 20)
	var group sync.WaitGroup
	for i := range runs {
		runs[i] = b.looked(t, a)
		group.Go(func() { errs[i] = store.Processed(t.Context(), runs[i], b.now) })
	}
	group.Wait()
	got, err := store.Get(t.Context(), b.ws.ID, a.ID)
	require.NoError(t, err)
	loose, stood := b.looseKeys(t), 0
	for i, run := range runs {
		if errs[i] == nil {
			stood++
			require.Equal(t, run, got)
			continue
		}
		require.ErrorIs(t, errs[i], postgres.ErrStale)
		require.Subset(t, loose, []string{run.Files.Published.Key, run.Files.Thumbnail.Key})
	}
	require.Equal(t, 1, stood)
	require.Len(t, loose, 2*19)
}

func TestProcessedOfMissingAsset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	deleted, foreign, swept := b.looked(t, b.asset(t, b.ws.ID, media.Image)), b.looked(t,
		b.asset(t, b.ws.ID, media.Image)), b.looked(t, b.asset(t, b.ws.ID, media.Image))
	_, err := store.Delete(t.Context(), b.ws.ID, deleted.ID)
	require.NoError(t, err)
	foreign.WorkspaceID = b.tenant(t).ID
	require.NoError(t, postgres.NewLoose(b.db).Remove(t.Context(), swept.Files.Thumbnail.Key))
	for _, a := range []media.Asset{deleted, foreign} {
		err = store.Processed(t.Context(), a, b.now)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		require.Contains(t, b.looseKeys(t), a.Files.Thumbnail.Key)
	}
	require.ErrorIs(t, store.Processed(t.Context(), swept, b.now), postgres.ErrStale)
	got, err := store.Get(t.Context(), b.ws.ID, swept.ID)
	require.NoError(t, err)
	require.False(t, got.Processed(), "nothing is half written")
	require.Contains(t, b.looseKeys(t), swept.Files.Published.Key)
}

func TestDeleteReleasesStorageAndLeavesObjectsToCleanup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	u := b.upload(t, 60)
	require.NoError(t, postgres.NewUploads(b.db).Complete(t.Context(), b.arrived(t, u)))
	kept := b.upload(t, 30)
	a, err := store.Get(t.Context(), b.ws.ID, u.ID)
	require.NoError(t, err)
	a = b.looked(t, a)
	require.NoError(t, store.Processed(t.Context(), a, b.now))
	_, err = store.Delete(t.Context(), b.tenant(t).ID, a.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)

	errs := make([]error, 20)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { _, errs[i] = store.Delete(t.Context(), b.ws.ID, a.ID) })
	}
	group.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
			continue
		}
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	require.Equal(t, 1, done)
	require.Equal(t, kept.Size, b.usage(t).StorageBytes, "once")
	require.EqualValues(t, 2, b.usage(t).Uploads, "the month's count is not given back")
	require.Subset(t, b.looseKeys(t), a.Files.Keys())
	var r removed
	n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 10, r.remove)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.ElementsMatch(t, a.Files.Keys(), r.keys, "at once")
}

// TestDeleteWaitsForRenditionBeingStored checks that the object of the rendition is left to the cleanup too.
func TestDeleteWaitsForRenditionBeingStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.asset(t, b.ws.ID, media.Image)
	form := media.Rendition{Width: 400, Height: 300, Object: media.Object{
		Key: media.NewKey(), ETag: "etag", ContentType: "image/jpeg", Size: 9, SHA256: make([]byte, sha256.Size),
	}}
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), form.Object.Key, time.Hour))
	commit := hold(t, b.db, func(ctx context.Context) error {
		return postgres.NewRenditions(b.db).Insert(ctx, a.ID, form)
	})
	var keys []string
	deleted := b.blocked(t, func() (err error) {
		keys, err = postgres.NewMedia(b.db).Delete(t.Context(), b.ws.ID, a.ID)
		return err
	})
	commit()
	require.NoError(t, <-deleted)
	require.Contains(t, keys, form.Object.Key)
	require.Contains(t, b.looseKeys(t), form.Object.Key)
}

func TestListOfMedia(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	var all []media.Asset
	for i := range 7 {
		all = append([]media.Asset{b.asset(t, b.ws.ID, media.Types()[i%2])}, all...)
	}
	b.asset(t, b.tenant(t).ID, media.Image)
	list := func(f postgres.MediaFilter) []media.Asset {
		t.Helper()
		got, err := store.List(t.Context(), b.ws.ID, f)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, all, list(postgres.MediaFilter{Limit: 10}))
	require.Equal(t, all[:3], list(postgres.MediaFilter{Limit: 3}))
	require.Equal(t, all[3:], list(postgres.MediaFilter{Limit: 10, Before: all[2].ID}))
	require.Equal(t, []media.Asset{all[1], all[3], all[5]}, list(postgres.MediaFilter{Limit: 10, Type: media.Video}))
	require.Equal(t, []media.Asset{all[5]}, list(postgres.MediaFilter{Limit: 10, Type: media.Video, Before: all[3].ID}))
	require.Empty(t, list(postgres.MediaFilter{Limit: 10, Type: media.Document}))
	require.Empty(t, list(postgres.MediaFilter{Limit: 10, Before: ident.Media{15: 1}}))
}

// TestOverdueMediaIsEnqueuedAgain checks that overdue imports and files are enqueued again once, and that EnqueueAll
// enqueues all.
func TestOverdueMediaIsEnqueuedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	overdue, young := b.begin(t, nil), b.begin(t, nil)
	ended := b.begin(t, nil)
	require.NoError(t, b.imports(t).Fail(t.Context(), b.ws.ID, ended.ID, apperr.ImportFailed, "no"))
	lost, waiting := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Image)
	done := b.looked(t, b.asset(t, b.ws.ID, media.Image))
	require.NoError(t, postgres.NewMedia(b.db).Processed(t.Context(), done, b.now))
	postgrestest.Exec(t, b.address, `UPDATE media_import SET deadline = now() - interval '2 minutes' WHERE id <> $1`,
		young.ID.String())
	postgrestest.Exec(t, b.address, `UPDATE media SET process_again = now() - interval '1 second' WHERE id = $1`,
		lost.ID.String())

	enqueued := func(enqueue func() (int, error), want ...ident.Media) {
		t.Helper()
		n, err := enqueue()
		require.NoError(t, err)
		require.Equal(t, len(want), n)
		var got []ident.Media
		for _, m := range b.messages(t) {
			in := inputOf[flow.MediaInput](t, m)
			require.Equal(t, b.ws.ID, in.WorkspaceID)
			got = append(got, in.MediaID)
		}
		require.ElementsMatch(t, want, got)
	}
	again := func() (int, error) { return b.outbox.EnqueueOverdue(t.Context(), time.Minute, 10) }
	b.messages(t) // the messages of the writes
	enqueued(again, overdue.ID, lost.ID)
	enqueued(again, overdue.ID) // the import is still overdue; the file is enqueued again later
	enqueued(func() (int, error) { return b.outbox.EnqueueAll(t.Context()) }, overdue.ID, young.ID, lost.ID, waiting.ID)
	require.NoError(t, b.imports(t).Fail(t.Context(), b.ws.ID, overdue.ID, apperr.Unavailable, "too late"))
	enqueued(again)
	n, err := b.outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = b.outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "they are in the outbox already")
}
