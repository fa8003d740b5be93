// Package access manages the credentials of channels. It refreshes expired credentials, one refresh at a time per
// channel across all processes, and calls networks on behalf of a channel.
package access

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
)

// margin is the remaining lifetime below which an access token is refreshed. A call with such a token could fail before
// it reaches the network.
const margin = time.Minute

// Keeper refreshes and stores the channels' credentials.
type Keeper struct {
	channels *postgres.Channels
	clock    clock.Clock
	lease    time.Duration // leaseTime, except in tests
	exchange time.Duration // exchangeTime, except in tests
}

// New returns a Keeper.
func New(channels *postgres.Channels, clk clock.Clock) (*Keeper, error) {
	if channels == nil || clk == nil {
		return nil, errors.New("access: Channels and Clock are required")
	}
	return &Keeper{channels: channels, clock: clk, lease: leaseTime, exchange: exchangeTime}, nil
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

// Do calls the network for the channel. It refreshes the credentials first if they are about to expire, and refreshes
// them and repeats the call once if the network reports that they have expired. Do marks the channel NEEDS_RECONNECT if
// only a user can restore its connection. The error is a *platform.Failure for any failure of the network or the
// transport.
func (k *Keeper) Do(
	ctx context.Context, link platform.Link, c channel.Channel, call func(ctx context.Context, a platform.Account) error,
) error {
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

// Peek calls the network for the channel with the present credentials, and changes nothing: it neither refreshes them nor
// marks the channel. The error is a *platform.Failure as that of Do, of ClassRefresh for credentials that expire.
func (k *Keeper) Peek(
	ctx context.Context, c channel.Channel, call func(ctx context.Context, a platform.Account) error,
) error {
	credentials, _, err := k.channels.Credentials(ctx, c.ID)
	if err != nil {
		return err
	}
	if Expiring(credentials, k.clock.Now()) {
		return &platform.Failure{Class: platform.ClassRefresh, Code: post.ErrorNeedsReconnect, Message: "The token expires."}
	}
	return call(ctx, AccountOf(c, credentials))
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
