package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/net/idna"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// snippetUseCases are those of the texts that a workspace keeps for its posts.
type snippetUseCases struct {
	*Records

	snippets *postgres.Snippets
	channels *postgres.Channels
}

// Snippets returns the texts of the workspace, by their names.
func (a *snippetUseCases) Snippets(ctx context.Context, p Principal) ([]snippet.Snippet, error) {
	return a.snippets.List(ctx, p.WorkspaceID)
}

// Snippet returns a text; NOT_FOUND if the workspace has no such text.
func (a *snippetUseCases) Snippet(ctx context.Context, p Principal, id ident.Snippet) (snippet.Snippet, error) {
	return a.snippets.Get(ctx, p.WorkspaceID, id)
}

// AddSnippet creates a text. As labels, texts are for those who may publish, because all use them. VALIDATION_FAILED with
// every fault, also if a text of the kind has the name, or the workspace has too many.
func (a *snippetUseCases) AddSnippet(ctx context.Context, p Principal, s snippet.Snippet) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	s.ID, s.WorkspaceID, s.CreatedAt, s.UpdatedAt = ident.New[ident.Snippet](), p.WorkspaceID, a.now(), a.now()
	s, err := a.readSnippet(ctx, s)
	if err != nil {
		return err
	}
	return taken(a.recorded(ctx, p, audit.TextCreated, s.Name, "", func(ctx context.Context) error {
		return a.snippets.Insert(ctx, s)
	}))
}

// ChangeSnippet changes a text, which keeps its kind. The errors are those of AddSnippet, and NOT_FOUND.
func (a *snippetUseCases) ChangeSnippet(ctx context.Context, p Principal, to snippet.Snippet) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	known, err := a.snippets.Get(ctx, p.WorkspaceID, to.ID)
	if err != nil {
		return err
	}
	to.WorkspaceID, to.Kind, to.CreatedAt, to.UpdatedAt = p.WorkspaceID, known.Kind, known.CreatedAt, a.now()
	if to, err = a.readSnippet(ctx, to); err != nil {
		return err
	}
	detail := ""
	if known.Name != to.Name {
		detail = "Was: " + known.Name
	}
	return taken(a.recorded(ctx, p, audit.TextChanged, to.Name, detail, func(ctx context.Context) error {
		return a.snippets.Update(ctx, to)
	}))
}

func taken(err error) error {
	if errors.Is(err, postgres.ErrNameInUse) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: "is the name of another one; choose another name"}})
	}
	return err
}

// readSnippet returns a text as it is stored, or its faults.
func (a *snippetUseCases) readSnippet(ctx context.Context, s snippet.Snippet) (snippet.Snippet, error) {
	s, faults := s.Read()
	list, err := a.snippets.List(ctx, s.WorkspaceID)
	if err != nil {
		return s, err
	}
	if !slices.ContainsFunc(list, func(other snippet.Snippet) bool { return other.ID == s.ID }) && len(list) >= snippet.MaxPerWorkspace {
		faults = append(faults, apperr.Field{
			Pointer: "/name", Message: fmt.Sprintf("is one too many: the workspace has %d texts; delete one first", len(list)),
		})
	}
	if s.Kind == snippet.Signature {
		found, err := a.signatureFaults(ctx, s, list)
		if err != nil {
			return s, err
		}
		faults = append(faults, found...)
	}
	return s, apperr.Invalid(faults)
}

// signatureFaults reports channels that the workspace does not have, and those that have another automatic signature.
func (a *snippetUseCases) signatureFaults(ctx context.Context, s snippet.Snippet, list []snippet.Snippet) ([]apperr.Field, error) {
	all, err := a.channels.List(ctx, s.WorkspaceID)
	if err != nil {
		return nil, err
	}
	var faults []apperr.Field
	for _, id := range s.Settings.Channels {
		at := slices.IndexFunc(all, func(c channel.Channel) bool { return c.ID == id })
		if at < 0 {
			return []apperr.Field{{Pointer: "/channels", Message: "are not all of the workspace; choose some of the list"}}, nil
		}
		for _, other := range list {
			if s.Settings.Automatic && other.ID != s.ID && other.Settings.Automatic && slices.Contains(other.Settings.Channels, id) {
				faults = append(faults, apperr.Field{Pointer: "/channels", Message: fmt.Sprintf(
					"have one that gets a signature already: %s has “%s”; change that one, or leave the channel out", all[at].Name, other.Name)})
			}
		}
	}
	return faults, nil
}

// DeleteSnippet deletes a text; NOT_FOUND if the workspace has no such text.
func (a *snippetUseCases) DeleteSnippet(ctx context.Context, p Principal, id ident.Snippet) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	known, err := a.snippets.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.TextDeleted, known.Name, "", func(ctx context.Context) error {
		return a.snippets.Delete(ctx, p.WorkspaceID, id)
	})
}

// LinkRule returns the rule of the parameters of links.
func (a *snippetUseCases) LinkRule(ctx context.Context, p Principal) (snippet.LinkRule, error) {
	return a.snippets.LinkRule(ctx, p.WorkspaceID)
}

// LinksOf returns the rule for texts, in which a host may have letters of any language or its form in the DNS.
func (a *snippetUseCases) LinksOf(ctx context.Context, p Principal) (snippet.LinkRule, error) {
	rule, err := a.LinkRule(ctx, p)
	for _, host := range slices.Clone(rule.Except) {
		for _, convert := range []func(string) (string, error){idna.Lookup.ToASCII, idna.Lookup.ToUnicode} {
			if form, failure := convert(host); failure == nil && form != host {
				rule.Except = append(rule.Except, form)
			}
		}
	}
	return rule, err
}

// SetLinkRule changes the rule of the parameters of links. VALIDATION_FAILED with every fault.
func (a *snippetUseCases) SetLinkRule(ctx context.Context, p Principal, rule snippet.LinkRule) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	rule, faults := rule.Read()
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.LinkRuleChanged, "Link parameters", rule.Source, func(ctx context.Context) error {
		return a.snippets.SetLinkRule(ctx, p.WorkspaceID, rule, a.now())
	})
}
