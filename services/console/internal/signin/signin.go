// Package signin serves the pages on which people sign in and prove their presence.
package signin

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
)

// Limits of password guesses per minute: for one user from one network, so that no person is locked out from
// elsewhere, and from one network; and of beginnings of other ways of signing in from one network.
const (
	guessesPerPerson   = 10
	guessesPerPlace    = 30
	beginningsPerPlace = 60
)

//go:embed templates
var templates embed.FS

// Config holds the dependencies of the page.
type Config struct {
	Authorizations *authserver.Server
	Users          *postgres.Users
	Security       *app.Security
	Limiter        *ratelimit.Limiter
	TrustedProxies []netip.Prefix
	Logger         *slog.Logger
}

// Passwords compares passwords. It is safe for concurrent use.
type Passwords struct{ cfg Config }

// NewPasswords checks the configuration.
func NewPasswords(cfg Config) (*Passwords, error) {
	if cfg.Authorizations == nil || cfg.Users == nil || cfg.Security == nil || cfg.Limiter == nil || cfg.Logger == nil {
		return nil, errors.New("signin: every dependency is required")
	}
	return &Passwords{cfg: cfg}, nil
}

// Feature returns the pages.
func Feature(p *Passwords) frame.Feature {
	s := &signin{Passwords: p}
	return frame.Feature{Name: "signin", Templates: templates, Routes: []frame.Route{
		{Pattern: "GET " + frame.PathSignIn, Handle: s.show},
		{Pattern: "POST " + frame.PathSignIn, Handle: s.enter},
		{Pattern: "GET " + pathSecond, Handle: s.showSecond},
		{Pattern: "POST " + pathSecond, Handle: s.second},
		{Pattern: "POST " + pathPasskey, Handle: s.passkey},
		{Pattern: "POST " + pathPasskey + "/options", Handle: s.passkeyOptions},
		{Pattern: "POST " + pathProvider, Handle: s.provider},
		{Pattern: "GET " + app.PathProviderCallback, Handle: s.providerReturn},
		{Pattern: "GET " + frame.PathConfirm, Access: frame.SignedIn, Handle: s.showConfirm},
		{Pattern: "POST " + frame.PathConfirm, Access: frame.SignedIn, Handle: s.confirm},
		{Pattern: "POST " + frame.PathConfirm + "/passkey", Access: frame.SignedIn, Handle: s.confirmPasskey},
		{Pattern: "POST /sign-out", Handle: s.leave},
	}}
}

type signin struct{ *Passwords }

// page is the data of the template.
type page struct {
	Address string // as it was typed
	Handle  string // of the pending authorization request
	Next    string // the page that was asked for
	For     string // the program that requests access, if any
	Error   string
	Ended   string // what the end of the session interrupted: page or action
	Empty   bool   // the installation has no users
	Passkey bool   // the address of the application can have passkeys
	// Provider is the name of the sign-in provider, if any; Linking is the address whose account waits for a link.
	Provider string
	Linking  string
}

func (s *signin) show(v *frame.Visit) error {
	in := page{Handle: v.Query("request"), Next: v.Query("next"), Ended: v.Query("ended")}
	if !v.User.ID.IsZero() {
		v.Redirect(in.onward())
		return nil
	}
	return s.page(v, http.StatusOK, in)
}

// onward returns the path to which a user is redirected after sign-in.
func (p page) onward() string {
	switch {
	case frame.IsHandle(p.Handle):
		return frame.PathConsent + "?request=" + p.Handle
	case frame.IsNext(p.Next):
		return p.Next
	default:
		return "/"
	}
}

func (s *signin) page(v *frame.Visit, status int, in page) error {
	if !frame.IsNext(in.Next) {
		in.Next = ""
	}
	if !frame.IsHandle(in.Handle) {
		in.Handle = ""
	} else if requested, err := s.cfg.Authorizations.Requested(v.Request.Context(), in.Handle); err == nil {
		in.For = requested.Client.Title()
	}
	known, err := s.cfg.Users.Exist(v.Request.Context())
	if err != nil {
		return err
	}
	in.Empty = !known
	in.Passkey, in.Provider = s.cfg.Security.HasPasskeys(), s.cfg.Security.ProviderName()
	if in.Provider != "" {
		v.AllowForms("'self' " + s.cfg.Security.ProviderSources())
	}
	return v.Page(frame.Page{
		Name: "signin/signin", Title: "Sign in", Status: status, Bare: true, Scripts: in.scripts(), Data: in,
	})
}

// scripts returns the module for passkeys if the page has a form for them.
func (p page) scripts() []string {
	if !p.Passkey {
		return nil
	}
	return []string{"passkeys.js"}
}

func typed(v *frame.Visit) page {
	return page{Handle: v.Form("request"), Next: v.Form("next"), Address: v.Form("email")}
}

func (s *signin) enter(v *frame.Visit) error {
	in := typed(v)
	found, response, err := s.Check(v.Request, in.Address, v.Request.PostFormValue("password"))
	switch {
	case err != nil:
		return err
	case response == TooMany:
		v.Out.Header().Set("Retry-After", "60")
		in.Error = "Too many attempts. Wait a minute, then try again."
		return s.page(v, http.StatusTooManyRequests, in)
	case response == Wrong:
		in.Error = "The email address or the password is incorrect."
		return s.page(v, http.StatusUnauthorized, in)
	default:
		return s.proceed(v, in, found, user.Password)
	}
}

// proceed signs the user in, or asks for the second factor.
func (s *signin) proceed(v *frame.Visit, in page, u user.User, by user.Method) error {
	if !u.Enters(by) {
		if err := v.AwaitSecondFactor(u, by); err != nil {
			return err
		}
		v.Redirect(in.second())
		return nil
	}
	return s.enterWith(v, in, u, by, "")
}

// enterWith signs the user in, links the provider's account that waits for it, and leads onward.
func (s *signin) enterWith(v *frame.Visit, in page, u user.User, by user.Method, notice string) error {
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	linked := false
	if u.Enters(by) {
		if linked, err = s.cfg.Security.LinkAwaited(v.Request.Context(), session, u); err != nil {
			return err
		}
	}
	if err := v.Enter(u, by); err != nil {
		return err
	}
	if linked {
		notice = strings.TrimSpace(notice + " From now on, " + s.cfg.Security.ProviderName() + " signs you in.")
	}
	if notice != "" {
		return v.Done(in.onward(), notice)
	}
	v.Redirect(in.onward())
	return nil
}

func (s *signin) leave(v *frame.Visit) error {
	if err := v.Leave(); err != nil {
		return err
	}
	v.Redirect(frame.PathSignIn)
	return nil
}

// Verdict is the result of checking an address and a password.
type Verdict int

// Verdicts.
const (
	Wrong Verdict = iota
	Right
	TooMany // the password was not compared
)

// Check returns the user with the address and the password. For an unknown address, it takes as long as for a known
// one.
func (p *Passwords) Check(r *http.Request, address, secret string) (user.User, Verdict, error) {
	from := hosts.Customer(hosts.ClientOf(r, p.cfg.TrustedProxies))
	if !p.allowed(r, "sign-in-from:"+from, guessesPerPlace) {
		return user.User{}, TooMany, nil
	}
	found, err := p.person(r, address)
	if err != nil {
		return user.User{}, Wrong, err
	}
	if !p.allowed(r, "sign-in:"+whose(found, address)+":"+from, guessesPerPerson) {
		return user.User{}, TooMany, nil
	}
	matches, err := password.Matches(r.Context(), secret, found.PasswordHash)
	if err == nil && matches && found.MaySignIn() {
		return found, Right, nil
	}
	p.cfg.Logger.InfoContext(r.Context(), "sign-in rejected", slog.String("from", from))
	return user.User{}, Wrong, err
}

// person returns the user with an address, or the zero user if there is none.
func (p *Passwords) person(r *http.Request, address string) (user.User, error) {
	parsed, ok := email.Parse(address)
	if !ok {
		return user.User{}, nil
	}
	found, err := p.cfg.Users.ByEmail(r.Context(), parsed)
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
	sum := sha256.Sum256([]byte(email.Address(address).Folded()))
	return hex.EncodeToString(sum[:16])
}

func (p *Passwords) allowed(r *http.Request, subject string, perMinute int) bool {
	return p.cfg.Limiter.Take(r.Context(), subject, ratelimit.Limit{PerMinute: perMinute, Burst: perMinute}).Allowed
}
