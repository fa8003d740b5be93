package stage

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/token"
)

// The reasons, beside those of codes and of tokens, why a call of an authorization server is refused.
var (
	ErrForm        = errors.New("authorization: the form cannot be read")
	ErrGrantType   = errors.New("authorization: the grant type is unknown")
	ErrCredentials = errors.New("authorization: the application's id or secret is missing")
	ErrSecret      = errors.New("authorization: the application's secret is wrong")
	ErrRevoked     = errors.New("authorization: the token to revoke is unknown")
)

// The grant types.
const (
	GrantCode    = "authorization_code"
	GrantRefresh = "refresh_token"
)

// Authorization declares a network's authorization server: the page at which a person decides, and the calls about tokens.
type Authorization struct {
	Dialog

	// Tokens are the patterns of the calls for tokens, each with the only grant type that it has; empty: both.
	Tokens map[string]string
	// Revoke is the pattern of the call that ends the access of a token; empty: none. It is that of an application if
	// RevokeNeedsClient is set. Revoked is its response.
	Revoke            string
	RevokeNeedsClient bool
	Revoked           Response

	// Form reads the parameters; nil: ReadTokenForm. They are named as in a form of OAuth.
	Form func(w http.ResponseWriter, r *http.Request) (url.Values, error)
	// Client returns the id of the application, or ErrCredentials or ErrSecret; nil: FormClient of the dialog's ClientKey.
	Client func(r *http.Request, form url.Values) (string, error)
	// ClientFirst checks the application before the grant type.
	ClientFirst bool
	// LongLived means that access tokens are renewed, because the network has no refresh tokens.
	LongLived bool

	Body  func(Tokens) any // of the response with tokens
	Words Words            // responses to faults
	// Refusals are the responses by reason. ErrCode covers all reasons of codes, token.ErrInvalid those of refresh
	// tokens and ErrRevoked, ErrCredentials also ErrSecret, and ErrGrantType also ErrForm.
	Refusals map[error]Response
	// Refused returns the response to a refresh token that is not accepted; nil: by Refusals.
	Refused func(grant token.Grant, reason error) Response
}

// refusal returns the response for the reason.
func (a *Authorization) refusal(reason error) Response {
	if response, ok := a.Refusals[reason]; ok {
		return response
	}
	general := token.ErrInvalid
	switch {
	case slices.Contains([]error{ErrCode, ErrClient, ErrRedirect, ErrVerifier}, reason):
		general = ErrCode
	case errors.Is(reason, ErrSecret):
		general = ErrCredentials
	case errors.Is(reason, ErrForm):
		general = ErrGrantType
	}
	if response, ok := a.Refusals[general]; ok {
		return response
	}
	return a.Words.Unauthorized
}

// FormClient returns Authorization.Client of a network whose applications name themselves in the form.
func FormClient(key string) func(*http.Request, url.Values) (string, error) {
	return func(_ *http.Request, form url.Values) (string, error) {
		return credentials(form.Get(key), form.Get("client_secret"))
	}
}

// BasicClient is Authorization.Client of a network whose applications use Basic authentication.
func BasicClient(r *http.Request, _ url.Values) (string, error) {
	id, secret, _ := r.BasicAuth()
	return credentials(id, secret)
}

func credentials(id, secret string) (string, error) {
	switch {
	case id == "" || secret == "":
		return "", ErrCredentials
	case secret == WrongSecret:
		return "", ErrSecret
	default:
		return id, nil
	}
}

// AuthorizationServer adds an authorization server.
func (s *Stage) AuthorizationServer(mux *http.ServeMux, a Authorization) {
	if a.Form == nil {
		a.Form = ReadTokenForm
	}
	a.ClientKey = cmp.Or(a.ClientKey, "client_id")
	if a.Client == nil {
		a.Client = FormClient(a.ClientKey)
	}
	if a.Path != "" {
		s.Authorize(mux, a.Dialog)
	}
	for pattern, only := range a.Tokens {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.tokens(w, r, &a, only) })
	}
	if a.Revoke != "" {
		mux.HandleFunc(a.Revoke, func(w http.ResponseWriter, r *http.Request) { s.revoke(r, w, &a).Write(w) })
	}
}

// tokens exchanges a code or a refresh token.
func (s *Stage) tokens(w http.ResponseWriter, r *http.Request, a *Authorization, only string) {
	form, err := a.Form(w, r)
	if err != nil {
		a.refusal(ErrForm).Write(w)
		return
	}
	app, reason := a.Client(r, form)
	kind := form.Get("grant_type")
	known := only == "" && (kind == GrantCode || kind == GrantRefresh) || only != "" && kind == only
	if !known && (reason == nil || !a.ClientFirst) {
		reason = ErrGrantType
	}
	switch {
	case reason != nil:
		a.refusal(reason).Write(w)
	case kind == GrantCode:
		s.exchange(w, r, a, app, form)
	default:
		s.renew(w, r, a, app, form)
	}
}

func (s *Stage) exchange(w http.ResponseWriter, r *http.Request, a *Authorization, app string, form url.Values) {
	code, reason := s.codes.Take(a.Network, app, form, s.Clock.Now())
	if reason != nil {
		a.refusal(reason).Write(w)
		return
	}
	s.Perform(w, r, a.Words, func() Response {
		issued, err := s.Tokens.Issue(string(a.Network), token.Consent{
			Account: code.Account, Role: code.Role, App: code.Client, Scopes: code.Scopes,
		})
		if err != nil {
			return a.Words.Unavailable
		}
		return OK(a.Body(s.TokensOf(string(a.Network), issued)))
	}, Call{Network: a.Network, Account: code.Account, Step: StepToken})
}

func (s *Stage) renew(w http.ResponseWriter, r *http.Request, a *Authorization, app string, form url.Values) {
	refused := a.Refused
	if refused == nil {
		refused = func(_ token.Grant, reason error) Response { return a.refusal(reason) }
	}
	network, find := string(a.Network), s.Tokens.OfRefreshToken
	if a.LongLived {
		find = s.Tokens.OfAccessToken
	}
	grant, ok := find(network, form.Get("refresh_token"))
	if !ok || a.Roles != nil && !slices.Contains(a.Roles, grant.Role) {
		refused(grant, token.ErrInvalid).Write(w)
		return
	}
	s.Perform(w, r, a.Words, func() Response {
		next, err := s.Tokens.Renew(network, grant, app)
		switch {
		case token.IsRefusal(err):
			return refused(next, err)
		case err != nil: // the disk
			return a.Words.Unavailable
		}
		renewed := s.TokensOf(network, next)
		renewed.Sent = form.Get("refresh_token")
		return OK(a.Body(renewed))
	}, Call{Network: a.Network, Account: grant.Account, Step: StepToken, Grant: grant})
}

// revoke ends the access of a token.
func (s *Stage) revoke(r *http.Request, w http.ResponseWriter, a *Authorization) Response {
	form, err := a.Form(w, r)
	if err != nil {
		return a.refusal(ErrForm)
	}
	if a.RevokeNeedsClient {
		if _, err := a.Client(r, form); err != nil {
			return a.refusal(err)
		}
	}
	if err := s.Revoke(string(a.Network), form.Get("token")); err != nil {
		return a.refusal(ErrRevoked)
	}
	return a.Revoked
}

// Form returns the members of a response with tokens (RFC 6749, section 5.1).
func (t Tokens) Form(kind, separator string) Object {
	body := Object{
		"token_type": kind, "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, separator), "access_token": t.Access,
	}
	if t.Refresh != "" {
		body["refresh_token"] = t.Refresh
	}
	return body
}

// GrantType returns the grant type of the call for the tokens.
func (t Tokens) GrantType() string {
	if t.Sent != "" {
		return GrantRefresh
	}
	return GrantCode
}

// OAuthError is an error response of OAuth (RFC 6749, section 5.2).
func OAuthError(status int, code, description string) Response {
	return Refuse(status, map[string]string{"error": code, "error_description": description})
}

// Tokens are the tokens of a grant, and their remaining lifetimes in seconds.
type Tokens struct {
	token.Grant

	Access, Refresh      string // Refresh is empty on a network without refresh tokens
	ExpiresIn, RefreshIn int64
	// Sent is the token that was renewed; empty for the tokens of a code.
	Sent string
}

// TokensOf returns the tokens of a grant.
func (s *Stage) TokensOf(network string, grant token.Grant) Tokens {
	tokens := Tokens{
		Grant: grant, Access: grant.Access(network), ExpiresIn: token.Seconds(grant.IssuedAt, grant.ExpiresAt),
		RefreshIn: token.Seconds(grant.IssuedAt, grant.RefreshExpiresAt),
	}
	if s.Tokens.HasRefresh(network, grant) {
		tokens.Refresh = grant.Refresh()
	}
	return tokens
}

// Revoke ends every token of the account of a token.
func (s *Stage) Revoke(network, text string) error { return s.Tokens.Revoke(network, text) }

// ReadTokenForm reads the form of a token call. It returns an error if the body has another type or is too large.
func ReadTokenForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	const limit = 1 << 16
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" {
		return nil, errForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	return r.PostForm, nil
}
