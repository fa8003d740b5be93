// Package account serves the pages by which people get in, recover their access and confirm their email address.
package account

import (
	"embed"
	"errors"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
)

//go:embed templates
var templates embed.FS

const (
	// PathForgot is the address of the page on which a person requests a new password.
	PathForgot  = "/forgot-password"
	pathReset   = "/reset-password/"
	pathConfirm = "/confirm-address/"

	// triesPerPlace is the maximum number of requests, tried links and forms per minute from one network, for each of
	// recovery and sign-up. A new password costs a hash.
	triesPerPlace = 10
)

// Config holds the dependencies of the pages.
type Config struct {
	App      *app.App
	Security *app.Security
	Limiter  *ratelimit.Limiter
}

type account struct{ cfg Config }

// Feature returns the pages.
func Feature(cfg Config) (frame.Feature, error) {
	if cfg.App == nil || cfg.Security == nil || cfg.Limiter == nil {
		return frame.Feature{}, errors.New("account: every dependency is required")
	}
	a, j := &account{cfg: cfg}, &joining{cfg: cfg}
	return frame.Feature{Name: "account", Templates: templates, Routes: append(j.routes(), []frame.Route{
		{Pattern: "GET " + PathForgot, Handle: a.showForgot},
		{Pattern: "POST " + PathForgot, Handle: a.forgot},
		{Pattern: "GET " + pathReset + "{secret}", Handle: a.showReset},
		{Pattern: "POST " + pathReset + "{secret}", Handle: a.reset},
		{Pattern: "GET " + pathConfirm + "{secret}", Handle: a.showConfirm},
		{Pattern: "POST " + pathConfirm + "{secret}", Handle: a.confirm},
	}...)}, nil
}

// allowed responds if a network has made too many requests, and reports whether it has not.
func (a *account) allowed(v *frame.Visit) bool {
	return v.FromPlace(a.cfg.Limiter, "account", triesPerPlace, "Wait a minute, then try again.",
		frame.Link{Text: "Go to the sign-in page", Path: frame.PathSignIn})
}

// over responds if a link cannot be used, and reports whether it did.
func over(v *frame.Visit, err error, again frame.Link) bool {
	if !apperr.Is(err, apperr.NotFound) {
		return false
	}
	v.Message(http.StatusGone, "Link no longer valid", "It was used, revoked or replaced, or it is too old.", again)
	return true
}

// forgotPage is the data of the page on which a person requests a new password.
type forgotPage struct {
	Email  string
	Faults map[string]string
	Mails  bool // mails are sent
}

func (a *account) showForgot(v *frame.Visit) error {
	return a.forgotPage(v, http.StatusOK, forgotPage{})
}

func (a *account) forgotPage(v *frame.Visit, status int, page forgotPage) error {
	page.Mails = a.cfg.App.SendsMails()
	return v.Page(frame.Page{
		Name: "account/forgot", Title: "Reset password", Status: status, Bare: true, Data: page,
	})
}

// forgot responds alike for every address, whether or not it has a user.
func (a *account) forgot(v *frame.Visit) error {
	page := forgotPage{Email: v.Form("email")}
	if !a.cfg.App.SendsMails() {
		return a.forgotPage(v, http.StatusOK, page)
	}
	if !a.allowed(v) {
		return nil
	}
	err := a.cfg.App.RequestReset(v.Request.Context(), page.Email)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return a.forgotPage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	v.Message(http.StatusOK, "Check your email", "If "+page.Email+" has an account, we sent it a link. "+
		"It works for one hour.", frame.Link{Text: "Go to the sign-in page", Path: frame.PathSignIn})
	return nil
}

// resetPage is the data of the page on which a person sets a new password.
type resetPage struct {
	Secret, Email string
	Faults        map[string]string
}

func requestAnother() frame.Link { return frame.Link{Text: "Get another link", Path: PathForgot} }

func (a *account) showReset(v *frame.Visit) error { return a.resetPage(v, http.StatusOK, nil) }

func (a *account) resetPage(v *frame.Visit, status int, faults map[string]string) error {
	page := resetPage{Secret: v.Request.PathValue("secret"), Faults: faults}
	if !a.allowed(v) {
		return nil
	}
	found, err := a.cfg.App.ResetUser(v.Request.Context(), page.Secret)
	if over(v, err, requestAnother()) {
		return nil
	}
	if err != nil {
		return err
	}
	page.Email = string(found.Email)
	return v.Page(frame.Page{Name: "account/reset", Title: "New password", Status: status, Bare: true, Data: page})
}

// reset sets the password. It does not sign in, because a link is less than a password and a second factor.
func (a *account) reset(v *frame.Visit) error {
	if !a.allowed(v) {
		return nil
	}
	err := a.cfg.App.ResetPassword(v.Request.Context(), v.Request.PathValue("secret"),
		v.Request.PostFormValue("password"))
	if faults, ok := frame.Faults(err); ok {
		return a.resetPage(v, http.StatusUnprocessableEntity, faults)
	}
	if over(v, err, requestAnother()) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.Done(frame.PathSignIn, "Password set. Sign in with it.")
}

func start() frame.Link { return frame.Link{Text: "Go to the start page", Path: "/"} }

func (a *account) showConfirm(v *frame.Visit) error {
	if !a.allowed(v) {
		return nil
	}
	secret := v.Request.PathValue("secret")
	step, err := a.cfg.App.AddressStep(v.Request.Context(), secret)
	if over(v, err, start()) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "account/confirm", Title: "Change of the email address", Bare: true, Data: struct {
			app.AddressStep

			Secret string
		}{step, secret},
	})
}

// confirm needs no session, because the person may read mails in another browser.
func (a *account) confirm(v *frame.Visit) error {
	if !a.allowed(v) {
		return nil
	}
	step, err := a.cfg.App.ConfirmAddress(v.Request.Context(), v.Request.PathValue("secret"))
	if over(v, err, start()) {
		return nil
	}
	if err != nil {
		return err
	}
	text := "Now open the link that we sent to the other address."
	if step.Complete() {
		text = "You now sign in with " + string(step.Email) + "."
	}
	v.Message(http.StatusOK, "Confirmed", text, start())
	return nil
}
