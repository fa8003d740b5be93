package postgres

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// maxRedeliveries is the maximum number of pending redeliveries of one endpoint. Each is a workflow.
const maxRedeliveries = 100

// Redeliver requests one more attempt of a delivery in any state, enqueues its start, and returns the delivery as it
// was before. It returns NOT_FOUND if the endpoint has no such delivery, and INVALID_STATE while the endpoint is
// disabled or has a hundred pending redeliveries.
func (s *Deliveries) Redeliver(
	ctx context.Context, workspace ident.Workspace, endpoint ident.Webhook, id ident.Delivery,
) (found webhook.Delivery, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.wanted(ctx, workspace, endpoint); err != nil {
			return err
		}
		if found, err = s.Get(ctx, workspace, endpoint, id); err != nil {
			return err
		}
		var waiting int64
		err := s.db.conn(ctx).Table("redelivery").Where("webhook_id = ? AND state = 'PENDING'", endpoint).
			Count(&waiting).Error
		if err != nil {
			return err
		}
		if waiting >= maxRedeliveries {
			return apperr.New(apperr.InvalidState,
				"%d redeliveries to this webhook are already waiting. Wait until they are sent, or replay a time range.", waiting)
		}
		in := flow.DeliveryInput{
			DeliveryID: id, WorkspaceID: workspace, WebhookID: endpoint, RedeliveryID: ident.New[ident.Redelivery](),
		}
		err = s.db.conn(ctx).Table("redelivery").Create(map[string]any{
			"id": in.RedeliveryID, "delivery_id": in.DeliveryID, "workspace_id": in.WorkspaceID,
			"webhook_id": in.WebhookID, "state": string(webhook.Pending), "created_at": dbNow,
		}).Error
		if err != nil {
			return err
		}
		return enqueue(ctx, s.db, flow.Redeliver(in))
	})
	return found, classify(err)
}

// Heard records activity of a redelivery or a replay. The sweep looks for those without activity.
func (s *Deliveries) Heard(ctx context.Context, id fmt.Stringer) error {
	return classify(s.db.conn(ctx).Exec(hearRedelivery, map[string]any{"id": id.String()}).Error)
}

// wanted returns an error if the endpoint is deleted or disabled. It locks the endpoint's row, so that the result holds
// until the transaction ends.
func (s *Deliveries) wanted(ctx context.Context, workspace ident.Workspace, endpoint ident.Webhook) error {
	var active []bool
	err := s.db.conn(ctx).Table("webhook").Clauses(locking("FOR SHARE")).
		Where("id = ? AND workspace_id = ? AND deleted_at IS NULL", endpoint, workspace).
		Pluck("is_active", &active).Error
	if err != nil {
		return err
	}
	if len(active) == 0 {
		return notFound("webhook")
	}
	if !active[0] {
		return &apperr.Error{
			Code: apperr.InvalidState, CurrentStatus: "DISABLED",
			Message: "The webhook is disabled. Enable it first: PATCH it with isActive true.",
		}
	}
	return nil
}

type replayRow struct {
	ID          ident.Replay
	WorkspaceID ident.Workspace
	WebhookID   ident.Webhook
	Since       time.Time
	Until       time.Time
	OnlyFailed  bool
	State       string
	Queued      int
	CreatedAt   time.Time
	CompletedAt *time.Time
}

const replayColumns = `id, workspace_id, webhook_id, since, until, only_failed, state, queued, created_at, completed_at`

func fromReplayRow(r replayRow) webhook.Replay {
	return webhook.Replay{
		ID: r.ID, WorkspaceID: r.WorkspaceID, WebhookID: r.WebhookID, Since: r.Since, Until: r.Until,
		OnlyFailed: r.OnlyFailed,
		State:      webhook.ReplayState(r.State), Queued: r.Queued, CreatedAt: r.CreatedAt, CompletedAt: value(r.CompletedAt),
	}
}

// StartReplay delivers a range of the log to an endpoint again. It returns NOT_FOUND if the workspace has no such
// endpoint, and INVALID_STATE while the endpoint is disabled or another replay to it is running.
func (s *Deliveries) StartReplay(ctx context.Context, r webhook.Replay) error {
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.wanted(ctx, r.WorkspaceID, r.WebhookID); err != nil {
			return err
		}
		created := s.db.conn(ctx).Table("webhook_replay").
			Clauses(onConflict("ON CONFLICT (webhook_id) WHERE state = 'RUNNING' DO NOTHING")).
			Create(map[string]any{
				"id": r.ID, "workspace_id": r.WorkspaceID, "webhook_id": r.WebhookID, "since": r.Since, "until": r.Until,
				"only_failed": r.OnlyFailed, "state": string(r.State), "created_at": r.CreatedAt,
			})
		if created.Error != nil {
			return created.Error
		}
		if created.RowsAffected == 0 {
			return &apperr.Error{
				Code: apperr.InvalidState, CurrentStatus: string(webhook.ReplayRunning),
				Message: "Another replay to this webhook is running. Wait until it is completed.",
			}
		}
		return enqueue(ctx, s.db, flow.ReplayInput{
			ReplayID: r.ID, WorkspaceID: r.WorkspaceID, WebhookID: r.WebhookID,
		}.Message())
	})
	return classify(err)
}

// Replay returns one replay of an endpoint; NOT_FOUND if it does not exist.
func (s *Deliveries) Replay(
	ctx context.Context, workspace ident.Workspace, endpoint ident.Webhook, id ident.Replay,
) (webhook.Replay, error) {
	var rows []replayRow
	err := s.db.conn(ctx).Table("webhook_replay").Select(replayColumns).
		Where("id = ? AND webhook_id = ? AND workspace_id = ?", id, endpoint, workspace).
		Where("EXISTS (SELECT FROM webhook w WHERE w.id = webhook_id AND w.deleted_at IS NULL)").Find(&rows).Error
	if err != nil {
		return webhook.Replay{}, classify(err)
	}
	if len(rows) == 0 {
		return webhook.Replay{}, notFound("replay")
	}
	return fromReplayRow(rows[0]), nil
}

// ContinueReplay queues the next page of up to limit events and returns the state of the replay. Running it again after
// a crash continues after the last finished page.
func (s *Deliveries) ContinueReplay(
	ctx context.Context, id ident.Replay, limit int,
) (state webhook.ReplayState, queued int, err error) {
	var rows []struct {
		State  string
		Queued int
	}
	params := map[string]any{"id": id, "limit": limit, "lane": laneReplay}
	err = s.db.conn(ctx).Raw(queueReplayPage, params).Scan(&rows).Error
	if err != nil {
		return "", 0, classify(err)
	}
	if len(rows) == 0 { // the replay has ended or was deleted with its endpoint
		return webhook.ReplayCancelled, 0, nil
	}
	return webhook.ReplayState(rows[0].State), rows[0].Queued, nil
}
