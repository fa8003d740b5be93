package stage

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	_ "embed" // the page
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

	"fencepost.internal/shared/domain/channel"
)

// The reasons why a code is not accepted.
var (
	ErrCode     = errors.New("the code is unknown, expired or used")
	ErrClient   = errors.New("the code was issued to another application")
	ErrRedirect = errors.New("the redirect address differs from that of the consent")
	ErrVerifier = errors.New("the verifier does not match the challenge")
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
	// Roles are those of the accounts that have the application; nil: the usual one.
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

// ConsentRequest is the request of an application for a consent (RFC 6749, section 4.1.1).
type ConsentRequest struct {
	Client, State, Challenge string
	Redirect                 *url.URL
	Scopes                   []string
}

// ReadConsentRequest reads the query of a page. It returns what is wrong with it.
func ReadConsentRequest(q url.Values, clientKey, separator string) (ConsentRequest, Rule[string]) {
	to, err := url.Parse(q.Get("redirect_uri"))
	a := ConsentRequest{
		Client: q.Get(clientKey), State: q.Get("state"), Challenge: q.Get("code_challenge"), Redirect: to,
		Scopes: strings.Split(q.Get("scope"), separator),
	}
	return a, If(a.Client == "", "Invalid "+clientKey).
		Or(err != nil || to.Host == "" || to.Scheme != "https" && to.Scheme != "http" || to.Fragment != "",
			"Invalid redirect_uri").
		Or(q.Get("response_type") != "code", "Invalid response_type").
		Or(a.State == "", "Missing state").
		Or(a.Challenge != "" && q.Get("code_challenge_method") != "S256", "Invalid code_challenge")
}

// WrongConsent writes a page: a network does not redirect to an address that it does not trust.
func WrongConsent(w http.ResponseWriter, why string) {
	http.Error(w, "The application's request is invalid: "+why, http.StatusBadRequest)
}

// Return redirects to the application with these parameters.
func (a ConsentRequest) Return(w http.ResponseWriter, r *http.Request, suffix string, parameters map[string]string) {
	to, query := *a.Redirect, a.Redirect.Query()
	query.Set("state", a.State)
	for name, value := range parameters {
		query.Set(name, value)
	}
	to.RawQuery = query.Encode()
	http.Redirect(w, r, to.String()+suffix, http.StatusFound)
}

// Code is an issued authorization code that was not used.
type Code struct {
	ConsentRequest

	Network       channel.Network
	Account, Role string
	Details       map[string]string // further properties of the person
	Ends          time.Time
}

// Codes holds the codes that were not used. It is safe for concurrent use.
type Codes struct {
	mu     sync.Mutex
	byText map[string]Code
}

// Add stores a code, and deletes those that have expired.
func (c *Codes) Add(issued Code, now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText == nil {
		c.byText = make(map[string]Code)
	}
	for text, other := range c.byText {
		if !now.Before(other.Ends) {
			delete(c.byText, text)
		}
	}
	text := rand.Text()
	c.byText[text] = issued
	return text
}

// Take returns the code in the form of an exchange by the application, or the reason why it is not accepted. It deletes the
// code, because a code works once.
func (c *Codes) Take(network channel.Network, app string, form url.Values, now time.Time) (Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	issued, known := c.byText[form.Get("code")]
	delete(c.byText, form.Get("code"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	verified := issued.Challenge == "" || issued.Challenge == base64.RawURLEncoding.EncodeToString(sum[:])
	return issued, If(!known || issued.Network != network || !now.Before(issued.Ends), ErrCode).
		Or(issued.Client != app, ErrClient).
		Or(known && issued.Redirect.String() != form.Get("redirect_uri"), ErrRedirect).
		Or(!verified, ErrVerifier).Fault
}

//go:embed templates/consent.html
var consentText string

var consentPage = template.Must(template.New("consent").Parse(consentText))

// personPattern matches the names of accounts. Every name exists.
var personPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`)

// Authorize adds the network's authorization page. It shows the accounts of the sandbox, on which every name exists.
func (s *Stage) Authorize(mux *http.ServeMux, d Dialog) {
	d.ClientKey = cmp.Or(d.ClientKey, "client_id")
	d.Separator = cmp.Or(d.Separator, " ")
	d.Denied = cmp.Or(d.Denied, "access_denied")
	for method, serve := range map[string]func(http.ResponseWriter, *http.Request, Dialog, ConsentRequest, string){
		"GET ": s.showConsent, "POST ": s.decide,
	} {
		mux.HandleFunc(method+d.Path, func(w http.ResponseWriter, r *http.Request) {
			requested, rule := ReadConsentRequest(r.URL.Query(), d.ClientKey, d.Separator)
			rule = rule.Or(d.NeedsPKCE && requested.Challenge == "", "Invalid code_challenge")
			if !rule.Broken && d.Refuses != nil {
				why := d.Refuses(r)
				rule = If(why != "", why)
			}
			role, ok := s.Tokens.RoleOf(string(d.Network), d.Roles, requested.Scopes)
			if rule = rule.Or(!ok, "unauthorized_scope_error: "+strings.Join(requested.Scopes, " ")); rule.Broken {
				WrongConsent(w, rule.Fault)
				return
			}
			serve(w, r, d, requested, role)
		})
	}
}

func (s *Stage) showConsent(w http.ResponseWriter, _ *http.Request, d Dialog, a ConsentRequest, _ string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'")
	_ = consentPage.Execute(w, Object{
		"Network": d.Network.Name(), "Client": a.Client, "Redirect": a.Redirect.Host + a.Redirect.Path, "Picks": d.Picks,
		"Accounts": []string{"acme", "globex", "initech"}, "Scopes": a.Scopes,
	})
}

// decide issues a code for the chosen account and scopes, or refuses.
func (s *Stage) decide(w http.ResponseWriter, r *http.Request, d Dialog, a ConsentRequest, role string) {
	form, err := ReadTokenForm(w, r)
	account := form.Get("account")
	if form.Get("other") != "" {
		account = form.Get("other")
	}
	switch {
	case err != nil:
		WrongConsent(w, "the form cannot be read")
		return
	case form.Get("decision") != "allow":
		a.Return(w, r, "", map[string]string{"error": d.Denied, "error_description": "The user denied the request"})
		return
	case !personPattern.MatchString(account):
		WrongConsent(w, "the account's name must have letters, digits, _ and - only")
		return
	case d.Holder != nil:
		account = d.Holder(r, account)
	}
	now := s.Clock.Now()
	issued := Code{ConsentRequest: a, Network: d.Network, Account: account, Role: role, Ends: now.Add(d.Life)}
	issued.Scopes = slices.DeleteFunc(slices.Clone(a.Scopes), func(scope string) bool {
		return !slices.Contains(form["scope"], scope)
	})
	if !d.TakesPKCE && !d.NeedsPKCE {
		issued.Challenge = ""
	}
	if form.Get("expired") == "on" {
		issued.Ends = now
	}
	a.Return(w, r, d.Suffix, map[string]string{"code": s.codes.Add(issued, now)})
}
