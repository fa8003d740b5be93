package app

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Place is a time of a channel's queue, with the post that has it. Several posts at one time have a place each.
type Place struct {
	At   time.Time
	Post post.Post // zero: a free slot
}

// Free reports whether no post has the place.
func (p Place) Free() bool { return p.Post.ID.IsZero() }

// Moves reports whether the place has a post that can be moved.
func (p Place) Moves() bool { return !p.Free() && p.Post.CanMove() }

// Queue has what a channel publishes next: its slots and the posts that have a time, in their order.
type Queue struct {
	Channel channel.Channel
	Slots   []slot.Slot // weekly
	Places  []Place
}

// Queue returns the queue of a channel up to a time that is not more than 90 days away. NOT_FOUND when the workspace has no
// such channel.
func (a *postUseCases) Queue(ctx context.Context, p Principal, id ident.Channel, until time.Time) (Queue, error) {
	c, err := a.scheduling.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return Queue{}, err
	}
	q, now := Queue{Channel: c}, a.now()
	if q.Slots, err = a.scheduling.channels.Slots(ctx, id); err != nil {
		return Queue{}, err
	}
	planned, _, err := a.Planned(ctx, p, now, until, postgres.PostFilter{
		ChannelIDs: []ident.Channel{id}, Statuses: []post.Status{post.Draft, post.PendingApproval, post.Scheduled},
	})
	if err != nil {
		return Queue{}, err
	}
	held := make(map[int64]bool, len(planned))
	for _, one := range planned {
		held[one.ScheduledAt.UnixMilli()] = true
		q.Places = append(q.Places, Place{At: one.ScheduledAt.UTC(), Post: one})
	}
	zone, err := zoneOf(c)
	if err != nil {
		return Queue{}, err
	}
	for at := range slot.Instants(q.Slots, zone, now, until.Add(-time.Millisecond)) {
		if !held[at.UnixMilli()] {
			q.Places = append(q.Places, Place{At: at.UTC()})
		}
	}
	slices.SortStableFunc(q.Places, func(a, b Place) int { return a.At.Compare(b.At) })
	return q, nil
}

// NextSlots returns the next free slot of each channel that takes posts and has one within 90 days.
func (a *channelUseCases) NextSlots(
	ctx context.Context, p Principal, channels []channel.Channel,
) (map[ident.Channel]time.Time, error) {
	schedules, err := a.channels.Schedules(ctx, p.WorkspaceID)
	if err != nil {
		return nil, err
	}
	next := make(map[ident.Channel]time.Time, len(channels))
	open := slices.DeleteFunc(slices.Clone(channels), func(c channel.Channel) bool {
		return c.Paused() || !c.Ready() || len(schedules[c.ID]) == 0
	})
	const soon = 10 * 24 * time.Hour // most channels have a free slot by then, and a busy workspace has many posts in 90 days
	for _, horizon := range []time.Duration{soon, slotHorizon} {
		if len(open) == 0 {
			break
		}
		if err := a.nextOf(ctx, p, open, schedules, horizon, next); err != nil {
			return nil, err
		}
		open = slices.DeleteFunc(open, func(c channel.Channel) bool { return !next[c.ID].IsZero() })
	}
	return next, nil
}

// nextOf finds the next free slots of channels within a time from now.
func (a *channelUseCases) nextOf(
	ctx context.Context, p Principal, channels []channel.Channel, schedules map[ident.Channel][]slot.Slot,
	horizon time.Duration, next map[ident.Channel]time.Time,
) error {
	now := a.now()
	held, err := a.posts.TimesHeldByChannel(ctx, p.WorkspaceID, now, now.Add(horizon))
	if err != nil {
		return err
	}
	for _, c := range channels {
		zone, err := zoneOf(c)
		if err != nil {
			return err
		}
		taken := held[c.ID]
		if at, ok := slot.Next(schedules[c.ID], zone, now, func(at time.Time) bool { return taken[at.UnixMilli()] }, horizon); ok {
			next[c.ID] = at
		}
	}
	return nil
}

// PostMove is a new time of a post. From is the time that the person saw.
type PostMove struct {
	ID       ident.Post
	From, To time.Time
}

// Back returns the move that undoes it.
func (m PostMove) Back() PostMove { return PostMove{m.ID, m.To, m.From} }

// update returns the item of a bulk update. It fails with PRECONDITION_FAILED if the post has another time by now, to the
// minute, as people see it.
func (m PostMove) update() UpdatePost {
	return UpdatePost{ID: m.ID, Edit: func(before post.Post) (post.Edit, error) {
		if !before.ScheduledAt.Truncate(time.Minute).Equal(m.From.Truncate(time.Minute)) {
			return post.Edit{}, apperr.New(apperr.PreconditionFailed,
				"Someone else moved this post meanwhile. Look at its new time, then move it again.")
		}
		return post.Edit{ScheduledAt: &m.To}, nil
	}}
}

// MovePosts gives posts other times, all or none. A result has the error of a post that cannot be moved.
func (a *postUseCases) MovePosts(ctx context.Context, p Principal, moves []PostMove) ([]UpdateResult, error) {
	items := make([]UpdatePost, len(moves))
	for i, m := range moves {
		items[i] = m.update()
	}
	return a.UpdateTogether(ctx, p, items)
}

// MoveInQueue moves a post to a place of its channel's queue. A post that has the place moves on by one place towards the
// old place of the first, and so do the posts behind it up to a free slot. It returns what it moved, and the results of
// MovePosts.
func (a *postUseCases) MoveInQueue(
	ctx context.Context, p Principal, id ident.Channel, move PostMove,
) (moves []PostMove, results []UpdateResult, err error) {
	return a.arrange(ctx, p, id, a.now().Add(slotHorizon), func(places []Place) []PostMove {
		if moves := shifted(places, move); moves != nil {
			return moves
		}
		return []PostMove{move} // the place or the post is not there any more: MovePosts says why, or moves it
	})
}

// ShuffleQueue gives the posts of a channel's queue each other's times, up to a time.
func (a *postUseCases) ShuffleQueue(
	ctx context.Context, p Principal, id ident.Channel, until time.Time,
) (moves []PostMove, results []UpdateResult, err error) {
	return a.arrange(ctx, p, id, until, shuffled)
}

// arrange moves posts of a queue while no other request takes a place of it.
func (a *postUseCases) arrange(
	ctx context.Context, p Principal, id ident.Channel, until time.Time, plan func([]Place) []PostMove,
) (moves []PostMove, results []UpdateResult, err error) {
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		if err := a.scheduling.channels.LockQueue(ctx, id); err != nil {
			return err
		}
		q, err := a.Queue(ctx, p, id, until)
		if err != nil {
			return err
		}
		moves = plan(q.Places)
		results, err = a.MovePosts(ctx, p, moves)
		return err
	})
	return moves, results, err
}

// shifted returns the moves that bring a post to a place; nil if the queue has no such post or place.
func shifted(places []Place, move PostMove) []PostMove {
	places = slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return !p.Free() && !p.Moves() })
	from := slices.IndexFunc(places, func(p Place) bool { return p.Post.ID == move.ID })
	at := func(p Place) bool { return p.At.Equal(move.To) }
	to := slices.IndexFunc(places, at)
	if from < 0 || to < 0 || !places[from].At.Truncate(time.Minute).Equal(move.From.Truncate(time.Minute)) {
		return nil
	}
	step := -1
	if to > from { // towards the old place
		step = 1
		for to+1 < len(places) && at(places[to+1]) {
			to++
		}
	}
	moves := []PostMove{{move.ID, places[from].At, places[to].At}}
	for i := to; i != from && !places[i].Free(); i -= step {
		moves = append(moves, PostMove{places[i].Post.ID, places[i].At, places[i-step].At})
	}
	return slices.DeleteFunc(moves, func(m PostMove) bool { return m.From.Equal(m.To) })
}

// shuffled returns moves that give the posts each other's times, in an order that differs from the present one.
func shuffled(places []Place) []PostMove {
	places = slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return !p.Moves() })
	if len(places) < 2 || places[0].At.Equal(places[len(places)-1].At) {
		return nil
	}
	for {
		var moves []PostMove
		for i, to := range rand.Perm(len(places)) { //nolint:gosec // G404: not a secret
			if from := places[i]; !from.At.Equal(places[to].At) {
				moves = append(moves, PostMove{from.Post.ID, from.At, places[to].At})
			}
		}
		if len(moves) > 0 {
			return moves
		}
	}
}
