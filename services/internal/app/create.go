package app

import (
	"cmp"
	"context"
	"strings"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// ScheduleKind selects when a post is published.
type ScheduleKind int

// The kinds of the schedule field (docs/contract.md, Creating posts).
const (
	ScheduleDraft ScheduleKind = iota
	ScheduleNow
	ScheduleNextSlot
	ScheduleAt
)

// Schedule is the parsed schedule field of a request.
type Schedule struct {
	Kind ScheduleKind
	At   time.Time // for ScheduleAt
}

// CreatePosts is a request to create one post per channel.
type CreatePosts struct {
	ChannelIDs  []ident.Channel
	Content     string
	Title       string
	ContentType post.ContentType
	MediaIDs    []ident.Media
	// MediaAltTexts must have texts of assets in MediaIDs only.
	MediaAltTexts post.AltTexts
	Schedule      Schedule
	// Platform is set by the endpoint of one platform. The channels must then have one of its types, and Options are
	// checked.
	Platform *Platform
	Options  post.Options
	// OptionsHint says how a client sends options that the request lacks; empty means the way of the REST API.
	OptionsHint string
}

// Authorize returns INSUFFICIENT_SCOPE unless the client may create these posts. Everything except drafts requires
// posts:publish.
func (in CreatePosts) Authorize(p Principal) error {
	if in.Schedule.Kind == ScheduleDraft {
		return nil
	}
	return p.Require(credential.PostsPublish)
}

// creation is a CreatePosts with its channels and assets loaded.
type creation struct {
	CreatePosts

	now      time.Time
	channels map[ident.Channel]channel.Channel
	assets   []media.Asset
}

// CreatePosts creates one post per channel, all or none. Errors: NOT_FOUND for an unknown channel or asset,
// CHANNEL_NOT_PUBLISHABLE, CHANNEL_TYPE_MISMATCH, CHANNEL_DISCONNECTED, SCHEDULED_IN_PAST, NO_FREE_SLOT, QUEUE_PAUSED,
// and VALIDATION_FAILED with every fault of the content unless the posts are drafts.
func (a *App) CreatePosts(ctx context.Context, p Principal, in CreatePosts) ([]post.Post, error) {
	if err := in.Authorize(p); err != nil {
		return nil, err
	}
	c, err := a.resolve(ctx, p, in)
	if err != nil {
		return nil, err
	}
	if in.Schedule.Kind != ScheduleNextSlot {
		return a.insert(ctx, p, c, nil)
	}
	var created []post.Post
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		slots, err := a.takeSlots(ctx, c.channels, in.ChannelIDs, c.now)
		if err != nil {
			return err
		}
		created, err = a.insert(ctx, p, c, slots)
		return err
	})
	return created, err
}

// resolve loads the channels and assets of a request, and checks whether the channels accept the posts.
func (a *App) resolve(ctx context.Context, p Principal, in CreatePosts) (creation, error) {
	c := creation{CreatePosts: in, now: a.now()}
	var err error
	if c.channels, err = a.channelsOf(ctx, p, in.ChannelIDs, in.Schedule.Kind == ScheduleDraft); err != nil {
		return c, err
	}
	for _, id := range in.ChannelIDs {
		if err := a.admits(in, c.channels[id]); err != nil {
			return c, err
		}
		if in.Schedule.Kind == ScheduleDraft {
			continue
		}
		if err := a.ready(c.channels[id]); err != nil {
			return c, err
		}
	}
	c.assets, err = a.assetsOf(ctx, p, in.MediaIDs)
	return c, err
}

// admits checks whether posts of this kind can be created for the channel.
func (a *App) admits(in CreatePosts, c channel.Channel) error {
	if in.Platform != nil {
		if err := a.admitsOptions(*in.Platform, c, in.Options); err != nil {
			return err
		}
	}
	if !c.Type.Capabilities().Publish {
		return apperr.New(apperr.ChannelNotPublishable, "Channel %s is of type %s, which cannot be published to.", c.ID,
			c.Type)
	}
	return nil
}

// insert creates the posts and stores them. Slots holds the times by channel of queued posts.
func (a *App) insert(
	ctx context.Context, p Principal, c creation, slots map[ident.Channel]time.Time,
) ([]post.Post, error) {
	changes := make([]post.Change, len(c.ChannelIDs))
	for i, id := range c.ChannelIDs {
		in := a.newPost(p, c, id)
		if at, ok := slots[id]; ok {
			in.ScheduleAt = at
		}
		var err error
		if changes[i], err = post.Create(in, c.now, p.Actor()); err != nil {
			return nil, err
		}
	}
	if c.Schedule.Kind != ScheduleDraft {
		if err := a.checkContent(c, changes); err != nil {
			return nil, err
		}
	}
	if err := a.posts.Insert(ctx, changes); err != nil {
		return nil, err
	}
	a.db.AfterCommit(ctx, func() { a.wake(remaining(changes[0])) })
	return created(changes), nil
}

func (a *App) newPost(p Principal, c creation, id ident.Channel) post.NewPost {
	n := post.NewPost{
		WorkspaceID: p.WorkspaceID, ChannelID: id, AuthorID: p.Author(), Content: c.Content, Title: c.Title, ContentType: c.ContentType,
		MediaIDs: c.MediaIDs, MediaAltTexts: c.MediaAltTexts, Options: c.Options, HasOptions: c.Platform != nil,
	}
	if c.Platform != nil {
		n.ContentType = a.contentTypeOf(c.channels[id].Type, c.assets, c.Options)
	}
	switch c.Schedule.Kind {
	case ScheduleNow:
		n.ScheduleAt, n.Now = c.now, true
	case ScheduleAt:
		n.ScheduleAt = c.Schedule.At
	case ScheduleDraft, ScheduleNextSlot:
	}
	return n
}

// checkContent checks the content of new posts against the rules of their networks.
func (a *App) checkContent(c creation, changes []post.Change) error {
	var faults []apperr.Field
	for _, change := range changes {
		of := c.channels[change.Post.ChannelID]
		found := c.reachable(a.findings(of, platform.ContentOf(change.Post, c.assets)))
		faults = append(faults, faultsOf(found, of)...)
	}
	if c.Platform != nil {
		faults = c.Platform.pointAt(faults)
	}
	return c.Schedule.check(faults, c.now)
}

// reachable completes the findings about options that the request cannot have: their remedies say how to send them.
func (in CreatePosts) reachable(found []platform.Finding) []platform.Finding {
	for i := range found {
		if in.Platform == nil && strings.HasPrefix(found[i].Member, "options/") {
			found[i].Message += " " + cmp.Or(in.OptionsHint, optionsHint)
		}
	}
	return found
}

// optionsHint is the remedy of the REST API.
const optionsHint = "This operation takes no options: create a draft, set its options with PATCH /v1/posts/{id}, then " +
	"schedule it."

// check returns the faults of a request together with that of its publish time.
func (s Schedule) check(faults []apperr.Field, now time.Time) error {
	if s.Kind != ScheduleAt {
		return apperr.Invalid(faults)
	}
	return post.CheckTime(faults, "schedule", s.At, now)
}

func created(changes []post.Change) []post.Post {
	posts := make([]post.Post, len(changes))
	for i, c := range changes {
		posts[i] = c.Post
	}
	return posts
}

// remaining returns the row kinds that a change leaves for the relay.
func remaining(c post.Change) (what relay.Wake) {
	if c.Event != nil {
		what |= relay.Events
	}
	if c.Wake {
		what |= relay.Messages
	}
	return what
}
