package access

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/platform"
)

const (
	// exchangeTime limits one exchange at the network. It continues if the caller cancels.
	exchangeTime = 30 * time.Second
	// leaseTime is the duration of a lease: longer than an exchange and the storing of its result, so that only the lease
	// of a crashed or suspended process ends while it is held.
	leaseTime = exchangeTime + 15*time.Second
	// keepFor limits the retries of storing fresh credentials: longer than another execution can hold the lease. The
	// network has already invalidated the old credentials.
	keepFor = leaseTime + 15*time.Second
	// releaseFor limits the writes after a failed exchange. If they fail, the lease ends at its time.
	releaseFor = 5 * time.Second
)

// polls are the pauses of an execution that waits for another execution's lease to end.
var polls = retry.Pauses{First: 50 * time.Millisecond, Longest: time.Second, Jitter: 0.2}

// errBusy reports that another execution holds the lease.
var errBusy = errors.New("another execution refreshes the channel's credentials")

// errNotStored reports that other executions held the lease for as long as fresh credentials could be stored.
var errNotStored = errors.New("other executions kept the channel's fresh credentials from being stored")

// revised are a channel's credentials with their revision.
type revised struct {
	channel.Credentials

	revision int
}

// Renew refreshes the channel's credentials, which have the given revision, and returns the fresh credentials and their
// revision. One execution over all processes refreshes at a time: it holds a lease on the channel, and the others wait
// until it stores the fresh credentials or the lease ends. No transaction and no connection is held meanwhile, so Renew
// must not be called within a transaction. If another execution has already stored newer credentials, Renew returns
// those. If another execution was refused for good and marked the channel, Renew returns that refusal. The error is a
// *platform.Failure if the network refused.
func (k *Keeper) Renew(
	ctx context.Context, link platform.Link, c channel.Channel, revision int,
) (channel.Credentials, int, error) {
	return k.renew(ctx, c, revision, link.Refresh, nil)
}

// exchange asks a network for other credentials of the account.
type exchange func(ctx context.Context, account platform.Account) (channel.Credentials, error)

// noting returns the entry of the channel's timeline about fresh credentials. A nil one adds none.
type noting func(fresh channel.Credentials) channel.Note

func (k *Keeper) renew(
	ctx context.Context, c channel.Channel, revision int, obtain exchange, note noting,
) (channel.Credentials, int, error) {
	lease := postgres.RefreshLease{Channel: c.ID, Revision: revision, Owner: uuid.New()}
	busy := func(err error) bool { return errors.Is(err, errBusy) }
	fresh, err := retry.Do(ctx, polls, busy, func() (revised, error) {
		stored, acquired, err := k.channels.AcquireRefresh(ctx, lease, k.lease)
		switch {
		case acquired && err == nil:
			return k.refresh(ctx, c, lease, stored, obtain, note)
		case acquired: // credentials that cannot be decrypted
			return revised{}, errors.Join(err, k.release(ctx, lease))
		case err != nil:
			return revised{}, err
		default:
			return k.others(ctx, c, revision)
		}
	})
	return fresh.Credentials, fresh.revision, err
}

// others returns the result of another execution since the revision was read: newer credentials, or the refusal that
// requires a user to reconnect the channel. The error is errBusy if the other execution has not finished.
func (k *Keeper) others(ctx context.Context, c channel.Channel, revision int) (revised, error) {
	stored, current, err := k.channels.Credentials(ctx, c.ID)
	if err != nil || current != revision {
		return revised{stored, current}, err
	}
	now, err := k.channels.Get(ctx, c.WorkspaceID, c.ID)
	if err != nil {
		return revised{}, err
	}
	if now.TokenStatus == channel.TokenNeedsReconnect {
		return revised{stored, current}, &platform.Failure{
			Class: platform.ClassReconnect, Code: post.ErrorNeedsReconnect,
			Message: "The channel's connection to its network has ended. Reconnect the channel in the application, under Channels.",
		}
	}
	return revised{stored, current}, errBusy
}

// refresh exchanges the stored credentials while it holds the lease.
func (k *Keeper) refresh(
	ctx context.Context, c channel.Channel, lease postgres.RefreshLease, stored channel.Credentials, obtain exchange,
	note noting,
) (revised, error) {
	// Detached: the network may invalidate the old credentials before the caller cancels, and the fresh ones would be
	// lost with the response.
	exchanging, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.exchange)
	defer cancel()
	fresh, err := obtain(exchanging, AccountOf(c, stored))
	if err != nil {
		return revised{stored, lease.Revision}, k.failed(ctx, lease, err)
	}
	fresh = stored.Renewed(fresh, k.clock.Now())
	var notes []channel.Note
	if note != nil {
		notes = []channel.Note{note(fresh)}
	}
	kept, err := k.keep(ctx, c, lease, fresh, notes)
	switch {
	case errors.Is(err, errBusy): // not to be retried: the network has invalidated the stored refresh token
		return revised{fresh, lease.Revision}, errNotStored
	case err != nil:
		return revised{fresh, lease.Revision}, err
	case kept:
		return revised{fresh, lease.Revision + 1}, nil
	}
	// Other credentials were stored in the meantime: by a user, or by the execution that took over an ended lease.
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), releaseFor)
	defer cancel()
	theirs, revision, err := k.channels.Credentials(ctx, c.ID)
	return revised{theirs, revision}, errors.Join(err, k.channels.ReleaseRefresh(ctx, lease))
}

// failed marks the channel if the network refused for good, ends the lease, and returns the network's error.
func (k *Keeper) failed(ctx context.Context, lease postgres.RefreshLease, refused error) error {
	var err error
	if isReconnect(refused) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseFor)
		defer cancel()
		err = k.channels.NeedsReconnect(ctx, lease.Channel, lease.Revision)
	}
	if err = errors.Join(err, k.release(ctx, lease)); err != nil {
		return errors.Join(refused, err)
	}
	return refused
}

func isReconnect(err error) bool {
	failure, ok := errors.AsType[*platform.Failure](err)
	return ok && failure.Class == platform.ClassReconnect
}

// release ends the lease without new credentials, also after the caller canceled.
func (k *Keeper) release(ctx context.Context, lease postgres.RefreshLease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseFor)
	defer cancel()
	return k.channels.ReleaseRefresh(ctx, lease)
}

// keep stores fresh credentials. It retries for up to keepFor while the database is unavailable or another execution
// has taken over the lease, and continues if the caller cancels. It returns false if other credentials were stored in
// the meantime.
func (k *Keeper) keep(
	ctx context.Context, c channel.Channel, lease postgres.RefreshLease, fresh channel.Credentials, notes []channel.Note,
) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	again := func(err error) bool { return errors.Is(err, errBusy) || postgres.IsUnavailable(err) }
	return retry.Do(ctx, polls, again, func() (bool, error) {
		kept, err := k.channels.StoreRefreshed(ctx, c, lease, fresh, notes...)
		if kept || err != nil {
			return kept, err
		}
		_, current, err := k.channels.Credentials(ctx, c.ID)
		if err == nil && current == lease.Revision {
			err = errBusy
		}
		return false, err
	})
}
