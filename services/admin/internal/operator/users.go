package operator

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// generated is the length of a generated password: 119 bits.
const generated = 20

// NewUser holds the input for a user.
type NewUser struct {
	Workspace string
	Email     string
	Name      string
	Password  string // empty to generate one
	Role      string // in the workspace; empty: OWNER
}

// AddUser lets a person sign in and work in a workspace. An existing user becomes a member of the workspace and keeps
// name and password. It returns a generated password, which cannot be read again later.
func (o *Operator) AddUser(ctx context.Context, in NewUser) (u user.User, created string, err error) {
	var f faults
	workspaceID := f.workspace(in.Workspace)
	role := member.Role(cmp.Or(strings.ToUpper(in.Role), string(member.Owner)))
	if !role.Known() {
		f.add(MemberRole, "must be owner, admin, editor, contributor or viewer")
	}
	if err := f.err(); err != nil {
		return user.User{}, "", err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return user.User{}, "", err
	}
	err = o.Together(ctx, func(ctx context.Context) error {
		if u, err = o.user(ctx, in.Email); apperr.Is(err, apperr.NotFound) {
			u, created, err = o.newUser(ctx, in)
		} else if err == nil && in.Password != "" {
			err = apperr.New(apperr.ValidationFailed, "%s is already a user; change the password with: admin user password %s",
				u.Email, u.Email)
		}
		if err != nil {
			return err
		}
		if err := o.users.Join(ctx, u.ID, workspaceID, role, o.now()); err != nil {
			return err
		}
		return o.records.Record(ctx, client(workspaceID), audit.MemberJoined, u.String(), string(role))
	})
	return u, created, err
}

func (o *Operator) newUser(ctx context.Context, in NewUser) (u user.User, created string, err error) {
	if in.Password == "" {
		created = credential.RandomText(generated)
		in.Password = created
	}
	hash, err := password.Hash(ctx, in.Password)
	if err != nil {
		return user.User{}, "", err
	}
	if u, err = user.New(in.Email, in.Name, hash, o.now()); err != nil {
		return user.User{}, "", err
	}
	inserted, err := o.users.Insert(ctx, u)
	if err == nil && !inserted {
		err = errors.New("the user was added at the same time by another process; try again")
	}
	return u, created, err
}

// Users lists the members of a workspace by e-mail address.
func (o *Operator) Users(ctx context.Context, workspace string) ([]member.Member, error) {
	w, err := o.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return o.users.Members(ctx, w.ID)
}

// SetPassword sets a user's password and signs the user out everywhere. It generates and returns a password if given is
// empty.
func (o *Operator) SetPassword(ctx context.Context, email, given string) (created string, err error) {
	u, err := o.user(ctx, email)
	if err != nil {
		return "", err
	}
	if given == "" {
		created = credential.RandomText(generated)
		given = created
	}
	hash, err := password.Hash(ctx, given)
	if err != nil {
		return "", err
	}
	return created, o.users.SetPassword(ctx, u.ID, hash)
}

// RemoveUser removes a user from a workspace and revokes the grants that the user gave to programs there. It returns
// false if the user was not a member.
func (o *Operator) RemoveUser(ctx context.Context, workspace, email string) (bool, error) {
	w, err := o.Workspace(ctx, workspace)
	if err != nil {
		return false, err
	}
	u, err := o.user(ctx, email)
	if err != nil {
		return false, err
	}
	var remaining bool
	err = o.Together(ctx, func(ctx context.Context) error {
		if remaining, err = o.users.Leave(ctx, u.ID, w.ID, o.now()); err != nil || !remaining {
			return err
		}
		return o.records.Record(ctx, client(w.ID), audit.MemberRemoved, u.String(), "")
	})
	return remaining, err
}

// SetOperator makes a user an operator of the installation, or ends that, and reports whether it changed anything.
func (o *Operator) SetOperator(ctx context.Context, email string, is bool) (bool, error) {
	u, err := o.user(ctx, email)
	switch {
	case err != nil:
		return false, err
	case is:
		return o.operators.Add(ctx, u.ID)
	default:
		return o.operators.Remove(ctx, u.ID)
	}
}

func (o *Operator) user(ctx context.Context, text string) (user.User, error) {
	if address, ok := email.Parse(text); ok {
		u, err := o.users.ByEmail(ctx, address)
		if !apperr.Is(err, apperr.NotFound) {
			return u, err
		}
	}
	return user.User{}, apperr.New(apperr.NotFound, "There is no user %s. See: admin user list --workspace WORKSPACE_ID", text)
}

// PasswordWorks reports whether the address and the password are valid and the user is a member of the workspace.
func (o *Operator) PasswordWorks(ctx context.Context, address, given string, in ident.Workspace) (bool, error) {
	u, err := o.user(ctx, address)
	if apperr.Is(err, apperr.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	right, err := password.Matches(ctx, given, u.PasswordHash)
	if err != nil || !right {
		return false, err
	}
	role, err := o.users.Role(ctx, u.ID, in)
	return role != "", err
}
