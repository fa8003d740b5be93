// Package openid is an OpenID Connect provider (OpenID Connect Core 1.0, code flow with PKCE) on which every person exists.
// It plays the sign-in provider of a company.
package openid

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"fencepost.internal/services/sandbox/internal/stage"
)

// Path is the path of the issuer.
const Path = "/openid"

const (
	codeLife  = time.Minute
	tokenLife = 5 * time.Minute
)

// Config holds the settings of the provider.
type Config struct {
	Base func(*http.Request) string // address of the sandbox
	Now  func() time.Time
}

// provider is safe for concurrent use.
type provider struct {
	base   func(*http.Request) string
	now    func() time.Time
	signer jose.Signer
	keys   jose.JSONWebKeySet

	mu    sync.Mutex
	codes map[string]code
}

// code is an authorization code that was not used.
type code struct {
	asked    request
	email    string
	name     string
	verified bool
	ends     time.Time
}

// Register adds the provider. Its key lives as long as the process. Clients read a new one when they meet its ID.
func Register(mux *http.ServeMux, cfg Config) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("openid: %w", err)
	}
	id := rand.Text()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key},
		(&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", id))
	if err != nil {
		return fmt.Errorf("openid: %w", err)
	}
	p := &provider{
		base: cfg.Base, now: cfg.Now, signer: signer, codes: make(map[string]code),
		keys: jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: id, Algorithm: "ES256", Use: "sig"}}},
	}
	mux.HandleFunc("GET "+Path+"/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET "+Path+"/keys", func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, p.keys) })
	mux.HandleFunc("GET "+Path+"/authorize", p.ask)
	mux.HandleFunc("POST "+Path+"/authorize", p.decide)
	mux.HandleFunc("POST "+Path+"/token", p.token)
	return nil
}

func (p *provider) issuer(r *http.Request) string { return p.base(r) + Path }

// discovery returns the configuration (OpenID Connect Discovery 1.0, section 4).
func (p *provider) discovery(w http.ResponseWriter, r *http.Request) {
	issuer := p.issuer(r)
	respond(w, http.StatusOK, map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
		"jwks_uri": issuer + "/keys", "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"ES256"},
		"scopes_supported":                               []string{"openid", "email", "profile"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"client_secret_basic", "none"},
		"claims_supported":                               []string{"sub", "email", "email_verified", "name"},
		"authorization_response_iss_parameter_supported": true,
	})
}

// token exchanges a code for an ID token.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("grant_type") != "authorization_code" {
		refuse(w, http.StatusBadRequest, "invalid_request", "grant_type must be authorization_code")
		return
	}
	client, known := authenticated(r, form)
	if !known {
		w.Header().Set("WWW-Authenticate", `Basic realm="sandbox"`)
		refuse(w, http.StatusUnauthorized, "invalid_client", "the client is unknown, or its secret is incorrect")
		return
	}
	given, ok := p.take(form.Get("code"))
	if reason := p.faultOf(given, ok, client, form); reason != "" {
		refuse(w, http.StatusBadRequest, "invalid_grant", reason)
		return
	}
	id, err := p.idToken(given, p.issuer(r))
	if err != nil {
		refuse(w, http.StatusInternalServerError, "server_error", err.Error())
		return
	}
	respond(w, http.StatusOK, map[string]any{
		"access_token": rand.Text(), "token_type": "Bearer", "expires_in": int(tokenLife.Seconds()), "id_token": id,
	})
}

// authenticated returns the client of a request (RFC 6749, section 2.3.1). Every client exists. Public ones have no secret.
func authenticated(r *http.Request, form url.Values) (client string, ok bool) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		return form.Get("client_id"), form.Get("client_id") != "" && form.Get("client_secret") != stage.WrongSecret
	}
	id, err1 := url.QueryUnescape(id)
	secret, err2 := url.QueryUnescape(secret)
	return id, errors.Join(err1, err2) == nil && id != "" && secret != stage.WrongSecret
}

// take returns the code and deletes it, because a code works once.
func (p *provider) take(text string) (code, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.codes[text]
	delete(p.codes, text)
	return found, ok
}

// add stores a code, and deletes those that have expired.
func (p *provider) add(given code) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for text, c := range p.codes {
		if !p.now().Before(c.ends) {
			delete(p.codes, text)
		}
	}
	text := rand.Text()
	p.codes[text] = given
	return text
}

// faultOf returns why a code is not accepted; empty if it is.
func (p *provider) faultOf(given code, known bool, client string, form url.Values) string {
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case !known, !p.now().Before(given.ends):
		return "the code is unknown, expired or used"
	case given.asked.client != client:
		return "the code was issued to another client"
	case given.asked.redirect.String() != form.Get("redirect_uri"):
		return "the redirect address differs"
	case given.asked.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		return "the verifier does not match the challenge"
	default:
		return ""
	}
}

// idToken returns the signed ID token (OpenID Connect Core 1.0, section 2). The subject depends on the address alone.
func (p *provider) idToken(given code, issuer string) (string, error) {
	sum := sha256.Sum256([]byte(strings.ToLower(given.email)))
	now := p.now()
	payload, err := json.Marshal(map[string]any{
		"iss": issuer, "sub": hex.EncodeToString(sum[:16]), "aud": given.asked.client, "nonce": given.asked.nonce,
		"email": given.email, "email_verified": given.verified, "name": given.name,
		"iat": now.Unix(), "exp": now.Add(tokenLife).Unix(),
	})
	if err != nil {
		return "", fmt.Errorf("openid: %w", err)
	}
	signed, err := p.signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("openid: %w", err)
	}
	return signed.CompactSerialize()
}

func respond(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}

// refuse writes an error of the token endpoint (RFC 6749, section 5.2).
func refuse(w http.ResponseWriter, status int, kind, description string) {
	respond(w, status, map[string]string{"error": kind, "error_description": description})
}
