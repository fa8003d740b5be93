package settings

import (
	"errors"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// role is a role in plain words.
type role struct {
	Value member.Role
	Name  string
	Text  string
	Can   bool // the visitor may give it
}

func meaning(r member.Role) string {
	switch r {
	case member.Owner:
		return "Can do everything, including managing owners."
	case member.Admin:
		return "Everything except owners and deleting the workspace."
	case member.Editor:
		return "Writes, schedules, publishes and approves posts. Manages media and link pages."
	case member.Contributor:
		return "Writes drafts and asks for approval. Can’t publish."
	case member.Viewer:
		return "Sees posts, figures and ideas. Changes nothing."
	}
	return ""
}

func rolesFor(v *frame.Visit) []role {
	list := make([]role, 0, len(member.Roles()))
	for _, r := range member.Roles() {
		list = append(list, role{Value: r, Name: frame.Words(r), Text: meaning(r), Can: v.Principal.Allows(r.Assigns())})
	}
	return list
}

// memberItem is a member in the list.
type memberItem struct {
	member.Member

	Me         bool
	Changeable bool
}

// membersPage is the data of the members' page.
type membersPage struct {
	Members     []memberItem
	Invitations []member.Invitation
	Roles       []role
	Email       string
	Role        member.Role
	Faults      map[string]string
	Invited     string                // by this request
	Link        string                // of that invitation; empty if it is mailed
	Refused     map[ident.User]string // why a change of a member was not made
	Channels    []channelChoice       // to which the invited person is limited
}

func (s *settings) members(v *frame.Visit) error {
	return s.membersPage(v, http.StatusOK, membersPage{Role: member.Editor})
}

func (s *settings) membersPage(v *frame.Visit, status int, page membersPage) error {
	ctx := v.Request.Context()
	found, err := s.app.Members(ctx, v.Principal)
	if err != nil {
		return err
	}
	manages := v.Principal.Allows(member.Viewer.Assigns())
	for _, m := range found {
		page.Members = append(page.Members, memberItem{
			Member: m, Me: m.UserID == v.User.ID, Changeable: manages && v.Principal.Allows(m.Role.Assigns()),
		})
	}
	if manages {
		if page.Invitations, err = s.app.Invitations(ctx, v.Principal); err != nil {
			return err
		}
	}
	page.Roles = rolesFor(v)
	if page.Channels == nil {
		if page.Channels, err = s.channelChoices(v, nil); err != nil {
			return err
		}
	}
	return v.Page(frame.Page{
		Name: "settings/members", Title: "Members", Status: status, Tabs: Tabs("Members"), Data: page,
	})
}

func (s *settings) changeRole(v *frame.Visit) error {
	id, err := frame.PathID(v, "user", ident.Parse[ident.User])
	if err != nil {
		return err
	}
	if err := s.app.ChangeRole(v.Request.Context(), v.Principal, id, member.Role(v.Form("role"))); err != nil {
		return s.refusedMember(v, id, err)
	}
	return v.Done(v.Path("/settings/members"), "Role changed.")
}

func (s *settings) removeMember(v *frame.Visit) error {
	id, err := frame.PathID(v, "user", ident.Parse[ident.User])
	if err != nil {
		return err
	}
	if err := s.app.RemoveMember(v.Request.Context(), v.Principal, id); err != nil {
		return s.refusedMember(v, id, err)
	}
	if id == v.User.ID {
		return v.Done("/", "You left the workspace.")
	}
	return v.Done(v.Path("/settings/members"), "Member removed.")
}

// refusedMember shows beside the member why a change was not made. Other errors stay as they are.
func (s *settings) refusedMember(v *frame.Visit, id ident.User, err error) error {
	known, ok := errors.AsType[*apperr.Error](err)
	if !ok || known.Code != apperr.InvalidState {
		return err
	}
	return s.membersPage(v, http.StatusConflict, membersPage{
		Role: member.Editor, Refused: map[ident.User]string{id: known.Message},
	})
}

// invite creates an invitation and shows its link once, in the response to the form.
func (s *settings) invite(v *frame.Visit) error {
	page := membersPage{Email: v.Form("email"), Role: member.Role(v.Form("role"))}
	limits, err := chosenChannels(v)
	if err != nil {
		return err
	}
	if len(limits) == 0 {
		limits = nil
	}
	if page.Channels, err = s.channelChoices(v, limits); err != nil {
		return err
	}
	created, secret, err := s.app.Invite(v.Request.Context(), v.Principal, page.Email, page.Role, limits)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.membersPage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	shown := membersPage{Role: member.Editor, Invited: string(created.Email)}
	if !s.app.SendsMails() { // anyone with the link can join: where mail works, only the address gets it
		shown.Link = s.appURL + app.PathInvitations + secret
	}
	return s.membersPage(v, http.StatusCreated, shown)
}

func (s *settings) revokeInvitation(v *frame.Visit) error {
	id, err := frame.PathID(v, "invitation", ident.Parse[ident.Invitation])
	if err != nil {
		return err
	}
	if err := s.app.RevokeInvitation(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path("/settings/members"), "Invitation revoked.")
}
