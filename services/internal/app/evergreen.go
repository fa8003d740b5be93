package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/evergreen"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// evergreenUseCases are those of posts that fill free slots again and again.
type evergreenUseCases struct {
	*Records

	series     *seriesUseCases
	scheduling *channelUseCases
	store      *postgres.Evergreens
}

// Evergreens returns the evergreen posts of the workspace, in the order of their creation.
func (a *evergreenUseCases) Evergreens(ctx context.Context, p Principal) ([]evergreen.Post, error) {
	all, err := a.store.List(ctx, p.WorkspaceID)
	return slices.DeleteFunc(all, func(of evergreen.Post) bool { return !p.MayUse(of.ChannelID) }), err
}

// Evergreen returns an evergreen post; NOT_FOUND if the workspace has no such post.
func (a *evergreenUseCases) Evergreen(ctx context.Context, p Principal, id ident.Evergreen) (evergreen.Post, error) {
	of, err := a.store.Get(ctx, p.WorkspaceID, id)
	if err == nil && !p.MayUse(of.ChannelID) {
		return evergreen.Post{}, apperr.New(apperr.NotFound, "There is no such evergreen post.")
	}
	return of, err
}

// EvergreenRules returns the rules of the workspace's channels. A channel without one is missing.
func (a *evergreenUseCases) EvergreenRules(ctx context.Context, p Principal) (map[ident.Channel]evergreen.Rule, error) {
	return a.store.Rules(ctx, p.WorkspaceID)
}

// EvergreenContent returns what the posts of an evergreen post have.
func (a *evergreenUseCases) EvergreenContent(of evergreen.Post) (in CreatePosts, err error) {
	if err := json.Unmarshal(of.Content, &in); err != nil {
		return in, fmt.Errorf("decode the content of an evergreen post: %w", err)
	}
	return in, nil
}

// AddEvergreen makes the content of a post evergreen on its channel, in the name of the person. The post counts as its first use, if
// it has a time. VALIDATION_FAILED for a wrong cooldown and for one post too many, NOT_FOUND for an unknown post.
func (a *evergreenUseCases) AddEvergreen(ctx context.Context, p Principal, id ident.Post, cooldown int) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	of, err := a.series.sets.one.Post(ctx, p, id)
	if err != nil {
		return err
	}
	list, err := a.store.Of(ctx, of.ChannelID)
	if err != nil {
		return err
	}
	var faults []apperr.Field
	if fault := evergreen.CooldownFault(cooldown); fault != "" {
		faults = append(faults, apperr.Field{Pointer: "/cooldown", Message: fault})
	}
	if len(list) >= evergreen.MaxPerChannel {
		faults = append(faults, apperr.Field{Pointer: "/cooldown", Message: fmt.Sprintf("The channel has %d evergreen posts. Remove one first.", len(list))})
	}
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	in := contentOf([]post.Post{of})
	content, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the content of an evergreen post: %w", err)
	}
	added := evergreen.Post{
		ID: ident.New[ident.Evergreen](), WorkspaceID: p.WorkspaceID, ChannelID: of.ChannelID, AuthorID: p.Person.ID, Content: content,
		Cooldown: cooldown, LastAt: of.PublishedAt, CreatedAt: a.now(),
	}
	if added.LastAt.IsZero() {
		added.LastAt = of.ScheduledAt
	}
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		if err := a.store.Put(ctx, added); err != nil {
			return err
		}
		return a.refer(ctx, added, in.attached(), in.Content)
	})
}

// refer keeps the files of an evergreen post from deletion.
func (a *evergreenUseCases) refer(ctx context.Context, of evergreen.Post, files []ident.Media, text string) error {
	const label = 80 // characters
	return a.series.references.Set(ctx, postgres.Owner{
		WorkspaceID: of.WorkspaceID, Type: media.OwnerEvergreen, ID: of.ID.String(), Label: beginning(text, label),
	}, files)
}

// ChangeEvergreen changes the cooldown of an evergreen post, in the name of the person. The errors are those of AddEvergreen.
func (a *evergreenUseCases) ChangeEvergreen(ctx context.Context, p Principal, id ident.Evergreen, cooldown int) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	of, err := a.Evergreen(ctx, p, id)
	if err != nil {
		return err
	}
	if fault := evergreen.CooldownFault(cooldown); fault != "" {
		return apperr.Invalid([]apperr.Field{{Pointer: "/cooldown", Message: fault}})
	}
	of.Cooldown, of.AuthorID, of.Fault = cooldown, p.Person.ID, ""
	return a.store.Put(ctx, of)
}

// RemoveEvergreen removes an evergreen post; the posts that were made of it stay.
func (a *evergreenUseCases) RemoveEvergreen(ctx context.Context, p Principal, id ident.Evergreen) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		of, err := a.Evergreen(ctx, p, id)
		if err == nil {
			err = a.refer(ctx, of, nil, "")
		}
		if err != nil {
			return err
		}
		return a.store.Delete(ctx, p.WorkspaceID, id)
	})
}

// SetEvergreenRule says how the free slots of a channel are filled, and fills them. VALIDATION_FAILED for faults of the rule,
// NOT_FOUND for an unknown channel.
func (a *evergreenUseCases) SetEvergreenRule(ctx context.Context, p Principal, rule evergreen.Rule) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	if _, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, rule.ChannelID); err != nil {
		return err
	}
	if err := apperr.Invalid(rule.Faults()); err != nil {
		return err
	}
	rule.WorkspaceID = p.WorkspaceID
	if err := a.store.PutRule(ctx, rule); err != nil {
		return err
	}
	return a.fillChannel(ctx, rule.ChannelID)
}

// FillSlots fills the free slots of all channels with evergreen posts. A channel that cannot be filled does not hold up the others.
func (a *evergreenUseCases) FillSlots(ctx context.Context) error {
	ids, err := a.store.Active(ctx)
	for _, id := range ids {
		err = errors.Join(err, a.fillChannel(ctx, id))
	}
	return err
}

// fillChannel fills the free slots of a channel, each in its own transaction.
func (a *evergreenUseCases) fillChannel(ctx context.Context, id ident.Channel) error {
	for more := true; more; {
		err := a.db.WithinRetriedTx(ctx, func(ctx context.Context) (err error) {
			more, err = a.fillNext(ctx, id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillNext fills the next free slot of a channel; false if there is none to fill, or another process fills the channel.
func (a *evergreenUseCases) fillNext(ctx context.Context, id ident.Channel) (bool, error) {
	rule, ok, err := a.store.Claim(ctx, id)
	if err != nil || !ok {
		return false, err
	}
	c, err := a.channels.Get(ctx, rule.WorkspaceID, id)
	if err != nil || c.Paused() || !c.Ready() {
		return false, err
	}
	list, err := a.store.Of(ctx, id)
	if err != nil || len(list) == 0 {
		return false, err
	}
	free, err := a.free(ctx, c, rule)
	if err != nil {
		return false, err
	}
	for _, at := range free {
		chosen, ok := evergreen.Choose(list, at)
		if !ok {
			continue
		}
		taken, err := a.take(ctx, c, at)
		if err != nil {
			return false, err
		}
		if taken {
			return true, a.fill(ctx, chosen, at)
		}
	}
	return false, nil
}

// take reserves a slot in the transaction; false if another one holds it, or a post took it meanwhile.
func (a *evergreenUseCases) take(ctx context.Context, c channel.Channel, at time.Time) (bool, error) {
	if err := a.scheduling.channels.EnterQueue(ctx, c.ID); err != nil {
		return false, err
	}
	if taken, err := a.scheduling.channels.TakeSlot(ctx, c.ID, at); err != nil || !taken {
		return false, err
	}
	held, err := a.scheduling.posts.TimesHeld(ctx, c.ID, at.Add(-time.Millisecond), at)
	return len(held) == 0, err
}

// free returns the slots of a channel that may be filled: those without a post that were not filled before, on days that have not
// their number yet.
func (a *evergreenUseCases) free(ctx context.Context, c channel.Channel, rule evergreen.Rule) ([]time.Time, error) {
	zone, err := zoneOf(c)
	if err != nil {
		return nil, err
	}
	slots, err := a.scheduling.channels.Slots(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	now := a.now()
	until := rule.Until(now)
	filled, err := a.store.Filled(ctx, c.ID, now.Add(-oneDay), until.Add(oneDay))
	if err != nil {
		return nil, err
	}
	held, err := a.scheduling.posts.TimesHeld(ctx, c.ID, now, until)
	if err != nil {
		return nil, err
	}
	dayOf := func(at time.Time) string { return at.In(zone).Format(time.DateOnly) }
	perDay := make(map[string]int)
	for _, at := range filled {
		perDay[dayOf(at)]++
	}
	var free []time.Time
	for at := range slot.Instants(slots, zone, now, until) {
		same := func(other time.Time) bool { return other.Equal(at) }
		if perDay[dayOf(at)] < rule.PerDay && !slices.ContainsFunc(held, same) && !slices.ContainsFunc(filled, same) {
			free = append(free, at)
		}
	}
	return free, nil
}

// fill makes the post of a slot, and records that it is filled.
func (a *evergreenUseCases) fill(ctx context.Context, of evergreen.Post, at time.Time) error {
	of.LastAt = at
	p, member, err := a.series.authorOf(ctx, of.AuthorID, of.WorkspaceID)
	if err != nil {
		return err
	}
	var used ident.Post
	if of.Fault = "Its author left the workspace. Save it again to go on."; member {
		in, err := a.EvergreenContent(of)
		if err != nil {
			return err
		}
		var created []post.Post
		if created, of.Fault, err = a.series.plan(ctx, p, in, at); err != nil {
			return err
		}
		used = created[0].ID
	}
	if _, err := a.store.Fill(ctx, of, at, used); err != nil {
		return err
	}
	return a.store.Put(ctx, of)
}
