package app

import (
	"context"
	"strings"
	"time"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// setupLife is the time for which the link of the first owner can be used.
const setupLife = 24 * time.Hour

// PathInvitations is the path before the secret of an invitation's link.
const PathInvitations = "/invitations/"

// Offer is an invitation as the invited person sees it.
type Offer struct {
	member.Invitation

	Workspace workspace.Workspace
	// Registered reports whether the address belongs to a user, who must sign in to accept.
	Registered bool
}

// Offer returns an open invitation by the secret of its link; NOT_FOUND for any other secret.
func (a *identityUseCases) Offer(ctx context.Context, secret string) (Offer, error) {
	hash, err := credential.Invitation.Hash(secret)
	if err != nil {
		return Offer{}, noInvitation()
	}
	found, err := a.invitations.ByHash(ctx, hash)
	if err != nil {
		return Offer{}, err
	}
	if !found.Open(a.now()) {
		return Offer{}, noInvitation()
	}
	offer := Offer{Invitation: found}
	if offer.Workspace, err = a.workspaces.Get(ctx, found.WorkspaceID); err != nil {
		return Offer{}, err
	}
	inviter, err := a.users.Role(ctx, found.InvitedBy, found.WorkspaceID)
	if err != nil {
		return Offer{}, err
	}
	if !inviter.Allows(found.Role.Assigns()) { // disabled since, or an invitation from before roles revoked them
		return Offer{}, noInvitation()
	}
	_, err = a.users.ByEmail(ctx, found.Email)
	if offer.Registered = err == nil; apperr.Is(err, apperr.NotFound) {
		err = nil
	}
	return offer, err
}

func noInvitation() error {
	return apperr.New(apperr.NotFound, "There is no such invitation. It may have been used, revoked or replaced, or it has ended.")
}

// AcceptInvitation makes the signed-in user a member. The error is NOT_FOUND for an invitation that is not open, and
// INVALID_STATE for one to another address.
func (a *identityUseCases) AcceptInvitation(ctx context.Context, u user.User, secret string) (ident.Workspace, error) {
	offer, err := a.Offer(ctx, secret)
	if err != nil {
		return ident.Workspace{}, err
	}
	if !offer.For(u.Email) {
		return ident.Workspace{}, apperr.New(apperr.InvalidState,
			"The invitation is for another address than %s. Sign out, then open the link again.", u.Email)
	}
	return offer.WorkspaceID, a.db.WithinTx(ctx, func(ctx context.Context) error { return a.join(ctx, offer, u) })
}

// join uses the invitation up. Of concurrent callers, one succeeds.
func (a *identityUseCases) join(ctx context.Context, offer Offer, u user.User) error {
	accepted, err := a.invitations.Accept(ctx, offer.ID, a.now())
	if err != nil {
		return err
	}
	if !accepted {
		return noInvitation()
	}
	if err := a.users.Join(ctx, u.ID, offer.WorkspaceID, offer.Role, a.now()); err != nil {
		return err
	}
	if err := a.users.Limit(ctx, u.ID, offer.WorkspaceID, offer.Channels); err != nil {
		return err
	}
	p := Principal{WorkspaceID: offer.WorkspaceID, Person: personOf(u)}
	return a.record(ctx, p, audit.MemberJoined, u.String(), string(offer.Role))
}

// Faults of forms, as whole sentences. A fault never repeats what was typed.
const (
	nameFault     = "Enter a name of up to 200 characters, on one line."
	passwordFault = "Use 12 characters or more, up to 200."
)

// NewPerson holds the input of a person who signs up.
type NewPerson struct {
	Email, Name, Password string
}

// faults returns every fault, without hashing the password, which is expensive.
func (in NewPerson) faults(now time.Time) []apperr.Field {
	var faults []apperr.Field
	if password.Check(in.Password) != nil {
		faults = append(faults, apperr.Field{Pointer: "/password", Message: passwordFault})
	}
	if _, err := user.New(in.Email, "x", "x", now); err != nil {
		faults = append(faults, apperr.Field{Pointer: "/email", Message: email.Fault})
	}
	if _, err := user.New("a@example.com", in.Name, "x", now); err != nil {
		faults = append(faults, apperr.Field{Pointer: "/name", Message: nameFault})
	}
	return faults
}

// user returns a user, or VALIDATION_FAILED with every fault.
func (in NewPerson) user(ctx context.Context, now time.Time) (user.User, error) {
	if err := apperr.Invalid(in.faults(now)); err != nil {
		return user.User{}, err
	}
	hash, err := password.Hash(ctx, in.Password)
	if err != nil {
		return user.User{}, err
	}
	return user.New(in.Email, in.Name, hash, now)
}

// SignUp creates a user for the address of an invitation, and makes the user a member. Errors: NOT_FOUND for an
// invitation that is not open, INVALID_STATE if the address has a user, VALIDATION_FAILED with every fault.
func (a *identityUseCases) SignUp(ctx context.Context, secret string, in NewPerson) (user.User, ident.Workspace, error) {
	offer, err := a.Offer(ctx, secret)
	if err != nil {
		return user.User{}, ident.Workspace{}, err
	}
	if offer.Registered { // before the password is hashed
		return user.User{}, ident.Workspace{}, hasUser()
	}
	in.Email = string(offer.Email)
	created, err := in.user(ctx, a.now())
	if err != nil {
		return user.User{}, ident.Workspace{}, err
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error { return a.admit(ctx, offer, created) })
	return created, offer.WorkspaceID, err
}

// admit stores a new user and makes the user a member.
func (a *identityUseCases) admit(ctx context.Context, offer Offer, created user.User) error {
	inserted, err := a.users.Insert(ctx, created)
	if err != nil {
		return err
	}
	if !inserted {
		return hasUser()
	}
	return a.join(ctx, offer, created)
}

func hasUser() error {
	return apperr.New(apperr.InvalidState, "There is a user with this address. Sign in to accept the invitation.")
}

// SignUpThrough is SignUp for a person whom the sign-in provider has identified. The user has no password, and signs in
// through the provider. Errors: those of SignUp, and INVALID_STATE if the provider has verified another address than that of
// the invitation, or its account belongs to a user.
func (a *identityUseCases) SignUpThrough(ctx context.Context, secret, name string, i authn.Identity) (user.User, ident.Workspace, error) {
	offer, err := a.Offer(ctx, secret)
	if err != nil {
		return user.User{}, ident.Workspace{}, err
	}
	created, err := user.New(string(offer.Email), name, "", a.now())
	if err != nil {
		return user.User{}, ident.Workspace{}, apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: nameFault}})
	}
	if !created.MayLink(i.Email, i.Verified) {
		return user.User{}, ident.Workspace{}, apperr.New(apperr.InvalidState,
			"The invitation is for %s, but the sign-in provider knows you as %s.", offer.Email, i.Email)
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := a.admit(ctx, offer, created); err != nil {
			return err
		}
		linked, err := a.users.Link(ctx, user.Identity{
			Issuer: i.Issuer, Subject: i.Subject, UserID: created.ID, Email: i.Email, CreatedAt: a.now(),
		})
		if err == nil && !linked {
			err = apperr.New(apperr.InvalidState, "The account at the provider belongs to another user.")
		}
		if err != nil {
			return err
		}
		p := Principal{WorkspaceID: offer.WorkspaceID, Person: personOf(created)}
		return a.record(ctx, p, audit.IdentityLinked, created.String(), i.Issuer)
	})
	return created, offer.WorkspaceID, err
}

// StartSetup returns the secret of a new link by which the first owner signs up; empty if there are users. An earlier
// link ends.
func (a *identityUseCases) StartSetup(ctx context.Context) (string, error) {
	secret := credential.Setup.New()
	hash, err := credential.Setup.Hash(secret)
	if err != nil {
		return "", err
	}
	now := a.now()
	started, err := a.invitations.StartSetup(ctx, hash, now, now.Add(setupLife))
	if err != nil || !started {
		return "", err
	}
	return secret, nil
}

// SetupOpen returns NOT_FOUND unless the secret is that of the link of the first owner.
func (a *identityUseCases) SetupOpen(ctx context.Context, secret string) error {
	hash, err := credential.Setup.Hash(secret)
	if err != nil {
		return noSetup()
	}
	open, err := a.invitations.SetupOpen(ctx, hash, a.now())
	if err == nil && !open {
		err = noSetup()
	}
	return err
}

func noSetup() error {
	return apperr.New(apperr.NotFound, "The set-up link was used, was replaced by a newer one, or has ended.")
}

// Setup is the input of the first owner.
type Setup struct {
	NewPerson

	Workspace, Timezone string
}

// SetUp creates the first user, the owner of a first workspace and operator of the installation, and uses the link up. Errors: NOT_FOUND for a link that
// cannot be used, VALIDATION_FAILED with every fault.
func (a *identityUseCases) SetUp(ctx context.Context, secret string, in Setup) (user.User, error) {
	if err := a.SetupOpen(ctx, secret); err != nil {
		return user.User{}, err
	}
	faults := in.faults(a.now())
	name, fault := plaintext.Line(strings.TrimSpace(in.Workspace), maxWorkspaceName)
	if fault != "" || name == "" {
		faults = append(faults, apperr.Field{Pointer: "/workspace", Message: nameFault})
	}
	faults = append(faults, timezoneFaults(in.Timezone)...)
	if err := apperr.Invalid(faults); err != nil {
		return user.User{}, err
	}
	owner, err := in.user(ctx, a.now())
	if err != nil {
		return user.User{}, err
	}
	hash, err := credential.Setup.Hash(secret)
	if err != nil {
		return user.User{}, noSetup()
	}
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: name, Plan: workspace.Free, Timezone: in.Timezone, CreatedAt: a.now(),
	}
	return owner, a.db.WithinTx(ctx, func(ctx context.Context) error { return a.createWorkspace(ctx, hash, owner, w) })
}

// createWorkspace stores the first user and workspace, and uses the link up. Of concurrent callers, one succeeds.
func (a *identityUseCases) createWorkspace(ctx context.Context, hash [32]byte, owner user.User, w workspace.Workspace) error {
	taken, err := a.invitations.TakeSetup(ctx, hash, a.now())
	if err != nil {
		return err
	}
	if !taken {
		return noSetup()
	}
	inserted, err := a.users.Insert(ctx, owner)
	if err != nil {
		return err
	}
	if !inserted { // an operator has added the user meanwhile
		return noSetup()
	}
	if err := a.workspaces.Insert(ctx, w); err != nil {
		return err
	}
	if err := a.users.Join(ctx, owner.ID, w.ID, member.Owner, a.now()); err != nil {
		return err
	}
	if _, err := a.operators.Add(ctx, owner.ID); err != nil {
		return err
	}
	p := Principal{WorkspaceID: w.ID, Person: personOf(owner)}
	return a.record(ctx, p, audit.WorkspaceCreated, w.Name, "")
}
