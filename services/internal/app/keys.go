package app

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

const (
	maxKeyName = 200
	// maxKeys bounds the keys of a workspace that are not revoked.
	maxKeys = 100
)

// NewKey is a request for an API key.
type NewKey struct {
	Name      string
	Scopes    []credential.Scope
	ExpiresAt time.Time // zero: does not expire
}

// Keys returns the API keys of the workspace, oldest first. Only people may see them.
func (a *identityUseCases) Keys(ctx context.Context, p Principal) ([]credential.Key, error) {
	if err := p.Require(credential.KeysManage); err != nil {
		return nil, err
	}
	return a.keyStore.List(ctx, p.WorkspaceID)
}

// CreateKey creates an API key and returns it with its text, which is never shown again. Only people may do so, and
// only with permissions that they have. Errors: VALIDATION_FAILED with every fault, QUOTA_EXCEEDED.
func (a *identityUseCases) CreateKey(ctx context.Context, p Principal, in NewKey) (credential.Key, string, error) {
	if err := p.Require(credential.KeysManage); err != nil {
		return credential.Key{}, "", err
	}
	key, err := in.check(p, a.now())
	if err != nil {
		return credential.Key{}, "", err
	}
	kind := credential.KeyKind(p.InTest())
	secret := kind.New()
	if key.Hash, err = kind.Hash(secret); err != nil {
		return credential.Key{}, "", err
	}
	key.ID, key.Display, key.CreatedAt = ident.New[ident.Credential](), credential.Display(secret), a.now()
	return key, secret, a.recorded(ctx, p, audit.KeyCreated, key.Name, key.Display, func(ctx context.Context) error {
		if err := a.mayCreateKey(ctx, p); err != nil {
			return err
		}
		return a.keyStore.Insert(ctx, key)
	})
}

// mayCreateKey returns QUOTA_EXCEEDED if the workspace has the most keys. Until the transaction ends, no other key of the
// workspace is created.
func (a *identityUseCases) mayCreateKey(ctx context.Context, p Principal) error {
	if _, err := a.users.LockMembers(ctx, p.WorkspaceID); err != nil {
		return err
	}
	existing, err := a.keyStore.List(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	usable := slices.DeleteFunc(existing, func(k credential.Key) bool { return !k.Valid(a.now()) })
	if len(usable) < maxKeys {
		return nil
	}
	return apperr.New(apperr.QuotaExceeded, "The workspace has %d API keys, the maximum. Revoke one first.", len(usable))
}

func (in NewKey) check(p Principal, now time.Time) (credential.Key, error) {
	var faults []apperr.Field
	add := func(pointer, message string) {
		faults = append(faults, apperr.Field{Pointer: pointer, Message: message})
	}
	name, fault := plaintext.Line(in.Name, maxKeyName)
	switch {
	case fault != "":
		add("/name", nameFault)
	case name == "":
		add("/name", "Enter a name.")
	}
	if len(in.Scopes) == 0 {
		add("/scopes", "Choose at least one permission.")
	}
	for _, scope := range in.Scopes {
		if !scope.Known() || !p.Allows(scope) {
			add("/scopes", "You cannot give the permission "+string(scope)+".")
		}
	}
	if !in.ExpiresAt.IsZero() && !in.ExpiresAt.After(now) {
		add("/expiresAt", "Choose a time in the future.")
	}
	key := credential.Key{
		WorkspaceID: p.WorkspaceID, Name: name, Scopes: in.Scopes, ExpiresAt: in.ExpiresAt, CreatedBy: p.Person.ID,
	}
	return key, apperr.Invalid(faults)
}

// RevokeKey ends an API key at once; NOT_FOUND when the workspace has no such key. Revoking it again changes nothing.
func (a *identityUseCases) RevokeKey(ctx context.Context, p Principal, id ident.Credential) error {
	if err := p.Require(credential.KeysManage); err != nil {
		return err
	}
	keys, err := a.keyStore.List(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k credential.Key) bool { return k.ID == id })
	if at < 0 {
		return apperr.New(apperr.NotFound, "There is no such API key.")
	}
	if !keys[at].RevokedAt.IsZero() {
		return nil
	}
	return a.recorded(ctx, p, audit.KeyRevoked, keys[at].Name, keys[at].Display, func(ctx context.Context) error {
		return a.keyStore.Revoke(ctx, p.WorkspaceID, id, a.now())
	})
}
