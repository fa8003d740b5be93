package app

import (
	"context"
	"fmt"
	"slices"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// clientLinkUseCases are those of links by which people without an account see posts.
type clientLinkUseCases struct {
	*Records

	ofPosts *postUseCases
	links   *postgres.ClientLinks
	users   *postgres.Users
}

// Guest is a person without an account, on a client link.
type Guest struct {
	Name string
	Link clientlink.Link
	// Decides reports that the guest may decide, and that the person who made the link still could.
	Decides bool
}

// party returns the guest as approvals see one: as the person who made the link and vouches for its guests. So an author cannot
// approve by a link, and all guests of one person's links count once.
func (g Guest) party() approval.Party {
	return approval.Party{Person: g.Link.CreatedBy, Name: g.Name + " (guest)", Approves: g.Decides, InPerson: true}
}

// NewClientLink is a link to make.
type NewClientLink struct {
	clientlink.Link

	Posts    []ident.Post
	Password string // empty: none
}

// MakeClientLink makes a link for guests, and returns its secret, which is not stored. VALIDATION_FAILED with every fault;
// NOT_FOUND if the workspace lacks a post.
func (a *clientLinkUseCases) MakeClientLink(ctx context.Context, p Principal, in NewClientLink) (secret string, err error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return "", err
	}
	if in.Decides {
		if err := p.Require(credential.PostsApprove); err != nil {
			return "", err
		}
	}
	found, err := a.ofPosts.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, in.Posts)
	if err != nil {
		return "", err
	}
	link := in.Link
	link.ID, link.WorkspaceID, link.CreatedBy, link.CreatedAt = ident.New[ident.ClientLink](), p.WorkspaceID, p.Person.ID, a.now()
	for _, id := range in.Posts {
		one, known := found[id]
		if !known {
			return "", apperr.New(apperr.NotFound, "There is no such post.")
		}
		if !link.Shares(id) {
			link.Posts = append(link.Posts, clientlink.Shared{PostID: id, PlannedAt: one.ScheduledAt})
		}
	}
	link, faults, err := a.readLink(ctx, link)
	if err != nil {
		return "", err
	}
	if in.Password != "" && password.Check(in.Password) != nil {
		faults = append(faults, apperr.Field{Pointer: "/password", Message: "Choose a password of at least 12 characters."})
	}
	if err := apperr.Invalid(faults); err != nil {
		return "", err
	}
	if in.Password != "" {
		if link.PasswordHash, err = password.Hash(ctx, in.Password); err != nil {
			return "", err
		}
	}
	secret = credential.Review.New()
	hash, err := credential.Review.Hash(secret)
	if err != nil {
		return "", err
	}
	return secret, a.recorded(ctx, p, audit.ClientLinkCreated, link.Name, describedLink(link), func(ctx context.Context) error {
		return a.links.Insert(ctx, hash, link)
	})
}

// readLink returns a new link as it is stored, and its faults. Readers see what guests of their link wrote, whose names have that
// of the link: so no other open link has it.
func (a *clientLinkUseCases) readLink(ctx context.Context, link clientlink.Link) (clientlink.Link, []apperr.Field, error) {
	link, faults := link.Read(a.now())
	others, err := a.links.List(ctx, link.WorkspaceID)
	if slices.ContainsFunc(others, func(other clientlink.Link) bool {
		return other.Name == link.Name && other.State(a.now()) == clientlink.Open
	}) {
		faults = append(faults, apperr.Field{Pointer: "/name", Message: "Another link has this name. Revoke it, or choose another name."})
	}
	return link, faults, err
}

// describedLink says in the audit log what a link allows.
func describedLink(l clientlink.Link) string {
	allows := "to read"
	switch {
	case l.Decides:
		allows = "to read, comment and decide"
	case l.Comments:
		allows = "to read and comment"
	}
	locked := ""
	if l.PasswordHash != "" {
		locked = ", with a password"
	}
	return fmt.Sprintf("%d posts, %s, until %s%s", len(l.Posts), allows, l.ExpiresAt.UTC().Format("2006-01-02 15:04"), locked)
}

// ClientLinks returns the links of the workspace for guests, the newest first.
func (a *clientLinkUseCases) ClientLinks(ctx context.Context, p Principal) ([]clientlink.Link, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return nil, err
	}
	list, err := a.links.List(ctx, p.WorkspaceID)
	for i := 0; i < len(list) && err == nil; {
		var sees bool
		if sees, err = a.sees(ctx, p, list[i]); sees {
			i++
		} else {
			list = slices.Delete(list, i, i+1)
		}
	}
	return list, err
}

// link returns a link; NOT_FOUND if the workspace has no such link, or the client does not see all of its posts.
func (a *clientLinkUseCases) link(ctx context.Context, p Principal, id ident.ClientLink) (clientlink.Link, error) {
	found, err := a.links.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return found, err
	}
	sees, err := a.sees(ctx, p, found)
	if err == nil && !sees {
		err = apperr.New(apperr.NotFound, "There is no such link.")
	}
	return found, err
}

// sees reports whether the client, who may be limited to channels, sees all posts of a link that exist.
func (a *clientLinkUseCases) sees(ctx context.Context, p Principal, of clientlink.Link) (bool, error) {
	if p.Channels == nil {
		return true, nil
	}
	found, err := a.ofPosts.posts.GetMany(ctx, p.WorkspaceID, of.PostIDs())
	for _, one := range found {
		if !p.MayUse(one.ChannelID) {
			return false, err
		}
	}
	return true, err
}

// RevokeClientLink ends a link at once; NOT_FOUND if the workspace has no such link.
func (a *clientLinkUseCases) RevokeClientLink(ctx context.Context, p Principal, id ident.ClientLink) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	link, err := a.link(ctx, p, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.ClientLinkRevoked, link.Name, "", func(ctx context.Context) error {
		return a.links.Revoke(ctx, id, a.now())
	})
}

// RemoveFromClientLink takes a post from a link at once; NOT_FOUND if it is not one of the link.
func (a *clientLinkUseCases) RemoveFromClientLink(ctx context.Context, p Principal, id ident.ClientLink, of ident.Post) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	link, err := a.link(ctx, p, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.ClientLinkPostRemoved, link.Name, of.String(), func(ctx context.Context) error {
		return a.links.RemovePost(ctx, id, of)
	})
}

// PostsNamed returns those of the posts that the workspace has, in the given order.
func (a *postUseCases) PostsNamed(ctx context.Context, p Principal, ids []ident.Post) ([]post.Post, error) {
	found, err := a.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, ids)
	var list []post.Post
	for _, id := range ids {
		if one, known := found[id]; known && !slices.ContainsFunc(list, func(p post.Post) bool { return p.ID == id }) {
			list = append(list, one)
		}
	}
	return list, err
}

// PruneClientLinks deletes links that ended long ago.
func (a *clientLinkUseCases) PruneClientLinks(ctx context.Context) error {
	return a.links.Prune(ctx, a.now().Add(-clientlink.KeptFor))
}
