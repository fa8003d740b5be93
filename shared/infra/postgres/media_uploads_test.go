package postgres_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// newUpload returns an upload of the bundle's workspace that is not stored yet.
func (b *bundle) newUpload(size int64) media.Upload {
	return media.Upload{
		ID: ident.New[ident.Media](), WorkspaceID: b.ws.ID, Name: "spring \"1\".jpg", ContentType: media.ContentTypeJPEG,
		Size: size,
		Key:  media.NewUploadKey(), CreatedAt: b.now, ExpiresAt: b.now.Add(media.UploadLife),
	}
}

// upload creates an upload.
func (b *bundle) upload(t *testing.T, size int64) media.Upload {
	t.Helper()
	u := b.newUpload(size)
	require.NoError(t, postgres.NewUploads(b.db).Insert(t.Context(), u, small))
	return u
}

// arrived returns the asset of an upload, with its copy under its own key.
func (b *bundle) arrived(t *testing.T, u media.Upload) media.Asset {
	t.Helper()
	a := media.Asset{
		ID: u.ID, WorkspaceID: u.WorkspaceID, Name: u.Name, Type: media.Image, ContentType: u.ContentType, Size: u.Size,
		CreatedAt: u.CreatedAt,
		Files: media.Files{
			Original: media.Object{Key: media.NewKey(), ETag: "etag", ContentType: u.ContentType, Size: u.Size},
		},
	}
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), a.Files.Original.Key, time.Hour))
	return a
}

// looseKeys returns the loose keys, sorted.
func (b *bundle) looseKeys(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT key FROM loose_object ORDER BY key`)
}

func TestUploadBecomesAsset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads := postgres.NewUploads(b.db)
	u := b.upload(t, 60)
	require.Equal(t, workspace.Usage{StorageBytes: 60, Uploads: 1, UploadsResetAt: b.usage(t).UploadsResetAt}, b.usage(t))
	got, err := uploads.Get(t.Context(), b.ws.ID, u.ID)
	require.NoError(t, err)
	require.Equal(t, u, got)
	require.Equal(t, []string{u.Key}, b.looseKeys(t), "its bytes are known before they are sent")

	a := b.arrived(t, u)
	require.NoError(t, uploads.Complete(t.Context(), a))
	read, err := postgres.NewMedia(b.db).Get(t.Context(), b.ws.ID, u.ID)
	require.NoError(t, err)
	require.Equal(t, a, read)
	require.Equal(t, []string{u.Key}, b.looseKeys(t),
		"the asset has its copy; the key that the client can still write to has no owner")
	_, err = uploads.Get(t.Context(), b.ws.ID, u.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.ErrorIs(t, uploads.Complete(t.Context(), b.arrived(t, u)), postgres.ErrStale, "once")
	require.NoError(t, uploads.Abandon(t.Context(), b.ws.ID, u.ID), "nothing is left to abandon")
	require.EqualValues(t, 60, b.usage(t).StorageBytes, "the asset keeps what was reserved")
	messages := b.messages(t)
	require.Len(t, messages, 1)
	require.Equal(t, u.ID, inputOf[flow.MediaInput](t, messages[0]).MediaID)
	require.Equal(t, b.ws.ID, inputOf[flow.MediaInput](t, messages[0]).WorkspaceID)
}

func TestUploadsBelongToWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads, other := postgres.NewUploads(b.db), b.tenant(t).ID
	u := b.upload(t, 60)
	_, err := uploads.Get(t.Context(), other, u.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.NoError(t, uploads.Abandon(t.Context(), other, u.ID))
	theirs := b.arrived(t, u)
	theirs.WorkspaceID = other
	require.ErrorIs(t, uploads.Complete(t.Context(), theirs), postgres.ErrStale)
	_, err = uploads.Get(t.Context(), b.ws.ID, u.ID)
	require.NoError(t, err)
	require.EqualValues(t, 60, b.usage(t).StorageBytes)
}

// TestConcurrentUploadsRespectLimit checks that as many uploads start as fit, and that rejected ones leave no trace.
func TestConcurrentUploadsRespectLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, fits int64 }{
		"storage": {100, 10}, "storage, no rest": {90, 11}, "uploads of the month": {10, 12}, "size of the file": {101, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			uploads := postgres.NewUploads(b.db)
			var fits, refused atomic.Int64
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					switch err := uploads.Insert(t.Context(), b.newUpload(c.size), small); {
					case err == nil:
						fits.Add(1)
					case apperr.Is(err, apperr.QuotaExceeded):
						refused.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			group.Wait()
			require.Equal(t, []int64{c.fits, 20 - c.fits}, []int64{fits.Load(), refused.Load()})
			require.Equal(t, c.fits*c.size, b.usage(t).StorageBytes)
			require.Equal(t, c.fits, b.usage(t).Uploads)
			require.Len(t, b.looseKeys(t), int(c.fits))
			require.Len(t, postgrestest.Column(t, b.address, `SELECT id FROM media_upload`), int(c.fits))
		})
	}
}

func TestAbandonReleasesStorageOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads := postgres.NewUploads(b.db)
	u, kept := b.upload(t, 60), b.upload(t, 30)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() { _ = uploads.Abandon(t.Context(), b.ws.ID, u.ID) })
	}
	group.Wait()
	require.Equal(t, kept.Size, b.usage(t).StorageBytes)
	require.EqualValues(t, 2, b.usage(t).Uploads, "an upload that was begun counts for the month")
	require.Contains(t, b.looseKeys(t), u.Key, "its bytes go with the clean-up")
	require.ErrorIs(t, uploads.Complete(t.Context(), b.arrived(t, u)), postgres.ErrStale)
}

// TestConcurrentCompletionsCreateOneAsset checks that one completion creates the asset, and that all other copies stay loose.
func TestConcurrentCompletionsCreateOneAsset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads := postgres.NewUploads(b.db)
	u := b.upload(t, 60)
	errs := make([]error, 20)
	var group sync.WaitGroup
	for i := range errs {
		a := b.arrived(t, u)
		group.Go(func() { errs[i] = uploads.Complete(t.Context(), a) })
	}
	group.Wait()
	created := 0
	for _, err := range errs {
		if err == nil {
			created++
			continue
		}
		require.ErrorIs(t, err, postgres.ErrStale)
	}
	require.Equal(t, 1, created)
	a, err := postgres.NewMedia(b.db).Get(t.Context(), b.ws.ID, u.ID)
	require.NoError(t, err)
	loose := b.looseKeys(t)
	require.Len(t, loose, 20, "19 copies and the upload's own object")
	require.NotContains(t, loose, a.Files.Original.Key)
	require.Len(t, b.messages(t), 1)
	require.EqualValues(t, 60, b.usage(t).StorageBytes)
}

// TestCompletionOfSweptUploadRollsBack checks that an asset never exists without its object.
func TestCompletionOfSweptUploadRollsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads := postgres.NewUploads(b.db)
	u := b.upload(t, 60)
	a := b.arrived(t, u)
	require.NoError(t, postgres.NewLoose(b.db).Remove(t.Context(), a.Files.Original.Key))
	require.ErrorIs(t, uploads.Complete(t.Context(), a), postgres.ErrStale)
	_, err := uploads.Get(t.Context(), b.ws.ID, u.ID)
	require.NoError(t, err, "it can still be completed")
	require.NoError(t, uploads.Complete(t.Context(), b.arrived(t, u)))
}

func TestExpireDeletesOverdueUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads := postgres.NewUploads(b.db)
	gone, within, fresh := b.upload(t, 60), b.upload(t, 30), b.upload(t, 20)
	other := b.tenant(t)
	require.NoError(t, postgres.NewUsage(b.db).Reserve(t.Context(), other.ID, 70, small))
	postgrestest.Exec(t, b.address, `UPDATE media_upload SET expires_at = now() - interval '61 minutes' WHERE id = $1`,
		gone.ID.String())
	postgrestest.Exec(t, b.address, `UPDATE media_upload SET expires_at = now() - interval '59 minutes' WHERE id = $1`,
		within.ID.String())
	n, err := uploads.Expire(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.EqualValues(t, 50, b.usage(t).StorageBytes)
	require.EqualValues(t, 3, b.usage(t).Uploads)
	theirs, err := postgres.NewUsage(b.db).Get(t.Context(), other.ID)
	require.NoError(t, err)
	require.EqualValues(t, 70, theirs.StorageBytes)
	_, err = uploads.Get(t.Context(), b.ws.ID, gone.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	for _, u := range []media.Upload{within, fresh} {
		require.NoError(t, uploads.Complete(t.Context(), b.arrived(t, u)), "the grace is a promise")
	}
	n, err = uploads.Expire(t.Context(), 10)
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestConcurrentExpireReleasesStorageOnce checks that batches of several processes do not overlap.
func TestConcurrentExpireReleasesStorageOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 12 {
		b.upload(t, 50)
	}
	postgrestest.Exec(t, b.address, `UPDATE media_upload SET expires_at = now() - interval '1 day'`)
	var total atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for {
				n, err := postgres.NewUploads(b.db).Expire(t.Context(), 3)
				total.Add(int64(n))
				if err != nil || n == 0 {
					return
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 12, total.Load())
	require.Zero(t, b.usage(t).StorageBytes)
}

// TestUploadIsClaimedOnce checks that a claim ends with its release, or expires if its process died.
func TestUploadIsClaimedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	uploads := postgres.NewUploads(b.db)
	u := b.upload(t, 60)
	var claims atomic.Int32
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, ours, err := uploads.Claim(t.Context(), b.ws.ID, u.ID); err == nil && ours {
				claims.Add(1)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, claims.Load())
	claim := func() (postgres.Claim, bool) {
		held, ours, err := uploads.Claim(t.Context(), b.ws.ID, u.ID)
		require.NoError(t, err)
		return held, ours
	}
	claimed := func() postgres.Claim {
		held, ours := claim()
		require.True(t, ours)
		return held
	}
	refused := func(why string) {
		_, ours := claim()
		require.False(t, ours, why)
	}
	refused("it is claimed")
	postgrestest.Exec(t, b.address, `UPDATE media_upload SET claimed_until = now() - interval '1 second'`)
	late := claimed()
	postgrestest.Exec(t, b.address, `UPDATE media_upload SET claimed_until = now() - interval '1 second'`)
	held := claimed()
	require.NoError(t, uploads.Release(t.Context(), b.ws.ID, u.ID, late))
	refused("an expired claim does not release the one after it")
	other := b.tenant(t).ID
	require.NoError(t, uploads.Release(t.Context(), other, u.ID, held))
	refused("another workspace does not release it")
	require.NoError(t, uploads.Release(t.Context(), b.ws.ID, u.ID, held))
	_, theirs, err := uploads.Claim(t.Context(), other, u.ID)
	require.NoError(t, err)
	require.False(t, theirs, "it is another workspace's")
	claimed()
}
