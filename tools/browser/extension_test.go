package browser_test

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

const extensionFolder = "../../services/console/internal/extension"

// extended starts Chromium with the browser extension, and returns the address of its pages.
func extended(t *testing.T) (chrome, string) {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join(extensionFolder, "files"))
	require.NoError(t, err)
	chromium := openBrowser(t, chromedp.Flag("disable-extensions", false), chromedp.Flag("disable-extensions-except", folder),
		chromedp.Flag("load-extension", folder), chromedp.Flag("disable-features", "DisableLoadExtensionCommandLineSwitch"))
	hash := sha256.Sum256([]byte(folder)) // an unpacked extension has the ID of its folder
	var id strings.Builder
	for _, b := range hash[:16] {
		id.WriteByte('a' + b>>4)
		id.WriteByte('a' + b&15)
	}
	return chromium, "chrome-extension://" + id.String()
}

// visits opens a saved page under the address of a network, which no request reaches, and selects the text that it offers.
func visits(t *testing.T, chromium chrome, address, saved string) *tab {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(extensionFolder, "testdata", saved+".html"))
	require.NoError(t, err)
	w := openTab(t, chromium, desk())
	require.NoError(t, chromedp.Listen(w.Context, func(event any) {
		if e, ok := event.(*fetch.EventRequestPaused); ok {
			go func() {
				_, _ = chromedp.Call(w.Context, fetch.FulfillRequest, fetch.FulfillRequestParams{
					RequestID: e.RequestID, ResponseCode: http.StatusOK, Body: raw,
					ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html; charset=utf-8"}},
				})
			}()
		}
	}))
	call(w, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}})
	w.run(chromedp.Navigate(address))
	return w
}

// captured holds the values that the extension reads of a page.
type captured struct{ Name, Handle, URL, Platform, Interest string }

// captures runs the function of the extension in the tab, as a click does: in a world that the scripts of the page do not
// share. It returns what was read, and the address of the form.
func (w *tab) captures(linkedin, base string) (read captured, form string) {
	w.t.Helper()
	var source strings.Builder
	for _, name := range []string{"collect.js", "profile.js"} {
		raw, err := os.ReadFile(filepath.Join(extensionFolder, "files", name))
		require.NoError(w.t, err)
		source.WriteString(strings.ReplaceAll("\n"+string(raw), "\nexport function", "\nfunction"))
	}
	tree, yes := call(w, page.GetFrameTree, cdp.Empty{}), true
	world := call(w, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID})
	got := call(w, runtime.Evaluate, runtime.EvaluateParams{
		ContextID: world.ExecutionContextID, ReturnByValue: &yes,
		Expression: source.String() + `; (() => {
			const pick = Document.prototype.querySelector.call(document, '#pick');
			if (pick) getSelection().selectAllChildren(pick);
			const lead = profile(collect(` + linkedin + `));
			return JSON.stringify([lead.name, lead.handle, lead.url, lead.platform, lead.interest, formOf('` + base + `', lead, 'key-of-' + lead.handle)]);
		})()`,
	})
	require.Nil(w.t, got.ExceptionDetails)
	var text string
	require.NoError(w.t, json.Unmarshal(got.Result.Value, &text))
	var values []string
	require.NoError(w.t, json.Unmarshal([]byte(text), &values))
	return captured{values[0], values[1], values[2], values[3], values[4]}, values[5]
}

// TestExtension reads saved profile pages of networks with the browser extension, and saves one as a lead.
func TestExtension(t *testing.T) {
	t.Parallel()
	a := openApplication(t)
	chromium, own := extended(t)
	for _, test := range []struct {
		address, saved, linkedin string
		want                     captured
	}{
		{"https://www.facebook.com/cafeziegel/?ref=x", "facebook", "false", captured{"Café Ziegel", "cafeziegel", "https://www.facebook.com/cafeziegel", "FACEBOOK", ""}},
		{"https://www.facebook.com/profile.php?id=100012345", "facebook", "false", captured{"Café Ziegel", "", "https://www.facebook.com/profile.php?id=100012345", "FACEBOOK", ""}},
		{"https://www.linkedin.com/in/noor-haddad-5a1/", "linkedin", "false", captured{}},
		{"https://www.linkedin.com/in/noor-haddad-5a1/", "linkedin", "true", captured{
			"noor-haddad-5a1", "noor-haddad-5a1", "https://www.linkedin.com/in/noor-haddad-5a1/", "LINKEDIN", "Fitting out 40 rooms",
		}},
		{"https://x.com/seeblick_hotel/status/1#m", "x", "false", captured{"Hotel Seeblick", "seeblick_hotel", "https://x.com/seeblick_hotel", "TWITTER", ""}},
		{"https://www.tiktok.com/@kims.bakes/video/7", "tiktok", "false", captured{"Kim's Bakes", "kims.bakes", "https://www.tiktok.com/@kims.bakes", "TIKTOK", ""}},
		{"https://www.threads.com/@tilda.muster", "threads", "false", captured{"Tilda Muster", "tilda.muster", "https://www.threads.com/@tilda.muster", "THREADS", ""}},
		{"https://www.youtube.com/@kilnandclay/videos", "youtube", "false", captured{"Kiln & Clay", "kilnandclay", "https://www.youtube.com/@kilnandclay", "YOUTUBE", ""}},
		{"https://de.pinterest.com/gretahome/", "pinterest", "false", captured{"Greta Holm", "gretahome", "https://www.pinterest.com/gretahome/", "PINTEREST", ""}},
		{"https://bsky.app/profile/ines.example.social", "bluesky", "false", captured{"Inês Prado", "ines.example.social", "https://bsky.app/profile/ines.example.social", "BLUESKY", ""}},
		{"https://craft.example/@jo", "mastodon", "false", captured{"Jo Berg", "jo@craft.example", "https://craft.example/@jo", "MASTODON", ""}},
		{"https://www.instagram.com/explore/", "instagram", "false", captured{
			"Mara Lindqvist", "", "https://www.instagram.com/mara.builds/", "INSTAGRAM", "We are looking for tiles for a café in May.",
		}},
		{"https://evil.example/@a?b=%22%3E%3Cscript%3E#x", "hostile", "false", captured{
			`<img src=x onerror=alert(1)> & "quotes"`, "", "https://evil.example/@a?b=%22%3E%3Cscript%3E", "", "",
		}},
	} {
		w := visits(t, chromium, test.address, test.saved)
		read, _ := w.captures(test.linkedin, a.base)
		require.Equal(t, test.want, read, test.address)
		call(w, page.Close, cdp.Empty{})
	}
	setsUp(t, a, chromium, own)
	saves(t, a, chromium)
}

// setsUp enters the address of the application in the settings of the extension.
func setsUp(t *testing.T, a *application, chromium chrome, own string) {
	t.Helper()
	w := openTab(t, chromium, desk())
	w.open(own + "/click.html")
	w.wait(`document.querySelector('#status').textContent.startsWith('Enter the address')`)
	w.open(own + "/options.html")
	w.types("#installations", "ftp://nowhere")
	w.click("button")
	w.wait(`document.querySelector('#status').textContent.includes('not an address')`)
	w.must(`document.querySelector('#installations').value = ''`, "")
	w.types("#installations", a.base+"/")
	w.click("button")
	w.wait(`document.querySelector('#status').textContent === 'Saved.'`)
	w.requireAccessible()
	w.keep("extension-options")
	w.open(own + "/click.html")
	w.wait(`document.querySelector('#status').textContent.includes('can’t be read')`)
	w.keep("extension-click")
}

// chooses chooses the workspace in which the lead is saved.
func (w *tab) chooses(path string) {
	w.t.Helper()
	w.on("Save the lead")
	w.click(`a[href*="/w/` + path[len(path)-36:] + `/leads/new"]`)
	w.on("New lead")
}

// saves captures a profile without a session, signs in, and saves it: once, in one workspace.
func saves(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person, outsider = "captures@example.com", "outsider@example.com"
	path, _, _ := a.furnished(person)
	others, _, _ := a.furnished(outsider)
	profile := visits(t, chromium, "https://www.instagram.com/mara.builds/", "instagram")
	_, form := profile.captures("false", a.base)
	call(profile, page.Close, cdp.Empty{})

	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(a.base + "/extension")
	w.on("Browser extension")
	w.inEveryLook("extension")
	w.open(form)
	w.shows("#email")
	w.must(`location.hash + sessionStorage.length`, "1")
	w.signIn(person, words)
	w.chooses(path)
	w.wait(`document.querySelector('#name').value === 'Mara Lindqvist'`)
	w.must(`['handle', 'profile_url', 'platform', 'interest'].map(id => document.getElementById(id).value).join('|')`,
		"mara.builds|https://www.instagram.com/mara.builds/|INSTAGRAM|We are looking for tiles for a café in May.")
	w.inEveryLook("capture")
	w.click("form.leadform button.primary")
	w.on("Mara Lindqvist")
	lead := eval[string](w, `location.pathname.split('/').pop()`)
	w.open(form)
	w.chooses(path)
	w.wait(`document.querySelector('#name').value === 'Mara Lindqvist'`)
	w.click("form.leadform button.primary")
	w.on("Mara Lindqvist")
	require.Equal(t, []string{lead + " BROWSER_EXTENSION extension/key-of-mara.builds"}, postgrestest.Column(t, a.dsn,
		`SELECT id || ' ' || source || ' ' || capture_key FROM lead WHERE workspace_id = $1`, path[len(path)-36:]))
	w.requireQuiet()

	w.clearCookies()
	w.open(others + "/leads")
	w.signIn(outsider, words)
	w.on("Leads")
	w.must(`Promise.all(['`+others+`', '`+path+`'].map(at => fetch(at + '/leads/`+lead+`').then(r => r.status))).then(all => all.join())`, "404,404")
	w.expect("404", "404", "404", "404") // each response, and its line in the log
}
