package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/rules"
)

// channelUseCases are those of connected channels: their list, weekly slots, pauses, and what their networks say.
type channelUseCases struct {
	*Records

	channels   *postgres.Channels
	types      *channelTypes
	posts      *postgres.Posts
	workspaces *postgres.Workspaces
	connectors *platform.Registry
	rules      rules.Table
	access     *access.Keeper
	live       *liveReads
	appURL     string
}

// Channels returns every channel of the workspace.
func (a *channelUseCases) Channels(ctx context.Context, p Principal) ([]channel.Channel, error) {
	return a.channels.For(p.Channels).List(ctx, p.WorkspaceID)
}

// AccessEnds returns when the access of channels ends that only a person can extend. A channel whose access has no such
// end, or was not assessed yet, is missing.
func (a *channelUseCases) AccessEnds(ctx context.Context, p Principal) (map[ident.Channel]time.Time, error) {
	return a.channels.AccessEnds(ctx, p.WorkspaceID)
}

// Channel returns one channel; NOT_FOUND when the workspace has no such channel.
func (a *channelUseCases) Channel(ctx context.Context, p Principal, id ident.Channel) (channel.Channel, error) {
	return a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
}
