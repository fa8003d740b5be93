package settings

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/mail"
)

// choice is a kind of mails in plain words.
type choice struct {
	app.MailChoice

	Text, Hint string
}

func choiceOf(c app.MailChoice) choice {
	switch c.Kind { //nolint:exhaustive // the others cannot be turned off
	case mail.PostsFailed:
		return choice{c, "Failed posts", "Posts that you wrote. If you manage the workspace, also those sent through the API."}
	case mail.PostsToApprove:
		return choice{c, "Posts to approve", "If you may approve posts."}
	case mail.PostsReturned:
		return choice{c, "Requested changes", "When an approver sends your post back."}
	case mail.ChannelsExpiring:
		return choice{c, "Channels to reconnect soon", "Once a day. If you may connect channels."}
	case mail.ChannelLost:
		return choice{c, "Posts that wait for a channel", "When a post is due and its channel has lost access. If you may connect channels."}
	default:
		return choice{c, frame.Words(c.Kind), ""}
	}
}

// mailParts reads the parts of the profile page about the email address and mails.
func (s *settings) mailParts(v *frame.Visit, page *profilePage) error {
	ctx := v.Request.Context()
	choices, err := s.app.MailChoices(ctx, v.Principal)
	if err != nil {
		return err
	}
	for _, c := range choices {
		page.Choices = append(page.Choices, choiceOf(c))
	}
	page.Mails = s.app.SendsMails()
	page.Pending, err = s.app.PendingAddress(ctx, v.Principal)
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

func (s *settings) chooseMails(v *frame.Visit) error {
	var on []mail.Kind
	for _, kind := range v.Fields()["mail"] {
		on = append(on, mail.Kind(kind))
	}
	if err := s.app.ChooseMails(v.Request.Context(), v.Principal, on); err != nil {
		return err
	}
	return v.Done(v.Path("/settings/profile"), "Saved.")
}
