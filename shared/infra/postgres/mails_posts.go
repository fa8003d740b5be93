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
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// noticeGather is the time in which the posts of a burst join one mail.
	noticeGather = 2 * time.Minute
	// noticePause is the least time between two mails of one kind in a workspace.
	noticePause = 15 * time.Minute
	// noticeAge bounds how late people are mailed, after an outage or while no mail server is configured.
	noticeAge = 24 * time.Hour
	// listedAge bounds how long the application shows a message.
	listedAge = 90 * 24 * time.Hour
	// wordsShown bounds the beginning of a post's text, in characters.
	wordsShown = 60
)

// noticeOf returns the kind of the mail about an event of a post; empty for most.
func noticeOf(t event.Type) mail.Kind {
	switch t { //nolint:exhaustive // people are mailed about these only
	case event.PostFailed, event.PostPartFailed:
		return mail.PostsFailed
	case event.PostApprovalRequested:
		return mail.PostsToApprove
	case event.PostRejected:
		return mail.PostsReturned
	case event.PostApproved:
		return mail.PostsApproved
	default:
		return ""
	}
}

// DropNotices deletes the notices of posts about which people were not notified in time, and old messages. It returns their number.
func (s *Mails) DropNotices(ctx context.Context, now time.Time) (int64, error) {
	if err := s.db.conn(ctx).Exec("DELETE FROM notice WHERE created_at <= ?", now.Add(-listedAge)).Error; err != nil {
		return 0, classify(err)
	}
	if err := s.db.conn(ctx).Exec("DELETE FROM digest_day WHERE day < ?", now.Add(-digestMemory)).Error; err != nil {
		return 0, classify(err)
	}
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

// pointNoticesCommit is the crash point of messages that are stored and not committed.
const pointNoticesCommit = "notices.before_commit"

// noticedPost is a post with the values of a mail about it.
type noticedPost struct {
	ID              ident.Post
	AuthorID        *ident.User
	Content, Title  string
	ScheduledAt     *time.Time
	ChannelID       ident.Channel
	Name, Type      string
	ErrorCode       *string
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
		kind := mail.Kind(group.Kind)
		posts, err := s.noticed(ctx, group)
		if err == nil {
			posts, err = s.untold(ctx, kind, posts, now)
		}
		if err != nil || len(posts) == 0 {
			return err
		}
		members, err := s.readers(ctx, group.WorkspaceID, kind)
		if err != nil || len(members) == 0 {
			return err
		}
		about := news{kind, group.WorkspaceID, now}
		for _, m := range members {
			own := m.of(kind, posts, members)
			if causes := causesOf(kind, own); len(causes) > 0 {
				secret, err := s.decisionLink(ctx, about, m, own)
				if err != nil {
					return err
				}
				n, err := s.inform(ctx, about, m, mail.Content{Causes: causes, Secret: secret})
				if err != nil {
					return err
				}
				sent += n
			}
		}
		n, err := s.announce(ctx, about, mail.Content{Workspace: members[0].Workspace, Causes: causesOf(kind, posts)})
		if err != nil {
			return err
		}
		sent += n
		return failpoint.Hit(ctx, pointNoticesCommit)
	})
	return sent, err
}

// noticed takes the posts of a group that are still as the notice says.
func (s *Mails) noticed(ctx context.Context, group noticeGroup) ([]noticedPost, error) {
	var posts []noticedPost
	err := s.db.conn(ctx).Raw(`WITH taken AS (
			DELETE FROM post_notice WHERE workspace_id = ? AND kind = ? RETURNING post_id
		)
		SELECT p.id, p.author_id, left(p.content, ?) AS content, p.title, p.scheduled_at, p.channel_id, c.name, c.type,
			COALESCE(f.error_code, p.error_code) AS error_code, COALESCE(f.error_message, p.error_message) AS error_message, p.approval_comment
		FROM taken t JOIN post p ON p.id = t.post_id JOIN channel c ON c.id = p.channel_id
		LEFT JOIN post f ON p.parts_state = 'INCOMPLETE' AND f.root_id = p.id AND f.status = 'FAILED'
		WHERE `+stillSo(mail.Kind(group.Kind))+` ORDER BY c.name, p.id`,
		group.WorkspaceID, group.Kind, 4*wordsShown).Scan(&posts).Error
	return posts, classify(err)
}

// stillSo returns the condition under which a notice still holds.
func stillSo(kind mail.Kind) string {
	switch kind { //nolint:exhaustive // the kinds of notices
	case mail.PostsToApprove:
		return `p.status = 'PENDING_APPROVAL'`
	case mail.PostsReturned:
		return `p.status = 'DRAFT' AND p.approval_status = 'REJECTED'`
	case mail.PostsApproved:
		return `p.approval_status = 'APPROVED' AND p.status <> 'FAILED'`
	default:
		return `(p.status = 'FAILED' OR p.parts_state = 'INCOMPLETE')`
	}
}

// untold returns the posts without those whose reason people have been notified: one that concerns the whole channel is notified once,
// until the channel publishes again or is reconnected.
func (s *Mails) untold(ctx context.Context, kind mail.Kind, posts []noticedPost, now time.Time) ([]noticedPost, error) {
	repeated := make(map[ident.Channel]map[string]bool)
	for _, p := range posts {
		code := value(p.ErrorCode)
		if kind != mail.PostsFailed || !ofChannel(code) {
			continue
		}
		if repeated[p.ChannelID] == nil {
			repeated[p.ChannelID] = make(map[string]bool)
		}
		if _, known := repeated[p.ChannelID][code]; known {
			continue
		}
		claimed := s.db.conn(ctx).Exec(`INSERT INTO notice_cause AS n (channel_id, kind, code, told_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (channel_id, kind, code) DO UPDATE SET told_at = excluded.told_at WHERE EXISTS (
				SELECT FROM post WHERE channel_id = n.channel_id AND status = 'PUBLISHED' AND published_at > n.told_at)`,
			p.ChannelID, string(kind), code, now)
		if claimed.Error != nil {
			return nil, classify(claimed.Error)
		}
		repeated[p.ChannelID][code] = claimed.RowsAffected == 0
	}
	return slices.DeleteFunc(posts, func(p noticedPost) bool { return repeated[p.ChannelID][value(p.ErrorCode)] }), nil
}

// ofChannel reports whether a failure is one of the channel rather than of the post.
func ofChannel(code string) bool {
	return slices.Contains([]string{
		post.ErrorNeedsReconnect, post.ErrorPlatformDown, post.ErrorRateLimited, post.ErrorMissedSchedule,
	}, code)
}

// of returns the posts that concern the member: a request goes to everybody else who may approve it, anything else to the
// author, or to the people who manage the workspace if the author is no member or an API key.
func (r reader) of(kind mail.Kind, posts []noticedPost, members []reader) []noticedPost {
	role := member.Role(r.Role)
	limits := fromChannels(r.Channels)
	return slices.DeleteFunc(slices.Clone(posts), func(p noticedPost) bool {
		author := value(p.AuthorID)
		if limits != nil && !slices.Contains(limits, p.ChannelID) {
			return true
		}
		if kind == mail.PostsToApprove {
			return !role.Allows(credential.PostsApprove) || author == r.ID
		}
		if kind == mail.PostsApproved || slices.ContainsFunc(members, func(m reader) bool { return m.ID == author }) {
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
		case mail.PostsFailed, mail.PostsUnknown:
			reason = value(p.ErrorMessage)
		case mail.PostsReturned, mail.PostsApproved:
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
