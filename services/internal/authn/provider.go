package authn

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"fencepost.internal/shared/kernel/clock"
)

const (
	timeout = 5 * time.Second
	// discoveryLife is the time after which the provider's configuration is read again.
	discoveryLife = time.Hour
	// failureLife is the time after which a configuration that could not be read is read again.
	failureLife = 5 * time.Second
)

var (
	// ErrRejected means that the browser's return or the provider's token is not valid for this sign-in.
	ErrRejected = errors.New("openid: the sign-in is not valid")
	// ErrDenied means that the person or the provider refused the sign-in.
	ErrDenied = errors.New("openid: the provider refused the sign-in")
	// ErrUnavailable means that the provider did not respond.
	ErrUnavailable = errors.New("openid: the provider is not available")
)

// ProviderConfig holds the client's registration at the provider.
type ProviderConfig struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty for a public client
	RedirectURL  string
	Clock        clock.Clock
}

// Provider is the provider. It is safe for concurrent use.
type Provider struct {
	cfg    ProviderConfig
	client *http.Client

	reads singleflight.Group // one read of the configuration serves all who wait for it

	mu      sync.Mutex
	found   *oidc.Provider
	failure error     // of the last read; nil if it succeeded
	readAt  time.Time // of the last read
}

// NewProvider checks the configuration. The provider is called at the first sign-in, so that the program starts without it.
func NewProvider(cfg ProviderConfig) (*Provider, error) {
	u, err := url.Parse(cfg.Issuer)
	local := err == nil && u.Scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && !local:
		return nil, errors.New("openid: the issuer must be an https URL")
	case cfg.ClientID == "" || cfg.RedirectURL == "" || cfg.Clock == nil:
		return nil, errors.New("openid: the client ID, the redirect URL and the clock are required")
	}
	return &Provider{cfg: cfg, client: &http.Client{Timeout: timeout}}, nil
}

// discover returns the provider's configuration and keys.
func (p *Provider) discover() (*oidc.Provider, error) {
	if fresh, found, err := p.known(); fresh {
		return found, err
	}
	_, _, _ = p.reads.Do("", func() (any, error) {
		if fresh, _, _ := p.known(); !fresh { // an earlier read may have ended meanwhile
			p.read()
		}
		return nil, nil
	})
	_, found, err := p.known()
	return found, err
}

// known returns the result of the last read, and whether it needs no other yet. While the provider does not respond, an
// earlier configuration is used.
func (p *Provider) known() (fresh bool, found *oidc.Provider, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	life := discoveryLife
	if p.failure != nil {
		life = failureLife
	}
	if p.found == nil {
		err = p.failure
	}
	return !p.readAt.IsZero() && p.cfg.Clock.Now().Before(p.readAt.Add(life)), p.found, err
}

// read reads the configuration. It holds no lock while the provider is called.
func (p *Provider) read() {
	// The provider reads its keys with this context later, so it is not that of the request. The client has a timeout.
	found, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.cfg.Issuer)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readAt, p.failure = p.cfg.Clock.Now(), nil
	if err != nil {
		p.failure = fmt.Errorf("%w: %w", ErrUnavailable, err)
		return
	}
	p.found = found
}

func (p *Provider) oauth(found *oidc.Provider) oauth2.Config {
	return oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: p.cfg.RedirectURL,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// attempt is the data by which a return of the browser is checked.
type attempt struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
}

// Begin returns the address of the provider for a new sign-in, and its state for Finish, which belongs to the browser.
func (p *Provider) Begin() (address, state string, err error) {
	found, err := p.discover()
	if err != nil {
		return "", "", err
	}
	created := attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	text, err := json.Marshal(created)
	if err != nil {
		return "", "", fmt.Errorf("openid: %w", err)
	}
	cfg := p.oauth(found)
	return cfg.AuthCodeURL(created.State, oidc.Nonce(created.Nonce), oauth2.S256ChallengeOption(created.Verifier)), string(text), nil
}

// Identity is a person as the provider knows them.
type Identity struct {
	Issuer   string `json:"issuer"`
	Subject  string `json:"subject"`
	Email    string `json:"email"`
	Verified bool   `json:"verified"` // the provider has checked that the address is the person's
	Name     string `json:"name"`     // as the person entered it there, perhaps empty
}

// claims are the claims of an ID token that are used.
type claims struct {
	Nonce    string    `json:"nonce"`
	Email    string    `json:"email"`
	Verified looseBool `json:"email_verified"` //nolint:tagliatelle // OpenID Connect Core 1.0, section 5.1
	Name     string    `json:"name"`
	Party    string    `json:"azp"`
}

// looseBool is a boolean that some providers send as text.
type looseBool bool

// UnmarshalJSON reads true and "true" as true, and any other value as false.
func (v *looseBool) UnmarshalJSON(raw []byte) error {
	*v = string(raw) == "true" || string(raw) == `"true"`
	return nil
}

// Finish exchanges the code with which the browser returned, and returns the person. Errors: ErrRejected, ErrDenied,
// ErrUnavailable.
func (p *Provider) Finish(ctx context.Context, state string, query url.Values) (Identity, error) {
	var begun attempt
	if err := json.Unmarshal([]byte(state), &begun); err != nil {
		return Identity{}, fmt.Errorf("openid: decode state: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(begun.State), []byte(query.Get("state"))) != 1 {
		return Identity{}, fmt.Errorf("%w: the state differs", ErrRejected)
	}
	if issuer := query.Get("iss"); issuer != "" && issuer != p.cfg.Issuer { // RFC 9207
		return Identity{}, fmt.Errorf("%w: the issuer differs", ErrRejected)
	}
	if problem := query.Get("error"); problem != "" {
		return Identity{}, fmt.Errorf("%w: %q", ErrDenied, problem)
	}
	found, err := p.discover() //nolint:contextcheck // the provider is kept for later requests
	if err != nil {
		return Identity{}, err
	}
	cfg := p.oauth(found)
	token, err := cfg.Exchange(oidc.ClientContext(ctx, p.client), query.Get("code"), oauth2.VerifierOption(begun.Verifier))
	if err != nil {
		if _, refused := errors.AsType[*oauth2.RetrieveError](err); refused {
			return Identity{}, fmt.Errorf("%w: %w", ErrRejected, err)
		}
		return Identity{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	raw, _ := token.Extra("id_token").(string)
	return p.verify(ctx, found, raw, begun.Nonce)
}

// verify checks an ID token: signature, issuer, audience, time and nonce.
func (p *Provider) verify(ctx context.Context, found *oidc.Provider, raw, nonce string) (Identity, error) {
	verifier := found.Verifier(&oidc.Config{
		ClientID: p.cfg.ClientID, Now: p.cfg.Clock.Now,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256, oidc.PS256, oidc.EdDSA},
	})
	token, err := verifier.Verify(oidc.ClientContext(ctx, p.client), raw)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRejected, err)
	}
	var read claims
	if err := token.Claims(&read); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRejected, err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(nonce), []byte(read.Nonce)) != 1:
		return Identity{}, fmt.Errorf("%w: the nonce differs", ErrRejected)
	case read.Party != "" && read.Party != p.cfg.ClientID || read.Party == "" && len(token.Audience) > 1:
		return Identity{}, fmt.Errorf("%w: the token is for another client", ErrRejected)
	case token.Subject == "":
		return Identity{}, fmt.Errorf("%w: there is no subject", ErrRejected)
	}
	return Identity{
		Issuer: token.Issuer, Subject: token.Subject, Email: read.Email, Verified: bool(read.Verified), Name: read.Name,
	}, nil
}
