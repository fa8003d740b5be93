package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// ChannelInboxes stores what the page of a channel shows of its inbox.
type ChannelInboxes struct{ db *DB }

// NewChannelInboxes returns the store.
func NewChannelInboxes(db *DB) *ChannelInboxes { return &ChannelInboxes{db: db} }

// ReadsOnOpen reports whether people see that a member has opened their conversation.
func (s *ChannelInboxes) ReadsOnOpen(ctx context.Context, id ident.Channel) (reads bool, err error) {
	err = s.db.conn(ctx).Table("channel_inbox").Where("channel_id = ?", id).Pluck("reads_on_open", &reads).Error
	return reads, classify(err)
}

// SetReadsOnOpen stores whether people see that a member has opened their conversation.
func (s *ChannelInboxes) SetReadsOnOpen(ctx context.Context, id ident.Channel, reads bool) error {
	return classify(s.db.conn(ctx).Table("channel_inbox").
		Clauses(onConflict("ON CONFLICT (channel_id) DO UPDATE SET reads_on_open = excluded.reads_on_open")).
		Create(map[string]any{"channel_id": id, "reads_on_open": reads}).Error)
}

// SourceHealth says how a network reports the conversations of an account.
type SourceHealth struct {
	Fault     string    // empty: it reports, or was not checked
	CheckedAt time.Time // zero: not yet
	EventAt   time.Time // of the last report; zero: there was none
}

// Health returns how a network reports; the zero value if no process has looked yet.
func (s *ChannelInboxes) Health(ctx context.Context, network channel.Network, account string) (SourceHealth, error) {
	var row struct {
		Fault     string
		CheckedAt *time.Time
		EventAt   *time.Time
	}
	err := s.db.conn(ctx).Table("inbound_source").Select("fault, checked_at, event_at").
		Where("network = ? AND account = ?", string(network), account).Take(&row).Error
	if err = rowError(err, "source"); apperr.Is(err, apperr.NotFound) {
		err = nil
	}
	return SourceHealth{Fault: row.Fault, CheckedAt: value(row.CheckedAt), EventAt: value(row.EventAt)}, err
}

// Healthy reports by network whether the conversations of all accounts are reported. Accounts whose channels must be reconnected
// do not count: their members know.
func (s *InboundSources) Healthy(ctx context.Context) (map[channel.Network]bool, error) {
	var rows []struct {
		Network string
		Healthy bool
	}
	err := s.db.conn(ctx).Table("inbound_source s").Where(`s.checked_at IS NOT NULL AND EXISTS (SELECT FROM channel c WHERE ` + receivable + `
			AND NOT c.is_test AND c.token_status <> 'NEEDS_RECONNECT' AND split_part(c.external_id, ':', 1) = s.account)`).
		Select("s.network, bool_and(s.fault = '' AND s.checked_at > now() - interval '1 hour') AS healthy").Group("s.network").
		Find(&rows).Error
	healthy := make(map[channel.Network]bool, len(rows))
	for _, row := range rows {
		healthy[channel.Network(row.Network)] = row.Healthy
	}
	return healthy, classify(err)
}

// Cost is a number of answers of one month and one category of the network's price list.
type Cost struct {
	Month    time.Time // its first day, without a zone
	Category string
	Billed   bool
	N        int
}

// CostQuery selects the answers of a channel since a time, by months of a time zone.
type CostQuery struct {
	Channel ident.Channel
	Since   time.Time
	Zone    string
}

func (q CostQuery) params() map[string]any {
	return map[string]any{"channel": q.Channel, "since": q.Since, "zone": q.Zone}
}

// Costs returns the numbers of answers, newest month first.
func (s *ChannelInboxes) Costs(ctx context.Context, q CostQuery) (costs []Cost, err error) {
	err = s.db.conn(ctx).Raw(channelCosts, q.params()).Scan(&costs).Error
	return costs, classify(err)
}

// receiptPut is the request to show a message as read.
func (db *DB) receiptPut(ctx context.Context, of ident.Conversation, until time.Time, always bool) error {
	return classify(db.conn(ctx).Exec(receiptPut, map[string]any{"id": of, "until": until, "always": always}).Error)
}

// Opened lets the person of a conversation see as read what they wrote until a time, if the channel's members decided so.
func (s *Conversations) Opened(ctx context.Context, of ident.Conversation, until time.Time) error {
	return s.db.receiptPut(ctx, of, until, false)
}

// Receipts stores what people are to see as read.
type Receipts struct {
	db       *DB
	channels *Channels
}

// NewReceipts returns the store.
func NewReceipts(db *DB, box *secretbox.Keyring) *Receipts {
	return &Receipts{db: db, channels: NewChannels(db, box)}
}

// ReceiptJob is a message that a person is to see as read.
type ReceiptJob struct {
	Conversation ident.Conversation
	Message      ident.Message
	Tries        int // with this one
	Thread       string
	ExternalID   string // empty: the message is gone
	Connection   string // of the channel's account; empty: none
	Channel      channel.Channel
}

// Take returns up to limit receipts. Those that are not Done come back after a pause.
func (s *Receipts) Take(ctx context.Context, limit int) ([]ReceiptJob, error) {
	var rows []struct {
		ConversationID ident.Conversation
		MessageID      ident.Message
		Tries          int
		WorkspaceID    ident.Workspace
		ChannelID      ident.Channel
		Thread         string
		ExternalID     *string
		Connection     *string
	}
	if err := s.db.conn(ctx).Raw(receiptTake, map[string]any{"limit": limit}).Scan(&rows).Error; err != nil {
		return nil, classify(err)
	}
	jobs := make([]ReceiptJob, len(rows))
	for i, r := range rows {
		of, err := s.channels.Get(ctx, r.WorkspaceID, r.ChannelID)
		if err != nil {
			return nil, err
		}
		jobs[i] = ReceiptJob{
			Conversation: r.ConversationID, Message: r.MessageID, Tries: r.Tries, Thread: r.Thread, ExternalID: value(r.ExternalID),
			Connection: value(r.Connection), Channel: of,
		}
	}
	return jobs, nil
}

// Done ends a receipt, unless a later message is to be shown as read.
func (s *Receipts) Done(ctx context.Context, job ReceiptJob) error {
	return classify(s.db.conn(ctx).Table("read_receipt").Where("conversation_id = ? AND message_id = ?", job.Conversation, job.Message).
		Delete(nil).Error)
}
