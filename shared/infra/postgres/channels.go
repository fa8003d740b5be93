package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

type channelRow struct {
	ID            ident.Channel
	WorkspaceID   ident.Workspace
	Name          string
	Type          string
	Username      string
	AvatarURL     *string `gorm:"column:avatar_url"`
	ExternalID    string
	IsConnected   bool
	TokenStatus   string
	IsQueuePaused bool
	Timezone      string
	IsTest        bool

	PublishingStopped bool // of the workspace
	ApprovalPolicy    int
	WorkspaceApproval int // its approval policy
	Credentials       []byte
	CredentialsRev    int
	CreatedAt         time.Time
	Facts             factsColumn
}

// factsColumn stores what is known about an account as jsonb.
type factsColumn channel.Facts

// Value returns the column's value.
func (f factsColumn) Value() (driver.Value, error) {
	raw, err := json.Marshal(channel.Facts(f))
	return string(raw), err
}

// Scan reads the column.
func (f *factsColumn) Scan(src any) error { return scanJSON(src, (*channel.Facts)(f)) }

const channelColumns = `id, workspace_id, name, type, username, avatar_url, external_id, is_connected, token_status,
	is_queue_paused, timezone, is_test, credentials, credentials_rev, created_at`

// publishingStopped reads whether all publishing of a channel's workspace is stopped, and the approval policies of both.
const publishingStopped = `EXISTS (SELECT FROM workspace w WHERE w.id = channel.workspace_id
	AND w.publishing_stopped_at IS NOT NULL) AS publishing_stopped,
	approval_policy, (SELECT w.approval_policy FROM workspace w WHERE w.id = channel.workspace_id) AS workspace_approval`

func fromChannelRow(r channelRow) channel.Channel {
	return channel.Channel{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Type: channel.Type(r.Type), Username: r.Username,
		AvatarURL: value(r.AvatarURL), ExternalID: r.ExternalID, IsConnected: r.IsConnected,
		TokenStatus: channel.TokenStatus(r.TokenStatus), IsQueuePaused: r.IsQueuePaused, Timezone: r.Timezone,
		CreatedAt: r.CreatedAt, PublishingStopped: r.PublishingStopped, Facts: channel.Facts(r.Facts), IsTest: r.IsTest,
		OwnApproval: approval.Policy(r.ApprovalPolicy), WorkspaceApproval: approval.Policy(r.WorkspaceApproval),
	}
}

// credentialsAAD binds sealed credentials to their channel, so that they cannot be swapped between rows.
func credentialsAAD(workspace ident.Workspace, id ident.Channel) secretbox.AAD {
	return secretbox.AAD{Kind: "channel", Workspace: workspace.String(), Record: id.String(), Field: "credentials"}
}

func openCredentials(box *secretbox.Keyring, r channelRow) (channel.Credentials, error) {
	if len(r.Credentials) == 0 {
		return channel.Credentials{}, nil
	}
	plain, err := box.Open(r.Credentials, credentialsAAD(r.WorkspaceID, r.ID))
	if err != nil {
		return channel.Credentials{}, err
	}
	var c channel.Credentials
	if err := json.Unmarshal(plain, &c); err != nil {
		return channel.Credentials{}, fmt.Errorf("decode: %w", err)
	}
	return c, nil
}

// Channels stores connected accounts and their sealed credentials.
type Channels struct {
	db   *DB
	box  *secretbox.Keyring
	only []ident.Channel // see For
}

// For returns the store as a client reads it who is limited to some channels: others do not exist. Nil: all of them.
func (s *Channels) For(channels []ident.Channel) *Channels {
	return &Channels{db: s.db, box: s.box, only: channels}
}

// NewChannels returns the store. Without a keyring, it can read only data that is not secret.
func NewChannels(db *DB, box *secretbox.Keyring) *Channels { return &Channels{db: db, box: box} }

// Insert stores a new channel. It returns ErrDuplicate if the workspace already has this account.
func (s *Channels) Insert(ctx context.Context, c channel.Channel, credentials channel.Credentials) error {
	sealed, err := s.seal(c.WorkspaceID, c.ID, credentials)
	if err != nil {
		return err
	}
	err = s.db.conn(ctx).Table("channel").Create(map[string]any{
		"id": c.ID, "workspace_id": c.WorkspaceID, "name": c.Name, "type": string(c.Type), "username": c.Username,
		"avatar_url": optional(c.AvatarURL), "external_id": c.ExternalID, "is_connected": c.IsConnected,
		"token_status": string(c.TokenStatus), "is_queue_paused": c.IsQueuePaused, "timezone": c.Timezone,
		"credentials": sealed, "created_at": c.CreatedAt, "updated_at": c.CreatedAt,
		"facts": factsColumn(c.Facts),
	}).Error
	if isDuplicate(err) {
		return ErrDuplicate
	}
	return classify(err)
}

func (s *Channels) seal(workspace ident.Workspace, id ident.Channel, credentials channel.Credentials) ([]byte, error) {
	plain, err := json.Marshal(credentials) //nolint:gosec // G117: sealed by the next statement
	if err != nil {
		return nil, fmt.Errorf("encode credentials: %w", err)
	}
	sealed, err := s.box.Seal(plain, credentialsAAD(workspace, id))
	if err != nil {
		return nil, fmt.Errorf("seal credentials: %w", err)
	}
	return sealed, nil
}

// List returns every channel of the workspace, oldest first.
func (s *Channels) List(ctx context.Context, workspace ident.Workspace) ([]channel.Channel, error) {
	return s.find(ctx, "workspace_id = ?", workspace)
}

// GetMany returns the channels with the given IDs. IDs that do not belong to the workspace are left out.
func (s *Channels) GetMany(
	ctx context.Context, workspace ident.Workspace, ids []ident.Channel,
) ([]channel.Channel, error) {
	return s.find(ctx, "workspace_id = ? AND id = ANY(CAST(? AS uuid[]))", workspace, idArray(ids))
}

// Get returns one channel of the workspace; NOT_FOUND if it does not exist.
func (s *Channels) Get(ctx context.Context, workspace ident.Workspace, id ident.Channel) (channel.Channel, error) {
	found, err := s.find(ctx, "workspace_id = ? AND id = ?", workspace, id)
	if err != nil {
		return channel.Channel{}, err
	}
	if len(found) == 0 {
		return channel.Channel{}, notFound("channel")
	}
	return found[0], nil
}

// GetLocked is Get for a transaction that is about to change the channel. It locks the channel until the transaction
// ends.
func (s *Channels) GetLocked(
	ctx context.Context, workspace ident.Workspace, id ident.Channel,
) (channel.Channel, error) {
	var locked []ident.Channel
	err := s.db.conn(ctx).Table("channel").Where("workspace_id = ? AND id = ?", workspace, id).
		Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
	if err != nil {
		return channel.Channel{}, classify(err)
	}
	return s.Get(ctx, workspace, id)
}

// ByAccount returns the channel of an account in the workspace, and locks it until the transaction ends; false if there
// is none.
func (s *Channels) ByAccount(
	ctx context.Context, workspace ident.Workspace, t channel.Type, externalID string,
) (channel.Channel, bool, error) {
	var locked []ident.Channel
	err := s.db.conn(ctx).Table("channel").
		Where("workspace_id = ? AND type = ? AND external_id = ?", workspace, string(t), externalID).
		Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
	if err != nil || len(locked) == 0 {
		return channel.Channel{}, false, classify(err)
	}
	c, err := s.Get(ctx, workspace, locked[0])
	return c, err == nil, err
}

// ConnectedByOthers reports whether another workspace has a connected channel of the account.
func (s *Channels) ConnectedByOthers(ctx context.Context, c channel.Channel) (bool, error) {
	var others []ident.Channel
	err := s.db.conn(ctx).Table("channel").
		Where("workspace_id <> ? AND type = ? AND external_id = ? AND is_connected", c.WorkspaceID, string(c.Type), c.ExternalID).
		Limit(1).Pluck("id", &others).Error
	return len(others) > 0, classify(err)
}

func (s *Channels) find(ctx context.Context, where string, args ...any) ([]channel.Channel, error) {
	var rows []channelRow
	err := only(s.db.conn(ctx).Table("channel"), "id", s.only).Select(`id, workspace_id, name, type, username, avatar_url, external_id,
		is_connected, token_status, is_queue_paused, timezone, is_test, created_at, facts, `+publishingStopped).
		Where(where, args...).Order("id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	return each(rows, fromChannelRow), nil
}

// SetFacts stores what the network says about the channel's account.
func (s *Channels) SetFacts(ctx context.Context, id ident.Channel, facts channel.Facts) error {
	return setFacts(ctx, s.db, id, facts)
}

func setFacts(ctx context.Context, db *DB, id ident.Channel, facts channel.Facts) error {
	return classify(db.conn(ctx).Table("channel").Where("id = ?", id).Update("facts", factsColumn(facts)).Error)
}

// Credentials returns a channel's credentials and their revision.
func (s *Channels) Credentials(ctx context.Context, id ident.Channel) (channel.Credentials, int, error) {
	var row channelRow
	err := s.db.conn(ctx).Table("channel").Select(channelColumns).Where("id = ?", id).Take(&row).Error
	if err != nil {
		return channel.Credentials{}, 0, rowError(err, "channel")
	}
	credentials, err := openCredentials(s.box, row)
	return credentials, row.CredentialsRev, err
}

// NeedsReconnect marks that a person must reconnect the channel. The revision is that of the credentials that the
// network rejected. If the credentials have been replaced since, NeedsReconnect does nothing.
func (s *Channels) NeedsReconnect(ctx context.Context, id ident.Channel, revision int) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("channel").
			Where("id = ? AND credentials_rev = ? AND token_status <> 'NEEDS_RECONNECT'", id, revision).
			Updates(map[string]any{"token_status": "NEEDS_RECONNECT", "updated_at": dbNow})
		if result.Error != nil || result.RowsAffected == 0 {
			return classify(result.Error)
		}
		err := s.Note(ctx, id, channel.Note{
			Kind:   channel.NoteNeedsReconnect,
			Detail: "The network no longer accepts the connection. A person must connect the channel again.",
		})
		if err != nil {
			return err
		}
		return s.Announce(ctx, id, channel.TokenHealthy)
	})
}

// SetConnected connects or disconnects a channel and reports whether that changed anything; NOT_FOUND if the workspace
// has no such channel. Posts that wait for a channel that is disconnected do not wait longer.
func (s *Channels) SetConnected(
	ctx context.Context, workspace ident.Workspace, id ident.Channel, connected bool,
) (changed bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("channel").
			Where("id = ? AND workspace_id = ? AND is_connected <> ?", id, workspace, connected).
			Updates(map[string]any{"is_connected": connected, "updated_at": dbNow})
		if result.Error != nil {
			return classify(result.Error)
		}
		if changed = result.RowsAffected > 0; !changed {
			_, err := s.Get(ctx, workspace, id)
			return err
		}
		if connected {
			return nil
		}
		return s.resume(ctx, id, noLongerWaits)
	})
	return changed && err == nil, err
}

// Replace stores credentials given by a person, regardless of the current revision. A concurrent refresh finds another
// revision and discards its own credentials. Posts that wait for the channel go on, unless c still needs a reconnect.
func (s *Channels) Replace(ctx context.Context, c channel.Channel, given channel.Credentials) error {
	sealed, err := s.seal(c.WorkspaceID, c.ID, given)
	if err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("channel").Where("id = ? AND workspace_id = ?", c.ID, c.WorkspaceID).
			Updates(newCredentials(sealed, c.TokenStatus))
		if result.Error != nil || result.RowsAffected == 0 || c.TokenStatus == channel.TokenNeedsReconnect {
			return classify(result.Error)
		}
		if err := repoll(ctx, s.db, c.ID); err != nil {
			return err
		}
		return s.resume(ctx, c.ID, connectedAgain)
	})
}

// newCredentials returns the columns of a channel that gets other credentials.
func newCredentials(sealed []byte, status channel.TokenStatus) map[string]any {
	return map[string]any{
		"credentials": sealed, "credentials_rev": gorm.Expr("credentials_rev + 1"), "token_status": string(status),
		"updated_at": dbNow,
	}
}

// CountLocked returns the number of connected channels of a type, in the transaction of ctx, in which no other channel can be
// counted or connected under the same limit.
func (s *Channels) CountLocked(ctx context.Context, of ident.Workspace, t channel.Type) (int, error) {
	var locked []ident.Workspace
	err := s.db.conn(ctx).Table("workspace").Where("id = ?", of).Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
	if err != nil {
		return 0, classify(err)
	}
	var count int64
	err = s.db.conn(ctx).Table("channel").Where("workspace_id = ? AND type = ? AND is_connected", of, string(t)).Count(&count).Error
	return int(count), classify(err)
}
