package settings

import (
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/signin"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/ident"
)

// profilePage is the data of the visitor's own page.
type profilePage struct {
	Name     string
	Sessions []session
	Faults   map[string]string

	Address string             // the new one, as it was typed
	Pending user.AddressChange // zero: none
	Links   []string           // by which both addresses confirm, if no mails are sent
}

// session is a signed-in browser in plain words.
type session struct {
	user.Session

	Browser string
}

// How returns the proof of the sign-in in plain words.
func (s session) How() string {
	switch s.Method {
	case user.Password:
		return "the password"
	case user.Provider:
		return "the sign-in provider"
	case user.Code:
		return "a code"
	case user.RecoveryCode:
		return "a recovery code"
	case user.Passkey, user.PasskeyAsSecond:
		return "a passkey"
	default:
		return string(s.Method)
	}
}

func (s *settings) profile(v *frame.Visit) error {
	return s.profilePage(v, http.StatusOK, profilePage{Name: v.User.Name})
}

func (s *settings) profilePage(v *frame.Visit, status int, page profilePage) error {
	found, err := v.Sessions()
	if err != nil {
		return err
	}
	for _, one := range found {
		page.Sessions = append(page.Sessions, session{one, browser(one.Agent)})
	}
	if err := s.mailParts(v, &page); err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "settings/profile", Title: "My profile", Status: status, Tabs: Tabs("My profile"), Data: page,
	})
}

// browser names the browser and the system of a User-Agent header. Later names of the list are contained in headers of
// earlier ones.
func browser(agent string) string {
	name := "A browser"
	for _, known := range [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"Firefox/", "Firefox"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	} {
		if strings.Contains(agent, known[0]) {
			name = known[1]
			break
		}
	}
	for _, known := range [][2]string{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"Mac OS", "macOS"},
		{"Linux", "Linux"},
	} {
		if strings.Contains(agent, known[0]) {
			return name + " on " + known[1]
		}
	}
	return name
}

func (s *settings) rename(v *frame.Visit) error {
	page := profilePage{Name: v.Form("name")}
	err := s.app.Rename(v.Request.Context(), v.Principal, page.Name)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.profilePage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Saved.")
}

// checked compares the field with the visitor's present password. It responds unless it is right, and reports whether it
// is.
func (s *settings) checked(v *frame.Visit, field string, page profilePage) (bool, error) {
	_, response, err := s.passwords.Check(v.Request, string(v.User.Email), v.Fields().Get(field))
	if err != nil {
		return false, err
	}
	switch response {
	case signin.TooMany:
		page.Faults = map[string]string{field: "Too many attempts. Wait a minute, then try again."}
		return false, s.profilePage(v, http.StatusTooManyRequests, page)
	case signin.Wrong:
		page.Faults = map[string]string{field: "The password is incorrect."}
		return false, s.profilePage(v, http.StatusUnprocessableEntity, page)
	case signin.Right:
	}
	return true, nil
}

// changePassword signs the visitor out everywhere else.
func (s *settings) changePassword(v *frame.Visit) error {
	page := profilePage{Name: v.User.Name}
	if ok, err := s.checked(v, "current", page); err != nil || !ok {
		return err
	}
	err := s.app.ChangePassword(v.Request.Context(), v.Principal, v.Fields().Get("password"))
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.profilePage(v, http.StatusUnprocessableEntity, page)
	}
	if err == nil {
		err = v.Reenter()
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Password changed. You’re signed out everywhere else.")
}

func (s *settings) endSession(v *frame.Visit) error {
	id, err := frame.PathID(v, "session", ident.Parse[ident.Session])
	if err != nil {
		return err
	}
	if err := s.app.EndSession(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Session ended.")
}

func (s *settings) endOtherSessions(v *frame.Visit) error {
	current, err := v.SessionHash()
	if err == nil {
		err = s.app.EndOtherSessions(v.Request.Context(), v.Principal, current)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Your other sessions ended.")
}
