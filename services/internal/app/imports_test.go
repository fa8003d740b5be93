package app_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// courier is a client that imports, and the worker for its imports.
type courier struct {
	*bundle

	client  app.Principal
	imports *postgres.Imports
}

func newCourier(t *testing.T) courier {
	t.Helper()
	b := setup(t)
	return courier{bundle: b, client: b.tenant(t.Context(), t), imports: postgres.NewImports(b.db, b.keyring)}
}

func (c courier) ask(ctx context.Context) (app.DeliveredAsset, error) {
	created, _, err := c.ImportMedia(ctx, c.client,
		app.ImportMedia{URL: "https://cdn.example.com/spring.png", Name: "spring.png"})
	return created, err
}

// running returns the running imports.
func (c courier) running(t *testing.T) []media.Import {
	t.Helper()
	var found []media.Import
	for _, text := range c.rows.Column(t.Context(), t, `SELECT id FROM media_import WHERE state = 'RUNNING'`) {
		id, err := ident.Parse[ident.Media](text)
		require.NoError(t, err)
		i, err := c.imports.Get(t.Context(), c.client.WorkspaceID, id)
		require.NoError(t, err)
		found = append(found, i)
	}
	return found
}

// bring completes an import; ErrStale when it has already ended.
func (c courier) bring(ctx context.Context, t *testing.T, i media.Import) error {
	t.Helper()
	object := media.Object{Key: media.NewKey(), ETag: "etag", ContentType: media.ContentTypePNG, Size: 70}
	require.NoError(t, postgres.NewLoose(c.db).Register(ctx, object.Key, time.Hour))
	return c.imports.Finish(ctx, media.Asset{
		ID: i.ID, WorkspaceID: i.WorkspaceID, Name: i.Name, Type: media.Image, ContentType: object.ContentType,
		Size: object.Size, CreatedAt: i.CreatedAt,
		Files: media.Files{Original: object},
	}, c.client.Plan.Limits())
}

// TestImportWithoutWorkerFailsAtDeadline checks that an import without a worker fails at its deadline, and cannot succeed
// afterwards.
func TestImportWithoutWorkerFailsAtDeadline(t *testing.T) {
	t.Parallel()
	c := newCourier(t)
	var begun []media.Import
	c.atWake = func() {
		begun = c.running(t)
		c.clock.Advance(media.ImportLife + 10*time.Second + time.Millisecond)
	}
	_, err := c.ask(t.Context())
	var failed *apperr.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, apperr.Unavailable, failed.Code)
	require.Positive(t, failed.RetryAfter)
	require.Len(t, begun, 1)
	require.Equal(t, media.ImportLife, begun[0].Deadline.Sub(begun[0].CreatedAt))
	require.Empty(t, c.running(t))
	require.ErrorIs(t, c.bring(t.Context(), t, begun[0]), postgres.ErrStale)
	list, err := c.MediaList(t.Context(), c.client, postgres.MediaFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, list)
	require.Equal(t, []string{"0"}, c.rows.Column(t.Context(), t,
		`SELECT COALESCE(sum(storage_bytes + uploads), 0) FROM workspace_usage`))
}

// TestImportOutlivesItsClient checks that the import continues after its client disconnected.
func TestImportOutlivesItsClient(t *testing.T) {
	t.Parallel()
	c := newCourier(t)
	ctx, hangUp := context.WithCancel(t.Context())
	c.atWake = func() {
		c.clock.Advance(media.ImportLife + 10*time.Second) // the worker may still record the end
		hangUp()
	}
	_, err := c.ask(ctx)
	require.ErrorIs(t, err, context.Canceled)
	remaining := c.running(t)
	require.Len(t, remaining, 1)
	require.NoError(t, c.bring(t.Context(), t, remaining[0]))
	got, err := c.Media(t.Context(), c.client, remaining[0].ID)
	require.NoError(t, err)
	require.Equal(t, "spring.png", got.Name)
	require.NotEmpty(t, got.URL)
	require.Empty(t, got.ThumbnailURL)
}

// TestImportFinishingAtDeadline checks that the client gets the asset, or that no asset exists.
func TestImportFinishingAtDeadline(t *testing.T) {
	t.Parallel()
	c := newCourier(t)
	for range 10 {
		var group sync.WaitGroup
		var begun media.Import
		var brought error
		c.atWake = func() {
			begun = c.running(t)[0]
			c.clock.Advance(media.ImportLife + time.Minute)
			group.Go(func() {
				<-time.After(24 * time.Millisecond) // just before the first poll
				brought = c.bring(context.WithoutCancel(t.Context()), t, begun)
			})
		}
		got, err := c.ask(t.Context())
		group.Wait()
		_, found := c.Media(t.Context(), c.client, begun.ID)
		if err == nil {
			require.NoError(t, brought)
			require.Equal(t, begun.ID, got.ID)
			require.NoError(t, found)
			continue
		}
		require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		require.ErrorIs(t, brought, postgres.ErrStale)
		require.True(t, apperr.Is(found, apperr.NotFound), "%v", found)
	}
}
