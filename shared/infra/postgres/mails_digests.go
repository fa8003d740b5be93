package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// digestMemory bounds the age of the days of digests.
	digestMemory = 30 * 24 * time.Hour
	// digestAhead bounds the posts that a digest lists as coming.
	digestAhead = 5
	// bestOf is the period of the best post. Figures are read once a day, so that those of one day are not known yet.
	bestOf = 7 * 24 * time.Hour
)

// subscriber is a person who wants digests of a workspace.
type subscriber struct {
	Reader      reader `gorm:"embedded"`
	WorkspaceID ident.Workspace
	Digests     textArray
	DigestHour  int
	Daily       string // the last day of each
	Weekly      string
}

// MailDigests sends the digests whose hour has come, by mail and in the application: one for each person, workspace and day. One
// with nothing to say is not sent. It returns the number of messages.
func (s *Mails) MailDigests(ctx context.Context, now time.Time) (sent int, err error) {
	var people []subscriber
	const last = `COALESCE((SELECT max(day) FROM digest_day d WHERE d.user_id = u.id AND d.workspace_id = w.id AND d.kind = ?)::text, '')`
	err = s.db.conn(ctx).Table("app_user u").Joins("JOIN workspace_member m ON m.user_id = u.id").
		Joins("JOIN workspace w ON w.id = m.workspace_id").
		Select(`u.id, u.email, w.id AS workspace_id, w.name AS workspace, m.channels, u.quiet_zone, u.digests, u.digest_hour, `+
			last+` AS daily, `+last+` AS weekly`, string(mail.DigestDaily), string(mail.DigestWeekly)).
		Where("u.digests <> '{}' AND u.disabled_at IS NULL").Order("u.id, w.id").Scan(&people).Error
	if err != nil {
		return 0, classify(err)
	}
	for _, p := range people {
		for _, kind := range fromArray[mail.Kind](p.Digests) {
			day, from, until, due := mail.DigestPeriod(kind, now, p.DigestHour, p.Reader.QuietZone)
			known := p.Daily
			if kind == mail.DigestWeekly {
				known = p.Weekly
			}
			if !due || known >= day {
				continue
			}
			n, err := s.mailDigest(ctx, p, news{kind, p.WorkspaceID, now}, day, [2]time.Time{from, until})
			if err != nil {
				return sent, err
			}
			sent += n
		}
	}
	return sent, nil
}

func (s *Mails) mailDigest(ctx context.Context, p subscriber, n news, day string, period [2]time.Time) (sent int, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		claimed := s.db.conn(ctx).Exec(`INSERT INTO digest_day (user_id, workspace_id, kind, day) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			p.Reader.ID, p.WorkspaceID, string(n.kind), day)
		if claimed.Error != nil || claimed.RowsAffected == 0 { // another process sends
			return classify(claimed.Error)
		}
		d, err := s.digest(ctx, p, period[0], period[1])
		if err != nil || d.Empty() {
			return err
		}
		d.Zone = p.Reader.QuietZone
		content := mail.Content{Workspace: p.Reader.Workspace, Digest: &d}
		if err := s.list(ctx, n, p.Reader.ID, content); err != nil || s.noMails {
			return err
		}
		content.To, sent = p.Reader.Email, 1
		return s.Enqueue(ctx, n.message(content, mail.ByMail, time.Time{}))
	})
	return sent, err
}

// summed is a post of a digest.
type summed struct {
	Post      noticedPost `gorm:"embedded"`
	At        time.Time
	Total     int
	Reactions int
}

func (p summed) cause() mail.Cause { return causesOf(mail.DigestDaily, []noticedPost{p.Post})[0] }

// digest sums up the posts of a workspace that the person sees: what was published and failed in the period, what comes in the next of the same length,
// and the best of seven days.
func (s *Mails) digest(ctx context.Context, of subscriber, from, until time.Time) (d mail.Digest, err error) {
	const columns = `SELECT p.id, left(p.content, @words) AS content, p.title, p.channel_id, c.name, c.type, p.error_message`
	const posts = ` FROM post p JOIN channel c ON c.id = p.channel_id WHERE p.workspace_id = @workspace AND p.root_id IS NULL AND ` + amongOnly + ` AND p.status = `
	params := map[string]any{
		"words": 4 * wordsShown, "workspace": of.WorkspaceID, "only": of.Reader.Channels, "from": from, "until": until, "ahead": until.Add(until.Sub(from)),
		"best": until.Add(-bestOf), "most": digestAhead,
	}
	read := func(query string) (rows []summed, err error) {
		return rows, classify(s.db.conn(ctx).Raw(query, params).Scan(&rows).Error)
	}
	published, err := read(columns + posts + `'PUBLISHED' AND p.published_at >= @from AND p.published_at < @until ORDER BY c.name, p.id`)
	if err != nil {
		return d, err
	}
	failed, err := read(columns + posts + `'FAILED' AND p.updated_at >= @from AND p.updated_at < @until ORDER BY c.name, p.id`)
	if err != nil {
		return d, err
	}
	next, err := read(columns + `, p.scheduled_at AS at, count(*) OVER () AS total` + posts +
		`'SCHEDULED' AND p.scheduled_at >= @until AND p.scheduled_at < @ahead ORDER BY p.scheduled_at, p.id LIMIT @most`)
	if err != nil {
		return d, err
	}
	best, err := read(columns + `, i.reactions` + ` FROM post p JOIN channel c ON c.id = p.channel_id JOIN LATERAL (
			SELECT COALESCE(likes, 0) + COALESCE(comments, 0) + COALESCE(shares, 0) + COALESCE(saves, 0) + COALESCE(clicks, 0) AS reactions
			FROM post_insight WHERE post_id = p.id ORDER BY day DESC LIMIT 1) i ON i.reactions > 0
		WHERE p.workspace_id = @workspace AND p.root_id IS NULL AND ` + amongOnly + ` AND p.status = 'PUBLISHED' AND p.published_at >= @best AND p.published_at < @until
		ORDER BY i.reactions DESC, p.id LIMIT 1`)
	if err != nil {
		return d, err
	}
	plain := func(rows []summed) []noticedPost {
		list := make([]noticedPost, len(rows))
		for i, r := range rows {
			list[i] = r.Post
		}
		return list
	}
	d.Published, d.Failed = causesOf(mail.DigestDaily, plain(published)), causesOf(mail.PostsFailed, plain(failed))
	for _, p := range next {
		d.Next, d.NextPosts = append(d.Next, mail.Due{Cause: p.cause(), At: p.At}), p.Total
	}
	for _, p := range best {
		d.Best = &mail.Best{Cause: p.cause(), Reactions: p.Reactions}
	}
	return d, nil
}
