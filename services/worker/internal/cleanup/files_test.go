package cleanup_test

import (
	"bytes"
	"crypto/sha256"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/worker/internal/cleanup"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// TestRoundOnRealStores checks that the bytes of an expired upload are deleted with it, and that those of an asset are
// kept.
func TestRoundOnRealStores(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	objects := objectstoretest.Open(t)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, sha256.Size))
	require.NoError(t, err)
	keyring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	now := time.Now()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Free, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	put := func(key string) {
		t.Helper()
		_, err := objects.Put(t.Context(), objectstore.PutRequest{
			Key: key, Body: bytes.NewReader([]byte("bytes")), Size: 5, ContentType: media.ContentTypePNG,
		})
		require.NoError(t, err)
	}
	uploads, loose := postgres.NewUploads(db), postgres.NewLoose(db)
	begin := func() media.Upload {
		t.Helper()
		u := media.Upload{
			ID: ident.New[ident.Media](), WorkspaceID: w.ID, Name: "a.png", ContentType: media.ContentTypePNG, Size: 5,
			Key:       media.NewUploadKey(),
			CreatedAt: now, ExpiresAt: now.Add(media.UploadLife),
		}
		require.NoError(t, uploads.Insert(t.Context(), u, w.Plan.Limits()))
		put(u.Key)
		return u
	}
	expired, fresh := begin(), begin()
	postgrestest.Exec(t, address, `UPDATE media_upload SET expires_at = now() - interval '2 hours' WHERE id = $1`,
		expired.ID.String())
	postgrestest.Exec(t, address, `UPDATE loose_object SET delete_after = now() WHERE key = $1`, expired.Key)
	kept := postgrestest.Asset(t, db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: w.ID, Name: "b.png", Type: media.Image, ContentType: media.ContentTypePNG,
		Size: 5, CreatedAt: now,
	})
	put(kept.Files.Original.Key)
	require.NoError(t, loose.Register(t.Context(), "media/neverwritten", -time.Minute))

	u, err := cleanup.New(cleanup.Config{
		Responses: postgres.NewIdempotency(db, keyring), Imports: postgres.NewImports(db, keyring),
		Events:   postgres.NewEvents(db),
		Webhooks: postgres.NewWebhooks(db, keyring), Insights: postgres.NewInsights(db), Limits: postgres.NewRateLimits(db),
		Visits: postgres.NewVisitDays(db), Timelines: postgres.NewTimelines(db), Attempts: postgres.NewSettledAttempts(db),
		Posts: postgres.NewEndedPosts(db), Ages: cleanup.Ages{History: new(time.Hour), Posts: new(time.Hour)},
		Metrics:  cleanup.NewMetrics(prometheus.NewRegistry()),
		Channels: postgres.NewRenewals(db, nil), Connects: postgres.NewConnects(db, keyring), Inbound: postgres.NewInbound(db), Requests: postgres.NewRequests(db), Talks: postgres.NewInboxes(db),
		Uploads: uploads,
		Loose:   loose, Objects: objects, Every: time.Hour, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	var remaining []string
	for object, err := range objects.List(t.Context(), "", time.Time{}) {
		require.NoError(t, err)
		remaining = append(remaining, object.Key)
	}
	require.ElementsMatch(t, []string{fresh.Key, kept.Files.Original.Key}, remaining)
	require.Equal(t, []string{fresh.Key}, postgrestest.Column(t, address, `SELECT key FROM loose_object`))
	require.Equal(t, []string{"5"}, postgrestest.Column(t, address, `SELECT storage_bytes FROM workspace_usage`))
	require.NoError(t, u.Round(t.Context()), "a second round finds nothing")
}
