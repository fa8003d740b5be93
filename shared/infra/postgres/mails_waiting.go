package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/ident"
)

// waitingEvery is the shortest time between two notices of one member about conversations that wait.
const waitingEvery = 15 * time.Minute

// waits selects the conversations v of a workspace w that wait for an answer of a member: with how long they have waited, counted from the
// first message without an answer, from the end of a snooze, or from the time at which another member assigned them.
const waits = `FROM conversation v CROSS JOIN LATERAL (SELECT GREATEST(
		(SELECT min(m.sent_at) FROM message m WHERE m.conversation_id = v.id AND m.direction = 'IN'
			AND m.sent_at > COALESCE(v.last_out_at, '-infinity')),
		(SELECT max(CASE e.kind WHEN 'ASSIGNED' THEN e.at ELSE CAST(e.detail AS timestamptz) END) FROM conversation_entry e
			WHERE e.conversation_id = v.id AND CASE
				WHEN e.kind = 'SNOOZED' AND e.detail <> '' THEN CAST(e.detail AS timestamptz) <= @now
				WHEN e.kind = 'ASSIGNED' THEN e.user_id IS DISTINCT FROM @member AND v.assignee_id = @member
				ELSE false END)
		) + w.inbox_wait_minutes * interval '1 minute' AS at) due
	WHERE v.workspace_id = w.id AND v.state = 'OPEN' AND v.last_in_at > COALESCE(v.last_out_at, '-infinity')
		AND (v.assignee_id IS NULL OR v.assignee_id = @member) AND due.at <= @now
		AND (CAST(@only AS uuid[]) IS NULL OR v.channel_id = ANY(CAST(@only AS uuid[])))
		AND NOT EXISTS (SELECT FROM inbox_notice_off o WHERE o.user_id = @member AND o.channel_id = v.channel_id)`

// MailWaiting notifies members of conversations that wait for an answer: those that are assigned to them or to no member, once for
// each, and at most once in waitingEvery. It returns the number of messages.
func (s *Mails) MailWaiting(ctx context.Context, now time.Time) (sent int, err error) {
	var workspaces []ident.Workspace
	err = s.db.conn(ctx).Table("workspace w").Where(`NOT w.is_test AND w.delete_at IS NULL AND EXISTS (SELECT FROM conversation v
		WHERE v.workspace_id = w.id AND v.state = 'OPEN' AND v.last_in_at > COALESCE(v.last_out_at, '-infinity'))`).
		Order("w.id").Pluck("w.id", &workspaces).Error
	if err != nil {
		return 0, classify(err)
	}
	for _, id := range workspaces {
		people, err := s.readers(ctx, id, mail.InboxWaiting)
		if err != nil {
			return sent, err
		}
		for _, p := range people {
			if !member.Role(p.Role).Allows(credential.InboxRead) {
				continue
			}
			n, err := s.mailWaiting(ctx, news{mail.InboxWaiting, id, now}, p)
			if err != nil {
				return sent, err
			}
			sent += n
		}
	}
	return sent, nil
}

// mailWaiting notifies a member, unless nothing waits that did not wait at the last notice. The notice and its time are one change, so
// that no crash repeats it.
func (s *Mails) mailWaiting(ctx context.Context, n news, to reader) (sent int, err error) {
	params := map[string]any{"workspace": n.workspace, "member": to.ID, "now": n.now, "only": to.Channels, "again": n.now.Add(-waitingEvery)}
	const last = `COALESCE((SELECT at FROM inbox_notice l WHERE l.workspace_id = w.id AND l.user_id = @member), '-infinity')`
	const among = ` FROM workspace w WHERE w.id = @workspace AND ` + last + ` <= @again AND EXISTS (SELECT ` + waits + ` AND due.at > ` + last + `)`
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		claimed := s.db.conn(ctx).Exec(`INSERT INTO inbox_notice AS l (workspace_id, user_id, at) SELECT w.id, CAST(@member AS uuid), CAST(@now AS timestamptz)`+among+`
			ON CONFLICT (workspace_id, user_id) DO UPDATE SET at = excluded.at WHERE l.at <= @again`, params)
		if claimed.Error != nil || claimed.RowsAffected == 0 {
			return classify(claimed.Error)
		}
		var waiting int
		err := s.db.conn(ctx).Raw(`SELECT (SELECT count(*) `+waits+`) FROM workspace w WHERE w.id = @workspace`, params).Row().Scan(&waiting)
		if err != nil || waiting == 0 {
			return classify(err)
		}
		sent, err = s.inform(ctx, n, to, mail.Content{Waiting: waiting})
		return err
	})
	return sent, err
}
