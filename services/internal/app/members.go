package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Members returns the members of the workspace, ordered by email address.
func (a *identityUseCases) Members(ctx context.Context, p Principal) ([]member.Member, error) {
	return a.users.Members(ctx, p.WorkspaceID)
}

// changeMember lets decide turn the member into another, or remove it by returning a member without a role, and stores
// the result in one transaction with an entry of the audit log. Errors: NOT_FOUND, INSUFFICIENT_SCOPE, and
// INVALID_STATE for the last owner.
func (a *identityUseCases) changeMember(
	ctx context.Context, p Principal, id ident.User, decide func(m member.Member) (member.Role, audit.Action, error),
) error {
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		members, err := a.users.LockMembers(ctx, p.WorkspaceID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(members, func(m member.Member) bool { return m.UserID == id })
		if at < 0 {
			return apperr.New(apperr.NotFound, "There is no such member.")
		}
		before := members[at]
		role, action, err := decide(before)
		if err != nil || role == before.Role {
			return err
		}
		members[at].Role = role
		if err := member.CheckOwners(members); err != nil {
			return err
		}
		detail := string(before.Role)
		if role == "" {
			_, err = a.users.Leave(ctx, id, p.WorkspaceID, a.now())
		} else {
			detail += " to " + string(role)
			err = a.users.SetRole(ctx, id, p.WorkspaceID, role, a.now())
			if err == nil && !role.Limitable() {
				err = a.users.Limit(ctx, id, p.WorkspaceID, nil)
			}
		}
		if err != nil {
			return err
		}
		return a.record(ctx, p, action, before.String(), detail)
	})
}

// ChangeRole gives a member another role, and revokes the invitations and API keys that the member made and could not
// make in it. Only people may do so; owners are made and demoted by owners.
func (a *identityUseCases) ChangeRole(ctx context.Context, p Principal, id ident.User, role member.Role) error {
	if err := p.Require(credential.MembersManage); err != nil {
		return err
	}
	return a.changeMember(ctx, p, id, func(m member.Member) (member.Role, audit.Action, error) {
		if !role.Known() {
			return "", "", apperr.Invalid([]apperr.Field{{Pointer: "/role", Message: "Choose a role."}})
		}
		if err := p.Require(m.Role.Assigns()); err != nil {
			return "", "", err
		}
		return role, audit.MemberRoleChanged, p.Require(role.Assigns())
	})
}

// LimitMember limits a member to channels of the workspace; nil: to none. Posts of other channels do not exist for the member,
// nor for programs that act for them. Only people may do so. Errors: NOT_FOUND, VALIDATION_FAILED for an unknown channel or a
// role that manages members.
func (a *identityUseCases) LimitMember(ctx context.Context, p Principal, id ident.User, channels []ident.Channel) error {
	if err := p.Require(credential.MembersManage); err != nil {
		return err
	}
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		members, err := a.users.LockMembers(ctx, p.WorkspaceID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(members, func(m member.Member) bool { return m.UserID == id })
		if at < 0 {
			return apperr.New(apperr.NotFound, "There is no such member.")
		}
		names, err := a.limits(ctx, p, members[at].Role, channels)
		if err != nil {
			return err
		}
		if err := a.users.Limit(ctx, id, p.WorkspaceID, channels); err != nil {
			return err
		}
		return a.record(ctx, p, audit.MemberLimited, members[at].String(), names)
	})
}

// limits returns the names of the channels to which a member with the role is to be limited; empty for no limit.
func (a *identityUseCases) limits(ctx context.Context, p Principal, role member.Role, channels []ident.Channel) (string, error) {
	if channels == nil {
		return "every channel", nil
	}
	if !role.Limitable() {
		return "", apperr.Invalid([]apperr.Field{{Pointer: "/channels", Message: "Owners and admins have every channel. Choose another role first."}})
	}
	if err := a.haveChannels(ctx, p, channels); err != nil {
		return "", err
	}
	found, err := a.channels.GetMany(ctx, p.WorkspaceID, channels)
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.Name
	}
	return strings.Join(names, ", "), err
}

// RemoveMember ends a membership, and revokes the grants, API keys and invitations that the member made in the
// workspace. Every member may leave; owners are removed by owners.
func (a *identityUseCases) RemoveMember(ctx context.Context, p Principal, id ident.User) error {
	return a.changeMember(ctx, p, id, func(m member.Member) (member.Role, audit.Action, error) {
		if m.UserID == p.Person.ID {
			return "", audit.MemberLeft, nil
		}
		if err := p.Require(credential.MembersManage); err != nil {
			return "", "", err
		}
		return "", audit.MemberRemoved, p.Require(m.Role.Assigns())
	})
}

// Invitations returns the open invitations of the workspace, newest first.
func (a *identityUseCases) Invitations(ctx context.Context, p Principal) ([]member.Invitation, error) {
	if err := p.Require(credential.MembersManage); err != nil {
		return nil, err
	}
	return a.invitations.Open(ctx, p.WorkspaceID, a.now())
}

// Invite invites a person by email address, limited to channels unless these are nil, mails the link, and returns the invitation with the secret of the link, which
// is never shown again. An earlier invitation to the same address ends. Errors: VALIDATION_FAILED with every fault, INSUFFICIENT_SCOPE
// for a role that the client may not give.
func (a *identityUseCases) Invite(
	ctx context.Context, p Principal, email string, role member.Role, channels []ident.Channel,
) (member.Invitation, string, error) {
	if err := p.Require(credential.MembersManage); err != nil {
		return member.Invitation{}, "", err
	}
	created, err := member.Invite(p.WorkspaceID, email, role, p.Person.ID, a.now())
	if err != nil {
		return member.Invitation{}, "", err
	}
	if err := p.Require(role.Assigns()); err != nil {
		return member.Invitation{}, "", err
	}
	if _, err := a.limits(ctx, p, role, channels); err != nil {
		return member.Invitation{}, "", err
	}
	created.Channels = channels
	secret := credential.Invitation.New()
	hash, err := credential.Invitation.Hash(secret)
	if err != nil {
		return member.Invitation{}, "", err
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		members, err := a.users.LockMembers(ctx, p.WorkspaceID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(members, func(m member.Member) bool { return created.For(m.Email) }) {
			return apperr.Invalid([]apperr.Field{{Pointer: "/email", Message: "This person is a member already."}})
		}
		if err := a.mayInvite(ctx, p.WorkspaceID); err != nil {
			return err
		}
		if err := a.invitations.Insert(ctx, hash, created); err != nil {
			return err
		}
		if err := a.mailInvitation(ctx, p, created, secret); err != nil {
			return err
		}
		return a.record(ctx, p, audit.MemberInvited, string(created.Email), string(role))
	})
	if err == nil {
		a.mailsStored()
	}
	return created, secret, err
}

// mayInvite returns VALIDATION_FAILED if the workspace has made as many invitations as it may for now. The caller has
// locked the members, so that concurrent invitations are counted.
func (a *identityUseCases) mayInvite(ctx context.Context, workspace ident.Workspace) error {
	created, err := a.invitations.CountSince(ctx, workspace, a.now().Add(-member.InvitationWindow))
	if err != nil || created < member.MaxInvitations {
		return err
	}
	return apperr.Invalid([]apperr.Field{{Pointer: "/email", Message: fmt.Sprintf(
		"This workspace has sent %d invitations within 24 hours. Try again tomorrow.", created)}})
}

func (a *identityUseCases) mailInvitation(ctx context.Context, p Principal, created member.Invitation, secret string) error {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	return a.send(ctx, mail.Invitation, p.WorkspaceID, mail.Content{
		To: created.Email, Secret: secret, Workspace: w.Name, Actor: p.Person.Name, Role: string(created.Role),
	}, created.ExpiresAt)
}

// RevokeInvitation ends an open invitation; NOT_FOUND when the workspace has no such one.
func (a *identityUseCases) RevokeInvitation(ctx context.Context, p Principal, id ident.Invitation) error {
	if err := p.Require(credential.MembersManage); err != nil {
		return err
	}
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		ended, err := a.invitations.Revoke(ctx, p.WorkspaceID, id, a.now())
		if err != nil {
			return err
		}
		return a.record(ctx, p, audit.InvitationRevoked, string(ended.Email), "")
	})
}
