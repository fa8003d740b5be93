package publishing

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Attempts stores the state of the protocol; postgres.Attempts documents the contract of each method.
type Attempts interface {
	Claim(ctx context.Context, id ident.Post, revision int) (postgres.Job, error)
	Load(ctx context.Context, id ident.Post) (postgres.Job, error)
	Prepared(ctx context.Context, job postgres.Job, intent postgres.Intent) error
	Intend(ctx context.Context, job postgres.Job, intent postgres.Intent) error
	Withdraw(ctx context.Context, job postgres.Job, intent postgres.Intent) error
	Ended
	Lines
}

// Ended is about attempts that have ended; see postgres.Attempts.
type Ended interface {
	Taken(ctx context.Context, id ident.Channel, externalIDs []string) (map[string]bool, error)
	Discarded(ctx context.Context, id ident.Post, n int) error
}

// Lines queues the posts of a rate-limited channel; see postgres.Attempts.
type Lines interface {
	Limit(ctx context.Context, id ident.Channel, hold time.Duration) error
	Turn(ctx context.Context, id ident.Channel, step time.Duration) (time.Duration, error)
	Unlimit(ctx context.Context, id ident.Channel) error
}

// Posts records the result of a step; see postgres.Posts.
type Posts interface {
	Record(ctx context.Context, change post.Change, result postgres.AttemptResult) error
	Hold(ctx context.Context, change post.Change, result postgres.AttemptResult) error
}

// Channels marks channels that only a person can reconnect; see postgres.Channels.
type Channels interface {
	NeedsReconnect(ctx context.Context, id ident.Channel, revision int) error
}

// Media reads a post's attachments; see postgres.Media.
type Media interface {
	InOrder(ctx context.Context, workspace ident.Workspace, ids []ident.Media) ([]media.Asset, error)
}

// Access refreshes a channel's credentials; see access.Keeper.
type Access interface {
	Renew(ctx context.Context, link platform.Link, c channel.Channel, revision int) (channel.Credentials, int, error)
}
