package settings

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
)

// mailParts reads the parts of the profile page about the email address.
func (s *settings) mailParts(v *frame.Visit, page *profilePage) (err error) {
	page.Pending, err = s.app.PendingAddress(v.Request.Context(), v.Principal)
	return err
}

// changeAddress begins a change of the visitor's email address.
func (s *settings) changeAddress(v *frame.Visit) error {
	page := profilePage{Name: v.User.Name, Address: v.Form("email")}
	if ok, err := s.checked(v, "proof", page); err != nil || !ok {
		return err
	}
	links, err := s.app.ChangeAddress(v.Request.Context(), v.Principal, page.Address)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.profilePage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	if s.app.SendsMails() {
		return v.Done(v.Path("/settings/profile"), "Check both inboxes and open both links within 24 hours.")
	}
	for _, secret := range []string{links.Leaving, links.Arriving} {
		page.Links = append(page.Links, s.appURL+"/confirm-address/"+secret)
	}
	return s.profilePage(v, http.StatusCreated, page)
}

func (s *settings) cancelAddress(v *frame.Visit) error {
	if err := s.app.EndAddressChange(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Your email stays the same.")
}

func (s *settings) setShortcuts(v *frame.Visit) error {
	if err := s.app.SetShortcuts(v.Request.Context(), v.Principal, v.Form("shortcuts") == ""); err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Saved.")
}
