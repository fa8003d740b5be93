package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/infra/feed"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// sourceUseCases are those of feeds of other sites, whose items become drafts.
type sourceUseCases struct {
	*Records

	series *seriesUseCases
	store  *postgres.Sources
	reader *feed.Reader
}

// Sources returns the feeds of the workspace, oldest first.
func (a *sourceUseCases) Sources(ctx context.Context, p Principal) ([]source.Source, error) {
	all, err := a.store.List(ctx, p.WorkspaceID)
	return slices.DeleteFunc(all, func(s source.Source) bool { return !p.MayUse(s.Channels...) }), err
}

// Source returns a feed; NOT_FOUND if the workspace has no such feed.
func (a *sourceUseCases) Source(ctx context.Context, p Principal, id ident.Source) (source.Source, error) {
	s, err := a.store.Get(ctx, p.WorkspaceID, id)
	if err == nil && !p.MayUse(s.Channels...) {
		return source.Source{}, apperr.New(apperr.NotFound, "There is no such feed.")
	}
	return s, err
}

// AddSource reads a feed and stores it. Of the items that it has now, the newest becomes a draft if the person wants it; all others
// count as seen. VALIDATION_FAILED with every fault, also if the address gives no feed.
func (a *sourceUseCases) AddSource(ctx context.Context, p Principal, s source.Source, newest bool) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	list, err := a.store.List(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	now := a.now()
	s.ID, s.WorkspaceID, s.AuthorID, s.CreatedAt = ident.New[ident.Source](), p.WorkspaceID, p.Person.ID, now
	s.ReadAt, s.NextAt = now, now.Add(source.Every)
	s, faults, err := a.checked(ctx, p, s)
	if len(list) >= source.MaxPerWorkspace {
		faults = append(faults, apperr.Field{
			Pointer: "/url", Message: fmt.Sprintf("is one too many: the workspace has %d feeds; delete one first", len(list)),
		})
	}
	if err := errors.Join(err, apperr.Invalid(faults)); err != nil {
		return err
	}
	found, err := a.reader.Read(ctx, s.URL, "", "")
	if refused, ok := errors.AsType[*feed.Refusal](err); ok {
		return apperr.Invalid([]apperr.Field{{Pointer: "/url", Message: refused.Text}})
	}
	if err != nil {
		return err
	}
	s.Title, s.ETag, s.Modified = found.Title, found.ETag, found.LastModified
	err = a.recorded(ctx, p, audit.SourceAdded, s.Name(), "", func(ctx context.Context) error {
		if err := a.store.Insert(ctx, s); err != nil {
			return err
		}
		for i, item := range found.Items {
			if i == 0 && newest {
				continue
			}
			if _, err := a.store.See(ctx, s.ID, item.Key, now); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, postgres.ErrNameInUse) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/url", Message: "is the address of another feed of the workspace; change that one"}})
	}
	if err == nil && newest && len(found.Items) > 0 {
		_, err = a.draft(ctx, s, found.Items[:1])
	}
	return err
}

// checked returns a source as it is stored, and its faults.
func (a *sourceUseCases) checked(ctx context.Context, p Principal, s source.Source) (source.Source, []apperr.Field, error) {
	s, faults := s.Read()
	all, err := a.channels.For(p.Channels).List(ctx, p.WorkspaceID)
	known := channel.ByID(all)
	if slices.ContainsFunc(s.Channels, func(id ident.Channel) bool { return !known[id].Type.Capabilities().Publish }) {
		faults = append(faults, apperr.Field{Pointer: "/channels", Message: "are not all of the workspace; choose some of the list"})
	}
	return s, faults, err
}

// ChangeSource changes the template and the channels of a feed, in the name of the person. The errors are those of AddSource, and
// NOT_FOUND.
func (a *sourceUseCases) ChangeSource(ctx context.Context, p Principal, to source.Source) error {
	return a.changeSource(ctx, p, to.ID, func(ctx context.Context, s source.Source) (source.Source, error) {
		s.Template, s.Channels, s.AuthorID = to.Template, to.Channels, p.Person.ID
		s, faults, err := a.checked(ctx, p, s)
		return s, errors.Join(err, apperr.Invalid(faults))
	})
}

// PauseSource pauses the reading of a feed, or resumes it with the next sweep.
func (a *sourceUseCases) PauseSource(ctx context.Context, p Principal, id ident.Source, paused bool) error {
	return a.changeSource(ctx, p, id, func(_ context.Context, s source.Source) (source.Source, error) {
		s.Paused = paused
		if !paused {
			s.Failures, s.Fault, s.NextAt = 0, "", a.now()
		}
		return s, nil
	})
}

func (a *sourceUseCases) changeSource(
	ctx context.Context, p Principal, id ident.Source, change func(context.Context, source.Source) (source.Source, error),
) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	s, err := a.Source(ctx, p, id)
	if err == nil {
		s, err = change(ctx, s)
	}
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.SourceChanged, s.Name(), "", func(ctx context.Context) error { return a.store.Update(ctx, s) })
}

// DeleteSource deletes a feed; its drafts stay. NOT_FOUND if the workspace has no such feed.
func (a *sourceUseCases) DeleteSource(ctx context.Context, p Principal, id ident.Source) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	s, err := a.Source(ctx, p, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.SourceDeleted, s.Name(), "", func(ctx context.Context) error {
		return a.store.Delete(ctx, p.WorkspaceID, id)
	})
}

// ReadSources reads the feeds of all workspaces that are due. A feed that cannot be read does not hold up the others. Each process
// takes feeds of its own.
func (a *sourceUseCases) ReadSources(ctx context.Context) error {
	const most, readers = 1000, 8
	due, err := a.store.Due(ctx, a.now(), most)
	failed := make([]error, len(due))
	var group errgroup.Group
	group.SetLimit(readers)
	for i, id := range due {
		group.Go(func() error {
			s, ours, err := a.store.Claim(ctx, id, a.now(), a.now().Add(source.Every))
			if err == nil && ours {
				err = a.readSource(ctx, s)
			}
			failed[i] = err
			return nil
		})
	}
	return errors.Join(err, group.Wait(), errors.Join(failed...))
}

// ReadSource reads a feed now; NOT_FOUND if the workspace has no such feed. What prevents it is in the feed afterwards.
func (a *sourceUseCases) ReadSource(ctx context.Context, p Principal, id ident.Source) (source.Source, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return source.Source{}, err
	}
	s, err := a.Source(ctx, p, id)
	if err == nil {
		err = a.readSource(ctx, s)
	}
	if err != nil {
		return s, err
	}
	return a.Source(ctx, p, id)
}

// readSource makes drafts of the new items of a feed.
func (a *sourceUseCases) readSource(ctx context.Context, s source.Source) error {
	found, err := a.reader.Read(ctx, s.URL, s.ETag, s.Modified)
	refused, ok := errors.AsType[*feed.Refusal](err)
	switch {
	case ok:
		return a.store.Heard(ctx, s.Failed(refused.Text, a.now()))
	case err != nil:
		return err
	}
	seen, err := a.store.Seen(ctx, s.ID)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(found.Items, func(i feed.Item) bool { return seen[i.Key] })
	slices.Reverse(fresh) // the oldest first
	rest := len(fresh) > source.MostDrafts
	why, err := a.draft(ctx, s, fresh[:min(len(fresh), source.MostDrafts)])
	switch {
	case err != nil:
		return err
	case why != "":
		return a.store.Heard(ctx, s.Failed(why, a.now()))
	}
	s.Failures, s.Fault, s.ReadAt = 0, "", a.now()
	if s.ETag, s.Modified = found.ETag, found.LastModified; rest { // the next response must have the others again
		s.ETag, s.Modified = "", ""
	}
	return a.store.Heard(ctx, s)
}

// draft makes drafts of items, each in a transaction with the record that it was seen, so that no item becomes two. It returns why
// it cannot.
func (a *sourceUseCases) draft(ctx context.Context, s source.Source, items []feed.Item) (why string, err error) {
	if len(items) == 0 {
		return "", nil
	}
	p, member, err := a.series.authorOf(ctx, s.AuthorID, s.WorkspaceID)
	if err != nil || !member {
		return "Its author left the workspace. Save the feed again to go on.", err
	}
	all, err := a.channels.List(ctx, s.WorkspaceID)
	if err != nil {
		return "", err
	}
	known := channel.ByID(all)
	channels := slices.DeleteFunc(slices.Clone(s.Channels), func(id ident.Channel) bool { _, ok := known[id]; return !ok })
	if len(channels) == 0 {
		return "Its channels were removed. Choose others.", nil
	}
	for _, item := range items {
		err := a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
			first, err := a.store.See(ctx, s.ID, item.Key, a.now())
			if err != nil || !first {
				return err
			}
			_, err = a.series.sets.one.CreatePosts(ctx, p, CreatePosts{
				ChannelIDs: channels, Content: s.Text(item.Title, item.Link), ContentType: post.ContentPost,
			})
			return err
		})
		if known, ok := errors.AsType[*apperr.Error](err); ok && known.Code != apperr.Unavailable && known.Code != apperr.Internal {
			return known.Message, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}
