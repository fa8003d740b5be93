package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/kernel/ident"
)

// applyChange is the one statement behind every state change. It updates the post only if the post is unchanged since
// the decision, and writes its event, timeline and outbox rows if, and only if, it did so.
const applyChange = `
WITH changed AS (
	UPDATE post SET status = @status, scheduled_at = @scheduled_at, published_at = @published_at, updated_at = @updated_at,
		revision = @revision, publishing_since = @publishing_since, waiting_reason = @waiting_reason,
		waiting_until = @waiting_until, post_url = @post_url, error_code = @error_code, error_message = @error_message,
		error_retryable = @error_retryable, approval_status = @approval_status, approval_comment = @approval_comment,
		approval_decided_at = @approval_decided_at, archived_from = @archived_from,
		content = CASE WHEN CAST(@edited AS boolean) THEN CAST(@content AS text) ELSE content END,
		title = CASE WHEN CAST(@edited AS boolean) THEN CAST(@title AS text) ELSE title END,
		content_type = CASE WHEN CAST(@edited AS boolean) THEN CAST(@content_type AS text) ELSE content_type END,
		media_ids = CASE WHEN CAST(@edited AS boolean) THEN CAST(@media_ids AS uuid[]) ELSE media_ids END,
		options = CASE WHEN CAST(@edited AS boolean) THEN CAST(@options AS jsonb) ELSE options END
	WHERE id = @id AND workspace_id = @workspace_id AND status = @from_status AND revision = @from_revision
		AND (publishing_since IS NULL OR CAST(@claimed AS boolean))
		AND (updated_at = CAST(@from_updated_at AS timestamptz) OR NOT CAST(@edited AS boolean))
		-- While another attempt stands, the claim is neither given back nor the post ended without success.
		AND NOT (CAST(@claimed AS boolean) AND CAST(@publishing_since AS timestamptz) IS NULL AND CAST(@status AS text) <> 'PUBLISHED'
			AND EXISTS (SELECT 1 FROM publish_attempt f WHERE f.post_id = @id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED')
				AND NOT (f.n = @attempt AND (CAST(@anybody AS boolean) OR f.owner = CAST(@attempt_owner AS uuid)))))
	RETURNING id, workspace_id
), unused AS (
	DELETE FROM media_reference r USING changed WHERE CAST(@edited AS boolean) AND r.owner_type = 'POST' AND r.owner_id = changed.id
		AND NOT r.media_id = ANY(CAST(@media_ids AS uuid[]))
), used AS (
	INSERT INTO media_reference (media_id, workspace_id, owner_type, owner_id)
	SELECT DISTINCT m, changed.workspace_id, 'POST', changed.id FROM changed, unnest(CAST(@media_ids AS uuid[])) AS m
	WHERE CAST(@edited AS boolean) ON CONFLICT DO NOTHING
), attempt AS (
	UPDATE publish_attempt SET state = CAST(@attempt_state AS text), finished_at = now(), external_id = @external_id, post_url = @attempt_url,
		failure_class = @failure_class, failure_code = @failure_code, failure_message = @failure_message,
		reconciled = reconciled + CAST(@reconciled AS integer)
	WHERE post_id = @id AND (
		n = @attempt AND (state = 'PREPARED' OR CAST(@anybody AS boolean) OR owner = CAST(@attempt_owner AS uuid))
			AND (state IN ('PREPARED', 'SENT')
			OR state IN ('UNKNOWN', 'UNDETERMINED') AND CAST(@attempt_state AS text) IN ('CONFIRMED', 'REJECTED', 'UNDETERMINED'))
		-- What was taken to be absent turns out to be there: the attempt that stands has it, or else that one after all.
		OR CAST(@attempt_state AS text) = 'CONFIRMED'
			AND EXISTS (SELECT 1 FROM publish_attempt r WHERE r.post_id = @id AND r.n = @attempt AND r.state = 'REJECTED')
			AND (state IN ('SENT', 'UNKNOWN') OR n = @attempt AND NOT EXISTS (
				SELECT 1 FROM publish_attempt f WHERE f.post_id = @id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))))
), freed AS (
	UPDATE publish_attempt SET state = 'ABANDONED'
	WHERE CAST(@release AS boolean) AND post_id IN (SELECT id FROM changed) AND state IN ('SENT', 'UNKNOWN', 'UNDETERMINED')
), e AS (
	INSERT INTO event (id, workspace_id, type, body, created_at)
	SELECT CAST(@event_id AS uuid), workspace_id, CAST(@event_type AS text), convert_to(CAST(@event_body AS text), 'UTF8'), CAST(@updated_at AS timestamptz) FROM changed
	WHERE CAST(@event_type AS text) <> ''
), t AS (
	INSERT INTO post_timeline AS l (post_id, at, kind, actor, detail, revision, next_at)
	SELECT changed.id, x.at, x.kind, x.actor, x.detail, x.revision, x.next_at FROM changed,
		jsonb_to_recordset(CAST(@timeline AS jsonb)) AS x(at timestamptz, kind text, actor text, detail text, revision integer, next_at timestamptz)
	-- What happens again is counted by its entry.
	ON CONFLICT (post_id, revision, detail) WHERE revision IS NOT NULL
	DO UPDATE SET count = l.count + 1, last_at = excluded.at, next_at = excluded.next_at
), o AS (
	INSERT INTO outbox (kind, subject, payload, not_before) SELECT 'post', id, CAST(@plan AS jsonb), ` + planTurn + ` FROM (
		SELECT id, CAST(CAST(@plan AS jsonb) ->> 'scheduledAt' AS timestamptz) AS scheduled_at FROM changed WHERE CAST(@wake AS boolean)
	) x
)
SELECT count(*) FROM changed`

// Apply writes a change. It returns ErrStale, and writes nothing, if the post has changed since the decision.
func (s *Posts) Apply(ctx context.Context, change post.Change) error {
	return s.Record(ctx, change, AttemptResult{})
}

// AttemptResult is the outcome of an attempt, written together with its effect on the post. The zero value updates no
// attempt.
type AttemptResult struct {
	N          int
	State      AttemptState
	ExternalID string
	URL        string
	Class      string
	Code       string
	Message    string
	Reconciled bool // the result comes from reading the network, not from the call itself
	// Owner restricts the update to the attempt that this execution made; zero matches any attempt.
	Owner uuid.UUID
}

// Record writes the outcome of an attempt and the resulting change, in one statement. The attempt is written even if
// the change is stale, because the network's response is never discarded; Record then returns ErrStale. It returns
// ErrDuplicate if the network's post already belongs to another post of this service.
func (s *Posts) Record(ctx context.Context, change post.Change, result AttemptResult) error {
	params, err := changeParams(change)
	if err != nil {
		return err
	}
	for name, v := range map[string]any{
		"attempt": result.N, "attempt_state": string(result.State), "external_id": optional(result.ExternalID),
		"attempt_url": optional(result.URL), "failure_class": optional(result.Class), "failure_code": optional(result.Code),
		"failure_message": optional(result.Message), "reconciled": boolToInt(result.Reconciled),
		"attempt_owner": result.Owner.String(), "anybody": result.Reconciled || result.Owner == uuid.Nil,
	} {
		params[name] = v
	}
	var changed int
	err = s.db.conn(ctx).Raw(applyChange, params).Scan(&changed).Error
	if isDuplicate(err) {
		return ErrDuplicate
	}
	if isForeignKey(err) {
		return notFound("media asset")
	}
	if err != nil {
		return classify(err)
	}
	if changed == 0 {
		return ErrStale
	}
	return nil
}

func changeParams(change post.Change) (map[string]any, error) {
	row := toPostRow(change.Post)
	timeline, err := jsonParam(toTimelineRows(change))
	if err != nil {
		return nil, err
	}
	plan, err := json.Marshal(postflow.PlanOf(change))
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	params := map[string]any{
		"id": row.ID, "workspace_id": row.WorkspaceID, "status": row.Status, "scheduled_at": row.ScheduledAt,
		"published_at": row.PublishedAt, "updated_at": row.UpdatedAt, "revision": row.Revision,
		"publishing_since": row.PublishingSince, "waiting_reason": row.WaitingReason, "waiting_until": row.WaitingUntil,
		"post_url": row.PostURL, "error_code": row.ErrorCode, "error_message": row.ErrorMessage,
		"error_retryable": row.ErrorRetryable, "approval_status": row.ApprovalStatus, "approval_comment": row.ApprovalComment,
		"approval_decided_at": row.ApprovalDecidedAt,
		"archived_from":       row.ArchivedFrom,
		"from_status":         string(change.From.Status), "from_revision": change.From.Revision, "from_updated_at": change.From.UpdatedAt,
		"edited": change.Edited, "content": "", "title": "", "content_type": "", "media_ids": textArray{}, "options": nil,
		"claimed": change.Claimed, "release": change.Release, "wake": change.Wake,
		"timeline": timeline, "plan": string(plan), "event_id": ident.Event{}, "event_type": "", "event_body": "",
	}
	if change.Edited { // the content is sent only when it changes
		params["content"], params["title"], params["content_type"] = row.Content, row.Title, row.ContentType
		params["media_ids"], params["options"] = row.MediaIDs, row.Options
	}
	if change.Event != nil {
		params["event_id"], params["event_type"], params["event_body"] = change.Event.ID, string(change.Event.Type), string(change.Event.Body)
	}
	return params, nil
}

// deletePost deletes a post only if it is unchanged since the decision, and writes the event and, for its workflow, the
// outbox row. The post's timeline and attempts are deleted too.
const deletePost = `
WITH gone AS (
	DELETE FROM post WHERE id = @id AND workspace_id = @workspace_id AND status = @from_status AND revision = @from_revision
		AND publishing_since IS NULL
	RETURNING id, workspace_id
), unused AS (
	DELETE FROM media_reference r USING gone WHERE r.owner_type = 'POST' AND r.owner_id = gone.id
), e AS (
	INSERT INTO event (id, workspace_id, type, body, created_at)
	SELECT CAST(@event_id AS uuid), workspace_id, CAST(@event_type AS text), convert_to(CAST(@event_body AS text), 'UTF8'), CAST(@updated_at AS timestamptz) FROM gone
), o AS (
	INSERT INTO outbox (kind, subject, payload) SELECT 'post', id, CAST(@plan AS jsonb) FROM gone WHERE CAST(@wake AS boolean)
)
SELECT count(*) FROM gone`

// Delete deletes a post. It returns ErrStale, and deletes nothing, if the post has changed since the decision.
func (s *Posts) Delete(ctx context.Context, change post.Change) error {
	params, err := changeParams(change)
	if err != nil {
		return err
	}
	var gone int
	if err := s.db.conn(ctx).Raw(deletePost, params).Scan(&gone).Error; err != nil {
		return classify(err)
	}
	if gone == 0 {
		return ErrStale
	}
	return nil
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
