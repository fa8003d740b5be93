package signin

import (
	"encoding/json"
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
)

const pathProvider = frame.PathSignIn + "/provider"

// onward is the data that a browser takes to the provider and back.
type onward struct {
	Handle string `json:"request"`
	Next   string `json:"next"`
}

// provider sends the browser to the sign-in provider.
func (s *signin) provider(v *frame.Visit) error {
	if !s.mayBegin(v) {
		return nil
	}
	in := typed(v)
	data, err := json.Marshal(onward{in.Handle, in.Next})
	if err != nil {
		return err
	}
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	address, err := s.cfg.Security.BeginProvider(v.Request.Context(), user.User{}, session, string(data))
	if apperr.Is(err, apperr.Unavailable) {
		in.Error = s.cfg.Security.ProviderName() + " is not available. Try again later, or use your password."
		return s.page(v, http.StatusServiceUnavailable, in)
	}
	if err != nil {
		return err
	}
	http.Redirect(v.Out, v.Request, address, http.StatusSeeOther)
	return nil
}

// providerReturn signs the person in who came back from the provider, or links the account there.
func (s *signin) providerReturn(v *frame.Visit) error {
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	got, err := s.cfg.Security.FinishProvider(v.Request.Context(), v.User, session, v.Request.URL.Query())
	if got.LinkTo {
		return s.linkReturn(v, got.Onward, err, func() error { return s.cfg.Security.Link(v.Request.Context(), v.User, got.Identity) })
	}
	var elapsed onward
	if got.Onward != "" {
		if err := json.Unmarshal([]byte(got.Onward), &elapsed); err != nil {
			return err
		}
	}
	in := page{Handle: elapsed.Handle, Next: elapsed.Next}
	if faults, ok := frame.Faults(err); ok {
		in.Error = faults["provider"]
		return s.page(v, http.StatusForbidden, in)
	}
	if apperr.Is(err, apperr.Unavailable) {
		in.Error = s.cfg.Security.ProviderName() + " is not available. Try again later, or use your password."
		return s.page(v, http.StatusServiceUnavailable, in)
	}
	if err != nil {
		return err
	}
	if got.User.ID.IsZero() {
		if joins, err := s.signsUp(v, session, elapsed.Next, got.Identity); joins || err != nil {
			return err
		}
		found, err := s.cfg.Security.AwaitLink(v.Request.Context(), session, got.Identity)
		if faults, ok := frame.Faults(err); ok {
			in.Error = faults["provider"]
			return s.page(v, http.StatusForbidden, in)
		}
		if err != nil {
			return err
		}
		in.Address, in.Linking = string(found.Email), string(found.Email)
		return s.page(v, http.StatusOK, in)
	}
	if !got.User.MaySignIn() {
		in.Error = "Your account is disabled."
		return s.page(v, http.StatusForbidden, in)
	}
	return s.proceed(v, in, got.User, user.Provider)
}

// signsUp continues with the invitation that the person came from, if the provider knows a person without a user. It
// reports whether it responded.
func (s *signin) signsUp(v *frame.Visit, session [32]byte, next string, i authn.Identity) (bool, error) {
	if !frame.IsNext(next) || !strings.HasPrefix(next, app.PathInvitations) {
		return false, nil
	}
	waits, err := s.cfg.Security.AwaitSignUp(v.Request.Context(), session, i)
	if faults, ok := frame.Faults(err); ok {
		return true, s.page(v, http.StatusForbidden, page{Next: next, Error: faults["provider"]})
	}
	if err != nil || !waits {
		return false, err
	}
	v.Redirect(next + "/provider")
	return true, nil
}

// linkReturn links the provider's account to the signed-in user.
func (s *signin) linkReturn(v *frame.Visit, back string, err error, link func() error) error {
	if !frame.IsNext(back) {
		back = "/"
	}
	if err == nil {
		err = link()
	}
	if faults, ok := frame.Faults(err); ok {
		v.Message(http.StatusForbidden, "Not linked", faults["provider"], frame.Link{Text: "Back", Path: back})
		return nil
	}
	if err != nil {
		return err
	}
	return v.Done(back, "From now on, "+s.cfg.Security.ProviderName()+" signs you in.")
}
