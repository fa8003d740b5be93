package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// Apply writes a change. It returns ErrStale, and writes nothing, if the post has changed since the decision, and
// ErrExternalIDInUse if another post of the channel has its external id.
func (s *Posts) Apply(ctx context.Context, change post.Change) error {
	if !change.Edited {
		return s.Record(ctx, change, AttemptResult{})
	}
	params, err := s.changeParams(change)
	if err != nil {
		return err
	}
	// The content is sent only when it changes.
	row := toPostRow(change.Post)
	params["content"], params["title"], params["content_type"] = row.Content, row.Title, row.ContentType
	params["media_ids"], params["options"], params["alt_texts"] = row.MediaIDs, row.Options, row.MediaAltTexts
	params["own_members"], params["external_id"], params["metadata"] = row.OwnMembers, row.ExternalID, row.Metadata
	params["campaign_id"] = row.CampaignID
	params["parts"], params["parts_state"] = row.Parts, row.PartsState
	params["attached"] = idArray(append(slices.Clip(change.Post.MediaIDs), change.Post.PartMedia()...))
	params["labels"], params["label_keys"] = row.Labels, row.LabelKeys
	if params["new_labels"], err = jsonParam(toLabelRows(change.Post.WorkspaceID, change.Post.Labels)); err != nil {
		return err
	}
	err = s.write(ctx, applyEdit, params)
	if errors.Is(err, ErrDuplicate) { // nothing else of an edit is unique
		return ErrExternalIDInUse
	}
	return err
}

// AttemptResult is the outcome of an attempt, written together with its effect on the post. The zero value updates no
// attempt.
type AttemptResult struct {
	N          int
	State      post.AttemptState // the outcome: CONFIRMED, REJECTED, UNKNOWN or UNDETERMINED
	ExternalID string
	Parts      []string // ids of all parts of a post that the network stores as several
	URL        string
	Class      string
	Code       string
	Message    string
	Reconciled bool // the result comes from reading the network, not from the call itself
	// Leaves, with the state REJECTED, reports that the preparation left something on the network. It is to be deleted,
	// by this execution or later by another one (Leftovers).
	Leaves bool
	// Revoked, with the state REJECTED, reports that the network refused the post after it had accepted it. The attempt
	// then changes only together with the post.
	Revoked bool
	// Edited, with the state REJECTED, reports that the content was edited after its preparation, so that no attempt uses
	// the preparation. The attempt then changes only together with the post, and only if the post was not edited again.
	Edited bool
	// Owner restricts the update to the attempt that this execution made; zero matches any attempt.
	Owner uuid.UUID
}

// discardLease is the time in which the execution that failed a post deletes what the post left on its network, before
// another execution does.
const discardLease = time.Minute

// Record writes the outcome of an attempt and the resulting change, in one statement. The attempt is written even if
// the change is stale, because the network's response is never discarded; Record then returns ErrStale. It returns
// ErrDuplicate if the network's post already belongs to another post of this service.
func (s *Posts) Record(ctx context.Context, change post.Change, result AttemptResult) error {
	params, err := s.changeParams(change)
	if err != nil {
		return err
	}
	event, _ := post.AttemptConcluded(result.State) // without a result, no state precedes the event
	switch {
	case result.Revoked:
		event = post.AttemptRevoke
	case result.Edited:
		event = post.AttemptReplace
	}
	consented := !slices.Equal(change.From.Consents, change.Post.Consents) || !slices.Equal(change.From.Writers, change.Post.Writers)
	for name, v := range map[string]any{
		"gives_up": change.GivesUp(), "consented": consented, "text": nil, "resolved": nil,
		// The data of an event must not be older than that of the event before. A claimed post cannot be edited.
		"unedited": result.Edited || (consented || len(change.Events) > 0) && !change.Claimed,
		"attempt":  result.N, "attempt_state": string(result.State), "external_id": optional(result.ExternalID),
		"external_parts": textArray(result.Parts), "leaves": result.Leaves, "discard_lease": discardLease.Seconds(),
		"attempt_url": optional(result.URL), "failure_class": optional(result.Class), "failure_code": optional(result.Code),
		"failure_message": optional(result.Message), "reconciled": boolToInt(result.Reconciled),
		"attempt_owner": result.Owner.String(), "anybody": result.Reconciled || result.Owner == uuid.Nil,
		"by_anyone": toArray(post.AttemptsBefore(event, post.ByAnyone)),
		"by_owner":  toArray(post.AttemptsBefore(event, post.ByOwner)),
		"by_fence":  toArray(post.AttemptsBefore(event, post.ByFence)),
		"by_post":   toArray(post.AttemptsBefore(event, post.ByPost)),
	} {
		params[name] = v
	}
	if change.Action == post.ActionComplete && !change.Post.After.IsZero() { // the texts have the address of the predecessor now
		params["text"], params["resolved"] = change.Post.Content, partsColumn{Thread: change.Post.Thread, Comment: change.Post.Comment}
	}
	if err := partParams(change, params); err != nil {
		return err
	}
	return s.write(ctx, applyChange, params)
}

// partParams adds the parameters of sql/post_parts.sql.
func partParams(change post.Change, params map[string]any) (err error) {
	rows := make([]postRow, len(change.Parts))
	for i, part := range change.Parts {
		rows[i] = toPostRow(part.Post)
	}
	var plan *string
	if len(change.Parts) > 0 {
		if plan, err = planOf(change.Parts[0]); err != nil {
			return err
		}
	}
	params["part_plan"], params["parts_state"] = plan, nil
	if change.Post.PartsState != change.From.PartsState {
		params["parts_state"] = string(change.Post.PartsState)
	}
	params["root_state"] = optional(string(change.RootState()))
	params["restored"] = CodeRestored
	params["new_parts"], err = jsonParam(rows)
	return err
}

// write runs a statement that counts the changed posts.
func (s *Posts) write(ctx context.Context, statement string, params map[string]any) error {
	params["trace"] = traceOf(ctx)
	var changed int
	err := s.db.conn(ctx).Raw(statement, params).Scan(&changed).Error
	switch {
	case isDuplicate(err):
		return ErrDuplicate
	case isForeignKey(err):
		return notFound("media asset")
	case err != nil:
		return classify(err)
	case changed == 0:
		return ErrStale
	}
	return nil
}

func (s *Posts) changeParams(change post.Change) (map[string]any, error) {
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
		"waiting_try": row.WaitingTry, "waiting_deadline": row.WaitingDeadline, "overrides_pause": row.OverridesPause, "confirmed": row.Confirmed,
		"post_url": row.PostURL, "error_code": row.ErrorCode, "error_message": row.ErrorMessage,
		"error_retryable": row.ErrorRetryable, "approval_status": row.ApprovalStatus, "approval_comment": row.ApprovalComment,
		"approval_decided_at": row.ApprovalDecidedAt,
		"after_id":            row.AfterID, "after_delay": row.AfterDelay, "after_failure": row.AfterFailure, "concludes": change.Concludes(),
		"archived_from": row.ArchivedFrom, "consents": row.Consents, "writers": row.Writers,
		"approves": change.Approves, "approver": approver(change),
		"from_status": string(change.From.Status), "from_revision": change.From.Revision,
		"from_updated_at": change.From.UpdatedAt,
		"horizon":         s.db.horizon.Seconds(), "root": optional(change.Post.PartOf.RootID),
		"claimed": change.Claimed, "wake": change.Wake,
		"abandoned": string(post.AttemptAfter(post.AttemptAbandon)), "released": released(change),
		"timeline": timeline, "plan": string(plan),
	}
	maps.Copy(params, eventParams(change.Events))
	var notice mail.Kind
	for _, e := range change.Events {
		notice = cmp.Or(notice, noticeOf(e.Type))
	}
	if notice == mail.PostsFailed && change.Post.Error != nil && change.Post.Error.Code == post.ErrorOutcomeUnknown {
		notice = mail.PostsUnknown
	}
	params["notice"], params["drops_from"] = string(notice), optional(change.DropsFrom())
	return params, nil
}

// Delete deletes a post. It returns ErrStale, and deletes nothing, if the post has changed since the decision.
func (s *Posts) Delete(ctx context.Context, change post.Change) error {
	params, err := s.changeParams(change)
	if err != nil {
		return err
	}
	return s.write(ctx, deletePost, params)
}

// released returns the states of the attempts that the change abandons.
func released(change post.Change) textArray {
	if !change.Release {
		return textArray{}
	}
	return toArray(post.AttemptsBefore(post.AttemptAbandon, post.ByAnyone))
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
