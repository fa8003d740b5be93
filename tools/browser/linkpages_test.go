package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// fillsBlock fills in the fields of the form of a block with the examples of its type.
func (w *tab) fillsBlock(prefix string, fields []linkpage.Field, settings map[string]any) {
	w.t.Helper()
	for _, f := range fields {
		name := prefix + f.Name
		if items, is := settings[f.Name].([]any); is {
			for n, item := range items {
				members, _ := item.(map[string]any)
				w.fillsBlock(fmt.Sprintf("%s.%d.", name, n), f.Items, members)
			}
			continue
		}
		if settings[f.Name] == nil {
			continue
		}
		value := fmt.Sprint(settings[f.Name])
		if f.Kind == linkpage.KindTime {
			value, _, _ = strings.Cut(value, "T")
		}
		w.must(`(() => { const f = document.getElementById(`+quoted(name)+`); f.type === 'checkbox' ? f.checked = true : f.value = `+quoted(value)+`; return f.value !== ''; })()`, true)
	}
}

// requests opens an address as a browser of a person does, without following it.
func requests(t *testing.T, address string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Language", "en")
	client := &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
	return got.StatusCode
}

// TestLinkPageEditor makes a page with a block of every type on a small phone, orders it with a finger and with keys, publishes
// it, and finds the click of a visitor in its figures.
func TestLinkPageEditor(t *testing.T) {
	t.Parallel()
	a, chromium := newApplication(t), openBrowser(t)
	address := free(t)
	site := "http://" + address
	a.start([]string{"PAGES_ADDR=" + address, "PAGES_URL=" + site}, "api", "console", "pages")
	const person = "pages@example.com"
	path, _, _ := a.furnished(person)
	narrow := phone()
	narrow.width = 320
	w := openTab(t, chromium, narrow)
	w.clearCookies()
	w.open(path + "/linkpages")
	w.signIn(person, words)
	w.on("Link pages")
	w.inEveryLook("linkpages-empty")
	w.click(".blank a.button")
	w.on("New link page")
	w.must(`(document.querySelector('#title').value = 'Mara Weber')`, "Mara Weber")
	w.types("#handle", "admin")
	w.wait(`document.querySelector('#handle-said').innerText.includes('reserved')`)
	w.must(`(document.querySelector('#handle').value = '')`, "")
	w.types("#handle", "mara-weber")
	w.wait(`document.querySelector('#handle-said').innerText.includes('is free')`)
	w.inEveryLook("linkpages-new")
	w.click(".panel button[type=submit]")
	w.on("Mara Weber")
	page := eval[string](w, `location.origin + location.pathname`)

	published := postgrestest.Column(t, a.dsn, `SELECT id::text FROM post WHERE workspace_id = $1 AND status = 'PUBLISHED'`, path[len(path)-36:])
	require.NotEmpty(t, published)
	shown, err := ident.Parse[ident.Post](published[0])
	require.NoError(t, err)
	in := linkpage.Sampling{Post: shown, Time: "2031-03-06T09:00:00Z"}
	for i, d := range linkpage.Descriptors() {
		w.open(page + "?add=" + string(d.Type) + "#add")
		w.shows(".lpnew form")
		var settings map[string]any
		require.NoError(t, json.Unmarshal(d.Sample(in), &settings))
		w.fillsBlock("s.", d.Fields, settings)
		if i%4 == 0 {
			w.inEveryLook("linkpages-add-" + strings.ToLower(string(d.Type)))
		}
		w.click(".lpnew button.primary")
		w.shows(fmt.Sprintf(".lpblock:nth-child(%d):last-child", i+1))
	}
	w.inEveryLook("linkpages-blocks")
	w.open(page + "?block=" + eval[string](w, `document.querySelector('.lpblock').dataset.block`))
	w.shows(".lpblock.open form")
	w.inEveryLook("linkpages-block")

	// With keys, and with a pointer.
	labels := `[...document.querySelectorAll('.lpblock')].map((block) => block.dataset.block).join(' ')`
	w.open(page)
	w.shows(".lpblock:nth-child(10)")
	before := strings.Fields(eval[string](w, labels))
	w.must(`document.querySelector('.lpblock:nth-child(2) a[data-row]').focus() === undefined`, true)
	w.must(`document.querySelector('.lpblock:nth-child(2) a[data-row]').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', altKey: true, bubbles: true, cancelable: true }))`, false)
	w.wait(`document.querySelector('.lpblock')?.dataset.block === ` + quoted(before[1]))
	w.shows(".lpblock:nth-child(10)")
	w.must(`(document.querySelector('.lpblock').scrollIntoView(), true)`, true)
	at := eval[[]float64](w, `['.lpblock:nth-child(1) .lpgrip', '.lpblock:nth-child(3)'].flatMap((one) => { const r = document.querySelector(one).getBoundingClientRect(); return [r.x + 8, r.y + r.height * 0.75]; })`)
	w.mouse(input.DispatchMouseEventTypeMousePressed, at[0], at[1])
	w.mouse(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]+20)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, at[0], at[3])
	w.mouse(input.DispatchMouseEventTypeMouseReleased, at[0], at[3])
	w.wait(`document.querySelector('#said').innerText === 'Moved.'`)
	w.wait(labels + ` === ` + quoted(strings.Join(append([]string{before[0], before[2], before[1]}, before[3:]...), " ")))

	for _, part := range []string{"look", "sharing", "address"} {
		w.open(page + "/" + part)
		w.shows(".lpform")
		w.inEveryLook("linkpages-" + part)
	}
	w.open(page + "/look")
	w.shows("[data-tries]")
	w.must(`document.querySelector('[name=theme][value=OCEAN]').click() === undefined`, true)
	w.wait(`document.querySelector('iframe[data-preview]').src.includes('theme=OCEAN')`)
	w.click(".lpform button.primary")
	w.wait(`document.readyState === 'complete' && document.querySelector('[name=theme][value=OCEAN]:checked')`)
	w.click(".lpbar button.primary")
	w.wait(`document.readyState === 'complete' && document.querySelector('.lpstatus')?.innerText.includes('Published')`)
	require.Equal(t, http.StatusOK, requests(t, site+"/mara-weber"))
	w.open(page + "/changes")
	w.shows(".lppreview iframe")
	w.inEveryLook("linkpages-changes")

	clicked := postgrestest.Column(t, a.dsn, `SELECT block_ids[1]::text FROM link_page_live WHERE handle = 'mara-weber'`)
	for _, id := range before { // those with a link
		requests(t, site+"/l/"+id)
	}
	require.NotEmpty(t, clicked)
	w.reopens(page+"/figures", `document.querySelector('.lpsums')?.innerText.includes('Clicks') && document.querySelectorAll('.lpbars rect').length > 2`)
	w.inEveryLook("linkpages-figures")
	id, err := ident.Parse[ident.LinkPage](page[strings.LastIndex(page, "/")+1:])
	require.NoError(t, err)
	workspace, err := ident.Parse[ident.Workspace](path[len(path)-36:])
	require.NoError(t, err)
	stored, err := postgres.NewLinkPages(a.db).Get(t.Context(), workspace, id)
	require.NoError(t, err)
	require.Len(t, stored.Live.Content.Blocks, len(linkpage.BlockTypes()))
	w.open(path + "/linkpages")
	w.shows(".list li")
	w.inEveryLook("linkpages-list")
	w.requireQuiet()
}
