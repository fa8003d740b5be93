package postgres

import (
	"context"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// lockStatus locks a channel until the transaction ends, and returns its token status; empty if there is no channel.
func (s *Channels) lockStatus(ctx context.Context, id ident.Channel) (channel.TokenStatus, error) {
	var status string
	err := s.db.conn(ctx).Raw("SELECT token_status FROM channel WHERE id = ? FOR NO KEY UPDATE", id).Scan(&status).Error
	return channel.TokenStatus(status), classify(err)
}

// Announce writes the events about the token status of a channel, in the transaction that has changed the status or has
// connected the channel. Before is the status before; empty for a new channel.
func (s *Channels) Announce(ctx context.Context, id ident.Channel, before channel.TokenStatus) error {
	found, err := s.find(ctx, "id = ?", id)
	if err != nil || len(found) == 0 {
		return err
	}
	types := found[0].StatusEvents(before)
	if len(types) == 0 {
		return nil
	}
	now, err := s.db.now(ctx)
	if err != nil {
		return err
	}
	for _, typ := range types {
		e, err := found[0].Event(typ, now)
		if err != nil {
			return err
		}
		if err := NewEvents(s.db).Insert(ctx, e, ident.Webhook{}); err != nil {
			return err
		}
	}
	return nil
}
