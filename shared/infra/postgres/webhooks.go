package postgres

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

type webhookRow struct {
	ID                  ident.Webhook
	WorkspaceID         ident.Workspace
	URL                 string `gorm:"column:url"`
	Description         string
	Events              textArray
	ChannelIDs          textArray `gorm:"column:channel_ids"`
	IsActive            bool
	ConsecutiveFailures int
	DisabledAt          *time.Time
	DisabledReason      *string
	CreatedAt           time.Time
	UpdatedAt           time.Time
	PreviousSecretUntil *time.Time
}

const webhookColumns = `id, workspace_id, url, description, events, channel_ids, is_active, consecutive_failures, disabled_at,
	disabled_reason, created_at, updated_at, CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_secret_until`

func fromWebhookRow(r webhookRow) webhook.Endpoint {
	return webhook.Endpoint{
		ID: r.ID, WorkspaceID: r.WorkspaceID, URL: r.URL, Description: r.Description, Events: r.Events,
		ChannelIDs: fromIDArray[ident.Channel](r.ChannelIDs), IsActive: r.IsActive,
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
		plan, err := lockPlan(ctx, s.db, e.WorkspaceID)
		if err != nil {
			return err
		}
		var count int64
		err = s.db.conn(ctx).Table("webhook").Where("workspace_id = ? AND deleted_at IS NULL", e.WorkspaceID).
			Count(&count).Error
		if err != nil {
			return err
		}
		if err := plan.Limits().CheckWebhooks(int(count)); err != nil {
			return err
		}
		return s.db.conn(ctx).Table("webhook").Create(map[string]any{
			"id": e.ID, "workspace_id": e.WorkspaceID, "url": e.URL, "description": e.Description,
			"events": textArray(e.Events), "channel_ids": idColumn(e.ChannelIDs), "is_active": e.IsActive, "secret": sealed, "created_at": e.CreatedAt,
			"updated_at": e.UpdatedAt,
		}).Error
	})
}

// List returns the endpoints of the workspace, oldest first.
func (s *Webhooks) List(ctx context.Context, workspace ident.Workspace) ([]webhook.Endpoint, error) {
	var rows []webhookRow
	err := s.db.conn(ctx).Table("webhook").Select(webhookColumns).
		Where("workspace_id = ? AND deleted_at IS NULL", workspace).Order("id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	return each(rows, fromWebhookRow), nil
}

// Get returns one endpoint of the workspace; NOT_FOUND if it does not exist.
func (s *Webhooks) Get(ctx context.Context, workspace ident.Workspace, id ident.Webhook) (webhook.Endpoint, error) {
	return s.get(ctx, workspace, id, "")
}

// Lock is Get, and keeps others from changing the endpoint until the transaction ends.
func (s *Webhooks) Lock(
	ctx context.Context, workspace ident.Workspace, id ident.Webhook,
) (webhook.Endpoint, error) {
	return s.get(ctx, workspace, id, "FOR UPDATE")
}

func (s *Webhooks) get(
	ctx context.Context, workspace ident.Workspace, id ident.Webhook, lock locking,
) (webhook.Endpoint, error) {
	var row webhookRow
	err := s.endpoint(ctx, workspace, id).Select(webhookColumns).Clauses(lock).Take(&row).Error
	if err != nil {
		return webhook.Endpoint{}, rowError(err, "webhook")
	}
	return fromWebhookRow(row), nil
}

// endpoint selects an endpoint of the workspace that is not deleted.
func (s *Webhooks) endpoint(ctx context.Context, workspace ident.Workspace, id ident.Webhook) *gorm.DB {
	return s.db.conn(ctx).Table("webhook").Where("id = ? AND workspace_id = ? AND deleted_at IS NULL", id, workspace)
}

// Delete deletes an endpoint and cancels its waiting deliveries. It returns NOT_FOUND if the workspace has no such
// endpoint.
func (s *Webhooks) Delete(ctx context.Context, workspace ident.Workspace, id ident.Webhook) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		deleted := s.endpoint(ctx, workspace, id).Updates(map[string]any{
			"deleted_at": dbNow, "is_active": false, "updated_at": dbNow,
		})
		if deleted.Error != nil {
			return deleted.Error
		}
		if deleted.RowsAffected == 0 {
			return notFound("webhook")
		}
		return s.cancelWaiting(ctx, id)
	})
}

// cancelWaiting cancels the pending deliveries, redeliveries and replays of an endpoint that is turned off. The
// transaction has changed the row of the endpoint before, which is locked before any delivery. The deliveries are locked
// in the order of their IDs, as in express_record.sql, and before the redeliveries, as in redelivery_record.sql.
func (s *Webhooks) cancelWaiting(ctx context.Context, id ident.Webhook) error {
	pending := s.db.conn(ctx).Table("delivery").Select("id").Where("webhook_id = ? AND state = 'PENDING'", id).
		Order("id").Clauses(locking("FOR UPDATE"))
	err := s.db.conn(ctx).Table("delivery").Where("id IN (?)", pending).Updates(cancellation()).Error
	if err != nil {
		return err
	}
	err = s.db.conn(ctx).Table("redelivery").Where("webhook_id = ? AND state = 'PENDING'", id).
		Update("state", string(webhook.Cancelled)).Error
	if err != nil {
		return err
	}
	return s.db.conn(ctx).Table("webhook_replay").Where("webhook_id = ? AND state = 'RUNNING'", id).
		Updates(map[string]any{"state": string(webhook.ReplayCancelled), "completed_at": dbNow}).Error
}
