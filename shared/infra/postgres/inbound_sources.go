package postgres

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// InboundSources stores the accounts whose conversations networks report.
type InboundSources struct {
	db       *DB
	channels *Channels
}

// NewInboundSources returns the store.
func NewInboundSources(db *DB, box *secretbox.Keyring) *InboundSources {
	return &InboundSources{db: db, channels: NewChannels(db, box)}
}

// InboundSource is an account whose conversations a network reports.
type InboundSource struct {
	ID      ident.InboundSource
	Network channel.Network
	Account string
	Cursor  int64
	Secret  bool            // one is stored
	Owner   uuid.UUID       // of the lease
	Channel channel.Channel // by whose credentials the network is asked
}

// ChannelsToReceive returns the channels of every workspace whose conversations networks report.
func (s *InboundSources) ChannelsToReceive(ctx context.Context) ([]channel.Channel, error) {
	var ids []struct {
		ID          ident.Channel
		WorkspaceID ident.Workspace
	}
	err := s.db.conn(ctx).Table("channel c").Select("c.id, c.workspace_id").Where(reported + " AND c.is_connected AND NOT c.is_test AND c.token_status <> 'NEEDS_RECONNECT'").
		Order("c.id").Find(&ids).Error
	if err != nil {
		return nil, classify(err)
	}
	channels := make([]channel.Channel, len(ids))
	for i, row := range ids {
		if channels[i], err = s.channels.Get(ctx, row.WorkspaceID, row.ID); err != nil {
			return nil, err
		}
	}
	return channels, nil
}

// Know stores an account if it is new, and returns it.
func (s *InboundSources) Know(ctx context.Context, network channel.Network, account string) (InboundSource, error) {
	find := func() (InboundSource, error) {
		var row inboundSourceRow
		err := s.db.conn(ctx).Table("inbound_source").Where("network = ? AND account = ?", string(network), account).Take(&row).Error
		return fromInboundSourceRow(row), rowError(err, "source")
	}
	of, err := find()
	if !apperr.Is(err, apperr.NotFound) { // the usual case, every few seconds, writes nothing
		return of, err
	}
	err = s.db.conn(ctx).Table("inbound_source").Clauses(onConflict("ON CONFLICT (network, account) DO NOTHING")).Create(map[string]any{
		"id": ident.New[ident.InboundSource](), "network": string(network), "account": account,
	}).Error
	if err != nil {
		return InboundSource{}, classify(err)
	}
	return find()
}

type inboundSourceRow struct {
	ID         ident.InboundSource
	Network    string
	Account    string
	Cursor     int64
	SecretHash []byte
}

func fromInboundSourceRow(r inboundSourceRow) InboundSource {
	return InboundSource{
		ID: r.ID, Network: channel.Network(r.Network), Account: r.Account, Cursor: r.Cursor, Secret: len(r.SecretHash) > 0,
	}
}

// Lease reserves an account for an execution. It returns false if another one has it, or if it was checked within the given
// time; zero: whenever it was checked.
func (s *InboundSources) Lease(ctx context.Context, id ident.InboundSource, owner uuid.UUID, life, checked time.Duration) (bool, error) {
	leased := s.db.conn(ctx).Table("inbound_source").Where("id = ? AND (lease_until IS NULL OR lease_until <= now())", id)
	if checked > 0 {
		leased = leased.Where("(checked_at IS NULL OR checked_at <= ?)", dbAgo(checked))
	}
	leased = leased.Updates(map[string]any{"lease_owner": owner, "lease_until": dbIn(life)})
	return leased.RowsAffected > 0, classify(leased.Error)
}

// Checked ends the lease of an execution and records what it found; an empty fault: the network reports.
func (s *InboundSources) Checked(ctx context.Context, id ident.InboundSource, owner uuid.UUID, fault string) error {
	return classify(s.db.conn(ctx).Table("inbound_source").Where("id = ? AND lease_owner = ?", id, owner).
		Updates(map[string]any{"fault": fault, "checked_at": dbNow, "lease_owner": nil, "lease_until": nil}).Error)
}

// SetSecret stores the hash of a new secret. The one before stays valid until the next.
func (s *InboundSources) SetSecret(ctx context.Context, id ident.InboundSource, secret string) error {
	hash := sha256.Sum256([]byte(secret))
	return classify(s.db.conn(ctx).Table("inbound_source").Where("id = ?", id).
		Updates(map[string]any{"previous_hash": gorm.Expr("secret_hash"), "secret_hash": hash[:]}).Error)
}

// Advance stores events by a function and the cursor after them, in one transaction. It does nothing if the execution has lost
// its lease.
func (s *InboundSources) Advance(
	ctx context.Context, id ident.InboundSource, owner uuid.UUID, cursor int64, store func(context.Context) error,
) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		moved := s.db.conn(ctx).Table("inbound_source").Where("id = ? AND lease_owner = ?", id, owner).Update("cursor", cursor)
		if moved.Error != nil || moved.RowsAffected == 0 {
			return classify(moved.Error)
		}
		return store(ctx)
	})
}

// Connections returns the connections of an account that let it take part in conversations.
func (s *InboundSources) Connections(ctx context.Context, network channel.Network, account string) (all []inbox.Connection, err error) {
	err = s.db.conn(ctx).Table("inbound_connection").Select("connection AS id, external_id, name, username, enabled, may_reply, at").
		Where("network = ? AND account = ? AND enabled", string(network), account).Order("at, connection").Scan(&all).Error
	return all, classify(err)
}

// Recheck lets the next look ask the network where it reports, because that may have changed.
func (s *InboundSources) Recheck(ctx context.Context, network channel.Network, account string) error {
	return classify(s.db.conn(ctx).Table("inbound_source").Where("network = ? AND account = ?", string(network), account).
		Update("checked_at", nil).Error)
}
