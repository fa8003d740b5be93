package browser_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// cutsFirst cuts the connection of the first request whose address contains a text, and reports how many there were.
func (w *tab) cutsFirst(part string) *atomic.Int32 {
	w.t.Helper()
	seen := new(atomic.Int32)
	require.NoError(w.t, chromedp.Listen(w.Context, func(event any) {
		e, ok := event.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		go func() {
			if e.Request.Method == http.MethodPut && seen.Add(1) == 1 {
				_, _ = chromedp.Call(w.Context, fetch.FailRequest, fetch.FailRequestParams{
					RequestID: e.RequestID, ErrorReason: network.ErrorReasonConnectionReset,
				})
				return
			}
			_, _ = chromedp.Call(w.Context, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
		}()
	}))
	call(w, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*" + part + "*"}}})
	return seen
}

// drops drops files on the page: pictures that are drawn here, and texts.
func (w *tab) drops(names ...string) {
	w.t.Helper()
	w.must(`(async () => {
		const data = new DataTransfer();
		for (const name of ['`+strings.Join(names, `', '`)+`']) {
			const canvas = new OffscreenCanvas(300, 200);
			const pen = canvas.getContext('2d');
			pen.fillStyle = 'hsl(' + (name.length * 40) + ' 60% 50%)';
			pen.fillRect(0, 0, 300, 200);
			const picture = await canvas.convertToBlob({type: 'image/jpeg'});
			data.items.add(new File([name.endsWith('.jpg') ? picture : 'a text'], name, {type: picture.type}));
		}
		for (const what of ['dragover', 'drop'])
			document.body.dispatchEvent(new DragEvent(what, {bubbles: true, cancelable: true, dataTransfer: data}));
		return true;
	})()`, true)
}

func row(name string) string {
	return `[...document.querySelectorAll('#uploads-list li')].find(li => li.querySelector('.called').textContent === '` + name + `')`
}

// TestMediaLibrary drops files on the library, one of which loses its connection, describes a file, finds it, and deletes it
// once nothing uses it.
func TestMediaLibrary(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person = "media@example.com"
	path, _, _ := a.furnished(person)
	library := path + "/media"
	w := openTab(t, chromium.profile(t), desk())
	w.open(library)
	w.signIn(person, words)
	w.on("Media")
	w.looked("media-empty")

	sent := w.cutsFirst("X-Amz-Signature")
	w.drops("bowls.jpg", "kiln.jpg", "yard-plan.psd")
	w.wait(row("bowls.jpg") + `.querySelector('.num').textContent === 'done' && ` + row("kiln.jpg") + `.querySelector('.num').textContent === 'done'`)
	require.EqualValues(t, 3, sent.Load(), "the part that was cut was sent again")
	w.wait(row("yard-plan.psd") + `.querySelector('.bad').textContent.includes('Save a picture as JPEG')`)
	w.must(row("yard-plan.psd")+`.querySelector('[data-act=retry]').hidden`, true)
	w.wait(`document.querySelectorAll('.asset').length === 2`)
	w.must(`document.querySelector('#uploads-done').textContent`, "2 of 3 done, 1 failed")
	w.mu.Lock()
	w.violations = nil // the connection that was cut, and the type that was refused
	w.mu.Unlock()
	w.looked("media-uploads")
	w.must(row("yard-plan.psd")+`.querySelector('[data-act=cancel]').click()`, nil)
	w.wait(`document.querySelectorAll('#uploads-list li').length === 2`)

	bowls := postgrestest.Column(t, a.dsn, `SELECT id::text FROM media WHERE name = 'bowls.jpg'`)[0]
	w.click("#file-" + bowls)
	w.wait(`document.querySelector('#alt')`)
	w.types("#alt", `Bowls <b>& cobalt</b>`)
	w.must(`document.querySelector('#name').value = ''`, "")
	w.types("#name", "cobalt-bowls.jpg")
	w.types("#labels", "Spring, Kiln")
	w.click(`aside form button[type=submit]`)
	w.wait(`document.querySelector('[data-toast]')?.innerText.includes('Saved.')`)
	require.Equal(t, []string{"cobalt-bowls.jpg Bowls <b>& cobalt</b>"},
		postgrestest.Column(t, a.dsn, `SELECT name || ' ' || alt_text FROM media WHERE id = $1`, bowls))
	w.looked("media-file")

	w.must(`[...document.querySelectorAll('aside .label-tag')].map(tag => tag.textContent)`, []any{"Spring", "Kiln"})
	w.open(library)
	w.must(`[...document.querySelectorAll('.asset .tick')].find(box => box.ariaLabel === 'Select kiln.jpg').click()`, nil)
	w.click(`.selection .menued summary`)
	w.types("#label", "spring")
	w.inEveryLook("media-labels")
	w.click(`.selection [name=do][value=label]`)
	w.wait(`document.querySelector('[data-toast]')?.innerText.includes('Label added to 1 file.')`)
	w.click(`.bylabel summary`)
	w.must(`document.querySelector('.bylabel [value=Kiln]').click()`, nil)
	w.looked("media-by-label")
	w.click(`.bylabel button`)
	w.wait(`document.querySelectorAll('.asset').length === 1 && location.search.includes('label=Kiln')`)
	w.open(library + "?label=SPRING&label=none")
	w.must(`document.querySelectorAll('.asset').length`, 2)
	w.open(library + "?q=COBALT")
	w.must(`[...document.querySelectorAll('.asset .name')].map(e => e.textContent)`, []any{"cobalt-bowls.jpg"})
	w.open(library + "?only=untold")
	w.must(`[...document.querySelectorAll('.asset .name')].map(e => e.textContent)`, []any{"kiln.jpg"})

	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `INSERT INTO media_reference (owner_type, owner_id, media_id, workspace_id, label)
		VALUES ('WORKSPACE_LOGO', $2, $1, $2, '')`, bowls, workspace)
	w.open(library + "/" + bowls)
	w.must(`[...document.querySelectorAll('aside button')].find(b => b.innerText.trim() === 'Delete').disabled`, true)
	w.must(`document.querySelector('#whynot').innerText`, "It can be deleted once nothing uses it.")
	w.must(`document.querySelector('.uses').innerText.includes('Logo of the workspace')`, true)
	postgrestest.Exec(t, a.dsn, `DELETE FROM media_reference WHERE media_id = $1`, bowls)
	w.open(library + "/" + bowls)
	w.click(`aside .confirm summary`)
	w.click(`aside .confirm button`)
	w.wait(`document.querySelector('[data-toast]')?.innerText.includes('cobalt-bowls.jpg deleted.')`)
	require.Equal(t, []string{"kiln.jpg"}, postgrestest.Column(t, a.dsn, `SELECT name FROM media WHERE workspace_id = $1`, workspace))
	w.requireQuiet()

	kiln := postgrestest.Column(t, a.dsn, `SELECT id::text FROM media WHERE name = 'kiln.jpg'`)[0]
	for name, l := range everyLook() {
		w.appears(l)
		for i, address := range []string{library, library + "/" + kiln, library + "/import"} {
			w.open(address)
			w.looked("media-" + strconv.Itoa(i) + "-" + name)
		}
	}
	w.requireQuiet()
}
