package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// InboxPolls stores how far networks were asked for what people write in public.
type InboxPolls struct {
	db       *DB
	channels *Channels
	events   *InboundReceipts
}

// NewInboxPolls returns the store.
func NewInboxPolls(db *DB, box *secretbox.Keyring, events *InboundReceipts) *InboxPolls {
	return &InboxPolls{db: db, channels: NewChannels(db, box), events: events}
}

// InboxPoll is a place at a network that is asked for what people write.
type InboxPoll struct {
	Channel  channel.Channel
	Post     string // empty: the account
	Cursor   string
	Since    time.Time
	Tries    int
	PostedAt time.Time
	Owner    uuid.UUID
}

// FirstPoll is the age up to which the first poll of a channel reads what was written before.
const FirstPoll = 7 * 24 * time.Hour

// Add adds the connected channels of the types that are not polled yet.
func (s *InboxPolls) Add(ctx context.Context, types []channel.Type) error {
	if len(types) == 0 {
		return nil
	}
	return classify(s.db.conn(ctx).Exec(`INSERT INTO inbox_poll (channel_id, since)
		SELECT c.id, ? FROM channel c WHERE c.type IN ? AND c.is_connected AND NOT c.is_test
			AND NOT EXISTS (SELECT FROM inbox_poll p WHERE p.channel_id = c.id AND p.post = '')
		ON CONFLICT DO NOTHING`, dbAgo(FirstPoll), types).Error)
}

// Claim reserves a due poll for some time. It returns false if there is none.
func (s *InboxPolls) Claim(ctx context.Context, life time.Duration) (InboxPoll, bool, error) {
	var rows []struct {
		ChannelID   ident.Channel
		WorkspaceID ident.Workspace
		Post        string
		Cursor      string
		Since       time.Time
		Tries       int
		PostedAt    *time.Time
	}
	owner := uuid.New()
	err := s.db.conn(ctx).Raw(claimPoll, map[string]any{"owner": owner, "life": life.Seconds()}).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return InboxPoll{}, false, classify(err)
	}
	r := rows[0]
	found, err := s.channels.Get(ctx, r.WorkspaceID, r.ChannelID)
	return InboxPoll{
		Channel: found, Post: r.Post, Cursor: r.Cursor, Since: r.Since, Tries: r.Tries, PostedAt: value(r.PostedAt), Owner: owner,
	}, err == nil, err
}

// Advance stores what a poll read and the place of the next one, in one transaction, and ends the lease. A zero pause pauses
// nothing. It returns the number of events that were not known; none if the execution has lost its lease, because another one
// reads the place again.
func (s *InboxPolls) Advance(
	ctx context.Context, p InboxPoll, events []inbox.Event, cursor string, next, pause time.Duration,
) (stored int, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		moved, err := s.end(ctx, p, map[string]any{"cursor": cursor, "next_at": dbIn(next), "tries": 0, "fault": ""})
		if err != nil || !moved {
			return err
		}
		if pause > 0 {
			if err := s.pause(ctx, p, pause); err != nil {
				return err
			}
		}
		if len(events) > 0 {
			stored, err = s.events.store(ctx, events, true)
		}
		return err
	})
	return stored, err
}

// Fail ends the lease of a poll that failed. With a pause, no poll of the channel begins before its end.
func (s *InboxPolls) Fail(ctx context.Context, p InboxPoll, fault string, next, pause time.Duration) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		moved, err := s.end(ctx, p, map[string]any{"next_at": dbIn(next), "tries": p.Tries + 1, "fault": fault})
		if err != nil || !moved || pause <= 0 {
			return err
		}
		return s.pause(ctx, p, pause)
	})
}

func (s *InboxPolls) end(ctx context.Context, p InboxPoll, columns map[string]any) (bool, error) {
	columns["lease_owner"], columns["lease_until"] = nil, nil
	ended := s.db.conn(ctx).Table("inbox_poll").Where("channel_id = ? AND post = ? AND lease_owner = ?", p.Channel.ID, p.Post, p.Owner).
		Updates(columns)
	return ended.RowsAffected > 0, classify(ended.Error)
}

func (s *InboxPolls) pause(ctx context.Context, p InboxPoll, pause time.Duration) error {
	return classify(s.db.conn(ctx).Table("inbox_poll").Where("channel_id = ? AND post = ''", p.Channel.ID).
		Update("paused_until", dbIn(pause)).Error)
}

// Posts finds the posts of a channel that are not older than age, below which its network is asked.
func (s *InboxPolls) Posts(ctx context.Context, of ident.Channel, age time.Duration) error {
	return classify(s.db.conn(ctx).Exec(findPolledPosts, map[string]any{
		"channel": of, "age": age.Seconds(), "first": FirstPoll.Seconds(),
	}).Error)
}

// Late returns how long the poll is due that waits longest, apart from those of channels that may not be read now.
func (s *InboxPolls) Late(ctx context.Context) (time.Duration, error) {
	var seconds float64
	err := s.db.conn(ctx).Raw(`SELECT COALESCE(EXTRACT(EPOCH FROM now() - min(GREATEST(d.next_at, h.paused_until))), 0)
		FROM inbox_poll d JOIN channel k ON k.id = d.channel_id JOIN inbox_poll h ON h.channel_id = d.channel_id AND h.post = ''
		WHERE d.next_at <= now() AND h.paused_until <= now() AND k.is_connected AND k.token_status <> 'NEEDS_RECONNECT'
			AND k.public_inbox`).Scan(&seconds).Error
	return time.Duration(seconds * float64(time.Second)), classify(err)
}

// PublicInbox is the state of the inbox in public of a channel.
type PublicInbox struct {
	On    bool   // no member has turned it off
	Fault string // why it is not read; empty: it is, or will be
}

// Public returns what is known of the inbox in public of a channel.
func (s *InboxPolls) Public(ctx context.Context, of ident.Channel) (p PublicInbox, err error) {
	err = s.db.conn(ctx).Raw(`SELECT c.public_inbox AS "on", COALESCE((SELECT p.fault FROM inbox_poll p WHERE p.channel_id = c.id
			ORDER BY p.post = '' AND p.fault <> '' DESC, p.fault <> '' DESC LIMIT 1), '') AS fault
		FROM channel c WHERE c.id = ?`, of).Scan(&p).Error
	return p, classify(err)
}

// SetPublic turns the inbox in public of a channel on or off.
func (s *InboxPolls) SetPublic(ctx context.Context, of ident.Channel, on bool) error {
	return classify(s.db.conn(ctx).Table("channel").Where("id = ?", of).Update("public_inbox", on).Error)
}

// repoll lets all polls of a channel begin at once, because its connection has changed.
func repoll(ctx context.Context, db *DB, of ident.Channel) error {
	return classify(db.conn(ctx).Table("inbox_poll").Where("channel_id = ?", of).
		Updates(map[string]any{"next_at": dbNow, "paused_until": dbNow, "fault": "", "tries": 0}).Error)
}
