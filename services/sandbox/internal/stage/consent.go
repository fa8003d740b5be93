package stage

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// The reasons why a code is not accepted.
var (
	ErrCode     = errors.New("consent: the code is unknown, expired or used")
	ErrClient   = errors.New("consent: the code was issued to another application")
	ErrRedirect = errors.New("consent: the redirect address differs from that of the consent")
	ErrVerifier = errors.New("consent: the verifier does not match the challenge")
)

// WrongSecret is the only secret of an application that the sandbox refuses.
const WrongSecret = "wrong-secret"

// Owns reports whether the person of the account also has the page, organization or location of this name: the one with
// the account's own name, and those whose names continue it after a hyphen.
func Owns(account, name string) bool { return name == account || strings.HasPrefix(name, account+"-") }

// Dialog declares the page at which a person decides what an application may do.
type Dialog struct {
	Network   channel.Network
	Path      string // of the page
	ClientKey string // name of the application's id in the query; client_id if empty
	Separator string // of the scopes; a space if empty
	// Roles returns the role of the tokens that the scopes belong to. It returns false if they belong to different
	// applications, or do not exist.
	Role func(scopes []string) (role string, ok bool)
	// Roles are those of the accounts that have the application; nil: the usual one. Role is by their scopes if it is nil.
	Roles []string
	// NeedsPKCE refuses a consent without a challenge; TakesPKCE verifies one.
	NeedsPKCE, TakesPKCE bool
	Life                 time.Duration // of a code
	Suffix               string        // appended to the code in the redirect
	Denied               string        // error code if the person refuses; access_denied if empty
	Picks                string        // what the person chooses later in the application; empty: nothing
	// Refuses returns the reason why the network does not accept the application of the request. If it is nil, it accepts
	// every one.
	Refuses func(r *http.Request) string
	// Holder returns the name in the tokens of the account that the person chose. If it is nil, it is the account's.
	Holder func(r *http.Request, account string) string
}

// AnyScope returns Dialog.Role of a network whose accounts have one role.
func AnyScope(role string, known ...string) func([]string) (string, bool) {
	return func(scopes []string) (string, bool) {
		return role, !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(known, s) })
	}
}

// code is an issued authorization code.
type code struct {
	network   channel.Network
	client    string
	redirect  string
	challenge string
	account   string
	role      string
	scopes    []string
	ends      time.Time
}

// codes holds the codes that were not used.
type codes struct {
	mu     sync.Mutex
	issued map[string]code
}

func (c *codes) add(given code) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.issued == nil {
		c.issued = make(map[string]code)
	}
	text := rand.Text()
	c.issued[text] = given
	return text
}

// take returns the code and deletes it, because a code works once.
func (c *codes) take(text string) (code, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.issued[text]
	delete(c.issued, text)
	return found, ok
}

// Authorize adds the network's authorization page. It shows the accounts of the sandbox, on which every name exists.
func (s *Stage) Authorize(mux *http.ServeMux, d Dialog) {
	if d.ClientKey == "" {
		d.ClientKey = "client_id"
	}
	if d.Separator == "" {
		d.Separator = " "
	}
	if d.Denied == "" {
		d.Denied = "access_denied"
	}
	if d.Role == nil {
		d.Role = func(scopes []string) (string, bool) { return s.Tokens.RoleOf(string(d.Network), d.Roles, scopes) }
	}
	mux.HandleFunc("GET "+d.Path, func(w http.ResponseWriter, r *http.Request) {
		if asked, ok := askedBy(w, r, d); ok {
			show(w, d, asked)
		}
	})
	mux.HandleFunc("POST "+d.Path, func(w http.ResponseWriter, r *http.Request) {
		if asked, ok := askedBy(w, r, d); ok {
			s.decide(w, r, d, asked)
		}
	})
}

// asked is a checked request for a consent.
type asked struct {
	client, state, challenge string
	redirect                 *url.URL
	scopes                   []string
	role                     string
}

// askedBy checks the query. It writes a page if the request is invalid: a network does not redirect to an address that it
// does not trust.
func askedBy(w http.ResponseWriter, r *http.Request, d Dialog) (asked, bool) {
	q := r.URL.Query()
	to, err := url.Parse(q.Get("redirect_uri"))
	a := asked{
		client: q.Get(d.ClientKey), state: q.Get("state"), challenge: q.Get("code_challenge"), redirect: to,
		scopes: strings.Split(q.Get("scope"), d.Separator),
	}
	switch {
	case a.client == "":
		return a, wrongConsent(w, "Invalid "+d.ClientKey)
	case err != nil || to.Host == "" || to.Scheme != "https" && to.Scheme != "http" || to.Fragment != "":
		return a, wrongConsent(w, "Invalid redirect_uri")
	case q.Get("response_type") != "code":
		return a, wrongConsent(w, "Invalid response_type")
	case a.state == "":
		return a, wrongConsent(w, "Missing state")
	case d.NeedsPKCE && a.challenge == "", a.challenge != "" && q.Get("code_challenge_method") != "S256":
		return a, wrongConsent(w, "Invalid code_challenge")
	}
	if d.Refuses != nil {
		if why := d.Refuses(r); why != "" {
			return a, wrongConsent(w, why)
		}
	}
	role, ok := d.Role(a.scopes)
	if !ok {
		return a, wrongConsent(w, "unauthorized_scope_error: "+strings.Join(a.scopes, " "))
	}
	a.role = role
	return a, true
}

func wrongConsent(w http.ResponseWriter, why string) bool {
	http.Error(w, "The application's request is invalid: "+why, http.StatusBadRequest)
	return false
}

// offered are the accounts that the page shows. Any other name may be entered.
func offered() []string { return []string{"acme", "globex", "initech"} }

var consentPage = template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{.Network}} sandbox: allow access?</title><link rel="stylesheet" href="/assets/feed.css"></head>
<body><main class="column"><h1>You are {{.Network}}: as whom?</h1>
<p>The application <code>{{.Client}}</code> asks for access. It will be sent to <code>{{.Redirect}}</code>.
{{with .Picks}}You choose {{.}} in the application.{{end}}</p>
<form method="post">
<fieldset><legend>Account</legend>{{range $i, $name := .Accounts}}
<p><label><input type="radio" name="account" value="{{$name}}"{{if eq $i 0}} checked{{end}}> {{$name}}</label></p>{{end}}
<p><label>Another name <input name="other" autocomplete="off" maxlength="60"></label></p></fieldset>
<fieldset><legend>Access</legend>{{range .Scopes}}
<p><label><input type="checkbox" name="scope" value="{{.}}" checked> {{.}}</label></p>{{end}}</fieldset>
<fieldset><legend>Faults</legend>
<p><label><input type="checkbox" name="expired" value="on"> The code has expired when the application uses it</label></p>
</fieldset>
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p>
</form></main></body></html>
`))

func show(w http.ResponseWriter, d Dialog, a asked) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'")
	_ = consentPage.Execute(w, map[string]any{
		"Network": d.Network.Name(), "Client": a.client, "Redirect": a.redirect.Host + a.redirect.Path, "Picks": d.Picks,
		"Accounts": offered(), "Scopes": a.scopes,
	})
}

var personPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`)

// decide issues a code for the chosen account and scopes, or refuses.
func (s *Stage) decide(w http.ResponseWriter, r *http.Request, d Dialog, a asked) {
	form, err := ReadTokenForm(w, r)
	if err != nil {
		wrongConsent(w, "the form cannot be read")
		return
	}
	query := a.redirect.Query()
	query.Set("state", a.state)
	account := form.Get("account")
	if form.Get("other") != "" {
		account = form.Get("other")
	}
	switch {
	case form.Get("decision") != "allow":
		query.Set("error", d.Denied)
		query.Set("error_description", "The user denied the request")
	case !personPattern.MatchString(account):
		wrongConsent(w, "the account's name must have letters, digits, _ and - only")
		return
	default:
		if d.Holder != nil {
			account = d.Holder(r, account)
		}
		query.Set("code", s.codes.add(s.given(d, a, account, form)))
	}
	to := *a.redirect
	to.RawQuery = query.Encode()
	address := to.String()
	if query.Get("code") != "" {
		address += d.Suffix
	}
	http.Redirect(w, r, address, http.StatusFound)
}

// given returns the code of a consent.
func (s *Stage) given(d Dialog, a asked, account string, form url.Values) code {
	given := code{
		network: d.Network, client: a.client, redirect: a.redirect.String(), account: account, role: a.role,
		scopes: slices.DeleteFunc(slices.Clone(a.scopes), func(scope string) bool {
			return !slices.Contains(form["scope"], scope)
		}),
		ends: s.Clock.Now().Add(d.Life),
	}
	if d.TakesPKCE || d.NeedsPKCE {
		given.challenge = a.challenge
	}
	if form.Get("expired") == "on" {
		given.ends = s.Clock.Now()
	}
	return given
}

// Exchange is a request of an application for the tokens of a code.
type Exchange struct {
	Network  channel.Network
	Code     string
	App      string // the authenticated client id
	Redirect string
	Verifier string
	Dialect  Dialect
	// Refused writes the response to a code that is not accepted, for the reason in the error.
	Refused func(w http.ResponseWriter, reason error)
}

// Exchange issues tokens for a code and passes them to answer. It writes the response itself if the code is not accepted
// or a fault ends the call. The token step of the account's faults applies.
func (s *Stage) Exchange(w http.ResponseWriter, r *http.Request, asked Exchange, answer func(Tokens)) {
	given, ok := s.codes.take(asked.Code)
	if err := s.refuses(given, ok, asked); err != nil {
		asked.Refused(w, err)
		return
	}
	network := string(asked.Network)
	call := Call{Network: asked.Network, Account: given.account, Step: fault.StepToken}
	held, ok := s.Enter(w, r, call, asked.Dialect)
	if !ok {
		return
	}
	made, err := s.Tokens.Issue(network, token.Consent{
		Account: given.account, Role: given.role, App: given.client, Scopes: given.scopes,
	})
	switch {
	case err != nil:
		asked.Dialect.Unavailable(w)
	case !held.Lost(w, r):
		answer(s.TokensOf(network, made))
	}
}

// TokensOf returns the tokens of a grant with their remaining lifetimes.
func (s *Stage) TokensOf(network string, made token.Grant) Tokens {
	tokens := Tokens{
		Grant: made, Access: made.Access(network), ExpiresIn: token.Seconds(made.IssuedAt, made.ExpiresAt),
		RefreshIn: token.Seconds(made.IssuedAt, made.RefreshExpiresAt),
	}
	if s.Tokens.HasRefresh(network, made) {
		tokens.Refresh = made.Refresh()
	}
	return tokens
}

// refuses returns the reason why the network does not accept the code.
func (s *Stage) refuses(given code, known bool, asked Exchange) error {
	sum := sha256.Sum256([]byte(asked.Verifier))
	switch {
	case !known, given.network != asked.Network, !s.Clock.Now().Before(given.ends):
		return ErrCode
	case given.client != asked.App:
		return ErrClient
	case given.redirect != asked.Redirect:
		return ErrRedirect
	case given.challenge != "" && given.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		return ErrVerifier
	default:
		return nil
	}
}

// Revoke ends every token of the account of a token.
func (s *Stage) Revoke(network, text string) error { return s.Tokens.Revoke(network, text) }
