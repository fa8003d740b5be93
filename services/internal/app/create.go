package app

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
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
	// Offset is the one that the client sent with the time, such as +02:00; empty for a time in UTC or of a zone.
	Offset string
}

// CreatePosts is a request to create a set of posts, one for each channel.
type CreatePosts struct {
	ChannelIDs []ident.Channel
	Content    string
	Title      string
	// ContentType is empty if the client sent none: it then follows from the options and the files, or is POST.
	ContentType post.ContentType
	MediaIDs    []ident.Media
	// MediaAltTexts must have texts of assets in MediaIDs only.
	MediaAltTexts post.AltTexts
	Schedule      Schedule
	// Platform is set by the endpoint of one platform. The channels must then have one of its types, and Options are
	// checked.
	Platform *Platform
	// Options are the options of all posts, whose channels must be of one network. HasOptions reports that the client sent
	// them, which may be empty.
	Options    post.Options
	HasOptions bool
	Thread     []post.Part // the parts after the first, which has the content
	Comment    post.Comment
	// Variants have what posts have of their own. Each is of another channel in ChannelIDs.
	Variants   []Variant
	Labels     []string // as post.ReadLabels returns them
	CampaignID ident.Campaign
	ExternalID string
	Metadata   post.Metadata
	After      After // of all posts, apart from those whose variant has its own
	// Existing has the posts that the request is a change of, by their channels, for Preview.
	Existing map[ident.Channel]ident.Post
	// waits lets channels without access have the posts, which wait for it as posts do that were scheduled before.
	waits bool
}

// Authorize returns INSUFFICIENT_SCOPE unless the client may create these posts. Everything except drafts requires
// posts:publish.
func (in CreatePosts) Authorize(p Principal) error {
	if in.Schedule.Kind == ScheduleDraft {
		return nil
	}
	return p.Require(credential.PostsPublish)
}

// creation is a CreatePosts with its posts.
type creation struct {
	CreatePosts

	now      time.Time
	channels map[ident.Channel]channel.Channel
	entries  []entry
	chain    []apperr.Field     // what is wrong with what the posts wait for
	into     *postgres.Creation // nil: the posts are stored at once
}

// CreatePosts creates one post per channel, all or none. Errors: NOT_FOUND for an unknown channel or asset,
// CHANNEL_NOT_PUBLISHABLE, CHANNEL_TYPE_MISMATCH, CHANNEL_DISCONNECTED, SCHEDULED_IN_PAST, NO_FREE_SLOT, QUEUE_PAUSED,
// EXTERNAL_ID_IN_USE, and VALIDATION_FAILED with every fault of the content unless the posts are drafts.
func (a *postUseCases) CreatePosts(ctx context.Context, p Principal, in CreatePosts) ([]post.Post, error) {
	return a.create(ctx, p, in, nil)
}

// Creator creates posts as CreatePosts does. Once passes one that may write them together with the response.
type Creator func(ctx context.Context, p Principal, in CreatePosts) ([]post.Post, error)

// errNeedsTransaction is returned for posts that one statement cannot create.
var errNeedsTransaction = errors.New("the posts take slots, in a transaction")

// create creates posts. It hands them to the Creation, if there is one, and otherwise stores them.
func (a *postUseCases) create(
	ctx context.Context, p Principal, in CreatePosts, into *postgres.Creation,
) ([]post.Post, error) {
	if err := in.Authorize(p); err != nil {
		return nil, err
	}
	c, err := a.resolve(ctx, p, in)
	if err != nil {
		return nil, err
	}
	c.into = into
	if in.Schedule.Kind != ScheduleNextSlot {
		return a.insert(ctx, p, c, nil)
	}
	if into != nil {
		return nil, errNeedsTransaction
	}
	var created []post.Post
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		slots, err := a.scheduling.takeSlots(ctx, c.channels, in.ChannelIDs, c.now)
		if err != nil {
			return err
		}
		created, err = a.insert(ctx, p, c, slots)
		return err
	})
	return created, err
}

// resolve loads the channels, assets and labels of a request, and checks whether the channels accept the posts.
func (a *postUseCases) resolve(ctx context.Context, p Principal, in CreatePosts) (creation, error) {
	c := creation{CreatePosts: in, now: a.now()}
	draft := in.Schedule.Kind == ScheduleDraft
	var err error
	if c.channels, err = a.scheduling.channelsOf(ctx, p, in.ChannelIDs, draft); err != nil {
		return c, err
	}
	for _, id := range in.ChannelIDs {
		if err := a.admits(in, c.channels[id]); err != nil {
			return c, err
		}
		if draft || in.waits {
			continue
		}
		if err := a.scheduling.ready(c.channels[id]); err != nil {
			return c, err
		}
	}
	if c.entries, err = a.entriesOf(ctx, p, in, c.channels); err != nil {
		return c, err
	}
	if c.chain, err = a.chainFaults(ctx, p, c.entries); err != nil {
		return c, err
	}
	if c.Labels, err = a.spelled(ctx, p, in.Labels); err != nil {
		return c, err
	}
	return c, a.haveCampaign(ctx, p, in.CampaignID)
}

// admits checks whether posts of this kind can be created for the channel.
func (a *postUseCases) admits(in CreatePosts, c channel.Channel) error {
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
func (a *postUseCases) insert(
	ctx context.Context, p Principal, c creation, slots map[ident.Channel]time.Time,
) ([]post.Post, error) {
	if err := a.checkContent(p, c); err != nil {
		return nil, err
	}
	changes := make([]post.Change, len(c.entries))
	var group ident.Group
	if len(c.entries) > 1 {
		group = ident.New[ident.Group]()
	}
	for i, e := range c.entries {
		in := c.newPost(p, e)
		if in.GroupID = group; group.IsZero() { // no other post shares the base
			in.Own = nil
		}
		in.Policy = c.channels[e.ChannelID].Approval()
		if at, ok := slots[e.ChannelID]; ok {
			in.ScheduleAt = at
		}
		var err error
		if changes[i], err = post.Create(in, c.now, p.Actor()); err == nil {
			changes[i], err = a.sanctioned(ctx, p, changes[i])
		}
		if err != nil {
			return nil, err
		}
	}
	chained(c.entries, changes)
	wake := func() { a.wake(remaining(changes[0])) }
	if c.into != nil {
		return created(changes), c.into.Insert(changes, wake)
	}
	err := a.unlessInUse(ctx, p, c.ExternalID, c.ChannelIDs, func(ctx context.Context) error {
		return a.posts.Insert(ctx, changes)
	})
	if err != nil {
		return nil, err
	}
	a.db.AfterCommit(ctx, wake)
	return created(changes), nil
}

func (c creation) newPost(p Principal, e entry) post.NewPost {
	n := e.NewPost
	n.WorkspaceID, n.AuthorID = p.WorkspaceID, p.Author()
	n.Labels, n.CampaignID, n.ExternalID, n.Metadata = c.Labels, c.CampaignID, c.ExternalID, c.Metadata
	switch c.Schedule.Kind {
	case ScheduleNow:
		n.ScheduleAt, n.Now = c.now, true
	case ScheduleAt:
		n.ScheduleAt = c.Schedule.At
	case ScheduleDraft, ScheduleNextSlot:
	}
	return n
}

// checkContent returns the faults of the request together with those of the content by the rules of its networks. Drafts
// may break these.
func (a *postUseCases) checkContent(p Principal, c creation) error {
	faults := append(append(c.faults(c.entries), p.scriptFaults(c.Metadata)...), c.chain...)
	if c.Schedule.Kind == ScheduleDraft {
		return apperr.Invalid(append(faults, a.optionFaults(c.entries)...))
	}
	for _, e := range c.entries {
		faults = append(faults, faultsOf(e.pointed(a.scheduling.findings(e.of, e.content())), e.of)...)
		faults = append(faults, a.undescribed(p, e.of, e.content())...)
	}
	if c.Platform != nil {
		faults = c.Platform.pointAt(faults)
	}
	return c.Schedule.check(faults, c.now)
}

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
	if len(c.Events) > 0 {
		what |= relay.Events
	}
	if c.Wake {
		what |= relay.Messages
	}
	return what
}
