package company

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"fencepost.internal/services/sandbox/internal/stage"
)

// ProviderPath is the path of the issuer.
const ProviderPath = "/openid"

const (
	codeLife  = time.Minute
	tokenLife = 5 * time.Minute
)

// ProviderConfig holds the settings of the provider.
type ProviderConfig struct {
	Base func(*http.Request) string // address of the sandbox
	Now  func() time.Time
}

// provider is an OpenID Connect provider (OpenID Connect Core 1.0, code flow with PKCE) on which every person exists. It is
// safe for concurrent use.
type provider struct {
	ProviderConfig

	signer jose.Signer
	keys   jose.JSONWebKeySet
	codes  stage.Codes
}

// RegisterProvider adds the provider. Its key lives as long as the process. Clients read a new one when they meet its ID.
func RegisterProvider(mux *http.ServeMux, cfg ProviderConfig) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	id := rand.Text()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key},
		(&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", id))
	if err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	p := &provider{ProviderConfig: cfg, signer: signer, keys: jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: key.Public(), KeyID: id, Algorithm: "ES256", Use: "sig"},
	}}}
	mux.HandleFunc("GET "+ProviderPath+"/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET "+ProviderPath+"/keys", func(w http.ResponseWriter, _ *http.Request) { respond(stage.OK(p.keys), w) })
	mux.HandleFunc("GET "+ProviderPath+"/authorize", p.ask)
	mux.HandleFunc("POST "+ProviderPath+"/authorize", p.ask)
	mux.HandleFunc("POST "+ProviderPath+"/token", func(w http.ResponseWriter, r *http.Request) { respond(p.token(w, r), w) })
	return nil
}

// respond writes a response that is not stored.
func respond(response stage.Response, w http.ResponseWriter) {
	response.With("Cache-Control", "no-store").Write(w)
}

// discovery returns the configuration (OpenID Connect Discovery 1.0, section 4).
func (p *provider) discovery(w http.ResponseWriter, r *http.Request) {
	issuer := p.Base(r) + ProviderPath
	respond(stage.OK(stage.Object{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
		"jwks_uri": issuer + "/keys", "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"ES256"},
		"scopes_supported":                               []string{"openid", "email", "profile"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"client_secret_basic", "none"},
		"claims_supported":                               []string{"sub", "email", "email_verified", "name"},
		"authorization_response_iss_parameter_supported": true,
	}), w)
}

// ask shows the page on which a person signs in. With a form, it redirects with a code for the person, or with the refusal.
func (p *provider) ask(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	requested, rule := stage.ReadConsentRequest(q, "client_id", " ")
	rule = rule.Or(!slices.Contains(requested.Scopes, "openid"), "scope must have openid").
		Or(q.Get("nonce") == "", "nonce is required").
		Or(requested.Challenge == "", "a code_challenge of the method S256 is required")
	form, err := url.Values{}, error(nil)
	if r.Method == http.MethodPost {
		form, err = stage.ReadTokenForm(w, r)
	}
	if rule = rule.Or(err != nil, "the form cannot be read"); rule.Broken {
		stage.WrongConsent(w, rule.Fault)
		return
	}
	address, err := mail.ParseAddress(form.Get("email"))
	issuer := p.Base(r) + ProviderPath // RFC 9207
	switch {
	case r.Method == http.MethodGet:
		show(w, http.StatusOK, requested, "")
	case form.Get("decision") != "allow":
		requested.Return(w, r, "", map[string]string{"iss": issuer, "error": "access_denied"})
	case err != nil:
		show(w, http.StatusUnprocessableEntity, requested, "Enter an email address.")
	default:
		now := p.Now()
		issued := stage.Code{ConsentRequest: requested, Account: address.Address, Ends: now.Add(codeLife)}
		issued.Details = map[string]string{
			"nonce": q.Get("nonce"), "name": strings.TrimSpace(form.Get("name")), "unverified": form.Get("unverified"),
		}
		if form.Get("expired") != "" {
			issued.Ends = now
		}
		requested.Return(w, r, "", map[string]string{"iss": issuer, "code": p.codes.Add(issued, now)})
	}
}

func show(w http.ResponseWriter, status int, requested stage.ConsentRequest, fault string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_ = templates.ExecuteTemplate(w, "authorize.html", map[string]any{
		"Client": requested.Client, "Redirect": requested.Redirect.Host + requested.Redirect.Path, "Fault": fault,
	})
}

// token exchanges a code for an ID token.
func (p *provider) token(w http.ResponseWriter, r *http.Request) stage.Response {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("grant_type") != stage.GrantCode {
		return stage.OAuthError(http.StatusBadRequest, "invalid_request", "grant_type must be authorization_code")
	}
	client, known := authenticated(r, form)
	if !known {
		return stage.OAuthError(http.StatusUnauthorized, "invalid_client",
			"the client is unknown, or its secret is incorrect").With("WWW-Authenticate", `Basic realm="sandbox"`)
	}
	issued, reason := p.codes.Take("", client, form, p.Now())
	if reason != nil {
		return stage.OAuthError(http.StatusBadRequest, "invalid_grant", reason.Error())
	}
	id, err := p.idToken(issued, p.Base(r)+ProviderPath)
	if err != nil {
		return stage.OAuthError(http.StatusInternalServerError, "server_error", err.Error())
	}
	return stage.OK(stage.Object{
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

// idToken returns the signed ID token (OpenID Connect Core 1.0, section 2). The subject depends on the address alone.
func (p *provider) idToken(issued stage.Code, issuer string) (string, error) {
	sum := sha256.Sum256([]byte(strings.ToLower(issued.Account)))
	now := p.Now()
	payload, err := json.Marshal(map[string]any{
		"iss": issuer, "sub": hex.EncodeToString(sum[:16]), "aud": issued.Client, "nonce": issued.Details["nonce"],
		"email": issued.Account, "email_verified": issued.Details["unverified"] == "", "name": issued.Details["name"],
		"iat": now.Unix(), "exp": now.Add(tokenLife).Unix(),
	})
	if err != nil {
		return "", fmt.Errorf("provider: %w", err)
	}
	signed, err := p.signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("provider: %w", err)
	}
	return signed.CompactSerialize()
}
