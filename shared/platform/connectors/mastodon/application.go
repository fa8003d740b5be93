package mastodon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// application is a client that this service registered at a server. It is stored for all workspaces, kept with the
// attempt to connect, and then with the credentials: a server accepts the revocation of a token only from its client.
type application struct {
	ID      string    `json:"client_id"`
	Secret  string    `json:"client_secret"`
	Scopes  []string  `json:"requested,omitempty"`
	Checked time.Time `json:"checked,omitzero"` // when the server last knew it
}

func (a application) text() (string, error) {
	text, err := json.Marshal(a) //nolint:gosec // G117: the caller encrypts it
	return string(text), err
}

// checkedFor is the time for which an application is used without a check. Servers may delete one without tokens after
// a day.
const checkedFor = 12 * time.Hour

// applicationAt returns this service's application at the server. It registers one if none is stored, or if the server
// has deleted the stored one.
func (c *Connector) applicationAt(ctx context.Context, at server, redirect string) (application, error) {
	stored, err := c.registered.Registered(ctx, at.url, redirect)
	if err != nil {
		return application{}, err
	}
	var app application
	if json.Unmarshal([]byte(stored), &app) == nil && app.covers(c.Scopes("").All()) {
		if at.Now().Before(app.Checked.Add(checkedFor)) {
			return app, nil
		}
		known, err := at.knows(ctx, app, redirect)
		if err != nil {
			return application{}, err
		}
		if known {
			app.Checked = at.Now()
			return app, c.keep(ctx, at, redirect, app)
		}
	}
	if app, err = c.register(ctx, at, redirect); err != nil {
		return application{}, err
	}
	return app, c.keep(ctx, at, redirect, app)
}

// covers reports whether the application may ask for the scopes.
func (a application) covers(scopes []string) bool {
	return a.ID != "" && !slices.ContainsFunc(scopes, func(one string) bool { return !slices.Contains(a.Scopes, one) })
}

func (c *Connector) keep(ctx context.Context, at server, redirect string, app application) error {
	text, err := app.text()
	if err != nil {
		return err
	}
	return c.registered.Register(ctx, at.url, redirect, text)
}

// knows asks the server whether it still knows the application. A server checks the client of a code before the code,
// and the refusal of an invented code has no effect.
func (s server) knows(ctx context.Context, app application, redirect string) (bool, error) {
	form := oauth.Form(platform.Code{Code: "check", Redirect: redirect})
	form.Set("client_id", app.ID)
	form.Set("client_secret", app.Secret)
	response, err := s.ask(ctx, httpcall.Request{
		Method: http.MethodPost, Path: []string{"oauth", "token"}, Form: form, Secrets: []string{app.Secret},
	})
	var result struct {
		Error string `json:"error"`
	}
	return err == nil && response.Decode(&result) == nil && result.Error == "invalid_grant", err
}

// register registers this service at the server.
func (c *Connector) register(ctx context.Context, at server, redirect string) (application, error) {
	scopes, err := c.scopesAt(ctx, at)
	if err != nil {
		return application{}, err
	}
	response, err := at.ask(ctx, httpcall.Request{
		Method: http.MethodPost, Path: []string{"api", "v1", "apps"}, Form: url.Values{
			"client_name": {clientName}, "redirect_uris": {redirect}, "scopes": {strings.Join(scopes, " ")},
		},
	})
	if err != nil {
		return application{}, err
	}
	var created struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if !response.OK() || response.Decode(&created) != nil || !httpcall.Token(created.ID) || !httpcall.Token(created.Secret) {
		return application{}, at.other(response)
	}
	return application{ID: created.ID, Secret: created.Secret, Scopes: scopes, Checked: at.Now()}, nil
}

// scopesAt returns the scopes to ask a server for. Servers before 4.3 and other software refuse every request that has
// the scope profile, and do not publish their scopes (RFC 8414).
func (c *Connector) scopesAt(ctx context.Context, at server) ([]string, error) {
	response, err := at.ask(ctx, httpcall.Request{Path: []string{".well-known", "oauth-authorization-server"}})
	if err != nil {
		return nil, err
	}
	var described struct {
		Scopes []string `json:"scopes_supported"`
	}
	account := "read:accounts"
	if response.OK() && response.Decode(&described) == nil && slices.Contains(described.Scopes, "profile") {
		account = "profile"
	}
	return append([]string{account}, c.Scopes("").All()...), nil
}

// ask makes a call before a person is sent to the server. It returns the response of a server that is available.
func (s server) ask(ctx context.Context, request httpcall.Request) (httpcall.Response, error) {
	request.Operation = "connect"
	response, err := s.Call(ctx, request)
	switch {
	case err != nil:
		return response, s.down(platform.FailureOf(err).Cause)
	case response.Status == http.StatusTooManyRequests:
		return response, s.Fail(platform.ClassUser, CodeServerDown, response.Cause("refused"),
			"%s accepts no more requests right now. Try again in a few minutes.", s.host())
	case response.Status >= http.StatusInternalServerError:
		return response, s.down(response.Cause("not available"))
	default:
		return response, nil
	}
}

// memory holds applications of one process. It is safe for concurrent use.
type memory struct {
	mu           sync.Mutex
	applications map[[2]string]string // by server and redirect address
}

// Registered implements platform.Registrations.
func (m *memory) Registered(_ context.Context, server, redirect string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.applications[[2]string{server, redirect}], nil
}

// Register implements platform.Registrations.
func (m *memory) Register(_ context.Context, server, redirect, application string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applications[[2]string{server, redirect}] = application
	return nil
}
