package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
)

// Inbound stores what networks report, until it is part of the inbox.
type Inbound struct {
	db   *DB
	rate Rate // nil: there is no Sales Lead agent
}

// NewInbound returns the store.
func NewInbound(db *DB) *Inbound { return &Inbound{db: db} }

// InboundEvent is an event that waits to be read.
type InboundEvent struct {
	inbox.Event

	ID    int64
	Tries int
	Age   time.Duration // since it was received
}

// Reading is the meaning of an event.
type Reading struct {
	Change inbox.Change
	Fault  error // nil: Change is its meaning
	Reader int   // the version that read it
}

type inboundRow struct {
	ID         int64
	Network    string
	Account    string
	Key        string
	Kind       string
	OccurredAt time.Time
	Body       []byte
	Tries      int
	Age        float64
}

func fromInboundRow(r inboundRow) InboundEvent {
	return InboundEvent{
		Event: inbox.Event{
			Network: channel.Network(r.Network), Account: r.Account, Key: r.Key, Kind: r.Kind, At: r.OccurredAt, Body: r.Body,
		},
		ID: r.ID, Tries: r.Tries, Age: time.Duration(r.Age * float64(time.Second)),
	}
}

const (
	// inboundTries is the number of readings after which an event that cannot be read is left to an operator.
	inboundTries = 5
	// inboundWait is the time for which an event waits for another one that it refers to.
	inboundWait = 24 * time.Hour
	// inboundFirst and inboundLongest are the shortest and the longest pause between two tries.
	inboundFirst   = 5 * time.Second
	inboundLongest = 10 * time.Minute
)

// pauseAfter returns the pause after a number of tries.
func pauseAfter(tries int) time.Duration {
	const doublings = 7 // reach the longest pause
	return min(inboundFirst<<min(tries, doublings), inboundLongest)
}

// Process takes up to limit waiting events, reads them, and applies what they say, in one transaction. Other processes skip
// the events meanwhile. It returns those that it took, also with an error: none of them is applied then.
func (s *Inbound) Process(ctx context.Context, limit int, read func(inbox.Event) Reading) ([]InboundEvent, error) {
	var taken []InboundEvent
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		var rows []inboundRow
		err := s.db.conn(ctx).Table("inbound_event").
			Select("id, network, account, key, kind, occurred_at, body, tries, EXTRACT(EPOCH FROM now() - received_at) AS age").
			Where("state = 'NEW' AND next_at <= now()").Order("next_at, id").Limit(limit).
			Clauses(locking("FOR UPDATE SKIP LOCKED")).Find(&rows).Error
		if taken = each(rows, fromInboundRow); err != nil || len(taken) == 0 {
			return classify(err)
		}
		batch := inboundBatch{store: s}
		for _, e := range taken {
			batch.add(e, read(e.Event))
		}
		return batch.apply(ctx)
	})
	return taken, err
}

// Failed counts a try of an event that could not be applied. After some tries it is left to an operator.
func (s *Inbound) Failed(ctx context.Context, e InboundEvent, cause error, reader int) error {
	const longest = 500
	columns := map[string]any{
		"tries": e.Tries + 1, "next_at": dbIn(pauseAfter(e.Tries)), "error": fmt.Sprintf("%.*s", longest, cause), "reader": reader,
	}
	if e.Tries+1 >= inboundTries {
		columns["state"] = "FAILED"
	}
	return classify(s.db.conn(ctx).Table("inbound_event").Where("id = ?", e.ID).Updates(columns).Error)
}

// waits lets an event wait for another one that it refers to, or ends it if that has not come in time.
func (s *Inbound) waits(ctx context.Context, e InboundEvent) error {
	columns := map[string]any{"tries": e.Tries + 1, "next_at": dbIn(pauseAfter(e.Tries))}
	if e.Age >= inboundWait {
		columns = map[string]any{"state": "SKIPPED", "body": []byte{}}
	}
	return classify(s.db.conn(ctx).Table("inbound_event").Where("id = ?", e.ID).Updates(columns).Error)
}

// Again lets events that an older version could not read be read again.
func (s *Inbound) Again(ctx context.Context, network channel.Network, reader int) error {
	return classify(s.db.conn(ctx).Table("inbound_event").Where("state = 'FAILED' AND network = ? AND reader < ?", string(network), reader).
		Updates(map[string]any{"state": "NEW", "tries": 0, "next_at": dbNow}).Error)
}

// Waiting returns the number of events that are to be read, and the age of the oldest that is due.
func (s *Inbound) Waiting(ctx context.Context) (count int, oldest time.Duration, err error) {
	var row struct {
		Count  int
		Oldest float64
	}
	err = s.db.conn(ctx).Table("inbound_event").Where("state = 'NEW'").
		Select(`count(*) AS count, COALESCE(EXTRACT(EPOCH FROM now() - min(next_at) FILTER (WHERE next_at <= now())), 0) AS oldest`).
		Take(&row).Error
	return row.Count, time.Duration(row.Oldest * float64(time.Second)), classify(err)
}

// Prune deletes up to limit events that were received longer than age ago, and returns their number. Those that wait stay.
func (s *Inbound) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	deleted := s.db.conn(ctx).Table("inbound_event").
		Where("id IN (?)", s.db.conn(ctx).Table("inbound_event").Select("id").Where("received_at < ? AND state <> 'NEW'", dbAgo(age)).
			Order("received_at").Limit(limit)).Delete(nil)
	return int(deleted.RowsAffected), classify(deleted.Error)
}

// connect stores the states of connections; the newest counts.
func (s *Inbound) connect(ctx context.Context, e inbox.Event, c inbox.Connection) error {
	return classify(s.db.conn(ctx).Table("inbound_connection AS c").Clauses(onConflict(`ON CONFLICT (network, account, connection)
		DO UPDATE SET external_id = excluded.external_id, name = excluded.name, username = excluded.username,
			enabled = excluded.enabled, may_reply = excluded.may_reply, at = excluded.at WHERE excluded.at >= c.at`)).
		Create(map[string]any{
			"network": string(e.Network), "account": e.Account, "connection": c.ID, "external_id": c.ExternalID, "name": c.Name,
			"username": c.Username, "enabled": c.Enabled, "may_reply": c.MayReply, "at": c.At,
		}).Error)
}

// receivable is the condition under which a channel c takes part in conversations.
const receivable = "c.is_connected AND (c.public_inbox OR " + reported + ")"

// reported is the condition under which a network reports the conversations of a channel c by itself.
const reported = "c.type IN ('TELEGRAM_BUSINESS', 'WHATSAPP_BUSINESS')"

// typesOf returns the channel types of a network.
func typesOf(n channel.Network) []channel.Type {
	return slices.DeleteFunc(channel.Types(), func(t channel.Type) bool { return t.Network() != n })
}

// done ends events.
func (s *Inbound) done(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return classify(s.db.conn(ctx).Table("inbound_event").Where("id IN ?", ids).Update("state", "DONE").Error)
}
