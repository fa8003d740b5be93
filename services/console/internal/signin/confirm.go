package signin

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
)

func (s *signin) showConfirm(v *frame.Visit) error {
	return s.confirmPage(v, http.StatusOK, page{Next: v.Query("next")})
}

func (s *signin) confirmPage(v *frame.Visit, status int, in page) error {
	state, err := s.cfg.Security.State(v.Request.Context(), v.User)
	if err != nil {
		return err
	}
	in.Passkey, in.Provider = state.PasskeyOK && len(state.Passkeys) > 0, state.Provider
	if !frame.IsNext(in.Next) {
		in.Next = ""
	}
	return v.Page(frame.Page{
		Name: "signin/confirm", Title: "Confirm that it’s you", Status: status, Bare: true, Scripts: in.scripts(), Data: in,
	})
}

// confirm accepts the password of the signed-in user as proof of presence.
func (s *signin) confirm(v *frame.Visit) error {
	in := page{Next: v.Form("next")}
	_, response, err := s.Check(v.Request, string(v.User.Email), v.Request.PostFormValue("password"))
	switch {
	case err != nil:
		return err
	case response == TooMany:
		v.Out.Header().Set("Retry-After", "60")
		in.Error = "Too many attempts. Wait a minute, then try again."
		return s.confirmPage(v, http.StatusTooManyRequests, in)
	case response == Wrong:
		in.Error = "The password is incorrect."
		return s.confirmPage(v, http.StatusUnauthorized, in)
	default:
		return s.confirmed(v, in)
	}
}

// confirmPasskey accepts a passkey of the signed-in user as proof of presence.
func (s *signin) confirmPasskey(v *frame.Visit) error {
	in := page{Next: v.Form("next")}
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	u, by, err := s.cfg.Security.Prove(v.Request.Context(), session, []byte(v.Form("credential")))
	if err == nil && (u.ID != v.User.ID || by != user.PasskeyAsSecond) {
		err = apperr.Invalid([]apperr.Field{{Pointer: "/passkey", Message: "The passkey was not accepted. Try again."}})
	}
	if status, text := refusal(v, err, "passkey"); status != 0 {
		in.Error = text
		return s.confirmPage(v, status, in)
	}
	if err != nil {
		return err
	}
	return s.confirmed(v, in)
}

func (s *signin) confirmed(v *frame.Visit, in page) error {
	if err := v.Confirm(); err != nil {
		return err
	}
	v.Redirect(in.onward())
	return nil
}
