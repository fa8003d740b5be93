package frame

import (
	"encoding/json"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/user"
)

// PathConfirm is the address of the page that asks a signed-in user for a proof of presence.
const PathConfirm = "/confirm"

// SessionHash returns the SHA-256 of the browser's cookie, by which the browser is known before and after sign-in.
func (v *Visit) SessionHash() ([32]byte, error) { return credential.Session.Hash(v.session) }

// AwaitSecondFactor makes the browser wait for the second factor of a user whose first one was right. The browser gets a
// new cookie, so that a cookie that others chose does not get this far. It ends the session of the previous cookie.
func (v *Visit) AwaitSecondFactor(u user.User, by user.Method) error {
	users, ctx := v.frame.cfg.Users, v.Request.Context()
	old, err := v.SessionHash()
	if err != nil {
		return err
	}
	session := credential.Session.New()
	hash, err := credential.Session.Hash(session)
	if err != nil {
		return err
	}
	if err := users.MoveSteps(ctx, old, hash); err != nil {
		return err
	}
	if err := v.end(); err != nil {
		return err
	}
	err = users.Await(ctx, hash, user.Step{
		Kind: user.StepSecondFactor, UserID: u.ID, Data: string(by), ExpiresAt: v.frame.cfg.Clock.Now().Add(user.StepLife),
	})
	if err != nil {
		return err
	}
	v.session, v.User = session, user.User{}
	v.setCookie("session", session, sessionLife)
	return nil
}

// Awaited returns the user whose second factor the browser waits for; NOT_FOUND if there is none.
func (v *Visit) Awaited() (user.User, error) {
	hash, err := v.SessionHash()
	if err != nil {
		return user.User{}, err
	}
	step, err := v.frame.cfg.Users.Awaited(v.Request.Context(), hash, user.StepSecondFactor, v.frame.cfg.Clock.Now())
	if err != nil {
		return user.User{}, err
	}
	return v.frame.cfg.Users.ByID(v.Request.Context(), step.UserID)
}

// Renew gives the session a new cookie, after a change of how the visitor signs in.
func (v *Visit) Renew() error {
	old, err := v.SessionHash()
	if err != nil {
		return err
	}
	session := credential.Session.New()
	hash, err := credential.Session.Hash(session)
	if err == nil {
		err = v.frame.cfg.Users.RotateSession(v.Request.Context(), old, hash)
	}
	if err != nil {
		return err
	}
	v.session = session
	v.setCookie("session", session, sessionLife)
	return nil
}

// Confirm records that the visitor proved their presence.
func (v *Visit) Confirm() error {
	hash, err := v.SessionHash()
	if err != nil {
		return err
	}
	return v.frame.cfg.Users.Confirm(v.Request.Context(), hash, v.frame.cfg.Clock.Now())
}

// askToConfirm redirects to the page that asks for a proof of presence unless the last one is recent, and reports
// whether it did. From there, the visitor returns to the page; a form is not sent again.
func (v *Visit) askToConfirm(route Route) (bool, error) {
	hash, err := v.SessionHash()
	if err != nil {
		return false, err
	}
	at, err := v.frame.cfg.Users.ConfirmedAt(v.Request.Context(), hash)
	if err != nil || user.Fresh(at, v.frame.cfg.Clock.Now()) {
		return false, err
	}
	next := v.Path(route.From)
	if v.Request.Method == http.MethodGet {
		next = v.Request.URL.RequestURI()
	}
	v.Redirect(PathConfirm + "?" + url.Values{"next": {next}}.Encode())
	return true, nil
}

// JSON responds to a script of the application.
func (v *Visit) JSON(document json.RawMessage) {
	v.Out.Header().Set("Content-Type", "application/json")
	_, _ = v.Out.Write(document) // an error concerns only the client's connection
}

// Plain responds to a script with a text.
func (v *Visit) Plain(status int, text string) error {
	v.Out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	v.Out.WriteHeader(status)
	_, _ = v.Out.Write([]byte(text)) // an error concerns only the client's connection
	return nil
}

// ByScript reports whether a script of the page sent the request.
func (v *Visit) ByScript() bool { return v.Request.Header.Get("Hx-Request") != "" }
