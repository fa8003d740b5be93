package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// noticeGather is the time in which the posts of a burst join one mail.
	noticeGather = 2 * time.Minute
	// noticePause is the least time between two mails of one kind in a workspace.
	noticePause = 15 * time.Minute
	// noticeAge bounds how late people are mailed, after an outage or while no mail server is configured.
	noticeAge = 24 * time.Hour
	// wordsShown bounds the beginning of a post's text, in characters.
	wordsShown = 60
)

// noticeOf returns the kind of the mail about an event of a post; empty for most.
func noticeOf(t event.Type) mail.Kind {
	switch t { //nolint:exhaustive // people are mailed about these only
	case event.PostFailed:
		return mail.PostsFailed
	case event.PostApprovalRequested:
		return mail.PostsToApprove
	case event.PostRejected:
		return mail.PostsReturned
	default:
		return ""
	}
}

// DropNotices deletes the notices of posts about which people were not mailed in time. It returns their number.
func (s *Mails) DropNotices(ctx context.Context, now time.Time) (int64, error) {
	done := s.db.conn(ctx).Exec("DELETE FROM post_notice WHERE created_at <= ?", now.Add(-noticeAge))
	return done.RowsAffected, classify(done.Error)
}

type noticeGroup struct {
	WorkspaceID ident.Workspace
	Kind        string
}

// MailPosts mails people about posts that failed, wait for approval, or were returned. The posts of two minutes share
// one mail for each person, and the next mail of the kind follows 15 minutes later at the earliest, so that a burst makes
// no storm. A post that changed meanwhile, such as a failed one that was published, is left out. It returns the number of
// mails.
func (s *Mails) MailPosts(ctx context.Context, now time.Time) (int, error) {
	var due []noticeGroup
	err := s.db.conn(ctx).Raw(`SELECT n.workspace_id, n.kind FROM post_notice n
		LEFT JOIN post_notice_mailed m USING (workspace_id, kind)
		WHERE m.mailed_at IS NULL OR m.mailed_at <= ?
		GROUP BY n.workspace_id, n.kind HAVING min(n.created_at) <= ? ORDER BY 1, 2`,
		now.Add(-noticePause), now.Add(-noticeGather)).Scan(&due).Error
	sent := 0
	for _, group := range due {
		n, err := s.mailPosts(ctx, group, now)
		if err != nil {
			return sent, err
		}
		sent += n
	}
	return sent, classify(err)
}

// noticedPost is a post with the values of a mail about it.
type noticedPost struct {
	ID              ident.Post
	AuthorID        *ident.User
	Content, Title  string
	ChannelID       ident.Channel
	Name, Type      string
	ErrorMessage    *string
	ApprovalComment *string
}

func (s *Mails) mailPosts(ctx context.Context, group noticeGroup, now time.Time) (sent int, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		claimed := s.db.conn(ctx).Exec(`INSERT INTO post_notice_mailed AS m (workspace_id, kind, mailed_at) VALUES (?, ?, ?)
			ON CONFLICT (workspace_id, kind) DO UPDATE SET mailed_at = excluded.mailed_at WHERE m.mailed_at <= ?`,
			group.WorkspaceID, group.Kind, now, now.Add(-noticePause))
		if claimed.Error != nil || claimed.RowsAffected == 0 { // another process mails
			return classify(claimed.Error)
		}
		posts, err := s.noticed(ctx, group)
		if err != nil || len(posts) == 0 {
			return err
		}
		members, err := s.readers(ctx, group)
		if err != nil {
			return err
		}
		for _, m := range members {
			causes := causesOf(mail.Kind(group.Kind), m.of(mail.Kind(group.Kind), posts, members))
			if m.Off || len(causes) == 0 {
				continue
			}
			content := mail.Content{To: m.Email, Workspace: m.Workspace, Causes: causes}
			if err := s.Enqueue(ctx, mail.New(mail.Kind(group.Kind), group.WorkspaceID, content, now, time.Time{})); err != nil {
				return err
			}
			sent++
		}
		return nil
	})
	return sent, err
}

// noticed takes the posts of a group that are still as the notice says.
func (s *Mails) noticed(ctx context.Context, group noticeGroup) ([]noticedPost, error) {
	var posts []noticedPost
	err := s.db.conn(ctx).Raw(`WITH taken AS (
			DELETE FROM post_notice WHERE workspace_id = ? AND kind = ? RETURNING post_id
		)
		SELECT p.id, p.author_id, left(p.content, ?) AS content, p.title, p.channel_id, c.name, c.type, p.error_message,
			p.approval_comment
		FROM taken t JOIN post p ON p.id = t.post_id JOIN channel c ON c.id = p.channel_id
		WHERE p.status = CAST(? AS text) AND (p.status <> 'DRAFT' OR p.approval_status = ?) ORDER BY c.name, p.id`,
		group.WorkspaceID, group.Kind, 4*wordsShown, string(noticedStatus(mail.Kind(group.Kind))),
		string(post.ApprovalRejected)).Scan(&posts).Error
	return posts, classify(err)
}

func noticedStatus(kind mail.Kind) post.Status {
	switch kind { //nolint:exhaustive // the kinds of notices
	case mail.PostsToApprove:
		return post.PendingApproval
	case mail.PostsReturned:
		return post.Draft
	default:
		return post.Failed
	}
}

// reader is a member who may be mailed about posts.
type reader struct {
	ID        ident.User
	Email     email.Address
	Workspace string
	Role      string
	Off       bool // turned this kind off
}

func (s *Mails) readers(ctx context.Context, group noticeGroup) ([]reader, error) {
	var found []reader
	err := s.db.conn(ctx).Table("workspace_member m").Joins("JOIN app_user u ON u.id = m.user_id").
		Joins("JOIN workspace w ON w.id = m.workspace_id").
		Select("u.id, u.email, w.name AS workspace, m.role, ? = ANY(u.mails_off) AS off", group.Kind).
		Where("m.workspace_id = ? AND u.disabled_at IS NULL", group.WorkspaceID).Order("u.email").Scan(&found).Error
	return found, classify(err)
}

// of returns the posts that concern the member: a request goes to everybody else who may approve it, anything else to the
// author, or to the people who manage the workspace if the author is no member or an API key.
func (r reader) of(kind mail.Kind, posts []noticedPost, members []reader) []noticedPost {
	role := member.Role(r.Role)
	return slices.DeleteFunc(slices.Clone(posts), func(p noticedPost) bool {
		author := value(p.AuthorID)
		if kind == mail.PostsToApprove {
			return !role.Allows(credential.PostsApprove) || author == r.ID
		}
		if slices.ContainsFunc(members, func(m reader) bool { return m.ID == author }) {
			return author != r.ID
		}
		return !role.Allows(credential.WorkspaceManage)
	})
}

// causesOf groups posts by channel and reason, the most frequent first. Requests of one channel are one cause.
func causesOf(kind mail.Kind, posts []noticedPost) []mail.Cause {
	var causes []mail.Cause
	for _, p := range posts {
		reason := ""
		switch kind { //nolint:exhaustive // requests have no reason
		case mail.PostsFailed:
			reason = value(p.ErrorMessage)
		case mail.PostsReturned:
			reason = value(p.ApprovalComment)
		}
		at := slices.IndexFunc(causes, func(c mail.Cause) bool { return c.Channel.ID == p.ChannelID && c.Reason == reason })
		if at >= 0 {
			causes[at].Posts++
			continue
		}
		causes = append(causes, mail.Cause{
			Channel: mail.Channel{ID: p.ChannelID, Name: p.Name, Network: channel.Type(p.Type).Network().Name()},
			Reason:  reason, Posts: 1, PostID: p.ID, Words: words(cmp.Or(p.Title, p.Content)),
		})
	}
	slices.SortStableFunc(causes, func(a, b mail.Cause) int { return b.Posts - a.Posts })
	return causes
}

// words returns the beginning of a text as one line.
func words(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= wordsShown {
		return string(line)
	}
	return strings.TrimSpace(string(line[:wordsShown])) + "…"
}
