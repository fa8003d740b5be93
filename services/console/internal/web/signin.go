package web

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"unicode/utf8"

	"socialpub.internal/services/console/internal/view"
	"socialpub.internal/services/internal/clientip"
	"socialpub.internal/shared/domain/user"
	"socialpub.internal/shared/infra/password"
	"socialpub.internal/shared/infra/ratelimit"
	"socialpub.internal/shared/kernel/apperr"
)

// Limits of password guesses per minute: for one user, and from one network.
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
		http.Redirect(rw, r, onward(handle), http.StatusSeeOther) //nolint:gosec // G710: an own path; the handle's form was checked
		return
	}
	w.signInPage(rw, r, http.StatusOK, v, view.SignIn{Next: handle})
}

// onward returns the path to which a user is redirected after sign-in.
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
		page.Error = "The page was open for too long, or cookies are disabled. Try again."
		w.signInPage(rw, r, http.StatusForbidden, v, page)
		return
	}
	found, answer, err := w.check(r, page.Address)
	if answer == right && err == nil {
		err = w.enter(rw, r, v, found)
	}
	switch {
	case err != nil:
		w.trouble(rw, r, err)
	case answer == tooMany:
		rw.Header().Set("Retry-After", "60")
		page.Error = "Too many attempts. Wait a minute, then try again."
		w.signInPage(rw, r, http.StatusTooManyRequests, v, page)
	case answer == wrong:
		page.Error = "The email address or the password is incorrect."
		w.signInPage(rw, r, http.StatusUnauthorized, v, page)
	default:
		http.Redirect(rw, r, onward(page.Next), http.StatusSeeOther)
	}
}

// verdict is the result of checking an address and a password.
type verdict int

const (
	wrong verdict = iota
	right
	tooMany // the password was not compared
)

// check returns the user with the address and the password. For an unknown address, it takes as long as for a known
// one.
func (w *Web) check(r *http.Request, address string) (user.User, verdict, error) {
	from := w.from(r)
	if !w.allowed(r, "sign-in-from:"+from, guessesPerPlace) {
		return user.User{}, tooMany, nil
	}
	found, err := w.person(r, address)
	if err != nil {
		return user.User{}, wrong, err
	}
	if !w.allowed(r, "sign-in:"+whose(found, address), guessesPerPerson) {
		return user.User{}, tooMany, nil
	}
	select {
	case w.guessing <- struct{}{}:
		defer func() { <-w.guessing }()
	case <-r.Context().Done():
		return user.User{}, wrong, r.Context().Err()
	}
	matches, err := password.Matches(r.PostFormValue("password"), found.PasswordHash)
	if err == nil && matches && found.MaySignIn() {
		return found, right, nil
	}
	w.cfg.Logger.InfoContext(r.Context(), "sign-in rejected", slog.String("from", from))
	return user.User{}, wrong, err
}

// person returns the user with an address, or the zero user if there is none.
func (w *Web) person(r *http.Request, address string) (user.User, error) {
	if !utf8.ValidString(address) || strings.ContainsRune(address, 0) { // not a valid text for the database
		return user.User{}, nil
	}
	found, err := w.cfg.Users.ByEmail(r.Context(), address)
	if apperr.Is(err, apperr.NotFound) {
		err = nil
	}
	return found, err
}

// whose returns the subject for which guesses are counted: the user, regardless of how the address is written, or a
// hash of an unknown address.
func whose(found user.User, address string) string {
	if !found.ID.IsZero() {
		return found.ID.String()
	}
	sum := sha256.Sum256([]byte(strings.ToLower(address)))
	return hex.EncodeToString(sum[:16])
}

func (w *Web) allowed(r *http.Request, subject string, perMinute int) bool {
	return w.cfg.Limiter.Take(r.Context(), subject, ratelimit.Limit{PerMinute: perMinute, Burst: perMinute}).Allowed
}

// from returns the client's network: that of the last address that does not belong to a trusted proxy.
func (w *Web) from(r *http.Request) string {
	return clientip.Customer(clientip.Request(r, w.cfg.TrustedProxies))
}
