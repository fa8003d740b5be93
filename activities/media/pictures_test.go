package media_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

// pictures returns the activity with the real child process, and a channel.
func (b *bundle) pictures(t *testing.T, now clock.Clock) (*mediaactivity.Pictures, channel.Channel) {
	t.Helper()
	downloader, err := egress.NewDownloader(egress.DownloaderConfig{Policy: b.policy, UserAgent: "test/1"})
	require.NoError(t, err)
	p, err := mediaactivity.NewPictures(mediaactivity.PicturesConfig{
		Store: postgres.NewPictures(b.db), Loose: b.loose, Objects: b.objects, Downloader: downloader, Box: opener(t),
		Folder: b.folder, Clock: now, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: b.owner.ID, Name: "Acme", Type: channel.Threads, ExternalID: "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: now.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.keyring).Insert(t.Context(), c, channel.Credentials{AccessToken: "a"}))
	return p, c
}

// shown returns the key of the picture shown for the channel; empty if it has none.
func (b *bundle) shown(t *testing.T, c channel.Channel) string {
	t.Helper()
	found, err := postgres.NewReferences(b.db).Avatars(t.Context(), b.owner.ID)
	require.NoError(t, err)
	return found[c.ID].Key
}

func TestPictureOfAnAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	now := clocktest.New(time.Now())
	p, c := b.pictures(t, now)
	due, err := p.Due(t.Context(), c.ID)
	require.NoError(t, err)
	require.True(t, due, "it was never read")

	b.handle = serveFile("image/png", mediaboxtest.PNG(t, mediaboxtest.Scene(900, 600)))
	require.NoError(t, p.Take(t.Context(), c.ID, b.server.URL+"/face.png"))
	first := b.shown(t, c)
	stored := b.read(t, first)
	require.LessOrEqual(t, len(stored), 20_000)
	config, err := jpeg.DecodeConfig(bytes.NewReader(stored))
	require.NoError(t, err)
	require.Equal(t, image.Pt(128, 85), image.Pt(config.Width, config.Height))
	require.Empty(t, b.looseKeys(t))

	now.Advance(mediaactivity.PictureAge - time.Minute)
	due, err = p.Due(t.Context(), c.ID)
	require.NoError(t, err)
	require.False(t, due)
	now.Advance(2 * time.Minute)
	due, err = p.Due(t.Context(), c.ID)
	require.NoError(t, err)
	require.True(t, due)

	b.handle = serveFile("image/jpeg", mediaboxtest.JPEG(t, mediaboxtest.Scene(40, 40)))
	require.NoError(t, p.Take(t.Context(), c.ID, b.server.URL+"/face.jpg"))
	require.NotEqual(t, first, b.shown(t, c))
	require.Equal(t, []string{first}, b.looseKeys(t), "the former one is deleted when no link to it is valid")

	require.NoError(t, p.Take(t.Context(), c.ID, ""))
	require.Empty(t, b.shown(t, c), "the account has none any more")
}

// TestPicturesOfStrangers checks files that are no pictures, and servers that do not respond as they should.
func TestPicturesOfStrangers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handle http.HandlerFunc
		path   string // empty: of the server
		kept   bool   // the former picture
	}{
		"a page":              {handle: serveFile("image/jpeg", []byte("<!DOCTYPE html><script>alert(1)</script>"))},
		"a drawing":           {handle: serveFile("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))},
		"a video":             {handle: serveFile("image/jpeg", video(1000))},
		"an empty file":       {handle: serveFile("image/jpeg", nil)},
		"not found":           {handle: http.NotFound, kept: true},
		"a file of 6 MiB":     {handle: sparse(6<<20, false), kept: true},
		"a forbidden address": {path: "http://10.0.0.1/face.jpg", kept: true},
		"the metadata service": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
			w.WriteHeader(http.StatusFound)
		}, kept: true},
		"not http": {path: "file:///etc/passwd", kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			p, c := b.pictures(t, clock.System())
			b.handle = serveFile("image/png", pngFile(t))
			require.NoError(t, p.Take(t.Context(), c.ID, b.server.URL))
			before := b.shown(t, c)
			require.NotEmpty(t, before)
			if b.handle = tc.handle; tc.path == "" {
				tc.path = b.server.URL
			}
			require.NoError(t, p.Take(t.Context(), c.ID, tc.path))
			if tc.kept {
				require.Equal(t, before, b.shown(t, c))
			} else {
				require.Empty(t, b.shown(t, c))
			}
		})
	}
}

func TestPictureOfADeletedChannel(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	p, c := b.pictures(t, clock.System())
	b.handle = serveFile("image/png", pngFile(t))
	postgrestest.Exec(t, b.address, `DELETE FROM channel WHERE id = $1`, c.ID.String())
	require.NoError(t, p.Take(t.Context(), c.ID, b.server.URL))
	require.Empty(t, b.keys(t), "nothing is left behind")
}
