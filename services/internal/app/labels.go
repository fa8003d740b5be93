package app

import (
	"context"
	"slices"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// spelled returns labels in the spelling of the workspace.
func (r *Records) spelled(ctx context.Context, p Principal, names []string) ([]string, error) {
	if len(names) == 0 {
		return names, nil
	}
	known, err := r.labels.Spelling(ctx, p.WorkspaceID, post.LabelKeys(names))
	if err != nil {
		return nil, err
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if usual, ok := known[post.LabelKey(name)]; ok {
			out[i] = usual
		}
	}
	return out, nil
}

// Labels returns the labels of the workspace, by their names.
func (a *postUseCases) Labels(ctx context.Context, p Principal) ([]post.Label, error) {
	return a.labels.List(ctx, p.WorkspaceID)
}

// LabelUses returns the labels of the workspace with the numbers of their posts and files, by their names.
func (a *postUseCases) LabelUses(ctx context.Context, p Principal) ([]postgres.LabelUse, error) {
	return a.labels.Uses(ctx, p.WorkspaceID)
}

// AddLabel creates a label that nothing has. Changes of labels are for those who may publish, because they reach the posts of
// all. VALIDATION_FAILED with every fault, also if the workspace has a label with the name.
func (a *postUseCases) AddLabel(ctx context.Context, p Principal, l post.Label) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	l, err := a.labelOf(ctx, p, l, "", "choose another name")
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.LabelCreated, l.Name, l.Color, func(ctx context.Context) error {
		return a.labels.Save(ctx, p.WorkspaceID, l)
	})
}

// ChangeLabel changes the name of a label, in all posts and files that have it, and its color. The errors are those of AddLabel, and
// NOT_FOUND.
func (a *postUseCases) ChangeLabel(ctx context.Context, p Principal, name string, to post.Label) error {
	known, err := a.label(ctx, p, name)
	if err != nil {
		return err
	}
	to, err = a.labelOf(ctx, p, to, post.LabelKey(known.Name), "merge the two instead")
	if err != nil {
		return err
	}
	return a.replaceLabel(ctx, p, audit.LabelChanged, known.Label, to)
}

// labelOf returns a label as it is stored, or its faults. The remedy is for a name that a label with another key has.
func (a *postUseCases) labelOf(ctx context.Context, p Principal, l post.Label, key, remedy string) (post.Label, error) {
	name, fault := post.ReadLabel(l.Name)
	if fault == "" && post.LabelKey(name) != key {
		used, err := a.labels.Spelling(ctx, p.WorkspaceID, post.LabelKeys([]string{name}))
		if err != nil {
			return l, err
		}
		if len(used) > 0 {
			fault = "is the name of another label; " + remedy
		}
	}
	var faults []apperr.Field
	if fault != "" {
		faults = append(faults, apperr.Field{Pointer: "/name", Message: fault})
	}
	if !slices.Contains(post.LabelColors(), l.Color) {
		faults = append(faults, apperr.Field{Pointer: "/color", Message: "is not one of the colors of labels; choose one of them"})
	}
	return post.Label{Name: name, Color: l.Color}, apperr.Invalid(faults)
}

// MergeLabels gives all posts and files with a label another label of the workspace instead, and deletes it. NOT_FOUND for the former,
// VALIDATION_FAILED for the latter.
func (a *postUseCases) MergeLabels(ctx context.Context, p Principal, name, into string) error {
	known, err := a.label(ctx, p, name)
	if err != nil {
		return err
	}
	target, err := a.label(ctx, p, into)
	if apperr.Is(err, apperr.NotFound) {
		err = apperr.Invalid([]apperr.Field{{Pointer: "/into", Message: "is no label of the workspace; choose one"}})
	}
	if err != nil {
		return err
	}
	if post.LabelKey(target.Name) == post.LabelKey(known.Name) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/into", Message: "is the same label; choose another one"}})
	}
	return a.replaceLabel(ctx, p, audit.LabelMerged, known.Label, target.Label)
}

// DeleteLabel removes a label from all posts and files, and deletes it.
func (a *postUseCases) DeleteLabel(ctx context.Context, p Principal, name string) error {
	known, err := a.label(ctx, p, name)
	if err != nil {
		return err
	}
	return a.replaceLabel(ctx, p, audit.LabelDeleted, known.Label, post.Label{})
}

// Label returns a label with the numbers of its posts and files; NOT_FOUND if the workspace has no such label.
func (a *postUseCases) Label(ctx context.Context, p Principal, name string) (postgres.LabelUse, error) {
	list, err := a.labels.Uses(ctx, p.WorkspaceID)
	if err != nil {
		return postgres.LabelUse{}, err
	}
	for _, l := range list {
		if post.LabelKey(l.Name) == post.LabelKey(name) {
			return l, nil
		}
	}
	return postgres.LabelUse{}, apperr.New(apperr.NotFound, "There is no label %s.", name)
}

// label returns a label that the client may change.
func (a *postUseCases) label(ctx context.Context, p Principal, name string) (postgres.LabelUse, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return postgres.LabelUse{}, err
	}
	return a.Label(ctx, p, name)
}

// replaceLabel replaces a label in all posts and files, then deletes it. Until then both exist, so that an interrupted change can be
// requested again. What gets the old label meanwhile gets the new one too, or creates the old one again.
func (a *postUseCases) replaceLabel(
	ctx context.Context, p Principal, action audit.Action, from, to post.Label,
) error {
	key := post.LabelKey(from.Name)
	if to.Name != "" {
		if err := a.labels.Save(ctx, p.WorkspaceID, to); err != nil {
			return err
		}
	}
	if _, err := a.labels.Relabel(ctx, p.WorkspaceID, key, to.Name, a.now(), p.Actor()); err != nil {
		return err
	}
	defer a.wake(relay.Events)
	return a.recorded(ctx, p, action, from.Name, to.Name, func(ctx context.Context) error {
		if key == post.LabelKey(to.Name) {
			return nil
		}
		if err := a.labels.Delete(ctx, p.WorkspaceID, key); err != nil {
			return err
		}
		_, err := a.labels.Relabel(ctx, p.WorkspaceID, key, to.Name, a.now(), p.Actor())
		return err
	})
}
