package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/ident"
)

// remindEvery is the interval of the reminders of a workspace. It is shorter than a day, so that some hourly sweep of
// every day sends them.
const remindEvery = 23 * time.Hour

// Remind mails the people who may connect channels about the connections of their workspace that end soon and that only
// a person can extend, once a day. It also reports lost connections that NotifyLoss did not report because of a crash.
// It returns the number of mails. The time passed to it is that of the caller's clock, because the ends of connections
// are known by that clock.
func (s *Mails) Remind(ctx context.Context, now time.Time) (int, error) {
	var due []ident.Workspace
	err := s.db.conn(ctx).Table("channel c").Distinct("c.workspace_id").
		Joins("JOIN workspace w ON w.id = c.workspace_id").
		Where("c.is_connected AND c.token_status = 'EXPIRING' AND c.token_end_at > ?", now).
		Where("w.reminded_at IS NULL OR w.reminded_at <= ?", now.Add(-remindEvery)).
		Order("c.workspace_id").Pluck("c.workspace_id", &due).Error
	if err != nil {
		return 0, classify(err)
	}
	sent := 0
	for _, id := range due {
		n, err := s.remind(ctx, id, now)
		if err != nil {
			return sent, err
		}
		sent += n
	}
	var lost []ident.Channel
	err = s.db.conn(ctx).Table("post p").Joins("JOIN channel c ON c.id = p.channel_id").
		Where("p.status = 'SCHEDULED' AND p.waiting_reason = 'channel_reconnect'").
		Where("c.loss_mailed_at IS NULL AND c.is_connected AND c.token_status = 'NEEDS_RECONNECT'").
		Distinct("p.channel_id").Pluck("p.channel_id", &lost).Error
	if err != nil {
		return sent, classify(err)
	}
	for _, id := range lost {
		n, err := s.NotifyLoss(ctx, id, now)
		if err != nil {
			return sent, err
		}
		sent += n
	}
	return sent, nil
}

func (s *Mails) remind(ctx context.Context, id ident.Workspace, now time.Time) (sent int, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("workspace").Where("id = ?", id).
			Where("reminded_at IS NULL OR reminded_at <= ?", now.Add(-remindEvery)).Update("reminded_at", now)
		if result.Error != nil || result.RowsAffected == 0 { // another process reminds
			return classify(result.Error)
		}
		ending, err := s.channels(ctx, now, "workspace_id = ? AND token_status = 'EXPIRING' AND token_end_at > ?", id, now)
		if err == nil {
			sent, err = s.notify(ctx, mail.ChannelsExpiring, id, ending, now)
		}
		return err
	})
	return sent, err
}

// NotifyLoss mails the people who may connect the channel that posts wait for it. It does nothing if they were notified since
// the channel was last connected. It returns the number of mails.
func (s *Mails) NotifyLoss(ctx context.Context, id ident.Channel, now time.Time) (sent int, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		var rows []struct{ WorkspaceID ident.Workspace }
		result := s.db.conn(ctx).Table("channel").Clauses(returning("workspace_id")).Model(&rows).
			Where("id = ? AND is_connected AND token_status = 'NEEDS_RECONNECT' AND loss_mailed_at IS NULL", id).
			Update("loss_mailed_at", dbNow)
		if result.Error != nil || len(rows) == 0 {
			return classify(result.Error)
		}
		lost, err := s.channels(ctx, time.Time{}, "id = ?", id)
		if err == nil {
			sent, err = s.notify(ctx, mail.ChannelLost, rows[0].WorkspaceID, lost, now)
		}
		return err
	})
	return sent, err
}

// channels returns the connected channels of a condition. A zero time leaves out when their connections end.
func (s *Mails) channels(ctx context.Context, now time.Time, where string, args ...any) ([]mail.Channel, error) {
	var rows []struct {
		ID         ident.Channel
		Name       string
		Type       string
		TokenEndAt *time.Time
	}
	err := s.db.conn(ctx).Table("channel").Select("id, name, type, token_end_at").Where("is_connected").Where(where, args...).
		Order("token_end_at, name, id").Find(&rows).Error
	found := make([]mail.Channel, len(rows))
	for i, r := range rows {
		found[i] = mail.Channel{ID: r.ID, Name: r.Name, Network: channel.Type(r.Type).Network().Name()}
		if !now.IsZero() {
			found[i].EndsAt = value(r.TokenEndAt)
		}
	}
	return found, classify(err)
}

// notify notifies each member who may connect channels, and the places of the workspace.
func (s *Mails) notify(
	ctx context.Context, kind mail.Kind, id ident.Workspace, channels []mail.Channel, now time.Time,
) (sent int, err error) {
	people, err := s.readers(ctx, id, kind)
	if err != nil || len(people) == 0 {
		return 0, err
	}
	about, content := news{kind, id, now}, mail.Content{Workspace: people[0].Workspace, Channels: channels}
	for _, p := range people {
		if !member.Role(p.Role).Allows(credential.ChannelsConnect) {
			continue
		}
		n, err := s.inform(ctx, about, p, content)
		if err != nil {
			return sent, err
		}
		sent += n
	}
	n, err := s.announce(ctx, about, content)
	return sent + n, err
}
