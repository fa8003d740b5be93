package settings

import (
	"net/http"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// channelChoice is a channel of a form.
type channelChoice struct {
	channel.Channel

	Chosen bool
}

// memberPage is the data of the page on which a member is limited to channels.
type memberPage struct {
	member.Member

	Choices []channelChoice
	Some    bool // limited
	Fault   string
}

func (s *settings) channelChoices(v *frame.Visit, chosen []ident.Channel) ([]channelChoice, error) {
	found, err := s.app.Channels(v.Request.Context(), v.Principal)
	choices := make([]channelChoice, len(found))
	for i, c := range found {
		choices[i] = channelChoice{c, slices.Contains(chosen, c.ID)}
	}
	return choices, err
}

// chosenChannels returns the channels of the form, not nil.
func chosenChannels(v *frame.Visit) ([]ident.Channel, error) {
	chosen := []ident.Channel{}
	for _, text := range v.Request.Form["channel"] {
		id, err := ident.Parse[ident.Channel](text)
		if err != nil {
			return nil, apperr.New(apperr.NotFound, "There is no such channel.")
		}
		chosen = append(chosen, id)
	}
	return chosen, nil
}

func (s *settings) memberChannels(v *frame.Visit) error {
	return s.memberPage(v, http.StatusOK, nil, "")
}

func (s *settings) memberPage(v *frame.Visit, status int, chosen []ident.Channel, fault string) error {
	id, err := frame.PathID(v, "user", ident.Parse[ident.User])
	if err != nil {
		return err
	}
	members, err := s.app.Members(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(members, func(m member.Member) bool { return m.UserID == id })
	if at < 0 {
		return apperr.New(apperr.NotFound, "There is no such member.")
	}
	page := memberPage{Member: members[at], Some: members[at].Channels != nil || fault != "", Fault: fault}
	if fault == "" {
		chosen = page.Channels
	}
	if page.Choices, err = s.channelChoices(v, chosen); err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "settings/member", Title: page.Name, Status: status, Tabs: Tabs("Members"), Data: page})
}

func (s *settings) limitMember(v *frame.Visit) error {
	id, err := frame.PathID(v, "user", ident.Parse[ident.User])
	if err != nil {
		return err
	}
	chosen, err := chosenChannels(v)
	if err != nil {
		return err
	}
	switch v.Form("limit") {
	case "every":
		chosen = nil
	case "some":
		if len(chosen) == 0 {
			return s.memberPage(v, http.StatusUnprocessableEntity, chosen, "Choose at least one channel.")
		}
	default:
		return s.memberPage(v, http.StatusUnprocessableEntity, chosen, "Choose every channel, or some.")
	}
	err = s.app.LimitMember(v.Request.Context(), v.Principal, id, chosen)
	if faults, ok := frame.Faults(err); ok {
		return s.memberPage(v, http.StatusUnprocessableEntity, chosen, faults["channels"])
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/settings/members"), "Channels saved.")
}
