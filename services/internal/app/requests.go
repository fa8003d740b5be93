package app

import (
	"context"
	"slices"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Requester is an API key or a program of the workspace, which has a log of requests.
type Requester struct {
	ID      ident.Credential
	Name    string
	Display string // the start of a key; empty: a program
	Person  string // who allowed a program
}

// Requesters returns the API keys and the programs of the workspace, keys first, newest first. Only people may see them.
func (a *identityUseCases) Requesters(ctx context.Context, p Principal) ([]Requester, error) {
	keys, err := a.Keys(ctx, p)
	if err != nil {
		return nil, err
	}
	granted, err := a.grants.OfWorkspace(ctx, p.WorkspaceID)
	if err != nil {
		return nil, err
	}
	list := make([]Requester, 0, len(keys)+len(granted))
	for _, key := range slices.Backward(keys) {
		list = append(list, Requester{ID: key.ID, Name: key.Name, Display: key.Display})
	}
	for _, g := range granted {
		list = append(list, Requester{ID: ident.Credential(g.Grant.ID), Name: g.Client.Title(), Person: g.Person})
	}
	return list, nil
}

// Requests returns the requests of the last 30 days of the workspace's API keys and programs, newest first. Only people may
// see them. It returns NOT_FOUND for a credential of another workspace.
func (a *identityUseCases) Requests(
	ctx context.Context, p Principal, filter postgres.RequestFilter,
) ([]credential.Request, []Requester, error) {
	known, err := a.Requesters(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	ours := slices.ContainsFunc(known, func(r Requester) bool { return r.ID == filter.Credential })
	if !filter.Credential.IsZero() && !ours {
		return nil, nil, apperr.New(apperr.NotFound, "There is no such API key or program.")
	}
	found, err := a.requests.List(ctx, p.WorkspaceID, filter)
	return found, known, err
}
