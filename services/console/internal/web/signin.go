package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"socialpub.internal/services/console/internal/view"
	"socialpub.internal/services/internal/proxied"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/password"
	"socialpub.internal/shared/ratelimit"
	"socialpub.internal/shared/user"
)

// Guesses of passwords in a minute: at one person's, and from one place.
const (
	guessesPerPerson = 10
	guessesPerPlace  = 30
)

func (w *Web) home(rw http.ResponseWriter, r *http.Request, _ visitor) {
	http.Redirect(rw, r, "/programs", http.StatusSeeOther)
}

func (w *Web) showSignIn(rw http.ResponseWriter, r *http.Request) {
	v, err := w.visitor(rw, r)
	if err != nil {
		w.trouble(rw, r, err)
		return
	}
	handle := r.URL.Query().Get("request")
	if !v.user.ID.IsZero() {
		http.Redirect(rw, r, onward(handle), http.StatusSeeOther) //nolint:gosec // G710: a path of our own; the handle has its form
		return
	}
	w.signInPage(rw, r, http.StatusOK, v, view.SignIn{Next: handle})
}

// onward is where a person goes who has signed in.
func onward(handle string) string {
	if isHandle(handle) {
		return "/consent?request=" + handle
	}
	return "/"
}

func (w *Web) signInPage(rw http.ResponseWriter, r *http.Request, status int, v visitor, page view.SignIn) {
	page.Page = v.page("Sign in")
	if !isHandle(page.Next) {
		page.Next = ""
	} else if asked, err := w.cfg.Authorizations.Asked(r.Context(), page.Next); err == nil {
		page.For = asked.Client.Title()
	}
	w.page(rw, r, status, func() error { return w.pages.SignIn(rw, page) })
}

func (w *Web) signIn(rw http.ResponseWriter, r *http.Request) {
	v, err := w.visitor(rw, r)
	if err != nil {
		w.trouble(rw, r, err)
		return
	}
	page := view.SignIn{Next: r.PostFormValue("request"), Address: strings.TrimSpace(r.PostFormValue("email"))}
	if !v.sent(r) {
		page.Error = "The page was open for too long, or cookies are switched off. Try once more."
		w.signInPage(rw, r, http.StatusForbidden, v, page)
		return
	}
	if !w.mayGuess(r, page.Address) {
		rw.Header().Set("Retry-After", "60")
		page.Error = "Too many attempts. Wait a minute, then try again."
		w.signInPage(rw, r, http.StatusTooManyRequests, v, page)
		return
	}
	found, right, err := w.check(r, page.Address)
	if right {
		err = w.enter(rw, r, found)
	}
	switch {
	case err == nil && !right:
		page.Error = "The e-mail address or the password is wrong."
		w.signInPage(rw, r, http.StatusUnauthorized, v, page)
	case err != nil:
		w.trouble(rw, r, err)
	default:
		http.Redirect(rw, r, onward(page.Next), http.StatusSeeOther)
	}
}

// check finds whose address and password it is; of nobody it takes as long.
func (w *Web) check(r *http.Request, address string) (found user.User, right bool, err error) {
	found, err = w.cfg.Users.ByEmail(r.Context(), address)
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		return user.User{}, false, err
	}
	right, err = password.Matches(r.PostFormValue("password"), found.PasswordHash)
	return found, right && found.MaySignIn(), err
}

func (w *Web) mayGuess(r *http.Request, address string) bool {
	person := w.cfg.Limiter.Take(r.Context(), "sign-in:"+strings.ToLower(address), ratelimit.Limit{PerMinute: guessesPerPerson, Burst: guessesPerPerson})
	place := w.cfg.Limiter.Take(r.Context(), "sign-in-from:"+w.from(r), ratelimit.Limit{PerMinute: guessesPerPlace, Burst: guessesPerPlace})
	return person.Allowed && place.Allowed
}

// from is where a request came from: the last address that is not one of our own proxies'.
func (w *Web) from(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	remote, _ := netip.ParseAddr(host)
	return proxied.From(remote, strings.Join(r.Header.Values("X-Forwarded-For"), ","), w.cfg.TrustedProxies).String()
}
