package browser_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestProcessedMedia tests the pages that need a worker, which reads and converts files.
func TestProcessedMedia(t *testing.T) {
	t.Parallel()
	a, chromium := newApplication(t), openBrowser(t)
	a.start(nil, "worker", "api", "console")
	for name, story := range map[string]func(*testing.T, *application, chrome){
		"trimming in the library": trimsInLibrary, "media of a post": attachesMedia, "a video of a post": attachesVideo, "a cover of a video": coversVideo,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, a.in(t), chromium.profile(t))
		})
	}
}

// pastes pastes a picture of 600 × 400 pixels, which is drawn here.
func (w *tab) pastes(name, contentType string) {
	w.t.Helper()
	w.must(fmt.Sprintf(`(async () => {
		const canvas = new OffscreenCanvas(600, 400);
		canvas.getContext('2d').fillRect(0, 0, 300, 400);
		const data = new DataTransfer();
		data.items.add(new File([await canvas.convertToBlob({type: '%[2]s'})], '%[1]s', {type: '%[2]s'}));
		(document.activeElement ?? document.body).dispatchEvent(new ClipboardEvent('paste', {bubbles: true, cancelable: true, clipboardData: data}));
		return true;
	})()`, name, contentType), true)
}

// dropsFixture drops a file of the tests of media.
func (w *tab) dropsFixture(fixture, name, contentType string) {
	w.t.Helper()
	w.dropsFile(mediaboxtest.Fixture(w.t, fixture), name, contentType)
}

func (w *tab) dropsFile(content []byte, name, contentType string) {
	w.t.Helper()
	w.must(fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob('%s'), (c) => c.charCodeAt(0))], '%s', {type: '%s'}));
		document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));
		return true;
	})()`, base64.StdEncoding.EncodeToString(content), name, contentType), true)
}

// composesFor opens the composer with healthy channels of these networks picked, and returns the IDs of the channels.
func (a *application) composesFor(w *tab, path, person string, networks ...string) []string {
	a.t.Helper()
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(a.t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	w.open(path + "/compose")
	w.signIn(person, words)
	w.shows("#text")
	ids := make([]string, len(networks))
	for i, network := range networks {
		ids[i] = postgrestest.Column(a.t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = $2`, workspace, network)[0]
		w.must(`(document.querySelector('input[value="`+ids[i]+`"]').click(), null)`, nil)
	}
	w.wait(fmt.Sprintf(`document.querySelector('#picked').textContent.startsWith('%d of')`, len(networks)))
	return ids
}

// holdsUploads holds the transfers of files, refuses the first and then lets the others go.
func (w *tab) holdsUploads() (refuse, release func()) {
	w.t.Helper()
	held := make(chan *fetch.EventRequestPaused, 200)
	require.NoError(w.t, chromedp.Listen(w.Context, func(event any) {
		if e, ok := event.(*fetch.EventRequestPaused); ok {
			held <- e
		}
	}))
	call(w, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*X-Amz-Signature*"}}})
	refuse = func() {
		for e := range held {
			if e.Request.Method == http.MethodPut {
				call(w, fetch.FulfillRequest, fetch.FulfillRequestParams{
					RequestID: e.RequestID, ResponseCode: http.StatusForbidden,
					ResponseHeaders: []*fetch.HeaderEntry{{Name: "Access-Control-Allow-Origin", Value: "*"}},
				})
				return
			}
			call(w, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
		}
	}
	release = func() {
		go func() {
			for e := range held {
				_, _ = chromedp.Call(w.Context, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID}) // a canceled one is gone
			}
		}()
	}
	return refuse, release
}

func uploading(name string) string {
	return `[...document.querySelectorAll('.shot.up')].find(row => row.querySelector('small').textContent.startsWith('` + name + `'))`
}

// attachesMedia pastes and drops files, one of which fails and one of which is canceled, puts them in order by drag and by
// keys, describes them as the workspace requires, and sees how the networks crop and convert them.
func attachesMedia(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "attaches@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE workspace SET alt_text_rule = 'REQUIRED' WHERE id = $1`, workspace)
	w := openTab(t, chromium, desk())
	a.composesFor(w, path, person, "INSTAGRAM_PROFESSIONAL", "LINKEDIN_PAGE", "FACEBOOK_PAGE")
	w.writes("Look into the kiln: https://acme.com/kiln " + strings.Repeat("and mind the heat of it ", 12))

	// Before there is a file, a link has its card. LinkedIn folds a long text, and shows the rest on demand.
	w.wait(`document.querySelector('.pv-facebook .pvcard .pvcap small')?.textContent.toLowerCase() === 'acme.com'`)
	w.must(`document.querySelector('.pv-linkedin .pvrest').open`, false)
	w.click(".pv-linkedin .pvrest summary")
	w.must(`document.querySelector('.pv-linkedin .pvrest').innerText.includes('mind the heat')`, true)

	w.pastes("screenshot.png", "image/png")
	w.wait(`document.querySelector('.shot[data-media] small')?.textContent === 'screenshot.png'`)
	refuse, release := w.holdsUploads()
	w.drops("a.jpg", "bb.jpg", "ccc.jpg", "dddd.jpg", "eeeee.jpg", "ffffff.jpg", "ggggggg.jpg", "hhhhhhhh.jpg", "iiiiiiiii.jpg")
	w.dropsFixture("still.heic", "bowl.heic", "image/heic")
	w.must(`document.querySelectorAll('.shot.up progress').length`, 10)
	refuse()
	w.wait(`[...document.querySelectorAll('.shot.up')].some(row => row.querySelector('.pct').textContent === 'Failed')`)
	w.inEveryLook("composer-uploads")
	w.must(uploading("iiiiiiiii")+`.querySelector('button:last-child').click()`, nil) // canceled before its turn
	release()
	w.wait(`document.querySelectorAll('.shot.up').length === 1`)
	w.must(`[...document.querySelectorAll('.shot.up button')].find(button => button.textContent === 'Try again').click()`, nil)
	w.wait(`!document.querySelector('.shot.up') && document.querySelectorAll('.shot[data-media]').length === 10`)
	w.must(`[...document.querySelectorAll('.shot small')].some(name => name.textContent.startsWith('iiiiiiiii'))`, false)

	w.mu.Lock()
	w.violations = nil // the file that was refused
	w.mu.Unlock()

	// Two remain, and change places by keys and by drag.
	w.must(`[...document.querySelectorAll('.shot[data-media]')].filter(shot => !['screenshot.png', 'bowl.heic'].includes(shot.querySelector('small').textContent))
		.forEach(shot => shot.querySelector('[data-remove]').click())`, nil)
	names := `[...document.querySelectorAll('.shot[data-media] small')].map(name => name.textContent).join(' ')`
	before := strings.Fields(eval[string](w, names))
	require.Len(t, before, 2)
	w.must(`(document.querySelector('.shot[data-media] .frame').focus(), null)`, nil)
	w.must(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', altKey: true, bubbles: true, cancelable: true}))`, false)
	w.must(names, before[1]+" "+before[0])
	w.must(`document.querySelector('#status').textContent`, "Now 2 of 2")
	w.must(`(() => {
		const [first, second] = document.querySelectorAll('.shot[data-media]');
		const data = new DataTransfer();
		first.dispatchEvent(new DragEvent('dragstart', {bubbles: true, dataTransfer: data}));
		for (const what of ['dragover', 'drop']) second.dispatchEvent(new DragEvent(what, {bubbles: true, cancelable: true, dataTransfer: data}));
		first.dispatchEvent(new DragEvent('dragend', {bubbles: true, dataTransfer: data}));
	})()`, nil)
	w.must(names, strings.Join(before, " "))
	w.wait(saved)
	a.processes(workspace, 10)
	w.writes(".")
	w.must(`document.querySelectorAll('.pv-instagram .pvcarousel .pvstep').length`, 2)
	w.must(`['Attachment 1, a PNG', 'Attachment 2, a HEIC'].every(file => document.querySelector('#findings').innerText.includes(file + ' image, is sent to Instagram as JPEG'))`, true)
	w.inEveryLook("composer-media")
	a.describes(w, workspace)
	w.requireQuiet()
}

// describes writes the descriptions that the workspace requires, and schedules: every network gets them.
func (a *application) describes(w *tab, workspace string) {
	w.t.Helper()
	w.wait(`document.querySelector('#findings').innerText.includes('2 without description, which this workspace requires.')`)
	w.must(`document.querySelectorAll('.shot.bare').length`, 2)
	for _, words := range []string{"The kiln, open", "A bowl <b>of clay</b>"} {
		w.click("[data-fix=alt]")
		w.wait(`document.activeElement?.name?.startsWith('alt.')`)
		w.run(chromedp.KeyEvent(words))
		w.wait(saved)
	}
	w.wait(`!document.querySelector('[data-fix=alt]')`)
	w.must(`document.querySelectorAll('.shot.bare').length`, 0)
	day := time.Now().AddDate(0, 0, 9).Format(time.DateOnly)
	w.click(`[name=when][value=time]`)
	w.must(`(document.querySelector('#day').value = '`+day+`', document.querySelector('[name=clock]').value = '09:00',
		document.querySelector('#day').dispatchEvent(new Event('change', {bubbles: true})), null)`, nil)
	w.wait(`document.querySelector('#findings').dataset.stops === '0' && document.querySelector('#sum strong').textContent.startsWith('in ')`)
	w.click("#go")
	w.wait(`document.querySelector('.toasts .notice')?.innerText.includes('3 posts scheduled.')`)
	w.must(`(img => img.decode().then(() => img.naturalWidth > 0))(document.querySelector('.slip[data-at="`+day+`T09:00"] img'))`, true)
	require.Equal(w.t, slices.Repeat([]string{"A bowl <b>of clay</b>, The kiln, open"}, 3), postgrestest.Column(w.t, a.dsn,
		`SELECT (SELECT string_agg(value, ', ' ORDER BY value) FROM jsonb_each_text(media_alt_texts)) FROM post WHERE workspace_id = $1 AND content LIKE 'Look into%'`, workspace))
}
