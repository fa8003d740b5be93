package browser_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/webhook"
)

// TestFirstSteps starts with an empty database and follows the first owner: from the link in the log, to a key and the
// first call, to an endpoint that fails, its log, and the redelivery.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	a, chromium := newApplication(t), openBrowser(t)
	// All attempts of a delivery take 3.4 seconds. The receiver is on this machine.
	a.start([]string{"RETRY_SCALE=0.001", "EGRESS_ALLOW=127.0.0.1/32"}, "worker", "api")
	var log output
	runProgram(t, &log, "console", a.env...)
	link := regexp.MustCompile(`http://localhost:\d+/setup/\w+`).FindString(log.String())
	require.NotEmpty(t, link, "console logs the link of the first owner")

	w := openTab(t, chromium, desk())
	w.open(link)
	w.on("Welcome")
	w.inEveryLook("setup")
	for field, value := range map[string]string{
		"name": "Mara Lindqvist", "email": "mara@example.com", "password": words, "workspace": "Northern Lights Ceramics",
	} {
		w.types("#"+field, value)
	}
	w.click("main [type=submit]")
	w.begins()
	path := a.base + regexp.MustCompile(`/w/[0-9a-f-]+`).FindString(eval[string](w, `location.pathname`))
	w.open(path + "/posts")
	w.on("Posts")
	w.inEveryLook("first-posts")

	w.must(`[...document.querySelectorAll('ol.list strong')].map(e => e.innerText)`,
		[]any{"Connect a channel", "Create an API key", "Create your first post"})
	firstCall(w, a, path)
	w.open(path + "/posts")
	w.must(`document.querySelectorAll('ol.list strong')[1].textContent`, "Create an API key (done)")
	redelivery(w, path)
	w.requireQuiet()

	w.clearCookies()
	w.open(link)
	w.on("Link no longer valid")
	w.expect("410", "410")
}

// types enters a value into an empty field.
func (w *tab) types(selector, value string) {
	w.t.Helper()
	w.run(chromedp.SendKeys(chromedp.CSS(selector), value))
}

// reopens opens a page until an expression is true on it.
func (w *tab) reopens(address, expression string) {
	w.t.Helper()
	require.EventuallyWithT(w.t, func(c *assert.CollectT) {
		ctx, cancel := context.WithTimeout(w.Context, timeout)
		defer cancel()
		require.NoError(c, chromedp.Do(ctx, chromedp.Navigate(address)))
		got, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		require.NoError(c, err)
		require.True(c, got, expression)
	}, timeout, 200*time.Millisecond)
}

// firstCall creates a key and calls the API with it.
func firstCall(w *tab, a *application, path string) {
	w.t.Helper()
	w.open(path + "/developers/keys")
	w.on("Developers")
	w.types("#name", "Newsletter script")
	w.click("main form [type=submit]")
	w.wait(`document.querySelector('.secret code') !== null`)
	w.inEveryLook("key-made")
	status, response := a.workspace(eval[string](w, `document.querySelector('.secret code').innerText`))
	require.Equal(w.t, http.StatusOK, status, response)
	require.Equal(w.t, "Northern Lights Ceramics", response["name"])
	// The use is recorded outside of the request.
	w.reopens(path+"/developers/keys", `document.querySelector('main').innerText.includes('Last used')`)
}

// receiver is an endpoint that refuses events until it is repaired.
type receiver struct {
	mu       sync.Mutex
	repaired bool
	secret   string
	ids      []string // of the requests, in the order of their arrival
	wrong    int      // requests with a wrong signature
}

func (r *receiver) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, _ := io.ReadAll(in.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, in.Header.Get(webhook.HeaderDelivery))
	if !r.repaired {
		http.Error(out, "the shelf is full", http.StatusInternalServerError)
		return
	}
	if webhook.Verify(in.Header.Get(webhook.HeaderSignature), body, r.secret, time.Now()) != nil {
		r.wrong++
	}
}

// redelivery creates an endpoint that fails, reads its log, repairs it, and sends the event again.
func redelivery(w *tab, path string) {
	w.t.Helper()
	r := new(receiver)
	server := httptest.NewServer(r)
	w.t.Cleanup(server.Close)
	w.open(path + "/developers/webhooks")
	w.on("Developers")
	w.types("#url", server.URL+"/hooks")
	w.must(`document.querySelector('[name=all]').checked`, true)
	w.click("main form [type=submit]")
	w.wait(`document.querySelector('.secret code') !== null`)
	r.secret = eval[string](w, `document.querySelector('.secret code').innerText`)
	w.click(`form[action$="/test"] button`)
	w.wait(`document.querySelector('.notice')?.innerText.startsWith('Test sent.') ?? false`)
	hook := eval[string](w, `location.origin + location.pathname`)
	w.reopens(hook, `document.querySelector('#deliveries .badge')?.innerText === 'Failed'`)
	w.inEveryLook("endpoint-failing")
	w.click("#deliveries .what a")
	w.wait(`document.querySelectorAll('.timeline .bad').length > 1`)
	w.must(`document.querySelector('.timeline').innerText.includes('the shelf is full')`, true)
	w.inEveryLook("delivery-failed")

	r.mu.Lock()
	r.repaired = true
	r.mu.Unlock()
	delivery := eval[string](w, `location.href`)
	w.click(`form[action$="/redeliver"] button`)
	w.wait(`document.querySelector('.notice') !== null`)
	w.reopens(delivery, `document.querySelectorAll('.timeline .good').length === 1`)
	w.inEveryLook("delivery-sent-again")
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Zero(w.t, r.wrong, "requests with a wrong signature")
	for _, id := range r.ids {
		require.Equal(w.t, r.ids[0], id, "each attempt has the id of the delivery")
	}
}
