package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"fencepost.internal/services/internal/livechange"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/rules"
)

// Live implements the use cases of people who change published posts on their networks. It is not part of App, so
// that neither the API nor the tools can offer them: neither may change a PUBLISHED post
// (docs/contract.md, Published posts).
type Live struct {
	posts      *postgres.Posts
	channels   *postgres.Channels
	media      *postgres.Media
	changes    *postgres.LiveChanges
	changer    *livechange.Changer
	connectors *platform.Registry
	rules      rules.Table
	clock      clock.Clock
	appURL     string
}

// LiveDeps holds the dependencies of Live.
type LiveDeps struct {
	DB         *postgres.DB
	Keyring    *secretbox.Keyring
	Connectors *platform.Registry
	Rules      rules.Table
	Clock      clock.Clock
	Logger     *slog.Logger
	// Wake notifies the relay of committed rows. It never blocks. Without it, relays find the rows at their next tick.
	Wake func(relay.Wake)
	// AppURL is the address of the application, to which messages link; empty: they only name it.
	AppURL string
	// SendWindow and CommitTimeout are those of the worker. Zero means their defaults.
	SendWindow, CommitTimeout time.Duration
}

// NewLive returns the use cases.
func NewLive(d LiveDeps) (*Live, error) {
	if d.DB == nil || d.Keyring == nil || d.Connectors == nil || d.Rules == nil || d.Clock == nil || d.Logger == nil {
		return nil, errors.New("app: DB, Keyring, Connectors, Rules, Clock and Logger are required")
	}
	if d.Wake == nil {
		d.Wake = func(relay.Wake) {}
	}
	channels, changes := postgres.NewChannels(d.DB, d.Keyring), postgres.NewLiveChanges(d.DB, d.Keyring)
	keeper, err := access.New(channels, d.Clock)
	if err != nil {
		return nil, err
	}
	changer, err := livechange.New(livechange.Config{
		Changes: changes, Access: keeper, Connectors: d.Connectors, Clock: d.Clock, Logger: d.Logger,
		Wake: func() { d.Wake(relay.Events) }, SendWindow: d.SendWindow, CommitTimeout: d.CommitTimeout,
	})
	if err != nil {
		return nil, err
	}
	return &Live{
		posts: postgres.NewPosts(d.DB), channels: channels, media: postgres.NewMedia(d.DB), changes: changes,
		changer: changer, connectors: d.Connectors, rules: d.Rules, clock: d.Clock,
		appURL: d.AppURL,
	}, nil
}

// LivePerson is a person who changes published posts. The caller has checked the person's role.
type LivePerson struct {
	WorkspaceID ident.Workspace
	Actor       post.Actor      // the person's name in timelines
	Channels    []ident.Channel // as of a Principal
}

// Edit replaces the text of a published post on its network and in the record. The returned change is open if the
// network gave no clear response; a worker then continues, and the post's timeline shows the end. Errors: NOT_FOUND,
// INVALID_STATE, CHANNEL_TYPE_MISMATCH, CHANNEL_DISCONNECTED, VALIDATION_FAILED for a text that the network refuses, and
// PUBLISH_IN_PROGRESS while another change of the post is open.
func (l *Live) Edit(ctx context.Context, by LivePerson, id ident.Post, text string) (post.LiveChange, error) {
	return l.change(ctx, by, id, post.LiveEdit, text)
}

// Delete deletes a published post from its network. The record stays. The result and the errors are those of Edit.
func (l *Live) Delete(ctx context.Context, by LivePerson, id ident.Post) (post.LiveChange, error) {
	return l.change(ctx, by, id, post.LiveDelete, "")
}

// Changes returns the changes of a published post, oldest first.
func (l *Live) Changes(ctx context.Context, by LivePerson, id ident.Post) ([]post.LiveChange, error) {
	if _, err := l.posts.For(by.Channels).Get(ctx, by.WorkspaceID, id); err != nil {
		return nil, err
	}
	return l.changes.List(ctx, id)
}

// Deleted reports which of the posts of the person's workspace were deleted from their networks by a live change.
func (l *Live) Deleted(ctx context.Context, by LivePerson, posts []post.Post) (map[ident.Post]bool, error) {
	var published []ident.Post
	for _, p := range posts {
		if p.Status == post.Published && p.WorkspaceID == by.WorkspaceID {
			published = append(published, p.ID)
		}
	}
	if len(published) == 0 {
		return nil, nil
	}
	return l.changes.Deleted(ctx, published)
}

func (l *Live) change(
	ctx context.Context, by LivePerson, id ident.Post, action post.LiveAction, text string,
) (post.LiveChange, error) {
	before, err := l.posts.For(by.Channels).Get(ctx, by.WorkspaceID, id)
	if err != nil {
		return post.LiveChange{}, err
	}
	of, err := l.channels.For(by.Channels).Get(ctx, by.WorkspaceID, before.ChannelID)
	if err != nil {
		return post.LiveChange{}, err
	}
	now := l.clock.Now().UTC().Truncate(time.Millisecond)
	if action == post.LiveEdit && before.Policy.People() > 0 {
		return post.LiveChange{}, &apperr.Error{
			Code: apperr.ApprovalRequired, CurrentStatus: string(before.Status),
			Message: "The text was approved as it is. Delete the post from its network, and publish another one.",
		}
	}
	change, err := before.ChangeLive(action, text, now, by.Actor)
	if err == nil {
		err = l.allowed(ctx, of, before, change)
	}
	if err != nil {
		return post.LiveChange{}, err
	}
	created, err := l.changer.Begin(ctx, change)
	switch {
	case errors.Is(err, postgres.ErrFenced):
		return l.begun(ctx, change)
	case errors.Is(err, postgres.ErrStale): // a worker took it over, because this process was paused
		return l.latest(ctx, id)
	default:
		return created, err
	}
}

// begun returns the open change of the post if it is the same, and otherwise PUBLISH_IN_PROGRESS.
func (l *Live) begun(ctx context.Context, wanted post.LiveChange) (post.LiveChange, error) {
	last, err := l.latest(ctx, wanted.PostID)
	if err == nil && (!last.State.Open() || !last.Same(wanted)) {
		err = apperr.New(apperr.PublishInProgress, "Another change of the published post is being made; try again later.")
	}
	return last, err
}

func (l *Live) latest(ctx context.Context, id ident.Post) (post.LiveChange, error) {
	changes, err := l.changes.List(ctx, id)
	if err != nil || len(changes) == 0 {
		return post.LiveChange{}, errors.Join(err, postgres.ErrStale)
	}
	return changes[len(changes)-1], nil
}

// allowed checks what can be known without a call: the network, its connection, what it has of the post, the age of the
// post, and the rules of the network for its text.
func (l *Live) allowed(ctx context.Context, of channel.Channel, before post.Post, change post.LiveChange) error {
	link, _ := l.connectors.Link(of)
	changer, can := link.(platform.LiveChanger)
	can = can && (change.Action == post.LiveEdit && of.Type.Capabilities().EditAfterPublish ||
		change.Action == post.LiveDelete && of.Type.Capabilities().DeleteAfterPublish)
	if !can {
		return typeMismatch(of, slices.DeleteFunc(channel.Types(), func(t channel.Type) bool {
			return !t.Capabilities().EditAfterPublish
		}))
	}
	if !of.Ready() {
		return apperr.New(apperr.ChannelDisconnected,
			"Channel %s (%s) is not connected; reconnect it in the application first%s", of.ID, of.Name,
			ChannelPage.Link(l.appURL, of.WorkspaceID, of.ID))
	}
	published, err := l.changes.Published(ctx, before.ID)
	switch {
	case apperr.Is(err, apperr.NotFound), err == nil && published.ExternalID == "":
		return stateError(before, "The network's id of the post is not known. Change it on its network.")
	case err != nil:
		return err
	case published.Deleted:
		return stateError(before, "The post was deleted from its network.")
	}
	if change.Action == post.LiveEdit {
		return l.fits(ctx, of, before, change.Text)
	}
	return deletable(changer, before, published, change.RequestedAt)
}

func deletable(changer platform.LiveChanger, before post.Post, published postgres.Published, now time.Time) error {
	if now.Sub(before.PublishedAt) >= changer.DeleteWithin() {
		return stateError(before, "The network allows deletion for "+changer.DeleteWithin().String()+
			" after publishing. The post was published at "+event.FormatTime(before.PublishedAt)+". Delete it on its network.")
	}
	if len(before.MediaIDs) > 1 && len(published.Parts) != len(before.MediaIDs) {
		return stateError(before, "The network's ids of the files of this post are not known, because it was published by an "+
			"earlier version. Delete it on its network.")
	}
	return nil
}

func stateError(p post.Post, message string) error {
	return &apperr.Error{Code: apperr.InvalidState, CurrentStatus: string(p.Status), Message: message}
}

// fits checks the new text by the rules of the network.
func (l *Live) fits(ctx context.Context, of channel.Channel, before post.Post, text string) error {
	before.Content = text
	assets, err := l.media.InOrder(ctx, before.WorkspaceID, before.MediaIDs)
	if err != nil {
		return err
	}
	return apperr.Invalid(faultsOf(l.rules.Check(of.Type, platform.ContentOf(before, assets)), of))
}
