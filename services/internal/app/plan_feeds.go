package app

import (
	"context"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
)

// Feed returns the calendar feed of the person in the workspace; zero if there is none. Its address is not known.
func (a *planUseCases) Feed(ctx context.Context, p Principal) (plan.Feed, error) {
	return a.feeds.Get(ctx, p.WorkspaceID, p.Person.ID)
}

// MakeFeed makes the calendar feed of the person, and returns the secret of its address. An earlier address ends.
func (a *planUseCases) MakeFeed(ctx context.Context, p Principal) (string, error) {
	secret := credential.CalendarFeed.New()
	hash, err := credential.CalendarFeed.Hash(secret)
	if err != nil {
		return "", err
	}
	return secret, a.feeds.Put(ctx, hash, plan.Feed{WorkspaceID: p.WorkspaceID, UserID: p.Person.ID, CreatedAt: a.now()})
}

// RevokeFeed ends the calendar feed of the person, if there is one.
func (a *planUseCases) RevokeFeed(ctx context.Context, p Principal) error {
	return a.feeds.Delete(ctx, p.WorkspaceID, p.Person.ID)
}

// ReadFeed returns the person to whom the address of a feed was given, in its workspace; NOT_FOUND for an unknown or
// revoked address, and once the person is no member any more or may not sign in.
func (a *planUseCases) ReadFeed(ctx context.Context, secret string) (Principal, workspace.Workspace, error) {
	hash, err := credential.CalendarFeed.Hash(secret)
	if err != nil {
		return Principal{}, workspace.Workspace{}, apperr.New(apperr.NotFound, "There is no such calendar.")
	}
	person, m, err := a.feeds.Read(ctx, hash, a.now())
	if err != nil {
		return Principal{}, workspace.Workspace{}, err
	}
	return PrincipalOf(Person{ID: person}, m), m.Workspace, nil
}
