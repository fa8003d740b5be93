package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/kernel/ident"
)

type webhookRow struct {
	ID                  ident.Webhook
	WorkspaceID         ident.Workspace
	URL                 string `gorm:"column:url"`
	Description         string
	Events              textArray
	IsActive            bool
	ConsecutiveFailures int
	DisabledAt          *time.Time
	DisabledReason      *string
	CreatedAt           time.Time
	UpdatedAt           time.Time
	PreviousSecretUntil *time.Time
}

const webhookColumns = `id, workspace_id, url, description, events, is_active, consecutive_failures, disabled_at,
	disabled_reason, created_at, updated_at, CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_secret_until`

func fromWebhookRow(r webhookRow) webhook.Endpoint {
	return webhook.Endpoint{
		ID: r.ID, WorkspaceID: r.WorkspaceID, URL: r.URL, Description: r.Description, Events: r.Events, IsActive: r.IsActive,
		ConsecutiveFailures: r.ConsecutiveFailures, DisabledAt: value(r.DisabledAt), DisabledReason: value(r.DisabledReason),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, PreviousSecretUntil: value(r.PreviousSecretUntil),
	}
}

func secretAAD(workspace ident.Workspace, id ident.Webhook) secretbox.AAD {
	return secretbox.AAD{Kind: "webhook", Workspace: workspace.String(), Record: id.String(), Field: "secret"}
}

// Webhooks stores the endpoints and their sealed signing secrets.
type Webhooks struct {
	db  *DB
	box *secretbox.Keyring
}

// NewWebhooks returns the store.
func NewWebhooks(db *DB, box *secretbox.Keyring) *Webhooks { return &Webhooks{db: db, box: box} }

// Insert stores a new endpoint with its secret. It returns QUOTA_EXCEEDED if the workspace has reached the limit of its
// plan. This also holds under concurrent requests, which are serialized by the workspace's row lock.
func (s *Webhooks) Insert(ctx context.Context, e webhook.Endpoint, secret string) error {
	sealed, err := s.box.Seal([]byte(secret), secretAAD(e.WorkspaceID, e.ID))
	if err != nil {
		return fmt.Errorf("seal webhook secret: %w", err)
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		var plan string
		var count int
		if err := s.db.conn(ctx).Raw(`SELECT plan FROM workspace WHERE id = ? FOR NO KEY UPDATE`, e.WorkspaceID).Scan(&plan).Error; err != nil {
			return err
		}
		if err := s.db.conn(ctx).Raw(`SELECT count(*) FROM webhook WHERE workspace_id = ? AND deleted_at IS NULL`, e.WorkspaceID).Scan(&count).Error; err != nil {
			return err
		}
		if err := workspace.Plan(plan).Limits().CheckWebhooks(count); err != nil {
			return err
		}
		return s.db.conn(ctx).Exec(`INSERT INTO webhook (id, workspace_id, url, description, events, is_active, secret, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.ID, e.WorkspaceID, e.URL, e.Description, textArray(e.Events), e.IsActive, sealed, e.CreatedAt, e.UpdatedAt).Error
	})
}

// List returns the endpoints of the workspace, oldest first.
func (s *Webhooks) List(ctx context.Context, workspace ident.Workspace) ([]webhook.Endpoint, error) {
	var rows []webhookRow
	err := s.db.conn(ctx).Raw(`SELECT `+webhookColumns+` FROM webhook WHERE workspace_id = ? AND deleted_at IS NULL ORDER BY id`, workspace).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	out := make([]webhook.Endpoint, len(rows))
	for i, r := range rows {
		out[i] = fromWebhookRow(r)
	}
	return out, nil
}

// Get returns one endpoint of the workspace; NOT_FOUND if it does not exist.
func (s *Webhooks) Get(ctx context.Context, workspace ident.Workspace, id ident.Webhook) (webhook.Endpoint, error) {
	var row webhookRow
	err := s.db.conn(ctx).Raw(`SELECT `+webhookColumns+` FROM webhook WHERE id = ? AND workspace_id = ? AND deleted_at IS NULL`, id, workspace).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return webhook.Endpoint{}, notFound("webhook")
	}
	if err != nil {
		return webhook.Endpoint{}, classify(err)
	}
	return fromWebhookRow(row), nil
}

// Delete deletes an endpoint and cancels its waiting deliveries. It returns NOT_FOUND if the workspace has no such
// endpoint.
func (s *Webhooks) Delete(ctx context.Context, workspace ident.Workspace, id ident.Webhook) error {
	var gone int
	err := s.db.conn(ctx).Raw(`WITH w AS (
			UPDATE webhook SET deleted_at = now(), is_active = false, updated_at = now()
			WHERE id = @id AND workspace_id = @workspace AND deleted_at IS NULL RETURNING id, true AS turned_off
		)`+cancelWaiting+` SELECT count(*) FROM w`, map[string]any{"id": id, "workspace": workspace, "but": ident.Delivery{}}).Scan(&gone).Error
	if err == nil && gone == 0 {
		return notFound("webhook")
	}
	return classify(err)
}

// cancelWaiting cancels the pending deliveries, redeliveries and replays of the endpoints in w that the statement turns
// off, except for one delivery that the statement ends itself.
const cancelWaiting = `, cancelled AS (
	UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL, lane = NULL
	WHERE state = 'PENDING' AND id IS DISTINCT FROM @but AND webhook_id IN (SELECT id FROM w WHERE turned_off)
), asked AS (
	UPDATE redelivery SET state = 'CANCELLED' WHERE state = 'PENDING' AND webhook_id IN (SELECT id FROM w WHERE turned_off)
), replays AS (
	UPDATE webhook_replay SET state = 'CANCELLED', completed_at = now()
	WHERE state = 'RUNNING' AND webhook_id IN (SELECT id FROM w WHERE turned_off)
)`
