package postgres

import (
	"context"

	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

// decisionLink stores the link by which a member decides from a mail about posts that wait for approval, and returns its secret;
// empty for other mails. People with a second factor get none: the link would go around it.
func (s *Mails) decisionLink(ctx context.Context, n news, to reader, posts []noticedPost) (string, error) {
	if n.kind != mail.PostsToApprove || to.Off || to.SecondFactor || s.noMails {
		return "", nil
	}
	secret := credential.Review.New()
	hash, err := credential.Review.Hash(secret)
	if err != nil {
		return "", err
	}
	link := clientlink.Link{
		ID: ident.New[ident.ClientLink](), WorkspaceID: n.workspace, CreatedBy: to.ID, Personal: true, Comments: true, Decides: true,
		CreatedAt: n.now, ExpiresAt: n.now.Add(clientlink.MailLife),
	}
	for _, p := range posts[:min(len(posts), clientlink.MaxPosts)] {
		link.Posts = append(link.Posts, clientlink.Shared{PostID: p.ID, PlannedAt: value(p.ScheduledAt)})
	}
	return secret, NewClientLinks(s.db).Insert(ctx, hash, link)
}
