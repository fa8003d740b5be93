// Package access manages the credentials of channels. It refreshes expired credentials, one refresh at a time per
// channel across all processes, and calls networks on behalf of a channel.
package access

import (
	"context"
	"errors"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/platform"
)

const (
	// margin is the remaining lifetime below which an access token is refreshed. A call with such a token could fail
	// before it reaches the network.
	margin = time.Minute
	// keepFor is how long storing fresh credentials is retried. The network has already invalidated the old ones.
	keepFor   = 20 * time.Second
	keepPause = 250 * time.Millisecond
)

// Keeper refreshes and stores the channels' credentials.
type Keeper struct {
	db       *postgres.DB
	channels *postgres.Channels
	clock    clock.Clock
}

// New returns a Keeper.
func New(db *postgres.DB, channels *postgres.Channels, clk clock.Clock) (*Keeper, error) {
	if db == nil || channels == nil || clk == nil {
		return nil, errors.New("access: DB, Channels and Clock are required")
	}
	return &Keeper{db: db, channels: channels, clock: clk}, nil
}

// Expiring reports whether the access token expires so soon that a call with it could fail.
func Expiring(c channel.Credentials, now time.Time) bool {
	return !c.ExpiresAt.IsZero() && now.Add(margin).After(c.ExpiresAt)
}

// AccountOf returns the platform account of the channel with the given credentials.
func AccountOf(c channel.Channel, credentials channel.Credentials) platform.Account {
	return platform.Account{
		ChannelID: c.ID, Type: c.Type, ExternalID: c.ExternalID, Username: c.Username, Credentials: credentials,
	}
}

// Renew refreshes the channel's credentials, which have the given revision, and returns the fresh credentials and their
// revision. Renew holds a lock per channel across processes. If another execution has already stored newer credentials,
// Renew returns those. If another execution was refused for good and marked the channel, Renew returns that refusal.
// The error is a *platform.Failure if the network refused.
func (k *Keeper) Renew(ctx context.Context, link platform.Link, c channel.Channel, revision int) (channel.Credentials, int, error) {
	var fresh channel.Credentials
	var refused error // final
	exchanged, kept := false, false
	err := k.db.WithinTx(ctx, func(locked context.Context) error {
		if err := k.channels.LockForRefresh(locked, c.ID); err != nil {
			return err
		}
		stored, current, err := k.channels.Credentials(locked, c.ID)
		if err != nil {
			return err
		}
		if current != revision {
			fresh, revision = stored, current
			return nil
		}
		if refused, err = k.lost(locked, c); refused != nil || err != nil {
			return err
		}
		if fresh, err = link.Refresh(ctx, AccountOf(c, stored)); isReconnect(err) {
			refused = err
			return k.channels.NeedsReconnect(locked, c.ID, revision)
		}
		if err != nil {
			return err
		}
		exchanged = true
		// This uses the connection that holds the lock. With a second connection per caller, callers that hold one and
		// wait for another could exhaust the pool.
		kept, err = k.channels.Refresh(locked, c, revision, fresh)
		return err
	})
	if exchanged && err != nil { // the connection broke and released the lock, or the caller canceled
		kept, err = k.keep(ctx, c, revision, fresh)
	}
	switch {
	case refused != nil:
		return fresh, revision, errors.Join(refused, err)
	case err != nil || !exchanged:
		return fresh, revision, err
	case kept:
		return fresh, revision + 1, nil
	default: // a user stored other credentials in the meantime
		return k.channels.Credentials(context.WithoutCancel(ctx), c.ID)
	}
}

// lost returns a failure if another execution has found that the channel must be reconnected.
func (k *Keeper) lost(ctx context.Context, c channel.Channel) (refused, err error) {
	present, err := k.channels.Get(ctx, c.WorkspaceID, c.ID)
	if err != nil || present.TokenStatus != channel.TokenNeedsReconnect {
		return nil, err
	}
	return &platform.Failure{
		Class: platform.ClassReconnect, Code: post.ErrorNeedsReconnect,
		Message: "The channel is disconnected from its network. Reconnect the channel in the application.",
	}, nil
}

func isReconnect(err error) bool {
	failure, ok := errors.AsType[*platform.Failure](err)
	return ok && failure.Class == platform.ClassReconnect
}

// keep stores fresh credentials. It retries for up to keepFor while the database is unavailable, and continues if the
// caller cancels. It returns false if other credentials were stored in the meantime.
func (k *Keeper) keep(ctx context.Context, c channel.Channel, revision int, fresh channel.Credentials) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	for {
		kept, err := k.channels.Refresh(ctx, c, revision, fresh)
		if err == nil || !postgres.IsUnavailable(err) {
			return kept, err
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-time.After(keepPause):
		}
	}
}

// Do calls the network for the channel. It refreshes the credentials first if they are about to expire, and refreshes
// them and repeats the call once if the network reports that they have expired. Do marks the channel NEEDS_RECONNECT if
// only a user can restore its connection. The error is a *platform.Failure for any failure of the network or the
// transport.
func (k *Keeper) Do(ctx context.Context, link platform.Link, c channel.Channel, call func(ctx context.Context, a platform.Account) error) error {
	credentials, revision, err := k.channels.Credentials(ctx, c.ID)
	if err != nil {
		return err
	}
	err = k.do(ctx, link, c, credentials, &revision, call)
	if isReconnect(err) {
		return errors.Join(err, k.channels.NeedsReconnect(ctx, c.ID, revision))
	}
	return err
}

// do implements Do. It sets revision to the revision of the credentials used last.
func (k *Keeper) do(
	ctx context.Context, link platform.Link, c channel.Channel, credentials channel.Credentials, revision *int,
	call func(ctx context.Context, a platform.Account) error,
) error {
	renew := func() (err error) {
		credentials, *revision, err = k.Renew(ctx, link, c, *revision)
		return err
	}
	renewed := Expiring(credentials, k.clock.Now())
	if renewed {
		if err := renew(); err != nil {
			return err
		}
	}
	err := call(ctx, AccountOf(c, credentials))
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok || failure.Class != platform.ClassRefresh {
		return err
	}
	if renewed {
		return refusedAfresh(err)
	}
	if err := renew(); err != nil {
		return err
	}
	return refusedAfresh(call(ctx, AccountOf(c, credentials)))
}

// refusedAfresh turns the refusal of freshly refreshed credentials into a failure of ClassReconnect. It returns every
// other error unchanged.
func refusedAfresh(err error) error {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok || failure.Class != platform.ClassRefresh {
		return err
	}
	return &platform.Failure{Class: platform.ClassReconnect, Code: failure.Code, Message: failure.Message, Cause: err}
}
