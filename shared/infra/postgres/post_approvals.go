package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"strings"
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// consentsColumn stores approvals as jsonb.
type consentsColumn []post.Consent //nolint:recvcheck // database/sql calls Value on the value and Scan on the pointer

// GormDataType returns the type of the column.
func (consentsColumn) GormDataType() string { return "jsonb" }

// Value returns the column's value.
func (c consentsColumn) Value() (driver.Value, error) {
	raw, err := c.MarshalJSON()
	return string(raw), err
}

// MarshalJSON writes the field of a row that is passed as JSON.
func (c consentsColumn) MarshalJSON() ([]byte, error) {
	if len(c) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]post.Consent(c))
}

// Scan reads the column.
func (c *consentsColumn) Scan(src any) error {
	var found []post.Consent
	err := scanJSON(src, &found)
	if *c = nil; len(found) > 0 {
		*c = found
	}
	return err
}

// approver returns the name of the person whose approval the change is.
func approver(c post.Change) string {
	if !c.Approves {
		return ""
	}
	return strings.TrimPrefix(string(c.Timeline[0].Actor), "user ")
}

// Approved is the content of a post that was approved last.
type Approved struct {
	By          string
	At          time.Time
	Content     string
	Title       string
	ContentType post.ContentType
	MediaIDs    []ident.Media
	AltTexts    post.AltTexts
	Options     post.Options
	Parts       struct { // zero in approvals of earlier versions
		Thread  []post.Part
		Comment post.Comment
	}
	ScheduledAt *time.Time
}

// Approved returns the content that was approved last; zero if none was. The caller must have checked that the post belongs
// to the workspace.
func (s *Posts) Approved(ctx context.Context, id ident.Post) (found Approved, err error) {
	var raw []byte
	err = s.db.conn(ctx).Raw("SELECT approved FROM post WHERE id = ?", id).Row().Scan(&raw)
	if err != nil || raw == nil {
		return found, classify(err)
	}
	return found, scanJSON(raw, &found)
}

// Decided returns the posts whose approval was decided last, the latest decision first.
func (s *Posts) Decided(ctx context.Context, workspace ident.Workspace, n int) ([]post.Post, error) {
	var rows []postRow
	err := s.table(ctx).Select(postRead).Where("workspace_id = ? AND approval_decided_at IS NOT NULL", workspace).
		Order("approval_decided_at DESC").Limit(n).Find(&rows).Error
	return fromPostRows(rows), classify(err)
}

// Note adds an entry to the timeline of a post, which the caller must have checked.
func (s *Posts) Note(ctx context.Context, id ident.Post, e post.Entry) error {
	return classify(s.db.conn(ctx).Table("post_timeline").Create(map[string]any{
		"post_id": id, "at": e.At, "kind": string(e.Kind), "actor": string(e.Actor), "detail": e.Detail,
	}).Error)
}

// SetApprovalPolicy sets the approval policy of a workspace and its test workspace; NOT_FOUND if it does not exist.
func (s *Workspaces) SetApprovalPolicy(ctx context.Context, id ident.Workspace, policy approval.Policy) error {
	result := s.db.conn(ctx).Table("workspace").Where("id = ? OR live_id = ?", id, id).Update("approval_policy", int(policy))
	return affected(result, "workspace")
}

// SetApprovalPolicy sets the approval policy that a channel has of its own; NOT_FOUND if the workspace has no such channel.
func (s *Channels) SetApprovalPolicy(
	ctx context.Context, workspace ident.Workspace, id ident.Channel, policy approval.Policy,
) error {
	result := s.db.conn(ctx).Table("channel").Where("id = ? AND workspace_id = ?", id, workspace).
		Updates(map[string]any{"approval_policy": int(policy), "updated_at": dbNow})
	return affected(result, "channel")
}

// Uncleared returns the SCHEDULED posts that are not being published and have fewer approvals than a policy of their
// workspace, its test workspace included, or of one channel asks for.
func (s *Posts) Uncleared(
	ctx context.Context, workspace ident.Workspace, of ident.Channel, policy approval.Policy,
) ([]post.Post, error) {
	query := s.db.conn(ctx).Table("post").Select(postRead).Where(ownPosts).
		Where("workspace_id IN (SELECT id FROM workspace WHERE id = ? OR live_id = ?)", workspace, workspace).
		Where("status = 'SCHEDULED' AND publishing_since IS NULL AND jsonb_array_length(consents) < ?", policy.People())
	if !of.IsZero() {
		query = query.Where("channel_id = ?", of)
	}
	var rows []postRow
	err := query.Order("scheduled_at, id").Find(&rows).Error
	return fromPostRows(rows), classify(err)
}

// IsOnlyOwner reports whether the user is the only owner of the workspace, or of the live workspace of a test workspace.
func (s *Users) IsOnlyOwner(ctx context.Context, id ident.User, workspace ident.Workspace) (only bool, err error) {
	err = s.db.conn(ctx).Raw(`SELECT count(*) = 1 AND bool_and(m.user_id = @user) FROM workspace_member m
		JOIN workspace w ON w.id = @workspace AND m.workspace_id = COALESCE(w.live_id, w.id) WHERE m.role = 'OWNER'`,
		map[string]any{"user": id, "workspace": workspace}).Scan(&only).Error
	return only, classify(err)
}

// Requests returns the last request for approval of each of the posts that has one.
func (s *Posts) Requests(ctx context.Context, posts []post.Post) (map[ident.Post]post.Entry, error) {
	ids := each(posts, func(p post.Post) ident.Post { return p.ID })
	var rows []timelineRow
	err := s.db.conn(ctx).Table("post_timeline").Select("DISTINCT ON (post_id) post_id, at, kind, actor, detail").
		Where("post_id = ANY(CAST(? AS uuid[])) AND kind = ?", idArray(ids), string(post.EntryApprovalRequested)).
		Order("post_id, n DESC").Find(&rows).Error
	requests := make(map[ident.Post]post.Entry, len(rows))
	for _, r := range rows {
		requests[r.PostID] = fromTimelineRow(r)
	}
	return requests, classify(err)
}
