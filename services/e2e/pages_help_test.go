package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
)

// live is the limit for a publication to be visible in every process (docs/contract.md, Link pages).
const live = time.Minute

// person is the User-Agent of a person's browser.
const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// shown is the response to a visitor of link pages.
type shown struct {
	status int
	header http.Header
	body   string
}

// visit sends a request as a browser does, on its own connection, without following redirects.
func visit(ctx context.Context, address string) (shown, error) {
	client := &http.Client{
		Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return shown{}, err
	}
	for name, value := range map[string]string{"User-Agent": person, "Accept": "text/html", "Accept-Language": "sv"} {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return shown{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return shown{response.StatusCode, response.Header, string(body)}, err
}

// site is a system with link pages and the processes that serve them.
type site struct {
	*harness.System

	t     *testing.T
	store *postgres.LinkPages
	bases []string // of the processes
}

// openSite starts processes that serve link pages.
func openSite(t *testing.T, processes int, env ...string) (*site, []*harness.Process) {
	t.Helper()
	s := harness.New(t, harness.Options{})
	w := &site{System: s, t: t, store: postgres.NewLinkPages(s.DB)}
	var running []*harness.Process
	for range processes {
		address := s.Address()
		running = append(running, s.Start("pages", "", append(env, "PAGES_ADDR="+address)...))
		w.bases = append(w.bases, "http://"+address)
	}
	for _, p := range running {
		p.Ready()
	}
	return w, running
}

// draft stores an unpublished page with the blocks.
func (w *site) draft(handle, title string, blocks ...linkpage.NewBlock) linkpage.Page {
	w.t.Helper()
	page, err := linkpage.Create(linkpage.New{WorkspaceID: w.Workspace, Handle: handle, Title: title}, time.Now().UTC())
	require.NoError(w.t, err)
	for _, b := range blocks {
		page, _, err = page.AddBlock(b, time.Now().UTC())
		require.NoError(w.t, err)
	}
	require.NoError(w.t, w.store.Insert(w.t.Context(), page))
	return page
}

// change changes a page as a request does.
func (w *site) change(page linkpage.Page, decide func(linkpage.Page) (linkpage.Page, error)) linkpage.Page {
	w.t.Helper()
	changed, err := w.store.Change(w.t.Context(), w.Workspace, page.ID,
		func(_ context.Context, p linkpage.Page) (linkpage.Page, error) { return decide(p) })
	require.NoError(w.t, err)
	return changed
}

// publish edits a page and publishes it.
func (w *site) publish(page linkpage.Page, edit linkpage.Edit) linkpage.Page {
	w.t.Helper()
	return w.change(page, func(p linkpage.Page) (linkpage.Page, error) {
		next, err := p.Edit(edit, time.Now().UTC())
		if err != nil {
			return p, err
		}
		return next.Publish(time.Now().UTC()), nil
	})
}

// everywhere waits until every process's response for the path passes the check.
func (w *site) everywhere(path string, check func(c *assert.CollectT, got shown)) {
	w.t.Helper()
	begin := time.Now()
	for _, base := range w.bases {
		require.EventuallyWithT(w.t, func(c *assert.CollectT) {
			got, err := visit(w.t.Context(), base+path)
			require.NoError(c, err)
			check(c, got)
		}, live, 50*time.Millisecond, "%s%s", base, path)
	}
	if elapsed := time.Since(begin); elapsed > time.Second {
		w.t.Logf("%s everywhere after %s", path, elapsed.Round(time.Millisecond))
	}
}

func titled(title string) func(*assert.CollectT, shown) {
	return func(c *assert.CollectT, got shown) {
		require.Equal(c, http.StatusOK, got.status)
		require.Contains(c, got.body, "<title>"+title+"</title>")
	}
}

func missing(c *assert.CollectT, got shown) { require.Equal(c, http.StatusNotFound, got.status) }

func link(title, address string) linkpage.NewBlock {
	raw, _ := json.Marshal(map[string]string{"title": title, "url": address})
	return linkpage.NewBlock{Type: "LINK", Settings: raw}
}
