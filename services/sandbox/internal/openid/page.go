package openid

import (
	"embed"
	"html/template"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/stage"
)

//go:embed templates
var files embed.FS

var page = template.Must(template.ParseFS(files, "templates/*.html"))

// request is a checked request for a sign-in.
type request struct {
	client, state, nonce, challenge string
	redirect                        *url.URL
}

// asked checks the query. It writes a page if the request is invalid: a provider does not redirect to an address that it
// does not trust.
func asked(w http.ResponseWriter, r *http.Request) (request, bool) {
	q := r.URL.Query()
	to, err := url.Parse(q.Get("redirect_uri"))
	in := request{
		client: q.Get("client_id"), state: q.Get("state"), nonce: q.Get("nonce"), challenge: q.Get("code_challenge"), redirect: to,
	}
	var wrong string
	switch {
	case in.client == "":
		wrong = "client_id is missing"
	case err != nil || to.Host == "" || to.Scheme != "https" && to.Scheme != "http" || to.Fragment != "":
		wrong = "redirect_uri is not an address"
	case q.Get("response_type") != "code":
		wrong = "response_type must be code"
	case !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		wrong = "scope must have openid"
	case in.state == "" || in.nonce == "":
		wrong = "state and nonce are required"
	case in.challenge == "" || q.Get("code_challenge_method") != "S256":
		wrong = "a code_challenge of the method S256 is required"
	default:
		return in, true
	}
	http.Error(w, "The application's request is invalid: "+wrong+".", http.StatusBadRequest)
	return in, false
}

// ask shows the page on which a person signs in.
func (p *provider) ask(w http.ResponseWriter, r *http.Request) {
	if in, ok := asked(w, r); ok {
		show(w, http.StatusOK, in, "")
	}
}

func show(w http.ResponseWriter, status int, in request, fault string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_ = page.Execute(w, map[string]any{"Client": in.client, "Redirect": in.redirect.Host + in.redirect.Path, "Fault": fault})
}

// decide redirects with a code for the person, or with the refusal.
func (p *provider) decide(w http.ResponseWriter, r *http.Request) {
	in, ok := asked(w, r)
	if !ok {
		return
	}
	form, err := stage.ReadTokenForm(w, r)
	if err != nil {
		http.Error(w, "The form cannot be read.", http.StatusBadRequest)
		return
	}
	query := in.redirect.Query()
	query.Set("state", in.state)
	query.Set("iss", p.issuer(r)) // RFC 9207
	address, err := mail.ParseAddress(form.Get("email"))
	switch {
	case form.Get("decision") != "allow":
		query.Set("error", "access_denied")
	case err != nil:
		show(w, http.StatusUnprocessableEntity, in, "Enter an email address.")
		return
	default:
		query.Set("code", p.add(p.given(in, address.Address, form)))
	}
	to := *in.redirect
	to.RawQuery = query.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// given returns the code of a sign-in.
func (p *provider) given(in request, email string, form url.Values) code {
	made := code{
		asked: in, email: email, name: strings.TrimSpace(form.Get("name")), verified: form.Get("unverified") == "",
		ends: p.now().Add(codeLife),
	}
	if form.Get("expired") != "" {
		made.ends = p.now()
	}
	return made
}
