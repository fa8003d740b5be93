package settings

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/signin"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const pathSecurity = "/settings/security"

// securityRoutes returns the pages on which people change how they sign in. Changes need a recent proof of presence.
func (s *settings) securityRoutes() []frame.Route {
	fresh := func(method, path string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{
			Pattern: method + " /w/{workspace}" + pathSecurity + path, Access: frame.Members, Fresh: true, From: pathSecurity,
			Handle: handle,
		}
	}
	return []frame.Route{
		{Pattern: "GET /w/{workspace}" + pathSecurity, Access: frame.Members, Handle: s.securityOverview},
		fresh("POST", "/app/start", s.startApp),
		fresh("GET", "/app", s.showApp),
		fresh("POST", "/app", s.confirmApp),
		{Pattern: "POST /w/{workspace}" + pathSecurity + "/app/remove", Access: frame.Members, Handle: s.removeApp},
		fresh("POST", "/codes", s.replaceCodes),
		fresh("GET", "/passkeys/new", s.newPasskey),
		fresh("POST", "/passkeys/options", s.passkeyOptions),
		fresh("POST", "/passkeys", s.addPasskey),
		fresh("POST", "/passkeys/{passkey}/remove", s.removePasskey),
		fresh("POST", "/provider", s.linkProvider),
		fresh("POST", "/provider/remove", s.unlinkProvider),
	}
}

// securityPage is the data of the overview.
type securityPage struct {
	app.SecurityState

	Faults map[string]string
}

func (s *settings) securityOverview(v *frame.Visit) error {
	return s.securityPage(v, http.StatusOK, nil)
}

func (s *settings) securityPage(v *frame.Visit, status int, faults map[string]string) error {
	state, err := s.security.State(v.Request.Context(), v.User)
	if err != nil {
		return err
	}
	if state.Provider != "" {
		v.AllowForms("'self' " + s.security.ProviderSources())
	}
	return v.Page(frame.Page{
		Name: "settings/security", Title: "Security", Status: status, Tabs: Tabs("Security"), Data: securityPage{state, faults},
	})
}

// appPage is the data of the page that sets an authenticator app up.
type appPage struct {
	Secret string // in groups, as people type it
	QR     template.URL
	Fault  string
}

func (s *settings) startApp(v *frame.Visit) error {
	if err := s.security.StartApp(v.Request.Context(), v.User); err != nil {
		return err
	}
	v.Redirect(v.Path(pathSecurity + "/app"))
	return nil
}

func (s *settings) showApp(v *frame.Visit) error { return s.appPage(v, http.StatusOK, "") }

func (s *settings) appPage(v *frame.Visit, status int, fault string) error {
	setup, err := s.security.StartedApp(v.Request.Context(), v.User)
	if apperr.Is(err, apperr.NotFound) {
		v.Redirect(v.Path(pathSecurity))
		return nil
	}
	if err != nil {
		return err
	}
	var groups []string
	const group = 4
	for rest := setup.Secret; rest != ""; rest = rest[min(group, len(rest)):] {
		groups = append(groups, rest[:min(group, len(rest))])
	}
	return v.Page(frame.Page{
		Name: "settings/app", Title: "Set up an authenticator app", Status: status, Tabs: Tabs("Security"), Data: appPage{
			Secret: strings.Join(groups, " "), Fault: fault,
			QR: template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(setup.QR)), //nolint:gosec // G203: an own picture
		},
	})
}

func (s *settings) confirmApp(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err != nil {
		return err
	}
	codes, err := s.security.ConfirmApp(v.Request.Context(), v.User, current, v.Form("code"))
	if apperr.Is(err, apperr.RateLimited) {
		return s.appPage(v, http.StatusTooManyRequests, "Too many attempts. Wait a minute, then try again.")
	}
	if faults, ok := frame.Faults(err); ok {
		return s.appPage(v, http.StatusUnprocessableEntity, faults["code"])
	}
	if apperr.Is(err, apperr.NotFound) {
		v.Redirect(v.Path(pathSecurity))
		return nil
	}
	return s.done(v, err, codes, "Authenticator app on. Your other sessions ended.")
}

// removeApp needs the password, also after a recent proof.
func (s *settings) removeApp(v *frame.Visit) error {
	_, response, err := s.passwords.Check(v.Request, string(v.User.Email), v.Fields().Get("password"))
	if err != nil {
		return err
	}
	switch response {
	case signin.TooMany:
		return s.securityPage(v, http.StatusTooManyRequests,
			map[string]string{"password": "Too many attempts. Wait a minute, then try again."})
	case signin.Wrong:
		return s.securityPage(v, http.StatusUnprocessableEntity, map[string]string{"password": "The password is incorrect."})
	case signin.Right:
	}
	current, err := v.SessionHash()
	if err == nil {
		err = s.security.RemoveApp(v.Request.Context(), v.User, current)
	}
	return s.done(v, err, nil, "Authenticator app off. Your other sessions ended.")
}

func (s *settings) replaceCodes(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err != nil {
		return err
	}
	codes, err := s.security.ReplaceCodes(v.Request.Context(), v.User, current)
	return s.done(v, err, codes, "")
}

// codesPage is the data of the page that shows recovery codes once.
type codesPage struct {
	Codes []string
	File  template.URL
	Done  string
}

// done gives the session a new cookie after a change. It shows new recovery codes, or confirms the change.
func (s *settings) done(v *frame.Visit, err error, codes []string, notice string) error {
	if err == nil {
		err = v.Renew()
	}
	if err != nil {
		return err
	}
	if len(codes) == 0 {
		return v.Done(v.Path(pathSecurity), notice)
	}
	text := "Recovery codes of " + string(v.User.Email) + " for Fencepost. Each works once.\n\n" + strings.Join(codes, "\n") + "\n"
	return v.Page(frame.Page{
		Name: "settings/codes", Title: "Recovery codes", Tabs: Tabs("Security"), Data: codesPage{
			Codes: codes, Done: notice,
			File: template.URL("data:text/plain;charset=utf-8," + url.PathEscape(text)), //nolint:gosec // G203: escaped
		},
	})
}

// newPasskeyPage is the data of the page that creates a passkey.
type newPasskeyPage struct {
	Name   string
	Faults map[string]string
}

func (s *settings) newPasskey(v *frame.Visit) error {
	return s.newPasskeyPage(v, http.StatusOK, newPasskeyPage{Name: browser(v.Request.UserAgent())})
}

func (s *settings) newPasskeyPage(v *frame.Visit, status int, page newPasskeyPage) error {
	return v.Page(frame.Page{
		Name: "settings/passkey", Title: "New passkey", Status: status, Tabs: Tabs("Security"),
		Scripts: []string{"passkeys.js"}, Data: page,
	})
}

func (s *settings) passkeyOptions(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err != nil {
		return err
	}
	options, err := s.security.BeginPasskey(v.Request.Context(), v.User, current)
	if err != nil {
		return err
	}
	v.JSON(json.RawMessage(options))
	return nil
}

func (s *settings) addPasskey(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err != nil {
		return err
	}
	name := v.Form("name")
	codes, err := s.security.AddPasskey(v.Request.Context(), v.User, current, name, []byte(v.Form("credential")))
	if faults, ok := frame.Faults(err); ok {
		return s.newPasskeyPage(v, http.StatusUnprocessableEntity, newPasskeyPage{Name: name, Faults: faults})
	}
	return s.done(v, err, codes, name+" is ready. Your other sessions ended.")
}

func (s *settings) removePasskey(v *frame.Visit) error {
	id, err := frame.PathID(v, "passkey", ident.Parse[ident.Passkey])
	if err != nil {
		return err
	}
	current, err := v.SessionHash()
	if err == nil {
		err = s.security.RemovePasskey(v.Request.Context(), v.User, current, id)
	}
	return s.done(v, err, nil, "Passkey removed. Delete it on your device too.")
}

// linkProvider sends the browser to the sign-in provider, whose account then signs the person in.
func (s *settings) linkProvider(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err != nil {
		return err
	}
	address, err := s.security.BeginProvider(v.Request.Context(), v.User, current, v.Path(pathSecurity))
	if err != nil {
		return err
	}
	http.Redirect(v.Out, v.Request, address, http.StatusSeeOther)
	return nil
}

func (s *settings) unlinkProvider(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err == nil {
		err = s.security.Unlink(v.Request.Context(), v.User, current)
	}
	return s.done(v, err, nil, "Provider disconnected. Your other sessions ended.")
}
