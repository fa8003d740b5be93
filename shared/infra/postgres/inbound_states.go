package postgres

import (
	"context"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/ident"
)

// threads gives messages the thread of the conversation that the channel has with the person: a network may name the person, and
// so the thread, in several ways. Accounts of a person whom a member merged keep their own conversations: a reply goes to one of them.
func (s *Inbound) threads(ctx context.Context, messages []placed, people map[identityKey]knownPerson) error {
	type talk struct {
		ident.Channel
		knownPerson
	}
	known := make(map[talk]string)
	var requested []map[string]any
	for _, m := range messages {
		at := talk{m.ChannelID, people[identityOf(m)]}
		if m.KindOf() != inbox.Messages { // its thread has a name of its own
			continue
		}
		if _, is := known[at]; !is {
			known[at] = m.Thread
			requested = append(requested, map[string]any{"channel_id": at.Channel, "person_id": at.Person, "origin": at.Origin})
		}
	}
	if len(requested) == 0 {
		return nil
	}
	raw, err := jsonParam(requested)
	if err != nil {
		return err
	}
	var rows []struct {
		ChannelID ident.Channel
		PersonID  ident.Person
		Origin    ident.Person
		Thread    string
	}
	err = s.db.conn(ctx).Raw(`SELECT c.channel_id, c.person_id, g.origin, c.thread FROM conversation c
		JOIN jsonb_to_recordset(CAST(? AS jsonb)) AS g(channel_id uuid, person_id uuid, origin uuid) USING (channel_id, person_id)
		WHERE c.kind = 'MESSAGES' AND COALESCE(c.origin, c.person_id) = g.origin ORDER BY c.id DESC`, raw).Scan(&rows).Error
	if err != nil {
		return classify(err)
	}
	for _, row := range rows { // the oldest last
		known[talk{row.ChannelID, knownPerson{row.PersonID, row.Origin}}] = row.Thread
	}
	for i, m := range messages {
		if m.KindOf() == inbox.Messages {
			messages[i].Thread = known[talk{m.ChannelID, people[identityOf(m)]}]
		}
	}
	return nil
}

// rank is the order in which the states of an answer follow each other. A failure ends only what was not delivered.
func rank(state inbox.MessageState) int {
	return map[inbox.MessageState]int{
		inbox.Queued: 0, inbox.Unknown: 0, inbox.Sent: 1, inbox.Failed: 2, inbox.Delivered: 3, inbox.Read: 4,
	}[state]
}

// states applies what became of answers. It returns the events that are done; those whose answers are not known yet wait.
func (b *inboundBatch) states(
	ctx context.Context, statuses []inboundReading, places map[account][]inboxPlace,
) (done []int64, err error) {
	for _, r := range statuses {
		found := len(places[r.at]) == 0
		for _, at := range places[r.at] {
			known, err := b.store.state(ctx, at, *r.Change.Status)
			if err != nil {
				return nil, err
			}
			found = found || known
		}
		if !found {
			if err := b.store.waits(ctx, r.InboundEvent); err != nil {
				return nil, err
			}
			continue
		}
		done = append(done, r.ID)
	}
	return done, nil
}

// priced stores the category by which the network counts an answer. Any of its statuses may have it, in any order.
func (s *Inbound) priced(ctx context.Context, id ident.Message, status inbox.Status) error {
	if status.Price == "" {
		return nil
	}
	return classify(s.db.conn(ctx).Table("message").Where("id = ?", id).Updates(map[string]any{
		"price": gorm.Expr("GREATEST(price, ?)", status.Price), "billed": gorm.Expr("COALESCE(billed, false) OR ?", !status.Free),
	}).Error)
}

// state raises the state of an answer. It returns false if the channel has no such answer.
func (s *Inbound) state(ctx context.Context, at inboxPlace, status inbox.Status) (known bool, err error) {
	own, _ := ident.Parse[ident.Message](status.Opaque) // zero: not of this service
	var rows []messageRow
	err = s.db.conn(ctx).Table("message m").Select(messageColumns).
		Where("m.channel_id = ? AND (m.external_id = ? OR m.id = ? AND m.external_id IS NULL)", at.ChannelID, status.ExternalID, own).
		Clauses(locking("FOR UPDATE")).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return false, classify(err)
	}
	m := fromMessageRow(rows[0])
	if err := s.priced(ctx, m.ID, status); err != nil {
		return true, err
	}
	if rank(status.State) <= rank(m.State) {
		return true, nil
	}
	columns := map[string]any{
		"state": string(status.State), "external_id": status.ExternalID, "failure_code": status.FailureCode,
		"failure_message": status.FailureMessage,
	}
	if err := s.db.conn(ctx).Table("message").Where("id = ?", m.ID).Updates(columns).Error; err != nil {
		return true, classify(err)
	}
	if status.FailureCode == inbox.CodeOptedOut {
		if err := optOut(ctx, s.db, m.ConversationID); err != nil {
			return true, err
		}
	}
	// The network has the answer, whatever its sender knows.
	err = s.db.conn(ctx).Table("reply_attempt").Where("message_id = ? AND state IN ('SENT', 'UNKNOWN')", m.ID).
		Updates(map[string]any{"state": "CONFIRMED", "external_id": status.ExternalID, "finished_at": dbNow}).Error
	if err != nil {
		return true, classify(err)
	}
	return true, previewed(ctx, s.db, []string{m.ConversationID.String()})
}
