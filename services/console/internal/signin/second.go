package signin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	pathSecond  = frame.PathSignIn + "/second"
	pathPasskey = frame.PathSignIn + "/passkey"
	// fewCodes is the number of recovery codes from which on their use is a reason to make new ones.
	fewCodes = 3
)

// query returns the parameters that lead back to what was asked for.
func (p page) query() string {
	query := url.Values{}
	if frame.IsHandle(p.Handle) {
		query.Set("request", p.Handle)
	} else if frame.IsNext(p.Next) {
		query.Set("next", p.Next)
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// second returns the address of the page that asks for the second factor.
func (p page) second() string { return pathSecond + p.query() }

// secondPage is the data of the page that asks for the second factor.
type secondPage struct {
	page

	App      bool // a code of the authenticator app is possible
	HasCodes bool
}

func (s *signin) showSecond(v *frame.Visit) error {
	return s.secondPage(v, http.StatusOK, page{Handle: v.Query("request"), Next: v.Query("next")})
}

func (s *signin) secondPage(v *frame.Visit, status int, in page) error {
	u, err := v.Awaited()
	if apperr.Is(err, apperr.NotFound) {
		v.Redirect(frame.PathSignIn + in.query())
		return nil
	}
	if err != nil {
		return err
	}
	state, err := s.cfg.Security.State(v.Request.Context(), u)
	if err != nil {
		return err
	}
	in.Passkey = state.PasskeyOK && len(state.Passkeys) > 0
	return v.Page(frame.Page{
		Name: "signin/second", Title: "Second step", Status: status, Bare: true, Scripts: in.scripts(),
		Data: secondPage{page: in, App: !state.TOTP.ConfirmedAt.IsZero(), HasCodes: state.Codes > 0},
	})
}

// second signs the user in with a code.
func (s *signin) second(v *frame.Visit) error {
	in := typed(v)
	u, err := v.Awaited()
	if apperr.Is(err, apperr.NotFound) {
		v.Redirect(frame.PathSignIn + in.query())
		return nil
	}
	if err != nil {
		return err
	}
	by, remaining, err := s.cfg.Security.CheckSecondFactor(v.Request.Context(), u, v.Form("code"))
	if status, text := refusal(v, err, "code"); status != 0 {
		in.Error = text
		return s.secondPage(v, status, in)
	}
	if err != nil {
		return err
	}
	notice := ""
	if by == user.RecoveryCode {
		notice = leftover(remaining)
	}
	return s.enterWith(v, in, u, by, notice)
}

// leftover returns a text with the number of recovery codes that are left.
func leftover(remaining int) string {
	text := "You used a recovery code. " + strconv.Itoa(remaining) + " are left."
	if remaining == 1 {
		text = "You used a recovery code. 1 is left."
	}
	if remaining <= fewCodes {
		text += " Make new ones under My profile, Security."
	}
	return text
}

// refusal returns the status and the text for a proof that was not accepted; zero for any other result.
func refusal(v *frame.Visit, err error, field string) (int, string) {
	if apperr.Is(err, apperr.RateLimited) {
		v.Out.Header().Set("Retry-After", "60")
		return http.StatusTooManyRequests, "Too many attempts. Wait a minute, then try again."
	}
	if faults, ok := frame.Faults(err); ok {
		return http.StatusUnauthorized, faults[field]
	}
	return 0, ""
}

// mayBegin takes a beginning of a ceremony from the limit of the sender's network, and responds if none is left. Each
// beginning stores a row.
func (s *signin) mayBegin(v *frame.Visit) bool {
	from := v.Place()
	if s.allowed(v.Request, "sign-in-begun-from:"+from, beginningsPerPlace) {
		return true
	}
	v.Out.Header().Set("Retry-After", "60")
	v.Say(http.StatusTooManyRequests, "Too many attempts", "Wait a minute, then try again.")
	return false
}

// passkeyOptions begins a ceremony: of the signed-in user, of the user whose second factor is awaited, or of
// anyone.
func (s *signin) passkeyOptions(v *frame.Visit) error {
	if !s.mayBegin(v) {
		return nil
	}
	u := v.User
	if u.ID.IsZero() && v.Query("as") == "second" {
		var err error
		if u, err = v.Awaited(); err != nil && !apperr.Is(err, apperr.NotFound) {
			return err
		}
	}
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	options, err := s.cfg.Security.BeginProof(v.Request.Context(), u, session)
	if err != nil {
		return err
	}
	v.JSON(json.RawMessage(options))
	return nil
}

// passkey signs a user in with a passkey, or with a passkey as second factor.
func (s *signin) passkey(v *frame.Visit) error {
	in := typed(v)
	awaited, err := v.Awaited()
	waits := err == nil
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		return err
	}
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	u, by, err := s.cfg.Security.Prove(v.Request.Context(), session, []byte(v.Form("credential")))
	if err == nil && by == user.PasskeyAsSecond && (!waits || u.ID != awaited.ID) {
		err = apperr.Invalid([]apperr.Field{{Pointer: "/passkey", Message: "The passkey was not accepted. Try again."}})
	}
	if status, text := refusal(v, err, "passkey"); status != 0 {
		in.Error = text
		if waits {
			return s.secondPage(v, status, in)
		}
		return s.page(v, status, in)
	}
	if err != nil {
		return err
	}
	return s.proceed(v, in, u, by)
}
