package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/credential"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/post"
	"socialpub.internal/shared/postgres"
)

// ScheduleKind says when a new post is to be published.
type ScheduleKind int

// The kinds of the specification's schedule member.
const (
	ScheduleDraft ScheduleKind = iota
	ScheduleNow
	ScheduleAt
)

// Schedule is the schedule member of a create request, read.
type Schedule struct {
	Kind ScheduleKind
	At   time.Time // ScheduleAt
}

// CreatePosts asks for one post per channel.
type CreatePosts struct {
	ChannelIDs  []ident.Channel
	Content     string
	Title       string
	ContentType post.ContentType
	MediaIDs    []ident.Media
	Schedule    Schedule
}

// CreatePosts makes one post per channel, all or none. NOT_FOUND for a channel the workspace does not have,
// CHANNEL_NOT_PUBLISHABLE, CHANNEL_DISCONNECTED, SCHEDULED_IN_PAST, and VALIDATION_FAILED with every fault of the content
// unless the posts are drafts.
func (a *App) CreatePosts(ctx context.Context, p Principal, in CreatePosts) ([]post.Post, error) {
	if in.Schedule.Kind != ScheduleDraft {
		if err := p.Require(credential.PostsPublish); err != nil {
			return nil, err
		}
	}
	now := a.now()
	if in.Schedule.Kind == ScheduleAt && !in.Schedule.At.After(now) {
		return nil, post.InPast(in.Schedule.At, now)
	}
	if len(in.MediaIDs) > 0 { // no asset exists yet that a post could name
		return nil, apperr.New(apperr.NotFound, "There is no media asset %s.", in.MediaIDs[0])
	}
	channels, err := a.publishable(ctx, p, in.ChannelIDs, in.Schedule.Kind == ScheduleDraft)
	if err != nil {
		return nil, err
	}
	changes := make([]post.Change, len(in.ChannelIDs))
	for i, id := range in.ChannelIDs {
		changes[i], err = post.Create(newPost(in, p, id, now), now, p.Actor())
		if err != nil {
			return nil, err
		}
	}
	if in.Schedule.Kind != ScheduleDraft {
		if err := a.checkReady(changes, channels); err != nil {
			return nil, err
		}
	}
	if err := a.posts.Insert(ctx, changes); err != nil {
		return nil, err
	}
	a.poke(left(changes[0]))
	return created(changes), nil
}

// left is what a change leaves for the relay.
func left(c post.Change) (what relay.Poke) {
	if c.Event != nil {
		what |= relay.Events
	}
	if c.Wake {
		what |= relay.Messages
	}
	return what
}

func newPost(in CreatePosts, p Principal, id ident.Channel, now time.Time) post.NewPost {
	n := post.NewPost{
		WorkspaceID: p.WorkspaceID, ChannelID: id, Content: in.Content, Title: in.Title, ContentType: in.ContentType, MediaIDs: in.MediaIDs,
	}
	switch in.Schedule.Kind {
	case ScheduleNow:
		n.ScheduleAt, n.Now = now, true
	case ScheduleAt:
		n.ScheduleAt = in.Schedule.At
	case ScheduleDraft:
	}
	return n
}

func created(changes []post.Change) []post.Post {
	posts := make([]post.Post, len(changes))
	for i, c := range changes {
		posts[i] = c.Post
	}
	return posts
}

// channelsOf gives the channels by id. For drafts their types are enough.
func (a *App) channelsOf(ctx context.Context, p Principal, ids []ident.Channel, draft bool) (map[ident.Channel]channel.Channel, error) {
	if known, ok := a.types.all(p.WorkspaceID, ids); ok && draft {
		return known, nil
	}
	found, err := a.channels.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	a.types.remember(found)
	byID := make(map[ident.Channel]channel.Channel, len(found))
	for _, c := range found {
		byID[c.ID] = c
	}
	return byID, nil
}

// publishable gives the channels by id and checks that each exists and can be published to at all.
func (a *App) publishable(ctx context.Context, p Principal, ids []ident.Channel, draft bool) (map[ident.Channel]channel.Channel, error) {
	byID, err := a.channelsOf(ctx, p, ids, draft)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, ok := byID[id]
		if !ok {
			return nil, apperr.New(apperr.NotFound, "There is no channel %s.", id)
		}
		if _, connected := a.connectors.For(c.Type); !connected || !c.Type.Capabilities().Publish {
			return nil, apperr.New(apperr.ChannelNotPublishable, "Channel %s is of type %s, which cannot be published to.", id, c.Type)
		}
	}
	return byID, nil
}

// checkReady checks what must hold when a post is scheduled or published: the channel is connected, the content keeps the
// network's rules. Every fault is reported at once.
func (a *App) checkReady(changes []post.Change, channels map[ident.Channel]channel.Channel) error {
	var faults []apperr.Field
	for _, change := range changes {
		c := channels[change.Post.ChannelID]
		if !c.Ready() {
			return apperr.New(apperr.ChannelDisconnected, "Channel %s (%s) is not connected; reconnect it in the application first.", c.ID, c.Name)
		}
		connector, ok := a.connectors.For(c.Type)
		if !ok {
			return apperr.New(apperr.ChannelNotPublishable, "Channel %s is of type %s, which cannot be published to.", c.ID, c.Type)
		}
		for _, f := range connector.Validate(platform.ContentOf(change.Post)) {
			if !f.Warning {
				faults = append(faults, apperr.Field{Pointer: "/" + f.Member, Message: fmt.Sprintf("%s (channel %s, %s)", f.Message, c.ID, c.Type)})
			}
		}
	}
	return apperr.Invalid(faults)
}

// Post reads one post; NOT_FOUND when the workspace has none of this id.
func (a *App) Post(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.posts.Get(ctx, p.WorkspaceID, id)
}

// Posts reads posts newest first.
func (a *App) Posts(ctx context.Context, p Principal, filter postgres.PostFilter) ([]post.Post, error) {
	return a.posts.List(ctx, p.WorkspaceID, filter)
}

// Timeline reads what happened to a post, oldest first; NOT_FOUND when the workspace has none of this id.
func (a *App) Timeline(ctx context.Context, p Principal, id ident.Post) ([]post.Entry, error) {
	if _, err := a.posts.Get(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	return a.posts.Timeline(ctx, id)
}

// SchedulePost sets or moves a post's publish time.
func (a *App) SchedulePost(ctx context.Context, p Principal, id ident.Post, at time.Time) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Schedule(at, now, p.Actor())
	})
}

// PublishPost queues a post for immediate publishing.
func (a *App) PublishPost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.PublishNow(now, p.Actor())
	})
}

// UnschedulePost takes a post back to a draft. After it answers nil the post is not published any more.
func (a *App) UnschedulePost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Unschedule(now, p.Actor())
	})
}

// RequestApproval hands a draft to an approver.
func (a *App) RequestApproval(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.RequestApproval(now, p.Actor())
	})
}

// ApprovePost accepts a pending post.
func (a *App) ApprovePost(ctx context.Context, p Principal, id ident.Post, comment string) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Approve(comment, now, p.Actor())
	})
}

// RejectPost sends a pending post back to its author.
func (a *App) RejectPost(ctx context.Context, p Principal, id ident.Post, comment string) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Reject(comment, now, p.Actor())
	})
}

// maxDecisions is how often a decision is taken anew when the post changes under it; others then won every time.
const maxDecisions = 5

// transition reads the post, decides, and applies the decision; when somebody else changed the post in between it reads
// and decides again, so that the answer always speaks of the post as it is.
func (a *App) transition(ctx context.Context, p Principal, id ident.Post, decide func(post.Post, time.Time) (post.Change, error)) (post.Post, error) {
	for range maxDecisions {
		before, err := a.posts.Get(ctx, p.WorkspaceID, id)
		if err != nil {
			return post.Post{}, err
		}
		change, err := decide(before, a.now())
		if err != nil {
			return post.Post{}, err
		}
		if err := a.checkScheduled(ctx, p, change); err != nil {
			return post.Post{}, err
		}
		err = a.posts.Apply(ctx, change)
		if err == nil {
			a.poke(left(change))
			return change.Post, nil
		}
		if !errors.Is(err, postgres.ErrStale) {
			return post.Post{}, err
		}
	}
	return post.Post{}, apperr.New(apperr.PublishInProgress, "The post is being changed by others at this moment; try again.")
}

func (a *App) checkScheduled(ctx context.Context, p Principal, change post.Change) error {
	if change.Post.Status != post.Scheduled {
		return nil
	}
	channels, err := a.publishable(ctx, p, []ident.Channel{change.Post.ChannelID}, false)
	if err != nil {
		return err
	}
	return a.checkReady([]post.Change{change}, channels)
}
