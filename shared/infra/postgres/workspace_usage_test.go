package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// small is a plan with low limits.
var small = workspace.Limits{FileSize: 100, Storage: 1000, MonthlyUploads: 12, Webhooks: 2}

func (b *bundle) usage(t *testing.T) workspace.Usage {
	t.Helper()
	u, err := postgres.NewUsage(b.db).Get(t.Context(), b.ws.ID)
	require.NoError(t, err)
	return u
}

func TestUsageOfNewWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := time.Now().UTC()
	require.Equal(t, workspace.Usage{
		UploadsResetAt: time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC),
	}, b.usage(t))
	_, err := postgres.NewUsage(b.db).Get(t.Context(), ident.New[ident.Workspace]())
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

func TestReserve(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usage := postgres.NewUsage(b.db)
	require.NoError(t, usage.Reserve(t.Context(), b.ws.ID, 100, small))
	require.NoError(t, usage.Reserve(t.Context(), b.ws.ID, 0, small))
	require.True(t, apperr.Is(usage.Reserve(t.Context(), b.ws.ID, 101, small), apperr.QuotaExceeded),
		"the file is too large")
	u := b.usage(t)
	require.EqualValues(t, 100, u.StorageBytes)
	require.EqualValues(t, 2, u.Uploads, "what was refused is not counted")
	err := usage.Reserve(t.Context(), ident.New[ident.Workspace](), 1, small)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

// TestConcurrentReservationsRespectLimit checks that as many reservations succeed as fit, whichever limit is reached first.
func TestConcurrentReservationsRespectLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size  int64
		fits  int64
		bytes int64
	}{
		"storage":          {100, 10, 1000}, // 12 uploads would be allowed
		"storage, no rest": {90, 11, 990},
		"uploads":          {10, 12, 120},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			usage := postgres.NewUsage(b.db)
			var fits, refused atomic.Int64
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					switch err := usage.Reserve(t.Context(), b.ws.ID, c.size, small); {
					case err == nil:
						fits.Add(1)
					case apperr.Is(err, apperr.QuotaExceeded):
						refused.Add(1)
					}
				})
			}
			group.Wait()
			require.Equal(t, c.fits, fits.Load())
			require.Equal(t, 20-c.fits, refused.Load())
			u := b.usage(t)
			require.Equal(t, c.bytes, u.StorageBytes)
			require.Equal(t, c.fits, u.Uploads)
		})
	}
}

func TestUploadQuotaResetsMonthly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usage := postgres.NewUsage(b.db)
	for range small.MonthlyUploads {
		require.NoError(t, usage.Reserve(t.Context(), b.ws.ID, 10, small))
	}
	require.True(t, apperr.Is(usage.Reserve(t.Context(), b.ws.ID, 10, small), apperr.QuotaExceeded))
	postgrestest.Exec(t, b.address, `UPDATE workspace_usage SET month = month - interval '1 month'`)
	u := b.usage(t)
	require.Zero(t, u.Uploads, "those of last month")
	require.EqualValues(t, 120, u.StorageBytes, "files stay")
	require.NoError(t, usage.Reserve(t.Context(), b.ws.ID, 10, small))
	require.EqualValues(t, 1, b.usage(t).Uploads)
	require.EqualValues(t, 130, b.usage(t).StorageBytes)
}

func TestRelease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usage := postgres.NewUsage(b.db)
	require.True(t, apperr.Is(usage.Release(t.Context(), b.ws.ID, 1), apperr.NotFound), "nothing was reserved yet")
	for range 10 {
		require.NoError(t, usage.Reserve(t.Context(), b.ws.ID, 100, small))
	}
	require.True(t, apperr.Is(usage.Reserve(t.Context(), b.ws.ID, 1, small), apperr.QuotaExceeded))
	other := b.tenant(t)
	require.NoError(t, usage.Reserve(t.Context(), other.ID, 100, small))
	require.NoError(t, usage.Release(t.Context(), b.ws.ID, 100))
	require.EqualValues(t, 900, b.usage(t).StorageBytes)
	theirs, err := usage.Get(t.Context(), other.ID)
	require.NoError(t, err)
	require.EqualValues(t, 100, theirs.StorageBytes)
	require.EqualValues(t, 10, b.usage(t).Uploads, "deleting gives no uploads back")
	require.NoError(t, usage.Reserve(t.Context(), b.ws.ID, 100, small))
	require.NoError(t, usage.Release(t.Context(), b.ws.ID, 5000))
	require.Zero(t, b.usage(t).StorageBytes, "never below nothing")
}

func TestReserveRollsBackWithTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usage := postgres.NewUsage(b.db)
	require.ErrorIs(t, b.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, usage.Reserve(ctx, b.ws.ID, 100, small))
		return errChangedMyMind
	}), errChangedMyMind)
	require.Zero(t, b.usage(t).StorageBytes)
}

func TestLinkPagesAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.linkPage(t, "mara")
	require.Equal(t, 1, b.usage(t).LinkPages)
	require.NoError(t, postgres.NewLinkPages(b.db).Delete(t.Context(), b.ws.ID, page.ID, 0))
	require.Zero(t, b.usage(t).LinkPages)
}

func TestWebhooksCountTowardsTheirLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, string(event.PostFailed))
	b.endpoint(t, b.ws.ID, "*")
	b.endpoint(t, b.tenant(t).ID, "*")
	require.Equal(t, 2, b.usage(t).Webhooks)
	require.NoError(t, postgres.NewWebhooks(b.db, keyring(t)).Delete(t.Context(), b.ws.ID, e.ID))
	require.Equal(t, 1, b.usage(t).Webhooks)
}
