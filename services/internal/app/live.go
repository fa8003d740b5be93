package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/kernel/ident"
	"socialpub.internal/shared/platform"
)

const (
	// liveFor is how long what a network said is taken for what it would say now.
	liveFor = 30 * time.Second
	// liveTimeout bounds a read from a network, within the time a request has.
	liveTimeout = 8 * time.Second
	// maxLiveReads bounds the memory of liveReads; when it is full it starts anew.
	maxLiveReads = 1_000
)

// Boards reads the boards of a Pinterest channel from the network. NOT_FOUND, CHANNEL_TYPE_MISMATCH, CHANNEL_DISCONNECTED, and
// UNAVAILABLE when the network does not answer.
func (a *App) Boards(ctx context.Context, p Principal, id ident.Channel) ([]platform.Board, error) {
	return live(ctx, a, p, id, Pinterest(), func(ctx context.Context, link platform.BoardLister, account platform.Account) ([]platform.Board, error) {
		return link.Boards(ctx, account)
	})
}

// CreatorInfo reads what a TikTok channel's account allows from the network; errors as of Boards.
func (a *App) CreatorInfo(ctx context.Context, p Principal, id ident.Channel) (platform.CreatorInfo, error) {
	return live(ctx, a, p, id, TikTok(), func(ctx context.Context, link platform.CreatorInformer, account platform.Account) (platform.CreatorInfo, error) {
		return link.CreatorInfo(ctx, account)
	})
}

// liveReads remembers for a short time what networks said, and lets only one of several equal reads out at a time: networks
// count calls.
type liveReads struct {
	clock  clock.Clock
	flight singleflight.Group

	mu    sync.Mutex
	known map[ident.Channel]liveRead
}

type liveRead struct {
	value any
	at    time.Time
}

func newLiveReads(clk clock.Clock) *liveReads {
	return &liveReads{clock: clk, known: make(map[ident.Channel]liveRead)}
}

// live reads from the network of a channel, which must be one of the platform's.
func live[L, T any](
	ctx context.Context, a *App, p Principal, id ident.Channel, of *Platform, read func(context.Context, L, platform.Account) (T, error),
) (T, error) {
	var none T
	c, err := a.channels.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return none, err
	}
	link, ok := a.connectors.Link(c.Type)
	reader, reads := link.(L)
	if !ok || !reads {
		return none, typeMismatch(c, of.Types)
	}
	if err := a.ready(c); err != nil {
		return none, err
	}
	got, err := a.live.get(id, func() (any, error) {
		// Detached: one caller's hang-up must not fail the others that wait for the same answer.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), liveTimeout)
		defer cancel()
		var got T
		err := a.access.Do(ctx, link, c, func(ctx context.Context, account platform.Account) (err error) {
			got, err = read(ctx, reader, account)
			return err
		})
		return got, err
	})
	if err != nil {
		return none, fromNetwork(err, c, a.clock.Now())
	}
	value, ok := got.(T)
	if !ok {
		return none, fmt.Errorf("the read of channel %s gave a %T", id, got)
	}
	return value, nil
}

func (r *liveReads) get(id ident.Channel, read func() (any, error)) (any, error) {
	r.mu.Lock()
	known, ok := r.known[id]
	r.mu.Unlock()
	if now := r.clock.Now(); ok && now.Sub(known.at) < liveFor && !now.Before(known.at) {
		return known.value, nil
	}
	got, err, _ := r.flight.Do(id.String(), func() (any, error) {
		got, err := read()
		if err == nil {
			r.keep(id, got)
		}
		return got, err
	})
	return got, err
}

func (r *liveReads) keep(id ident.Channel, value any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxLiveReads {
		clear(r.known)
	}
	r.known[id] = liveRead{value: value, at: r.clock.Now()}
}

// fromNetwork says what a network's failure means for a client that only wanted to read.
func fromNetwork(err error, c channel.Channel, now time.Time) error {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok {
		return err
	}
	switch failure.Class {
	case platform.ClassReconnect, platform.ClassRefresh:
		return apperr.Wrap(err, apperr.ChannelDisconnected, "The network does not accept the access of channel %s (%s) any more; reconnect it in the application.", c.ID, c.Name)
	case platform.ClassRateLimited:
		wrapped := apperr.Wrap(err, apperr.Unavailable, "The network asks to wait before it answers again.")
		if !failure.Until.IsZero() {
			wrapped.RetryAfter = failure.Until.Sub(now)
		}
		return wrapped
	case platform.ClassRejected, platform.ClassTransient, platform.ClassUser, platform.ClassOperator, platform.ClassUnknown:
	}
	return apperr.Wrap(err, apperr.Unavailable, "The network of channel %s (%s) does not answer at the moment.", c.ID, c.Name)
}
