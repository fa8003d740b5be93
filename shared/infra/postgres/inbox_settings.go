package postgres

import (
	"context"

	"fencepost.internal/shared/kernel/ident"
)

// Inboxes stores the settings of inboxes.
type Inboxes struct{ db *DB }

// NewInboxes returns the store.
func NewInboxes(db *DB) *Inboxes { return &Inboxes{db: db} }

// InboxSettings are the settings of a workspace's inbox.
type InboxSettings struct {
	WaitMinutes int // after which members are notified of a conversation that waits
	KeepDays    int // for which ended conversations are kept; zero: for good
}

// Settings returns the settings of a workspace's inbox.
func (s *Inboxes) Settings(ctx context.Context, of ident.Workspace) (found InboxSettings, err error) {
	err = s.db.conn(ctx).Table("workspace").Select("inbox_wait_minutes AS wait_minutes, COALESCE(inbox_keep_days, 0) AS keep_days").
		Where("id = ?", of).Take(&found).Error
	return found, rowError(err, "workspace")
}

// SetSettings stores the settings of a workspace's inbox, and of its test workspace.
func (s *Inboxes) SetSettings(ctx context.Context, of ident.Workspace, to InboxSettings) error {
	return affected(s.db.conn(ctx).Table("workspace").Where("id = ? OR live_id = ?", of, of).Updates(map[string]any{
		"inbox_wait_minutes": to.WaitMinutes, "inbox_keep_days": optional(to.KeepDays),
	}), "workspace")
}

// QuietChannels returns the channels of a workspace of which a member gets no notices about conversations that wait.
func (s *Inboxes) QuietChannels(ctx context.Context, of ident.Workspace, member ident.User) (found []ident.Channel, err error) {
	err = s.db.conn(ctx).Table("inbox_notice_off o").Joins("JOIN channel c ON c.id = o.channel_id").
		Where("c.workspace_id = ? AND o.user_id = ?", of, member).Pluck("o.channel_id", &found).Error
	return found, classify(err)
}

// SetQuietChannels stores the channels of a workspace of which a member gets no such notices.
func (s *Inboxes) SetQuietChannels(ctx context.Context, of ident.Workspace, member ident.User, channels []ident.Channel) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Exec(`DELETE FROM inbox_notice_off WHERE user_id = ?
			AND channel_id IN (SELECT id FROM channel WHERE workspace_id = ?)`, member, of).Error
		if err != nil {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Exec(`INSERT INTO inbox_notice_off (user_id, channel_id) SELECT ?, id FROM channel
			WHERE workspace_id = ? AND id = ANY(CAST(? AS uuid[]))`, member, of, idArray(channels)).Error)
	})
}

// Prune deletes up to limit conversations that ended and whose workspace does not keep them any longer, and returns their number.
func (s *Inboxes) Prune(ctx context.Context, limit int) (int, error) {
	deleted := s.db.conn(ctx).Exec(`DELETE FROM conversation WHERE id IN (
		SELECT v.id FROM workspace w CROSS JOIN LATERAL (SELECT c.id FROM conversation c
			WHERE c.workspace_id = w.id AND c.state IN ('CLOSED', 'SPAM') AND c.last_at < now() - w.inbox_keep_days * interval '1 day'
				AND c.changed_at < now() - w.inbox_keep_days * interval '1 day'
			LIMIT ?) v
		WHERE w.inbox_keep_days IS NOT NULL LIMIT ?)`, limit, limit)
	return int(deleted.RowsAffected), classify(deleted.Error)
}
