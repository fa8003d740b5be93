package e2e_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// TestLinkPageChangesReachEveryProcess checks that every process shows what is published and no longer shows the previous
// state, when a page is changed, moved, unpublished or deleted.
func TestLinkPageChangesReachEveryProcess(t *testing.T) {
	t.Parallel()
	w, _ := openSite(t, 2)
	page := w.draft("mara", "First", link("Shop", "https://shop.example/?a=b&c=d"))
	block := page.Draft.Blocks[0].ID.String()
	w.everywhere("/mara", missing)
	page = w.publish(page, linkpage.Edit{})
	w.everywhere("/mara", titled("First"))
	w.everywhere("/l/"+block, func(c *assert.CollectT, got shown) {
		require.Equal(c, http.StatusFound, got.status)
		require.Equal(c, "https://shop.example/?a=b&c=d", got.header.Get("Location"))
	})

	title := "Second"
	page = w.change(page, func(p linkpage.Page) (linkpage.Page, error) {
		return p.Edit(linkpage.Edit{Title: &title}, time.Now().UTC())
	})
	w.everywhere("/mara", titled("First")) // a draft changes nothing
	page = w.publish(page, linkpage.Edit{})
	w.everywhere("/mara", titled("Second"))

	handle := "lindqvist"
	page = w.publish(page, linkpage.Edit{Handle: &handle})
	w.everywhere("/lindqvist", titled("Second"))
	w.everywhere("/mara", missing)
	other := w.draft("mara", "Other page") // the handle is free again
	w.publish(other, linkpage.Edit{})
	w.everywhere("/mara", titled("Other page"))

	page = w.change(page, func(p linkpage.Page) (linkpage.Page, error) { return p.Unpublish(time.Now().UTC()) })
	w.everywhere("/lindqvist", missing)
	w.everywhere("/l/"+block, missing)
	page = w.publish(page, linkpage.Edit{})
	w.everywhere("/lindqvist", titled("Second"))
	require.NoError(t, w.store.Delete(t.Context(), w.Workspace, page.ID, 0))
	w.everywhere("/lindqvist", missing)
	w.everywhere("/l/"+block, missing)
}

// hostile returns texts that attempt an injection.
func hostile() []string {
	return []string{
		`<script>window.broken=1</script>`, `</script><script>window.broken=1</script>`,
		`"><img src=x onerror=window.broken=1>`, `' onfocus=window.broken=1 autofocus '`,
		`</title></style><u>x</u>`, `<!--<script>`, `javascript:window.broken=1`, `{{.Title}}${1}`, "a\u2028window.broken=1",
		`</details><details open ontoggle=x>`,
	}
}

// onOneLine replaces line separators with spaces.
func onOneLine(text string) string { return strings.ReplaceAll(text, "\u2028", " ") }

// everyText returns a block of each type with the text in every free-text field.
func everyText(lines string, post ident.Post) []linkpage.NewBlock {
	return linkpage.Samples(linkpage.Sampling{
		Post: post, Time: "2999-12-31T23:59:59Z",
		Text: func(f linkpage.Field) string {
			text := lines
			if f.Kind == linkpage.KindLine {
				text = onOneLine(lines)
			}
			return string([]rune(text)[:min(len([]rune(text)), f.Max)])
		},
	})
}

// TestLinkPagesEscapeTexts publishes pages whose texts are all hostile, and parses the response as browsers do.
func TestLinkPagesEscapeTexts(t *testing.T) {
	t.Parallel()
	w, _ := openSite(t, 1)
	unknown := ident.New[ident.Post]() // a post that is not published is not shown
	for i, text := range hostile() {
		handle := "page-" + string(rune('a'+i))
		line := onOneLine(text)
		page := w.draft(handle, line, everyText(text, unknown)...)
		seo := linkpage.SEOEdit{Title: &line, Description: &line}
		w.publish(page, linkpage.Edit{Bio: &text, SEO: &seo})
		got, err := visit(t.Context(), w.bases[0]+"/"+handle)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.status)
		requireInert(t, got, text)
	}
	for _, path := range []string{
		"/page-a%0d%0aSet-Cookie:a=b", "/l/%0d%0aLocation:https://evil.example", "/l/?url=https://evil.example",
		"//evil.example", "/\\evil.example",
	} {
		got, err := visit(t.Context(), w.bases[0]+path)
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, got.status, path)
		require.Empty(t, got.header.Get("Location")+got.header.Get("Set-Cookie"), path)
	}
}

// requireInert checks that a document contains only the service's two scripts, one style and one mark, and no event
// handler, frame, form or external address.
func requireInert(t *testing.T, got shown, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(got.body))
	require.NoError(t, err)
	policy, scripts, marks := got.header.Get("Content-Security-Policy"), 0, 0
	require.NotContains(t, policy, "unsafe")
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		require.NotContains(t, []string{"img", "iframe", "object", "embed", "form", "base", "u"},
			strings.TrimSuffix(n.Data, "\x00"), "%q", text)
		attributes := map[string]string{}
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "autofocus", "%q: %s %s", text,
				n.Data, a.Key)
			attributes[a.Key] = a.Val
		}
		switch n.Data {
		case "svg": // the mark of the service
			marks++
			require.Equal(t, "footer", n.Parent.Data, "%q", text)
		case "a":
			require.True(t, strings.HasPrefix(attributes["href"], "/l/"), "%q: %s", text, attributes["href"])
		case "script":
			scripts++
			if attributes["type"] == "application/ld+json" {
				require.True(t, json.Valid([]byte(n.FirstChild.Data)), text)
				continue
			}
			require.Contains(t, policy, hashed(n), text)
		case "style":
			require.Contains(t, policy, hashed(n), text)
		}
	}
	require.Equal(t, 2, scripts, "%q", text)
	require.Equal(t, 1, marks, "%q", text)
}

func hashed(n *html.Node) string {
	sum := sha256.Sum256([]byte(n.FirstChild.Data))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// TestVisitsSurviveTermination sends many concurrent visits while the process is terminated and restarted.
// Every visit that received the page must be counted, and none twice.
func TestVisitsSurviveTermination(t *testing.T) {
	t.Parallel()
	w, processes := openSite(t, 1)
	page := w.publish(w.draft("mara", "Mara", link("Shop", "https://shop.example/")), linkpage.Edit{})
	w.everywhere("/mara", titled("Mara"))
	block := w.bases[0] + "/l/" + page.Live.Content.Blocks[0].ID.String()
	seen := int64(1) // by everywhere
	var views, clicks, unclear atomic.Int64
	ctx := t.Context()
	stop := make(chan struct{})
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				address, want, counter := w.bases[0]+"/mara", http.StatusOK, &views
				if i%4 == 3 {
					address, want, counter = block, http.StatusFound, &clicks
				}
				got, err := visit(ctx, address)
				switch {
				case err == nil && got.status == want:
					counter.Add(1)
				case err != nil && !strings.Contains(err.Error(), "connection refused"):
					unclear.Add(1) // it may have been counted before the connection broke
				}
			}
		})
	}
	for life := 1; life <= 2; life++ {
		before := views.Load()
		require.Eventually(t, func() bool { return views.Load() > before+200 }, live, 10*time.Millisecond)
		processes[0].Signal(syscall.SIGTERM)
		require.Eventually(t, func() bool { return processes[0].Starts() > life }, live, 10*time.Millisecond)
		processes[0].Ready()
	}
	before := views.Load()
	require.Eventually(t, func() bool { return views.Load() > before+200 }, live, 10*time.Millisecond)
	close(stop)
	crowd.Wait()
	processes[0].Stop()
	got := w.counted(page)
	t.Logf("%d views, %d clicks, %d connections that broke", views.Load(), clicks.Load(), unclear.Load())
	require.GreaterOrEqual(t, got.Views, views.Load()+seen)
	require.GreaterOrEqual(t, got.Clicks, clicks.Load())
	require.LessOrEqual(t, got.Views+got.Clicks, views.Load()+seen+clicks.Load()+unclear.Load())
	require.Less(t, unclear.Load(), int64(20), "a process that ends answers what it has begun")
	require.LessOrEqual(t, got.Visitors, int64(2), "one visitor, on two days when it is midnight")
}

func (w *site) counted(page linkpage.Page) linkpage.DayVisits {
	w.t.Helper()
	now := time.Now().UTC()
	days, _, err := postgres.NewVisits(w.DB).Read(w.t.Context(), page.ID,
		linkpage.Period{From: now.AddDate(0, 0, -1), To: now})
	require.NoError(w.t, err)
	var sum linkpage.DayVisits
	for _, d := range days {
		sum.Views += d.Views
		sum.Visitors += d.Visitors
		sum.Clicks += d.Clicks
	}
	return sum
}

// TestLinkPagesAreServedDuringDatabaseOutage checks that cached pages are served while the database is unreachable, that visits
// are counted afterwards, and that a process which was disconnected catches up.
func TestLinkPagesAreServedDuringDatabaseOutage(t *testing.T) {
	t.Parallel()
	w, processes := openSite(t, 0)
	database, err := url.Parse(w.Database())
	require.NoError(t, err)
	way := infra.NewProxy(t, database.Host)
	database.Host = way.Address()
	address := w.Address()
	processes = append(processes, w.Start("pages", "", "PAGES_ADDR="+address, "DATABASE_URL="+database.String()).Ready())
	w.bases = []string{"http://" + address}
	page := w.publish(w.draft("mara", "First", link("Shop", "https://shop.example/")), linkpage.Edit{})
	w.publish(w.draft("unseen", "Unseen"), linkpage.Edit{})
	w.everywhere("/mara", titled("First"))
	block := "/l/" + page.Live.Content.Blocks[0].ID.String()

	way.Break(infra.Fault{Closed: true})
	way.Sever()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got, err := visit(t.Context(), processes[0].OpsURL()+"/readyz")
		require.NoError(c, err)
		require.Equal(c, http.StatusServiceUnavailable, got.status)
	}, live, 50*time.Millisecond)
	const during = 20
	for range during {
		w.everywhere("/mara", titled("First"))
		w.everywhere(block, func(c *assert.CollectT, got shown) { require.Equal(c, http.StatusFound, got.status) })
	}
	w.everywhere("/unseen", func(c *assert.CollectT, got shown) {
		require.Equal(c, http.StatusServiceUnavailable, got.status)
		require.Equal(c, "5", got.header.Get("Retry-After"))
	})
	title := "Second"
	w.publish(page, linkpage.Edit{Title: &title}) // not through the proxy
	w.everywhere("/mara", titled("First"))
	way.Heal()
	views := int64(1 + during + 1)
	w.everywhere("/mara", func(c *assert.CollectT, got shown) {
		if got.status == http.StatusOK {
			views++
		}
		titled("Second")(c, got)
	})
	processes[0].Ready().Stop()
	got := w.counted(page)
	require.Equal(t, views, got.Views)
	require.EqualValues(t, during, got.Clicks)
}
