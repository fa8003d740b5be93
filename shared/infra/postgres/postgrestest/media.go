package postgrestest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
)

// Asset stores an asset as if its file had just arrived, under a new key unless it has one, and returns it as stored.
func Asset(t testing.TB, db *postgres.DB, a media.Asset) media.Asset {
	t.Helper()
	if a.Files.Original.IsZero() {
		a.Files.Original = media.Object{Key: media.NewKey(), ETag: "etag"}
	}
	a.Files.Original.ContentType, a.Files.Original.Size = a.ContentType, a.Size
	require.NoError(t, postgres.NewLoose(db).Register(t.Context(), a.Files.Original.Key, time.Hour))
	require.NoError(t, postgres.NewMedia(db).Insert(t.Context(), a))
	return a
}
