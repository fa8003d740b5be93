// Package access keeps the proofs by which networks let the service in: it exchanges credentials that have expired, one
// exchange at a time for each channel over all processes, and calls networks on behalf of a channel.
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
	// margin is how long before its end an access token is exchanged: a call with it could otherwise fail on the way.
	margin = time.Minute
	// keepFor is how long storing fresh credentials is tried: the old ones are worthless from then on.
	keepFor   = 20 * time.Second
	keepPause = 250 * time.Millisecond
)

// Keeper keeps the channels' credentials fresh.
type Keeper struct {
	db       *postgres.DB
	channels *postgres.Channels
	clock    clock.Clock
}

// New makes a keeper.
func New(db *postgres.DB, channels *postgres.Channels, clk clock.Clock) (*Keeper, error) {
	if db == nil || channels == nil || clk == nil {
		return nil, errors.New("access: DB, Channels and Clock are required")
	}
	return &Keeper{db: db, channels: channels, clock: clk}, nil
}

// Expiring reports whether the access token ends so soon that a call with it could fail.
func Expiring(c channel.Credentials, now time.Time) bool {
	return !c.ExpiresAt.IsZero() && now.Add(margin).After(c.ExpiresAt)
}

// AccountOf is the channel as its network knows it.
func AccountOf(c channel.Channel, credentials channel.Credentials) platform.Account {
	return platform.Account{
		ChannelID: c.ID, Type: c.Type, ExternalID: c.ExternalID, Username: c.Username, Credentials: credentials,
	}
}

// Renew exchanges the channel's credentials, which are of the revision, and returns the fresh ones with theirs. Processes take
// turns; one that comes later takes over what another stored, or the refusal that another got for good, which the channel is
// marked with. The error is a *platform.Failure where the network refused.
func (k *Keeper) Renew(ctx context.Context, link platform.Link, c channel.Channel, revision int) (channel.Credentials, int, error) {
	var fresh channel.Credentials
	var refused error // for good
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
		// On the connection that holds the lock: a second one might be held by others that wait for a second one too.
		kept, err = k.channels.Refresh(locked, c, revision, fresh)
		return err
	})
	if exchanged && err != nil { // the connection broke, and the lock with it, or the caller went away
		kept, err = k.keep(ctx, c, revision, fresh)
	}
	switch {
	case refused != nil:
		return fresh, revision, errors.Join(refused, err)
	case err != nil || !exchanged:
		return fresh, revision, err
	case kept:
		return fresh, revision + 1, nil
	default: // a person gave others in the meantime
		return k.channels.Credentials(context.WithoutCancel(ctx), c.ID)
	}
}

// lost is a failure when another execution has found out that the credentials of the revision are worth nothing.
func (k *Keeper) lost(ctx context.Context, c channel.Channel) (refused, err error) {
	present, err := k.channels.Get(ctx, c.WorkspaceID, c.ID)
	if err != nil || present.TokenStatus != channel.TokenNeedsReconnect {
		return nil, err
	}
	return &platform.Failure{
		Class: platform.ClassReconnect, Code: post.ErrorNeedsReconnect,
		Message: "The channel's connection to its network has ended. Reconnect the channel in the application.",
	}, nil
}

func isReconnect(err error) bool {
	failure, ok := errors.AsType[*platform.Failure](err)
	return ok && failure.Class == platform.ClassReconnect
}

// keep stores fresh credentials, however long the database takes within reason and whatever became of the caller. False when
// others were stored in the meantime.
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

// Do calls the network for the channel: with credentials exchanged beforehand when they are about to end, and once more
// after an exchange when the network says that they have. Do marks the channel NEEDS_RECONNECT when only a person can
// restore its connection. The error is a *platform.Failure for anything the network or the wire did.
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

// do leaves in revision which credentials were used last.
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

// refusedAfresh turns the refusal of fresh credentials into one that only a person can do something about.
func refusedAfresh(err error) error {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok || failure.Class != platform.ClassRefresh {
		return err
	}
	return &platform.Failure{Class: platform.ClassReconnect, Code: failure.Code, Message: failure.Message, Cause: err}
}
