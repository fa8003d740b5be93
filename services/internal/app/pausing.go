package app

import (
	"cmp"
	"context"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LatePosts is a person's decision about the posts that became due during a pause.
type LatePosts string

// The decisions.
const (
	LatePublish LatePosts = "publish" // publish them at once
	LateMove    LatePosts = "move"    // move them to the next free slots of their channels
)

// Known reports whether the decision exists.
func (l LatePosts) Known() bool { return l == LatePublish || l == LateMove }

// Pauses is the state of all publishing of a workspace. channel.Channel says whether a channel itself is paused.
type Pauses struct {
	StoppedAt time.Time             // since when all publishing is stopped; zero if it is not
	StoppedBy string                // who stopped it
	Late      map[ident.Channel]int // number of posts that became due during the pause, of paused channels that have any
}

// Pauses returns the state of all publishing of the workspace.
func (a *channelUseCases) Pauses(ctx context.Context, p Principal) (Pauses, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return Pauses{}, err
	}
	late, err := a.posts.LateCounts(ctx, p.WorkspaceID)
	return Pauses{StoppedAt: w.StoppedAt, StoppedBy: w.StoppedBy, Late: late}, err
}

// PauseChannel pauses a channel: its due posts wait, and its queue takes none. A post whose call to the network has begun
// is finished. NOT_FOUND when the workspace has no such channel.
func (a *channelUseCases) PauseChannel(ctx context.Context, p Principal, id ident.Channel) error {
	c, err := a.mayPause(ctx, p, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.ChannelPaused, c.Name, "", func(ctx context.Context) error {
		if err := a.channels.For(p.Channels).Pause(ctx, p.WorkspaceID, id, true); err != nil {
			return err
		}
		return a.channels.Note(ctx, id, channel.Note{At: a.now(), Kind: channel.NotePaused, Detail: "By " + string(p.Actor()) + "."})
	})
}

// ResumeChannel ends the pause of a channel, and publishes or moves its late posts. While all publishing of the workspace
// is stopped, they wait further. Errors: NOT_FOUND when the workspace has no such channel, NO_FREE_SLOT when a post cannot
// be moved; nothing is changed then.
func (a *channelUseCases) ResumeChannel(ctx context.Context, p Principal, id ident.Channel, late LatePosts) error {
	c, err := a.mayPause(ctx, p, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.ChannelResumed, c.Name, "", func(ctx context.Context) error {
		if late == LateMove && !c.PublishingStopped {
			if err := a.moveLate(ctx, p, c); err != nil {
				return err
			}
		}
		if err := a.channels.For(p.Channels).Pause(ctx, p.WorkspaceID, id, false); err != nil {
			return err
		}
		a.db.AfterCommit(ctx, func() { a.wake(relay.Events | relay.Messages) })
		return a.channels.Note(ctx, id, channel.Note{At: a.now(), Kind: channel.NoteResumed, Detail: "By " + string(p.Actor()) + "."})
	})
}

func (a *channelUseCases) mayPause(ctx context.Context, p Principal, id ident.Channel) (channel.Channel, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return channel.Channel{}, err
	}
	return a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
}

// StopPublishing pauses all channels of the workspace at once, also those that are connected later. Each channel keeps
// its own pause.
func (a *channelUseCases) StopPublishing(ctx context.Context, p Principal) error {
	if err := cmp.Or(p.Require(credential.PostsPublish), p.requireEveryChannel()); err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.PublishingStopped, "", "", func(ctx context.Context) error {
		return a.channels.StopPublishing(ctx, p.WorkspaceID, a.now(), p.Person.Name)
	})
}

// ResumePublishing ends StopPublishing, and publishes or moves the late posts of the channels that are not paused
// themselves. Error: NO_FREE_SLOT when a post cannot be moved; nothing is changed then.
func (a *channelUseCases) ResumePublishing(ctx context.Context, p Principal, late LatePosts) error {
	if err := cmp.Or(p.Require(credential.PostsPublish), p.requireEveryChannel()); err != nil {
		return err
	}
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	if !w.DeleteAt.IsZero() {
		return apperr.New(apperr.InvalidState,
			"This workspace will be deleted. An owner has to keep it first, under Settings.")
	}
	channels, err := a.channels.For(p.Channels).List(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.PublishingResumed, "", "", func(ctx context.Context) error {
		for _, c := range channels {
			if late != LateMove || c.IsQueuePaused {
				continue
			}
			if err := a.moveLate(ctx, p, c); err != nil {
				return err
			}
		}
		a.db.AfterCommit(ctx, func() { a.wake(relay.Events | relay.Messages) })
		return a.channels.StopPublishing(ctx, p.WorkspaceID, time.Time{}, "")
	})
}

// moveLate moves the channel's late posts to its next free slots, the earliest first, in the transaction of ctx. A post
// that another request changes meanwhile is left to that request.
func (a *channelUseCases) moveLate(ctx context.Context, p Principal, c channel.Channel) error {
	if err := a.channels.LockQueue(ctx, c.ID); err != nil {
		return err
	}
	late, err := a.posts.Late(ctx, c.ID)
	if err != nil || len(late) == 0 {
		return err
	}
	slots, err := a.channels.Slots(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, found := range late {
		before, planned, err := a.posts.StillPlanned(ctx, found)
		if err != nil {
			return err
		}
		if !planned {
			continue
		}
		at, err := a.nextSlot(ctx, c, slots, a.now(), nil)
		if apperr.Is(err, apperr.NoFreeSlot) {
			return apperr.New(apperr.NoFreeSlot,
				"Channel %s does not have enough free slots for its %d late posts. Publish them now, or add time slots.",
				c.Name, len(late))
		}
		if err != nil {
			return err
		}
		change, err := before.Schedule(at, a.now(), p.Actor())
		if err != nil {
			return err
		}
		if err := a.posts.Apply(ctx, change); err != nil {
			return err
		}
	}
	return nil
}
