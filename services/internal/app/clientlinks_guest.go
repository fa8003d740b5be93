package app

import (
	"context"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Reading is an opened client link.
type Reading struct {
	Link      clientlink.Link
	State     clientlink.State
	Workspace workspace.Workspace
	LogoURL   string
	Author    string // name of the person who made the link
	// By acts on the posts of the link: the person of a personal link, otherwise a guest, whose name is set by As.
	By Principal
}

// As returns the reading by a guest with a name. A personal link keeps the name of its person.
func (r Reading) As(name string) Reading {
	if g := r.By.Guest; g != nil {
		named := *g
		named.Name = name
		r.By.Guest = &named
	}
	return r
}

// Decides reports whether the link allows decisions.
func (r Reading) Decides() bool {
	if r.By.Guest != nil {
		return r.By.Guest.Decides
	}
	return r.By.Allows(credential.PostsApprove)
}

// OpenClientLink returns the link with a secret; NOT_FOUND if there is none. A link is revoked once the person who made it has
// left the workspace or may not sign in.
func (a *clientLinkUseCases) OpenClientLink(ctx context.Context, secret string) (Reading, error) {
	hash, err := credential.Review.Hash(secret)
	if err != nil {
		return Reading{}, apperr.New(apperr.NotFound, "There is no such link.")
	}
	link, err := a.links.ByHash(ctx, hash)
	if err != nil {
		return Reading{}, err
	}
	out := Reading{Link: link, State: link.State(a.now())}
	author, err := a.users.ByID(ctx, link.CreatedBy)
	if err != nil {
		return Reading{}, err
	}
	memberships, err := a.users.Memberships(ctx, link.CreatedBy)
	if err != nil {
		return Reading{}, err
	}
	at := slices.IndexFunc(memberships, func(m postgres.Membership) bool { return m.Workspace.ID == link.WorkspaceID })
	if at < 0 || !author.MaySignIn() {
		out.State = clientlink.Revoked
		return out, nil
	}
	of := memberships[at]
	out.Workspace, out.Author = of.Workspace, author.Name
	if out.LogoURL, err = a.ofPosts.library.ThumbnailURL(of.Logo); err != nil {
		return Reading{}, err
	}
	person := personOf(author)
	person.AltTexts = of.Workspace.AltTexts
	out.By = PrincipalOf(person, of)
	if !link.Personal {
		out.By.Guest = &Guest{Link: link, Decides: link.Decides && out.By.Allows(credential.PostsApprove)}
		out.By.Person = Person{AltTexts: person.AltTexts}
	}
	return out, nil
}

// UnlockClientLink reports whether the password is that of the link.
func (a *clientLinkUseCases) UnlockClientLink(ctx context.Context, r Reading, given string) (bool, error) {
	return password.Matches(ctx, given, r.Link.PasswordHash)
}

// SharedPost is a post of a link, as its reader sees it.
type SharedPost struct {
	clientlink.Shared
	Review

	Gone bool // it was deleted
	// Talk has the words of the guests of the link, and in a personal link those of the team; the oldest first.
	Talk []post.Entry
}

// SharedPosts returns the posts of an open link, and records that it was opened.
func (a *clientLinkUseCases) SharedPosts(ctx context.Context, r Reading) ([]SharedPost, error) {
	if err := a.links.Seen(ctx, r.Link, a.now()); err != nil {
		return nil, err
	}
	found, err := a.ofPosts.PostsNamed(ctx, r.By, r.Link.PostIDs())
	if err != nil {
		return nil, err
	}
	reviews, err := a.ofPosts.Reviews(ctx, r.By, found)
	if err != nil {
		return nil, err
	}
	shared := make([]SharedPost, len(r.Link.Posts))
	for i, s := range r.Link.Posts {
		shared[i] = SharedPost{Shared: s, Gone: true}
		at := slices.IndexFunc(reviews, func(one Review) bool { return one.ID == s.PostID })
		if at < 0 {
			continue
		}
		shared[i].Review, shared[i].Gone = reviews[at], false
		if shared[i].Talk, err = a.talk(ctx, r, s.PostID); err != nil {
			return nil, err
		}
	}
	return shared, nil
}

func (a *clientLinkUseCases) talk(ctx context.Context, r Reading, id ident.Post) ([]post.Entry, error) {
	timeline, err := a.ofPosts.Timeline(ctx, r.By, id)
	return slices.DeleteFunc(timeline, func(e post.Entry) bool {
		words := e.Kind == post.EntryCommented || e.Kind == post.EntryApproved || e.Kind == post.EntryRejected
		return !words || !r.Link.Personal && !r.Link.Wrote(string(e.Actor))
	}), err
}

// GuestWords are what a reader of a link says about a post.
type GuestWords struct {
	Post    ident.Post
	Comment string
	Seen    string // ContentHash of what the reader saw
}

// mayAct returns NOT_FOUND unless the post is one of the link, which must be open.
func (a *clientLinkUseCases) mayAct(r Reading, id ident.Post) error {
	if r.State != clientlink.Open || !r.Link.Shares(id) {
		return apperr.New(apperr.NotFound, "There is no such post.")
	}
	return nil
}

// CommentByLink adds a comment of the reader to a post.
func (a *clientLinkUseCases) CommentByLink(ctx context.Context, r Reading, in GuestWords) error {
	if err := a.mayAct(r, in.Post); err != nil {
		return err
	}
	if r.By.Guest == nil {
		return a.ofPosts.CommentPost(ctx, r.By, in.Post, in.Comment)
	}
	if !r.Link.Comments {
		return apperr.New(apperr.InsufficientScope, "This link does not take comments.")
	}
	return a.recorded(ctx, r.By, audit.ClientLinkCommented, r.Link.Name, in.Post.String(), func(ctx context.Context) error {
		return a.ofPosts.comment(ctx, r.By, in.Post, in.Comment)
	})
}

// DecideByLink approves a post or asks for changes of it, in the name of the reader. The decision is about the content that the
// reader saw: otherwise the error is PRECONDITION_FAILED. The others are those of Decide.
func (a *clientLinkUseCases) DecideByLink(ctx context.Context, r Reading, approves bool, in GuestWords) error {
	if err := a.mayAct(r, in.Post); err != nil {
		return err
	}
	if !r.Decides() {
		return apperr.New(apperr.InsufficientScope, "This link does not take decisions.")
	}
	d := Decision{Comment: beginning(strings.TrimSpace(in.Comment), post.MaxComment), Seen: in.Seen}
	switch {
	case d.Seen == "":
		return apperr.New(apperr.PreconditionFailed, "The form names no version of the post.")
	case !approves && d.Comment == "":
		return apperr.Invalid([]apperr.Field{{Pointer: "/comment", Message: "Say what should change."}})
	case !approves:
		_, err := a.ofPosts.Return(ctx, r.By, in.Post, d)
		return err
	}
	_, err := a.ofPosts.Decide(ctx, r.By, in.Post, d)
	return err
}
