package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
)

// bundle holds the process's dependencies: a real database and a real object store.
type bundle struct {
	db        *postgres.DB
	pages     *postgres.LinkPages
	address   string // of the database
	workspace ident.Workspace
}

func setup(t *testing.T) *bundle {
	t.Helper()
	db, address := postgrestest.OpenURL(t)
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC",
		CreatedAt: time.Now().UTC(),
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	return &bundle{db: db, pages: postgres.NewLinkPages(db), address: address, workspace: w.ID}
}

// start runs the process until stop is called.
func (b *bundle) start(t *testing.T, environ map[string]string) (base string, stop func()) {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	environ["DATABASE_URL"], environ["PAGES_ADDR"] = b.address, address
	if environ["PAGES_URL"] == "" {
		environ["PAGES_URL"] = "http://" + address
	}
	cfg, err := config.Load[config.Pages](environ)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	service, err := Start(ctx, cfg, &bootstrap.Process{
		Name: "pages", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Clock: clock.System(),
	})
	require.NoError(t, err)
	require.Equal(t, "database", service.Checks[0].Name)
	require.NoError(t, service.Checks[0].Probe(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	return "http://" + address, func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func storeEnvironment(t *testing.T, cfg objectstore.Config) map[string]string {
	t.Helper()
	return map[string]string{
		"S3_ENDPOINT": cfg.Endpoint, "S3_ACCESS_KEY": cfg.AccessKey, "S3_SECRET_KEY": cfg.SecretKey, "S3_BUCKET": cfg.Bucket,
		"S3_REGION": cfg.Region,
	}
}

type httpResponse struct {
	status int
	header http.Header
	body   string
}

// get sends a request as a browser does, without following redirects.
func get(ctx context.Context, t require.TestingT, address string) httpResponse {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	for name, value := range map[string]string{
		"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Accept": "text/html",
		"Accept-Language": "de",
	} {
		request.Header.Set(name, value)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return httpResponse{status: response.StatusCode, header: response.Header, body: string(body)}
}

// change changes a page and publishes it.
func (b *bundle) change(
	t *testing.T, id ident.LinkPage, decide func(linkpage.Page) (linkpage.Page, error),
) linkpage.Page {
	t.Helper()
	page, err := b.pages.Change(t.Context(), b.workspace, id,
		func(_ context.Context, p linkpage.Page) (linkpage.Page, error) {
			next, err := decide(p)
			if err != nil {
				return p, err
			}
			return next.Publish(time.Now().UTC()), nil
		})
	require.NoError(t, err)
	return page
}

// picture stores a processed asset with a thumbnail.
func (b *bundle) picture(t *testing.T, store *objectstore.Store) ident.Media {
	t.Helper()
	canvas := image.NewRGBA(image.Rect(0, 0, 640, 400))
	for y := range 400 {
		for x := range 640 {
			canvas.Set(x, y, color.RGBA{R: uint8(60 + x/4), G: uint8(90 + y/4), B: 140, A: 255})
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, canvas))
	_, err := store.Put(t.Context(), objectstore.PutRequest{
		Key: "media/picture", Body: bytes.NewReader(out.Bytes()), Size: int64(out.Len()), ContentType: "image/png",
	})
	require.NoError(t, err)
	object := media.Object{Key: "media/picture", ContentType: "image/png", Size: int64(out.Len())}
	asset := postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.workspace, Name: "a.png", Type: media.Image, ContentType: "image/png",
		Size: 1, CreatedAt: time.Now().UTC(),
	})
	postgrestest.Exec(t, b.address,
		`UPDATE media SET thumbnail_key = $1, thumbnail_type = 'image/png', thumbnail_size = $2, processed_at = now(), process_again = NULL WHERE id = $3`,
		object.Key, object.Size, asset.ID.String())
	return asset.ID
}

// absentStore returns the environment of an object store that does not respond.
func absentStore() map[string]string {
	return map[string]string{"S3_ENDPOINT": "http://127.0.0.1:9", "S3_ACCESS_KEY": "x", "S3_SECRET_KEY": "x"}
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	base, stop := setup(t).start(t, absentStore())
	t.Cleanup(stop)
	framingtest.Run(t, framingtest.Target{Address: strings.TrimPrefix(base, "http://"), Get: "/robots.txt", GetOnly: true})
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	environ := absentStore()
	environ["PAGES_URL"] = "https://pages.example.com"
	base, stop := setup(t).start(t, environ)
	defer stop()
	framingtest.Hosts(t, base+"/robots.txt", "pages.example.com", http.Header{})
}

// TestPublishedPageIsServedAndCounted publishes and changes a page while two processes serve it. Each process shows the live
// version, the old version disappears from both, images come from the object store, and every visit is counted by the
// time they end.
func TestPublishedPageIsServedAndCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cfg := objectstoretest.Config(t)
	store := objectstoretest.New(t, cfg)
	image := b.picture(t, store)
	page, err := linkpage.Create(linkpage.New{
		WorkspaceID: b.workspace, Handle: "mara", Title: "First", Theme: linkpage.Theme{Avatar: image},
	}, time.Now().UTC())
	require.NoError(t, err)
	require.NoError(t, b.pages.Insert(t.Context(), page))
	one, stopOne := b.start(t, storeEnvironment(t, cfg))
	two, stopTwo := b.start(t, storeEnvironment(t, cfg))
	got := get(t.Context(), t, one+"/mara")
	require.Equal(t, http.StatusNotFound, got.status, "a draft is not public")

	var block linkpage.Block
	b.change(t, page.ID, func(p linkpage.Page) (next linkpage.Page, err error) {
		next, block, err = p.AddBlock(linkpage.NewBlock{
			Type: "LINK", Settings: json.RawMessage(`{"title":"Shop","url":"https://shop.example/"}`),
		}, time.Now().UTC())
		return next, err
	})
	views := 0
	shows := func(base, want, not string) {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			got := get(t.Context(), c, base+"/mara")
			if got.status == http.StatusOK {
				views++
			}
			require.Equal(c, http.StatusOK, got.status)
			require.Contains(c, got.body, want)
			require.NotContains(c, got.body, not)
		}, time.Minute, 50*time.Millisecond)
	}
	for _, base := range []string{one, two} {
		shows(base, "<title>First</title>", "Second")
		got = get(t.Context(), t, base+"/l/"+block.ID.String())
		require.Equal(t, "https://shop.example/", got.header.Get("Location"))
	}
	got = get(t.Context(), t, one+"/i/mara/"+image.String())
	require.Equal(t, http.StatusFound, got.status)
	shown := get(t.Context(), t, got.header.Get("Location"))
	require.Equal(t, http.StatusOK, shown.status)
	require.Equal(t, "image/png", shown.header.Get("Content-Type"))
	policy := get(t.Context(), t, one+"/unknown")
	require.Contains(t, policy.header.Get("Content-Security-Policy"),
		"img-src 'self' "+strings.TrimSuffix(cfg.Endpoint, "/")+";")

	title, handle := "Second", "lindqvist"
	b.change(t, page.ID, func(p linkpage.Page) (linkpage.Page, error) {
		return p.Edit(linkpage.Edit{Title: &title}, time.Now().UTC())
	})
	shows(one, "<title>Second</title>", "First")
	shows(two, "<title>Second</title>", "First")
	b.change(t, page.ID, func(p linkpage.Page) (linkpage.Page, error) {
		return p.Edit(linkpage.Edit{Handle: &handle}, time.Now().UTC())
	})
	for _, base := range []string{one, two} {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			got := get(t.Context(), c, base+"/mara")
			if got.status == http.StatusOK {
				views++
			}
			require.Equal(c, http.StatusNotFound, got.status)
		}, time.Minute, 50*time.Millisecond)
	}
	stopOne()
	stopTwo()
	days, blocks, err := postgres.NewVisits(b.db).Read(t.Context(), page.ID,
		linkpage.Period{From: time.Now().UTC().AddDate(0, 0, -1), To: time.Now().UTC()})
	require.NoError(t, err)
	counted := linkpage.DayVisits{}
	for _, d := range days { // two if the test runs at midnight
		counted.Views += d.Views
		counted.Visitors += d.Visitors
		counted.Clicks += d.Clicks
	}
	require.EqualValues(t, views, counted.Views)
	require.EqualValues(t, len(days), counted.Visitors, "one visitor, whichever process served it")
	require.EqualValues(t, 2, counted.Clicks)
	require.Equal(t, block.ID, blocks[0].BlockID)
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	process := func() *bootstrap.Process {
		return &bootstrap.Process{
			Name: "pages", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Clock: clock.System(),
		}
	}
	cfg, err := config.Load[config.Pages](map[string]string{
		"DATABASE_URL": b.address, "S3_ENDPOINT": "http://127.0.0.1:1", "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b",
		"PAGES_ADDR": listener.Addr().String(),
	})
	require.NoError(t, err)
	_, err = Start(t.Context(), cfg, process())
	require.ErrorContains(t, err, "PAGES_ADDR")
	cfg.S3Endpoint = ""
	_, err = Start(t.Context(), cfg, process())
	require.Error(t, err)
}
