package browser_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

const (
	words    = "correct horse battery staple"
	verifier = "0123456789-0123456789-0123456789-0123456789"
	// planner is the redirect of a web application, inspector that of a program on the user's own machine.
	planner   = "https://planner.example/callback"
	inspector = "http://127.0.0.1:6274/oauth/callback"
)

// application is the console process, with the API that redirects users to it.
type application struct {
	t    *testing.T
	base string
	api  string
	mcp  string
	db   *postgres.DB
	dsn  string        // of the database
	env  []string      // of its programs
	box  string        // base address of the mailbox; empty: no mails are sent
	rate postgres.Rate // of the Sales Lead agent; nil: there is none
}

// openApplication starts the console and the API; more is added to their environment.
func openApplication(t *testing.T, more ...string) *application {
	t.Helper()
	a := newApplication(t)
	a.start(more, "api", "console")
	return a
}

// openMailing starts the application with a mailbox, and the programs that send mails to it.
func openMailing(t *testing.T) *application {
	t.Helper()
	a := newApplication(t)
	a.start(a.withMails(), "sandbox", "worker", "api", "console")
	return a
}

func (a *application) start(more []string, programs ...string) {
	a.t.Helper()
	a.env = append(a.env, more...)
	for _, program := range programs {
		startProgram(a.t, program, a.env...)
	}
}

// newApplication returns the application before its programs run.
func newApplication(t *testing.T) *application {
	t.Helper()
	db, database := postgrestest.OpenURL(t)
	cfg := objectstoretest.Config(t)
	objectstoretest.New(t, cfg)
	consoleAddress, apiAddress := free(t), free(t)
	a := &application{
		// passkeys are bound to a domain
		t: t, base: "http://localhost" + consoleAddress[strings.LastIndex(consoleAddress, ":"):], api: "http://" + apiAddress, mcp: "http://127.0.0.1:8082/mcp", db: db,
		dsn: database,
	}
	a.env = []string{
		"DATABASE_URL=" + database, "BASE_URL=" + a.api, "APP_URL=" + a.base, "MCP_URL=" + a.mcp,
		"CONSOLE_ADDR=" + consoleAddress, "CONSOLE_COMPONENTS=true", "API_ADDR=" + apiAddress,
		"ENCRYPTION_KEYS=test:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
		"TEMPORAL_ADDRESS=" + os.Getenv("TEST_TEMPORAL_ADDRESS"),
		"S3_ENDPOINT=" + cfg.Endpoint, "S3_ACCESS_KEY=" + cfg.AccessKey, "S3_SECRET_KEY=" + cfg.SecretKey,
		"S3_BUCKET=" + cfg.Bucket, "S3_REGION=" + cfg.Region,
		"TEMPORAL_NAMESPACE=browser-" + ident.New[ident.Workspace]().String(),
	}
	// Workflows cannot start in the server's own namespace, which has no search attributes.
	migrate := exec.CommandContext(t.Context(), filepath.Join(os.Getenv("PROGRAMS"), "migrate"), "up")
	migrate.Env = slices.Clone(a.env)
	out, err := migrate.CombinedOutput()
	require.NoError(t, err, string(out))
	return a
}

// in returns the same application for a subtest, which fails in place of the whole test.
func (a *application) in(t *testing.T) *application {
	t.Helper()
	part := *a
	part.t = t
	return &part
}

// person creates a user who may sign in, with workspaces of these names.
func (a *application) person(email string, workspaces ...string) []ident.Workspace {
	a.t.Helper()
	hash, err := password.Hash(a.t.Context(), words)
	require.NoError(a.t, err)
	person, err := user.New(email, "Mara Lindqvist", hash, time.Now().UTC())
	require.NoError(a.t, err)
	users := postgres.NewUsers(a.db)
	_, err = users.Insert(a.t.Context(), person)
	require.NoError(a.t, err)
	ids := make([]ident.Workspace, len(workspaces))
	for i, name := range workspaces {
		ids[i] = ident.New[ident.Workspace]()
		require.NoError(a.t, postgres.NewWorkspaces(a.db).Insert(a.t.Context(), workspace.Workspace{
			ID: ids[i], Name: name, Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now().UTC(),
		}))
		require.NoError(a.t, users.Join(a.t.Context(), person.ID, ids[i], member.Owner, time.Now().UTC()))
	}
	return ids
}

// register registers a client dynamically.
func (a *application) register(name, redirect string) string {
	a.t.Helper()
	body, err := json.Marshal(map[string]any{
		"client_name": name, "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
	})
	require.NoError(a.t, err)
	got := a.post("/oauth/register", "application/json", string(body))
	require.NotEmpty(a.t, got["client_id"], got)
	return got["client_id"].(string) //nolint:forcetypeassert,errcheck // a string, as the standard requires
}

// published adds a client whose document was fetched recently from its address.
func (a *application) published(id, name, redirect string) string {
	a.t.Helper()
	require.NoError(a.t, postgres.NewClients(a.db).Refresh(a.t.Context(), oauth.Client{
		ID: id, Kind: oauth.Published, Name: name, RedirectURIs: []string{redirect}, AuthMethod: oauth.AuthNone,
		CreatedAt: time.Now().UTC(),
	}, time.Now().UTC().Add(time.Hour)))
	return id
}

// asks returns the authorization address to which a client redirects the user's browser.
func (a *application) asks(client, redirect, resource string, scopes ...string) string {
	sum := sha256.Sum256([]byte(verifier))
	return a.api + oauth.PathAuthorize + "?" + url.Values{
		"client_id": {client}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"a state & more"},
		"scope":    {strings.Join(scopes, " ")},
		"resource": {resource}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
	}.Encode()
}

// redeem exchanges a code for an access token of the REST API.
func (a *application) redeem(client, redirect, code string) string {
	a.t.Helper()
	got := a.post(oauth.PathToken, "application/x-www-form-urlencoded", url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {client}, "redirect_uri": {redirect},
		"code_verifier": {verifier},
	}.Encode())
	require.NotEmpty(a.t, got["access_token"], got)
	return got["access_token"].(string) //nolint:forcetypeassert,errcheck // a string, as the standard requires
}

func (a *application) post(path, contentType, body string) map[string]any {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.api+path, strings.NewReader(body))
	require.NoError(a.t, err)
	request.Header.Set("Content-Type", contentType)
	_, got := a.send(request)
	return got
}

// workspace returns the API's response for an access token: the status and the workspace.
func (a *application) workspace(token string) (int, map[string]any) {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.api+"/v1/workspace", http.NoBody)
	require.NoError(a.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	return a.send(request)
}

func (a *application) send(request *http.Request) (int, map[string]any) {
	a.t.Helper()
	response, err := (&http.Client{Timeout: timeout}).Do(request)
	require.NoError(a.t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(a.t, err)
	var got map[string]any
	require.NoError(a.t, json.Unmarshal(raw, &got), string(raw))
	return response.StatusCode, got
}

// arrivals intercepts navigations to addresses that match a pattern. It responds with a page of the program and returns
// the addresses.
func (w *tab) arrivals(pattern string) <-chan *url.URL {
	w.t.Helper()
	arrived := make(chan *url.URL, 10)
	require.NoError(w.t, chromedp.Listen(w.Context, func(event any) {
		e, ok := event.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		address, err := url.Parse(e.Request.URL)
		if err != nil {
			return
		}
		go func() {
			_, err := chromedp.Call(w.Context, fetch.FulfillRequest, fetch.FulfillRequestParams{
				RequestID: e.RequestID, ResponseCode: http.StatusOK,
				Body:            []byte(`<!doctype html><title>Back</title><link rel="icon" href="data:,">`),
				ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
			})
			if err == nil {
				arrived <- address
			}
		}()
	}))
	call(w, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: pattern}}})
	return arrived
}

// landed waits until the window is redirected to the program, and returns the query parameters.
func (w *tab) landed(arrived <-chan *url.URL) url.Values {
	w.t.Helper()
	select {
	case address := <-arrived:
		w.wait(`document.title === 'Back'`)
		return address.Query()
	case <-time.After(timeout):
		require.FailNow(w.t, "the browser did not return to the program", eval[string](w, `document.body.innerText`))
		return nil
	}
}

// signIn types the credentials, starting in the focused field.
func (w *tab) signIn(email, secret string) {
	w.t.Helper()
	w.wait(`document.activeElement.id === 'email'`)
	w.run(chromedp.KeyEvent(email), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(secret), chromedp.KeyEvent(kb.Enter))
}

// click clicks the element.
func (w *tab) click(selector string) {
	w.t.Helper()
	w.run(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// shows waits until the window shows a page with this element that is loaded completely: while a browser reads a page, its
// first elements are there before the others, and before the scripts.
func (w *tab) shows(selector string) {
	w.t.Helper()
	w.wait(`document.readyState === 'complete' && document.querySelector(` + quoted(selector) + `)`)
}

// begins waits for the page on which people begin.
func (w *tab) begins() {
	w.t.Helper()
	w.shows(".calbar, #today")
}

// on waits until the window shows a page with this heading.
func (w *tab) on(heading string) {
	w.t.Helper()
	raw, err := json.Marshal(heading)
	require.NoError(w.t, err)
	w.wait(`document.readyState === 'complete' && document.querySelector('h1')?.innerText === ` + string(raw))
}

// clearCookies clears the browser's cookies, which signs the user out.
func (w *tab) clearCookies() {
	w.t.Helper()
	call(w, network.ClearBrowserCookies, cdp.Empty{})
}

// expect requires that the browser reported exactly these problems, and clears them.
func (w *tab) expect(violations ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Len(w.t, w.violations, len(violations), w.violations)
	for i, violation := range violations {
		require.Contains(w.t, w.violations[i], violation)
	}
	w.violations = nil
}
