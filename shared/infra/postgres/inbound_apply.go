package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/ident"
)

// inboundBatch applies the changes of a batch of events by a few statements for all of them.
type inboundBatch struct {
	store    *Inbound
	readings []inboundReading
}

type inboundReading struct {
	InboundEvent
	Reading

	at account // of the conversation; zero if the change has none
}

// account is an account at a network, as an event names it.
type account struct{ network, account, connection string }

func (b *inboundBatch) add(e InboundEvent, r Reading) {
	reading := inboundReading{InboundEvent: e, Reading: r, at: account{network: string(e.Network), account: e.Account}}
	switch {
	case r.Change.Message != nil:
		reading.at.connection = r.Change.Message.Connection
	case r.Change.Deleted != nil:
		reading.at.connection = r.Change.Deleted.Connection
	}
	b.readings = append(b.readings, reading)
}

// apply applies all changes, and ends their events.
func (b *inboundBatch) apply(ctx context.Context) error {
	if err := b.lock(ctx); err != nil {
		return err
	}
	for _, r := range b.readings { // first, because messages of the batch may come through them
		if r.Fault == nil && r.Change.Connection != nil {
			if err := b.store.connect(ctx, r.Event, *r.Change.Connection); err != nil {
				return err
			}
		}
	}
	places, err := b.places(ctx)
	if err != nil {
		return err
	}
	var done []int64
	var written []placed
	var deletions, statuses []inboundReading
	for _, r := range b.readings {
		found, known := places[r.at]
		switch {
		case r.Fault != nil:
			err = b.store.Failed(ctx, r.InboundEvent, r.Fault, r.Reader)
		case r.at.connection != "" && !known:
			err = b.store.waits(ctx, r.InboundEvent)
		case r.Change.Deleted != nil:
			deletions = append(deletions, r)
		case r.Change.Status != nil:
			statuses = append(statuses, r)
		default:
			if r.Change.Message != nil {
				for _, at := range found {
					written = append(written, placed{inboxPlace: at, Written: *r.Change.Message, network: r.at.network})
				}
			}
			done = append(done, r.ID)
		}
		if err != nil {
			return err
		}
	}
	if err := b.store.write(ctx, written); err != nil {
		return err
	}
	erased, err := b.erase(ctx, deletions, places)
	if err != nil {
		return err
	}
	known, err := b.states(ctx, statuses, places)
	if err != nil {
		return err
	}
	if err := b.seen(ctx); err != nil {
		return err
	}
	return b.store.done(ctx, slices.Concat(done, erased, known))
}

// seen records that networks report.
func (b *inboundBatch) seen(ctx context.Context) error {
	accounts := make(map[account]map[string]string)
	for _, r := range b.readings {
		accounts[account{network: r.at.network, account: r.at.account}] = map[string]string{"network": r.at.network, "account": r.at.account}
	}
	raw, err := jsonParam(slices.Collect(maps.Values(accounts)))
	if err != nil {
		return err
	}
	return classify(b.store.db.conn(ctx).Exec(inboundSeen, map[string]any{"accounts": raw}).Error)
}

// inboxPlace is a channel in whose inbox a conversation is.
type inboxPlace struct {
	WorkspaceID ident.Workspace
	ChannelID   ident.Channel
}

// places returns the channels of the accounts in the batch. A connection that is not known is missing; one that no channel
// has is there, without channels.
func (b *inboundBatch) places(ctx context.Context) (map[account][]inboxPlace, error) {
	var requested []map[string]any
	places := make(map[account][]inboxPlace)
	for _, r := range b.readings {
		if _, is := places[r.at]; is || r.Fault != nil {
			continue
		}
		places[r.at] = nil
		requested = append(requested, map[string]any{
			"network": r.at.network, "account": r.at.account, "connection": r.at.connection, "types": typesOf(r.Network),
		})
	}
	if len(requested) == 0 {
		return places, nil
	}
	raw, err := jsonParam(requested)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Network     string
		Account     string
		Connection  string
		Known       bool
		WorkspaceID *ident.Workspace
		ChannelID   *ident.Channel
	}
	err = b.store.db.conn(ctx).Raw(`SELECT a.network, a.account, a.connection, a.connection = '' OR l.connection IS NOT NULL AS known,
			c.workspace_id, c.id AS channel_id
		FROM jsonb_to_recordset(CAST(? AS jsonb)) AS a(network text, account text, connection text, types jsonb)
		LEFT JOIN inbound_connection l ON a.connection <> '' AND l.network = a.network AND l.account = a.account AND l.connection = a.connection
		LEFT JOIN channel c ON c.external_id = CASE WHEN a.connection = '' THEN a.account ELSE l.external_id END
			AND jsonb_exists(a.types, c.type) AND `+receivable+`
		ORDER BY c.id`, raw).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	for _, r := range rows {
		at := account{r.Network, r.Account, r.Connection}
		if !r.Known {
			delete(places, at)
		}
		if r.ChannelID != nil {
			places[at] = append(places[at], inboxPlace{*r.WorkspaceID, *r.ChannelID})
		}
	}
	return places, nil
}

// lock lets one transaction at a time apply events of an account, so that none blocks another. The accounts are in one order.
func (b *inboundBatch) lock(ctx context.Context) error {
	accounts := make(map[string]bool)
	for _, r := range b.readings {
		accounts[accountKey(r.at.network, r.at.account)] = true
	}
	return lockAccounts(ctx, b.store.db, accounts)
}

func accountKey(network, account string) string { return network + " " + account }

// lockAccounts takes the locks of accounts in one order, until the transaction ends.
func lockAccounts(ctx context.Context, db *DB, accounts map[string]bool) error {
	for _, account := range slices.Sorted(maps.Keys(accounts)) {
		if err := db.conn(ctx).Exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 4))`, account).Error; err != nil {
			return classify(err)
		}
	}
	return nil
}

// placed is a message in the inbox of a channel.
type placed struct {
	inboxPlace
	inbox.Written

	network string
	saidAt  time.Time // of the original; zero: the batch has only versions of it
}

// write stores messages with their people and conversations.
func (s *Inbound) write(ctx context.Context, messages []placed) error {
	if len(messages) == 0 {
		return nil
	}
	messages = newest(messages)
	people, err := s.people(ctx, messages)
	if err != nil {
		return err
	}
	if err := s.threads(ctx, messages, people); err != nil {
		return err
	}
	conversations, err := s.conversations(ctx, messages, people)
	if err != nil {
		return err
	}
	rows := make([]map[string]any, len(messages))
	for i, m := range messages {
		rows[i] = map[string]any{
			"id": ident.New[ident.Message](), "conversation_id": conversations[threadOf(m)], "workspace_id": m.WorkspaceID,
			"channel_id": m.ChannelID, "direction": m.Direction, "external_id": m.ExternalID, "text": m.Text, "reply_to": m.ReplyTo,
			"unsupported": m.Unsupported, "files": fileRows(m.Files), "sent_at": m.SentAt, "edited_at": optional(m.EditedAt), "version": m.Version,
			"original": !m.saidAt.IsZero(), "said_at": optional(m.saidAt), "permalink": m.Permalink, "rating": m.Rating,
			"person_id": nil,
		}
		if m.KindOf() != inbox.Messages && m.Direction == inbox.In {
			rows[i]["person_id"] = people[identityOf(m)].Person
		}
	}
	raw, err := jsonParam(rows)
	if err != nil {
		return err
	}
	var changed []string
	if err := s.db.conn(ctx).Raw(inboundMessages, map[string]any{"rows": raw}).Scan(&changed).Error; err != nil {
		return classify(err)
	}
	// Several people write in public: the conversation is with the first, in whatever order their messages come.
	err = s.db.conn(ctx).Exec(`UPDATE conversation c SET person_id = f.person_id, origin = NULL
		FROM (SELECT DISTINCT ON (m.conversation_id) m.conversation_id, m.person_id FROM message m
			WHERE m.conversation_id = ANY(CAST(? AS uuid[])) AND m.person_id IS NOT NULL
			ORDER BY m.conversation_id, m.sent_at, m.external_id) f
		WHERE c.id = f.conversation_id AND c.person_id <> f.person_id`, textArray(changed)).Error
	if err != nil {
		return classify(err)
	}
	if err := previewed(ctx, s.db, changed); err != nil || s.rate == nil {
		return err
	}
	for i, m := range messages {
		rows[i] = map[string]any{"id": rows[i]["id"], "post": m.Post}
	}
	return s.rated(ctx, rows)
}

// newest returns the messages with the newest version of each.
func newest(messages []placed) []placed {
	type name struct {
		ident.Channel
		id string
	}
	index := make(map[name]int, len(messages))
	var kept []placed
	for _, m := range messages {
		at := name{m.ChannelID, m.ExternalID}
		if m.EditedAt.IsZero() {
			m.saidAt = m.SentAt
		}
		i, known := index[at]
		if !known {
			index[at] = len(kept)
			kept = append(kept, m)
			continue
		}
		was := kept[i]
		if !m.EditedAt.IsZero() && cmp.Or(m.EditedAt.Compare(was.EditedAt), cmp.Compare(m.Version, was.Version)) > 0 {
			kept[i] = m
		}
		if was.SentAt.Before(m.SentAt) {
			kept[i].SentAt = was.SentAt
		} else {
			kept[i].SentAt = m.SentAt
		}
		if kept[i].saidAt = was.saidAt; was.saidAt.IsZero() {
			kept[i].saidAt = m.saidAt
		}
	}
	return kept
}

type threadKey struct {
	ChannelID ident.Channel
	Kind      inbox.Kind
	Thread    string
}

func threadOf(m placed) threadKey { return threadKey{m.ChannelID, m.KindOf(), m.Thread} }

// conversations returns the conversation of each thread in the messages, and opens those that are new.
func (s *Inbound) conversations(
	ctx context.Context, messages []placed, people map[identityKey]knownPerson,
) (map[threadKey]ident.Conversation, error) {
	byThread := make(map[threadKey]placed)
	for _, m := range messages {
		byThread[threadOf(m)] = m
	}
	var rows []map[string]any
	for at, m := range byThread {
		rows = append(rows, map[string]any{
			"id": ident.New[ident.Conversation](), "workspace_id": m.WorkspaceID, "channel_id": at.ChannelID, "kind": at.Kind,
			"thread": at.Thread, "post": m.Post, "person_id": people[identityOf(m)].Person, "origin": people[identityOf(m)].Origin,
			"last_at": m.SentAt, // previewed sets it
		})
	}
	raw, err := jsonParam(rows)
	if err != nil {
		return nil, err
	}
	var stored []struct {
		Key threadKey `gorm:"embedded"`
		ID  ident.Conversation
	}
	if err := s.db.conn(ctx).Raw(inboundConversations, map[string]any{"rows": raw}).Scan(&stored).Error; err != nil {
		return nil, classify(err)
	}
	conversations := make(map[threadKey]ident.Conversation, len(stored))
	for _, row := range stored {
		conversations[row.Key] = row.ID
	}
	return conversations, nil
}

// errDeletions reports a deletion that names no message.
var errDeletions = errors.New("postgres: a deletion without messages")

// erase erases the texts of deleted messages. It returns the events that are done; those whose messages are not known yet wait.
func (b *inboundBatch) erase(
	ctx context.Context, deletions []inboundReading, places map[account][]inboxPlace,
) (done []int64, err error) {
	for _, r := range deletions {
		if len(r.Change.Deleted.Messages) == 0 {
			return nil, fmt.Errorf("event %d: %w", r.ID, errDeletions)
		}
		missing := false
		for _, at := range places[r.at] {
			var changed []string
			err := b.store.db.conn(ctx).Raw(`UPDATE message SET text = '', unsupported = '', edited_at = NULL, version = 0, deleted_at = COALESCE(deleted_at, ?)
				WHERE channel_id = ? AND external_id IN ? RETURNING conversation_id`, r.At, at.ChannelID, r.Change.Deleted.Messages).
				Scan(&changed).Error
			if err == nil {
				err = b.store.db.conn(ctx).Exec(`DELETE FROM message_file f USING message m WHERE m.id = f.message_id
					AND m.channel_id = ? AND m.external_id IN ?`, at.ChannelID, r.Change.Deleted.Messages).Error
			}
			if err != nil {
				return nil, classify(err)
			}
			missing = missing || len(changed) < len(r.Change.Deleted.Messages)
			if err := previewed(ctx, b.store.db, changed); err != nil {
				return nil, err
			}
		}
		if missing {
			if err := b.store.waits(ctx, r.InboundEvent); err != nil {
				return nil, err
			}
			continue
		}
		done = append(done, r.ID)
	}
	return done, nil
}

// previewed sets the beginnings of conversations, whose messages have changed.
func previewed(ctx context.Context, db *DB, conversations []string) error {
	if len(conversations) == 0 {
		return nil
	}
	return classify(db.conn(ctx).Exec(conversationPreview, map[string]any{"ids": textArray(conversations)}).Error)
}
