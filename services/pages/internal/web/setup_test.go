package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/render"
	"fencepost.internal/services/pages/internal/tally"
	"fencepost.internal/services/pages/internal/web"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// world is an in-memory database that implements every store of the site.
type world struct {
	mu     sync.Mutex
	pages  map[string]postgres.LivePage
	posts  map[ident.Post]postgres.ShownPost
	assets map[ident.Media]media.Asset
	loads  int
	down   error
	batch  []postgres.VisitBatch
	shorts map[string]string // targets by their codes
	hosts  map[string]string // handles by their domains
}

func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) find(match func(postgres.LivePage) bool) (postgres.LivePage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loads++
	if w.down != nil {
		return postgres.LivePage{}, w.down
	}
	for _, p := range w.pages {
		if match(p) {
			return p, nil
		}
	}
	return postgres.LivePage{}, apperr.New(apperr.NotFound, "There is no such link page.")
}

func (w *world) ByHandle(_ context.Context, handle string) (postgres.LivePage, error) {
	return w.find(func(p postgres.LivePage) bool { return p.Handle == handle })
}

func (w *world) ByBlock(_ context.Context, id ident.LinkBlock) (postgres.LivePage, error) {
	return w.find(func(p postgres.LivePage) bool {
		_, found := p.Content.Block(id)
		return found
	})
}

func (w *world) Versions(_ context.Context, handles []string) (map[string]postgres.LiveVersion, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]postgres.LiveVersion{}
	for _, h := range handles {
		if p, found := w.pages[h]; found {
			out[h] = postgres.LiveVersion{PageID: p.ID, Version: p.Version, Host: p.Host}
		}
	}
	return out, w.down
}

func (w *world) Domains(context.Context) (map[string]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.hosts), w.down
}

func (w *world) Posts(context.Context, ident.Workspace, []ident.Post) (map[ident.Post]postgres.ShownPost, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.posts), w.down
}

func (w *world) GetMany(_ context.Context, _ ident.Workspace, ids []ident.Media) (map[ident.Media]media.Asset, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[ident.Media]media.Asset{}
	for _, id := range ids {
		if a, found := w.assets[id]; found {
			out[id] = a
		}
	}
	return out, w.down
}

func (w *world) Add(_ context.Context, b postgres.VisitBatch) error {
	w.set(func() { w.batch = append(w.batch, b) })
	return nil
}

func (w *world) Target(_ context.Context, code string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loads++
	if target, found := w.shorts[code]; found && w.down == nil {
		return target, nil
	}
	if w.down != nil {
		return "", w.down
	}
	return "", apperr.New(apperr.NotFound, "There is no such short link.")
}

func (*world) Salt(context.Context, time.Time) ([]byte, error) { return []byte("salt"), nil }
func (*world) Prune(context.Context, time.Time) error          { return nil }

type signer struct{}

func (signer) PresignGet(terms objectstore.GetTerms) (objectstore.SignedGet, error) {
	if terms.Key == "broken" {
		return objectstore.SignedGet{}, errors.New("no key")
	}
	return objectstore.SignedGet{URL: "https://media.example.com/" + terms.Key + "?signed"}, nil
}

type bundle struct {
	*world

	clock    *clocktest.Fake
	registry *prometheus.Registry
	shelf    *web.Shelf
	tally    *tally.Tally
	site     *web.Site
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{
		world: &world{pages: map[string]postgres.LivePage{}, assets: map[ident.Media]media.Asset{}},
		clock: clocktest.New(start), registry: prometheus.NewRegistry(),
	}
	log := slog.New(slog.DiscardHandler)
	renderer, err := render.New(render.Config{
		PagesURL: "https://pages.example.com", MediaOrigin: "https://media.example.com",
	})
	require.NoError(t, err)
	b.shelf, err = web.NewShelf(web.ShelfConfig{
		Pages: b.world, Assets: b.world, Renderer: renderer, Clock: b.clock, Logger: log,
		Registerer: prometheus.NewRegistry(),
		Every:      time.Millisecond, Capacity: 3, Bytes: 1 << 20,
	})
	require.NoError(t, err)
	b.tally, err = tally.New(tally.Config{
		Store: b.world, Clock: b.clock, Logger: log, Registerer: prometheus.NewRegistry(),
	})
	require.NoError(t, err)
	require.NoError(t, b.tally.Prepare(t.Context()))
	b.site, err = web.New(web.Config{
		Shelf: b.shelf, Shorts: b.world, Tally: b.tally, Renderer: renderer, Signer: signer{}, Clock: b.clock, Logger: log,
		Registerer: b.registry, Secure: true,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	require.NoError(t, err)
	return b
}

// publish adds a page with a link to the world, or a new version of it.
func (b *bundle) publish(t *testing.T, handle, title string, more ...linkpage.Block) postgres.LivePage {
	t.Helper()
	settings, err := linkpage.ReadSettings("LINK", json.RawMessage(`{"title":"A link","url":"https://example.com/a?b=c"}`))
	require.NoError(t, err)
	page := postgres.LivePage{
		ID: ident.New[ident.LinkPage](), WorkspaceID: ident.New[ident.Workspace](),
		Live: linkpage.Live{Handle: handle, Version: 1},
	}
	b.set(func() {
		if old, found := b.pages[handle]; found {
			page.ID, page.Version = old.ID, old.Version+1
		}
		page.Content = linkpage.Content{
			Title: title, Theme: linkpage.Theme{
				Name: linkpage.ThemePaper, Accent: "#1c1b1a", Appearance: linkpage.AppearanceAuto,
			},
			Blocks: append([]linkpage.Block{{ID: ident.New[ident.LinkBlock](), Settings: settings, Visible: true}}, more...),
		}
		b.pages[handle] = page
	})
	return page
}

type httpResponse struct {
	*http.Response

	body string
}

// request is a browser's request.
type request struct {
	method, path, remote string
	header               http.Header
}

// ask sends a request as a browser does, with changes.
func (b *bundle) ask(t *testing.T, path string, changes ...func(*request)) httpResponse {
	t.Helper()
	r := &request{
		method: http.MethodGet, path: path, remote: "192.0.2.1:1234",
		header: http.Header{
			"User-Agent": {browser}, "Accept": {"text/html"}, "Accept-Language": {"de"}, "Host": {"pages.example.com"},
		},
	}
	for _, change := range changes {
		change(r)
	}
	var raw bytes.Buffer
	raw.WriteString(r.method + " " + r.path + " HTTP/1.1\r\nConnection: close\r\n")
	require.NoError(t, r.header.Write(&raw))
	raw.WriteString("\r\n")
	return b.send(t, r.method, r.remote, raw.Bytes())
}

// send writes bytes on a connection from the given address and reads the first response.
func (b *bundle) send(t *testing.T, method, remote string, raw []byte) httpResponse {
	t.Helper()
	all := b.exchange(t, remote, raw)
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(all)), &http.Request{Method: method})
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	response.Header.Del("Date")
	return httpResponse{Response: response, body: string(body)}
}

// exchange writes bytes on a connection from the given address and reads until the connection ends. The bytes must
// request the end of the connection.
func (b *bundle) exchange(t *testing.T, remote string, raw []byte) []byte {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		_ = b.site.Server().ServeConn(from{server, remote})
		_ = server.Close()
	}()
	go func() { _, _ = client.Write(raw) }()
	all, err := io.ReadAll(client)
	require.NoError(t, err)
	return all
}

// from is a connection from the given address.
type from struct {
	net.Conn

	remote string
}

// RemoteAddr returns the given address.
func (f from) RemoteAddr() net.Addr {
	address, err := netip.ParseAddrPort(f.remote)
	if err != nil {
		return f.Conn.RemoteAddr()
	}
	return net.TCPAddrFromAddrPort(address)
}

func with(name, value string) func(*request) {
	return func(r *request) { r.header.Set(name, value) }
}

func method(name string) func(*request) { return func(r *request) { r.method = name } }

// counted returns the counts since the last call.
func (b *bundle) counted(t *testing.T) (views, bots, clicks int64, visitors int) {
	t.Helper()
	require.NoError(t, b.tally.Flush(t.Context()))
	b.set(func() {
		for _, batch := range b.batch {
			for _, v := range batch.Views {
				views += v.Views
				bots += v.Bots
			}
			for _, c := range batch.Clicks {
				clicks += c.Clicks
			}
			visitors += len(batch.Visitors)
		}
		b.batch = nil
	})
	return views, bots, clicks, visitors
}
