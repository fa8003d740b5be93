package app

import (
	"context"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Events returns the event log of the workspace, oldest first.
func (a *hookUseCases) Events(ctx context.Context, p Principal, filter postgres.EventFilter) ([]postgres.LoggedEvent, error) {
	if err := p.requireEveryChannel(); err != nil {
		return nil, err
	}
	return a.events.List(ctx, p.WorkspaceID, filter)
}

// Event returns one event; NOT_FOUND when the workspace has no such event.
func (a *hookUseCases) Event(ctx context.Context, p Principal, id ident.Event) (postgres.LoggedEvent, error) {
	if err := p.requireEveryChannel(); err != nil {
		return postgres.LoggedEvent{}, err
	}
	return a.events.Get(ctx, p.WorkspaceID, id)
}
