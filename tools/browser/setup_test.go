// Package browser_test tests link pages and the application in Chromium: on a phone and on a desktop, in the light and
// the dark color scheme.
package browser_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// site is the process that serves link pages, with its own database and object store.
type site struct {
	t         *testing.T
	base      string
	address   string // of the database
	db        *postgres.DB
	pages     *postgres.LinkPages
	workspace ident.Workspace
	avatar    ident.Media
	picture   ident.Media
	post      ident.Post // a published post
	stop      func()
}

func openSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, workspace: ident.New[ident.Workspace]()}
	s.db, s.address = postgrestest.OpenURL(t)
	s.pages = postgres.NewLinkPages(s.db)
	require.NoError(t, postgres.NewWorkspaces(s.db).Insert(t.Context(), workspace.Workspace{
		ID: s.workspace, Name: "Mara", Plan: workspace.Agency, Timezone: "UTC", CreatedAt: time.Now().UTC(),
	}))
	cfg := objectstoretest.Config(t)
	store := objectstoretest.New(t, cfg)
	s.avatar, s.picture = s.asset(store, "avatar", 512, 512), s.asset(store, "picture", 1280, 800)
	s.publishPost()
	s.start(cfg)
	return s
}

// in returns the same site for a subtest, which fails in place of the whole test.
func (s *site) in(t *testing.T) *site {
	t.Helper()
	part := *s
	part.t = t
	return &part
}

// start runs the process that serves the pages.
func (s *site) start(cfg objectstore.Config) {
	s.t.Helper()
	address := free(s.t)
	s.base = "http://" + address
	s.stop = startProgram(s.t, "pages", "DATABASE_URL="+s.address, "PAGES_ADDR="+address, "PAGES_URL="+s.base,
		"S3_ENDPOINT="+cfg.Endpoint, "S3_ACCESS_KEY="+cfg.AccessKey, "S3_SECRET_KEY="+cfg.SecretKey, "S3_BUCKET="+cfg.Bucket,
		"S3_REGION="+cfg.Region)
}

// asset stores a processed image.
func (s *site) asset(store *objectstore.Store, name string, width, height int) ident.Media {
	s.t.Helper()
	var out bytes.Buffer
	require.NoError(s.t, png.Encode(&out, landscape(width, height)))
	size := int64(out.Len())
	key := "media/" + name
	_, err := store.Put(s.t.Context(), objectstore.PutRequest{Key: key, Body: &out, Size: size, ContentType: "image/png"})
	require.NoError(s.t, err)
	asset := postgrestest.Asset(s.t, s.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: s.workspace, Name: name + ".png", Type: media.Image,
		ContentType: "image/png", Size: size, CreatedAt: time.Now().UTC(),
	})
	postgrestest.Exec(s.t, s.address,
		`UPDATE media SET thumbnail_key = $1, thumbnail_type = 'image/png', thumbnail_size = $2, processed_at = now(), process_again = NULL
		WHERE id = $3`, key, size, asset.ID.String())
	return asset.ID
}

// landscape draws a sun over hills.
func landscape(width, height int) image.Image {
	drawn := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			fx, fy := float64(x)/float64(width), float64(y)/float64(height)
			c := color.RGBA{R: uint8(250 - 60*fy), G: uint8(205 - 90*fy), B: uint8(160 - 20*fy), A: 255}
			if math.Hypot((fx-.68)*float64(width)/float64(height), fy-.38) < .14 {
				c = color.RGBA{R: 255, G: 244, B: 214, A: 255}
			}
			if fy > .62+.07*math.Sin(fx*7) {
				c = color.RGBA{R: 92, G: 104, B: 120, A: 255}
			}
			if fy > .76+.06*math.Sin(fx*5+2) {
				c = color.RGBA{R: 52, G: 66, B: 82, A: 255}
			}
			drawn.Set(x, y, c)
		}
	}
	return drawn
}

// publishPost stores a published post.
func (s *site) publishPost() {
	s.t.Helper()
	keys, err := secretbox.ParseKeys("test:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")
	require.NoError(s.t, err)
	ring, err := secretbox.NewKeyring(keys)
	require.NoError(s.t, err)
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: s.workspace, Name: "Mara Lindqvist", Type: channel.Threads,
		Username: "mara", ExternalID: "mara",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now().UTC(),
	}
	require.NoError(s.t, postgres.NewChannels(s.db, ring).Insert(s.t.Context(), c, channel.Credentials{AccessToken: "x"}))
	created, err := post.Create(post.NewPost{
		WorkspaceID: s.workspace, ChannelID: c.ID, ContentType: post.ContentPost,
		Content:  "The kiln is open! Forty cups came out without a crack.\nThank you for waiting 🎈",
		MediaIDs: []ident.Media{s.picture},
	}, time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI)
	require.NoError(s.t, err)
	require.NoError(s.t, postgres.NewPosts(s.db).Insert(s.t.Context(), []post.Change{created}))
	s.post = created.Post.ID
	postgrestest.Exec(s.t, s.address,
		`UPDATE post SET status = 'PUBLISHED', published_at = now() - interval '2 days', post_url = 'http://threads.example/@mara/post/1' WHERE id = $1`,
		s.post.String())
}

// publish publishes a page.
func (s *site) publish(in linkpage.New, blocks ...linkpage.NewBlock) linkpage.Page {
	s.t.Helper()
	in.WorkspaceID = s.workspace
	page, err := linkpage.Create(in, time.Now().UTC())
	require.NoError(s.t, err)
	for _, b := range blocks {
		page, _, err = page.AddBlock(b, time.Now().UTC())
		require.NoError(s.t, err)
	}
	require.NoError(s.t, s.pages.Insert(s.t.Context(), page))
	page, err = s.pages.Change(s.t.Context(), s.workspace, page.ID,
		func(_ context.Context, p linkpage.Page) (linkpage.Page, error) {
			return p.Publish(time.Now().UTC()), nil
		})
	require.NoError(s.t, err)
	return page
}

// shot returns the path of a screenshot, or "" if screenshots are disabled.
func shot(name string) string {
	if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
		return filepath.Join(folder, name+".png")
	}
	return ""
}
