package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

// Person is a user of the system's workspace who uses the application as a browser does: with links, forms and cookies.
type Person struct {
	client    *http.Client
	app       string
	workspace string
	email     string
	password  string
}

// NewPerson creates a user who can sign in. "console" must run when the person makes decisions.
func (s *System) NewPerson(email string) *Person {
	s.t.Helper()
	created := s.Admin("user", "add", "--email", email, "--name", "Mara")
	password, _ := created["password"].(string)
	require.NotEmpty(s.t, password, "%v", created)
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	const timeout = 20 * time.Second
	return &Person{app: s.AppURL, workspace: s.Workspace.String(), email: email, password: password, client: &http.Client{
		Timeout: timeout, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Allow follows an authorization URL as a person does: it signs in and grants the program all requested scopes in the
// workspace. It implements auth.AuthorizationCodeFetcher.
func (p *Person) Allow(ctx context.Context, requested *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	page, err := p.open(ctx, requested.URL)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(page.path, "/sign-in") {
		page, err = p.send(ctx, "/sign-in", page, url.Values{
			"request": page.all("request"), "email": {p.email}, "password": {p.password},
		})
		if err != nil {
			return nil, err
		}
	}
	page, err = p.send(ctx, "/consent", page, url.Values{
		"request": page.all("request"), "workspace": {p.workspace}, "scope": page.all("scope"), "decision": {"allow"},
	})
	if err != nil {
		return nil, err
	}
	if page.remaining == nil {
		return nil, fmt.Errorf("the user was not redirected back: %s", page.text)
	}
	back := page.remaining.Query()
	return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
}

// AllowDevice types the code of a device and decides about its access: allow or deny. The text of the last page is returned.
func (p *Person) AllowDevice(ctx context.Context, code, decision string) (string, error) {
	page, err := p.open(ctx, p.app+"/device")
	if err != nil {
		return "", err
	}
	if page, err = p.send(ctx, "/device", page, url.Values{"request": {code}}); err != nil {
		return page.text, err
	}
	page, err = p.send(ctx, "/device", page, url.Values{
		"request": page.all("request"), "workspace": {p.workspace}, "scope": page.all("scope"), "decision": {decision},
	})
	return page.text, err
}

// At returns the person on the pages of another workspace.
func (p *Person) At(workspace ident.Workspace) *Person {
	there := *p
	there.workspace = workspace.String()
	return &there
}

// SignIn signs the person in.
func (p *Person) SignIn(ctx context.Context) error {
	page, err := p.open(ctx, p.app+"/sign-in")
	if err == nil {
		_, err = p.send(ctx, "/sign-in", page, url.Values{"email": {p.email}, "password": {p.password}})
	}
	return err
}

// Open returns the text of a page within the workspace.
func (p *Person) Open(ctx context.Context, path string) (string, error) {
	page, err := p.open(ctx, p.app+"/w/"+p.workspace+path)
	return page.text, err
}

// Submit sends a form of a page within the workspace, and returns the text of the page that follows.
func (p *Person) Submit(ctx context.Context, path, action string, form url.Values) (string, error) {
	page, err := p.open(ctx, p.app+"/w/"+p.workspace+path)
	if err == nil {
		page, err = p.send(ctx, "/w/"+p.workspace+action, page, form)
	}
	return page.text, err
}

// shown is a page of the application, or the address to which it redirected.
type shown struct {
	path      string
	text      string
	remaining *url.URL // the address outside the application to which it redirected; nil inside
}

// all returns the values of all fields with a name.
func (s shown) all(name string) []string {
	var values []string
	for _, found := range regexp.MustCompile(`name="`+name+`" value="([^"]*)"`).FindAllStringSubmatch(s.text, -1) {
		values = append(values, found[1])
	}
	return values
}

// send submits the form of a page.
func (p *Person) send(ctx context.Context, path string, from shown, form url.Values) (shown, error) {
	form["token"] = from.all("token")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.app+path, strings.NewReader(form.Encode()))
	if err != nil {
		return shown{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	return p.follow(ctx, request)
}

func (p *Person) open(ctx context.Context, address string) (shown, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return shown{}, err
	}
	return p.follow(ctx, request)
}

// follow follows redirects within the application.
func (p *Person) follow(ctx context.Context, request *http.Request) (shown, error) {
	response, err := p.client.Do(request)
	if err != nil {
		return shown{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSeeOther {
		to, err := response.Location()
		if err != nil {
			return shown{}, err
		}
		if to.Scheme+"://"+to.Host != p.app {
			return shown{remaining: to}, nil
		}
		return p.open(ctx, to.String())
	}
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", request.Method, request.URL.Path, response.Status, text)
	}
	return shown{path: request.URL.Path, text: string(text)}, err
}
