package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"golang.org/x/sync/singleflight"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// liveFor is the cache lifetime of a network's response.
	liveFor = 30 * time.Second
	// liveTimeout limits a read from a network, within the time limit of a request.
	liveTimeout = 8 * time.Second
	// maxLiveReads limits the size of liveReads. The responses used last stay.
	maxLiveReads = 1_000
)

// Boards reads the boards of a Pinterest channel from the network. Errors: NOT_FOUND, CHANNEL_TYPE_MISMATCH,
// CHANNEL_DISCONNECTED, and UNAVAILABLE when the network does not respond.
func (a *channelUseCases) Boards(ctx context.Context, p Principal, id ident.Channel) ([]platform.Board, error) {
	return live(ctx, a, p, liveKey{channel: id},
		func(ctx context.Context, link platform.BoardLister, account platform.Account) ([]platform.Board, error) {
			return link.Boards(ctx, account)
		})
}

// BoardSections reads a board of a Pinterest channel and its sections from the network. The errors are those of Boards,
// and NOT_FOUND for a board that Boards does not return.
func (a *channelUseCases) BoardSections(
	ctx context.Context, p Principal, id ident.Channel, boardID string,
) (platform.Board, []platform.BoardSection, error) {
	boards, err := a.Boards(ctx, p, id)
	if err != nil {
		return platform.Board{}, nil, err
	}
	i := slices.IndexFunc(boards, func(b platform.Board) bool { return b.ID == boardID })
	if i < 0 {
		return platform.Board{}, nil, apperr.New(apperr.NotFound, "Channel %s has no board %s that accepts pins.", id, boardID)
	}
	sections, err := live(ctx, a, p, liveKey{channel: id, board: boardID},
		func(ctx context.Context, link platform.BoardLister, account platform.Account) ([]platform.BoardSection, error) {
			return link.BoardSections(ctx, account, boardID)
		})
	return boards[i], sections, err
}

// CreatorInfo reads the account limits of a TikTok channel from the network. The errors are those of Boards.
func (a *channelUseCases) CreatorInfo(ctx context.Context, p Principal, id ident.Channel) (platform.CreatorInfo, error) {
	return live(ctx, a, p, liveKey{channel: id},
		func(ctx context.Context, link platform.CreatorInformer, account platform.Account) (platform.CreatorInfo, error) {
			return link.CreatorInfo(ctx, account)
		})
}

// liveReads caches responses of networks for a short time, and merges concurrent reads of a channel, because networks
// count calls.
type liveReads struct {
	clock  clock.Clock
	flight singleflight.Group
	// known has no lifetime of its own, because the LRU reads the system's clock. Each entry has its time.
	known *expirable.LRU[liveKey, liveRead]
}

// liveKey names a read of a channel, or of one of its boards. A network has one kind of read of a channel.
type liveKey struct {
	channel ident.Channel
	board   string
}

type liveRead struct {
	value any
	at    time.Time
}

func newLiveReads(clk clock.Clock) *liveReads {
	return &liveReads{clock: clk, known: expirable.NewLRU[liveKey, liveRead](maxLiveReads, nil, 0)}
}

// live reads from the network of a channel, whose link must be an L.
func live[L, T any](
	ctx context.Context, a *channelUseCases, p Principal, key liveKey, read func(context.Context, L, platform.Account) (T, error),
) (T, error) {
	var none T
	c, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, key.channel)
	if err != nil {
		return none, err
	}
	link, ok := a.connectors.Link(c)
	reader, reads := link.(L)
	if !ok || !reads {
		return none, typeMismatch(c, linkedAs[L](a.connectors))
	}
	if err := a.ready(c); err != nil {
		return none, err
	}
	got, err := a.live.get(key, func() (any, error) {
		// Detached: the cancellation of one caller must not fail the other callers that wait for the same result.
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
		return none, fromNetwork(err, c, a.clock.Now(), ChannelPage.Link(a.appURL, c.WorkspaceID, c.ID))
	}
	value, ok := got.(T)
	if !ok {
		return none, fmt.Errorf("the read of channel %s returned a %T", c.ID, got)
	}
	return value, nil
}

// linkedAs returns the channel types whose links are an L.
func linkedAs[L any](connectors *platform.Registry) []channel.Type {
	var types []channel.Type
	for _, t := range channel.Types() {
		link, _ := connectors.Link(channel.Channel{Type: t})
		if _, is := link.(L); is {
			types = append(types, t)
		}
	}
	return types
}

func (r *liveReads) get(key liveKey, read func() (any, error)) (any, error) {
	known, ok := r.known.Get(key)
	if now := r.clock.Now(); ok && now.Sub(known.at) < liveFor && !now.Before(known.at) {
		return known.value, nil
	}
	got, err, _ := r.flight.Do(key.channel.String()+key.board, func() (any, error) {
		got, err := read()
		if err == nil {
			r.known.Add(key, liveRead{value: got, at: r.clock.Now()})
		}
		return got, err
	})
	return got, err
}

// fromNetwork converts a network's failure of a read into an error for the client. The link leads to the channel.
func fromNetwork(err error, c channel.Channel, now time.Time, link string) error {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok {
		return err
	}
	switch failure.Class {
	case platform.ClassReconnect, platform.ClassRefresh:
		return apperr.Wrap(err, apperr.ChannelDisconnected, "The network rejects the access of channel %s (%s); reconnect "+
			"it in the application%s", c.ID, c.Name, link)
	case platform.ClassRateLimited:
		wrapped := apperr.Wrap(err, apperr.Unavailable, "The network limits requests; try again later.")
		if !failure.Until.IsZero() {
			wrapped.RetryAfter = failure.Until.Sub(now)
		}
		return wrapped
	case platform.ClassRejected, platform.ClassTransient, platform.ClassUser, platform.ClassOperator, platform.ClassUnknown:
	}
	return apperr.Wrap(err, apperr.Unavailable, "The network of channel %s (%s) is unavailable; try again later.", c.ID,
		c.Name)
}
