package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Connects stores attempts to connect accounts.
type Connects struct {
	db  *DB
	box *secretbox.Keyring
}

// NewConnects returns the store.
func NewConnects(db *DB, box *secretbox.Keyring) *Connects { return &Connects{db: db, box: box} }

type connectRow struct {
	ID          ident.Connect
	WorkspaceID ident.Workspace
	ChannelType string
	Variant     string
	Server      string
	ChannelID   *ident.Channel
	Redirect    string
	Actor       string
	Outcome     string
	Steps       string
	Secret      []byte
	CreatedAt   time.Time
	ExpiresAt   time.Time
	FinishedAt  *time.Time
}

const connectColumns = `id, workspace_id, channel_type, variant, server, channel_id, redirect, actor, outcome, steps, secret,
	created_at, expires_at, finished_at`

func (s *Connects) from(r connectRow) (channel.Attempt, channel.AttemptSecret, error) {
	a := channel.Attempt{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Type: channel.Type(r.ChannelType), Variant: channel.Variant(r.Variant),
		Server: r.Server, ChannelID: value(r.ChannelID), Redirect: r.Redirect, Actor: r.Actor,
		Outcome: channel.AttemptOutcome(r.Outcome), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, FinishedAt: value(r.FinishedAt),
	}
	if err := json.Unmarshal([]byte(r.Steps), &a.Steps); err != nil {
		return a, channel.AttemptSecret{}, fmt.Errorf("decode steps: %w", err)
	}
	var secret channel.AttemptSecret
	if len(r.Secret) == 0 {
		return a, secret, nil
	}
	plain, err := s.box.Open(r.Secret, connectAAD(a))
	if err == nil {
		err = json.Unmarshal(plain, &secret)
	}
	return a, secret, err
}

func connectAAD(a channel.Attempt) secretbox.AAD {
	return secretbox.AAD{
		Kind: "connect_attempt", Workspace: a.WorkspaceID.String(), Record: a.ID.String(), Field: "secret",
	}
}

// columns returns the columns that change during an attempt. A final one has no secret.
func (s *Connects) columns(a channel.Attempt, secret channel.AttemptSecret) (map[string]any, error) {
	steps, err := json.Marshal(a.Steps)
	if err != nil {
		return nil, fmt.Errorf("encode steps: %w", err)
	}
	columns := map[string]any{
		"outcome": string(a.Outcome), "steps": string(steps), "secret": nil, "expires_at": a.ExpiresAt,
		"finished_at": optional(a.FinishedAt),
	}
	if a.Outcome.Final() {
		return columns, nil
	}
	plain, err := json.Marshal(secret)
	if err != nil {
		return nil, fmt.Errorf("encode secret: %w", err)
	}
	columns["secret"], err = s.box.Seal(plain, connectAAD(a))
	return columns, err
}

// Insert stores a new attempt. The state and the session are hashes; an attempt without a state has none to come back
// with.
func (s *Connects) Insert(
	ctx context.Context, a channel.Attempt, secret channel.AttemptSecret, state, session []byte,
) error {
	columns, err := s.columns(a, secret)
	if err != nil {
		return err
	}
	for name, v := range map[string]any{
		"id": a.ID, "workspace_id": a.WorkspaceID, "session": session, "channel_type": string(a.Type),
		"variant": string(a.Variant), "server": a.Server, "redirect": a.Redirect, "actor": a.Actor, "created_at": a.CreatedAt,
	} {
		columns[name] = v
	}
	if !a.ChannelID.IsZero() {
		columns["channel_id"] = a.ChannelID
	}
	if state != nil {
		columns["state"] = state
	}
	return classify(s.db.conn(ctx).Table("connect_attempt").Create(columns).Error)
}

// Workspace returns the workspace of the open attempt with the state and the session; NOT_FOUND if there is none.
func (s *Connects) Workspace(ctx context.Context, state, session []byte) (ident.Workspace, error) {
	var found []ident.Workspace
	err := s.db.conn(ctx).Table("connect_attempt").Where("state = ? AND session = ?", state, session).
		Pluck("workspace_id", &found).Error
	switch {
	case err != nil:
		return ident.Workspace{}, classify(err)
	case len(found) == 0:
		return ident.Workspace{}, notFound("attempt to connect")
	default:
		return found[0], nil
	}
}

// Take uses the state up and returns its attempt with its secret. Of several calls with one state, one gets the attempt;
// the others, and calls from another session or after its end, get NOT_FOUND.
func (s *Connects) Take(
	ctx context.Context, workspace ident.Workspace, state, session []byte, now time.Time,
) (channel.Attempt, channel.AttemptSecret, error) {
	var row connectRow
	result := s.db.conn(ctx).Table("connect_attempt").Model(&row).Clauses(clause.Returning{}).
		Where("workspace_id = ? AND state = ? AND session = ? AND outcome = 'OPEN' AND expires_at > ?", workspace, state,
			session, now).
		Updates(map[string]any{"state": nil})
	switch {
	case result.Error != nil:
		return channel.Attempt{}, channel.AttemptSecret{}, classify(result.Error)
	case result.RowsAffected == 0:
		return channel.Attempt{}, channel.AttemptSecret{}, notFound("attempt to connect")
	default:
		return s.from(row)
	}
}

// Get returns an attempt of the session with its secret; NOT_FOUND if there is none.
func (s *Connects) Get(
	ctx context.Context, workspace ident.Workspace, id ident.Connect, session []byte,
) (channel.Attempt, channel.AttemptSecret, error) {
	return s.read(s.db.conn(ctx).Where("workspace_id = ? AND id = ? AND session = ?", workspace, id, session))
}

// GetLocked is Get for a transaction that is about to change the attempt.
func (s *Connects) GetLocked(
	ctx context.Context, workspace ident.Workspace, id ident.Connect, session []byte,
) (channel.Attempt, channel.AttemptSecret, error) {
	return s.read(s.db.conn(ctx).Where("workspace_id = ? AND id = ? AND session = ?", workspace, id, session).
		Clauses(locking("FOR UPDATE")))
}

func (s *Connects) read(query *gorm.DB) (channel.Attempt, channel.AttemptSecret, error) {
	var row connectRow
	err := query.Table("connect_attempt").Select(connectColumns).Take(&row).Error
	if err != nil {
		return channel.Attempt{}, channel.AttemptSecret{}, rowError(err, "attempt to connect")
	}
	return s.from(row)
}

// List returns the latest attempts of the workspace, newest first, without their secrets.
func (s *Connects) List(ctx context.Context, workspace ident.Workspace, limit int) ([]channel.Attempt, error) {
	var rows []connectRow
	err := s.db.conn(ctx).Table("connect_attempt").Select(connectColumns).Where("workspace_id = ?", workspace).
		Order("id DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	attempts := make([]channel.Attempt, len(rows))
	for i, row := range rows {
		row.Secret = nil
		if attempts[i], _, err = s.from(row); err != nil {
			return nil, err
		}
	}
	return attempts, nil
}

// Save stores the outcome, the steps and the secret of an attempt.
func (s *Connects) Save(ctx context.Context, a channel.Attempt, secret channel.AttemptSecret) error {
	columns, err := s.columns(a, secret)
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Table("connect_attempt").Where("id = ?", a.ID).Updates(columns).Error)
}

// Prune deletes the secrets of up to limit abandoned attempts, and up to limit attempts that are older than age. It
// returns the larger number.
func (s *Connects) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	dropped, err := s.DropSecrets(ctx, limit)
	if err != nil {
		return 0, err
	}
	old := s.db.conn(ctx).Table("connect_attempt").Select("id").Where("created_at < (?)", dbAgo(age)).Limit(limit)
	result := s.db.conn(ctx).Table("connect_attempt").Where("id IN (?)", old).Delete(nil)
	return max(dropped, int(result.RowsAffected)), classify(result.Error)
}

// DropSecrets deletes the secrets of up to limit abandoned attempts, and returns their number.
func (s *Connects) DropSecrets(ctx context.Context, limit int) (int, error) {
	over := s.db.conn(ctx).Table("connect_attempt").Select("id").Where("secret IS NOT NULL AND expires_at <= now()").
		Limit(limit)
	result := s.db.conn(ctx).Table("connect_attempt").Where("id IN (?)", over).Updates(map[string]any{
		"secret": nil, "state": nil, "outcome": string(channel.AttemptFailed), "finished_at": dbNow,
	})
	return int(result.RowsAffected), classify(result.Error)
}

// AppCredentials stores the credentials of the applications that the operator registered at the networks.
type AppCredentials struct {
	db  *DB
	box *secretbox.Keyring
}

// NewAppCredentials returns the store.
func NewAppCredentials(db *DB, box *secretbox.Keyring) *AppCredentials {
	return &AppCredentials{db: db, box: box}
}

func appAAD(name string) secretbox.AAD {
	return secretbox.AAD{Kind: "app_credential", Workspace: "installation", Record: name, Field: "value"}
}

// Set stores values by the names of their environment variables. An empty value deletes the stored one.
func (s *AppCredentials) Set(ctx context.Context, values map[string]string, by string) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		for name, v := range values {
			if v == "" {
				if err := s.db.conn(ctx).Table("app_credential").Where("name = ?", name).Delete(nil).Error; err != nil {
					return classify(err)
				}
				continue
			}
			sealed, err := s.box.Seal([]byte(v), appAAD(name))
			if err != nil {
				return fmt.Errorf("seal %s: %w", name, err)
			}
			err = s.db.conn(ctx).Table("app_credential").Clauses(clause.OnConflict{
				Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"value", "updated_at", "updated_by"}),
			}).Create(map[string]any{"name": name, "value": sealed, "updated_at": dbNow, "updated_by": by}).Error
			if err != nil {
				return classify(err)
			}
		}
		return nil
	})
}

// Names returns the names of the stored values.
func (s *AppCredentials) Names(ctx context.Context) ([]string, error) {
	var names []string
	err := s.db.conn(ctx).Table("app_credential").Order("name").Pluck("name", &names).Error
	return names, classify(err)
}

// All returns the stored values.
func (s *AppCredentials) All(ctx context.Context) (map[string]string, error) {
	var rows []struct {
		Name  string
		Value []byte
	}
	if err := s.db.conn(ctx).Table("app_credential").Select("name, value").Find(&rows).Error; err != nil {
		return nil, classify(err)
	}
	values := make(map[string]string, len(rows))
	for _, row := range rows {
		plain, err := s.box.Open(row.Value, appAAD(row.Name))
		if err != nil {
			return nil, fmt.Errorf("credential %s of an application: %w", row.Name, err)
		}
		values[row.Name] = string(plain)
	}
	return values, nil
}

// Version changes whenever a stored value changes: it is a digest of the encrypted values. Times would not do, because
// the later of two writers may have begun, and taken its time, first.
func (s *AppCredentials) Version(ctx context.Context) (string, error) {
	var version string
	err := s.db.conn(ctx).Table("app_credential").
		Select("COALESCE(md5(string_agg(name || ' ' || md5(value), ',' ORDER BY name)), '')").Scan(&version).Error
	return version, classify(err)
}
